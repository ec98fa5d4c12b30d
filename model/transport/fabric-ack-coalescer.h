/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ACK_COALESCER_H
#define FABRIC_ACK_COALESCER_H

#include "fabric-types.h"

#include <algorithm>

namespace ns3
{
namespace fabric
{

/**
 * When a stand-alone ACK is due (RT-9).
 *
 * | state   | event                            | next    |
 * |---------|----------------------------------|---------|
 * | nothing | a packet to acknowledge          | waiting |
 * | nothing | duplicate below the window       | due     |
 * | waiting | so many packets, or so long      | due     |
 * | waiting | all of it piggybacked            | nothing |
 * | due     | ACK sent, or all of it piggybacked | nothing |
 */
class AckCoalescer
{
  public:
    /**
     * A packet may be acknowledged now.
     *
     * @param now the time, ps
     * @param delay how long it may wait, ps
     */
    void Count(TimePs now, TimePs delay)
    {
        ++m_packets;
        Arm(now, delay);
    }

    /// There is news that may wait, but no packet to acknowledge. @copydetails Count()
    void Arm(TimePs now, TimePs delay)
    {
        m_deadline = std::min(m_deadline, now + delay);
    }

    /// An ACK is due at once.
    void Force()
    {
        m_deadline = 0;
    }

    /// All that there is to say has been said.
    void Clear()
    {
        m_packets = 0;
        m_deadline = NEVER;
    }

    /**
     * @param now the time, ps
     * @param packets how many are acknowledged at once
     * @return whether a stand-alone ACK is due
     */
    bool IsDue(TimePs now, uint32_t packets) const
    {
        return m_packets >= packets || m_deadline <= now;
    }

    /// @return when it is due by time, ps; NEVER if there is nothing to say
    TimePs Deadline() const
    {
        return m_deadline;
    }

  private:
    TimePs m_deadline{NEVER}; ///< ps.
    uint32_t m_packets{0};    ///< To be acknowledged.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_ACK_COALESCER_H
