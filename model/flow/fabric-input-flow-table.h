/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INPUT_FLOW_TABLE_H
#define FABRIC_INPUT_FLOW_TABLE_H

#include "fabric-ack-counts.h"
#include "fabric-fetch.h"
#include "fabric-flow-ways.h"
#include "fabric-input-queue.h"
#include "fabric-types.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/**
 * A flow channel at an input port (FC-3): one cache line.
 *
 * Positions count units of 256 bytes modulo 2^32. The identities of FC-5 hold at all times:
 * queue_extent = next_data_flow - data_flow, flow_extent = data_flow - ack_flow, and
 * total_extent is their sum.
 */
struct alignas(CACHE_LINE) FlowRecord
{
    /// Bits of `state`.
    enum State : uint8_t
    {
        OPEN = 1,            ///< The channel exists.
        METERED = 2,         ///< DM: downstream gives this record hop credits (CM-5).
        METERS_UPSTREAM = 4, ///< UM: this record gives its upstream hop credits (CM-5).
        REROUTED = 8,        ///< It changes its path for another output (CM-9).
        ACKS_COME_NEXT = 16, ///< Its last ACK has told something else: what has left comes next.
        FIRST_FLIGHT = 32,   ///< It has begun, and has heard nothing from its destination (CM-6).
        AWAITS_START = 64,   ///< It begins when others to its destination have heard (CM-6).
        MOVED_HERE = 128,    ///< It came to its output by a move here, and did not begin (CM-9).
    };

    /// What has to go upstream; bits of `owes`.
    enum Debt : uint8_t
    {
        ACKS = 1,     ///< `unsentAcks`
        LOSSES = 2,   ///< `unsentLosses`
        CREDIT = 4,   ///< A HEADROOM ACK (CM-5).
        SEVERITY = 8, ///< `severity`, of a frame that has come to a congested endpoint (CM-2).
        REROUTE = 16, ///< `choicesToReach`: it has to leave an overloaded link (CM-9).
    };

    InputQueue queue;         ///< Frames that wait; its output is follow_port.
    uint32_t nextDataFlow{0}; ///< Position of the next frame expected from upstream.
    uint32_t dataFlow{0};     ///< Position of the next frame to send on.
    uint32_t ackFlow{0};      ///< Position up to which everything sent is acknowledged.
    uint32_t unsentAcks{0};   ///< Units acknowledged from downstream, not yet reported upstream.
    uint32_t unsentLosses{0}; ///< Units lost here or downstream, not yet reported upstream.
    FlowId outgoing{NO_FLOW}; ///< flow_id on the outgoing link.
    uint8_t state{0};         ///< Sum of State.
    /// Sum of Debt; while it is not 0, the flow stands among those of its port with ACKs to send.
    uint8_t owes{0};
    LocationId src{0};         ///< Source of its frames; tells flows apart in checks.
    LocationId dst{0};         ///< Destination of its frames.
    int32_t headroom{0};       ///< Units that may still be sent while METERED (CM-5).
    uint32_t unsentCredit{0};  ///< Units of hop credit not yet reported upstream (CM-5).
    uint16_t sixteenths{0};    ///< Remainder of the hop credits' rounding, 1/16 unit (CM-5).
    uint8_t trafficClass{0};   ///< FTAG of its frames.
    AckCounts told;            ///< What the last ACKs to upstream have said.
    uint8_t severity{0};       ///< ep_congestion: severity of its endpoint's congestion (CM-3).
    uint16_t paceTicket{0};    ///< Which time it is that it is PACED (CM-7).
    uint16_t movedAt{0};       ///< When it came to its output, 0 for unknown; see Rerouting (CM-9).
    uint8_t choicesToReach{0}; ///< What a REROUTE ACK to upstream says (CM-9).
    uint8_t arrivedOn{0};      ///< Virtual channel by which its frames come.

    /// @return whether it is so
    bool Is(State what) const
    {
        return (state & what) != 0;
    }

    /// @return holds of its queue that have nothing to do with its path
    uint8_t HoldsOfHost() const
    {
        return (queue.holds & InputQueue::AWAITS_TURN) |
               (Is(AWAITS_START) ? InputQueue::OVER_LIMIT : 0);
    }

