/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-waiting-queues.h"

namespace ns3::fabric
{

namespace
{

/// Looks at the queues of an input port.
class QueueSearch
{
  public:
    /**
     * @param ports of the switch
     * @param port of the input
     * @param found gets what is found
     */
    QueueSearch(const SwitchPorts& ports, uint32_t port, std::vector<WaitingQueue>& found)
        : m_frames(*ports.frames),
          m_flows(ports.inputs[port].flows),
          m_port(static_cast<uint16_t>(port)),
          m_found(found)
    {
    }

    /// Looks at all.
    void Search()
    {
        const std::vector<FlowRecord>& records = m_flows.Records();
        for (std::size_t id = 0; id < records.size(); ++id)
        {
            Look(WaitingQueue::FLOW, records[id].queue, static_cast<FlowId>(id));
        }
        for (const InputQueue& queue : m_flows.VirtualOutputQueues())
        {
            Look(WaitingQueue::OUTPUT, queue, NO_FLOW);
        }
        if (m_flows.Ways())
        {
            for (const FlowWay& way : m_flows.Ways()->All())
            {
                Look(WaitingQueue::WAY, way.queue, way.flow);
            }
        }
    }

  private:
    /// Looks at a queue.
    void Look(WaitingQueue::Kind kind, const InputQueue& queue, FlowId flow)
    {
        if (queue.IsEmpty())
        {
            return;
        }
        const Frame& first = m_frames.At(queue.head);
        WaitingQueue waiting{m_port,
                             queue.output,
                             flow,
                             first.src,
                             first.dst,
                             kind,
                             queue.vc,
                             first.trafficClass,
                             queue.holds,
                             0,
                             0};
        for (uint32_t i = queue.head; i != NO_FRAME; i = m_frames.At(i).next)
        {
            ++waiting.frames;
            waiting.bytes += WireBytes(m_frames.At(i).payload);
        }
        m_found.push_back(waiting);
    }

    const FramePool& m_frames;          ///< Of the switch.
    const InputFlowTable& m_flows;      ///< Of the input.
    uint16_t m_port;                    ///< Of the input.
    std::vector<WaitingQueue>& m_found; ///< What is found.
};

} // namespace

std::vector<WaitingQueue>
FindWaitingQueues(const SwitchPorts& ports)
{
    std::vector<WaitingQueue> found;
    for (uint32_t port = 0; port < ports.count; ++port)
    {
        QueueSearch(ports, port, found).Search();
    }
    return found;
}

} // namespace ns3::fabric
