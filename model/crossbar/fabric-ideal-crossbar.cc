/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ideal-crossbar.h"

#include <algorithm>

namespace ns3::fabric
{

void
IdealCrossbar::GiveToHeir(OutputPort& output, TimePs now)
{
    const QueueRef ref = output.lackingId.Front();
    output.lackingId.Pop();
    const QueuePlace heir = m_ports.Find(ref);
    heir.Outgoing() = output.flows.Allocate(ref, now);
    OfferAgain(heir, now);
}

void
IdealCrossbar::EndIdleWay(const QueuePlace& place, TimePs now)
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
IdealCrossbar::OfferAgain(const QueuePlace& place, TimePs now)
{
    place.queue->stands = InputQueue::NOWHERE;
    if (place.queue->MayBeOffered())
    {
        Offer(place, now);
    }
}

void
IdealCrossbar::Resume(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    if (output.transmitter.IsBlocked() || !output.flows.IsSuspended())
    {
        return; // the link has failed again before the word was sent, and it will be said again
    }
    output.flows.Resume();
    for (uint32_t left = output.lackingId.Size(); left != 0; --left)
    {
        const QueuePlace place = m_ports.Find(output.lackingId.Front());
        output.lackingId.Pop();
        OfferAgain(place, now);
    }
}

void
IdealCrossbar::Withdraw(uint32_t port, std::vector<QueueRef>& queues)
{
    OutputPort& output = m_ports.outputs[port];
    const auto take = [&](QueueRef ref) {
        m_ports.Find(ref).queue->stands = InputQueue::NOWHERE;
        queues.push_back(ref);
    };
    output.lists.TakeAll(m_ports.Queues(), take);
    for (; !output.lackingId.IsEmpty(); output.lackingId.Pop())
    {
        take(output.lackingId.Front());
    }
}

void
IdealCrossbar::Remove(const QueuePlace& place)
{
    OutputPort& output = m_ports.outputs[place.queue->output];
    const auto erase = [&place](std::vector<QueueRef>& aside) {
        aside.erase(std::remove(aside.begin(), aside.end(), place.ref), aside.end());
    };
    switch (place.queue->stands)
    {
    case InputQueue::LISTED:
        output.lists.Remove(place.queue->list, m_ports.Queues(), place.ref);
        break;
    case InputQueue::LACKS_ID:
        output.lackingId.Remove([&place](QueueRef ref) { return ref == place.ref; });
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
IdealCrossbar::Relist(uint32_t port, TimePs now)
{
    std::vector<QueueRef> queues;
    m_ports.outputs[port].lists.TakeAll(m_ports.Queues(),
                                        [&queues](QueueRef ref) { queues.push_back(ref); });
    for (const QueueRef ref : queues)
    {
        OfferAgain(m_ports.Find(ref), now);
    }
}

} // namespace ns3::fabric