    /// @return units received and not sent on
    uint32_t QueueExtent() const
    {
        return nextDataFlow - dataFlow;
    }

    /// @return units sent on and not acknowledged
    uint32_t FlowExtent() const
    {
        return dataFlow - ackFlow;
    }

    /// @return units received and not acknowledged
    uint32_t TotalExtent() const
    {
        return nextDataFlow - ackFlow;
    }
};

static_assert(sizeof(FlowRecord) == 64, "a flow's record is one cache line (DP-9)");

/**
 * IFCT, the input flow channel table of a port (FC-3), with the input queues (FC-10).
 *
 * Beside a queue per flow channel it keeps virtual output queues, one per output port and virtual
 * channel, for frames of no flow (FC-14), and the ways of flows whose frames may overtake each
 * other. The table grows with the highest flow_id seen; the
 * upstream table gives low ids first.
 */
class InputFlowTable
{
  public:
    /// Queue number of the first virtual output queue.
    static constexpr uint16_t FIRST_VOQ = FLOW_IDS_PER_LINK;

    /**
     * Finds a frame's flow channel and makes it if this is its first frame (FC-6).
     *
     * @param id incoming flow_id, 1..2047
     * @param src source of the frame
     * @param dst destination of the frame
     * @param dataFlow position of the frame
     */
    FlowRecord& Open(FlowId id, LocationId src, LocationId dst, uint32_t dataFlow)
    {
        FlowRecord& record = Ensure(id);
        if (!record.Is(FlowRecord::OPEN))
        {
            record.state = FlowRecord::OPEN;
            record.src = src;
            record.dst = dst;
            record.nextDataFlow = record.dataFlow = record.ackFlow = dataFlow;
            ++m_inUse;
        }
        return record;
    }

    /// @param id a flow_id, perhaps never used @return its record
    FlowRecord& Ensure(FlowId id)
    {
        if (id >= m_flows.size())
        {
            Grow(id);
        }
        return m_flows[id];
    }

    /// @param id a flow_id in use
    FlowRecord& At(FlowId id)
    {
        return m_flows[id];
    }

    /// @param id a flow_id whose frames are all acknowledged upstream (FC-8)
    void Close(FlowId id)
    {
        FlowRecord closed;
        closed.told = m_flows[id].told;
        closed.paceTicket = m_flows[id].paceTicket; // times of this flow may still come
        m_flows[id] = closed;
        --m_inUse;
    }

    /// The link is used anew after a failure, no channel is left: ACKs count from 0 again.
    void RestartAcks()
    {
        for (FlowRecord& record : m_flows)
        {
            record.told = AckCounts{};
        }
    }

    /**
     * @param kind virtual channel; traffic class after SeparateClasses(), other after
     * SeparateInto()
     * @return number of the virtual output queue
     */
    uint16_t VirtualOutputQueue(uint16_t output, uint32_t kind)
    {
        const uint32_t index = output * m_queuesPerOutput + kind;
        if (index >= m_voqs.size())
        {
            m_voqs.resize(index + 1);
        }
        return static_cast<uint16_t>(FIRST_VOQ + index);
    }

    /**
     * @param flow is called with each channel that exists: `void flow(FlowRecord&)`
     * @param voq is called with each virtual output queue and its kind: `void voq(InputQueue&,
     * uint32_t)`
     * @param way is called with each queue of a way and its record: `void way(InputQueue&,
     * const FlowRecord&)`
     */
    template <typename Flow, typename Voq, typename Way>
    void ForEachUsed(Flow&& flow, Voq&& voq, Way&& way)
    {
        for (FlowRecord& record : m_flows)
        {
            if (record.Is(FlowRecord::OPEN))
            {
                flow(record);
            }
        }
        for (uint32_t index = 0; index < m_voqs.size(); ++index)
        {
            voq(m_voqs[index], index % m_queuesPerOutput);
        }
        for (uint32_t number = 1; m_ways && number < m_ways->All().size(); ++number)
        {
            if (FlowWay& used = m_ways->All()[number]; used.flow != NO_FLOW)
            {
                way(used.queue, m_flows[used.flow]);
            }
        }
    }

