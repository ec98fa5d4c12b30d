/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONNECTION_MATRIX_H
#define FABRIC_CONNECTION_MATRIX_H

#include "fabric-types.h"

#include <cstdint>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * A connection matrix of htsim (FF-6).
 *
 * @verbatim
   Nodes 4
   Connections 3
   Triggers 1
   0->1 id 1 start 0 size 2000000 send_done_trigger 1     starts at 0 ps
   2->1 id 2 start 5000000 size 4000
   0->3 id 3 trigger 1 size 2000000                       starts when trigger 1 fires
   trigger id 1 oneshot                                   multishot, or barrier with a count
   @endverbatim
 *
 * What follows a # is a comment. Priorities of a connection (`prio`) are left out. A connection of
 * `size 0` has no end, as in htsim.
 */
struct ConnectionMatrix
{
    /// What a trigger does.
    enum class TriggerKind : uint8_t
    {
        ONESHOT,   ///< The first activation starts all its connections.
        MULTISHOT, ///< Each activation starts the next of its connections, as they are listed.
        BARRIER,   ///< The last of a number of activations starts all its connections.
    };

    /// A trigger.
    struct Trigger
    {
        uint32_t id{0};                         ///< From 1.
        TriggerKind kind{TriggerKind::ONESHOT}; ///< What it does.
        uint32_t count{0};                      ///< BARRIER: activations that it waits for.
        uint32_t line{0};                       ///< Where it stands in the file.
    };

    /// A connection: a flow of bytes.
    struct Connection
    {
        uint32_t src{0};             ///< Node that sends.
        uint32_t dst{0};             ///< Node that receives.
        uint32_t id{0};              ///< From 1; 0 for none.
        std::optional<TimePs> start; ///< When it starts, ps; or else
        uint32_t trigger{0};         ///< the trigger that starts it.
        uint64_t bytes{0};           ///< How many are sent; 0 for a flow without end.
        uint32_t sendDoneTrigger{0}; ///< Is activated when all is sent; 0 for none.
        uint32_t recvDoneTrigger{0}; ///< Is activated when all is received; 0 for none.
        uint32_t line{0};            ///< Where it stands in the file.
    };

    uint32_t nodes{0};                   ///< Nodes.
    std::vector<Connection> connections; ///< As they are listed.
    std::vector<Trigger> triggers;       ///< As they are listed.
    std::vector<std::string> warnings;   ///< Sentences of what was left out.

    /**
     * @param name of the file, for sentences
     * @throws std::invalid_argument with a sentence that says where a mistake is, and what is
     * allowed
     */
    static ConnectionMatrix Read(std::istream& is, const std::string& name);

    /// The same of a file. @param name where it is
    static ConnectionMatrix Read(const std::string& name);

    /// Writes the file; read again, it says the same.
    void Write(std::ostream& os) const;
};

} // namespace ns3::fabric

#endif // FABRIC_CONNECTION_MATRIX_H
