/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FGFC_TELLER_H
#define FABRIC_FGFC_TELLER_H

#include "fabric-ring.h"
#include "fabric-timer-heap.h"
#include "fabric-types.h"

#include <vector>

namespace ns3::fabric
{

/**
 * Which flows of a host an edge port restrains, and when the host has to be told of which (CM-4).
 *
 * | the host knows of a flow | what happens                        | it is told           |
 * |--------------------------|-------------------------------------|----------------------|
 * | nothing                  | Begin(): its queue has grown        | at once              |
 * | restrained               | Tell(): there is credit             | at once              |
 * | restrained               | nothing for the time of a refresh   | then, so many times  |
 * | restrained, long ago     | Moved(): a frame has left its queue | at once              |
 * | restrained               | End(): its queue has shrunk         | at once: goes freely |
 *
 * Refreshes end where nothing moves: a fabric that has come to a stand has nothing to do then, and
 * can say so.
 *
 * Flows have the host's numbers, since they are told of by these, also after their channels are
 * gone.
 */
class FgfcTeller
{
  public:
    /**
     * @param refreshAfter a host is told again so long after the last time, ps
     * @param mostRefreshes so often, while no frame of the flow leaves its queue
     */
    FgfcTeller(TimePs refreshAfter, uint32_t mostRefreshes)
        : m_refreshAfter(refreshAfter),
          m_mostRefreshes(mostRefreshes)
    {
    }

    /**
     * A flow is restrained from now on.
     *
     * @param channel its flow channel, which is not restrained
     * @param flow the host's number of it
     */
    void Begin(FlowId channel, uint32_t flow)
    {
        if (channel >= m_flowOf.size())
        {
            m_flowOf.resize(channel + 1);
        }
        if (flow >= m_flows.size())
        {
            m_flows.resize(flow + 1);
        }
        m_flowOf[channel] = flow;
        m_flows[flow].channel = channel;
        Owe(flow);
    }

    /// @param channel that is restrained, of which there is something to tell
    void Tell(FlowId channel)
    {
        Owe(m_flowOf[channel]);
    }

    /**
     * A frame has left the queue of a restrained flow.
     *
     * @param channel of the flow
     * @return whether the host is to be told of it, since its refreshes had ended
     */
    bool Moved(FlowId channel)
    {
        const uint32_t flow = m_flowOf[channel];
        const bool hadEnded = m_flows[flow].refreshes == m_mostRefreshes;
        m_flows[flow].refreshes = 0;
        if (hadEnded)
        {
            Owe(flow);
        }
        return hadEnded;
    }

    /// @param channel that is not restrained any more
    void End(FlowId channel)
    {
        const uint32_t flow = m_flowOf[channel];
        m_flows[flow].channel = NO_FLOW;
        m_refreshes.Set(flow, NEVER);
        Owe(flow);
    }

    /// The host has forgotten everything, since its link had failed.
    void TellAll()
    {
        for (uint32_t flow = 0; flow < m_flows.size(); ++flow)
        {
            if (m_flows[flow].channel != NO_FLOW)
            {
                Owe(flow);
            }
        }
    }

    /// @return whether the host is to be told something now
    bool IsDue(TimePs now) const
    {
        return NextTime() <= now;
    }

    /// @return when the host is to be told something, NEVER if nothing is restrained, ps
    TimePs NextTime() const
    {
        return m_owed.IsEmpty() ? m_refreshes.Earliest() : 0;
    }

    /// @return the flow of which the host is told next, if IsDue()
    uint32_t Next() const
    {
        return m_owed.IsEmpty() ? m_refreshes.First() : m_owed.Front();
    }

    /**
     * The host is told of Next().
     *
     * @param now when, ps
     * @return its flow channel; NO_FLOW if it is not restrained any more
     */
    FlowId Take(TimePs now)
    {
        const uint32_t flow = Next();
        State& state = m_flows[flow];
        if (m_owed.IsEmpty())
        {
            ++state.refreshes;
        }
        else
        {
            m_owed.Pop();
            state.refreshes = 0;
        }
        state.isOwed = false;
        ++m_told;
        const bool isRefreshed = state.channel != NO_FLOW && state.refreshes < m_mostRefreshes;
        m_refreshes.Set(flow, isRefreshed ? now + m_refreshAfter : NEVER);
        return state.channel;
    }

    /// @return how often the host was told of a flow
    uint64_t Told() const
    {
        return m_told;
    }

  private:
    /// What the host has to know of a flow.
    struct State
    {
        FlowId channel{NO_FLOW}; ///< Its flow channel; NO_FLOW if it is not restrained.
        bool isOwed{false};      ///< Whether it stands among those of which the host is told next.
        uint32_t refreshes{0};   ///< In a row, without a frame that left its queue.
    };

    /// The host has to be told of a flow.
    void Owe(uint32_t flow)
    {
        if (!m_flows[flow].isOwed)
        {
            m_flows[flow].isOwed = true;
            m_owed.Push(flow);
        }
    }

    TimePs m_refreshAfter;          ///< See the constructor.
    uint32_t m_mostRefreshes;       ///< See the constructor.
    Ring<uint32_t> m_owed;          ///< Flows of which the host is told next.
    TimerHeap m_refreshes;          ///< Of flows that are restrained, by flow.
    std::vector<State> m_flows;     ///< By flow.
    std::vector<uint32_t> m_flowOf; ///< By flow channel.
    uint64_t m_told{0};             ///< See Told().
};

} // namespace ns3::fabric

#endif // FABRIC_FGFC_TELLER_H
