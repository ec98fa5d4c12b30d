/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_WAYS_H
#define FABRIC_FLOW_WAYS_H

#include "fabric-ack-counts.h"
#include "fabric-input-queue.h"
#include "fabric-types.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// One of several ways of a flow: frames that wait for it, what is under way, and the hop credits
/// that it has there (CM-5). 32 bytes.
struct FlowWay
{
    InputQueue queue;      ///< Frames that wait for its output; without headroom it is held.
    uint32_t units{0};     ///< Sent and not acknowledged, 256 bytes.
    int32_t headroom{0};   ///< Units that may still be sent while it is metered.
    FlowId flow{NO_FLOW};  ///< Flow channel of its frames; NO_FLOW if this is no way.
    FlowId id{NO_FLOW};    ///< flow_id on the outgoing link.
    uint16_t next{0};      ///< The flow's next way, see FlowWays.
    bool isMetered{false}; ///< Whether the next switch gives it hop credits.

    /// @return whether it has hop credits for a frame
    bool HasHeadroom() const
    {
        return !isMetered || headroom > 0;
    }

    /// A frame leaves by it. @param sent its length, units of 256 bytes
    void Send(uint32_t sent)
    {
        units += sent;
        headroom -= isMetered ? static_cast<int32_t>(sent) : 0;
        HoldWithoutHeadroom();
    }

    /// A HEADROOM ACK has come. @param amount of the ACK
    void TakeCredit(uint32_t amount)
    {
        const bool goesOn = isMetered && amount != ALL_CREDIT;
        isMetered = amount != ALL_CREDIT;
        headroom = (goesOn ? headroom : 0) + static_cast<int32_t>(isMetered ? amount : 0);
        HoldWithoutHeadroom();
    }

    /// @return whether nothing waits for it, and nothing is under way
    bool IsIdle() const
    {
        return units == 0 && queue.IsEmpty();
    }

  private:
    /// Its queue may not be served without hop credits.
    void HoldWithoutHeadroom()
    {
        const uint8_t others = queue.holds & (InputQueue::ALL_HOLDS & ~InputQueue::NO_HEADROOM);
        queue.holds = others | (HasHeadroom() ? 0 : InputQueue::NO_HEADROOM);
    }
};

static_assert(sizeof(FlowWay) == 32, "two ways fill a cache line");

/**
 * The ways of flows whose frames may overtake each other, at an input port (FC-4, FC-11).
 *
 * Such a flow has one record, as any flow: its extents and limits are those of all its frames. But
 * each frame goes by the output that is best when it comes, so for each output there is a queue, a
 * flow_id on the outgoing link, and what is under way by it. A flow begins with one way. It takes
 * others when a frame has been acknowledged: before, nobody knows whether its destination is
 * congested, and the senders of an incast would fill the buffers of all ways to it.
 *
 * | a way                       | what happens                                  |
 * |-----------------------------|-----------------------------------------------|
 * | there is none               | Begin(): a frame is to wait for that output   |
 * | frames wait                 | the queue asks its output; it gets a flow_id  |
 * | only some are under way     | they are acknowledged                         |
 * | nothing waits or is under way | End()                                       |
 *
 * Ways are in one array, those of a flow in a list, so that nothing allocates in steady state. A
 * flow has few of them.
 */
class FlowWays
{
  public:
    static constexpr uint16_t NONE = 0; ///< Number of no way.
    /// Ways that an input can have at a time, with one for each flow.
    static constexpr uint32_t MOST = 0xFFFF - FIRST_WAY_QUEUE - 1;

    /// @param classes bit mask of the traffic classes whose flows have ways
    explicit FlowWays(uint16_t classes)
        : m_ways(1),
          m_classes(classes)
    {
    }

    /// @return whether flows of the class have ways
    bool AreOf(uint8_t trafficClass) const
    {
        return (m_classes >> trafficClass & 1) != 0;
    }

    /// @param number of a way @return the way
    FlowWay& At(uint16_t number)
    {
        return m_ways[number];
    }

    /// @copydoc At()
    const FlowWay& At(uint16_t number) const
    {
        return m_ways[number];
    }

    /// @return number of the flow's way by an output and a virtual channel of it, NONE for none
    uint16_t Find(FlowId flow, uint16_t output, uint8_t vc) const
    {
        uint16_t number = First(flow);
        while (number != NONE &&
               (m_ways[number].queue.output != output || m_ways[number].queue.vc != vc))
        {
            number = m_ways[number].next;
        }
        return number;
    }

    /// @return number of one of the flow's ways, NONE if it has none
    uint16_t First(FlowId flow) const
    {
        return flow < m_flows.size() ? m_flows[flow].first : NONE;
    }

    /// @return whether the flow may have one more: each flow can have one
    bool MayBegin(FlowId flow, TimePs now) const
    {
        const bool isRoom = m_inUse < MOST - FLOW_IDS_PER_LINK;
        return First(flow) == NONE || (isRoom && now >= m_flows[flow].spreadsAt);
    }

    /// What is sent is acknowledged after so long, if nothing is congested. @param roundTrip ps
    void SetRoundTrip(TimePs roundTrip)
    {
        m_roundTrip = roundTrip;
    }

    /// Something of a flow that has a way was acknowledged.
    void Hear(FlowId flow)
    {
        m_flows[flow].spreadsAt = 0;
    }

    /// @return number of a new way of the flow
    uint16_t Begin(FlowId flow, TimePs now)
    {
        uint16_t number = m_free;
        if (number == NONE)
        {
            number = static_cast<uint16_t>(m_ways.size());
            m_ways.emplace_back();
        }
        else
        {
            m_free = m_ways[number].next;
        }
        if (flow >= m_flows.size())
        {
            m_flows.resize(flow + 1);
        }
        Flow& its = m_flows[flow];
        its.spreadsAt = its.first == NONE ? now + m_roundTrip : its.spreadsAt;
        m_ways[number] = FlowWay{};
        m_ways[number].flow = flow;
        m_ways[number].next = its.first;
        its.first = number;
        ++m_inUse;
        return number;
    }

    /// @param number of a way that is idle, and is none any more
    void End(uint16_t number)
    {
        FlowWay& way = m_ways[number];
        uint16_t* link = &m_flows[way.flow].first;
        while (*link != number)
        {
            link = &m_ways[*link].next;
        }
        *link = way.next;
        way.flow = NO_FLOW;
        way.next = m_free;
        m_free = number;
        --m_inUse;
    }

    /// @param visit is called with each way of a flow: `void visit(uint16_t number, FlowWay&)`
    template <typename Visit>
    void ForEach(FlowId flow, Visit&& visit)
    {
        for (uint16_t number = First(flow); number != NONE; number = m_ways[number].next)
        {
            visit(number, m_ways[number]);
        }
    }

    /// @return all ways, and others that have no flow; for checks and what is rare
    std::vector<FlowWay>& All()
    {
        return m_ways;
    }

    /// @copydoc All()
    const std::vector<FlowWay>& All() const
    {
        return m_ways;
    }

  private:
    /// A flow channel of this input.
    struct Flow
    {
        uint16_t first{NONE}; ///< Its first way.
        TimePs spreadsAt{0};  ///< From when it may have more, ps.
    };

    std::vector<FlowWay> m_ways; ///< By number; NONE is never used.
    std::vector<Flow> m_flows;   ///< By flow channel.
    TimePs m_roundTrip{0};       ///< See SetRoundTrip().
    uint16_t m_free{NONE};       ///< First of those that are no ways.
    uint16_t m_classes;          ///< See the constructor.
    uint32_t m_inUse{0};         ///< Ways that there are.
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_WAYS_H
