/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-tile-sender.h"

#include <algorithm>

namespace ns3::fabric
{

TileSender::TileSender(const SwitchPorts& ports,
                       SwitchClock& clock,
                       Sender& sender,
                       ControlSender& control,
                       InputBuffers& buffers,
                       CrossbarArbiter& crossbar,
                       AckReturn& acks,
                       Acknowledgement& acknowledgement,
                       PauseControl& pauses,
                       GrantedFrames& granted,
                       const CrossbarSettings& settings,
                       SwitchObserver* const& observer)
    : m_ports(ports),
      m_clock(clock),
      m_sender(sender),
      m_control(control),
      m_buffers(buffers),
      m_crossbar(crossbar),
      m_acks(acks),
      m_acknowledgement(acknowledgement),
      m_pauses(pauses),
      m_observer(observer),
      m_tiles(ports.count, settings),
      m_granted(granted),
      m_task(clock.AddTask())
{
}

// ---- grants ----

void
TileSender::Decide(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    if (output.transmitter.IsBlocked())
    {
        return;
    }
    m_ports.tiles[port].buffer.Settle(now);
    if (output.speaksFirst != 0 && output.transmitter.FreeAt() <= now)
    {
        m_control.Send(port, now);
    }
    Grant(port, now);
    if (output.transmitter.FreeAt() <= now)
    {
        UseWire(port, now);
    }
    Plan(port, now);
}

void
TileSender::Grant(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    TiledOutput& tiles = m_ports.tiles[port];
    output.transmitter.Credits().SetAwaited(false);
    output.lacksCredit = tiles.lacksRoom = false;
    m_pauses.Obey(output, now);
    if (output.IsStopped())
    {
        return; // who waits keeps its turn
    }
    while (!tiles.lacksRoom)
    {
        const QueueRef ready = m_crossbar.Ready(
            output,
            output.lists.Waiting(),
            now,
            [this, &output](const QueuePlace& place) { return m_pauses.MustWait(output, place); });
        if (ready == NO_QUEUE)
        {
            return;
        }
        const QueuePlace place = m_ports.Find(ready);
        const uint32_t bytes = WireBytes(m_ports.frames->At(place.queue->head).payload);
        tiles.lacksRoom = !tiles.buffer.HasRoom(bytes);
        if (!tiles.lacksRoom)
        {
            Start(port, place, now);
        }
    }
}

void
TileSender::Start(uint32_t port, const QueuePlace& place, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    const uint32_t index = place.queue->RemoveFirst(*m_ports.frames);
    GrantedFrame granted;
    granted.frame = m_ports.frames->At(index);
    m_ports.frames->Free(index);
    granted.arrivedOn = granted.frame.vc;
    granted.flow = place.record ? place.Flow() : NO_QUEUE;
    granted.input = place.ref.input;
    granted.output = static_cast<uint16_t>(port);
    const TimePs tailIn = TailIn(*place.input, granted.frame);
    m_sender.Leave(port, place, granted.frame, Attempt::CLEAN, now);
    const uint32_t bytes = WireBytes(granted.frame.payload);
    if (output.nic)
    {
        output.nic->Reserve(granted.frame);
    }
    else
    {
        output.transmitter.Credits().Consume(granted.frame.vc, bytes);
    }
    m_ports.tiles[port].buffer.Reserve(bytes);
    m_crossbar.PassPlace(place, bytes);
    const uint32_t tag = m_granted.Put(granted);
    m_tiles.Start({tag, granted.input, granted.output, bytes, tailIn}, now);
    m_clock.PlanTask(m_task, m_tiles.NextTime());
}

TimePs
TileSender::TailIn(const InputPort& input, const Frame& frame)
{
    const bool isIn = input.HandsOver() != Handover::HEAD;
    return isIn ? frame.time : frame.time + input.sender->Rate().TxTime(WireBytes(frame.payload));
}

// ---- the crossbar ----

void
TileSender::MoveFrames(TimePs now)
{
    m_tiles.Advance(now, *this);
    m_clock.EndTask(m_task, m_tiles.NextTime());
}

void
TileSender::LeavesInput(uint32_t index, TimePs end)
{
    GrantedFrame& granted = m_granted.At(index);
    granted.isHeld = false;
    InputPort& input = m_ports.inputs[granted.input];
    m_buffers.CountOut(input, granted.frame);
    m_buffers.ReturnRoom(input, granted.frame, granted.arrivedOn, end);
}

void
TileSender::HeadIsOut(uint32_t index, TimePs now)
{
    const GrantedFrame& granted = m_granted.At(index);
    OutputPort& output = m_ports.outputs[granted.output];
    if (granted.isLost)
    {
        m_ports.tiles[granted.output].buffer.Discard(WireBytes(granted.frame.payload));
        m_clock.PlanDecision(granted.output, now);
        m_granted.Free(index);
        return;
    }
    m_ports.tiles[granted.output].buffer.Arrive(m_tiles.Map().RowOf(granted.input), index);
    m_clock.PlanDecision(granted.output, std::max(now, output.transmitter.FreeAt()));
}

// ---- the wire ----

void
TileSender::UseWire(uint32_t port, TimePs now)
{
    const OutputPort& output = m_ports.outputs[port];
    const bool isReady = m_ports.tiles[port].buffer.Waiting() != 0;
    if (!output.acks.IsEmpty() && m_acks.IsDue(output, now, isReady))
    {
        m_acks.Send(port, now);
    }
    else if (isReady)
    {
        SendFirst(port, now);
    }
}

void
TileSender::SendFirst(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    OutputBuffer& buffer = m_ports.tiles[port].buffer;
    const uint32_t index = buffer.Front();
    const GrantedFrame granted = m_granted.At(index);
    Frame frame = granted.frame;
    const uint32_t bytes = WireBytes(frame.payload);
    const Attempt attempt = output.transmitter.Try(bytes, now);
    if (attempt == Attempt::LATER)
    {
        return;
    }
    m_granted.Free(index);
    frame.corrupt = attempt == Attempt::DAMAGED;
    const bool hasFlow = !(granted.flow == NO_QUEUE);
    if (m_observer)
    {
        m_observer->Sent(port, frame, now);
        if (hasFlow)
        {
            m_observer->Left(granted.flow, port, frame, now);
        }
    }
    if (!output.nic)
    {
        buffer.Start(bytes, output.transmitter.SendGranted(frame, now));
        return;
    }
    buffer.Start(bytes, output.transmitter.SendToHost(frame, now));
    output.nic->Expect(frame, m_clock.WindowStart());
    if (hasFlow)
    {
        // The egress port makes the ACK when it starts the frame (FC-7, DP-12).
        m_acknowledgement.Acknowledge(granted.flow, FlowUnits(frame.payload), false, now);
    }
}

void
TileSender::Plan(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    const bool isFree = output.transmitter.FreeAt() <= now;
    TimePs next = isFree ? m_acks.DueWhenIdle(output) : output.transmitter.FreeAt();
    if (!m_ports.tiles[port].lacksRoom && !output.IsStopped())
    {
        next = std::min(next, m_sender.NextChance(output, isFree, now));
    }
    next = std::min(next, output.EndOfPause());
    m_clock.PlanDecision(port, std::max(next, now));
    if (output.losesAcks && isFree)
    {
        m_control.PlanChecks(port, now);
    }
}

// ---- failures ----

uint32_t
TileSender::Lose(GrantedFrame& granted, TimePs now)
{
    OutputPort& output = m_ports.outputs[granted.output];
    const uint32_t bytes = WireBytes(granted.frame.payload);
    granted.isLost = true;
    if (!output.nic)
    {
        output.transmitter.Credits().Return(now, granted.frame.vc, bytes);
        m_buffers.LoseGranted(granted.input, granted.frame, DropCause::LINK_DOWN, now);
        return bytes;
    }
    Frame frame = granted.frame;
    frame.time = now;
    output.nic->Lose(frame);
    if (!(granted.flow == NO_QUEUE))
    {
        m_acknowledgement.Acknowledge(granted.flow, FlowUnits(frame.payload), true, now);
    }
    return bytes;
}

void
TileSender::Cut(uint32_t port, TimePs now)
{
    m_granted.ForEach([this, port, now](GrantedFrame& granted, uint32_t) {
        if (granted.output == port && !granted.isLost)
        {
            Lose(granted, now);
        }
    });
    m_ports.tiles[port].buffer.Cut([this](uint32_t index) {
        const uint32_t bytes = WireBytes(m_granted.At(index).frame.payload);
        m_granted.Free(index);
        return bytes;
    });
}

} // namespace ns3::fabric
