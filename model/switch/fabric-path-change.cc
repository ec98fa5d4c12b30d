/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-path-change.h"

#include "fabric-hop-meter.h"

#include <utility>

namespace ns3::fabric
{

std::vector<QueueRef>
PathChange::FindStranded() const
{
    std::vector<QueueRef> stranded;
    for (uint16_t port = 0; port < m_ports.count; ++port)
    {
        const std::vector<FlowRecord>& records = m_ports.inputs[port].flows.Records();
        for (uint32_t id = 1; id < records.size(); ++id)
        {
            const FlowRecord& record = records[id];
            const QueueRef ref{port, static_cast<uint16_t>(id)};
            // Of a flow whose frames wait on its ways only the time may be looked for there.
            const bool hasPath =
                !GoesByWays(m_ports.Find(ref)) || (record.queue.holds & InputQueue::PACED) != 0;
            if (record.TotalExtent() != 0 && (record.queue.holds & InputQueue::CHANGES_PATH) == 0 &&
                hasPath && !m_routing.LeadsTo(record.queue.output, record.queue.vc, record.dst))
            {
                stranded.push_back(ref);
            }
        }
        const FlowWays* ways = m_ports.inputs[port].flows.Ways();
        for (uint32_t number = 1; ways && number < ways->All().size(); ++number)
        {
            const FlowWay& way = ways->All()[number];
            if (!way.queue.IsEmpty() &&
                !m_routing.LeadsTo(way.queue.output, way.queue.vc, records[way.flow].dst))
            {
                stranded.push_back({port, static_cast<uint16_t>(FIRST_WAY_QUEUE + number)});
            }
        }
        const std::vector<InputQueue>& queues = m_ports.inputs[port].flows.VirtualOutputQueues();
        for (uint32_t i = 0; i < queues.size(); ++i)
        {
            bool isStranded = false;
            for (uint32_t f = queues[i].head; f != NO_FRAME; f = m_ports.frames->At(f).next)
            {
                isStranded =
                    isStranded ||
                    !m_routing.LeadsTo(queues[i].output, queues[i].vc, m_ports.frames->At(f).dst);
            }
            if (isStranded)
            {
                stranded.push_back({port, static_cast<uint16_t>(InputFlowTable::FIRST_VOQ + i)});
            }
        }
    }
    return stranded;
}

uint32_t
PathChange::Leave(QueueRef ref, TimePs now)
{
    if (InputFlowTable::IsFlow(ref.queue))
    {
        return LeaveFlow(ref, now);
    }
    if (ref.queue >= FIRST_WAY_QUEUE)
    {
        return LeaveWay(ref, now);
    }
    LeaveVirtualOutputQueue(ref, now);
    return 0;
}

bool
PathChange::GoesByWays(const QueuePlace& place)
{
    return place.HasWays() && place.record->queue.IsEmpty();
}

uint32_t
PathChange::LeaveFlow(QueueRef ref, TimePs now)
{
    const QueuePlace place = m_ports.Find(ref);
    FlowRecord& record = *place.record;
    if (GoesByWays(place))
    {
        constexpr uint8_t OF_PATH = InputQueue::CHANGES_PATH | InputQueue::PACED;
        m_queues.SetHolds(place, record.queue.holds & ~OF_PATH);
        m_queues.OfferFlow(place, now);
        return 0;
    }
    if (record.FlowExtent() != 0)
    {
        record.queue.holds |= InputQueue::CHANGES_PATH;
        return 0;
    }
    if (record.outgoing != NO_FLOW)
    {
        m_crossbar.Release(place, now);
    }
    const bool isRerouted = record.Is(FlowRecord::REROUTED);
    m_queues.SetHolds(place, record.HoldsOfHost());
    HopMeter::LeavePath(record);
    if (record.queue.IsEmpty())
    {
        return 0;
    }
    const Frame& first = m_ports.frames->At(record.queue.head);
    const Hop hop = isRerouted ? m_rerouting.Choose(place, first, now)
                               : m_routing.Choose(ref.input, first, false, now);
    if (!hop)
    {
        return DropQueue(ref, now);
    }
    RedirectRest(place, hop.output);
    m_queues.Redirect(record.queue, hop.output, now);
    m_entry.SetChannel(record, hop.vc, m_ports.frames->At(record.queue.head));
    m_queues.Offer(place, now);
    return 0;
}

uint32_t
PathChange::LeaveWay(QueueRef ref, TimePs now)
{
    const QueuePlace place = m_ports.Find(ref);
    const QueueRef flow = place.Flow();
    std::vector<Frame> frames;
    while (!place.queue->IsEmpty())
    {
        frames.push_back(m_queues.TakeUnsent(*place.queue, now));
    }
    place.queue->holds &= InputQueue::ALL_HOLDS & ~InputQueue::CHANGES_PATH;
    m_crossbar.EndIdleWay(place, now);
    uint32_t lost = 0;
    for (const Frame& frame : frames)
    {
        if (!m_entry.JoinOther(m_ports.Find(flow), frame, now))
        {
            m_buffers.Drop(ref.input, frame, DropCause::NO_ROUTE, now);
            lost += FlowUnits(frame.payload);
        }
    }
    return lost;
}

void
PathChange::RedirectRest(const QueuePlace& place, uint16_t output)
{
    PortAssembly* assembly = place.input->assembly.get();
    for (uint32_t i = assembly ? place.queue->head : NO_FRAME; i != NO_FRAME;
         i = m_ports.frames->At(i).next)
    {
        const uint8_t lane = m_ports.frames->At(i).lane;
        if (assembly->Knows(lane, i))
        {
            assembly->Redirect(lane, i, output);
        }
    }
}

uint32_t
PathChange::DropQueue(QueueRef ref, TimePs now)
{
    FlowRecord& record = *m_ports.Find(ref).record;
    uint32_t units = 0;
    while (!record.queue.IsEmpty())
    {
        ForgetRest(ref.input, record.queue.head);
        const Frame frame = m_queues.TakeUnsent(record.queue, now);
        m_buffers.Drop(ref.input, frame, DropCause::NO_ROUTE, now);
        units += FlowUnits(frame.payload);
    }
    return units;
}

bool
PathChange::ForgetRest(uint32_t port, uint32_t handle)
{
    PortAssembly* assembly = m_ports.inputs[port].assembly.get();
    return assembly && assembly->Forget(m_ports.frames->At(handle).lane, handle);
}

void
PathChange::LeaveVirtualOutputQueue(QueueRef ref, TimePs now)
{
    InputPort& input = m_ports.inputs[ref.input];
    std::vector<std::pair<Frame, bool>> frames; // and whether more of it is to come
    while (!input.flows.Queue(ref.queue).IsEmpty())
    {
        InputQueue& queue = input.flows.Queue(ref.queue);
        const bool isPartlyIn = ForgetRest(ref.input, queue.head);
        frames.emplace_back(m_queues.TakeUnsent(queue, now), isPartlyIn);
    }
    for (const auto& [frame, isPartlyIn] : frames)
    {
        const uint32_t index = m_ports.frames->NextIndex();
        const uint16_t output = m_entry.Join(ref.input, frame, now);
        if (!Hop::IsOutput(output))
        {
            m_buffers.Drop(ref.input, frame, FlowEntry::WhyNot(output), now);
        }
        else if (isPartlyIn)
        {
            input.assembly->Redirect(frame.lane, index, output);
        }
    }
}

} // namespace ns3::fabric
