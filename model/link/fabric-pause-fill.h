/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAUSE_FILL_H
#define FABRIC_PAUSE_FILL_H

#include "fabric-pause-order.h"
#include "fabric-shared-memory.h"
#include "fabric-timed-ring.h"
#include "fabric-types.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace ns3::fabric
{

/// Fills of a buffer at which a pause begins and ends.
struct PauseThresholds
{
    uint32_t xoffBytes{0}; ///< Above it, the sender is stopped.
    uint32_t xonBytes{0};  ///< At or below it, the sender may go on; at most xoffBytes.
};

/// Settings of a buffer that is guarded by pauses; MakePauseConfig() makes consistent ones.
struct PauseConfig
{
    bool perPriority{false};   ///< Priorities are stopped one by one; else the whole link.
    PauseThresholds priority;  ///< Of each priority; of the link if it is stopped as a whole.
    PauseThresholds port;      ///< Of all priorities together: the last guard of the buffer.
    PauseThresholds waiting;   ///< Of the frames that wait for a flow_id (FC-9).
    uint32_t headroomBytes{0}; ///< Of each priority, beside a memory that ports share.
    TimePs pauseTime{0};       ///< Length of a pause, ps.
    TimePs refreshAfter{0};    ///< An order is repeated so long after the last one, ps.
};

/**
 * What is in a buffer that is guarded by pauses (WL-5, FC-9), and which priorities have to be
 * stopped for it.
 *
 * A fill `closes` when it passes its XOFF threshold and `opens` when it is down to its XON
 * threshold. A priority is to be stopped while its own fill, the fill of the whole port, or that of
 * the queue of frames without a flow_id (EIQ) is closed; the latter two stop every priority, since
 * whatever comes would take the last room or wait behind that queue.
 *
 * Where ports share a memory, XOFF is its limit at the time, which falls as it fills. What comes
 * above it is in the headroom of its priority. A fill closes by what comes alone, and opens only
 * when nothing is left in the headroom.
 *
 * A frame that is sent on takes its room until its tail has left; Leave() is told of it before, so
 * the end is kept in a ring that is read lazily (DP-13).
 */
class PauseFill
{
  public:
    /// @param memory that ports share; null if the buffer is the port's own
    explicit PauseFill(const PauseConfig& config, SharedMemory* memory = nullptr)
        : m_config(config),
          m_memory(memory)
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
        if (m_memory)
        {
            TakeMemory(lane, bytes, now);
        }
        SetFill(m_levels, lane, m_levels.lanes[lane] + bytes, m_levels.port + bytes, LimitsAt(now));
        m_peakBytes = std::max(m_peakBytes, m_levels.port);
    }

    /**
     * @param trafficClass FTAG
     * @param bytes of a frame that has come
     * @param totalBytes size of the buffer, if it is the port's own
     * @return whether it fits; it does unless a pause was lost
     */
    bool HasRoom(uint32_t trafficClass, uint32_t bytes, uint32_t totalBytes, TimePs now)
    {
        Collect(now);
        if (!m_memory)
        {
            return m_levels.port + bytes <= totalBytes;
        }
        const uint32_t lane = LaneOf(trafficClass);
        return FitsMemory(lane, bytes, now) ||
               m_levels.headroom[lane] + bytes <= m_config.headroomBytes;
    }

    /**
     * A frame leaves the buffer.
     *
     * @param trafficClass FTAG
     * @param end when it has left, ps
     */
    void Leave(uint32_t trafficClass, uint32_t bytes, TimePs end)
    {
        // Frames of one input leave by several outputs, so a later one may have left earlier.
        const uint32_t lane = LaneOf(trafficClass);
        const uint32_t own = m_memory ? std::min(m_headroomHeld[lane], bytes) : 0;
        m_leaving.Push({end, bytes, lane, own});
        if (m_memory)
        {
            m_headroomHeld[lane] -= own;
            m_memory->Leave(bytes - own, end);
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

    /// Frames that have left until now give their room back.
    void Collect(TimePs now)
    {
        for (; m_leaving.Earliest() <= now; m_leaving.Pop())
        {
            TakeOut(m_levels, m_leaving.Front(), LimitsAt(now));
        }
    }

    /// @return bit n: priority n is to be stopped
    uint8_t Wanted() const
    {
        return WantedAt(m_levels);
    }

    /// @return when the next frame has left, NEVER for none, ps
    TimePs NextLeave() const
    {
        return m_leaving.Earliest();
    }

    /// @return when, if nothing comes, Wanted() changes by what leaves the port's own buffer; NEVER
    /// for not at all, ps
    TimePs NextChange() const
    {
        const uint8_t wanted = Wanted();
        if (wanted == 0)
        {
            return NEVER;
        }
        Levels levels = m_levels;
        for (uint32_t i = 0; i < m_leaving.Size(); ++i)
        {
            TakeOut(levels, m_leaving.At(i), m_config.priority);
            if (WantedAt(levels) != wanted)
            {
                return m_leaving.At(i).at;
            }
        }
        return NEVER;
    }

    /**
     * @param trafficClass FTAG
     * @param now time, ps; not before that of any earlier call
     * @return bytes of it that may come before it is to be stopped
     */
    uint32_t FreeBytes(uint32_t trafficClass, TimePs now)
    {
        Collect(now);
        const auto below = [](uint32_t bytes, const PauseThresholds& thresholds) {
            return thresholds.xoffBytes - std::min(bytes, thresholds.xoffBytes);
        };
        return std::min(below(m_levels.lanes[LaneOf(trafficClass)], LimitsAt(now)),
                        below(m_levels.port, m_config.port));
    }

    /// @return the settings
    const PauseConfig& GetConfig() const
    {
        return m_config;
    }

    /// @return bytes in the buffer that no Leave() was called for
    uint32_t HeldBytes() const
    {
        return m_levels.port - m_leaving.Bytes();
    }

    /// @return bytes in the shared memory that no Leave() was called for
    uint32_t SharedBytes() const
    {
        return HeldBytes() - std::accumulate(m_headroomHeld.begin(), m_headroomHeld.end(), 0U);
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
        TimePs at;      ///< When its tail has left, ps.
        uint32_t bytes; ///< Its room.
        uint32_t lane;  ///< Its priority, 0 if the link is stopped as a whole.
        uint32_t own;   ///< Bytes of it that were in the headroom.
    };

    /// What is in the buffer.
    struct Levels
    {
        std::array<uint32_t, PAUSE_PRIORITIES> lanes{};    ///< Bytes of each priority.
        std::array<uint32_t, PAUSE_PRIORITIES> headroom{}; ///< Of these: in its headroom.
        uint32_t port{0};                                  ///< Bytes in all.
        uint8_t closed{0};                                 ///< Bit n: fill n is closed.
        bool isPortClosed{false};                          ///< Whether the fill of all is closed.
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

    /// @return where a priority closes and opens now
    PauseThresholds LimitsAt(TimePs now) const
    {
        if (!m_memory)
        {
            return m_config.priority;
        }
        const uint32_t xoff = m_memory->PauseLimit(now);
        return {xoff, xoff - std::min(xoff, m_memory->Settings().xonGapBytes)};
    }

    /// @return whether a frame that has come has room in the memory that ports share
    bool FitsMemory(uint32_t lane, uint32_t bytes, TimePs now) const
    {
        return bytes <= m_memory->Free(now) &&
               m_levels.lanes[lane] + bytes <= m_memory->PauseLimit(now);
    }

    /// A frame that has come gets room in the memory, or else in the headroom.
    void TakeMemory(uint32_t lane, uint32_t bytes, TimePs now)
    {
        if (FitsMemory(lane, bytes, now))
        {
            m_memory->Take(bytes);
            return;
        }
        m_levels.headroom[lane] += bytes;
        m_headroomHeld[lane] += bytes;
    }

    /// Sets the fill of a priority and of the port.
    void SetFill(Levels& levels,
                 uint32_t lane,
                 uint32_t bytes,
                 uint32_t portBytes,
                 const PauseThresholds& limits) const
    {
        const uint32_t bit = 1U << lane;
        const bool closed =
            levels.headroom[lane] != 0 || IsClosed((levels.closed & bit) != 0, bytes, limits);
        levels.closed = static_cast<uint8_t>((levels.closed & ~bit) | (closed ? bit : 0U));
        levels.lanes[lane] = bytes;
        levels.isPortClosed = IsClosed(levels.isPortClosed, portBytes, m_config.port);
        levels.port = portBytes;
    }

    /// A frame has left.
    void TakeOut(Levels& levels, const Leaving& left, const PauseThresholds& limits) const
    {
        const uint8_t closed = levels.closed;
        levels.headroom[left.lane] -= left.own;
        SetFill(levels,
                left.lane,
                levels.lanes[left.lane] - left.bytes,
                levels.port - left.bytes,
                limits);
        levels.closed &= closed; // also where the limit has fallen meanwhile
    }

    /// Sets the bytes that wait for a flow_id.
    void SetWaiting(uint32_t bytes)
    {
        m_waitingClosed = IsClosed(m_waitingClosed, bytes, m_config.waiting);
        m_waitingBytes = bytes;
    }

    /// @return bit n: priority n is to be stopped
    uint8_t WantedAt(const Levels& levels) const
    {
        return levels.isPortClosed || m_waitingClosed ? ALL_PRIORITIES : Spread(levels.closed);
    }

    /**
     * @param lanes bit n: fill n
     * @return bit n: priority n
     */
    uint8_t Spread(uint8_t lanes) const
    {
        return m_config.perPriority || lanes == 0 ? lanes : ALL_PRIORITIES;
    }

    PauseConfig m_config;   ///< Settings.
    SharedMemory* m_memory; ///< That ports share; null if the buffer is the port's own.
    Levels m_levels;        ///< What is in the buffer.
    /// Bytes in the headroom of each priority that no Leave() was called for.
    std::array<uint32_t, PAUSE_PRIORITIES> m_headroomHeld{};
    TimedRing<Leaving> m_leaving; ///< Of that: by the end of their stay.
    uint32_t m_waitingBytes{0};   ///< Of that: waiting for a flow_id.
    uint32_t m_peakBytes{0};      ///< Most bytes in the buffer at a time.
    bool m_waitingClosed{false};  ///< Whether the waiting frames' fill is closed.
};

} // namespace ns3::fabric

#endif // FABRIC_PAUSE_FILL_H
