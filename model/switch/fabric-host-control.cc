/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-host-control.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

void
HostControl::Connect(uint32_t port, Nic& nic, PausedLink link, const BufferShares& buffer)
{
    if (m_settings.edgeFlowControl == EDGE_CREDITS)
    {
        nic.Uplink().Credits().Configure(buffer);
        return;
    }
    link.largestFrame = WireBytes(std::max(JUMBO_PAYLOAD, nic.Config().mtu));
    InputPort& input = m_ports.inputs[port];
    input.pause = std::make_unique<PauseController>(
        MakePauseController(m_settings.edgeFlowControl, m_settings.pause, link));
    input.unusual |= InputPort::PAUSES_HOST;
    m_ports.outputs[port].pause = input.pause.get();
    m_ports.outputs[port].speaksFirst = true;
    if (m_settings.edgeFlowControl == EDGE_PRIORITY_PAUSE)
    {
        nic.UsePriorityLanes();
    }
    nic.Uplink().Credits().Configure(TAKES_EVERYTHING);
}

void
HostControl::ConnectReceiver(uint32_t port, Nic& nic, TimePs creditDelay, uint32_t virtualChannels)
{
    OutputPort& output = m_ports.outputs[port];
    LinkCredits& credits = output.transmitter.Credits();
    const ReceiveSettings& receive = nic.Config().receive;
    if (!receive.HoldBack())
    {
        credits.Configure(TAKES_EVERYTHING);
        return;
    }
    if (m_settings.edgeFlowControl != EDGE_CREDITS)
    {
        throw std::invalid_argument(
            "a host with a ReceiveRate or ReceiveBuffer holds the switch back by credits; allowed "
            "is EdgeFlowControl=credits");
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
    credits.Configure({receive.Room(), reserved, virtualChannels});
    const CreditEnd end(&credits, &output.starves, &m_clock.GetAgenda(), port);
    nic.UseReceiveBuffer(credits, CreditPath(end, creditDelay));
}

TimePs
HostControl::ResponseTime(uint32_t port, const LinkRate& rate) const
{
    return m_ports.outputs[port].pause
               ? QuantaToTime(m_settings.pause.responseQuanta, rate.BitsPerSecond())
               : 0;
}

bool
HostControl::Send(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    if (!output.pause->HasOrder(now))
    {
        m_clock.PlanDecision(port, output.pause->NextTime());
        return false;
    }
    const Attempt attempt = output.transmitter.TryControl(PAUSE_FRAME_BYTES, now);
    if (attempt == Attempt::LATER)
    {
        m_clock.PlanDecision(port, output.transmitter.FreeAt());
        return true;
    }
    PauseOrder order = output.pause->TakeOrder(now);
    order.time = output.transmitter.StartPause(now);
    if (m_observer)
    {
        m_observer->Paused(port, order, now);
    }
    if (attempt == Attempt::CLEAN)
    {
        output.nic->Accept(order);
    }
    else
    {
        output.transmitter.LosePause(); // the next refresh makes it good
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
