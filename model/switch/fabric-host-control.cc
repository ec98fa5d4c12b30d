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
    if (m_settings.edgeFlowControl == LINK_CREDITS)
    {
        nic.Uplink().Credits().Configure(buffer);
        return;
    }
    link.largestFrame = LargestFrame(nic);
    link.response = ResponseTime(link.rate);
    m_pauses.PauseSender(
        port,
        MakePauseController(m_settings.edgeFlowControl, m_settings.pause, link, "Pause", m_memory));
    if (m_settings.edgeFlowControl == LINK_PRIORITY_PAUSE)
    {
        nic.UsePriorityLanes();
    }
    nic.Uplink().Credits().Configure(TAKES_EVERYTHING);
}

void
HostControl::ConnectReceiver(uint32_t port, Nic& nic, PausedLink link, uint32_t virtualChannels)
{
    const ReceiveSettings& receive = nic.Config().receive;
    if (receive.HoldBack() && m_settings.edgeFlowControl == LINK_CREDITS)
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
    const CreditEnd end(&credits, &m_clock.GetAgenda(), port);
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
    const TimePs oneWay = link.rate.TxTime(PAUSE_FRAME_BYTES) + link.delay;
    m_pauses.ObeyReceiver(port, 2 * oneWay + ResponseTime(link.rate) + link.response);
}

void
HostControl::TakePause(uint32_t port, const PauseOrder& order, Attempt attempt)
{
    if (m_observer)
    {
        m_observer->HostPaused(port, order);
    }
    m_pauses.TakePause(port, order, attempt);
}

TimePs
HostControl::ResponseTime(const LinkRate& rate) const
{
    return m_settings.edgeFlowControl != LINK_CREDITS
               ? QuantaToTime(m_settings.pause.responseQuanta, rate.BitsPerSecond())
               : 0;
}

void
HostControl::BeginWait(uint32_t port, const Frame& frame, TimePs now)
{
    if (const auto& pause = m_ports.inputs[port].pause)
    {
        pause->BeginWait(WireBytes(frame.payload));
        m_pauses.PlanPause(port, now);
    }
}

void
HostControl::EndWait(uint32_t port, const Frame& frame, TimePs now)
{
    if (const auto& pause = m_ports.inputs[port].pause)
    {
        pause->EndWait(WireBytes(frame.payload));
        m_pauses.PlanPause(port, now);
    }
}

} // namespace ns3::fabric
