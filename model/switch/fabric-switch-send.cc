/* SPDX-License-Identifier: GPL-2.0-only */

// The way of a frame from its queue onto a link.

#include "fabric-switch-chip.h"

#include <algorithm>

namespace ns3
{
namespace fabric
{

bool
SwitchChip::MayServe(OutputPort& output, const QueuePlace& place, TimePs now)
{
    if (!place.record)
    {
        return true;
    }
    FlowRecord& record = *place.record;
    if (!HopMeter::MaySend(record))
    {
        // Metering began while it stood in the list; a credit puts it there again.
        record.queue.listed = false;
        return false;
    }
    if (output.nic || record.outgoing != NO_FLOW)
    {
        return true;
    }
    record.outgoing = output.flows.Allocate(place.ref, now);
    if (record.outgoing == NO_FLOW)
    {
        output.lackingId.Push(place.ref); // the next id that is freed is its own
        return false;
    }
    return true;
}

template <bool ON_WIRE>
QueueRef
SwitchChip::NextQueue(OutputPort& output, uint32_t list, TimePs now)
{
    OutputLists& lists = output.lists;
    const auto arrival = [this](const InputQueue& queue) { return m_frames.At(queue.head).time; };
    while (!lists.IsEmpty(list))
    {
        lists.SettleTurn(list, Queues(), arrival);
        const QueuePlace place = Find(lists.Front(list, Queues()));
        if (!(ON_WIRE && MustWait(output, place, now)) && MayServe(output, place, now))
        {
            return place.ref;
        }
        lists.RemoveFront(list, Queues()); // the others need not wait for it
    }
    return NO_QUEUE;
}

bool
SwitchChip::ChooseList(OutputPort& output, LaneMask candidates, TimePs now, uint32_t& list)
{
    if (candidates == 0)
    {
        return false;
    }
    if (output.lanes)
    {
        const bool isAny = output.lanes->Choose(candidates, now);
        list = output.lanes->grant.lane;
        return isAny;
    }
    // The channels from the one whose turn it is, then those before it.
    const LaneMask later = candidates & ~LaneMask{0} << output.turn;
    list = LowestBit(later != 0 ? later : candidates);
    return true;
}

template <bool ON_WIRE>
inline QueueRef
SwitchChip::ReadyQueue(OutputPort& output, LaneMask candidates, TimePs now)
{
    output.lacksCredit = false;
    uint32_t list = 0;
    // A list is looked at only when it is chosen: the choice between those that are left is the
    // same as if the others had not asked.
    while (ChooseList(output, candidates, now, list))
    {
        const QueueRef ref = NextQueue<ON_WIRE>(output, list, now);
        if (!(ref == NO_QUEUE))
        {
            if (HasCredit(output, Find(ref), now))
            {
                return ref;
            }
            output.lacksCredit = true;
        }
        candidates &= ~(LaneMask{1} << list);
    }
    return NO_QUEUE;
}

template QueueRef SwitchChip::ReadyQueue<true>(OutputPort&, LaneMask, TimePs);

Frame
SwitchChip::TakeFrame(const QueuePlace& place, TimePs now)
{
    const uint32_t index = place.queue.RemoveFirst(m_frames);
    Frame frame = m_frames.At(index);
    m_frames.Free(index);
    CountTaken(place, frame, now);
    return frame;
}

void
SwitchChip::CountTaken(const QueuePlace& place, Frame& frame, TimePs now)
{
    EndWait(place.queue.output, frame);
    if (place.record)
    {
        const uint32_t units = FlowUnits(frame.payload);
        FlowRecord& record = *place.record;
        record.dataFlow += units;
        frame.flow = record.outgoing;
        HopMeter::Sent(record, units);
        if (m_meter.Left(record, units, FreeBytes(place.input)))
        {
            record.creditDue = true;
            QueueAck(place.ref.input, place.ref.queue, record, now);
        }
    }
}

void
SwitchChip::PassTurn(OutputPort& output, const QueuePlace& place)
{
    InputQueue& queue = place.queue;
    const bool maySend = !place.record || HopMeter::MaySend(*place.record);
    queue.listed = !queue.IsEmpty() && maySend;
    output.lists.Served(queue.list, Queues(), queue.listed);
    output.turn = queue.vc + 1U == m_config.buffer.shares.virtualChannels ? 0 : queue.vc + 1;
}

void
SwitchChip::BeginLane(uint32_t port, Frame& frame, TimePs now)
{
    LaneSender& lanes = *m_outputs[port].lanes;
    frame.lane = lanes.grant.lane & (DEFAULT_LANES - 1);
    lanes.Begin(WireBytes(frame.payload), now);
    if (m_observer)
    {
        m_observer->Granted(port, frame, lanes.grant, now);
    }
}

void
SwitchChip::SendFrame(uint32_t port, const QueuePlace& place, TimePs now)
{
    OutputPort& output = m_outputs[port];
    Frame frame = TakeFrame(place, now);
    const uint8_t arrivedOn = frame.vc;
    frame.vc = place.queue.vc & (VIRTUAL_CHANNELS - 1);
    if (output.lanes)
    {
        BeginLane(port, frame, now);
    }
    frame.corrupt = output.transmitter.Corrupts(frame);
    if (m_observer)
    {
        m_observer->Sent(port, frame, now);
    }
    const TimePs end = output.nic ? output.transmitter.SendToHost(frame, now)
                                  : output.transmitter.SendData(frame, now);
    Release(place.input, arrivedOn, WireBytes(frame.payload), end);
    if (place.input.pause)
    {
        ReleasePausing(place.ref.input, frame, end);
    }
    PassTurn(output, place);
    if (output.nic)
    {
        output.nic->Expect(frame, m_now);
        if (place.record)
        {
            // The egress port makes the ACK when it starts the frame (FC-7, DP-12).
            Acknowledge(place.ref, FlowUnits(frame.payload), false, now);
        }
    }
}

void
SwitchChip::StartFrame(uint32_t port, const QueuePlace& place, TimePs now)
{
    OutputPort& output = m_outputs[port];
    const uint32_t index = place.queue.RemoveFirst(m_frames);
    Frame& frame = m_frames.At(index); // stays there until its tail has left
    const uint32_t units = FlowUnits(frame.payload);
    CountTaken(place, frame, now);
    const Grant& grant = output.lanes->grant;
    output.wire->sending[grant.lane] = {index, place.ref, frame.vc, frame.lane, grant};
    frame.vc = place.queue.vc & (VIRTUAL_CHANNELS - 1);
    BeginLane(port, frame, now);
    frame.corrupt = output.transmitter.Corrupts(frame);
    if (m_observer)
    {
        m_observer->Sent(port, frame, now);
    }
    CountOut(place.input, WireBytes(frame.payload));
    if (output.nic)
    {
        output.transmitter.BeginToHost(frame);
    }
    else
    {
        output.transmitter.BeginData(frame, now);
    }
    PassTurn(output, place);
    if (output.nic && place.record)
    {
        Acknowledge(place.ref, units, false, now); // see SendFrame()
    }
}

void
SwitchChip::PlanRetry(uint32_t port, TimePs now)
{
    OutputPort& output = m_outputs[port];
    if (!output.acks.IsEmpty())
    {
        PlanDecision(port, output.acks.DueWhenIdle(m_config.ackTimers));
    }
    if (output.lanes)
    {
        PlanDecision(port, output.lanes->NextReturn(output.lists.Waiting(), now));
    }
    if (output.lacksCredit)
    {
        output.starves = true;
        PlanDecision(port, output.transmitter.Credits().NextReturn());
    }
}

void
SwitchChip::Decide(uint32_t port, TimePs now)
{
    m_agenda.Move(m_agenda.EntryOf(Task::DECIDE, port), NEVER);
    OutputPort& output = m_outputs[port];
    if (now < output.transmitter.FreeAt())
    {
        PlanDecision(port, output.transmitter.FreeAt());
        return;
    }
    if (output.wire)
    {
        DecideWire(port, now);
        return;
    }
    if (output.pause && SendPause(port, now))
    {
        return;
    }
    output.starves = false;
    const QueueRef ready = ReadyQueue<false>(output, output.lists.Waiting(), now);
    const bool isReady = !(ready == NO_QUEUE);
    if (!output.acks.IsEmpty() && output.acks.IsDue(m_config.ackTimers, now, isReady))
    {
        SendAcks(port, now);
    }
    else if (isReady)
    {
        SendFrame(port, Find(ready), now);
    }
    else
    {
        PlanRetry(port, now);
        return;
    }
    if (HasWork(output))
    {
        PlanDecision(port, output.transmitter.FreeAt());
    }
}

} // namespace fabric
} // namespace ns3