    /// Virtual output queues are per traffic class, as virtual lanes need; while there are none.
    void SeparateClasses()
    {
        SeparateInto(TRAFFIC_CLASSES);
    }

    /// Virtual output queues are of so many kinds, as shaping needs; while there are none.
    void SeparateInto(uint32_t kinds)
    {
        m_queuesPerOutput = kinds;
    }

    /// @param number of a queue, as in QueueRef
    InputQueue& Queue(uint16_t number)
    {
        return IsFlow(number) ? m_flows[number].queue : OtherQueue(number);
    }

    /// @param number of a virtual output queue, as in QueueRef
    InputQueue& VirtualOutputQueueAt(uint16_t number)
    {
        return m_voqs[number - FIRST_VOQ];
    }

    /// @param number of the queue of a way, as in QueueRef @return the way
    FlowWay& WayOf(uint16_t number)
    {
        return m_ways->At(number - FIRST_WAY_QUEUE);
    }

    /// Flows of some classes take several ways. @param classes bit mask of them
    void TakeWays(uint16_t classes)
    {
        m_ways = std::make_unique<FlowWays>(classes);
    }

    /// @return ways of flows; null if all flows keep their order
    FlowWays* Ways() const
    {
        return m_ways.get();
    }

    /**
     * @param number of a queue, as in QueueRef
     * @return whether it is the queue of a flow channel
     */
    static bool IsFlow(uint16_t number)
    {
        return __builtin_expect(number < FIRST_VOQ, 1) != 0;
    }

    /// @param id a flow_id, whose record is fetched; NO_FLOW too
    void FetchRecord(FlowId id) const
    {
        // A pointer that is chosen, not a branch that has to be guessed.
        const void* const nothing = this;
        FetchMemory(id < m_flows.size() ? &m_flows[id] : nothing, sizeof(FlowRecord));
    }

    /// @return number of flow channels that exist
    uint32_t InUse() const
    {
        return m_inUse;
    }

    /// @return all records, by flow_id; for checks and statistics
    const std::vector<FlowRecord>& Records() const
    {
        return m_flows;
    }

    /// @return all virtual output queues; for checks and statistics
    const std::vector<InputQueue>& VirtualOutputQueues() const
    {
        return m_voqs;
    }

    /// @param visit is called with each queue: `void visit(const InputQueue&)`
    template <typename Visit>
    void ForEachQueue(Visit&& visit) const
    {
        for (const FlowRecord& record : m_flows)
        {
            visit(record.queue);
        }
        for (const InputQueue& queue : m_voqs)
        {
            visit(queue);
        }
        for (uint32_t number = 0; m_ways && number < m_ways->All().size(); ++number)
        {
            visit(m_ways->All()[number].queue);
        }
    }

  private:
    /// @return a queue that is not that of a flow channel
    InputQueue& OtherQueue(uint16_t number)
    {
        return number < FIRST_WAY_QUEUE ? VirtualOutputQueueAt(number) : QueueOfWay(number);
    }

    /// Out of line, as most flows have one. @return the queue of a way
    [[gnu::noinline]] InputQueue& QueueOfWay(uint16_t number)
    {
        return WayOf(number).queue;
    }

    /// @param id makes room for this flow_id, by doubling
    void Grow(FlowId id)
    {
        std::size_t size = m_flows.empty() ? FIRST_RECORDS : m_flows.size();
        while (size <= id)
        {
            size *= 2;
        }
        m_flows.resize(size);
    }

    static constexpr std::size_t FIRST_RECORDS = 4; ///< Records of a table that is used at all.

    std::vector<FlowRecord> m_flows;              ///< By flow_id.
    std::vector<InputQueue> m_voqs;               ///< By output port and kind.
    std::unique_ptr<FlowWays> m_ways;             ///< Null if all flows keep their order.
    uint32_t m_inUse{0};                          ///< Records in use.
    uint32_t m_queuesPerOutput{VIRTUAL_CHANNELS}; ///< Virtual output queues of an output port.
};

} // namespace ns3::fabric

#endif // FABRIC_INPUT_FLOW_TABLE_H
