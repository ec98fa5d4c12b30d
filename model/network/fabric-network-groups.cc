/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-net-device.h"
#include "fabric-network.h"
#include "fabric-rank-post.h"
#include "fabric-switch.h"

#include <stdexcept>

namespace ns3
{

// ---- groups of multicast, and reductions ----

fabric::LocationId
FabricNetwork::AddGroup(std::vector<fabric::LocationId> members,
                        const std::vector<fabric::TreePorts>& ports)
{
    RequireWayForGroups("a group");
    const std::size_t location = fabric::FIRST_GROUP + m_groups.size();
    if (location >= fabric::FIRST_REDUCTION)
    {
        throw std::invalid_argument("ns3::FabricNetwork: there are " +
                                    std::to_string(m_groups.size()) +
                                    " groups; allowed are no more");
    }
    RequireChannels(ports);
    const auto group = static_cast<fabric::LocationId>(location);
    for (std::size_t i = 0; i < ports.size(); ++i)
    {
        if (!ports[i].empty())
        {
            m_switches[i]->GetChip().SetGroupPorts(group, ports[i]);
        }
    }
    m_groups.push_back(std::move(members));
    if (m_post)
    {
        m_post->AddGroup(m_groups.back());
    }
    m_manager.FixLinks();
    return group;
}

fabric::LocationId
FabricNetwork::AddReduction(const fabric::ReductionTerms& terms,
                            std::vector<fabric::LocationId> members,
                            const std::vector<fabric::ReductionDescriptor>& tree)
{
    RequireWayForGroups("a reduction");
    RequireRoomForReduction(terms, members, tree);
    fabric::ReductionOperands& operands = m_reductions.Operands();
    const fabric::LocationId reduction = m_reductions.Add(terms, members, FindRanksOf(members));
    for (std::size_t i = 0; i < tree.size(); ++i)
    {
        if (!tree[i].children.empty())
        {
            fabric::ReductionDescriptor descriptor = tree[i];
            descriptor.reduction = reduction;
            descriptor.operation = terms.operation;
            descriptor.isToAll = terms.target == 0;
            descriptor.window = terms.window;
            descriptor.firstOperand = operands.Reserve(terms.window);
            m_switches[i]->GetChip().AddReduction(descriptor, operands);
        }
    }
    for (const fabric::LocationId member : members)
    {
        const bool getsResults = terms.target == 0 || terms.target == member;
        m_devices[member - fabric::FIRST_UNICAST]->JoinReduction(
            {reduction, 0, terms.window, operands.Reserve(terms.window), getsResults},
            terms.trafficClass);
    }
    m_manager.FixLinks();
    return reduction;
}

void
FabricNetwork::RequireRoomForReduction(const fabric::ReductionTerms& terms,
                                       const std::vector<fabric::LocationId>& members,
                                       const std::vector<fabric::ReductionDescriptor>& tree) const
{
    const std::string where = "ns3::FabricNetwork: a reduction can't be made, since ";
    m_reductions.RequireTerms(terms);
    std::vector<fabric::TreePorts> ports;
    for (const fabric::ReductionDescriptor& descriptor : tree)
    {
        ports.push_back(descriptor.children);
        if (!descriptor.children.empty())
        {
            ports.back().push_back(descriptor.up);
        }
    }
    RequireChannels(ports);
    for (std::size_t i = 0; i < tree.size(); ++i)
    {
        const uint32_t free = m_switches[i]->GetChip().FreeReductionSlots();
        if (!tree[i].children.empty() && free < terms.window)
        {
            throw std::invalid_argument(where + "its window is " + std::to_string(terms.window) +
                                        " frames, and switch " + std::to_string(i) + " has " +
                                        std::to_string(free) +
                                        " slots left; allowed is a window of no more, or more "
                                        "ReductionSlots");
        }
    }
    const uint32_t mtu = m_devices[members.front() - fabric::FIRST_UNICAST]->GetMtu();
    for (const fabric::LocationId member : members)
    {
        const Ptr<FabricNetDevice>& device = m_devices[member - fabric::FIRST_UNICAST];
        if (device->GetMtu() != mtu)
        {
            throw std::invalid_argument(where + "its members have the MTUs " + std::to_string(mtu) +
                                        " and " + std::to_string(device->GetMtu()) +
                                        "; allowed is the same for all, since frames are combined");
        }
        if (!device->CanReduce())
        {
            throw std::invalid_argument(where + "at location " + std::to_string(member) + ", " +
                                        fabric::TOO_LATE_FOR_ENGINE);
        }
    }
}

void
FabricNetwork::RequireChannels(const std::vector<fabric::TreePorts>& ports) const
{
    const uint32_t needed = fabric::ChannelsOfTree(ports);
    for (std::size_t i = 0; i < ports.size(); ++i)
    {
        if (!ports[i].empty())
        {
            const fabric::SwitchChip& chip = m_switches[i]->GetChip();
            chip.Config().ValidateTree(chip.GetRouting(), needed);
        }
    }
}

uint16_t
FabricNetwork::CountCopies(fabric::LocationId group) const
{
    return m_post ? m_post->GetGroups().CountTellers(group)
                  : static_cast<uint16_t>(GetMembers(group).size() - 1);
}

const std::vector<fabric::LocationId>&
FabricNetwork::GetMembers(fabric::LocationId group) const
{
    static const std::vector<fabric::LocationId> none;
    const std::size_t number = std::size_t{group} - fabric::FIRST_GROUP;
    return group >= fabric::FIRST_GROUP && number < m_groups.size() ? m_groups[number] : none;
}

void
FabricNetwork::RequireWayForGroups(const std::string& what) const
{
    const std::string where = "ns3::FabricNetwork: " + what + " can't be made, since ";
    if (!m_errorModels.empty() || m_manager.HasFailures())
    {
        throw std::invalid_argument(where + "links may lose frames; allowed are links without "
                                            "error models that do not fail");
    }
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        const fabric::SwitchConfig& config = fabricSwitch->GetChip().Config();
        if (config.buffer.lossyClasses != 0)
        {
            throw std::invalid_argument(where + "LossyClasses is " +
                                        std::to_string(config.buffer.lossyClasses) +
                                        "; allowed is 0");
        }
        if (config.hostControl.edgeFlowControl != fabric::LINK_CREDITS ||
            config.linkControl.flowControl != fabric::LINK_CREDITS)
        {
            throw std::invalid_argument(where + "links have no credits; allowed are "
                                                "EdgeFlowControl=credits and "
                                                "LinkFlowControl=credits");
        }
        if (config.hostDiscards != 0)
        {
            throw std::invalid_argument(where + "DiscardClasses is " +
                                        std::to_string(config.hostDiscards) + "; allowed is 0");
        }
        RequireFramesFit(where, config.buffer.maxFrameBytes);
        if (fabricSwitch->GetChip().SendsPieces())
        {
            throw std::invalid_argument(where + "frames may go in pieces; allowed are "
                                                "LanePreemption=false, LaneInterleaving=false and "
                                                "LaneCheck=frame");
        }
    }
}

void
FabricNetwork::RequireFramesFit(const std::string& where, uint32_t maxFrameBytes) const
{
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        const uint32_t bytes = fabric::WireBytes(device->GetMtu());
        if (bytes > maxFrameBytes)
        {
            throw std::invalid_argument(
                where + "MaxFrameBytes is " + std::to_string(maxFrameBytes) +
                ", and hosts have frames of " + std::to_string(bytes) + "; allowed is no less");
        }
    }
}

} // namespace ns3
