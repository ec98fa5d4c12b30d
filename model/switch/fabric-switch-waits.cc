/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-waits.h"

#include "fabric-nic.h"

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
    if ((queue.holds &
         (InputQueue::CHANGES_PATH | InputQueue::OVER_LIMIT | InputQueue::AWAITS_TURN)) != 0)
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
    const bool isStopped = (output.obeyed && output.obeyed->Stops(frame)) ||
                           queue.stands == InputQueue::NO_PLACE; // those before it are
    if (!isStopped && output.transmitter.Credits().CanSend(queue.vc, WireBytes(frame.payload)))
    {
        return std::nullopt;
    }
    return output.nic ? WaitCause::HOST : WaitCause::ROOM;
}

/// @param visit is called with each queue in which there are frames, and the port of its input
template <typename Visit>
void
ForEachWaiting(const SwitchPorts& ports, Visit&& visit)
{
    const auto look = [&visit](const InputQueue& queue, uint32_t port) {
        if (!queue.IsEmpty())
        {
            visit(queue, port);
        }
    };
    for (uint32_t port = 0; port < ports.count; ++port)
    {
        ports.inputs[port].flows.ForEachQueue(
            [&look, port](const InputQueue& queue) { look(queue, port); });
    }
}

/// @return whether a decision that is planned can only find that a pause is repeated or goes on
bool
OnlyWaits(const SwitchPorts& ports, uint32_t port)
{
    const InputPort& input = ports.inputs[port];
    const OutputPort& output = ports.outputs[port];
    if (output.lacksCredit || output.losesAcks || !output.acks.IsEmpty() ||
        (output.speaksFirst & ~OutputPort::MAY_ALWAYS) != 0 || input.Is(InputPort::TELLS_CREDITS) ||
        (output.wire && output.wire->wire.Runs()) ||
        (ports.tiles && ports.tiles[port].buffer.UsedBytes() != 0))
    {
        return false;
    }
    const ReceivePauses* const host = output.nic ? output.nic->Pauses() : nullptr;
    const bool isHeld =
        output.obeyed && !output.obeyed->IsLifted() && (!output.nic || (host && host->LetsGo()));
    return (!input.pause || input.pause->HasToldAll()) && (!output.obeyed || isHeld);
}

/// @return whether the host of a port only waits for the end of a pause
bool
HostOnlyWaits(const SwitchPorts& ports, uint32_t port)
{
    const PauseController* pause = ports.inputs[port].pause.get();
    return pause && pause->IsStopping() && ports.outputs[port].nic->IsHindered();
}

} // namespace

bool
IsAtRest(const SwitchPorts& ports, const Agenda& agenda)
{
    const auto isPlanned = [&agenda](Task task, uint32_t port) {
        return agenda.At(agenda.EntryOf(task, port)) != NEVER;
    };
    bool isAtRest = true;
    for (uint32_t port = 0; port < ports.count; ++port)
    {
        const bool hasHost = port < agenda.HostPorts() && agenda.HostTime(port) != NEVER;
        isAtRest = isAtRest && !isPlanned(Task::DATA, port) && !isPlanned(Task::CONTROL, port) &&
                   (!isPlanned(Task::DECIDE, port) || OnlyWaits(ports, port)) &&
                   (!hasHost || HostOnlyWaits(ports, port));
    }
    ForEachWaiting(ports, [&](const InputQueue& queue, uint32_t) {
        isAtRest = isAtRest && CauseOf(ports, queue).has_value();
    });
    return isAtRest && !agenda.HasOwnTask();
}

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
    ForEachWaiting(ports, [&](const InputQueue& queue, uint32_t port) {
        if (const auto cause = CauseOf(ports, queue))
        {
            add({port, queue.output, *cause});
        }
    });
    for (uint32_t port = 0; port < ports.count; ++port)
    {
        const InputPort& input = ports.inputs[port];
        if (input.contained && !input.contained->waiting.IsEmpty())
        {
            add({port, port, WaitCause::RESET});
        }
        const bool waitsForId = input.edge && !input.edge->waiting.IsEmpty();
        for (const FlowRecord& record : input.flows.Records())
        {
            if (waitsForId && record.FlowExtent() != 0)
            {
                add({port, record.queue.output, WaitCause::ACKS}); // which free flow_ids
            }
        }
    }
    return waits;
}

} // namespace ns3::fabric
