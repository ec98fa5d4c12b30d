/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-group-loads.h"

#include "fabric-load-code.h"

#include <algorithm>
#include <utility>

namespace ns3::fabric
{

GroupLoads::GroupLoads(const SwitchPorts& ports,
                       const RoutingFunction& routing,
                       const NeighbourLoadSettings& settings,
                       std::shared_ptr<const DestinationGroups> groups,
                       const LoadScale& scale)
    : m_ports(ports),
      m_routing(routing),
      m_settings(settings),
      m_groups(std::move(groups)),
      m_scale(scale),
      m_known(ports.count),
      m_own(ports.count, 0),
      m_values(m_groups->End(), 0)
{
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        Port& known = m_known[port];
        m_hasHosts = m_hasHosts || m_ports.outputs[port].nic;
        known.isToSwitch = m_ports.inputs[port].sender && !m_ports.outputs[port].nic;
        if (known.isToSwitch)
        {
            known.heard.assign(m_values.size(), 0);
            known.isWay.assign(m_values.size(), false);
        }
    }
}

uint32_t
GroupLoads::OwnLoad(uint32_t port, uint32_t more) const
{
    const OutputPort& output = m_ports.outputs[port];
    return m_known[port].isToSwitch
               ? m_scale.Of(output.flows.InUse() + more, output.transmitter.Rate().BitsPerSecond())
               : 0;
}

uint32_t
GroupLoads::Heard(uint32_t port, LocationId dst) const
{
    const Port& known = m_known[port];
    return known.isToSwitch ? DecodeLoad(known.heard[m_groups->Of(dst)]) : 0;
}

uint32_t
GroupLoads::LoadBy(uint32_t port, LocationId dst) const
{
    // The flow is counted here, and where the ways part, but not yet in what was heard.
    return OwnLoad(port, 2) + Heard(port, dst);
}

uint32_t
GroupLoads::TurnOf(LocationId dst) const
{
    const FlowId group = m_groups->Of(dst);
    return m_hasHosts ? static_cast<uint32_t>(dst - m_groups->HostOf(group)) : group - 1U;
}

bool
GroupLoads::Hear(uint32_t port, const Ack& ack)
{
    const bool isKnown = ack.flow < m_values.size() && m_known[port].isToSwitch;
    if (isKnown)
    {
        m_known[port].heard[ack.flow] = ack.ackFlow;
    }
    return isKnown;
}

void
GroupLoads::Forget(uint32_t port)
{
    std::fill(m_known[port].heard.begin(), m_known[port].heard.end(), 0);
}

void
GroupLoads::RenewGroup(FlowId group)
{
    Frame frame{};
    frame.dst = m_groups->HostOf(group);
    uint64_t sum = 0;
    uint32_t ways = 0;
    m_routing.ForEachWay(0, frame, [&](uint16_t port) {
        Port& way = m_known[port];
        if (way.isToSwitch)
        {
            way.isWay[group] = true;
            sum += m_own[port] + DecodeLoad(way.heard[group]);
            ++ways;
        }
    });
    m_values[group] = EncodeLoad(ways == 0 ? 0 : sum / ways);
}

const std::vector<uint8_t>&
GroupLoads::Look(TimePs now)
{
    // What is known is good for half of the time, since looking takes long.
    if (m_renewedAt >= 0 && now - m_renewedAt < m_settings.time / 2)
    {
        return m_values;
    }
    m_renewedAt = now;
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        m_own[port] = OwnLoad(port, 0);
        m_known[port].isWay.assign(m_known[port].isWay.size(), false);
    }
    for (uint32_t group = 1; group < m_values.size(); ++group)
    {
        RenewGroup(static_cast<FlowId>(group));
    }
    return m_values;
}

} // namespace ns3::fabric
