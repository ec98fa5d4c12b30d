/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-port-containment.h"

namespace ns3::fabric
{

void
PortContainment::WatchPorts()
{
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        InputPort& input = m_ports.inputs[port];
        input.contained = std::make_unique<ContainedPort>();
        input.unusual |= InputPort::LIMITS_FRAMES;
    }
}

void
PortContainment::LoseFlows(uint32_t port, TimePs now)
{
    const auto& contained = m_ports.inputs[port].contained;
    if (!contained)
    {
        return;
    }
    for (uint32_t left = contained->waiting.Size(); left != 0; --left)
    {
        const Frame frame = contained->waiting.Front();
        contained->waiting.Pop();
        if (frame.flow != NO_FLOW)
        {
            m_buffers.Drop(port, frame, DropCause::LINK_DOWN, now);
        }
        else
        {
            contained->waiting.Push(frame);
        }
    }
}

} // namespace ns3::fabric
