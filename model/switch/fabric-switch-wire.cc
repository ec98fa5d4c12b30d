/* SPDX-License-Identifier: GPL-2.0-only */

// Frames that are interrupted on the wires of outputs (VA-9), and whose gaps are filled (VA-10).

#include "fabric-switch-chip.h"

#include <algorithm>

namespace ns3
{
namespace fabric
{

void
SwitchChip::MakeWire(uint32_t port)
{
    if (!m_config.lanes->HasWires())
    {
        return;
    }
    OutputPort& output = m_outputs[port];
    const PreemptionRules rules(m_config.lanes->preemption);
    output.wire = std::make_unique<PortWire>(output.transmitter.Rate(), rules);
    NoteUrgentLanes(output);
}

void
SwitchChip::NoteUrgentLanes(OutputPort& output)
{
    PortWire& wire = *output.wire;
    wire.urgent = wire.preempts ? output.lanes->arbiter.Table().LatencySensitiveLanes() : 0;
}

void
SwitchChip::MakeAssembly(uint32_t port, LinkRate rate, const PreemptionSettings& settings)
{
    const bool hasWires = m_config.lanes && m_config.lanes->HasWires();
    // Only a wire of lanes can send what may not come to its end.
    const bool storesFrames = m_config.timing.forwarding == STORE_AND_FORWARD || !hasWires;
    const LaneAssembler::Link link{rate, DEFAULT_LANES, settings.levels, settings.flitBytes};
    m_inputs[port].assembly = std::make_unique<PortAssembly>(link, storesFrames);
}

// ---- what comes in ----

void
SwitchChip::TakeEntryIn(uint32_t port, TimePs now)
{
    InputPort& input = m_inputs[port];
    PortAssembly& assembly = *input.assembly;
    Ring<Frame>& entries = input.link.Frames();
    if (!TakeStored(port, now))
    {
        if (assembly.isCut)
        {
            LoseCutEntry(port, entries.Front(), now);
        }
        else
        {
            HandleEntry(port, entries.Front(), now);
        }
        entries.Pop();
    }
    const uint32_t entry = m_agenda.EntryOf(Task::DATA, port);
    const TimePs next = NextEntryIn(port);
    m_agenda.Set(entry, next);
    if (next < m_until)
    {
        m_calendar->Add(entry, next);
    }
}

TimePs
SwitchChip::NextEntryIn(uint32_t port) const
{
    const InputPort& input = m_inputs[port];
    const Ring<Frame>& entries = input.link.Frames();
    return std::min(entries.IsEmpty() ? NEVER : entries.Front().time, input.assembly->NextTail());
}

bool
SwitchChip::TakeStored(uint32_t port, TimePs now)
{
    PortAssembly& assembly = *m_inputs[port].assembly;
    const std::optional<AssembledFrame> whole = assembly.assembler.TakeWhole(now);
    if (!whole || !assembly.storesFrames)
    {
        return false;
    }
    Frame frame = assembly.frames[whole->lane];
    frame.time = now;
    JoinAssembled(port, frame, now);
    return true;
}

void
SwitchChip::HandleEntry(uint32_t port, const Frame& entry, TimePs now)
{
    PortAssembly& assembly = *m_inputs[port].assembly;
    if (entry.kind == FrameKind::BREAKS)
    {
        LoseRest(port, entry.lane, DropCause::CORRUPT, now);
        return;
    }
    const bool stops = entry.kind == FrameKind::STOPS;
    if (!stops && entry.kind != FrameKind::GOES_ON)
    {
        StartAssembly(port, entry, now);
        return;
    }
    const uint32_t byte = entry.handle;
    const uint32_t frame = stops ? assembly.assembler.Stop(now, entry.lane, byte)
                                 : assembly.assembler.GoOn(now, entry.lane, byte);
    if (frame == NO_FRAME)
    {
        return; // it was dropped, or is used when it is whole
    }
    const uint16_t output = assembly.outputs[entry.lane];
    LaneWire& wire = m_outputs[output].wire->wire;
    if (stops)
    {
        wire.UpstreamStops(frame, byte);
    }
    else
    {
        wire.UpstreamGoesOn(frame, now);
    }
    PlanDecision(output, now); // also if it has not started: it may do so now
}

void
SwitchChip::StartAssembly(uint32_t port, const Frame& frame, TimePs now)
{
    PortAssembly& assembly = *m_inputs[port].assembly;
    uint32_t handle = NO_FRAME;
    if (assembly.storesFrames)
    {
        assembly.frames[frame.lane] = frame;
    }
    else
    {
        const uint32_t index = m_frames.NextIndex();
        const uint16_t output = JoinAssembled(port, frame, now);
        assembly.outputs[frame.lane] = output;
        handle = output == NO_OUTPUT ? NO_FRAME : index;
    }
    assembly.assembler.Start(now, frame.lane, WireBytes(frame.payload), handle);
}

uint16_t
SwitchChip::JoinAssembled(uint32_t port, const Frame& frame, TimePs now)
{
    Hold(m_inputs[port], WireBytes(frame.payload));
    if (m_observer)
    {
        m_observer->Arrived(port, frame, now);
    }
    if (frame.corrupt)
    {
        Drop(port, frame, DropCause::CORRUPT, now);
        return NO_OUTPUT;
    }
    return frame.flow != NO_FLOW ? JoinFlow(port, frame, now)
                                 : JoinVirtualOutputQueue(port, frame, now);
}

// ---- what can be sent ----

TimePs
SwitchChip::StartableAt(const OutputPort& output, const QueuePlace& place) const
{
    const PortWire& wire = *output.wire;
    const Frame& frame = m_frames.At(place.queue.head);
    for (LaneMask open = wire.wire.OpenLanes(); open != 0; open &= open - 1)
    {
        const PortWire::Sending& sending = wire.sending[__builtin_ctz(open)];
        const Frame& other = m_frames.At(sending.handle);
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
    return hasStopped ? NEVER : arrival.ReadyAt(0, output.transmitter.Rate(), wire.flitBytes);
}

FrameArrival
SwitchChip::ArrivalOf(const QueuePlace& place) const
{
    const uint32_t index = place.queue.head;
    const Frame& frame = m_frames.At(index);
    const PortAssembly* assembly = place.input.assembly.get();
    const std::optional<FrameArrival> arrival =
        assembly ? assembly->ArrivalOf(frame.lane, index) : std::nullopt;
    // What comes by another link is not sent on before its tail is in or on the heels of the head.
    return arrival ? *arrival : FrameArrival(WireBytes(frame.payload));
}

bool
SwitchChip::MustWait(OutputPort& output, const QueuePlace& place, TimePs now)
{
    const TimePs startable = StartableAt(output, place);
    if (startable <= now)
    {
        return false;
    }
    PortWire& wire = *output.wire;
    wire.nextReady = std::min(wire.nextReady, startable);
    wire.waiting.push_back(place.ref);
    return true;
}

void
SwitchChip::RelistStartable(OutputPort& output, TimePs now)
{
    PortWire& wire = *output.wire;
    wire.nextReady = NEVER;
    std::size_t kept = 0;
    for (const QueueRef ref : wire.waiting)
    {
        const QueuePlace place = Find(ref);
        const TimePs startable = StartableAt(output, place);
        if (startable > now)
        {
            wire.nextReady = std::min(wire.nextReady, startable);
            wire.waiting[kept++] = ref;
            continue;
        }
        place.queue.listed = false;
        if (!place.record || HopMeter::MaySend(*place.record))
        {
            Enlist(output, place);
        }
    }
    wire.waiting.resize(kept, NO_QUEUE);
}

// ---- who goes next ----

void
SwitchChip::DecideWire(uint32_t port, TimePs now)
{
    OutputPort& output = m_outputs[port];
    LaneWire& wire = output.wire->wire;
    FollowStanding(output, now);
    const WireStep settled = wire.Settle(now);
    Leave(port, settled, now);
    if (!wire.Runs() && output.pause && SendPause(port, now))
    {
        wire.Hold(now, output.transmitter.FreeAt());
        return;
    }
    if (!wire.Runs() && output.owesGreeting)
    {
        output.owesGreeting = false;
        output.transmitter.Greet(now);
        wire.Hold(now, output.transmitter.FreeAt());
        PlanDecision(port, output.transmitter.FreeAt());
        return;
    }
    output.starves = false;
    RelistStartable(output, now);
    QueueRef next = NextOnWire(output, now);
    if (!wire.Runs() && !output.acks.IsEmpty())
    {
        const bool isReady = wire.HasReady(now) || (!(next == NO_QUEUE) && wire.MayFill());
        if (output.acks.IsDue(m_config.ackTimers, now, isReady))
        {
            SendAcks(port, now);
            wire.Hold(now, output.transmitter.FreeAt());
            PlanDecision(port, output.transmitter.FreeAt());
            return;
        }
    }
    WireStep step = StepWire(port, next, now);
    while (step.takes.event != WireEvent::NONE)
    {
        // Who waits next may have to interrupt soon, or what goes on has another rank now.
        next = NextOnWire(output, now);
        step = StepWire(port, next, now);
    }
    PlanWire(port, step.nextTime, now);
}

QueueRef
SwitchChip::NextOnWire(OutputPort& output, TimePs now)
{
    const PortWire& wire = *output.wire;
    const LaneMask closed = output.lists.Waiting() & ~wire.wire.OpenLanes();
    const LaneMask urgent = closed & wire.urgent;
    // A frame of a higher level that may not interrupt would hide one that may.
    if (wire.wire.Runs() || wire.wire.HasReady(now))
    {
        return ReadyQueue<true>(output, urgent, now);
    }
    if (wire.wire.MayFill())
    {
        return ReadyQueue<true>(output, closed, now);
    }
    const QueueRef ref = ReadyQueue<true>(output, urgent, now);
    if (!(ref == NO_QUEUE))
    {
        return ref;
    }
    const bool lacksCredit = output.lacksCredit;
    const QueueRef other = ReadyQueue<true>(output, closed & ~urgent, now);
    output.lacksCredit = output.lacksCredit || lacksCredit;
    return other;
}

WireStep
SwitchChip::StepWire(uint32_t port, QueueRef next, TimePs now)
{
    OutputPort& output = m_outputs[port];
    LaneSender& lanes = *output.lanes;
    PortWire& wire = *output.wire;
    if (next == NO_QUEUE)
    {
        const WireStep step = wire.wire.Step(now, nullptr);
        GoOn(port, step, now);
        return step;
    }
    const QueuePlace place = Find(next);
    const uint32_t bytes = WireBytes(m_frames.At(place.queue.head).payload);
    const WireFrame frame{lanes.grant.lane,
                          {bytes,
                           PortWire::RankOf(lanes.grant, lanes.arbiter.Table()),
                           (wire.urgent >> lanes.grant.lane & 1) != 0},
                          ArrivalOf(place),
                          place.queue.head};
    const WireStep step = wire.wire.Step(now, &frame);
    Leave(port, step, now);
    GoOn(port, step, now);
    if (step.takes.event == WireEvent::STARTS)
    {
        StartFrame(port, place, now);
    }
    return step;
}

void
SwitchChip::PlanWire(uint32_t port, TimePs nextStep, TimePs now)
{
    OutputPort& output = m_outputs[port];
    LaneSender& lanes = *output.lanes;
    PortWire& wire = *output.wire;
    const LaneMask urgent = output.lists.Waiting() & wire.urgent & ~wire.wire.OpenLanes();
    TimePs next = std::min({nextStep, wire.nextReady, lanes.arbiter.NextChange(urgent, now)});
    if (urgent != 0)
    {
        // Else it does not matter how the frame on the wire stands until the next decision.
        next = std::min(next, lanes.arbiter.NextStanding());
    }
    if (!wire.wire.Runs())
    {
        const TimePs acks =
            output.acks.IsEmpty() ? NEVER : output.acks.DueWhenIdle(m_config.ackTimers);
        next = std::min({next, acks, lanes.NextReturn(output.lists.Waiting(), now)});
    }
    if (output.lacksCredit)
    {
        output.starves = true;
        next = std::min(next, output.transmitter.Credits().NextReturn());
    }
    PlanDecision(port, std::max(next, now));
}

// ---- what is done ----

void
SwitchChip::Leave(uint32_t port, const WireStep& step, TimePs now)
{
    const WireChange& leaves = step.leaves;
    if (leaves.event == WireEvent::NONE)
    {
        return;
    }
    OutputPort& output = m_outputs[port];
    output.lanes->arbiter.End(now);
    if (m_observer)
    {
        m_observer->SegmentSent(port, m_frames.At(leaves.handle), step.segment, now);
    }
    if (leaves.event == WireEvent::ENDS)
    {
        EndFrame(output, leaves.lane, now);
    }
    else if (!output.nic)
    {
        output.transmitter.PushChange(FrameKind::STOPS, leaves.lane, leaves.byte, now);
    }
}

void
SwitchChip::EndFrame(OutputPort& output, uint8_t lane, TimePs now)
{
    if (output.nic)
    {
        Frame& frame = m_frames.At(output.wire->sending[lane].handle);
        frame.time = now + output.transmitter.Timing().delay;
        output.nic->Expect(frame, m_now);
    }
    FreeSent(output.wire->sending[lane], now);
}

void
SwitchChip::FreeSent(const PortWire::Sending& sending, TimePs now)
{
    const Frame& frame = m_frames.At(sending.handle);
    InputPort& input = m_inputs[sending.from.input];
    input.credits.Return(sending.arrivedOn, WireBytes(frame.payload), now, m_now);
    if (input.pause)
    {
        ReleasePausing(sending.from.input, frame, now);
    }
    if (input.assembly)
    {
        input.assembly->Forget(sending.arrivedLane, sending.handle);
    }
    m_frames.Free(sending.handle);
}

void
SwitchChip::GoOn(uint32_t port, const WireStep& step, TimePs now)
{
    const WireChange& takes = step.takes;
    if (takes.event != WireEvent::GOES_ON)
    {
        return;
    }
    OutputPort& output = m_outputs[port];
    LaneSender& lanes = *output.lanes;
    PortWire::Sending& sending = output.wire->sending[takes.lane];
    const uint32_t bytes = WireBytes(m_frames.At(sending.handle).payload);
    sending.grant = lanes.arbiter.Resume(sending.grant, bytes - takes.byte, now);
    output.wire->wire.SetRank(sending.handle,
                              PortWire::RankOf(sending.grant, lanes.arbiter.Table()));
    if (!output.nic)
    {
        output.transmitter.PushChange(FrameKind::GOES_ON, takes.lane, takes.byte, now);
    }
}

void
SwitchChip::FollowStanding(OutputPort& output, TimePs now)
{
    LaneSender& lanes = *output.lanes;
    if (lanes.arbiter.NextStanding() > now)
    {
        return;
    }
    const Grant grant = lanes.arbiter.Settle(now);
    PortWire::Sending& sending = output.wire->sending[grant.lane];
    sending.grant = grant;
    output.wire->wire.SetRank(sending.handle, PortWire::RankOf(grant, lanes.arbiter.Table()));
}

void
SwitchChip::RerankWire(uint32_t port, TimePs now)
{
    OutputPort& output = m_outputs[port];
    PortWire& wire = *output.wire;
    const LaneTable& table = output.lanes->arbiter.Table();
    NoteUrgentLanes(output);
    for (LaneMask open = wire.wire.OpenLanes(); open != 0; open &= open - 1)
    {
        PortWire::Sending& sending = wire.sending[__builtin_ctz(open)];
        const auto lane =
            std::find_if(table.lanes.begin(), table.lanes.end(), [&sending](const auto& settings) {
                return settings.lane == sending.grant.lane;
            });
        // A lane that is gone has no claim to the link.
        const bool keepsLevel = sending.grant.conforming && lane != table.lanes.end();
        sending.grant.level = keepsLevel ? lane->level : table.OverLevel();
        wire.wire.SetRank(sending.handle, PortWire::RankOf(sending.grant, table));
    }
    PlanDecision(port, now);
}

// ---- checks ----

uint32_t
SwitchChip::PartlySentBytes(uint32_t inputPort) const
{
    uint32_t bytes = 0;
    ForEachPartlySent([&](const PortWire::Sending& sending, const OutputPort&) {
        const bool isFrom = sending.from.input == inputPort;
        bytes += isFrom ? WireBytes(m_frames.At(sending.handle).payload) : 0;
    });
    return bytes;
}

uint64_t
SwitchChip::PartlyDeliveredPayload() const
{
    uint64_t bytes = 0;
    ForEachPartlySent([&](const PortWire::Sending& sending, const OutputPort& output) {
        bytes += output.nic ? m_frames.At(sending.handle).payload : 0;
    });
    return bytes;
}

} // namespace fabric
} // namespace ns3
