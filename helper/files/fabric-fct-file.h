/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FCT_FILE_H
#define FABRIC_FCT_FILE_H

#include "fabric-types.h"

#include <cstdint>
#include <ostream>
#include <string>

namespace ns3::fabric
{

/**
 * Writes the fct.txt of ns-3's RDMA forks (FF-4): a line for each flow,
 * `sip dip sport dport bytes start_ns fct_ns standalone_ns`.
 */
class FctFile
{
  public:
    /// Nodes whose numbers fit into addresses.
    static constexpr uint32_t MOST_ADDRESSES = 65536;
    /// Port of the source of the first flow between two nodes; the next one has the next port.
    static constexpr uint32_t FIRST_PORT = 10000;

    /// A flow that is done.
    struct Row
    {
        uint32_t src;      ///< Node that has sent.
        uint32_t dst;      ///< Node that has received.
        uint32_t srcPort;  ///< Port of the source.
        uint32_t dstPort;  ///< Port of the destination.
        uint64_t bytes;    ///< How many were sent.
        TimePs start;      ///< When it started, ps.
        TimePs fct;        ///< How long it took, ps.
        TimePs standalone; ///< How long it takes with the network alone, by HPCC's formula, ps.
    };

    /**
     * @param os where to write; outlives the writer
     * @param nodes of the topology: with more than MOST_ADDRESSES their numbers stand for addresses
     */
    FctFile(std::ostream& os, uint64_t nodes);

    /// Writes a flow; times are rounded to ns.
    void Write(const Row& row);

    /// @return the address of a node, 8 hexadecimal digits: 0x0b000001 + 256 times its number
    static std::string AddressText(uint32_t node);

  private:
    std::ostream& m_os;  ///< Where to write.
    bool m_hasAddresses; ///< Whether nodes have addresses.
};

} // namespace ns3::fabric

#endif // FABRIC_FCT_FILE_H
