/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-input-queues.h"

#include <algorithm>

namespace ns3::fabric
{

void
InputQueues::OfferWays(const QueuePlace& place, TimePs now)
{
    place.input->flows.Ways()->ForEach(place.ref.queue, [&](uint16_t number, const FlowWay&) {
        Offer(WayAt(place, number), now);
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

// ---- turns of flows of hosts ----

template <typename Visit>
void
InputQueues::ForEachQueue(const QueuePlace& place, Visit&& visit) const
{
    visit(place);
    if (place.HasWays())
    {
        place.input->flows.Ways()->ForEach(place.ref.queue, [&](uint16_t number, const FlowWay&) {
            visit(WayAt(place, number));
        });
    }
}

void
InputQueues::LookAtTurn(const QueuePlace& place, TimePs now)
{
    if (!place.record || !place.input->edge || !place.input->edge->turns)
    {
        return;
    }
    IngressArbiter& turns = *place.input->edge->turns;
    const QueuePlace flow = place.OfFlow();
    CouldGo(flow) ? turns.Ask(flow.ref.queue) : turns.Withdraw(flow.ref.queue);
    GiveTurns(flow.ref.input, now);
    if (!turns.HasTurn(flow.ref.queue))
    {
        SetHolds(flow, flow.queue->holds | InputQueue::AWAITS_TURN);
        ForEachQueue(flow, [this, now](const QueuePlace& queue) { Rest(queue, now); });
    }
}

bool
InputQueues::CouldGo(const QueuePlace& place) const
{
    bool isAny = false;
    ForEachQueue(place, [&isAny](const QueuePlace& its) {
        const uint8_t others = its.queue->holds & ~InputQueue::AWAITS_TURN;
        isAny = isAny || (!its.queue->IsEmpty() && others == 0);
    });
    return isAny;
}

uint32_t
InputQueues::NextUnits(const QueuePlace& place) const
{
    uint32_t units = 0;
    ForEachQueue(place, [this, &units](const QueuePlace& its) {
        if (!its.queue->IsEmpty())
        {
            units = std::max(units, FlowUnits(m_ports.frames->At(its.queue->head).payload));
        }
    });
    return units;
}

void
InputQueues::GiveTurns(uint16_t port, TimePs now)
{
    IngressArbiter& turns = *m_ports.inputs[port].edge->turns;
    const auto unitsOf = [this, port](FlowId flow) {
        return NextUnits(m_ports.Find({port, flow}));
    };
    for (FlowId id = turns.GiveTurn(unitsOf); id != NO_FLOW; id = turns.GiveTurn(unitsOf))
    {
        const QueuePlace flow = m_ports.Find({port, id});
        SetHolds(flow, flow.queue->holds & ~InputQueue::AWAITS_TURN);
        ForEachQueue(flow, [this, now](const QueuePlace& its) { AskOutput(its, now); });
    }
}

void
InputQueues::AskOutput(const QueuePlace& place, TimePs now)
{
    if (place.queue->MayBeOffered())
    {
        m_crossbar.Offer(place, now);
    }
}

void
InputQueues::Rest(const QueuePlace& place, TimePs now)
{
    if (place.queue->stands == InputQueue::LACKS_ID)
    {
        m_crossbar.Remove(place, now);
    }
    // What is metered is told more by that id.
    const bool isMetered =
        place.IsWay() ? place.Way().isMetered : place.record->Is(FlowRecord::METERED);
    if (place.Outgoing() != NO_FLOW && place.UnderWay() == 0 && !isMetered)
    {
        m_crossbar.Release(place, now);
    }
}

} // namespace ns3::fabric
