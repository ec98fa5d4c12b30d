/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_ENTRY_H
#define FABRIC_FLOW_ENTRY_H

#include "fabric-congestion-management.h"
#include "fabric-flow-channel-settings.h"
#include "fabric-input-buffers.h"
#include "fabric-input-queues.h"
#include "fabric-link-overload.h"
#include "fabric-output-lanes.h"
#include "fabric-output-shapers.h"
#include "fabric-past-flows.h"
#include "fabric-routing-function.h"

namespace ns3::fabric
{

/// How a frame that has come in joins the queue of its flow channel, or a virtual output queue. If
/// there is no way, it says so and leaves the frame to whoever asked.
class FlowEntry
{
  public:
    /**
     * @param congestion what is done about it
     * @param hasOwnLists whether outputs have lists of lanes or shaping queues
     * @param past flows that come again
     */
    FlowEntry(const SwitchPorts& ports,
              RoutingFunction& routing,
              CongestionManagement& congestion,
              InputQueues& queues,
              const OutputLoads& loads,
              const InputBuffers& buffers,
              const OutputLanes& lanes,
              const OutputShapers& shapers,
              bool hasOwnLists,
              const FlowChannelSettings& settings,
              const RerouteSettings& reroute,
              const PastFlows& past)
        : m_loads(loads),
          m_buffers(buffers),
          m_lanes(lanes),
          m_shapers(shapers),
          m_settings(settings),
          m_past(past),
          m_ports(ports),
          m_routing(routing),
          m_congestion(congestion),
          m_queues(queues),
          m_hasOwnLists(hasOwnLists),
          m_sharesMemory(buffers.SharesLossyRoom()),
          m_reroute(reroute)
    {
    }

    /**
     * A frame joins the queue of its flow channel, or without one a virtual output queue.
     *
     * @param port where it has come in
     * @param frame that has come
     * @return its output; if it has joined nothing Hop::NO_OUTPUT, since there is no way, or
     * Hop::NO_ROOM, since its class is lossy and too much waits there
     */
    uint16_t Join(uint32_t port, const Frame& frame, TimePs now)
    {
        return frame.flow != NO_FLOW ? JoinFlow(port, frame, now)
                                     : JoinVirtualOutputQueue(port, frame, now);
    }

    /// @param output as of Join(), no output @return why a frame that has joined nothing is dropped
    static DropCause WhyNot(uint16_t output)
    {
        return output == Hop::NO_ROOM ? DropCause::TAIL_DROP : DropCause::NO_ROUTE;
    }

    /**
     * A frame without flow joins the virtual output queue of a hop.
     *
     * @param port where it has come in
     * @param frame that has come
     * @param hop by which it is to leave
     */
    void JoinAt(uint32_t port, const Frame& frame, Hop hop, TimePs now)
    {
        const uint8_t kind = m_hasOwnLists ? KindOf(frame, hop) : hop.vc;
        const uint16_t number = m_ports.inputs[port].flows.VirtualOutputQueue(hop.output, kind);
        const QueuePlace place = m_ports.Find({static_cast<uint16_t>(port), number});
        if (place.queue->IsEmpty())
        {
            // All frames of one virtual output queue stay in their order, so they have one lane.
            SetHop(*place.queue, hop, frame, port, hop.output);
        }
        m_queues.Join(place, frame, now);
    }

    /// The flow channel of a host's flow ends. @param ref names it
    void End(QueueRef ref, TimePs now)
    {
        m_congestion.Ended(m_ports.Find(ref), now);
        m_ports.inputs[ref.input].flows.Close(ref.queue);
    }

    /**
     * The frames of a flow channel, which is in no list and has its new output, leave by another
     * virtual channel.
     *
     * @param first of these frames
     */
    void SetChannel(FlowRecord& record, uint8_t vc, const Frame& first) const
    {
        SetHop(record.queue, {record.queue.output, vc}, first, record.src, record.dst);
    }

    /**
     * A frame of a flow that takes several ways is to wait for another output.
     *
     * @param place of the flow, in whose extents it is counted
     * @param frame that waits nowhere
     * @return whether there is a way
     */
    bool JoinOther(const QueuePlace& place, const Frame& frame, TimePs now);

    /// All queues get the lists of a new table of lanes.
    void RenewLists();

