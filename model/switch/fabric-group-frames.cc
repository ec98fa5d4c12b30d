/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-group-frames.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

void
GroupFrames::SetPorts(LocationId group, TreePorts ports)
{
    const std::size_t number = group - FIRST_GROUP;
    m_groups.resize(std::max(m_groups.size(), number + 1));
    m_groups[number] = std::move(ports);
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        m_ports.inputs[port].unusual |= InputPort::HAS_GROUPS;
    }
}

const TreePorts&
GroupFrames::PortsOf(LocationId group) const
{
    const std::size_t number = group - FIRST_GROUP;
    if (number >= m_groups.size() || m_groups[number].empty())
    {
        throw std::logic_error("a frame to the group " + std::to_string(number) +
                               " has come to a switch where its tree is not");
    }
    return m_groups[number];
}

void
GroupFrames::Take(uint32_t port, const Frame& frame, TimePs now)
{
    if (m_reductions && IsOfReduction(frame))
    {
        m_reductions->Take(port, frame, now);
        return;
    }
    const TreePorts& outputs = PortsOf(frame.dst);
    const bool isBack = FindTreePort(outputs, port) != outputs.end();
    Frame copy = frame;
    const uint32_t copies = static_cast<uint32_t>(outputs.size()) - isBack;
    copy.dataFlow = m_buffers.Share(frame, copies, copies);
    const uint8_t first = m_routing.FirstChannelOf(frame.trafficClass);
    for (const TreePort& output : outputs)
    {
        if (output.port != port)
        {
            const auto vc = static_cast<uint8_t>(first + output.vc);
            m_entry.JoinAt(port, copy, {output.port, vc}, now);
        }
    }
}

} // namespace ns3::fabric
