/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-link-errors.h"

#include "fabric-frame.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

LinkErrors::LinkErrors(LossModel* loss, const RetrySettings& settings, LinkRate rate, TimePs delay)
    : m_loss(loss),
      m_settings(settings),
      m_rate(rate),
      m_roundTrip(2 * delay + settings.latency),
      m_timeout(settings.timeout == 0 ? 2 * m_roundTrip : settings.timeout)
{
    if (m_timeout < m_roundTrip)
    {
        throw std::invalid_argument("link: RetryTimeout is " + std::to_string(m_timeout) +
                                    " ps; allowed are 0 and at least the " +
                                    std::to_string(m_roundTrip) +
                                    " ps in which a frame is confirmed (twice Delay and "
                                    "RetryLatency), or every frame would be repeated");
    }
    const uint32_t largest = WireBytes(JUMBO_PAYLOAD);
    if (settings.bufferBytes != 0 && settings.bufferBytes < largest)
    {
        throw std::invalid_argument("link: RetryBuffer is " + std::to_string(settings.bufferBytes) +
                                    " bytes; allowed are 0 and at least the largest frame, " +
                                    std::to_string(largest));
    }
}

Attempt
LinkErrors::Try(uint32_t bytes, TimePs now, TimePs& freeAt)
{
    if (m_settings.bufferBytes != 0)
    {
        if (const TimePs room = RoomAt(bytes, now); room > now)
        {
            freeAt = room;
            return Attempt::LATER;
        }
    }
    const bool isDamaged = m_loss && m_loss->Corrupts(bytes);
    if (isDamaged && Repeats() && m_repeats < m_settings.limit)
    {
        ++m_repeats;
        freeAt = now + Repeat(bytes);
        return Attempt::LATER;
    }
    m_counts.givenUp += isDamaged && Repeats() ? 1 : 0;
    m_repeats = 0;
    if (m_settings.bufferBytes != 0)
    {
        m_kept.Push({now + m_rate.TxTime(bytes) + m_roundTrip, bytes});
        m_keptBytes += bytes;
    }
    return isDamaged ? Attempt::DAMAGED : Attempt::CLEAN;
}

TimePs
LinkErrors::RoomAt(uint32_t bytes, TimePs now)
{
    TimePs room = now;
    while (!m_kept.IsEmpty() &&
           (m_kept.Front().until <= now || m_keptBytes + bytes > m_settings.bufferBytes))
    {
        room = std::max(room, m_kept.Front().until);
        m_keptBytes -= m_kept.Front().bytes;
        m_kept.Pop();
    }
    return room;
}

TimePs
LinkErrors::Repeat(uint32_t bytes)
{
    ++m_counts.repeats;
    m_counts.repeatedBytes += bytes;
    const bool isLost = m_loss->Corrupts(REQUEST_BYTES);
    m_counts.timeouts += isLost ? 1 : 0;
    return m_rate.TxTime(bytes) + (isLost ? m_timeout : m_roundTrip);
}

std::optional<TimePs>
LinkErrors::RepeatUnit(uint32_t bytes)
{
    TimePs taken = 0;
    for (uint32_t repeats = 0; m_loss->Corrupts(bytes); ++repeats)
    {
        if (repeats == m_settings.limit)
        {
            ++m_counts.givenUp;
            return std::nullopt;
        }
        taken += Repeat(bytes);
    }
    return taken;
}

Attempt
LinkErrors::TryInUnits(uint32_t bytes, TimePs now, TimePs& freeAt, std::vector<UnitRepeat>& repeats)
{
    if (!Repeats() || !m_loss)
    {
        return Try(bytes, now, freeAt);
    }
    const uint32_t unit = m_settings.unitBytes;
    const Attempt first = Try(std::min(bytes, unit), now, freeAt);
    if (first != Attempt::CLEAN)
    {
        return first;
    }
    for (uint32_t byte = unit; byte < bytes; byte += unit)
    {
        const std::optional<TimePs> taken = RepeatUnit(std::min(bytes - byte, unit));
        if (!taken)
        {
            return Attempt::DAMAGED;
        }
        if (*taken != 0)
        {
            repeats.push_back({byte, *taken});
        }
    }
    return Attempt::CLEAN;
}

void
LinkErrors::Forget()
{
    m_repeats = 0;
    m_keptBytes = 0;
    while (!m_kept.IsEmpty())
    {
        m_kept.Pop();
    }
}

} // namespace ns3::fabric
