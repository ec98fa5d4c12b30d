/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAUSE_CONTROLLER_H
#define FABRIC_PAUSE_CONTROLLER_H

#include "fabric-pause-order.h"
#include "fabric-pause.h"
#include "fabric-ring.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace ns3::fabric
{

/// Fills of a buffer at which a pause begins and ends.
struct PauseThresholds
{
    uint32_t xoffBytes{0}; ///< Above it, the sender is stopped.
    uint32_t xonBytes{0};  ///< At or below it, the sender may go on; at most xoffBytes.
};

/**
 * The pausing end of a link (WL-5, FC-9): from what comes into the input buffer and leaves it,
 * decides when the sender has to be stopped and when it may go on.
 *
 * A fill `closes` when it passes its XOFF threshold and `opens` when it is down to its XON
 * threshold. A priority is to be stopped while its own fill, the fill of the whole port, or that of
 * the queue of frames without a flow_id (EIQ) is closed; the latter two stop every priority, since
 * whatever comes would take the last room or wait behind that queue.
 *
 * | told the sender | to be stopped | what Decide() does                             | told next |
 * |-----------------|---------------|------------------------------------------------|-----------|
 * | go              | no            | nothing                                        | go        |
 * | go              | yes           | XOFF                                           | stop      |
 * | stop            | yes           | XOFF again once `refreshAfter` has passed      | stop      |
 * | stop            | no            | XON                                            | go        |
 *
 * One order speaks of all priorities: whenever one is sent, it refreshes all those that stay
 * stopped.
 *
 * A frame that is sent on takes its room until its tail has left; Leave() is told of it before, so
 * the end is kept in a ring that is read lazily (DP-13).
 */
class PauseController
{
  public:
    /// Settings; MakePauseController() makes consistent ones.
    struct Config
    {
        bool perPriority{false};  ///< Priorities are stopped one by one; else the whole link.
        PauseThresholds priority; ///< Of each priority; of the link if it is stopped as a whole.
        PauseThresholds port;     ///< Of all priorities together: the last guard of the buffer.
        PauseThresholds waiting;  ///< Of the frames that wait for a flow_id (FC-9).
        TimePs pauseTime{0};      ///< Length of a pause, ps.
        TimePs refreshAfter{0};   ///< An order is repeated so long after the last one, ps.
    };

    /// @param config settings
    explicit PauseController(const Config& config)
        : m_config(config)
    {
    }

    /**
     * A frame has come into the buffer.
     *
     * @param trafficClass FTAG; its lowest three bits are the priority
     * @param now time, ps; not before that of any earlier call
     */
    void Arrive(uint32_t trafficClass, uint32_t bytes, TimePs now)
    {
        Collect(now);
        const uint32_t lane = LaneOf(trafficClass);
        SetFill(lane, m_fill[lane] + bytes, m_portFill + bytes);
        m_peakBytes = std::max(m_peakBytes, m_portFill);
    }

    /**
     * @param bytes of a frame that has come
     * @param totalBytes size of the buffer
     * @return whether it fits; it does unless a pause was lost
     */
    bool HasRoom(uint32_t bytes, uint32_t totalBytes, TimePs now)
    {
        Collect(now);
        return m_portFill + bytes <= totalBytes;
    }

    /**
     * A frame leaves the buffer.
     *
     * @param trafficClass FTAG
     * @param end when it has left, ps
     */
    void Leave(uint32_t trafficClass, uint32_t bytes, TimePs end)
    {
        m_leaving.Push({end, bytes, LaneOf(trafficClass)});
        for (uint32_t i = m_leaving.Size() - 1; i > 0 && m_leaving.At(i - 1).end > end; --i)
        {
            // Frames of one input leave by several outputs, so a later one may have left earlier.
            std::swap(m_leaving.At(i), m_leaving.At(i - 1));
        }
    }

    /// @param bytes of a frame in the buffer that begins to wait for a flow_id
    void BeginWait(uint32_t bytes)
    {
        SetWaiting(m_waitingBytes + bytes);
    }

    /// @param bytes of a frame in the buffer that waits for a flow_id no longer
    void EndWait(uint32_t bytes)
    {
        SetWaiting(m_waitingBytes - bytes);
    }

    /// @return whether HasOrder(), as far as Arrive(), BeginWait() and EndWait() know
    bool IsDue(TimePs now) const
    {
        return Wanted() != m_told || now >= m_refreshAt;
    }

    /**
     * To be called when the link is free, at NextTime() and when IsDue().
     *
     * @param now time, ps; not before that of any earlier call
     * @return whether the sender is to be told something now
     */
    bool HasOrder(TimePs now)
    {
        Collect(now);
        return IsDue(now);
    }

    /**
     * @param now time of HasOrder(), ps
     * @return what the sender is told now, without the time at which it takes effect there
     */
    PauseOrder TakeOrder(TimePs now)
    {
        const uint8_t wanted = Wanted();
        PauseOrder order;
        order.lasts = m_config.pauseTime;
        order.stop = Spread(wanted);
        order.go = Spread(m_told & static_cast<uint8_t>(~wanted));
        m_told = wanted;
        m_refreshAt = wanted != 0 ? now + m_config.refreshAfter : NEVER;
        return order;
    }

    /// @return when HasOrder() has to be asked though nothing arrives, after it was asked, NEVER
    /// for not, ps
    TimePs NextTime() const
    {
        if (m_told == 0)
        {
            return NEVER;
        }
        return m_leaving.IsEmpty() ? m_refreshAt : std::min(m_refreshAt, m_leaving.Front().end);
    }

    /// The link is in use again after a failure, which has made the sender forget its pauses.
    void LinkUp()
    {
        m_told = 0;
        m_refreshAt = NEVER;
    }

    /// @return whether the sender is told to stop something
    bool IsStopping() const
    {
        return m_told != 0;
    }

    /// @return the settings
    const Config& GetConfig() const
    {
        return m_config;
    }

    /// @return bytes in the buffer that no Leave() was called for
    uint32_t HeldBytes() const
    {
        uint32_t bytes = m_portFill;
        for (uint32_t i = 0; i < m_leaving.Size(); ++i)
        {
            bytes -= m_leaving.At(i).bytes;
        }
        return bytes;
    }

    /// @return bytes that wait for a flow_id
    uint32_t WaitingBytes() const
    {
        return m_waitingBytes;
    }

    /// @return most bytes that were in the buffer at a time, with frames whose tail had not left
    uint32_t PeakBytes() const
    {
        return m_peakBytes;
    }

  private:
    /// A frame that is being sent on.
    struct Leaving
    {
        TimePs end;     ///< When its tail has left, ps.
        uint32_t bytes; ///< Its room.
        uint32_t lane;  ///< Its priority, 0 if the link is stopped as a whole.
    };

    /**
     * @param trafficClass FTAG
     * @return index of the fill that it counts to
     */
    uint32_t LaneOf(uint32_t trafficClass) const
    {
        return m_config.perPriority ? trafficClass % PAUSE_PRIORITIES : 0;
    }

    /**
     * @param closed whether a fill is closed
     * @param bytes its new value
     * @return whether it is closed now
     */
    static bool IsClosed(bool closed, uint32_t bytes, const PauseThresholds& thresholds)
    {
        return bytes > (closed ? thresholds.xonBytes : thresholds.xoffBytes);
    }

    /// Sets the fill of a priority and of the port.
    void SetFill(uint32_t lane, uint32_t bytes, uint32_t portBytes)
    {
        const uint32_t bit = 1U << lane;
        const bool closed = IsClosed((m_closed & bit) != 0, bytes, m_config.priority);
        m_closed = static_cast<uint8_t>((m_closed & ~bit) | (closed ? bit : 0U));
        m_fill[lane] = bytes;
        m_portClosed = IsClosed(m_portClosed, portBytes, m_config.port);
        m_portFill = portBytes;
    }

    /// Sets the bytes that wait for a flow_id.
    void SetWaiting(uint32_t bytes)
    {
        m_waitingClosed = IsClosed(m_waitingClosed, bytes, m_config.waiting);
        m_waitingBytes = bytes;
    }

    /// Frames that have left until now give their room back.
    void Collect(TimePs now)
    {
        for (; !m_leaving.IsEmpty() && m_leaving.Front().end <= now; m_leaving.Pop())
        {
            const Leaving& left = m_leaving.Front();
            SetFill(left.lane, m_fill[left.lane] - left.bytes, m_portFill - left.bytes);
        }
    }

    /// @return bit n: fill n is to be stopped
    uint8_t Wanted() const
    {
        return m_portClosed || m_waitingClosed ? AllLanes() : m_closed;
    }

    /// @return a bit for every fill
    uint8_t AllLanes() const
    {
        return m_config.perPriority ? ALL_PRIORITIES : 1;
    }

    /**
     * @param lanes bit n: fill n
     * @return bit n: priority n
     */
    uint8_t Spread(uint8_t lanes) const
    {
        return m_config.perPriority || lanes == 0 ? lanes : ALL_PRIORITIES;
    }

    static constexpr uint8_t ALL_PRIORITIES = (1U << PAUSE_PRIORITIES) - 1; ///< A bit for each.

    Config m_config;                                 ///< Settings.
    std::array<uint32_t, PAUSE_PRIORITIES> m_fill{}; ///< Bytes in the buffer of each priority.
    Ring<Leaving> m_leaving;                         ///< Among them, by the end of their stay.
    uint32_t m_portFill{0};                          ///< Bytes in the buffer.
    uint32_t m_waitingBytes{0};                      ///< Among them: waiting for a flow_id.
    uint32_t m_peakBytes{0};                         ///< Most bytes in the buffer at a time.
    TimePs m_refreshAt{NEVER};                       ///< When the last order is repeated, ps.
    uint8_t m_closed{0};                             ///< Bit n: fill n is closed.
    uint8_t m_told{0};                               ///< Bit n: the sender was told to stop fill n.
    bool m_portClosed{false};                        ///< Whether the fill of the port is closed.
    bool m_waitingClosed{false}; ///< Whether the waiting frames' fill is closed.
};

} // namespace ns3::fabric

#endif // FABRIC_PAUSE_CONTROLLER_H
