/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-input-buffers.h"

namespace ns3::fabric
{

void
InputBuffers::GiveCredit(uint32_t port, uint32_t vc, uint32_t bytes, TimePs end)
{
    InputPort& input = m_ports.inputs[port];
    if (input.Is(InputPort::TELLS_CREDITS))
    {
        m_credits.Leave(port, vc, bytes, end);
    }
    else
    {
        input.credits.Return(vc, bytes, end, m_clock.WindowStart());
    }
}

uint32_t
InputBuffers::BytesBelowXoff(const InputPort& input, uint32_t trafficClass, TimePs now)
{
    return input.pause->FreeBytes(trafficClass, now);
}

void
InputBuffers::TellOfRoom(InputPort& input, const Frame& frame, uint32_t vc, TimePs end)
{
    const auto port = static_cast<uint32_t>(&input - m_ports.inputs);
    if (frame.kind == FrameKind::GROUP)
    {
        const std::optional<TimePs> last = m_shared.Leave(frame.dataFlow, end);
        // CountOut() took it for the only one, as large as all.
        const uint32_t all = m_shared.Bytes(frame.dataFlow);
        input.heldBytes += WireBytes(frame.payload) - (last ? all : 0);
        m_counts.heldBytes += WireBytes(frame.payload);
        m_counts.heldBytes -= last ? all : 0;
        if (last)
        {
            GiveCredit(port, vc, all, *last);
        }
        return;
    }
    GiveCredit(port, vc, WireBytes(frame.payload), end);
    if (input.Is(InputPort::PAUSES_SENDER))
    {
        m_pauses.Leave(port, frame, end);
    }
    if (m_settings.shares.IsLossy(vc))
    {
        m_lossyBytes[port][vc] -= WireBytes(frame.payload);
        if (m_memory)
        {
            m_memory->Leave(WireBytes(frame.payload), end);
        }
    }
}

void
InputBuffers::Combine(uint32_t port, const Frame& frame, TimePs now)
{
    InputPort& input = m_ports.inputs[port];
    ++m_counts.combinedFrames;
    m_counts.combinedPayload += frame.payload;
    CountOut(input, frame);
    const uint32_t bytes = WireBytes(frame.payload);
    const bool isIn = input.HandsOver() == Handover::TAIL;
    GiveCredit(port, frame.vc, bytes, isIn ? now : now + input.sender->Rate().TxTime(bytes));
}

bool
InputBuffers::Admit(uint32_t port, const Frame& frame, TimePs now)
{
    InputPort& input = m_ports.inputs[port];
    if (input.Is(InputPort::PAUSES_SENDER))
    {
        m_pauses.Arrive(port, frame, now);
    }
    return !m_settings.shares.IsLossy(frame.vc) || TakeLossyRoom(port, frame, DepthFor(frame), now);
}

bool
InputBuffers::TakeLossyRoom(uint32_t port, const Frame& frame, uint32_t depth, TimePs now)
{
    uint32_t& held = m_lossyBytes[port][frame.vc];
    const uint32_t bytes = WireBytes(frame.payload);
    const uint32_t room = m_memory ? m_memory->Free(now) : depth - std::min(held, depth);
    if (bytes > room)
    {
        return false;
    }
    held += bytes;
    if (m_memory)
    {
        m_memory->Take(bytes);
    }
    return true;
}

std::optional<Frame>
InputBuffers::Trim(uint32_t port, const Frame& frame, TimePs now)
{
    Frame header = frame;
    header.payload = static_cast<uint16_t>(m_settings.trim.keptBytes);
    header.trafficClass = m_settings.trim.headerClass & (TRAFFIC_CLASSES - 1);
    header.flow = NO_FLOW;
    if (!TakeLossyRoom(port, header, m_settings.lossyBytes, now))
    {
        Lose(port, frame, DropCause::TAIL_DROP, now);
        return std::nullopt;
    }
    const uint32_t cut = frame.payload - header.payload;
    if (m_observer)
    {
        m_observer->Trimmed(port, frame, header, now);
    }
    m_counts.droppedPayload[static_cast<std::size_t>(DropCause::TRIMMED)] += cut;
    ++m_counts.trimmedFrames;
    // The sender has spent credit for all of it, on the channel by which it came.
    GiveCredit(port, frame.vc, cut, now);
    CountIn(m_ports.inputs[port], WireBytes(header.payload));
    return header;
}

void
InputBuffers::CountDrop(uint32_t port, const Frame& frame, DropCause cause, TimePs now)
{
    if (m_observer)
    {
        m_observer->Dropped(port, frame, cause, now);
    }
    if (m_dropHandler)
    {
        m_dropHandler(frame);
    }
    m_counts.droppedPayload[static_cast<std::size_t>(cause)] += frame.payload;
    ++m_counts.droppedFrames;
}

void
InputBuffers::Drop(uint32_t port, const Frame& frame, DropCause cause, TimePs now)
{
    CountDrop(port, frame, cause, now);
    CountOut(m_ports.inputs[port], frame);
    ReturnRoom(m_ports.inputs[port], frame, frame.vc, now);
}

void
InputBuffers::LoseGranted(uint32_t port, const Frame& frame, DropCause cause, TimePs now)
{
    CountDrop(port, frame, cause, now);
}

void
InputBuffers::Lose(uint32_t port, const Frame& frame, DropCause cause, TimePs now)
{
    CountDrop(port, frame, cause, now);
    GiveCredit(port, frame.vc, WireBytes(frame.payload), now);
}

} // namespace ns3::fabric
