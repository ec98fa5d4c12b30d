/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GRAPH_FILE_H
#define FABRIC_GRAPH_FILE_H

#include "fabric-node-numbers.h"
#include "fabric-topology.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <istream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// What a file says of a link.
struct GraphLink
{
    DataRate rate;    ///< Of both directions.
    Time delay;       ///< Propagation delay.
    double errors{0}; ///< Part of the frames that it damages.
};

/**
 * A topology from a file (FC-13, FF-1): the topology.txt of ns-3's RDMA forks, see TopologyFile, as
 * a fabric. Hosts and switches get numbers in the order of their nodes, ports of a switch in the
 * order of the file.
 */
struct GraphFile
{
    TopologyPlan plan;                 ///< Switches, links and hosts.
    std::vector<GraphLink> links;      ///< Of the plan's links.
    std::vector<GraphLink> hostLinks;  ///< Of the plan's hosts.
    NodeNumbers nodes;                 ///< What hosts and switches are in the file.
    std::vector<std::string> warnings; ///< Sentences of what was left out.

    /**
     * @param name of the file, for sentences
     * @throws std::invalid_argument with a sentence that says where a mistake is, and what is
     * allowed
     */
    static GraphFile Read(std::istream& is, const std::string& name);

    /// The same of a file. @param name where it is
    static GraphFile Read(const std::string& name);
};

} // namespace ns3::fabric

#endif // FABRIC_GRAPH_FILE_H
