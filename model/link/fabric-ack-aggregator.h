/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ACK_AGGREGATOR_H
#define FABRIC_ACK_AGGREGATOR_H

#include "fabric-ack.h"
#include "fabric-ring.h"
#include "fabric-types.h"

#include <algorithm>

namespace ns3::fabric
{

/// The three timers of ACK aggregation (WL-3), ps, from the first ACK that waits.
struct AckTimers
{
    TimePs idle{30'000};    ///< On an idle link everything is sent after this.
    TimePs busy{60'000};    ///< On a busy link a count that frames efficiently is sent after this.
    TimePs longest{90'000}; ///< Everything is sent after this.
};

/**
 * Flows whose ACKs wait to leave by a port, and when their frame is due (WL-3).
 *
 * A flow stands here once however many of its frames were acknowledged meanwhile (DP-12); the
 * amounts are in the flow's own record.
 */
class AckAggregator
{
  public:
    /// @return whether no ACK waits
    bool IsEmpty() const
    {
        return m_flows.IsEmpty();
    }

    /// @return number of flows whose ACKs wait
    uint32_t Size() const
    {
        return m_flows.Size();
    }

    /// @param flow a flow that is not waiting already
    void Add(FlowId flow, TimePs now)
    {
        if (m_flows.IsEmpty())
        {
            m_firstAt = now;
        }
        m_flows.Push(flow);
    }

    /// @return the flow that has waited longest, removed
    FlowId Take()
    {
        const FlowId flow = m_flows.Front();
        m_flows.Pop();
        return flow;
    }

    /// The link has failed: no ACK waits for it any more.
    void Clear()
    {
        while (!IsEmpty())
        {
            Take();
        }
    }

    /// The timers start anew for what stays after a frame was made.
    void Restart(TimePs now)
    {
        m_firstAt = now;
    }

    /**
     * @param now time, ps, at which the link is free
     * @param linkBusy whether data could be sent now instead
     * @return whether an ACK frame is to be sent now
     */
    bool IsDue(const AckTimers& timers, TimePs now, bool linkBusy) const
    {
        const TimePs age = now - m_firstAt;
        if (age >= timers.longest || m_flows.Size() >= MAX_ACKS_PER_FRAME)
        {
            return true;
        }
        if (linkBusy)
        {
            return age >= timers.busy && FramesEfficiently(m_flows.Size());
        }
        return age >= timers.idle;
    }

    /// @return when a frame is due on an idle link if no more ACKs come, ps
    TimePs DueWhenIdle(const AckTimers& timers) const
    {
        return m_firstAt + std::min(timers.idle, timers.longest);
    }

  private:
    /// In the order of their first ACK; a link has fewer flow channels than 65536.
    Ring<FlowId, RingFront::INSIDE, uint16_t> m_flows;
    TimePs m_firstAt{0}; ///< When the timers started, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_ACK_AGGREGATOR_H
