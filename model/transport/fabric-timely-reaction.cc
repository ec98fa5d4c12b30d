/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-timely-reaction.h"

#include "fabric-sequence-number.h"

#include <algorithm>

namespace ns3::fabric
{

TimelyReaction::TimelyReaction(const TimelySettings& settings, double lineRate)
    : m_settings(&settings),
      m_line(lineRate),
      m_rate(lineRate)
{
}

bool
TimelyReaction::IsEvent(const TimelySample& sample) const
{
    return m_settings->segmentBytes > 0
               ? m_acked >= m_settings->segmentBytes
               : m_lastRtt == 0 || !SequenceBefore(sample.base, m_roundEnd);
}

bool
TimelyReaction::TakeAck(const TimelySample& sample, TimePs now)
{
    m_acked += sample.bytes;
    const TimePs rtt = sample.rtt;
    if (rtt <= 0 || m_acked == 0 || !IsEvent(sample))
    {
        return false;
    }
    m_acked = 0;
    m_roundEnd = sample.next;
    const TimePs minRtt = m_settings->minRtt > 0 ? m_settings->minRtt : sample.shortest;
    const auto unit = static_cast<double>(minRtt);
    const TimePs before = m_lastRtt > 0 ? m_lastRtt : rtt; // nothing has changed at the first one
    const TimePs since = m_lastRtt > 0 ? now - m_lastEvent : rtt;
    m_difference += m_settings->gain * (static_cast<double>(rtt - before) - m_difference);
    m_gradient = m_difference / unit;
    m_falling = m_gradient < 0 ? m_falling + 1 : 0;
    m_lastRtt = rtt;
    m_lastEvent = now;
    const double f = std::min(1.0, static_cast<double>(since) / unit);
    const double least = std::max(m_rate * (1 - m_settings->maxDecrease), m_settings->minRate);
    m_rate = std::min(m_line, std::max(RateAfter(static_cast<double>(rtt), f), least));
    return true;
}

double
TimelyReaction::RateAfter(double rtt, double f) const
{
    const TimelySettings& s = *m_settings;
    if (rtt < static_cast<double>(s.low))
    {
        return m_rate + f * s.increase;
    }
    if (rtt > static_cast<double>(s.high))
    {
        return m_rate * (1 - f * s.beta * (1 - static_cast<double>(s.high) / rtt));
    }
    if (s.isPatched)
    {
        return PatchedRateAfter(rtt, f);
    }
    if (m_gradient <= 0)
    {
        const uint32_t n = m_falling >= s.hyperEvents ? s.hyperFactor : 1;
        return m_rate + f * n * s.increase;
    }
    return m_rate * (1 - f * s.beta * m_gradient);
}

double
TimelyReaction::PatchedRateAfter(double rtt, double f) const
{
    const TimelySettings& s = *m_settings;
    const auto reference = static_cast<double>(s.low);
    const double weight = std::clamp(2 * m_gradient + 0.5, 0.0, 1.0);
    return (1 - weight) * f * s.increase +
           m_rate * (1 - f * s.beta * weight * (rtt - reference) / reference);
}

} // namespace ns3::fabric