  private:
    /// A frame joins the queue of its flow channel.
    uint16_t JoinFlow(uint32_t port, const Frame& frame, TimePs now)
    {
        InputPort& input = m_ports.inputs[port];
        const FlowWays* ways = input.flows.Ways();
        if (ways && ways->AreOf(frame.trafficClass))
        {
            return JoinByWay(port, frame, now);
        }
        FlowRecord& record = input.flows.Open(frame.flow, frame.src, frame.dst, frame.dataFlow);
        const QueueRef ref{static_cast<uint16_t>(port), frame.flow};
        const QueuePlace place{ref, &input, &record.queue, &record};
        if (record.TotalExtent() == 0)
        {
            // Nothing of the flow is under way, so another path can't bring it out of order
            // (FC-11).
            const Hop hop = m_routing.Choose(port, frame, false, now);
            if (!hop)
            {
                return Hop::NO_OUTPUT;
            }
            record.trafficClass = frame.trafficClass;
            record.arrivedOn = frame.vc;
            if (m_reroute.isOn && record.movedAt == 0)
            {
                record.movedAt = m_past.Arrive(record, hop.output, now);
            }
            SetHop(record.queue, hop, frame, frame.src, frame.dst);
            m_congestion.Opened(place, frame);
        }
        record.nextDataFlow += FlowUnits(frame.payload);
        m_congestion.Joined(place, frame, now);
        m_queues.Join(place, frame, now);
        m_congestion.Waits(place, frame, now);
        return record.queue.output;
    }

    /// A frame joins one of the ways of its flow. Out of line, as most flows have one.
    [[gnu::noinline, gnu::cold]] uint16_t JoinByWay(uint32_t port, const Frame& frame, TimePs now);
    /// @return where a frame goes that may overtake others of its flow: where that has headroom
    Hop ChooseWay(const QueuePlace& place, const Frame& frame, TimePs now);
    /// @return the queue of a flow for a hop
    QueuePlace WayBy(const QueuePlace& place, const Frame& frame, Hop hop, TimePs now);

    /// A frame without flow joins its virtual output queue. Out of line, as most have a flow.
    [[gnu::noinline]] uint16_t JoinVirtualOutputQueue(uint32_t port, const Frame& frame, TimePs now)
    {
        if (__builtin_expect(m_sharesMemory, 0) != 0)
        {
            return JoinIfThereIsRoom(port, frame, now);
        }
        const Hop hop = ChooseWithoutFlow(port, frame, now);
        if (hop)
        {
            JoinAt(port, frame, hop, now);
        }
        return hop.output;
    }

    /// @return where a frame without flow goes
    Hop ChooseWithoutFlow(uint32_t port, const Frame& frame, TimePs now)
    {
        return m_routing.Choose(port, frame, m_settings.IsOrdered(frame.trafficClass), now);
    }

    /// As JoinVirtualOutputQueue(), where lossy classes share a memory.
    [[gnu::noinline, gnu::cold]] uint16_t JoinIfThereIsRoom(uint32_t port,
                                                            const Frame& frame,
                                                            TimePs now);

    /// A queue is for an output from now on.
    void SetHop(InputQueue& queue,
                Hop hop,
                const Frame& frame,
                LocationId src,
                LocationId dst) const
    {
        queue.output = hop.output;
        queue.vc = hop.vc & (VIRTUAL_CHANNELS - 1);
        if (!m_hasOwnLists)
        {
            queue.list = queue.vc;
            return;
        }
        SetOwnList(queue, frame, src, dst);
    }

    /// A queue, which has its output, gets one of the lists of it. Out of line, as few have any.
    [[gnu::noinline]] void SetOwnList(InputQueue& queue,
                                      const Frame& frame,
                                      LocationId src,
                                      LocationId dst) const
    {
        m_queues.SetList(queue,
                         m_lanes.Arbitrates()
                             ? m_lanes.ListOf(queue.vc, frame.trafficClass, src, dst)
                             : m_shapers.ListOf(queue.output, queue.vc, frame));
    }

    /// @return of which kind a virtual output queue is, where outputs have lists of their own
    uint8_t KindOf(const Frame& frame, Hop hop) const
    {
        return m_lanes.Arbitrates() ? frame.trafficClass
                                    : m_shapers.KindOf(hop.output, hop.vc, frame);
    }

    // What each hop touches comes last: see SwitchUnits.
    const OutputLoads& m_loads;            ///< What waits for each output.
    const InputBuffers& m_buffers;         ///< Of the switch.
    const OutputLanes& m_lanes;            ///< Of the switch.
    const OutputShapers& m_shapers;        ///< Of the switch.
    const FlowChannelSettings& m_settings; ///< Of flow channels.
    const PastFlows& m_past;               ///< Flows that come again.
    const SwitchPorts& m_ports;            ///< Of the switch.
    RoutingFunction& m_routing;            ///< Of the switch.
    CongestionManagement& m_congestion;    ///< What is done about it.
    InputQueues& m_queues;                 ///< Of the switch.
    const bool m_hasOwnLists;              ///< Whether outputs have lists of lanes or queues.
    const bool m_sharesMemory;             ///< Whether lossy classes share a memory.
    const RerouteSettings& m_reroute;      ///< Whether flows note when they came.
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_ENTRY_H
