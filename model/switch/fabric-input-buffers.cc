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

void
InputBuffers::TellOfRoom(InputPort& input, const Frame& frame, uint32_t vc, TimePs end)
{
    const auto port = static_cast<uint32_t>(&input - m_ports.inputs);
    GiveCredit(port, vc, WireBytes(frame.payload), end);
    if (input.Is(InputPort::PAUSES_SENDER))
    {
        m_pauses.Leave(port, frame, end);
    }
    if (m_settings.shares.IsLossy(vc))
    {
        input.lossyBytes -= WireBytes(frame.payload);
    }
}

bool
InputBuffers::Admit(uint32_t port, const Frame& frame, TimePs now)
{
    InputPort& input = m_ports.inputs[port];
    if (input.Is(InputPort::PAUSES_SENDER))
    {
        m_pauses.Arrive(port, frame, now);
    }
    if (m_settings.shares.IsLossy(frame.vc))
    {
        const uint32_t bytes = WireBytes(frame.payload);
        if (input.lossyBytes + bytes > m_settings.lossyBytes)
        {
            return false;
        }
        input.lossyBytes += bytes;
    }
    return true;
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
InputBuffers::Lose(uint32_t port, const Frame& frame, DropCause cause, TimePs now)
{
    CountDrop(port, frame, cause, now);
    GiveCredit(port, frame.vc, WireBytes(frame.payload), now);
}

} // namespace ns3::fabric
