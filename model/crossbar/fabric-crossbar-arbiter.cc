/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-crossbar-arbiter.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

/// All that ask an output, or wait there for a place, do so no longer.
/// @param take is called with each: `void take(QueueRef)`
template <typename Take>
void
TakeAsking(const SwitchPorts& ports, uint32_t port, Take&& take)
{
    ports.outputs[port].lists.TakeAll(ports.Queues(), take);
    if (ports.tiles)
    {
        TiledOutput& output = ports.tiles[port];
        output.places.Clear();
        output.TakeWaiting(take);
    }
}

} // namespace

uint32_t
CrossbarArbiter::ChooseShaped(const OutputPort& output, LaneMask candidates, TimePs now)
{
    uint32_t list = NO_LIST;
    return output.lists.GetShaper()->Choose(candidates, now, list) ? list : NO_LIST;
}

void
CrossbarArbiter::GiveToHeir(OutputPort& output, TimePs now)
{
    const QueueRef ref = output.TakeLackingId();
    const QueuePlace heir = m_ports.Find(ref);
    heir.Outgoing() = output.flows.Allocate(ref, now);
    OfferAgain(heir, now);
}

void
CrossbarArbiter::EndIdleWay(const QueuePlace& place, TimePs now)
{
    if (!place.Way().IsIdle())
    {
        return;
    }
    if (place.Way().id != NO_FLOW)
    {
        Release(place, now);
    }
    place.input->flows.Ways()->End(place.ref.queue - FIRST_WAY_QUEUE);
}

void
CrossbarArbiter::OfferAgain(const QueuePlace& place, TimePs now)
{
    place.queue->stands = InputQueue::NOWHERE;
    if (place.queue->MayBeOffered())
    {
        Offer(place, now);
    }
}

void
CrossbarArbiter::Resume(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    if (output.transmitter.IsBlocked() || !output.flows.IsSuspended())
    {
        return; // the link has failed again before the word was sent, and it will be said again
    }
    output.flows.Resume();
    for (uint32_t left = output.CountLackingId(); left != 0; --left)
    {
        OfferAgain(m_ports.Find(output.TakeLackingId()), now);
    }
}

void
CrossbarArbiter::Withdraw(uint32_t port, std::vector<QueueRef>& queues)
{
    OutputPort& output = m_ports.outputs[port];
    const auto take = [&](QueueRef ref) {
        m_ports.Find(ref).queue->stands = InputQueue::NOWHERE;
        queues.push_back(ref);
    };
    TakeAsking(m_ports, port, take);
    while (output.CountLackingId() != 0)
    {
        take(output.TakeLackingId());
    }
}

void
CrossbarArbiter::Remove(const QueuePlace& place, TimePs now)
{
    OutputPort& output = m_ports.outputs[place.queue->output];
    const auto erase = [&place](std::vector<QueueRef>& aside) {
        aside.erase(std::remove(aside.begin(), aside.end(), place.ref), aside.end());
    };
    switch (place.queue->stands)
    {
    case InputQueue::LISTED:
        output.lists.Remove(place.queue->list, m_ports.Queues(), place.ref);
        if (m_ports.tiles)
        {
            GivePlace(place, place.queue->list, now);
        }
        break;
    case InputQueue::NO_PLACE:
        m_ports.tiles[place.queue->output]
            .Waiting(place.ref.input, place.queue->list)
            .Remove([&place](QueueRef ref) { return ref == place.ref; });
        break;
    case InputQueue::LACKS_ID:
        output.RemoveLackingId(place.ref);
        break;
    case InputQueue::CANT_START:
        if (output.obeyed)
        {
            erase(output.obeyed->waiting);
        }
        if (output.wire)
        {
            erase(output.wire->waiting);
        }
        break;
    default:
        break;
    }
    place.queue->stands = InputQueue::NOWHERE;
}

void
CrossbarArbiter::OfferToTiles(const QueuePlace& place, TimePs now)
{
    const uint16_t port = place.queue->output;
    Enlist(m_ports.outputs[port], place);
    m_clock.PlanDecision(port, now);
}

bool
CrossbarArbiter::TakePlace(const QueuePlace& place)
{
    TiledOutput& tiles = m_ports.tiles[place.queue->output];
    const uint32_t list = place.queue->list;
    Ring<QueueRef>& waiting = tiles.Waiting(place.ref.input, list);
    if (waiting.IsEmpty() && tiles.places.Take(place.ref.input, list))
    {
        return true;
    }
    waiting.Push(place.ref);
    place.queue->stands = InputQueue::NO_PLACE;
    return false;
}

bool
CrossbarArbiter::GivePlaces(uint16_t port, uint16_t input, uint32_t list)
{
    TiledOutput& tiles = m_ports.tiles[port];
    Ring<QueueRef>& waiting = tiles.Waiting(input, list);
    bool isAny = false;
    while (!waiting.IsEmpty() && tiles.places.Take(input, list))
    {
        const QueueRef heir = waiting.Front();
        waiting.Pop();
        m_ports.Find(heir).queue->stands = InputQueue::LISTED;
        m_ports.outputs[port].lists.Append(list, m_ports.Queues(), heir);
        isAny = true;
    }
    return isAny;
}

void
CrossbarArbiter::GivePlace(const QueuePlace& place, uint32_t list, TimePs now)
{
    const uint16_t port = place.queue->output;
    m_ports.tiles[port].places.Give(place.ref.input, list);
    if (GivePlaces(port, place.ref.input, list))
    {
        m_clock.PlanDecision(port, now);
    }
}

void
CrossbarArbiter::PassPlace(const QueuePlace& place, uint32_t bytes)
{
    const uint16_t port = place.queue->output;
    const uint16_t input = place.ref.input;
    const uint32_t list = place.queue->list;
    TiledOutput& tiles = m_ports.tiles[port];
    tiles.places.Give(input, list);
    const bool asks = AsksAgain(*place.queue);
    const bool stays =
        asks && tiles.Waiting(input, list).IsEmpty() && tiles.places.Take(input, list);
    EndTurn(m_ports.outputs[port], place, stays, bytes);
    if (asks && !stays)
    {
        tiles.Waiting(input, list).Push(place.ref);
        place.queue->stands = InputQueue::NO_PLACE;
    }
    GivePlaces(port, input, list);
}

void
CrossbarArbiter::Relist(uint32_t port, TimePs now)
{
    std::vector<QueueRef> queues;
    TakeAsking(m_ports, port, [&queues](QueueRef ref) { queues.push_back(ref); });
    for (const QueueRef ref : queues)
    {
        OfferAgain(m_ports.Find(ref), now);
    }
}

} // namespace ns3::fabric
