/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pcie-link.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t LINE_BYTES = 64; ///< That a write-combining buffer holds.
constexpr uint32_t STORE_BYTES = 8; ///< Of one store of a processor.

/// @return how many parts of a size there are
uint32_t
PartsOf(uint32_t bytes, uint32_t size)
{
    return (bytes + size - 1) / size;
}

/// @return the settings, which are right
const PcieSettings&
Checked(const PcieSettings& settings)
{
    settings.Validate();
    return settings;
}

} // namespace

PcieLink::PcieLink(const PcieSettings& settings)
    : m_settings(Checked(settings)),
      m_rate(settings.TlpBitsPerSecond())
{
}

void
PcieLink::Forget(TimePs now)
{
    constexpr TimePs PERIOD = 1'000'000; // in which few spans come together
    m_forgetAt = now + PERIOD;
    for (PcieDirection& direction : m_directions)
    {
        direction.Forget(now);
    }
}

PcieLink::Sent
PcieLink::Send(PcieSide from, uint32_t data, uint32_t tlps, uint32_t overhead, TimePs at)
{
    const uint32_t bytes = data + tlps * overhead;
    PcieCounts& counts = m_counts[static_cast<std::size_t>(from)];
    counts.tlps += tlps;
    counts.bytes += bytes;
    counts.payload += data;
    const TimePs duration = m_rate.TxTime(bytes);
    const TimePs begin = m_directions[static_cast<std::size_t>(from)].Book(at, duration);
    return {begin, begin + duration};
}

TimePs
PcieLink::Write(PcieSide from, PcieStream& order, uint32_t bytes, TimePs at)
{
    for (uint32_t left = bytes; left != 0;)
    {
        const uint32_t part = std::min(left, m_settings.mps);
        const Sent sent =
            Send(from, part, 1, m_settings.writeOverhead, std::max(at, order.lastEnd));
        order = {sent.begin, sent.end};
        left -= part;
    }
    return order.lastEnd + m_settings.latency;
}

TimePs
PcieLink::Store(PcieStream& core, uint32_t bytes, TimePs at)
{
    const uint32_t size = m_settings.combinesWrites ? LINE_BYTES : STORE_BYTES;
    TimePs done = at;
    for (uint32_t left = bytes; left != 0;)
    {
        const uint32_t part = std::min(left, size);
        done = Write(PcieSide::HOST, core, part, at);
        left -= part;
    }
    return done;
}

TimePs
PcieLink::Read(uint32_t bytes, TimePs at)
{
    TimePs done = at;
    for (uint32_t left = bytes; left != 0;)
    {
        const uint32_t part = std::min(left, m_settings.mrrs);
        done = std::max(done, ReadOnce(part, at));
        left -= part;
    }
    return done;
}

TimePs
PcieLink::ReadOnce(uint32_t bytes, TimePs at)
{
    while (!m_reads.empty() && m_reads.top() <= at)
    {
        m_reads.pop();
    }
    if (m_reads.size() == m_settings.outstandingReads)
    {
        at = m_reads.top();
        m_reads.pop();
    }
    const TimePs asked = Send(PcieSide::NIC, 0, 1, m_settings.requestOverhead, at).end;
    const TimePs found = asked + m_settings.latency + m_settings.memoryLatency;
    const uint32_t tlps = PartsOf(bytes, m_settings.mps);
    const TimePs done =
        Send(PcieSide::HOST, bytes, tlps, m_settings.completionOverhead, found).end +
        m_settings.latency;
    m_reads.push(done);
    return done;
}

} // namespace ns3::fabric
