/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-input-queues.h"

namespace ns3::fabric
{

void
InputQueues::OfferWays(const QueuePlace& place, TimePs now)
{
    place.input->flows.Ways()->ForEach(place.ref.queue, [&](uint16_t number, const FlowWay&) {
        Offer(m_ports.Find({place.ref.input, static_cast<uint16_t>(FIRST_WAY_QUEUE + number)}),
              now);
    });
}

void
InputQueues::HoldWays(const QueuePlace& place)
{
    const uint8_t ofAll = HoldsOfAll(place);
    place.input->flows.Ways()->ForEach(place.ref.queue, [ofAll](uint16_t, FlowWay& way) {
        way.queue.holds = ((way.queue.holds & OF_A_WAY) | ofAll) & InputQueue::ALL_HOLDS;
    });
}

} // namespace ns3::fabric
