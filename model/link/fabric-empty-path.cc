/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-empty-path.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ns3::fabric
{

EmptyPath::EmptyPath(std::vector<PathLink> links, uint32_t payload)
    : m_links(std::move(links)),
      m_payload(payload),
      m_free(m_links.size())
{
    if (m_links.empty())
    {
        throw std::invalid_argument("empty path: it has no links");
    }
    if (payload == 0)
    {
        throw std::invalid_argument("empty path: the payload of a frame is 0 bytes");
    }
}

TimePs
EmptyPath::Send(std::vector<TimePs>& free, TimePs at, uint64_t bytes) const
{
    const uint64_t full = bytes / m_payload;
    const auto rest = static_cast<uint32_t>(bytes % m_payload);
    if (full != 0)
    {
        SendFrames(free, at, m_payload, full);
    }
    if (rest != 0 || full == 0)
    {
        SendFrames(free, at, rest, 1);
    }
    return free.back() + m_links.back().delay;
}

void
EmptyPath::SendFrames(std::vector<TimePs>& free, TimePs at, uint32_t payload, uint64_t frames) const
{
    const uint32_t bytes = WireBytes(payload);
    std::vector<TimePs> ends(m_links.size());
    for (std::size_t from = 0; from < m_links.size(); ++from)
    {
        // Of what holds the last frame up at each link: what began by waiting for this one.
        TimePs begin = from == 0 ? std::max(at, free[0]) : free[from];
        TimePs slowest = 0;
        for (std::size_t link = from; link < m_links.size(); ++link)
        {
            const TimePs time = m_links[link].rate.TxTime(bytes);
            slowest = std::max(slowest, time);
            const auto others = static_cast<TimePs>(frames - 1);
            ends[link] = std::max(ends[link], begin + others * slowest + time);
            begin += Lead(link, bytes);
        }
    }
    free = std::move(ends);
}

TimePs
EmptyPath::Lead(std::size_t link, uint32_t bytes) const
{
    const PathLink& here = m_links[link];
    if (here.handover == Handover::HEAD)
    {
        return here.delay;
    }
    if (here.handover == Handover::TAIL || link + 1 == m_links.size())
    {
        return here.delay + here.rate.TxTime(bytes);
    }
    const uint32_t last = (bytes - 1) / here.flitBytes * here.flitBytes;
    const TimePs wait = here.rate.LongerThan(last, m_links[link + 1].rate, last);
    return here.delay + std::max(TimePs{0}, wait);
}

} // namespace ns3::fabric
