/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-sender.h"

namespace ns3::fabric
{

void
Sender::TellSent(uint32_t port, const QueuePlace& place, const Frame& frame, TimePs now) const
{
    m_observer->Sent(port, frame, now);
    if (place.record)
    {
        m_observer->Left(place.Flow(), port, frame, now);
    }
}

void
Sender::BeginShaped(uint32_t port, const Frame& frame, TimePs now)
{
    Shaper& shaper = *m_ports.outputs[port].lists.GetShaper();
    shaper.Begin(WireBytes(frame.payload), now);
    if (m_observer)
    {
        m_observer->Shaped(port, frame, shaper.grant, now);
    }
}

void
Sender::LeaveByWay(const QueuePlace& place, uint32_t units, TimePs now)
{
    place.Way().Send(units);
    place.record->queue.output = place.queue->output;
    m_congestion.Left(place.OfFlow(), units, now);
}

void
Sender::SendFrame(uint32_t port, const QueuePlace& place, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    FramePool& frames = *m_ports.frames;
    auto attempt = Attempt::CLEAN;
    if (output.transmitter.Errors())
    {
        attempt = output.transmitter.Try(WireBytes(frames.At(place.queue->head).payload), now);
        if (attempt == Attempt::LATER)
        {
            return;
        }
    }
    const uint32_t index = place.queue->RemoveFirst(frames);
    Frame frame = frames.At(index);
    frames.Free(index);
    const uint8_t arrivedOn = frame.vc;
    Depart(port, place, frame, attempt, now);
    const TimePs end = output.IsToHost() ? output.transmitter.SendToHost(frame, now)
                                         : output.transmitter.SendData(frame, now);
    m_buffers.CountOut(*place.input, frame);
    m_buffers.ReturnRoom(*place.input, frame, arrivedOn, end);
    if (output.IsToHost())
    {
        output.nic->Reserve(frame);
        output.nic->Expect(frame, m_clock.WindowStart());
    }
    m_crossbar.PassTurn(output, place, WireBytes(frame.payload));
    if (output.IsToHost() && place.record)
    {
        // The egress port makes the ACK when it starts the frame (FC-7, DP-12).
        m_acknowledgement.Acknowledge(place.ref, FlowUnits(frame.payload), false, now);
    }
}

TimePs
Sender::NextChance(OutputPort& output, bool isIdle, TimePs now) const
{
    TimePs next = NEVER;
    if (isIdle)
    {
        next = m_acks.DueWhenIdle(output);
        if (output.HasChooser())
        {
            const LaneMask waiting = output.lists.Waiting();
            next = std::min(next,
                            output.Is(OutputPort::HAS_LANES)
                                ? output.lanes->NextReturn(waiting, now)
                                : output.lists.GetShaper()->NextReturn(waiting, now));
        }
    }
    if (output.lacksCredit)
    {
        output.transmitter.Credits().SetAwaited(true);
        next = std::min(next, output.transmitter.Credits().NextReturn());
    }
    return next;
}

bool
Sender::ComesFirst(uint32_t port, TimePs now)
{
    if (m_control.Send(port, now))
    {
        return true;
    }
    const OutputPort& output = m_ports.outputs[port];
    const bool isPaused = (output.speaksFirst & OutputPort::MAY_ALWAYS) != 0 && output.obeyed &&
                          m_pauses.Holds(port, now);
    if (isPaused)
    {
        ServeAcks(port, now);
    }
    return isPaused;
}

void
Sender::ServeAcks(uint32_t port, TimePs now)
{
    const OutputPort& output = m_ports.outputs[port];
    TimePs next = m_acks.DueWhenIdle(output);
    if (!output.acks.IsEmpty() && m_acks.IsDue(output, now, false))
    {
        m_acks.Send(port, now);
        next = output.transmitter.FreeAt();
    }
    m_clock.PlanDecision(port, next);
    if (output.losesAcks)
    {
        m_control.PlanChecks(port, now);
    }
}

void
Sender::Decide(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    if (output.speaksFirst != 0 && ComesFirst(port, now))
    {
        return;
    }
    output.transmitter.Credits().SetAwaited(false);
    const QueueRef ready =
        m_crossbar.Ready(output, output.lists.Waiting(), now, [](const QueuePlace&) {
            return false;
        });
    const bool isReady = !(ready == NO_QUEUE);
    if (!output.acks.IsEmpty() && m_acks.IsDue(output, now, isReady))
    {
        m_acks.Send(port, now);
    }
    else if (isReady)
    {
        SendFrame(port, m_ports.Find(ready), now);
    }
    else
    {
        m_clock.PlanDecision(port, NextChance(output, true, now));
        if (output.losesAcks)
        {
            m_control.PlanChecks(port, now);
        }
        return;
    }
    if (output.HasWork())
    {
        m_clock.PlanDecision(port, output.transmitter.FreeAt());
    }
    else if (output.losesAcks)
    {
        m_control.PlanChecks(port, now);
    }
}

} // namespace ns3::fabric
