/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RANDOM_OUTAGES_H
#define FABRIC_RANDOM_OUTAGES_H

#include "fabric-random-scenario.h"
#include "fabric-time-units.h"

#include <algorithm>
#include <initializer_list>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// A time without a link.
struct Outage
{
    std::size_t link; ///< As TestBed::FailLink().
    TimePs from;      ///< First instant, ps.
    TimePs until;     ///< First instant after it, ps.
};

/// Outages of a random scenario, drawn from a seed.
class RandomOutages
{
  public:
    /**
     * @param scenario whose links fail
     * @param seed from which all is drawn
     */
    RandomOutages(RandomScenario& scenario, uint64_t seed)
        : m_random(seed * 31 + 7)
    {
        const std::size_t links = scenario.Plan().links.size() + scenario.Plan().hosts.size();
        m_delay = Pick({0, 0, 1, 200 * NS, 5 * US, 100 * US});
        std::vector<TimePs> upAt(links, 1); // when the last outage of each link is over
        for (uint32_t left = 1 + static_cast<uint32_t>(m_random() % 8); left != 0; --left)
        {
            // Half of them between switches, of which there may be few.
            const std::size_t between = scenario.Plan().links.size();
            const bool isHost = between == 0 || m_random() % 2 == 0;
            const std::size_t link =
                isHost ? between + m_random() % (links - between) : m_random() % between;
            if (upAt[link] == NEVER)
            {
                continue;
            }
            const TimePs end = std::max<TimePs>(scenario.SomeTime() / 2, 1);
            const TimePs from = upAt[link] + static_cast<TimePs>(m_random() % uint64_t(end));
            const TimePs lasts = Pick({1, 50 * NS, 1 * US, 20 * US, 1000 * US, NEVER});
            const TimePs until = lasts == NEVER
                                     ? NEVER
                                     : from + 1 + static_cast<TimePs>(m_random() % uint64_t(lasts));
            m_outages.push_back({link, from, until});
            upAt[link] = until;
        }
    }

    /// @param outage of a link, the only one; routing knows at once
    explicit RandomOutages(const Outage& outage)
        : m_outages{outage}
    {
    }

    /// @param bed whose links fail
    void AddTo(TestBed& bed) const
    {
        for (const Outage& outage : m_outages)
        {
            bed.FailLink(outage.link, outage.from, outage.until, m_delay);
        }
    }

    /// @return what was drawn, in any order
    const std::vector<Outage>& Outages() const
    {
        return m_outages;
    }

    /// @return time until routing knows, ps
    TimePs Delay() const
    {
        return m_delay;
    }

    /// @return when the last link is repaired, NEVER if one is not, ps
    TimePs End() const
    {
        TimePs end = 0;
        for (const Outage& outage : m_outages)
        {
            end = std::max(end, outage.until);
        }
        return end;
    }

    /// @return what was drawn, for messages
    std::string Describe() const
    {
        std::ostringstream text;
        text << ", routing delay " << m_delay << ", outages";
        for (const Outage& outage : m_outages)
        {
            text << " " << outage.link << ":" << outage.from << "-" << outage.until;
        }
        return text.str();
    }

  private:
    /// @return one of them
    TimePs Pick(std::initializer_list<TimePs> list)
    {
        return list.begin()[m_random() % list.size()];
    }

    std::mt19937_64 m_random;      ///< Everything is drawn from it.
    TimePs m_delay{0};             ///< Until routing knows, ps.
    std::vector<Outage> m_outages; ///< In any order.
};

} // namespace ns3::fabric

#endif // FABRIC_RANDOM_OUTAGES_H
