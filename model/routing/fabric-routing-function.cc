/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-routing-function.h"

#include <algorithm>

namespace ns3::fabric
{

void
RoutingFunction::SetDown(uint32_t port, bool isDown)
{
    m_isDown.resize(std::max<std::size_t>(m_isDown.size(), port + 1));
    m_isDown[port] = isDown;
    NoteExceptions();
}

void
RoutingFunction::SetRule(RoutingRule rule)
{
    m_rule = std::move(rule);
    NoteExceptions();
}

void
RoutingFunction::SetDeadEnds(std::shared_ptr<const DeadEnds> deadEnds)
{
    m_deadEnds = std::move(deadEnds);
    NoteExceptions();
}

void
RoutingFunction::NoteExceptions()
{
    m_goesAround =
        m_rule || m_deadEnds || std::find(m_isDown.begin(), m_isDown.end(), true) != m_isDown.end();
}

bool
RoutingFunction::IsReachableAround(LocationId dst) const
{
    const PortRange range = m_routes.Route(dst);
    for (uint32_t i = 0; i < range.count; ++i)
    {
        if (LeadsTo(range.first + i, dst))
        {
            return true;
        }
    }
    return false;
}

uint16_t
RoutingFunction::ChooseAround(const Frame& frame, bool ordered)
{
    const PortRange range = m_routes.Route(frame.dst);
    std::vector<uint16_t> ports;
    for (uint32_t i = 0; i < range.count; ++i)
    {
        const uint32_t port = range.first + i;
        if (MayTake(frame, port))
        {
            ports.push_back(static_cast<uint16_t>(port));
        }
    }
    if (ports.size() <= 1)
    {
        return ports.empty() ? Hop::NO_OUTPUT : ports.front();
    }
    // As without failures, among the ports that are left.
    const auto count = static_cast<uint32_t>(ports.size());
    if (ordered)
    {
        return ports[HashOf(frame, count)];
    }
    std::rotate(ports.begin(), ports.begin() + m_random() % count, ports.end());
    return *std::min_element(ports.begin(), ports.end(), [this](uint16_t a, uint16_t b) {
        return m_loads.QueuedBytes(a) < m_loads.QueuedBytes(b);
    });
}

} // namespace ns3::fabric
