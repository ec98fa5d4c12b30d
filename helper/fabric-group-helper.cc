/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-group-helper.h"

#include "fabric-empty-path.h"
#include "fabric-net-device.h"
#include "fabric-path-link.h"
#include "fabric-port-map.h"
#include "fabric-switch.h"

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

/// @return the plan of a fabric that is installed
fabric::TopologyPlan
PlanOf(const FabricContainer& fabric)
{
    fabric::TopologyPlan plan;
    plan.hosts.resize(fabric.hosts.GetN());
    for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
    {
        const fabric::SwitchChip& chip = fabric.GetSwitch(i)->GetChip();
        const auto ports = static_cast<uint16_t>(chip.Config().ports);
        plan.switches.push_back({fabric::NO_GROUP, ports, fabric.tiers[i]});
        for (uint16_t port = 0; port < ports; ++port)
        {
            if (const fabric::Nic* nic = chip.Host(port))
            {
                plan.hosts[fabric::HostOf(nic->Location())] = {i, port};
            }
        }
    }
    for (const fabric::SwitchLink& link : fabric.network->GetSubnetManager().Links())
    {
        plan.links.push_back({link[0].number,
                              link[1].number,
                              static_cast<uint16_t>(link[0].port),
                              static_cast<uint16_t>(link[1].port),
                              fabric::LinkClass::LOCAL});
    }
    return plan;
}

/// @return those of its switches
std::vector<fabric::Routing>
RoutingOf(const FabricContainer& fabric)
{
    std::vector<fabric::Routing> routing;
    for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
    {
        routing.push_back(fabric.GetSwitch(i)->GetChip().GetRouting());
    }
    return routing;
}

/// When copies of a message come to members, in an empty fabric.
class CopyTimes
{
  public:
    /// All that is named has to stay. @param bytes size of the message
    CopyTimes(const FabricContainer& fabric,
              const fabric::TopologyPlan& plan,
              const fabric::GroupTree& tree,
              uint64_t bytes)
        : m_fabric(fabric),
          m_tree(tree),
          m_ports(plan),
          m_bytes(bytes)
    {
    }

    /// @return when the last one has come @param host that sends
    fabric::TimePs LastFrom(uint32_t host, const fabric::HostPlan& place)
    {
        m_mtu = m_fabric.GetDevice(host)->GetMtu();
        Visit(place.edgeSwitch, place.port, m_fabric.GetDevice(host)->GetNic().Uplink());
        return m_last;
    }

  private:
    /// A copy comes to a switch. @param sender on the link by which it comes
    void Visit(uint32_t sw, uint16_t input, const fabric::Transmitter& sender)
    {
        const fabric::SwitchChip& chip = m_fabric.GetSwitch(sw)->GetChip();
        for (const fabric::TreePort& output : m_tree.ports[sw])
        {
            if (output.port == input)
            {
                continue;
            }
            m_links.push_back(fabric::MakePathLink(sender, chip, input, output.port));
            const fabric::PortPeer& peer = m_ports.GetPeer(sw, output.port);
            if (peer.kind == fabric::PeerKind::SWITCH)
            {
                Visit(peer.index, peer.port, chip.Output(output.port));
            }
            else
            {
                Arrive(chip.Output(output.port));
            }
            m_links.pop_back();
        }
    }

    /// A copy comes to a member. @param sender on its link
    void Arrive(const fabric::Transmitter& sender)
    {
        std::vector<fabric::PathLink> links = m_links;
        links.push_back(fabric::MakePathLink(sender));
        const fabric::EmptyPath path(std::move(links), m_mtu);
        m_last = std::max(m_last, path.CompletionTime(m_bytes));
    }

    const FabricContainer& m_fabric;       ///< The fabric.
    const fabric::GroupTree& m_tree;       ///< Of the group.
    fabric::PortMap m_ports;               ///< Who is at which port.
    uint64_t m_bytes;                      ///< Of the message.
    uint32_t m_mtu{0};                     ///< Of the sender.
    std::vector<fabric::PathLink> m_links; ///< To the present switch.
    fabric::TimePs m_last{0};              ///< Of those that have come.
};

} // namespace

