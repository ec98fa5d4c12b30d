/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GRAPH_FILE_H
#define FABRIC_GRAPH_FILE_H

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
    DataRate rate; ///< Of both directions.
    Time delay;    ///< Propagation delay.
};

/**
 * A topology from a file (FC-13, FF-1): the topology.txt of ns-3's RDMA forks.
 *
 * @verbatim
   5 2 4                     nodes, switches, links
   3 4                       the nodes that are switches; all others are hosts
   0 3 200Gbps 100ns         a link: both ends, rate, delay
   1 3 200Gbps 100ns 0       some files have the rate of errors besides, which has to be 0
   2 4 100Gbps 0.001ms
   3 4 400Gbps 1us
   @endverbatim
 *
 * Nodes are numbered from 0. Hosts and switches get numbers in the order of their nodes, ports of a
 * switch in the order of the file. What follows a # is a comment.
 */
struct GraphFile
{
    TopologyPlan plan;                ///< Switches, links and hosts.
    std::vector<GraphLink> links;     ///< Of the plan's links.
    std::vector<GraphLink> hostLinks; ///< Of the plan's hosts.

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
