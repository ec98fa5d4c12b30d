/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RECEIVE_PAUSES_H
#define FABRIC_RECEIVE_PAUSES_H

#include "fabric-frame.h"
#include "fabric-pause-fill.h"
#include "fabric-pause-order.h"
#include "fabric-pause-teller.h"
#include "fabric-ring.h"

#include <algorithm>

namespace ns3::fabric
{

/**
 * The pausing end of a link where that is a host (WL-5): when its receive buffer stops the switch,
 * and when the switch may go on.
 *
 * The buffer is first in, first out and drains at a rate, so its fill is known up to the last frame
 * that the switch has announced, which is later than the host's own time. The fill is followed up
 * to there, and what it asks for from when on is kept; the host reads that in its own time, when it
 * may send a pause.
 *
 * @verbatim
   fill      |....arrival....arrival..x..arrival....|    x: XOFF is passed: kept
                                                    announced so far
   host      |......................|                    here x is not over yet
                                    now
   @endverbatim
 */
class ReceivePauses
{
  public:
    /**
     * @param config thresholds
     * @param bytes room of the buffer
     */
    ReceivePauses(const PauseConfig& config, uint32_t bytes)
        : m_fill(config),
          m_teller(config),
          m_bytes(bytes)
    {
    }

    /**
     * The switch has announced a frame.
     *
     * @param frame its time is the arrival of its tail, not before that of any earlier call, nor
     * before that of any call of HasOrder()
     * @return whether it fits; it does unless a pause was lost or XOFF leaves too little. Then
     * Leave() has to follow
     */
    bool Arrive(const Frame& frame)
    {
        Follow(frame.time);
        const uint32_t bytes = WireBytes(frame.payload);
        if (!m_fill.HasRoom(frame.trafficClass, bytes, m_bytes, frame.time))
        {
            return false;
        }
        m_fill.Arrive(frame.trafficClass, bytes, frame.time);
        Keep(frame.time);
        return true;
    }

    /**
     * @param frame that fits
     * @param end when its last byte has left, not before that of any earlier frame, ps
     */
    void Leave(const Frame& frame, TimePs end)
    {
        m_fill.Leave(frame.trafficClass, WireBytes(frame.payload), end);
    }

    /**
     * To be called when the link is free, at NextTime(), and when that has come earlier by an
     * arrival.
     *
     * @param now the host's time; all that arrives until then has been announced, ps
     * @return whether the switch is to be told something now
     */
    bool HasOrder(TimePs now)
    {
        Follow(now);
        for (; !m_changes.IsEmpty() && m_changes.Front().time <= now; m_changes.Pop())
        {
            m_wanted = m_changes.Front().wanted;
            m_nextOpening = 0;
        }
        return m_teller.IsDue(m_wanted, now);
    }

    /**
     * @param now time of HasOrder(), ps
     * @return what the switch is told now, without the time at which it takes effect there
     */
    PauseOrder TakeOrder(TimePs now)
    {
        return m_teller.Take(m_wanted, now);
    }

    /**
     * @param now time of HasOrder(), ps
     * @return when HasOrder() has to be asked, NEVER for not until something arrives, ps
     */
    TimePs NextTime(TimePs now)
    {
        if (!m_changes.IsEmpty())
        {
            return std::min(m_changes.Front().time, m_teller.RefreshAt());
        }
        if (m_nextOpening <= now)
        {
            m_nextOpening = m_fill.NextChange(); // what arrives makes it later
        }
        return std::min(m_nextOpening, m_teller.RefreshAt());
    }

    /// @return when the fill first asks for something else than it does now, as far as that is
    /// known of what has arrived, NEVER for not, ps
    TimePs NextKnown() const
    {
        return m_changes.IsEmpty() ? NEVER : m_changes.Front().time;
    }

    /// @return whether the switch may send all, and is told nothing unless something arrives
    bool LetsGo() const
    {
        return m_teller.Told() == 0 && m_kept == 0 && m_changes.IsEmpty();
    }

    /// @copydoc PauseTeller::LinkUp()
    void LinkUp()
    {
        m_teller.LinkUp();
    }

    /// @return most bytes that were in the buffer at a time
    uint32_t PeakBytes() const
    {
        return m_fill.PeakBytes();
    }

    /// @return room of the buffer, bytes
    uint32_t Bytes() const
    {
        return m_bytes;
    }

  private:
    /// What the fill asks for from a time on.
    struct Change
    {
        TimePs time;    ///< From then on, ps.
        uint8_t wanted; ///< Bit n: priority n is to be stopped.
    };

    /// Frames leave, and nothing comes before that time any more.
    void Follow(TimePs until)
    {
        for (TimePs at = m_fill.NextLeave(); at <= until; at = m_fill.NextLeave())
        {
            m_fill.Collect(at);
            Keep(at);
        }
    }

    /// Keeps what the fill asks for if that has changed.
    void Keep(TimePs at)
    {
        const uint8_t wanted = m_fill.Wanted();
        if (wanted != m_kept)
        {
            m_kept = wanted;
            m_changes.Push({at, wanted});
        }
    }

    PauseFill m_fill;        ///< Up to what is announced.
    PauseTeller m_teller;    ///< What the switch knows.
    Ring<Change> m_changes;  ///< Not read yet, by time.
    TimePs m_nextOpening{0}; ///< Not before this what leaves changes something, ps.
    uint32_t m_bytes;        ///< Room.
    uint8_t m_kept{0};       ///< The last of m_changes, or m_wanted.
    uint8_t m_wanted{0};     ///< Bit n: priority n is to be stopped, in the host's time.
};

} // namespace ns3::fabric

#endif // FABRIC_RECEIVE_PAUSES_H
