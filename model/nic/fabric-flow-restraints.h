/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_RESTRAINTS_H
#define FABRIC_FLOW_RESTRAINTS_H

#include "fabric-fgfc-order.h"
#include "fabric-flow-key.h"
#include "fabric-key-index.h"
#include "fabric-ring.h"
#include "fabric-send-queues.h"
#include "fabric-timer-heap.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// How a switch tells flows apart: gives the fields of a key by which it does, the others 0.
using FlowClassifier = std::function<FlowKey(const FlowKey&)>;

/**
 * Which flows of a host its switch restrains, and the send queues that wait for that (CM-4, NQ-16).
 *
 * | a flow is  | what happens                       | next                               |
 * |------------|------------------------------------|------------------------------------|
 * | free       | an order restrains it              | restrained, with the order's credit |
 * | restrained | an order restrains it again        | restrained from then, credit adds up |
 * | restrained | it sends while it has credit       | its credit falls, maybe below 0    |
 * | restrained | an order of no time                | free                               |
 * | restrained | its time is over without an order  | free: a lost order holds nothing up |
 *
 * Orders are handed over ahead of their time (DP-4) and read when the NIC decides. A switch may put
 * several queues of the host into one flow channel: they are one flow here, too.
 */
class FlowRestraints
{
  public:
    /// @param classify how the switch tells flows apart
    explicit FlowRestraints(FlowClassifier classify)
        : m_classify(std::move(classify))
    {
    }

    /// Moves all; what it points to in itself stays where it is.
    FlowRestraints(FlowRestraints&&) = default;
    /// @copydoc FlowRestraints(FlowRestraints&&)
    FlowRestraints& operator=(FlowRestraints&&) = default;

    /// Number of a flow that was never restrained.
    static constexpr uint32_t FREE = KeyIndex::NONE;

    /// @param key of a send queue @return number of its flow, FREE if it was never restrained
    uint32_t Find(const FlowKey& key) const
    {
        return m_flows.empty() ? FREE : FindPattern(m_classify(key));
    }

    /// @param key of a send queue, whose flow is about to be restrained @return number of the flow
    uint32_t Open(const FlowKey& key)
    {
        const FlowKey pattern = m_classify(key);
        uint32_t flow = FindPattern(pattern);
        if (flow == FREE)
        {
            flow = static_cast<uint32_t>(m_flows.size());
            m_flows.emplace_back();
            m_patterns.push_back(pattern);
            m_numberOf.Add(HashOf(pattern), flow);
        }
        return flow;
    }

    /// @return the fields that tell the flow, as they are on the wire
    FlowKey Pattern(uint32_t flow) const
    {
        return m_patterns[flow].WithoutRule();
    }

    /// Fetches what is known of a flow. @param flow may be FREE
    void FetchFlow(uint32_t flow) const
    {
        const void* const nothing = this;
        FetchMemory(flow != FREE ? &m_flows[flow] : nothing, sizeof(Flow));
    }

    /// @param order takes effect at order.time, no earlier than the order before it
    void Accept(const FgfcOrder& order)
    {
        m_orders.Push(order);
    }

    /// @return whether queues wait here
    bool HoldsAny() const
    {
        return m_waiting.Earliest() != NEVER;
    }

    /**
     * @param flow may be FREE
     * @return whether its queues may not start a frame, as far as the last Update() knows
     */
    bool Stops(uint32_t flow) const
    {
        return flow != FREE && m_flows[flow].until > m_now && m_flows[flow].credit <= 0;
    }

    /**
     * @param flow may be FREE
     * @param now time, ps; not before that of the last Update()
     * @return until when a flow is restrained, by orders of up to now; not after now if it is not
     */
    TimePs RestrainedUntil(uint32_t flow, TimePs now) const
    {
        if (flow == FREE)
        {
            return 0;
        }
        TimePs until = m_flows[flow].until;
        for (uint32_t i = 0; i < m_orders.Size() && m_orders.At(i).time <= now; ++i)
        {
            const FgfcOrder& order = m_orders.At(i);
            until = order.flow == flow ? order.time + order.lasts : until;
        }
        return until;
    }

    /// @param flow may be FREE @param units that it has sent, each 256 bytes
    void Sent(uint32_t flow, uint32_t units)
    {
        if (flow != FREE)
        {
            m_flows[flow].credit -= static_cast<int32_t>(units);
        }
    }

