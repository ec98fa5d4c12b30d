/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAUSE_TELLER_H
#define FABRIC_PAUSE_TELLER_H

#include "fabric-pause-fill.h"

namespace ns3::fabric
{

/**
 * What the pausing end of a link has told the sender, and when that has to be told something else
 * (WL-5).
 *
 * | told the sender | to be stopped | what Take() says                                | told next |
 * |-----------------|---------------|-------------------------------------------------|-----------|
 * | go              | no            | nothing                                         | go        |
 * | go              | yes           | XOFF                                            | stop      |
 * | stop            | yes           | XOFF again once `refreshAfter` has passed       | stop      |
 * | stop            | no            | XON                                             | go        |
 *
 * One order speaks of all priorities: whenever one is sent, it refreshes all those that stay
 * stopped.
 */
class PauseTeller
{
  public:
    explicit PauseTeller(const PauseConfig& config)
        : m_pauseTime(config.pauseTime),
          m_refreshAfter(config.refreshAfter)
    {
    }

    /**
     * @param wanted bit n: priority n is to be stopped
     * @param now time, ps
     * @return whether the sender is to be told something now
     */
    bool IsDue(uint8_t wanted, TimePs now) const
    {
        return wanted != m_told || now >= m_refreshAt;
    }

    /**
     * @param wanted bit n: priority n is to be stopped
     * @param now time of IsDue(), ps
     * @return what the sender is told now, without the time at which it takes effect there
     */
    PauseOrder Take(uint8_t wanted, TimePs now)
    {
        PauseOrder order;
        order.lasts = m_pauseTime;
        order.stop = wanted;
        order.go = m_told & static_cast<uint8_t>(~wanted);
        m_told = wanted;
        m_refreshAt = wanted != 0 ? now + m_refreshAfter : NEVER;
        return order;
    }

    /// @return when the last order is to be repeated, NEVER for not, ps
    TimePs RefreshAt() const
    {
        return m_refreshAt;
    }

    /// @return bit n: the sender was told to stop priority n
    uint8_t Told() const
    {
        return m_told;
    }

    /// The link is in use again after a failure, which has made the sender forget its pauses.
    void LinkUp()
    {
        m_told = 0;
        m_refreshAt = NEVER;
    }

  private:
    TimePs m_pauseTime;        ///< Length of a pause, ps.
    TimePs m_refreshAfter;     ///< An order is repeated so long after the last one, ps.
    TimePs m_refreshAt{NEVER}; ///< When the last order is repeated, ps.
    uint8_t m_told{0};         ///< Bit n: the sender was told to stop priority n.
};

} // namespace ns3::fabric

#endif // FABRIC_PAUSE_TELLER_H
