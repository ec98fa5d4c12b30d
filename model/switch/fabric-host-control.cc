/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-host-control.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

/// @return bytes of the largest frame on the link to a host
uint32_t
LargestFrame(const Nic& nic)
{
    return WireBytes(std::max(JUMBO_PAYLOAD, nic.Config().mtu));
}

} // namespace

void
HostControl::Connect(uint32_t port, Nic& nic, PausedLink link, const BufferShares& buffer)
{
    if (m_settings.edgeFlowControl == EDGE_CREDITS)
    {
        nic.Uplink().Credits().Configure(buffer);
        return;
    }
    link.largestFrame = LargestFrame(nic);
    link.response = ResponseTime(link.rate);
    InputPort& input = m_ports.inputs[port];
    input.pause = std::make_unique<PauseController>(
        MakePauseController(m_settings.edgeFlowControl, m_settings.pause, link));
    input.unusual |= InputPort::PAUSES_HOST;
    m_ports.outputs[port].speaksFirst |= OutputPort::MAY_ALWAYS;
    if (m_settings.edgeFlowControl == EDGE_PRIORITY_PAUSE)
    {
        nic.UsePriorityLanes();
    }
    nic.Uplink().Credits().Configure(TAKES_EVERYTHING);
}

void
HostControl::ConnectReceiver(uint32_t port, Nic& nic, PausedLink link, uint32_t virtualChannels)
{
    const ReceiveSettings& receive = nic.Config().receive;
    if (receive.HoldBack() && m_settings.edgeFlowControl == EDGE_CREDITS)
    {
        UseCredits(port, nic, link, virtualChannels);
        return;
    }
    m_ports.outputs[port].transmitter.Credits().Configure(TAKES_EVERYTHING);
    if (receive.HoldBack())
    {
        ObeyPauses(port, nic, link);
    }
}

void
HostControl::UseCredits(uint32_t port, Nic& nic, const PausedLink& link, uint32_t virtualChannels)
{
    const ReceiveSettings& receive = nic.Config().receive;
    if (receive.ChoosesThresholds())
    {
        throw std::invalid_argument("ReceiveXoffBytes and ReceiveXonBytes are of a host that "
                                    "pauses the switch; allowed are 0, or EdgeFlowControl=pause or "
                                    "priority-pause");
    }
    // Any frame that can come has a place in its channel; else it might wait for ever.
    const uint32_t reserved = WireBytes(JUMBO_PAYLOAD);
    if (receive.Room() < virtualChannels * reserved)
    {
        throw std::invalid_argument(
            "ReceiveBuffer is " + std::to_string(receive.Room()) + "; allowed is at least " +
            std::to_string(virtualChannels * reserved) + " bytes, the largest frame for each of " +
            std::to_string(virtualChannels) + " virtual channels");
    }
    OutputPort& output = m_ports.outputs[port];
    LinkCredits& credits = output.transmitter.Credits();
    credits.Configure({receive.Room(), reserved, static_cast<uint16_t>(virtualChannels)});
    const CreditEnd end(&credits, &output.starves, &m_clock.GetAgenda(), port);
    nic.UseCredits(credits, CreditPath(end, link.delay + link.response));
}

void
HostControl::ObeyPauses(uint32_t port, Nic& nic, PausedLink& link)
{
    const ReceiveSettings& receive = nic.Config().receive;
    link.largestFrame = LargestFrame(nic);
    link.bufferBytes = receive.Room();
    PauseSettings settings = m_settings.pause;
    settings.thresholds = receive.Thresholds(PauseHeadroom(link), link.largestFrame);
    nic.UsePauses(MakePauseConfig(m_settings.edgeFlowControl, settings, link), *this);
    // After a repair host and switch wait for each other's first word, the host first.
    OutputPort& output = m_ports.outputs[port];
    const TimePs oneWay = link.rate.TxTime(PAUSE_FRAME_BYTES) + link.delay;
    output.obeyed =
        std::make_unique<ObeyedPauses>(2 * oneWay + ResponseTime(link.rate) + link.response);
    output.speaksFirst |= OutputPort::MAY_ALWAYS;
}

void
HostControl::TakePause(uint32_t port, const PauseOrder& order, Attempt attempt)
{
    OutputPort& output = m_ports.outputs[port];
    if (m_observer)
    {
        m_observer->HostPaused(port, order);
    }
    if (attempt == Attempt::DAMAGED)
    {
        return;
    }
    output.obeyed->Accept(order);
    if (output.IsHeld())
    {
        // It may lift the pause before the time-out for which the decision waits.
        m_clock.GetAgenda().Note(Task::DECIDE, port, order.time);
    }
}

void
HostControl::Obey(OutputPort& output, TimePs now)
{
    if (!output.obeyed)
    {
        return;
    }
    ObeyedPauses& pauses = *output.obeyed;
    pauses.Update(now);
    m_crossbar.AskAgain(output, pauses.waiting, [this, &pauses](const QueuePlace& place) {
        return pauses.Stops(m_ports.frames->At(place.queue->head));
    });
}

bool
HostControl::MustWait(OutputPort& output, const QueuePlace& place) const
{
    if (!output.obeyed || !output.obeyed->Stops(m_ports.frames->At(place.queue->head)))
    {
        return false;
    }
    IdealCrossbar::SetAside(place, output.obeyed->waiting);
    return true;
}

bool
HostControl::Holds(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    Obey(output, now);
    if (!output.obeyed || !output.obeyed->StopsAny())
    {
        return false;
    }
    // If all is stopped, who waits keeps its turn.
    const LaneMask candidates = output.IsStopped() ? 0 : output.lists.Waiting();
    const QueueRef ready = m_crossbar.Ready(output, candidates, now, [&](const QueuePlace& place) {
        return MustWait(output, place);
    });
    m_clock.PlanDecision(port, output.EndOfPause());
    return ready == NO_QUEUE; // else it is found again, and sent
}

TimePs
HostControl::ResponseTime(const LinkRate& rate) const
{
    return m_settings.edgeFlowControl != EDGE_CREDITS
               ? QuantaToTime(m_settings.pause.responseQuanta, rate.BitsPerSecond())
               : 0;
}

bool
HostControl::Send(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    PauseController& pause = *m_ports.inputs[port].pause;
    if (!pause.HasOrder(now))
    {
        m_clock.PlanDecision(port, pause.NextTime());
        return false;
    }
    PauseOrder order;
    const Attempt attempt = output.transmitter.TryPause(pause, now, order);
    if (attempt != Attempt::LATER && m_observer)
    {
        m_observer->Paused(port, order, now);
    }
    if (attempt == Attempt::CLEAN)
    {
        output.nic->Accept(order);
    }
    m_clock.PlanDecision(port, output.transmitter.FreeAt());
    return true;
}

void
HostControl::BeginWait(uint32_t port, const Frame& frame, TimePs now)
{
    if (const auto& pause = m_ports.inputs[port].pause)
    {
        pause->BeginWait(WireBytes(frame.payload));
        PlanPause(port, now);
    }
}

void
HostControl::EndWait(uint32_t port, const Frame& frame, TimePs now)
{
    if (const auto& pause = m_ports.inputs[port].pause)
    {
        pause->EndWait(WireBytes(frame.payload));
        PlanPause(port, now);
    }
}

} // namespace ns3::fabric
