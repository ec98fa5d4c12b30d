/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ARRIVAL_WINDOW_H
#define FABRIC_ARRIVAL_WINDOW_H

#include "fabric-packet-track.h"
#include "fabric-tracking-settings.h"

#include <cstdint>

namespace ns3::fabric
{

/// What a tracked packet that comes is.
enum class TrackVerdict : uint8_t
{
    FRESH, ///< To be taken.
    AGAIN, ///< It has come before: it is answered, and not taken.
    EARLY, ///< One before it is missing, or it is beyond the window: it comes again.
    STALE, ///< Of a connection that has failed.
};

/**
 * Which packets of a connection have come (NQ-11). SINGLE ones are taken whenever they come.
 * ORDERED ones are taken in order; they count as come when they are done, since they may still be
 * refused until then, with all that were taken behind them.
 */
class ArrivalWindow
{
  public:
    /// @return whether a SINGLE packet is to be taken, and then it has come
    TrackVerdict TakeSingle(uint32_t sequence)
    {
        const auto ahead = static_cast<int32_t>(sequence - m_singleBase);
        if (ahead < 0)
        {
            return TrackVerdict::AGAIN;
        }
        if (ahead >= static_cast<int32_t>(MOST_TRACKED))
        {
            return TrackVerdict::EARLY;
        }
        const uint64_t bit = uint64_t{1} << ahead;
        if ((m_singles & bit) != 0)
        {
            return TrackVerdict::AGAIN;
        }
        m_singles |= bit;
        for (; (m_singles & 1) != 0; m_singles >>= 1)
        {
            ++m_singleBase;
        }
        return TrackVerdict::FRESH;
    }

    /// @return whether an ORDERED packet is to be taken; Finish() or Refuse() follows, in order
    TrackVerdict TakeOrdered(uint32_t sequence)
    {
        if (sequence != m_expected)
        {
            const bool isAgain = static_cast<int32_t>(sequence - m_expected) < 0;
            if (!isAgain)
            {
                Miss(sequence);
            }
            return isAgain ? TrackVerdict::AGAIN : TrackVerdict::EARLY;
        }
        ++m_expected;
        m_hasGap = false;
        return TrackVerdict::FRESH;
    }

    /// @return whether the other end has to be told that an ORDERED packet is missing
    bool WantsToTell() const
    {
        return m_tellsGap;
    }

    /// @return whether one was refused, and none was done since
    bool IsRefusing() const
    {
        return m_isRefusing;
    }

    /// The oldest ORDERED packet that was taken is done.
    void Finish()
    {
        ++m_done;
        m_isRefusing = false;
    }

    /// It is refused, with all that were taken behind it: they come again.
    void Refuse()
    {
        m_expected = m_done;
        m_isRefusing = true;
        ++m_turn;
    }

    /// What was refused may come. @return whether anything was
    bool Allow()
    {
        const bool wasRefusing = m_isRefusing;
        m_isRefusing = false;
        return wasRefusing;
    }

    /// @return changes whenever ORDERED packets that were taken are no longer valid
    uint32_t Turn() const
    {
        return m_turn;
    }

    /// @param epoch of the connection @return what the other end has to know, and then does
    PacketAcks Acks(uint8_t epoch)
    {
        const bool isMissing = m_tellsGap && !m_isRefusing;
        m_tellsGap = false;
        return {m_singles,
                m_singleBase,
                m_done,
                epoch,
                m_isRefusing,
                isMissing,
                static_cast<uint8_t>(m_expected - m_done)};
    }

    /// Sequences begin at 0 again.
    void Clear()
    {
        const uint32_t turn = m_turn + 1;
        *this = ArrivalWindow();
        m_turn = turn;
    }

  private:
    /**
     * An ORDERED packet comes before one that is missing. The other end is told once: those behind
     * a gap come in order, and only when they come once more is what was sent again lost, too.
     */
    void Miss(uint32_t sequence)
    {
        const bool isNew = !m_hasGap || static_cast<int32_t>(sequence - m_lastEarly) <= 0;
        m_tellsGap = m_tellsGap || isNew;
        m_hasGap = true;
        m_lastEarly = sequence;
    }

    uint64_t m_singles{0};    ///< Bit i: m_singleBase + i has come.
    uint32_t m_singleBase{0}; ///< The first SINGLE packet that has not come.
    uint32_t m_expected{0};   ///< The next ORDERED packet that is taken.
    uint32_t m_done{0};       ///< The next ORDERED packet that will be done.
    uint32_t m_turn{0};       ///< See Turn().
    uint32_t m_lastEarly{0};  ///< Behind a gap, the last ORDERED packet that has come.
    bool m_hasGap{false};     ///< Whether there is one.
    bool m_tellsGap{false};   ///< Whether the other end has to be told.
    bool m_isRefusing{false}; ///< Whether one was refused, and none was done since.
};

} // namespace ns3::fabric

#endif // FABRIC_ARRIVAL_WINDOW_H
