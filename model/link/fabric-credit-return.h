/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CREDIT_RETURN_H
#define FABRIC_CREDIT_RETURN_H

#include "fabric-credit-order.h"
#include "fabric-credit-settings.h"
#include "fabric-timed-ring.h"

#include <algorithm>
#include <array>

namespace ns3::fabric
{

/**
 * The receiver of a link that tells of room in its buffer in frames (WL-5): what became free, and
 * when it is to be told.
 *
 * A frame is due
 * - when `thresholdBytes` are free of which no frame has told,
 * - `longest` after the first of them became free,
 * - `refresh` after a frame that was lost.
 *
 * A frame says how much became free since the start, so the next one makes good what was lost. Its
 * receiver takes the difference to what it heard last; since it hears of what was not lost, that is
 * counted here.
 */
class CreditReturn
{
  public:
    /// @param channels virtual channels in use
    CreditReturn(const CreditSettings& settings, uint32_t channels)
        : m_settings(settings)
    {
        m_order.channels = channels;
    }

    /// @return virtual channels in use
    uint32_t Channels() const
    {
        return m_order.channels;
    }

    /**
     * A frame leaves the buffer. Frames leave by several outputs, so a later one may have left
     * earlier.
     *
     * @param vc by which it came
     * @param bytes of it on the wire
     * @param end when its tail has left, ps
     * @return whether DueAt() is earlier than it was
     */
    bool Leave(uint32_t vc, uint32_t bytes, TimePs end)
    {
        m_leaving.Push({end, bytes, vc});
        return Plan();
    }

    /// @return when a frame is due if nothing else leaves the buffer, NEVER for never, ps
    TimePs DueAt() const
    {
        return m_dueAt;
    }

    /// @return whether a frame is due. @param now time, ps; not before that of any earlier call
    bool IsDue(TimePs now)
    {
        for (; m_leaving.Earliest() <= now; m_leaving.Pop())
        {
            const Leaving& left = m_leaving.Front();
            m_order.freed[left.vc] += left.bytes;
            m_firstAt = m_untold == 0 ? left.at : m_firstAt;
            m_untold += left.bytes;
        }
        return m_dueAt <= now;
    }

    /// @return what a frame says that goes now; Arrive() or Lose() has to follow
    const CreditOrder& Take()
    {
        m_untold = 0;
        return m_order;
    }

    /**
     * The frame of Take() arrives.
     *
     * @param give is called for each channel with room that is new to the sender:
     * `void give(uint32_t vc, uint32_t bytes)`
     */
    template <typename Give>
    void Arrive(Give&& give)
    {
        for (uint32_t vc = 0; vc < m_order.channels; ++vc)
        {
            if (const uint32_t bytes = m_order.freed[vc] - m_heard[vc]; bytes != 0)
            {
                give(vc, bytes);
            }
        }
        m_heard = m_order.freed;
        m_repeatAt = NEVER;
        Renew();
    }

    /// The frame of Take(), sent now, is lost.
    void Lose(TimePs now)
    {
        m_repeatAt = now + m_settings.refresh;
        Renew();
    }

    /// @return bytes of a channel that have left the buffer, or will, and that the sender has not
    /// heard of
    uint32_t Unheard(uint32_t vc) const
    {
        uint32_t bytes = m_order.freed[vc] - m_heard[vc];
        for (uint32_t i = 0; i < m_leaving.Size(); ++i)
        {
            bytes += m_leaving.At(i).vc == vc ? m_leaving.At(i).bytes : 0;
        }
        return bytes;
    }

  private:
    /// A frame that is being sent on.
    struct Leaving
    {
        TimePs at;      ///< When its tail has left, ps.
        uint32_t bytes; ///< Its room.
        uint32_t vc;    ///< By which it came.
    };

    /// Plans the next frame anew.
    void Renew()
    {
        m_dueAt = NEVER;
        Plan();
    }

    /// Plans the next frame, if it is due earlier than planned. @return whether it is
    bool Plan()
    {
        uint32_t bytes = m_untold;
        TimePs due = std::min(m_repeatAt, bytes == 0 ? NEVER : m_firstAt + m_settings.longest);
        for (uint32_t i = 0; i < m_leaving.Size() && m_leaving.At(i).at < due; ++i)
        {
            const TimePs at = m_leaving.At(i).at;
            due = bytes == 0 ? std::min(due, at + m_settings.longest) : due;
            bytes += m_leaving.At(i).bytes;
            due = bytes >= m_settings.thresholdBytes ? at : due;
        }
        const bool isEarlier = due < m_dueAt;
        m_dueAt = std::min(m_dueAt, due);
        return isEarlier;
    }

    CreditSettings m_settings;                        ///< When frames go.
    CreditOrder m_order;                              ///< What became free.
    std::array<uint32_t, VIRTUAL_CHANNELS> m_heard{}; ///< What frames said that arrived.
    TimedRing<Leaving> m_leaving;                     ///< What becomes free.
    uint32_t m_untold{0};                             ///< Free since the last frame, bytes.
    TimePs m_firstAt{0};                              ///< When the first of that was, ps.
    TimePs m_repeatAt{NEVER};                         ///< When what was lost is repeated, ps.
    TimePs m_dueAt{NEVER};                            ///< When the next frame is due, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_CREDIT_RETURN_H
