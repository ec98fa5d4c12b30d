/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-link-loads.h"

#include "fabric-load-code.h"

#include <algorithm>

namespace ns3::fabric
{

LinkLoads::LinkLoads(const SwitchPorts& ports,
                     SwitchClock& clock,
                     const OutputLoads& loads,
                     const PathRule& paths)
    : m_ports(ports),
      m_clock(clock),
      m_loads(loads),
      m_paths(paths),
      m_told(paths.Told()),
      m_values(ports.count - m_told.outputs.first + 1, 0),
      m_heard(m_told.neighbours.count * m_values.size(), 0)
{
    m_nextOutputs.reserve(m_values.size());
}

const std::vector<uint8_t>&
LinkLoads::Look(TimePs now)
{
    for (uint32_t n = 0; n < m_told.outputs.count; ++n)
    {
        const uint64_t units = (m_loads.Ahead(m_told.outputs.first + n, now) + UNIT / 2) / UNIT;
        m_values[n + 1] = EncodeLoad(static_cast<uint32_t>(units));
    }
    return m_values;
}

void
LinkLoads::Change(uint8_t& heard, uint8_t code)
{
    m_sum += DecodeLoad(code);
    m_sum -= DecodeLoad(heard);
    heard = code;
}

bool
LinkLoads::Hear(uint32_t port, const Ack& ack)
{
    if (IsIn(m_told.neighbours, port) && ack.flow < m_values.size())
    {
        Change(HeardFrom(port)[ack.flow], ack.ackFlow);
    }
    return false;
}

void
LinkLoads::Forget(uint32_t port)
{
    if (IsIn(m_told.neighbours, port))
    {
        std::for_each_n(HeardFrom(port), m_values.size(), [this](uint8_t& heard) {
            Change(heard, 0);
        });
    }
}

void
LinkLoads::Watch(TimePs now)
{
    // Frames come and go with decisions. A credit brings one where somebody waits for it.
    for (uint32_t n = 0; n < m_told.outputs.count; ++n)
    {
        const uint32_t port = m_told.outputs.first + n;
        OutputPort& output = m_ports.outputs[port];
        if (m_loads.Ahead(port, now) != 0)
        {
            LinkCredits& credits = output.transmitter.Credits();
            credits.SetAwaited(true);
            m_clock.PlanDecision(port, std::max(credits.NextReturn(), output.transmitter.FreeAt()));
        }
    }
}

uint64_t
LinkLoads::BytesBehind(LocationId dst, const Way& way)
{
    m_nextOutputs.clear();
    const bool hasOneMore = m_paths.FindNextOutputs(dst, way, m_nextOutputs);
    const uint64_t further = hasOneMore && m_told.words != 0 ? m_sum * UNIT / m_told.words : 0;
    if (m_nextOutputs.empty())
    {
        return further;
    }
    // The neighbour takes the one that costs least.
    uint8_t least = 0xFF;
    const uint8_t* const heard = HeardFrom(way.port);
    for (const uint16_t output : m_nextOutputs)
    {
        least = std::min(least, heard[output - m_told.outputs.first + 1]);
    }
    return further + uint64_t{DecodeLoad(least)} * UNIT;
}

} // namespace ns3::fabric
