/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-entry.h"

#include <utility>

namespace ns3::fabric
{

Hop
FlowEntry::ChooseWay(const QueuePlace& place, const Frame& frame, TimePs now)
{
    FlowWays& ways = *place.input->flows.Ways();
    if (!ways.MayBegin(place.ref.queue, now))
    {
        const InputQueue& queue = ways.At(ways.First(place.ref.queue)).queue;
        if (m_routing.LeadsTo(queue.output, queue.vc, frame.dst))
        {
            return {queue.output, queue.vc};
        }
    }
    const auto lacksHeadroom = [&ways, &place](uint16_t output) {
        bool lacks = false;
        ways.ForEach(place.ref.queue, [&lacks, output](uint16_t, const FlowWay& way) {
            lacks = lacks || (way.queue.output == output && !way.HasHeadroom());
        });
        return lacks;
    };
    const Hop hop = m_routing.Choose(place.ref.input, frame, false, now);
    if (!hop || !lacksHeadroom(hop.output))
    {
        return hop;
    }
    return m_routing.ChooseBy(place.ref.input, frame, [&](uint16_t output) {
        return std::make_pair(lacksHeadroom(output), m_routing.WaitBy(output, frame));
    });
}

uint16_t
FlowEntry::JoinIfThereIsRoom(uint32_t port, const Frame& frame, TimePs now)
{
    const Hop hop = ChooseWithoutFlow(port, frame, now);
    if (!hop)
    {
        return Hop::NO_OUTPUT;
    }
    if (!m_buffers.MayWait(frame, m_loads.QueuedBytes(hop.output, hop.vc), now))
    {
        return Hop::NO_ROOM;
    }
    JoinAt(port, frame, hop, now);
    return hop.output;
}

QueuePlace
FlowEntry::WayBy(const QueuePlace& place, const Frame& frame, Hop hop, TimePs now)
{
    if (m_ports.outputs[hop.output].nic)
    {
        return place; // to a host there is one way
    }
    FlowWays& ways = *place.input->flows.Ways();
    const FlowId flow = place.ref.queue;
    uint16_t number = ways.Find(flow, hop.output, hop.vc & (VIRTUAL_CHANNELS - 1));
    if (number == FlowWays::NONE)
    {
        number = ways.Begin(flow, now);
        InputQueue& queue = ways.At(number).queue;
        SetHop(queue, hop, frame, frame.src, frame.dst);
        queue.holds = InputQueues::HoldsOfAll(place) & InputQueue::ALL_HOLDS;
    }
    return m_ports.Find({place.ref.input, static_cast<uint16_t>(FIRST_WAY_QUEUE + number)});
}

uint16_t
FlowEntry::JoinByWay(uint32_t port, const Frame& frame, TimePs now)
{
    InputPort& input = m_ports.inputs[port];
    FlowRecord& record = input.flows.Open(frame.flow, frame.src, frame.dst, frame.dataFlow);
    const QueuePlace place{{static_cast<uint16_t>(port), frame.flow},
                           &input,
                           &record.queue,
                           &record};
    const Hop hop = ChooseWay(place, frame, now);
    if (!hop)
    {
        return Hop::NO_OUTPUT;
    }
    const bool begins = record.TotalExtent() == 0;
    if ((record.queue.holds & InputQueue::PACED) == 0)
    {
        // Else the output that it has looks for its time.
        SetHop(record.queue, hop, frame, frame.src, frame.dst);
    }
    if (begins)
    {
        record.trafficClass = frame.trafficClass;
        record.arrivedOn = frame.vc;
        m_congestion.Opened(place, frame);
    }
    record.nextDataFlow += FlowUnits(frame.payload);
    m_congestion.Joined(place, frame, now);
    m_queues.Join(WayBy(place, frame, hop, now), frame, now);
    m_congestion.Waits(place, frame, now);
    return hop.output;
}

bool
FlowEntry::JoinOther(const QueuePlace& place, const Frame& frame, TimePs now)
{
    const Hop hop = ChooseWay(place, frame, now);
    if (hop)
    {
        m_queues.Join(WayBy(place, frame, hop, now), frame, now);
    }
    return static_cast<bool>(hop);
}

void
FlowEntry::RenewLists()
{
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        m_ports.inputs[port].flows.ForEachUsed(
            [this](FlowRecord& flow) {
                m_queues.SetList(
                    flow.queue,
                    m_lanes.ListOf(flow.queue.vc, flow.trafficClass, flow.src, flow.dst));
            },
            [this, port](InputQueue& queue, uint8_t trafficClass) {
                m_queues.SetList(queue, m_lanes.ListOf(queue.vc, trafficClass, port, queue.output));
            },
            [this](InputQueue& queue, const FlowRecord& flow) {
                m_queues.SetList(queue,
                                 m_lanes.ListOf(queue.vc, flow.trafficClass, flow.src, flow.dst));
            });
    }
}

} // namespace ns3::fabric