    /// @param queue with something to send, of a flow that is stopped: it waits here
    void Hold(uint32_t flow, uint32_t queue)
    {
        if (queue >= m_nextHeld.size())
        {
            m_nextHeld.resize(queue + 1);
        }
        m_nextHeld[queue] = NO_SEND_QUEUE;
        uint32_t* last = &m_flows[flow].firstHeld;
        while (*last != NO_SEND_QUEUE)
        {
            last = &m_nextHeld[*last]; // a flow has one queue as a rule
        }
        *last = queue;
        m_waiting.Set(flow, m_flows[flow].until);
    }

    /**
     * What is due by now takes effect.
     *
     * @param now time, ps; not before that of the last call
     * @param release is called with each queue that waits here no longer: `void release(uint32_t)`
     */
    template <typename Release>
    void Update(TimePs now, Release&& release)
    {
        m_now = now;
        for (; !m_orders.IsEmpty() && m_orders.Front().time <= now; m_orders.Pop())
        {
            Apply(m_orders.Front(), release);
        }
        while (m_waiting.Earliest() <= now)
        {
            ReleaseQueues(m_waiting.First(), release);
        }
    }

    /// @return when Update() may next release something, NEVER for not at all, ps
    TimePs NextChange() const
    {
        if (!HoldsAny() || m_orders.IsEmpty())
        {
            return m_waiting.Earliest();
        }
        return std::min(m_waiting.Earliest(), m_orders.Front().time);
    }

    /**
     * The link failed, and with it all that was told before it came up again.
     *
     * @param up when it came up, ps
     * @param release as for Update()
     * @return orders that had not taken effect
     */
    template <typename Release>
    uint32_t Forget(TimePs up, Release&& release)
    {
        uint32_t lost = 0;
        // A host may be so slow to obey that it would do so when the link is up again.
        for (; !m_orders.IsEmpty() && m_orders.Front().told < up; m_orders.Pop())
        {
            ++lost;
        }
        for (uint32_t flow = 0; flow < m_flows.size(); ++flow)
        {
            m_flows[flow].until = 0;
            ReleaseQueues(flow, release);
        }
        return lost;
    }

  private:
    /// What each frame of a flow of the host asks for; four fill a cache line.
    struct Flow
    {
        TimePs until{0};                   ///< It is restrained until then, ps.
        int32_t credit{0};                 ///< What it may send meanwhile, units of 256 bytes.
        uint32_t firstHeld{NO_SEND_QUEUE}; ///< First queue that waits here.
    };

    /// @param pattern fields that tell a flow @return its number, FREE if it was never restrained
    uint32_t FindPattern(const FlowKey& pattern) const
    {
        return m_numberOf.Find(HashOf(pattern),
                               [&](uint32_t flow) { return m_patterns[flow] == pattern; });
    }

    /// An order takes effect.
    template <typename Release>
    void Apply(const FgfcOrder& order, Release& release)
    {
        Flow& flow = m_flows[order.flow];
        const auto credit = static_cast<int32_t>(order.credit);
        flow.credit = flow.until > order.time ? flow.credit + credit : credit;
        flow.until = order.time + order.lasts;
        if (order.lasts == 0 || flow.credit > 0)
        {
            ReleaseQueues(order.flow, release);
        }
        else if (flow.firstHeld != NO_SEND_QUEUE)
        {
            m_waiting.Set(order.flow, flow.until);
        }
    }

    /// The queues of a flow wait here no longer.
    template <typename Release>
    void ReleaseQueues(uint32_t number, Release& release)
    {
        m_waiting.Set(number, NEVER);
        uint32_t queue = std::exchange(m_flows[number].firstHeld, NO_SEND_QUEUE);
        while (queue != NO_SEND_QUEUE)
        {
            release(std::exchange(queue, m_nextHeld[queue]));
        }
    }

    FlowClassifier m_classify;        ///< See the constructor.
    TimePs m_now{0};                  ///< Of the last Update(), ps.
    Ring<FgfcOrder> m_orders;         ///< Not in effect yet, by time.
    TimerHeap m_waiting;              ///< Ends of restraint of the flows whose queues wait here.
    std::vector<Flow> m_flows;        ///< By number.
    std::vector<uint32_t> m_nextHeld; ///< Next queue of the same flow that waits here, by queue.
    std::vector<FlowKey> m_patterns;  ///< By number of the flow.
    KeyIndex m_numberOf;              ///< By pattern.
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_RESTRAINTS_H
