/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FRAME_ARRIVAL_H
#define FABRIC_FRAME_ARRIVAL_H

#include "fabric-link-rate.h"

#include <algorithm>

namespace ns3::fabric
{

/**
 * How the bytes of a frame come in while it may already be sent on (DP-14): a start and a rate,
 * then 'stops', 'goes on'.
 *
 * Those are told when they take effect, so all that came before the present run is there, and one
 * run is all that has to be known:
 *
 *   state     | event       | next state
 *   ----------+-------------+-----------------------------------------------
 *   flowing   | stops       | stopped: the bytes before are there
 *   stopped   | goes on     | flowing from that byte on
 *
 * A frame that is there from the first to the last byte is one that has stopped at its end.
 *
 * A flit can be sent on from the time at which its first byte takes effect: the receiver's
 * pipeline, whose latency is in that time, contains the reception of a flit.
 */
class FrameArrival
{
  public:
    FrameArrival() = default;

    /**
     * A frame that is there already.
     *
     * @param bytes of the frame on the wire
     */
    explicit FrameArrival(uint32_t bytes)
        : m_bytes(bytes),
          m_first(bytes)
    {
    }

    /**
     * A frame whose head takes effect now.
     *
     * @param rate of the link on which it comes
     * @param bytes of the frame on the wire
     */
    FrameArrival(TimePs head, const LinkRate& rate, uint32_t bytes)
        : m_start(head),
          m_rate(rate),
          m_bytes(bytes),
          m_flows(true)
    {
    }

    /// @return bytes of the frame on the wire
    uint32_t Bytes() const
    {
        return m_bytes;
    }

    /// @return first byte of the present run; of a frame that has stopped, the bytes that are there
    uint32_t FirstByte() const
    {
        return m_first;
    }

    /// @return when the present run has begun, ps
    TimePs Start() const
    {
        return m_start;
    }

    /// @return bytes that are there or will come if nothing else is told
    uint32_t KnownBytes() const
    {
        return m_flows ? m_bytes : m_first;
    }

    /// @return when the last byte takes effect if nothing else is told, NEVER if stopped before, ps
    TimePs TailAt() const
    {
        return m_flows ? m_start + m_rate.TxTime(m_bytes - m_first)
                       : (m_first == m_bytes ? m_start : NEVER);
    }

    /**
     * @param byte of the present run
     * @return when the run reaches it: all bytes before have taken effect, ps
     */
    TimePs ReachesAt(uint32_t byte) const
    {
        return m_start + m_rate.TxTime(byte - m_first);
    }

    /**
     * The sender has interrupted the frame.
     *
     * @param byte the first one that was not sent
     */
    void Stop(uint32_t byte)
    {
        m_first = byte;
        m_flows = false;
    }

    /**
     * The sender goes on with the frame, where it stopped.
     *
     * @param now the time at which that takes effect, ps
     */
    void GoOn(TimePs now)
    {
        m_start = now;
        m_flows = true;
    }

    /**
     * When the frame can be sent, or go on to be sent, so that the wire does not run dry before all
     * that is known to come has left. From a faster or equal link that is when the next flit is
     * there. From a slower one it is just so late that the last flit is there in time, so the tail
     * leaves no later than if every flit were sent as soon as it came.
     *
     * @param sent bytes that were sent, whole flits
     * @param rate of the wire
     * @param flit bytes
     * @return that time, which may be past, NEVER if there is nothing to be sent, ps
     */
    TimePs ReadyAt(uint32_t sent, const LinkRate& rate, uint32_t flit) const
    {
        if (sent >= KnownBytes())
        {
            return NEVER;
        }
        if (!m_flows)
        {
            return 0;
        }
        // The time from the start of sending to each flit, and to its arrival, are straight lines
        // over its number, so that one of the two ends decides.
        const uint32_t next = std::max(sent, m_first);
        const uint32_t last = std::max(next, (m_bytes - 1) / flit * flit);
        return m_start + std::max(m_rate.LongerThan(next - m_first, rate, next - sent),
                                  m_rate.LongerThan(last - m_first, rate, last - sent));
    }

  private:
    TimePs m_start{0};   ///< When the first byte of the present run takes effect, ps.
    LinkRate m_rate;     ///< Of the link on which it comes.
    uint32_t m_bytes{0}; ///< Of the frame on the wire.
    uint32_t m_first{0}; ///< First byte of the present run.
    bool m_flows{false}; ///< Whether the present run goes on to the end.
};

} // namespace ns3::fabric

#endif // FABRIC_FRAME_ARRIVAL_H
