/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rank-plan.h"

#include "fabric-rank-link.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

SwitchGraph
GraphOf(const TopologyPlan& plan)
{
    SwitchGraph graph;
    graph.switches.resize(plan.switches.size());
    for (const HostPlan& host : plan.hosts)
    {
        ++graph.switches[host.edgeSwitch].hosts;
    }
    for (const LinkPlan& link : plan.links)
    {
        ++graph.switches[link.switchA].fabricPorts;
        ++graph.switches[link.switchB].fabricPorts;
        graph.links.emplace_back(link.switchA, link.switchB);
    }
    return graph;
}

namespace
{

/// Pins each switch to the rank of its hosts.
void
PinToHosts(SwitchGraph& graph, const TopologyPlan& plan, const NodeContainer& hosts)
{
    for (uint32_t host = 0; host < hosts.GetN(); ++host)
    {
        const uint32_t rank = hosts.Get(host)->GetSystemId();
        const uint32_t edge = plan.hosts[host].edgeSwitch;
        std::optional<uint32_t>& pinnedTo = graph.switches[edge].pinnedTo;
        if (rank >= RankCount() || (pinnedTo && *pinnedTo != rank))
        {
            throw std::invalid_argument(
                "FabricHelper: host " + std::to_string(host) + " is on rank " +
                std::to_string(rank) + "; allowed are the ranks 0 to " +
                std::to_string(RankCount() - 1) + ", the same for all hosts of a switch" +
                (pinnedTo ? ", here " + std::to_string(*pinnedTo) : ""));
        }
        pinnedTo = rank;
    }
}

} // namespace

RankPlan::RankPlan(const TopologyPlan& plan)
    : RankPlan(plan, NodeContainer())
{
}

RankPlan::RankPlan(const TopologyPlan& plan, const NodeContainer& hosts)
    : m_ofSwitches(plan.switches.size(), 0)
{
    if (RankCount() > 1)
    {
        SwitchGraph graph = GraphOf(plan);
        PinToHosts(graph, plan, hosts);
        const Partition partition(graph, RankCount());
        for (uint32_t number = 0; number < m_ofSwitches.size(); ++number)
        {
            m_ofSwitches[number] = partition.PartOf(number);
        }
    }
    for (const HostPlan& host : plan.hosts)
    {
        m_ofHosts.push_back(m_ofSwitches[host.edgeSwitch]);
    }
}

NodeContainer
RankPlan::MakeHosts() const
{
    return MakeNodes(m_ofHosts);
}

NodeContainer
RankPlan::MakeSwitches() const
{
    return MakeNodes(m_ofSwitches);
}

NodeContainer
RankPlan::MakeNodes(const std::vector<uint32_t>& ranks)
{
    NodeContainer nodes;
    for (const uint32_t rank : ranks)
    {
        nodes.Create(1, rank);
    }
    return nodes;
}

} // namespace ns3::fabric
