/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LINK_OVERLOAD_H
#define FABRIC_LINK_OVERLOAD_H

#include "fabric-link-rate.h"
#include "fabric-types.h"

#include <algorithm>
#include <cstdint>
#include <random>

namespace ns3::fabric
{

/// When a link between switches is overloaded, and how flows leave it (CM-9).
struct RerouteSettings
{
    bool isOn{false}; ///< Whether flows leave overloaded links at all.
    /// Bytes that wait above which a link may be overloaded. Chosen by a sweep: with 16 or 20 KiB
    /// flows are moved that share a link for a moment only, and with 64 KiB none is, since hop
    /// credits leave two flows less.
    uint32_t bytes{32 * 1024};
    /// A link is overloaded when so much has waited, and it was busy, for so long, and again after
    /// each such time, ps. Chosen by a sweep from 0.5 to 5 us, where it matters little.
    TimePs time{1'000'000};
    /// Upstream is told after up to so many of these times, drawn at random.
    uint32_t spread{2};
    /// A flow that was moved to a link stays there for so long. Upstream is told of one flow of a
    /// link in such a time, unless that one goes sooner: what a move takes, ps; 0 for that by the
    /// round trip.
    TimePs hold{0};
    TimePs roundTrip{3'500'000}; ///< Over the longest way, ps; until it is told, as usual.

    /// Steps of a hold.
    static constexpr uint16_t STEPS_PER_HOLD = 16;

    /**
     * @return the hold that counts, ps. By a sweep over links of 100 ns, 1 us and 5 us: with less
     * flows are moved to and fro, and more makes chains of moves slow. A move and what is told of
     * it take two round trips, and what waits and is waited for on the way does not depend on them.
     */
    TimePs Hold() const
    {
        constexpr TimePs APART_FROM_WAYS = 8'000'000;
        return hold != 0 ? hold : APART_FROM_WAYS + 2 * roundTrip;
    }

    /// @return time in steps, of which a hold has some; not 0
    uint16_t StepOf(TimePs now) const
    {
        const TimePs step = std::max<TimePs>(Hold() / STEPS_PER_HOLD, 1);
        return std::max<uint16_t>(static_cast<uint16_t>(now / step), 1);
    }
};

/**
 * The overload of a link to another switch (CM-9), asked before each of its decisions.
 *
 * It is overloaded when more than a threshold has waited for some time, and it was busy meanwhile.
 * Flows that wait for hop credits, limits or room leave it idle at times: then it is another link
 * that is overloaded.
 */
class LinkOverload
{
  public:
    /// Parts in which BusyPart() counts.
    static constexpr uint32_t PARTS = 4;

    /// @param settings of the switch, which outlive it @param rate of the link
    /// @param seed of the times after which upstream is told
    LinkOverload(const RerouteSettings& settings, LinkRate rate, uint32_t seed)
        : m_settings(settings),
          m_rate(rate),
          m_random(seed)
    {
        m_timesLeft = Draw();
    }

    /**
     * @param waiting bytes that wait
     * @param sent bytes that the link has carried so far
     * @return whether it was overloaded for the whole time, since it said so last
     */
    bool Decide(uint32_t waiting, uint64_t sent, TimePs now)
    {
        if (now - m_begin >= m_settings.time)
        {
            m_busyPart = PartSince(sent, now);
            const bool isOver = m_isFull && waiting > m_settings.bytes && IsBusy(sent, now);
            Begin(waiting, sent, now);
            return isOver;
        }
        if (m_isFull && waiting <= m_settings.bytes)
        {
            m_isFull = false;
            m_timesLeft = Draw();
        }
        return false;
    }

    /// To be called when it is overloaded. @return whether upstream is to be told now
    bool TellsNow(TimePs now)
    {
        // What was told last has no effect yet: another flow would go as well.
        if (m_toldAt >= 0 && now - m_toldAt < m_settings.Hold())
        {
            return false;
        }
        const bool tells = --m_timesLeft == 0;
        if (tells)
        {
            m_timesLeft = Draw();
            m_toldAt = now;
        }
        return tells;
    }

    /// The flow of which upstream was told is gone: another one may be told of at once.
    void EndHold()
    {
        m_toldAt = -1;
    }

    /**
     * @param sent bytes that the link has carried so far
     * @return how busy it was lately, 0 to PARTS
     */
    uint32_t BusyPart(uint64_t sent, TimePs now) const
    {
        return now - m_begin >= m_settings.time ? PartSince(sent, now) : m_busyPart;
    }

  private:
    /// A time begins.
    void Begin(uint32_t waiting, uint64_t sent, TimePs now)
    {
        m_begin = now;
        m_sent = sent;
        m_isFull = waiting > m_settings.bytes;
    }

    /// @return bytes that the link can have carried since the time began, or in the last second
    uint64_t Most(TimePs now) const
    {
        constexpr uint32_t MOST = uint32_t{1} << 30;
        constexpr TimePs SECOND = 1'000'000'000'000;
        return std::max<uint64_t>(m_rate.BytesBy(std::min(now - m_begin, SECOND), MOST), 1);
    }

    /// @return whether it was busy since the time began, but for a sixteenth
    bool IsBusy(uint64_t sent, TimePs now) const
    {
        return sent - m_sent >= Most(now) - Most(now) / 16;
    }

    /// @return how busy it was since the time began
    uint32_t PartSince(uint64_t sent, TimePs now) const
    {
        const uint64_t most = Most(now);
        const uint64_t part = ((sent - m_sent) * PARTS + most / 2) / most;
        return static_cast<uint32_t>(std::min<uint64_t>(part, PARTS));
    }

    /// @return times after which upstream is told
    uint32_t Draw()
    {
        return 1 + static_cast<uint32_t>(m_random() % m_settings.spread);
    }

    const RerouteSettings& m_settings; ///< Thresholds.
    LinkRate m_rate;                   ///< Of the link.
    std::minstd_rand m_random;         ///< Draws times.
    uint32_t m_timesLeft;              ///< Until upstream is told.
    uint32_t m_busyPart{0};            ///< Of the last time.
    TimePs m_begin{0};                 ///< Of this time, ps.
    TimePs m_toldAt{-1};               ///< When upstream was told last, -1 for never, ps.
    uint64_t m_sent{0};                ///< Bytes that the link had carried then.
    bool m_isFull{false};              ///< Whether more than the threshold waits since then.
};

} // namespace ns3::fabric

#endif // FABRIC_LINK_OVERLOAD_H
