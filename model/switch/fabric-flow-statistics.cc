/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-statistics.h"

#include <algorithm>

namespace ns3::fabric
{

FlowStatistics::FlowStatistics(const SwitchPorts& ports, bool keepsClosed)
    : m_ports(ports),
      m_channels(ports.count),
      m_keepsClosed(keepsClosed)
{
}

std::vector<FlowFigures>
FlowStatistics::Open(uint32_t port) const
{
    std::vector<FlowFigures> open;
    for (FlowFigures figures : m_channels[port])
    {
        if (figures.flow != NO_FLOW)
        {
            Update(figures);
            open.push_back(figures);
        }
    }
    return open;
}

void
FlowStatistics::Arrived(uint32_t /* port */, const Frame& /* frame */, TimePs /* now */)
{
    // It may be dropped, or wait for a flow channel: Joined() counts it.
}

void
FlowStatistics::Sent(uint32_t /* port */, const Frame& /* frame */, TimePs /* now */)
{
    // Left() knows whose it was.
}

void
FlowStatistics::Dropped(uint32_t /* port */,
                        const Frame& /* frame */,
                        DropCause /* cause */,
                        TimePs /* now */)
{
    // What was dropped out of a queue is what has joined and not left when the channel ends.
}

void
FlowStatistics::Joined(uint32_t port, const Frame& frame, TimePs now)
{
    std::vector<FlowFigures>& channels = m_channels[port];
    if (frame.flow >= channels.size())
    {
        channels.resize(std::max<std::size_t>(frame.flow + 1U, 2 * channels.size()));
    }
    FlowFigures& figures = channels[frame.flow];
    if (figures.flow == NO_FLOW)
    {
        figures = {};
        figures.port = static_cast<uint16_t>(port);
        figures.flow = frame.flow;
        figures.src = frame.src;
        figures.dst = frame.dst;
        figures.trafficClass = frame.trafficClass;
        figures.output = m_ports.inputs[port].flows.At(frame.flow).queue.output;
        figures.opened = now;
    }
    ++figures.frames;
    figures.bytes += frame.payload;
    Update(figures);
    figures.mostQueueExtent = std::max(figures.mostQueueExtent, figures.queueExtent);
    figures.mostTotalExtent = std::max(figures.mostTotalExtent, figures.TotalExtent());
}

void
FlowStatistics::Left(QueueRef from, uint32_t output, const Frame& frame, TimePs /* now */)
{
    std::vector<FlowFigures>& channels = m_channels[from.input];
    if (from.queue >= channels.size() || channels[from.queue].flow == NO_FLOW)
    {
        return; // it joined before anybody counted
    }
    FlowFigures& figures = channels[from.queue];
    ++figures.framesSent;
    figures.bytesSent += frame.payload;
    figures.output = static_cast<uint16_t>(output);
    figures.outgoing = frame.flow;
    Update(figures);
    figures.mostFlowExtent = std::max(figures.mostFlowExtent, figures.flowExtent);
}

void
FlowStatistics::Ended(uint32_t port, FlowId flow, TimePs now)
{
    std::vector<FlowFigures>& channels = m_channels[port];
    if (flow >= channels.size() || channels[flow].flow == NO_FLOW)
    {
        return; // all of its frames were dropped as they came in
    }
    FlowFigures& figures = channels[flow];
    Update(figures);
    figures.closed = now;
    if (m_listener)
    {
        m_listener(figures);
    }
    if (m_keepsClosed)
    {
        m_closed.push_back(figures);
    }
    figures.flow = NO_FLOW;
}

void
FlowStatistics::Update(FlowFigures& figures) const
{
    const FlowRecord& record = m_ports.inputs[figures.port].flows.At(figures.flow);
    figures.queueExtent = record.QueueExtent();
    figures.flowExtent = record.FlowExtent();
}

} // namespace ns3::fabric
