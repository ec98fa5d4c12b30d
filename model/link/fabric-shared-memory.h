/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SHARED_MEMORY_H
#define FABRIC_SHARED_MEMORY_H

#include "fabric-timed-ring.h"
#include "fabric-types.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace ns3::fabric
{

/// A memory that the ports of a switch share, and how it is divided.
struct SharedMemorySettings
{
    /// Beside the headroom of each port, bytes; 0 if each input has a buffer of its own.
    uint32_t bytes{0};
    /// Part of what is free that a priority of an input may have before its sender is paused. 1 is
    /// what DCQCN's authors had (Zhu et al., SIGCOMM'15: beta = 8 for eight priorities).
    double pauseAlpha{1};
    /// Part of what is free that may wait for an output on a lossy virtual channel, as in Choudhury
    /// and Hahne, IEEE/ACM Trans. Networking 6(2), 1998.
    double lossyAlpha{1};
    /// So much below its limit a paused sender may go on, bytes. A largest frame, as Mellanox sets
    /// it (mlx5 of Linux).
    uint32_t xonGapBytes{WireBytes(JUMBO_PAYLOAD)};

    /// @return whether there is one
    bool IsOn() const
    {
        return bytes != 0;
    }

    /// @return the attribute of a memory that there is not; null if there is none, or a memory
    const char* IdleAttribute() const
    {
        const SharedMemorySettings usual;
        if (IsOn())
        {
            return nullptr;
        }
        return pauseAlpha != usual.pauseAlpha     ? "SharedPauseAlpha"
               : lossyAlpha != usual.lossyAlpha   ? "SharedLossyAlpha"
               : xonGapBytes != usual.xonGapBytes ? "SharedXonGap"
                                                  : nullptr;
    }
};

/**
 * The memory of a switch that its ports share, divided by dynamic thresholds: what one queue may
 * hold is a multiple, alpha, of what is free. n queues that want more than they may have hold
 * alpha / (1 + n alpha) of it each, and leave the rest to others that come.
 *
 * A frame that is sent on takes its room until its tail has left; Leave() is told of it before, so
 * the end is kept in a ring that is read lazily (DP-13).
 */
class SharedMemory
{
  public:
    explicit SharedMemory(const SharedMemorySettings& settings)
        : m_settings(settings)
    {
    }

    /// @param now time, ps; not before that of any earlier call @return bytes that nobody has
    uint32_t Free(TimePs now)
    {
        for (; m_leaving.Earliest() <= now; m_leaving.Pop())
        {
            m_usedBytes -= m_leaving.Front().bytes;
        }
        return m_settings.bytes - m_usedBytes;
    }

    /// @param bytes of a frame that has come, at most Free()
    void Take(uint32_t bytes)
    {
        m_usedBytes += bytes;
        m_peakBytes = std::max(m_peakBytes, m_usedBytes);
    }

    /// @param bytes of a frame that leaves @param end when it has left, ps
    void Leave(uint32_t bytes, TimePs end)
    {
        m_leaving.Push({end, bytes});
    }

    /// @return bytes above which the sender of a priority is paused
    uint32_t PauseLimit(TimePs now)
    {
        return Part(m_settings.pauseAlpha, now);
    }

    /// @return bytes waiting for an output on a lossy channel from which on frames for it are
    /// dropped
    uint32_t LossyLimit(TimePs now)
    {
        return Part(m_settings.lossyAlpha, now);
    }

    /// @return the settings
    const SharedMemorySettings& Settings() const
    {
        return m_settings;
    }

    /// @return bytes that no Leave() was called for
    uint32_t HeldBytes() const
    {
        return m_usedBytes - m_leaving.Bytes();
    }

    /// @return most bytes that were in use at a time, with frames whose tail had not left
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
    };

    /// @return alpha times what is free, bytes
    uint32_t Part(double alpha, TimePs now)
    {
        const double part = alpha * Free(now);
        return static_cast<uint32_t>(
            std::min<double>(part, std::numeric_limits<uint32_t>::max() / 2));
    }

    SharedMemorySettings m_settings; ///< How it is divided.
    TimedRing<Leaving> m_leaving;    ///< By the end of their stay.
    uint32_t m_usedBytes{0};         ///< In use.
    uint32_t m_peakBytes{0};         ///< Most in use at a time.
};

} // namespace ns3::fabric

#endif // FABRIC_SHARED_MEMORY_H
