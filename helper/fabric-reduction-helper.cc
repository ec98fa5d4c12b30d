/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-reduction-helper.h"

#include "fabric-empty-path.h"
#include "fabric-net-device.h"
#include "fabric-path-link.h"
#include "fabric-port-map.h"
#include "fabric-switch.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// Links in turn.
using Links = std::vector<fabric::PathLink>;

/// The ways of members in the tree of a reduction.
class TreeWays
{
  public:
    /// All that is named has to stay.
    TreeWays(const FabricContainer& fabric,
             const fabric::TopologyPlan& plan,
             const fabric::ReductionTree& tree)
        : m_fabric(fabric),
          m_plan(plan),
          m_tree(tree),
          m_ports(plan)
    {
    }

    /// @return links from a member to the root, with the latency of each engine
    Links UpFrom(uint32_t member) const
    {
        Links links;
        const fabric::Transmitter* sender = &m_fabric.GetDevice(member)->GetNic().Uplink();
        ForEachSwitch(member, [&](uint32_t sw, uint16_t port) {
            fabric::SwitchChip& chip = m_fabric.GetSwitch(sw)->GetChip();
            links.push_back(fabric::MakePathLink(*sender));
            links.back().delay += chip.Config().reductions.latency;
            links.back().handover = chip.HandoverAt(port);
            sender = sw == m_tree.root ? nullptr : &chip.Output(m_tree.up[sw].port);
        });
        return links;
    }

    /// @return links from the root to a member
    Links DownTo(uint32_t member) const
    {
        Links links;
        ForEachSwitch(member, [&](uint32_t sw, uint16_t port) {
            links.push_back(fabric::MakePathLink(m_fabric.GetSwitch(sw)->GetChip().Output(port)));
            const fabric::PortPeer& below = m_ports.GetPeer(sw, port);
            if (below.kind == fabric::PeerKind::SWITCH)
            {
                links.back().handover =
                    m_fabric.GetSwitch(below.index)->GetChip().HandoverAt(below.port);
            }
        });
        std::reverse(links.begin(), links.end());
        return links;
    }

  private:
    /// @param visit is called with the switches from a member to the root, and the ports toward the
    /// member: `void visit(uint32_t, uint16_t)`
    template <typename Visit>
    void ForEachSwitch(uint32_t member, Visit&& visit) const
    {
        uint32_t sw = m_plan.hosts[member].edgeSwitch;
        visit(sw, m_plan.hosts[member].port);
        while (sw != m_tree.root)
        {
            const fabric::PortPeer& above = m_ports.GetPeer(sw, m_tree.up[sw].port);
            sw = above.index;
            visit(sw, above.port);
        }
    }

    const FabricContainer& m_fabric;     ///< The fabric.
    const fabric::TopologyPlan& m_plan;  ///< Of the fabric.
    const fabric::ReductionTree& m_tree; ///< Of the reduction.
    fabric::PortMap m_ports;             ///< Who is at which port.
};

/// @return those that differ
std::vector<Links>
KindsOf(const std::vector<Links>& ways)
{
    using Kind = std::vector<std::tuple<uint64_t, fabric::TimePs, fabric::Handover>>;
    std::set<Kind> kinds;
    std::vector<Links> different;
    for (const Links& links : ways)
    {
        Kind kind;
        for (const fabric::PathLink& link : links)
        {
            kind.emplace_back(link.rate.BitsPerSecond(), link.delay, link.handover);
        }
        if (kinds.insert(kind).second)
        {
            different.push_back(links);
        }
    }
    return different;
}

/**
 * @param path up a tree and down
 * @param window frames that a member has under way at most
 * @return time of a message whose frames wait for results where the window is shorter than that
 */
fabric::TimePs
TimeWithWindow(const fabric::EmptyPath& path, uint64_t bytes, uint32_t window)
{
    // A frame waits for the result of the one before its window: so many round trips pass before
    // what is left of the message goes.
    const uint64_t frames = std::max<uint64_t>((bytes + path.Payload() - 1) / path.Payload(), 1);
    const uint64_t windows = (frames - 1) / window;
    const uint64_t left = bytes - windows * window * path.Payload();
    const auto waits = static_cast<fabric::TimePs>(windows) * path.CompletionTime(path.Payload());
    return std::max(path.CompletionTime(bytes), waits + path.CompletionTime(left));
}

} // namespace

