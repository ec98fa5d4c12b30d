/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pcie-direction.h"

#include <algorithm>
#include <cstddef>

namespace ns3::fabric
{

TimePs
PcieDirection::Book(TimePs earliest, TimePs duration)
{
    if (m_busy.empty() || m_busy.back().end < earliest)
    {
        m_busy.push_back({earliest, earliest + duration}); // as most do: it touches none
        return earliest;
    }
    auto next = m_busy.end();
    TimePs begin = earliest;
    if (m_busy.back().end > earliest)
    {
        next = std::upper_bound(m_busy.begin() + static_cast<std::ptrdiff_t>(m_first),
                                m_busy.end(),
                                earliest,
                                [](TimePs time, const Span& span) { return time < span.end; });
        for (; next != m_busy.end() && next->begin < begin + duration; ++next)
        {
            begin = std::max(begin, next->end);
        }
    }
    const TimePs end = begin + duration;
    const bool touchesNext = next != m_busy.end() && next->begin == end;
    const bool touchesLast =
        next != m_busy.begin() + static_cast<std::ptrdiff_t>(m_first) && (next - 1)->end == begin;
    if (touchesLast)
    {
        (next - 1)->end = touchesNext ? next->end : end;
        if (touchesNext)
        {
            m_busy.erase(next);
        }
    }
    else if (touchesNext)
    {
        next->begin = begin;
    }
    else
    {
        m_busy.insert(next, {begin, end});
    }
    return begin;
}

void
PcieDirection::Forget(TimePs now)
{
    while (m_first < m_busy.size() && m_busy[m_first].end <= now)
    {
        ++m_first;
    }
    constexpr std::size_t MANY = 64; // so that few moves of memory are made
    if (m_first > MANY && 2 * m_first > m_busy.size())
    {
        m_busy.erase(m_busy.begin(), m_busy.begin() + static_cast<std::ptrdiff_t>(m_first));
        m_first = 0;
    }
}

} // namespace ns3::fabric
