/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-waits.h"

#include <algorithm>
#include <optional>

namespace ns3::fabric
{

namespace
{

/// @return what the first frame of a queue waits for, nothing if it may go or its rest is missing
std::optional<WaitCause>
CauseOf(const SwitchPorts& ports, const InputQueue& queue)
{
    const OutputPort& output = ports.outputs[queue.output];
    if (output.transmitter.IsBlocked())
    {
        return WaitCause::LINK;
    }
    if ((queue.holds & InputQueue::NO_HEADROOM) != 0)
    {
        return WaitCause::HOP_CREDITS;
    }
    if ((queue.holds & (InputQueue::CHANGES_PATH | InputQueue::OVER_LIMIT)) != 0)
    {
        return WaitCause::ACKS;
    }
    if ((queue.holds & InputQueue::PACED) != 0)
    {
        return std::nullopt; // until its time comes
    }
    if (queue.stands == InputQueue::LACKS_ID)
    {
        return WaitCause::FLOW_CHANNEL;
    }
    const Frame& frame = ports.frames->At(queue.head);
    const bool isStopped = output.obeyed && output.obeyed->Stops(frame);
    if (!isStopped && output.transmitter.Credits().CanSend(queue.vc, WireBytes(frame.payload)))
    {
        return std::nullopt;
    }
    return output.nic ? WaitCause::HOST : WaitCause::ROOM;
}

} // namespace

std::vector<SwitchWait>
FindWaits(const SwitchPorts& ports)
{
    std::vector<SwitchWait> waits;
    const auto add = [&waits](const SwitchWait& wait) {
        if (std::find(waits.begin(), waits.end(), wait) == waits.end())
        {
            waits.push_back(wait);
        }
    };
    for (uint32_t port = 0; port < ports.count; ++port)
    {
        const InputPort& input = ports.inputs[port];
        const auto look = [&](const InputQueue& queue) {
            const auto cause = queue.IsEmpty() ? std::nullopt : CauseOf(ports, queue);
            if (cause)
            {
                add({port, queue.output, *cause});
            }
        };
        const bool waitsForId = input.edge && !input.edge->waiting.IsEmpty();
        for (const FlowRecord& record : input.flows.Records())
        {
            look(record.queue);
            if (waitsForId && record.FlowExtent() != 0)
            {
                add({port, record.queue.output, WaitCause::ACKS}); // which free flow_ids
            }
        }
        for (const InputQueue& queue : input.flows.VirtualOutputQueues())
        {
            look(queue);
        }
    }
    return waits;
}

} // namespace ns3::fabric
