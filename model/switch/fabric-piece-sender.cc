/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-piece-sender.h"

#include <algorithm>

namespace ns3::fabric
{

void
PieceSender::Connect(uint32_t port)
{
    if (!m_lanes || !m_lanes->HasWires())
    {
        return;
    }
    OutputPort& output = m_ports.outputs[port];
    output.wire =
        std::make_unique<PortWire>(output.transmitter, m_lanes->preemption, m_lanes->table);
    output.unusual |= OutputPort::IN_PIECES;
}

// ---- what can be sent ----

TimePs
PieceSender::StartableAt(const OutputPort& output, const QueuePlace& place) const
{
    const PortWire& wire = *output.wire;
    const Frame& frame = m_ports.frames->At(place.queue->head);
    for (LaneMask open = wire.wire.OpenLanes(); open != 0; open &= open - 1)
    {
        const PortWire::Sending& sending = wire.sending[LowestBit(open)];
        const Frame& other = m_ports.frames->At(sending.handle);
        // Of a flow only one frame is sent at a time, else the second could overtake the first if
        // the table has changed between them.
        if (sending.from == place.ref || (other.src == frame.src && other.dst == frame.dst &&
                                          other.trafficClass == frame.trafficClass))
        {
            return NEVER;
        }
    }
    const FrameArrival arrival = ArrivalOf(place);
    const bool hasStopped = arrival.KnownBytes() < arrival.Bytes();
    return hasStopped ? NEVER : arrival.ReadyAt(0, output.transmitter.Rate(), wire.FlitBytes());
}

FrameArrival
PieceSender::ArrivalOf(const QueuePlace& place) const
{
    const uint32_t index = place.queue->head;
    const Frame& frame = m_ports.frames->At(index);
    const PortAssembly* assembly = place.input->assembly.get();
    const std::optional<FrameArrival> arrival =
        assembly ? assembly->ArrivalOf(frame.lane, index) : std::nullopt;
    // What comes by another link is not sent on before its tail is in or on the heels of the head.
    return arrival ? *arrival : FrameArrival(WireBytes(frame.payload));
}

bool
PieceSender::MustWait(OutputPort& output, const QueuePlace& place, TimePs now)
{
    if (m_pauses.MustWait(output, place))
    {
        return true;
    }
    const TimePs startable = StartableAt(output, place);
    if (startable <= now)
    {
        return false;
    }
    PortWire& wire = *output.wire;
    wire.nextReady = std::min(wire.nextReady, startable);
    CrossbarArbiter::SetAside(place, wire.waiting);
    return true;
}

void
PieceSender::RelistStartable(OutputPort& output, TimePs now)
{
    PortWire& wire = *output.wire;
    wire.nextReady = NEVER;
    m_crossbar.AskAgain(output, wire.waiting, [&](const QueuePlace& place) {
        const TimePs startable = StartableAt(output, place);
        if (startable > now)
        {
            wire.nextReady = std::min(wire.nextReady, startable);
        }
        return startable > now;
    });
}

void
PieceSender::Withdraw(uint32_t port, std::vector<QueueRef>& queues)
{
    m_crossbar.Withdraw(port, queues);
    const OutputPort& output = m_ports.outputs[port];
    if (output.obeyed)
    {
        m_crossbar.TakeAside(output.obeyed->waiting, queues);
    }
    if (output.wire)
    {
        m_crossbar.TakeAside(output.wire->waiting, queues);
        output.wire->nextReady = NEVER;
    }
}

// ---- who goes next ----

void
PieceSender::Decide(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    Leave(port, output.wire->Settle(*output.lanes, now), now);
    if (SendControl(port, now))
    {
        return;
    }
    output.transmitter.Credits().SetAwaited(false);
    m_pauses.Obey(output, now);
    RelistStartable(output, now);
    QueueRef next = NextOnWire(output, now);
    if (SendAcks(port, next, now))
    {
        return;
    }
    WireStep step = Step(port, next, now);
    while (step.takes.event != WireEvent::NONE)
    {
        // Who waits next may have to interrupt soon, or what goes on has another rank now.
        next = NextOnWire(output, now);
        step = Step(port, next, now);
    }
    if (!IsRepeating(port, now))
    {
        Plan(port, step.nextTime, now);
    }
}

bool
PieceSender::IsRepeating(uint32_t port, TimePs now)
{
    const bool isRepeating = m_ports.outputs[port].transmitter.FreeAt() > now;
    if (isRepeating)
    {
        HoldWire(port, now);
    }
    return isRepeating;
}

bool
PieceSender::SendControl(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    if (output.wire->wire.Runs())
    {
        return false;
    }
    const bool isSent = output.speaksFirst != 0 && m_control.Send(port, now);
    if (!isSent && !output.owesGreeting)
    {
        return false;
    }
    if (!isSent)
    {
        output.owesGreeting = false;
        output.transmitter.Greet(now);
        if (m_observer)
        {
            m_observer->AcksSent(port, {}, now);
        }
    }
    HoldWire(port, now);
    return true;
}

bool
PieceSender::SendAcks(uint32_t port, QueueRef next, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    LaneWire& wire = output.wire->wire;
    if (wire.Runs() || output.acks.IsEmpty())
    {
        return false;
    }
    const bool isReady = wire.HasReady(now) || (!(next == NO_QUEUE) && wire.MayFill());
    if (!m_acks.IsDue(output, now, isReady))
    {
        return false;
    }
    m_acks.Send(port, now);
    HoldWire(port, now);
    return true;
}

void
PieceSender::HoldWire(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    output.wire->wire.Hold(now, output.transmitter.FreeAt());
    m_clock.PlanDecision(port, output.transmitter.FreeAt());
}

QueueRef
PieceSender::Ready(OutputPort& output, LaneMask candidates, TimePs now)
{
    return m_crossbar.Ready(output, candidates, now, [this, &output, now](const QueuePlace& place) {
        return MustWait(output, place, now);
    });
}

QueueRef
PieceSender::NextOnWire(OutputPort& output, TimePs now)
{
    if (output.IsStopped())
    {
        output.lacksCredit = false;
        return NO_QUEUE; // who waits keeps its turn
    }
    const PortWire& wire = *output.wire;
    const LaneMask first = wire.Candidates(output.lists.Waiting(), now);
    const QueueRef ref = Ready(output, first, now);
    if (!(ref == NO_QUEUE) || !wire.IsKept(now))
    {
        return ref;
    }
    const bool lacksCredit = output.lacksCredit;
    const LaneMask others = output.lists.Waiting() & ~wire.wire.OpenLanes() & ~first;
    const QueueRef other = Ready(output, others, now);
    output.lacksCredit = output.lacksCredit || lacksCredit;
    return other;
}

WireStep
PieceSender::Step(uint32_t port, QueueRef next, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    LaneSender& lanes = *output.lanes;
    PortWire& wire = *output.wire;
    if (next == NO_QUEUE)
    {
        const WireStep step = wire.Step(lanes, nullptr, now);
        Leave(port, step, now);
        return step;
    }
    const QueuePlace place = m_ports.Find(next);
    const uint32_t handle = place.queue->head;
    const uint32_t bytes = WireBytes(m_ports.frames->At(handle).payload);
    const WireFrame frame = wire.Waiting(lanes, bytes, ArrivalOf(place), handle);
    const WireStep step = wire.Step(lanes, &frame, now);
    Leave(port, step, now);
    if (step.takes.event == WireEvent::STARTS)
    {
        Start(port, place, step.isDamaged, now);
    }
    return step;
}

void
PieceSender::Plan(uint32_t port, TimePs nextStep, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    const PortWire& wire = *output.wire;
    TimePs next = wire.NextTime(*output.lanes, output.lists.Waiting(), nextStep, now);
    next = std::min(next, wire.nextReady);
    next = std::min(next, m_sender.NextChance(output, !wire.wire.Runs(), now));
    next = std::min(next, output.EndOfPause());
    m_clock.PlanDecision(port, std::max(next, now));
    if (output.losesAcks && !wire.wire.Runs())
    {
        m_control.PlanChecks(port, now);
    }
}

// ---- what is done ----

void
PieceSender::Start(uint32_t port, const QueuePlace& place, bool isDamaged, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    const uint32_t index = place.queue->RemoveFirst(*m_ports.frames);
    Frame& frame = m_ports.frames->At(index); // stays there until its tail has left
    const uint8_t lane = output.lanes->grant.lane;
    output.wire->sending[lane] = {index, place.ref, frame.vc, frame.lane};
    m_sender.Depart(port, place, frame, isDamaged ? Attempt::DAMAGED : Attempt::CLEAN, now);
    m_buffers.CountOut(*place.input, frame);
    if (output.nic)
    {
        output.transmitter.BeginToHost(frame);
        output.nic->Reserve(frame);
    }
    else
    {
        output.transmitter.BeginData(frame, now);
    }
    m_crossbar.PassTurn(output, place, WireBytes(frame.payload));
    output.wire->sending[lane].ackUnits = output.nic && place.record ? FlowUnits(frame.payload) : 0;
}

void
PieceSender::Leave(uint32_t port, const WireStep& step, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    const WireChange& leaves = step.leaves;
    if (leaves.event != WireEvent::NONE && m_observer)
    {
        m_observer->SegmentSent(port, m_ports.frames->At(leaves.handle), step.segment, now);
    }
    if (leaves.event == WireEvent::ENDS)
    {
        EndFrame(output, leaves.lane, now);
    }
    if (!output.nic)
    {
        ArbitratedWire::Tell(output.transmitter, step, now);
    }
}

void
PieceSender::EndFrame(OutputPort& output, uint8_t lane, TimePs now)
{
    if (output.nic)
    {
        Frame& frame = m_ports.frames->At(output.wire->sending[lane].handle);
        frame.time = now + output.transmitter.Timing().delay;
        output.nic->Expect(frame, m_clock.WindowStart());
    }
    FreeSent(output.wire->sending[lane], now);
}

void
PieceSender::FreeSent(const PortWire::Sending& sending, TimePs now)
{
    m_buffers.ReturnRoom(m_ports.inputs[sending.from.input],
                         m_ports.frames->At(sending.handle),
                         sending.arrivedOn,
                         now);
    if (PortAssembly* assembly = m_ports.inputs[sending.from.input].assembly.get())
    {
        assembly->Forget(sending.arrivedLane, sending.handle);
    }
    m_ports.frames->Free(sending.handle);
    if (sending.ackUnits != 0)
    {
        m_acknowledgement.Acknowledge(sending.from, sending.ackUnits, sending.ackLost, now);
    }
}

void
PieceSender::Rerank(uint32_t port, TimePs now)
{
    const OutputPort& output = m_ports.outputs[port];
    output.wire->SetTable(output.lanes->arbiter.Table());
    m_clock.PlanDecision(port, now);
}

// ---- what comes in late, or never ----

void
PieceSender::Follow(uint16_t output, uint32_t handle, std::optional<uint32_t> byte, TimePs now)
{
    LaneWire& wire = m_ports.outputs[output].wire->wire;
    if (byte)
    {
        wire.UpstreamStops(handle, *byte);
    }
    else
    {
        wire.UpstreamGoesOn(handle, now);
    }
    m_clock.PlanDecision(output, now); // also if it has not started: it may do so now
}

void
PieceSender::BreakOff(uint32_t port, uint32_t handle, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    const std::optional<WireSegment> segment = output.wire->Break(*output.lanes, now, handle);
    if (segment && m_observer)
    {
        m_observer->SegmentSent(port, m_ports.frames->At(handle), *segment, now);
    }
}

bool
PieceSender::EndBroken(uint16_t output, uint32_t handle, TimePs now)
{
    OutputPort& port = m_ports.outputs[output];
    PortWire& wire = *port.wire;
    LaneMask open = wire.wire.OpenLanes();
    while (open != 0 && wire.sending[LowestBit(open)].handle != handle)
    {
        open &= open - 1;
    }
    if (open == 0)
    {
        return false;
    }
    if (wire.wire.HasEnded(now, handle))
    {
        return true; // a faster link has sent its last flit while that came in
    }
    const auto lane = static_cast<uint8_t>(LowestBit(open));
    m_ports.frames->At(handle).corrupt = 1;
    BreakOff(output, handle, now);
    if (!port.nic)
    {
        port.transmitter.PushChange(FrameKind::BREAKS, lane, 0, now);
    }
    EndFrame(port, lane, now);
    m_clock.PlanDecision(output, now);
    return true;
}

void
PieceSender::Clear(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    if (!output.wire)
    {
        return;
    }
    PortWire& wire = *output.wire;
    while (wire.wire.OpenLanes() != 0)
    {
        PortWire::Sending& sending = wire.sending[LowestBit(wire.wire.OpenLanes())];
        BreakOff(port, sending.handle, now);
        if (output.nic)
        {
            Frame& frame = m_ports.frames->At(sending.handle);
            frame.time = now;
            output.nic->Lose(frame);
            sending.ackLost = true;
        }
        FreeSent(sending, now);
    }
    wire.wire.Restart(now);
}

} // namespace ns3::fabric
