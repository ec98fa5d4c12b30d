/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-receiver.h"

#include "fabric-nic.h"

namespace ns3::fabric
{

void
Receiver::TakeAcksIn(uint32_t port, TimePs now)
{
    InputPort& input = m_ports.inputs[port];
    AckRing& acks = input.link.Acks();
    const AckBatch& batch = acks.Front();
    if (acks.IsLost())
    {
        m_buffers.CountLostAcks(batch.count);
    }
    else
    {
        if (m_observer)
        {
            m_observer->Acknowledged(port, batch, now);
        }
        if (batch.count == 0)
        {
            m_crossbar.Resume(port, now); // a greeting
        }
        else
        {
            m_acknowledgement.HandleAcks(port, batch, now);
            if (m_ports.outputs[port].losesAcks)
            {
                m_repair.Take(port, batch, now);
            }
        }
    }
    m_clock.PopEntry(acks, Task::CONTROL, port);
}

void
Receiver::PassOver(uint32_t port, const Frame& frame, TimePs now)
{
    if (frame.flow == NO_FLOW)
    {
        return;
    }
    const uint32_t units = FlowUnits(frame.payload);
    m_ports.inputs[port]
        .flows.Open(frame.flow, frame.src, frame.dst, frame.dataFlow)
        .nextDataFlow += units;
    m_acknowledgement.PassOver({static_cast<uint16_t>(port), frame.flow}, units, now);
}

void
Receiver::DropTail(uint32_t port, const Frame& frame, TimePs now)
{
    if (m_buffers.MayTrim(frame))
    {
        Trim(port, frame, now);
        return;
    }
    m_buffers.Lose(port, frame, DropCause::TAIL_DROP, now);
    PassOver(port, frame, now);
}

void
Receiver::Trim(uint32_t port, const Frame& frame, TimePs now)
{
    const std::optional<Frame> header = m_buffers.Trim(port, frame, now);
    PassOver(port, frame, now);
    if (!header)
    {
        return;
    }
    // It is of no flow channel, and so needs no place at the edge either.
    const uint16_t output = m_entry.Join(port, *header, now);
    if (!Hop::IsOutput(output))
    {
        m_buffers.Drop(port, *header, FlowEntry::WhyNot(output), now);
    }
}

void
Receiver::Refuse(uint32_t port, const Frame& frame, uint16_t output, TimePs now)
{
    Drop(port, frame, FlowEntry::WhyNot(output), now);
}

void
Receiver::Drop(uint32_t port, const Frame& frame, DropCause cause, TimePs now)
{
    m_buffers.Drop(port, frame, cause, now);
    PassOver(port, frame, now);
}

bool
Receiver::Overflows(uint32_t port, const Frame& frame, TimePs now)
{
    const uint32_t bytes = WireBytes(frame.payload);
    const bool fits =
        m_ports.inputs[port].pause->HasRoom(frame.trafficClass, bytes, m_buffers.TotalBytes(), now);
    if (!fits)
    {
        m_buffers.Lose(port, frame, DropCause::BUFFER_FULL, now);
        PassOver(port, frame, now);
    }
    return !fits;
}

bool
Receiver::Diverts(uint32_t port, const Frame& frame, TimePs now)
{
    const InputPort& input = m_ports.inputs[port];
    if (input.link.IsCut() && m_links.Cuts(port, frame))
    {
        m_buffers.Lose(port, frame, DropCause::LINK_DOWN, now);
        return true;
    }
    const bool isLimited = input.Is(InputPort::LIMITS_FRAMES);
    const bool isToGroup = frame.kind == FrameKind::GROUP;
    if (!isToGroup && input.Is(InputPort::PAUSES_SENDER) && Overflows(port, frame, now))
    {
        return true;
    }
    if (!isLimited && !isToGroup)
    {
        return false;
    }
    if (Arrive(port, frame, now) && !(isLimited && Contains(port, frame, now)))
    {
        Enter(port, frame, now);
    }
    return true;
}

bool
Receiver::Contains(uint32_t port, const Frame& frame, TimePs now)
{
    ContainedPort& contained = *m_ports.inputs[port].contained;
    if (m_containment.IsTooLarge(frame))
    {
        contained.isBlocked = true;
        Drop(port, frame, DropCause::OVERSIZE, now);
        return true;
    }
    if (contained.isBlocked)
    {
        contained.waiting.Push(frame);
    }
    return contained.isBlocked;
}

void
Receiver::Reset(uint32_t port, TimePs now)
{
    ContainedPort& contained = *m_ports.inputs[port].contained;
    contained.isBlocked = false;
    for (; !contained.waiting.IsEmpty(); contained.waiting.Pop())
    {
        const Frame frame = contained.waiting.Front();
        Enter(port, frame, now);
    }
}

uint16_t
Receiver::Enter(uint32_t port, const Frame& frame, TimePs now)
{
    if (frame.kind == FrameKind::GROUP)
    {
        m_groups.Take(port, frame, now);
        return Hop::NO_OUTPUT;
    }
    return m_ports.inputs[port].edge ? m_edge.Admit(port, frame, now)
                                     : JoinFromSwitch(port, frame, now);
}

bool
Receiver::Arrive(uint32_t port, const Frame& frame, TimePs now)
{
    const bool isHeld = m_buffers.Hold(port, frame, now);
    if (m_observer)
    {
        m_observer->Arrived(port, frame, now);
    }
    if (!isHeld)
    {
        DropTail(port, frame, now);
        return false;
    }
    if (frame.corrupt)
    {
        Drop(port, frame, DropCause::CORRUPT, now);
    }
    return !frame.corrupt;
}

void
Receiver::Joined(uint32_t port, const Frame& frame, uint16_t output, TimePs now)
{
    if (const OutputPort& next = m_ports.outputs[output]; next.IsToHost())
    {
        next.nic->FetchMessage(frame);
    }
    if (m_observer && frame.flow != NO_FLOW)
    {
        m_observer->Joined(port, frame, now);
    }
}

uint16_t
Receiver::ReceiveFromSwitch(uint32_t port, const Frame& frame, TimePs now)
{
    return Arrive(port, frame, now) ? JoinFromSwitch(port, frame, now) : Hop::NO_OUTPUT;
}

uint16_t
Receiver::JoinFromSwitch(uint32_t port, const Frame& frame, TimePs now)
{
    const uint16_t output = m_entry.Join(port, frame, now);
    if (!Hop::IsOutput(output))
    {
        Refuse(port, frame, output, now);
    }
    else
    {
        Joined(port, frame, output, now);
    }
    return output;
}

uint16_t
Receiver::ReceiveFromHost(uint32_t port, const Frame& frame, TimePs now)
{
    return Arrive(port, frame, now) ? m_edge.Admit(port, frame, now) : Hop::NO_OUTPUT;
}

uint16_t
Receiver::Admit(uint32_t port, const Frame& frame, TimePs now)
{
    return m_ports.inputs[port].edge ? ReceiveFromHost(port, frame, now)
                                     : ReceiveFromSwitch(port, frame, now);
}

uint16_t
Receiver::Receive(uint32_t port, const Frame& frame, TimePs now)
{
    if (m_ports.inputs[port].Is(InputPort::PAUSES_SENDER) && Overflows(port, frame, now))
    {
        return Hop::NO_OUTPUT;
    }
    return Admit(port, frame, now);
}

void
Receiver::TakeFrameIn(uint32_t port, TimePs now)
{
    InputPort& input = m_ports.inputs[port];
    FrameRing& frames = input.link.Frames();
    const Frame& frame = frames.Front();
    const bool isUnusual =
        input.Is(InputPort::PAUSES_SENDER | InputPort::HAS_GROUPS | InputPort::LIMITS_FRAMES);
    if ((!isUnusual && !frames.IsLost()) || !Diverts(port, frame, now))
    {
        Admit(port, frame, now);
    }
    m_clock.PopEntry(frames, Task::DATA, port);
}

} // namespace ns3::fabric
