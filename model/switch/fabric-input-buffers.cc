/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-input-buffers.h"

namespace ns3::fabric
{

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
    m_ports.inputs[port].credits.Return(frame.vc,
                                        WireBytes(frame.payload),
                                        now,
                                        m_clock.WindowStart());
}

} // namespace ns3::fabric