FabricReductionHelper::FabricReductionHelper(FabricGroupHelper& groups)
    : m_groups(groups),
      m_first(groups.GetFabric().network->GetReductions().Size())
{
}

fabric::LocationId
FabricReductionHelper::Create(const std::vector<uint32_t>& hosts,
                              fabric::ReductionOperation operation)
{
    fabric::ReductionTerms terms = m_terms;
    terms.operation = operation;
    return Make(terms, hosts);
}

fabric::LocationId
FabricReductionHelper::CreateTo(uint32_t target,
                                const std::vector<uint32_t>& hosts,
                                fabric::ReductionOperation operation)
{
    if (std::find(hosts.begin(), hosts.end(), target) == hosts.end())
    {
        throw std::invalid_argument("a reduction is to the host " + std::to_string(target) +
                                    "; allowed are its members");
    }
    fabric::ReductionTerms terms = m_terms;
    terms.operation = operation;
    terms.target = fabric::LocationOf(target);
    return Make(terms, hosts);
}

fabric::LocationId
FabricReductionHelper::Make(const fabric::ReductionTerms& terms, const std::vector<uint32_t>& hosts)
{
    const fabric::ReductionTree tree = m_groups.MakeReductionTree(hosts);
    std::vector<fabric::LocationId> members;
    for (const uint32_t host : tree.group.members)
    {
        members.push_back(fabric::LocationOf(host));
    }
    FabricNetwork& network = *m_groups.GetFabric().network;
    const fabric::LocationId reduction =
        network.AddReduction(terms, members, Describe(tree, terms));
    m_groups.KeepReductionTree(tree);
    m_trees.resize(reduction - fabric::FIRST_REDUCTION - m_first);
    m_trees.push_back(tree);
    m_windows.resize(m_trees.size() - 1);
    m_windows.push_back(terms.window);
    return reduction;
}

std::vector<fabric::ReductionDescriptor>
FabricReductionHelper::Describe(const fabric::ReductionTree& tree,
                                const fabric::ReductionTerms& terms) const
{
    std::vector<uint16_t> toward;
    if (terms.target != 0)
    {
        toward = tree.PortsToward(m_groups.GetPlan(), fabric::HostOf(terms.target));
    }
    std::vector<fabric::ReductionDescriptor> bySwitch(tree.up.size());
    for (uint32_t sw = 0; sw < tree.up.size(); ++sw)
    {
        fabric::ReductionDescriptor& descriptor = bySwitch[sw];
        descriptor.children = tree.ChildrenOf(sw);
        descriptor.up = tree.up[sw];
        descriptor.target = toward.empty() ? fabric::ReductionDescriptor::NO_PORT : toward[sw];
    }
    return bySwitch;
}

const fabric::ReductionTree&
FabricReductionHelper::GetTree(fabric::LocationId reduction) const
{
    return m_trees.at(std::size_t{reduction} - fabric::FIRST_REDUCTION - m_first);
}

Time
FabricReductionHelper::GetIdealTime(fabric::LocationId reduction, uint64_t bytes) const
{
    const FabricContainer& fabric = m_groups.GetFabric();
    const fabric::ReductionTree& tree = GetTree(reduction);
    const uint32_t window = m_windows[std::size_t{reduction} - fabric::FIRST_REDUCTION - m_first];
    const TreeWays ways(fabric, m_groups.GetPlan(), tree);
    std::vector<Links> up;
    std::vector<Links> down;
    for (const uint32_t member : tree.group.members)
    {
        up.push_back(ways.UpFrom(member));
        down.push_back(ways.DownTo(member));
    }
    down = KindsOf(down);
    fabric::TimePs longest = 0;
    for (const Links& first : KindsOf(up))
    {
        for (const Links& second : down)
        {
            Links links = first;
            links.insert(links.end(), second.begin(), second.end());
            const uint32_t mtu = fabric.GetDevice(tree.group.members.front())->GetMtu();
            const fabric::EmptyPath path(std::move(links), mtu);
            longest = std::max(longest, TimeWithWindow(path, bytes, window));
        }
    }
    return PicoSeconds(longest);
}

} // namespace ns3
