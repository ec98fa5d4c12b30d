/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TOPOLOGY_FILE_H
#define FABRIC_TOPOLOGY_FILE_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * The topology.txt of ns-3's RDMA forks, as it stands there (FF-1).
 *
 * @verbatim
   5 2 4                     nodes, switches, links
   3 4                       the nodes that are switches; all others are hosts
   0 3 200Gbps 100ns 0       a link: both ends, rate, delay, and which part of its frames it damages
   1 3 200Gbps 100ns         some files leave that out
   2 4 100Gbps 0.001ms 0
   3 4 25000000000.0 1us 0
   @endverbatim
 *
 * Nodes are numbered from 0. The first line has more in some forks, see Header. What follows a # is
 * a comment. Links beyond the number that the first line says are left out, as HPCC does, whose own
 * file has some.
 */
struct TopologyFile
{
    /// What the first line says besides numbers of nodes, switches and links.
    enum class Header : uint8_t
    {
        PLAIN,         ///< `nodes switches links`
        TORS,          ///< `nodes switches tors links`
        RATES,         ///< `nodes switches tors links hostRate leafRate`
        GPUS,          ///< `nodes gpusPerServer nvSwitches switches links gpuType`
        GPUS_PER_NODE, ///< `nodes gpusPerServer nvSwitches switches links gpuType gpusPerNode`
    };

    /// A link.
    struct Link
    {
        uint32_t a;       ///< One end.
        uint32_t b;       ///< The other end.
        DataRate rate;    ///< Of both directions.
        Time delay;       ///< Propagation delay.
        double errors{0}; ///< Part of the frames that it damages.
        uint32_t line{0}; ///< Where it stands in the file.
    };

    Header header{Header::PLAIN};   ///< Kind of the first line.
    uint32_t nodes{0};              ///< Hosts and switches.
    uint32_t tors{0};               ///< TORS, RATES: how many switches have hosts.
    double hostRate{0};             ///< RATES: of links to hosts, in the unit of the file.
    double leafRate{0};             ///< RATES: of links between switches, in the unit of the file.
    uint32_t gpusPerServer{0};      ///< GPUS, GPUS_PER_NODE.
    uint32_t nvSwitches{0};         ///< GPUS, GPUS_PER_NODE: the first of the switches.
    std::string gpuType;            ///< GPUS, GPUS_PER_NODE: a word.
    uint32_t gpusPerNode{0};        ///< GPUS_PER_NODE.
    std::vector<uint32_t> switches; ///< The nodes that are switches, as they are listed.
    std::vector<Link> links;        ///< In the order of the file.
    uint32_t lines{0};              ///< Lines of the file up to the last link.
    std::vector<std::string> warnings; ///< Sentences of what was left out.

    /**
     * @param name of the file, for sentences
     * @throws std::invalid_argument with a sentence that says where a mistake is, and what is
     * allowed
     */
    static TopologyFile Read(std::istream& is, const std::string& name);

    /// The same of a file. @param name where it is
    static TopologyFile Read(const std::string& name);

    /// Writes the file; read again, it says the same.
    void Write(std::ostream& os) const;
};

} // namespace ns3::fabric

#endif // FABRIC_TOPOLOGY_FILE_H
