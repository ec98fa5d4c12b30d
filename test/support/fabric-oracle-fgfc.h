/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_FGFC_H
#define FABRIC_ORACLE_FGFC_H

#include "fabric-oracle-link.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * Of which flows an edge port of FlowOracle tells its host, and when (CM-4).
 *
 * What the requirements leave open is a rule here:
 * - The host is told at once that a flow is restrained, that it has credit, and that it is free
 *   again; of several flows first of the one for which there was a reason first. What is told is
 *   what holds when it is told.
 * - Who is restrained is told of again after half the pause that was told last, those of one time
 *   in the order in which they were restrained first; but nothing is repeated before all news is
 * told.
 * - A repeat tells a pause that is twice as long, but no longer than eight times the first, nor
 * than a second if the first was not. News tells the pause that was told last.
 * - After so many repeats in a row without news of it and without a frame of it that went on, there
 *   are no more. The next frame that goes on is news then.
 * - When the link comes up again the host is told of all restrained flows, in this order, after
 *   what it had to be told already.
 */
class OracleTeller
{
  public:
    /// @param pause that the host is told first, ps @param repeats in a row
    OracleTeller(TimePs pause, uint32_t repeats)
        : m_firstPause(pause),
          m_mostRepeats(repeats)
    {
    }

    /// A flow is restrained from now on. @param channel its flow channel
    void Begin(uint32_t flow, FlowId channel)
    {
        m_turnOf.emplace(flow, m_turnOf.size()); // only the first time
        m_restrained[flow] = channel;
        m_pauses[flow] = m_firstPause;
        Tell(flow);
    }

    /// A flow is not restrained any more.
    void End(uint32_t flow)
    {
        m_restrained.erase(flow);
        m_repeatAt.erase(flow);
        Tell(flow);
    }

    /// A frame of a restrained flow went on.
    void GoesOn(uint32_t flow)
    {
        if (m_repeats[flow] == m_mostRepeats)
        {
            Tell(flow);
        }
        m_repeats[flow] = 0;
    }

    /// There is something to tell of a flow.
    void Tell(uint32_t flow)
    {
        if (std::find(m_news.begin(), m_news.end(), flow) == m_news.end())
        {
            m_news.push_back(flow);
        }
    }

    /// The link is up again.
    void TellAll()
    {
        std::map<std::size_t, uint32_t> flows;
        for (const auto& [flow, channel] : m_restrained)
        {
            flows[TurnOf(flow)] = flow;
        }
        for (const auto& [turn, flow] : flows)
        {
            Tell(flow);
        }
    }

    /// @return place of a flow among those that were ever restrained, in the order of the first
    /// time
    std::size_t TurnOf(uint32_t flow) const
    {
        return m_turnOf.at(flow);
    }

    /// @return when the host is to be told something, NEVER for nothing, ps
    TimePs DueAt() const
    {
        return !m_news.empty() ? 0 : m_repeatAt.empty() ? NEVER : FirstRepeat().second;
    }

    /// @return whether what is told next is nothing new
    bool Repeats() const
    {
        return m_news.empty();
    }

    /// @return the pause of a flow that was told last, ps
    TimePs PauseOf(uint32_t flow) const
    {
        return m_pauses.at(flow);
    }

    /// The host is told of a flow. @return the flow, and its flow channel; NO_FLOW if it is free
    std::pair<uint32_t, FlowId> Take(TimePs now)
    {
        uint32_t flow = 0;
        if (m_news.empty())
        {
            flow = FirstRepeat().first;
            ++m_repeats[flow];
            if (m_pauses[flow] < 8 * m_firstPause)
            {
                constexpr TimePs SECOND = 1'000'000'000'000;
                m_pauses[flow] = std::max(m_firstPause, std::min(2 * m_pauses[flow], SECOND));
            }
        }
        else
        {
            flow = m_news.front();
            m_news.pop_front();
            m_repeats[flow] = 0;
        }
        const auto restrained = m_restrained.find(flow);
        if (restrained == m_restrained.end())
        {
            return {flow, NO_FLOW};
        }
        m_repeatAt.erase(flow);
        if (m_repeats[flow] < m_mostRepeats)
        {
            m_repeatAt[flow] = now + m_pauses[flow] / 2;
        }
        return *restrained;
    }

  private:
    /// @return of which flow it is told again, and when
    std::pair<uint32_t, TimePs> FirstRepeat() const
    {
        return *std::min_element(m_repeatAt.begin(),
                                 m_repeatAt.end(),
                                 [this](const auto& a, const auto& b) {
                                     return std::pair(a.second, TurnOf(a.first)) <
                                            std::pair(b.second, TurnOf(b.first));
                                 });
    }

