/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-reaction-point.h"

#include <algorithm>
#include <cmath>

namespace ns3::fabric
{

void
ReactionPoint::TakeCnp(TimePs now)
{
    if (m_isLimited)
    {
        RunUntil(now);
        const TimePs quiet = (now - m_lastCnp) / m_settings->alphaTimer;
        m_alpha *= std::pow(1 - m_settings->alphaGain, static_cast<double>(quiet));
    }
    m_isLimited = true;
    m_lastCnp = now;
    m_bucket.Drain(m_current, now);
    m_target = m_current;
    m_current = std::max(m_current * (1 - m_alpha / 2),
                         std::min(m_settings->minRate, m_settings->lineRate));
    m_alpha = (1 - m_settings->alphaGain) * m_alpha + m_settings->alphaGain;
    m_bytes = m_timerRounds = m_byteRounds = 0;
    m_rateTimer = now + m_settings->rateTimer;
    m_readyAt = WhenReady();
}

void
ReactionPoint::Charge(uint32_t bytes, TimePs now)
{
    RunUntil(now);
    m_bytes += bytes;
    for (; m_bytes >= m_settings->rateBytes; m_bytes -= m_settings->rateBytes)
    {
        Raise();
        ++m_byteRounds;
    }
    m_bucket.Charge(bytes);
    m_readyAt = WhenReady();
}

void
ReactionPoint::RunUntil(TimePs now)
{
    while (m_rateTimer <= now && !IsRecovered())
    {
        Expire();
    }
    if (m_rateTimer <= now)
    {
        // Further rounds change nothing until a CNP, which counts them anew.
        m_rateTimer += ((now - m_rateTimer) / m_settings->rateTimer + 1) * m_settings->rateTimer;
    }
    m_bucket.Drain(m_current, now);
}

void
ReactionPoint::Expire()
{
    m_bucket.Drain(m_current, m_rateTimer);
    Raise();
    ++m_timerRounds;
    m_rateTimer += m_settings->rateTimer;
}

void
ReactionPoint::Raise()
{
    const uint64_t recovery = m_settings->recoveryRounds;
    const uint64_t both = std::min(m_timerRounds, m_byteRounds);
    if (both > recovery)
    {
        m_target += static_cast<double>(both - recovery) * m_settings->hyperIncrease;
    }
    else if (std::max(m_timerRounds, m_byteRounds) >= recovery)
    {
        m_target += m_settings->rateIncrease;
    }
    m_target = std::min(m_target, m_settings->lineRate);
    m_current = (m_target + m_current) / 2;
}

TimePs
ReactionPoint::WhenReady() const
{
    ReactionPoint ahead = *this;
    while (ahead.m_bucket.IsAhead() && !ahead.IsAtLineRate()) // the wire has that rate itself
    {
        const TimePs ready = ahead.m_bucket.ReadyAt(ahead.m_current);
        if (ready <= ahead.m_rateTimer)
        {
            return ready;
        }
        ahead.Expire();
    }
    return ahead.m_bucket.Now();
}

double
ReactionPoint::Rate(TimePs now) const
{
    ReactionPoint ahead = *this;
    if (m_isLimited)
    {
        ahead.RunUntil(now);
    }
    return ahead.m_current;
}

} // namespace ns3::fabric
