/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FGFC_TELLER_H
#define FABRIC_FGFC_TELLER_H

#include "fabric-ring.h"
#include "fabric-timer-heap.h"
#include "fabric-types.h"

#include <algorithm>
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
 * | restrained               | nothing for half of its pause       | then, so many times  |
 * | restrained, long ago     | Moved(): a frame has left its queue | at once              |
 * | restrained               | End(): its queue has shrunk         | at once: goes freely |
 *
 * Each refresh doubles the pause, up to MOST times: a flow that was restrained for long mostly
 * stays so, and each frame costs its host's link and the switch something. Refreshes end where
 * nothing moves: a fabric that has come to a stand has nothing to do then, and can say so.
 *
 * Flows have the host's numbers, since they are told of by these, also after their channels are
 * gone.
 */
class FgfcTeller
{
  public:
    /// Pauses grow up to so many times the first. Chosen: a thousand paced flows have half a frame
    /// of control for each frame of data then, and a lost word costs less than a millisecond.
    static constexpr uint32_t MOST = 8;
    /// Only a first pause may be longer than this, ps: a frame can't tell much more.
    static constexpr TimePs LONGEST_PAUSE = 1'000'000'000'000;

    /// What a host is told of a flow.
    struct Word
    {
        FlowId channel; ///< Its flow channel; NO_FLOW if it is not restrained any more.
        TimePs pause;   ///< How long it is restrained, 0 if it is not, ps.
    };

    /**
     * @param pause a flow is restrained so long at first, ps; a host is told again after half of it
     * @param mostRefreshes so often, while no frame of the flow leaves its queue
     */
    FgfcTeller(TimePs pause, uint32_t mostRefreshes)
        : m_pause(pause),
          m_mostRefreshes(mostRefreshes)
    {
    }

    /**
     * A flow is restrained from now on.
     *
     * @param channel its flow channel, which is not restrained
     * @param flow the host's number of it
     * @param bytes on the wire of a frame that tells the host of it
     */
    void Begin(FlowId channel, uint32_t flow, uint32_t bytes)
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
        m_flows[flow].bytes = static_cast<uint16_t>(bytes);
        m_flows[flow].pause = m_pause;
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

    /// @return bytes of the frame that tells the host of Next()
    uint32_t NextBytes() const
    {
        return m_flows[Next()].bytes;
    }

    /**
     * The host is told of Next().
     *
     * @param now when, ps
     * @return what it is told
     */
    Word Take(TimePs now)
    {
        const uint32_t flow = Next();
        State& state = m_flows[flow];
        if (m_owed.IsEmpty())
        {
            ++state.refreshes;
            state.pause = Longer(state.pause);
        }
        else
        {
            m_owed.Pop();
            state.refreshes = 0;
        }
        state.isOwed = false;
        ++m_told;
        if (state.channel == NO_FLOW)
        {
            m_refreshes.Set(flow, NEVER);
            return {NO_FLOW, 0};
        }
        const bool isRefreshed = state.refreshes < m_mostRefreshes;
        m_refreshes.Set(flow, isRefreshed ? now + state.pause / 2 : NEVER);
        return {state.channel, state.pause};
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
        uint16_t bytes{0};       ///< Of a frame that tells the host of it.
        bool isOwed{false};      ///< Whether it stands among those of which the host is told next.
        uint32_t refreshes{0};   ///< In a row, without a frame that left its queue.
        TimePs pause{0};         ///< It was restrained so long by the last word, ps.
    };

    /// @return the pause that a refresh tells, after one that was not enough
    TimePs Longer(TimePs pause) const
    {
        const TimePs most = std::max(m_pause, std::min(MOST * m_pause, LONGEST_PAUSE));
        return std::min(2 * pause, most);
    }

    /// The host has to be told of a flow.
    void Owe(uint32_t flow)
    {
        if (!m_flows[flow].isOwed)
        {
            m_flows[flow].isOwed = true;
            m_owed.Push(flow);
        }
    }

    TimePs m_pause;                 ///< See the constructor.
    uint32_t m_mostRefreshes;       ///< See the constructor.
    Ring<uint32_t> m_owed;          ///< Flows of which the host is told next.
    TimerHeap m_refreshes;          ///< Of flows that are restrained, by flow.
    std::vector<State> m_flows;     ///< By flow.
    std::vector<uint32_t> m_flowOf; ///< By flow channel.
    uint64_t m_told{0};             ///< See Told().
};

} // namespace ns3::fabric

#endif // FABRIC_FGFC_TELLER_H
