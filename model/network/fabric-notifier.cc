/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-notifier.h"

#include "fabric-net-device.h"

#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

namespace ns3::fabric
{

namespace
{

/// How long before its time a call is handed to the simulator, ps.
constexpr TimePs AHEAD = Notifier::KNOWN_AHEAD - 1;

} // namespace

bool
Notifier::Call::operator>(const Call& other) const
{
    // Reports of engines become known at another time than what is on the link.
    const bool isReport = frame.kind >= FrameKind::TRANSPORT;
    const bool otherIsReport = other.frame.kind >= FrameKind::TRANSPORT;
    return std::tie(at, location, isReport, order) >
           std::tie(other.at, other.location, otherIsReport, other.order);
}

Notifier::Notifier()
    : m_event([this] { Fire(); })
{
}

void
Notifier::Add(TimePs at, FabricNetDevice* device, const Frame& frame)
{
    if (at <= m_handed)
    {
        throw std::logic_error("a call at " + std::to_string(at) +
                               " ps is known too late; its place among others would depend on the "
                               "order of events");
    }
    m_calls.push({at, device->GetLocation(), m_order++, device, frame});
    Plan();
}

void
Notifier::LastUntil(TimePs at)
{
    m_lasts = std::max(m_lasts, at);
    Plan();
}

void
Notifier::Clear()
{
    m_calls = {};
    m_lasts = 0;
    m_event.Stop();
}

void
Notifier::Plan()
{
    if (!m_calls.empty())
    {
        m_event.ComeBy(m_calls.top().at - AHEAD);
    }
    else if (m_lasts > Simulator::Now().GetPicoSeconds())
    {
        m_event.ComeBy(m_lasts);
    }
}

void
Notifier::Fire()
{
    const TimePs at = Simulator::Now().GetPicoSeconds() + AHEAD;
    m_handed = at;
    while (!m_calls.empty() && m_calls.top().at == at)
    {
        const Call& call = m_calls.top();
        Simulator::ScheduleWithContext(call.device->GetNode()->GetId(),
                                       PicoSeconds(AHEAD),
                                       &FabricNetDevice::Deliver,
                                       call.device,
                                       call.frame);
        m_calls.pop();
    }
    Plan();
}

} // namespace ns3::fabric
