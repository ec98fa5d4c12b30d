/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-notifier.h"

#include "fabric-net-device.h"

#include "ns3/node.h"
#include "ns3/simulator.h"

#include <tuple>

namespace ns3
{
namespace fabric
{

bool
Notifier::Call::operator>(const Call& other) const
{
    return std::tie(at, node, order) > std::tie(other.at, other.node, other.order);
}

Notifier::Notifier()
    : m_event([this] { Fire(); })
{
}

void
Notifier::Add(TimePs at, FabricNetDevice* device, const Frame& frame)
{
    m_calls.push({at, device->GetNode()->GetId(), m_order++, device, frame});
    Plan();
}

void
Notifier::Clear()
{
    m_calls = {};
    m_event.Stop();
}

void
Notifier::Plan()
{
    if (!m_calls.empty())
    {
        m_event.ComeBy(m_calls.top().at);
    }
}

void
Notifier::Fire()
{
    const TimePs now = Simulator::Now().GetPicoSeconds();
    while (!m_calls.empty() && m_calls.top().at == now)
    {
        const Call& call = m_calls.top();
        Simulator::ScheduleWithContext(call.node,
                                       Time(0),
                                       &FabricNetDevice::Deliver,
                                       call.device,
                                       call.frame);
        m_calls.pop();
    }
    Plan();
}

} // namespace fabric
} // namespace ns3
