/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-lane-path.h"

#include "fabric-chain.h"
#include "fabric-shortest-path-routing.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace ns3::fabric
{

namespace
{

/// @return hosts that have all lanes between them and one more: where lanes share a class, which of
/// them a pair of hosts has is up to their locations
uint32_t
HostsFor(const LaneTable& table)
{
    const bool sharesClasses =
        std::any_of(table.lanes.begin(), table.lanes.end(), [&table](const auto& lane) {
            const LaneMask lanes = table.LanesOfClass(lane.trafficClass);
            return (lanes & (lanes - 1)) != 0;
        });
    return static_cast<uint32_t>(table.lanes.size()) * (sharesClasses ? 16 : 1);
}

} // namespace

SwitchLanePath::SwitchLanePath(FabricHelper helper,
                               const LaneLinkSettings& link,
                               LaneRecorder& recorder)
    : LanePath(recorder, static_cast<uint32_t>(link.packetBytes - HEADERS))
{
    helper.SetChannelAttribute("DataRate", DataRateValue(link.rate));
    helper.SetChannelAttribute("Delay", TimeValue(link.delay));
    helper.SetDeviceAttribute("Mtu", UintegerValue(JUMBO_PAYLOAD));
    for (const auto& [name, value] : link.arbiter)
    {
        helper.SetSwitchAttribute("Lane" + name, StringValue(value));
    }
    helper.SetLaneTable(link.table);
    const TopologyPlan plan = MakeChainPlan({HostsFor(link.table)});
    m_fabric = helper.Install(plan, MakeShortestPathRouting(plan));
}

void
SwitchLanePath::AssignHosts(const LaneTable& table, const PairOf& pairOf)
{
    const SwitchChip& chip = m_fabric.GetSwitch(0)->GetChip();
    std::set<uint32_t> taken;
    for (const LaneSettings& lane : table.lanes)
    {
        const auto isForLane = [&](uint32_t candidate) {
            const auto [from, to] = pairOf(candidate);
            const auto found = chip.LaneOfFlow(lane.trafficClass, LocationOf(from), LocationOf(to));
            return taken.count(candidate) == 0 && found == lane.lane;
        };
        uint32_t candidate = 0;
        while (candidate < GetLastHost() && !isForLane(candidate))
        {
            ++candidate;
        }
        if (candidate == GetLastHost())
        {
            throw std::logic_error("no host has lane " + std::to_string(lane.lane));
        }
        taken.insert(candidate);
        const auto [from, to] = pairOf(candidate);
        m_lanes[lane.lane] = {m_fabric.GetDevice(from), LocationOf(to), lane.trafficClass, 0};
        m_fabric.GetDevice(to)->SetMessageCallback(MakeCallback(&SwitchLanePath::Receive, this));
    }
}

uint32_t
SwitchLanePath::GetLastHost() const
{
    return m_fabric.hosts.GetN() - 1;
}

const FabricContainer&
SwitchLanePath::GetFabric() const
{
    return m_fabric;
}

void
SwitchLanePath::CheckSettings() const
{
}

void
SwitchLanePath::Send(uint32_t lane)
{
    Settle();
    Lane& sender = m_lanes.at(lane);
    const bool hasRoom = sender.waiting < LANE_QUEUE;
    if (hasRoom)
    {
        ++sender.waiting;
        sender.device->SendMessage(sender.receiver, GetPayload(), sender.trafficClass, lane);
    }
    m_recorder.Made(lane, hasRoom);
}

uint64_t
SwitchLanePath::GetPacketsInFlight() const
{
    return m_fabric.network->GetTotals().inFlight / GetPayload();
}

uint64_t
SwitchLanePath::GetPacketHops() const
{
    return m_fabric.network->GetTotals().dataHops;
}

void
SwitchLanePath::StopAt(Time duration)
{
    m_fabric.network->StopAt(duration);
}

void
SwitchLanePath::Choose(uint32_t lane, bool isConforming)
{
    --m_lanes.at(lane).waiting;
    m_recorder.Chosen(lane, isConforming);
}

void
SwitchLanePath::Receive(const Message& message)
{
    m_recorder.Delivered(static_cast<uint32_t>(message.tag));
}

} // namespace ns3::fabric
