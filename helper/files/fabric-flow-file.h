/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_FILE_H
#define FABRIC_FLOW_FILE_H

#include "fabric-types.h"

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * The flow.txt of ns-3's RDMA forks (FF-2).
 *
 * @verbatim
   2                         flows
   0 3 3 100 1000000 2.0     source, destination, priority, port of the destination, bytes, start in
 s 1 3 3 100 20000 2.00001
   @endverbatim
 *
 * In a dialect no line has a port. Lines beyond the number of flows are left out. What follows a #
 * is a comment.
 */
struct FlowFile
{
    static constexpr uint32_t MOST_FLOWS = 100'000'000;       ///< Flows of a file at most.
    static constexpr uint64_t MOST_BYTES = uint64_t{1} << 40; ///< Bytes of a flow at most.
    static constexpr double LAST_START = 1000;                ///< The latest start of a flow, s.
    static constexpr uint32_t USUAL_PORT = 100;               ///< Port where a file has none.

    /// A flow.
    struct Flow
    {
        uint32_t src;              ///< Node that sends.
        uint32_t dst;              ///< Node that receives.
        uint32_t priority{0};      ///< Priority group.
        uint32_t port{USUAL_PORT}; ///< Port of the destination.
        uint64_t bytes{0};         ///< How many are sent.
        TimePs start{0};           ///< When, ps.
        uint32_t line{0};          ///< Where it stands in the file.
    };

    bool hasPorts{true};               ///< Whether lines have a port.
    std::vector<Flow> flows;           ///< By start; those of one start as in the file.
    std::vector<std::string> warnings; ///< Sentences of what was left out.

    /**
     * @param name of the file, for sentences
     * @throws std::invalid_argument with a sentence that says where a mistake is, and what is
     * allowed
     */
    static FlowFile Read(std::istream& is, const std::string& name);

    /// The same of a file. @param name where it is
    static FlowFile Read(const std::string& name);

    /// Writes the file; read again, it says the same.
    void Write(std::ostream& os) const;
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_FILE_H