FabricGroupHelper::FabricGroupHelper(const FabricContainer& fabric)
    : m_fabric(fabric),
      m_planner(PlanOf(fabric), RoutingOf(fabric))
{
}

fabric::LocationId
FabricGroupHelper::Create(const std::vector<uint32_t>& hosts)
{
    return Create(std::vector<std::vector<uint32_t>>{hosts}).front();
}

std::vector<fabric::LocationId>
FabricGroupHelper::Create(const std::vector<std::vector<uint32_t>>& groups)
{
    RequireOnlyHelper();
    std::vector<fabric::GroupTree> all = AllTrees();
    for (const std::vector<uint32_t>& hosts : groups)
    {
        const auto number = static_cast<uint32_t>(all.size() - m_reductionTrees.size());
        all.push_back(m_planner.MakeGroup(hosts, number, all));
    }
    Check(all);
    std::vector<fabric::LocationId> locations;
    for (std::size_t i = all.size() - groups.size(); i < all.size(); ++i)
    {
        std::vector<fabric::LocationId> members;
        for (const uint32_t host : all[i].members)
        {
            members.push_back(fabric::LocationOf(host));
        }
        locations.push_back(m_fabric.network->AddGroup(std::move(members), all[i].ports));
        m_trees.push_back(std::move(all[i]));
    }
    return locations;
}

const fabric::GroupTree&
FabricGroupHelper::GetTree(fabric::LocationId group) const
{
    return m_trees.at(std::size_t{group} - fabric::FIRST_GROUP);
}

Time
FabricGroupHelper::GetIdealTime(fabric::LocationId group, uint32_t from, uint64_t bytes) const
{
    CopyTimes times(m_fabric, GetPlan(), GetTree(group), bytes);
    return PicoSeconds(times.LastFrom(from, GetPlan().hosts[from]));
}

fabric::ReductionTree
FabricGroupHelper::MakeReductionTree(const std::vector<uint32_t>& hosts)
{
    RequireOnlyHelper();
    const auto number = static_cast<uint32_t>(m_reductionTrees.size());
    std::vector<fabric::GroupTree> all = AllTrees();
    fabric::ReductionTree tree = m_planner.MakeReduction(hosts, number, all);
    all.push_back(tree.group);
    Check(all);
    return tree;
}

void
FabricGroupHelper::RequireOnlyHelper() const
{
    FabricNetwork& network = *m_fabric.network;
    if (network.GetGroups() != m_trees.size() ||
        network.GetReductions().Size() != m_reductionTrees.size())
    {
        throw std::invalid_argument("FabricGroupHelper: another helper has made groups of this "
                                    "fabric; allowed is one, which knows all trees");
    }
}

std::vector<fabric::GroupTree>
FabricGroupHelper::AllTrees() const
{
    std::vector<fabric::GroupTree> trees = m_trees;
    trees.insert(trees.end(), m_reductionTrees.begin(), m_reductionTrees.end());
    return trees;
}

void
FabricGroupHelper::Check(const std::vector<fabric::GroupTree>& trees)
{
    if (m_routeCheck == ROUTES_ARE_PROVEN)
    {
        return;
    }
    const std::string circle = m_planner.FindCircle(trees);
    if (circle.empty())
    {
        return;
    }
    const std::string sentence = "FabricGroupHelper: copies of frames to groups, and others, can "
                                 "deadlock: " +
                                 circle +
                                 "; allowed are routes and groups without such a circle, as there "
                                 "are by routes that go up and then down, or by load, or with "
                                 "fewer groups, or SetRouteCheck()";
    if (m_routeCheck == ROUTES_ARE_CHECKED)
    {
        throw std::invalid_argument(sentence);
    }
    std::cerr << sentence << std::endl;
}

} // namespace ns3