    TimePs m_firstPause;                      ///< See the constructor.
    std::map<uint32_t, TimePs> m_pauses;      ///< That were told last, by flow, ps.
    std::map<uint32_t, FlowId> m_restrained;  ///< Flow channels by the host's numbers.
    std::map<uint32_t, std::size_t> m_turnOf; ///< See TurnOf().
    std::map<uint32_t, TimePs> m_repeatAt;    ///< Of those that were told, ps.
    std::map<uint32_t, uint32_t> m_repeats;   ///< In a row, by flow.
    uint32_t m_mostRepeats;                   ///< See the constructor.
    std::deque<uint32_t> m_news;              ///< Of which the host is told next.
};

/**
 * What a host of FlowOracle knows of its flows that are restrained (CM-4, NQ-16).
 *
 * What the requirements leave open is a rule here:
 * - Orders take effect when the host looks what it can send, in their order and as of the times at
 *   which they are to be obeyed; then those flows are free whose time is over by then. Until its
 *   next look the host goes by that.
 * - An order adds its credit to what there is if the flow is restrained at its time, else it
 *   replaces it. What is sent is taken from the credit, which may become negative; a flow with any
 *   credit may send.
 * - A flow waits apart from when it would have its turn, or have begun to wait for one. It has its
 *   turn last when it may go on: by an order that frees it or gives it credit, or since its time is
 *   over; then several flows come by their times, and in the order of their first restraints.
 * - When the link comes up again nothing counts that was told before.
 */
class OracleRestraints
{
  public:
    /// @return whether a flow may not send, as of the last look
    bool Stops(uint32_t flow) const
    {
        const auto found = m_flows.find(flow);
        return found != m_flows.end() && found->second.until > m_lookedAt &&
               found->second.credit <= 0;
    }

    /// A flow waits apart.
    void Hold(uint32_t flow)
    {
        m_held.insert(flow);
    }

    /// @return whether any flow does
    bool HoldsAny() const
    {
        return !m_held.empty();
    }

    /// A flow has sent so many units.
    void Sent(uint32_t flow, uint32_t units)
    {
        m_flows[flow].credit -= units;
    }

    /// An order is to be obeyed from now on.
    void Take(const OracleOrder& order)
    {
        m_orders.push_back(order);
    }

    /// @return when the first flow that waits apart may go on, if no order comes, ps
    TimePs NextEnd() const
    {
        TimePs next = NEVER;
        for (const uint32_t flow : m_held)
        {
            next = std::min(next, m_flows.at(flow).until);
        }
        return next;
    }

    /// The host looks. @return flows that wait apart no longer, in the order of their turns
    std::vector<uint32_t> Look(TimePs now)
    {
        m_lookedAt = now;
        std::vector<uint32_t> released;
        for (; !m_orders.empty(); m_orders.pop_front())
        {
            const OracleOrder& order = m_orders.front();
            Flow& flow = m_flows[order.flow];
            flow.turn = order.turn;
            flow.credit = (flow.until > order.obeyedAt ? flow.credit : 0) + order.credit;
            flow.until = order.obeyedAt + order.lasts;
            if ((order.lasts == 0 || flow.credit > 0) && m_held.erase(order.flow) != 0)
            {
                released.push_back(order.flow);
            }
        }
        std::map<std::pair<TimePs, std::size_t>, uint32_t> ended;
        for (const uint32_t flow : m_held)
        {
            if (const Flow& state = m_flows.at(flow); state.until <= now)
            {
                ended[{state.until, state.turn}] = flow;
            }
        }
        expired += ended.size();
        for (const auto& [time, flow] : ended)
        {
            m_held.erase(flow);
            released.push_back(flow);
        }
        return released;
    }

    /// The link is up again. @return flows that wait apart no longer, in the order of their turns
    std::vector<uint32_t> Forget(TimePs up)
    {
        m_orders.erase(std::remove_if(m_orders.begin(),
                                      m_orders.end(),
                                      [up](const OracleOrder& o) { return o.toldAt < up; }),
                       m_orders.end());
        for (auto& [number, flow] : m_flows)
        {
            flow.until = 0;
        }
        std::vector<uint32_t> released(m_held.begin(), m_held.end());
        std::sort(released.begin(), released.end(), [this](uint32_t a, uint32_t b) {
            return m_flows.at(a).turn < m_flows.at(b).turn;
        });
        m_held.clear();
        return released;
    }

    uint64_t expired{0}; ///< Flows that waited apart until their time was over.

  private:
    /// What is known of a flow.
    struct Flow
    {
        TimePs until{0};     ///< It is restrained until then, ps.
        int64_t credit{0};   ///< What it may send meanwhile, units.
        std::size_t turn{0}; ///< See OracleTeller::TurnOf().
    };

    std::map<uint32_t, Flow> m_flows; ///< By number.
    std::set<uint32_t> m_held;        ///< That wait apart.
    std::deque<OracleOrder> m_orders; ///< That no look has seen yet.
    TimePs m_lookedAt{0};             ///< Time of the last look, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_FGFC_H
