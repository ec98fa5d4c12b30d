/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-hpcc-reaction.h"

#include "fabric-sequence-number.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

constexpr double PS_PER_SECOND = 1e12; ///< ps.
constexpr double BITS = 8;             ///< Of a byte.

/// @return bytes that a rate in b/s carries in a time in ps
double
BytesIn(double rate, TimePs time)
{
    return rate / BITS * static_cast<double>(time) / PS_PER_SECOND;
}

} // namespace

HpccReaction::HpccReaction(const HpccSettings& settings, double lineRate)
    : m_settings(&settings),
      m_first(BytesIn(lineRate, settings.baseRtt)),
      m_least(std::min(BytesIn(settings.minRate, settings.baseRtt), m_first)),
      m_increase(m_first * (1 - settings.utilization) / settings.flows),
      m_window(m_first),
      m_reference(m_first)
{
    m_last.Clear(0);
}

double
HpccReaction::Rate() const
{
    return m_window * BITS * PS_PER_SECOND / static_cast<double>(m_settings->baseRtt);
}

void
HpccReaction::TakeAck(const HopStack& stack, uint32_t base, uint32_t next)
{
    if (m_last.count == 0)
    {
        m_roundEnd = next;
    }
    else if (stack.IsOfWay(m_last))
    {
        if (!Measure(stack))
        {
            return; // it says the same again, or has been overtaken
        }
        const bool isRound = SequenceBefore(m_roundEnd, base);
        Compute(isRound);
        m_roundEnd = isRound ? next : m_roundEnd;
    }
    m_last = stack;
}

bool
HpccReaction::Measure(const HopStack& stack)
{
    double most = 0;
    TimePs between = 0;
    bool isNews = false;
    for (uint32_t i = 0; i < stack.count; ++i)
    {
        const HopRecord& now = stack.hops[i];
        const HopRecord& before = m_last.hops[i];
        const TimePs time = now.time - before.time;
        if (time <= 0)
        {
            continue;
        }
        isNews = true;
        const auto rate = static_cast<double>(now.rate);
        const double used =
            std::min(now.queued, before.queued) / BytesIn(rate, m_settings->baseRtt) +
            static_cast<double>(now.sent - before.sent) / BytesIn(rate, time);
        if (used > most)
        {
            most = used;
            between = time;
        }
    }
    const double part = static_cast<double>(std::min(between, m_settings->baseRtt)) /
                        static_cast<double>(m_settings->baseRtt);
    m_inFlight = (1 - part) * m_inFlight + part * most;
    return isNews;
}

void
HpccReaction::Compute(bool isRound)
{
    const bool isDirect = m_inFlight >= m_settings->utilization || m_stage >= m_settings->maxStage;
    const double wanted =
        isDirect ? m_reference * m_settings->utilization / m_inFlight : m_reference;
    m_window = std::clamp(wanted + m_increase, m_least, m_first);
    if (isRound)
    {
        m_reference = m_window;
        m_stage = isDirect ? 0 : m_stage + 1;
    }
}

} // namespace ns3::fabric
