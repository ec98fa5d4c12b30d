/* SPDX-License-Identifier: GPL-2.0-only */

// What keeps hosts from overrunning the buffer where they have no credits.

#include "fabric-switch-chip.h"

#include <algorithm>

namespace ns3
{
namespace fabric
{

void
SwitchChip::SetEdgeFlowControl(uint32_t port, Nic& nic, LinkRate rate, TimePs delay)
{
    if (m_config.hostControl.edgeFlowControl == EDGE_CREDITS)
    {
        nic.Uplink().Credits().Configure(m_config.buffer.shares);
        return;
    }
    const PausedLink link{rate,
                          delay,
                          m_config.timing.latency,
                          WireBytes(std::max(JUMBO_PAYLOAD, nic.Config().mtu)),
                          m_config.buffer.shares.totalBytes};
    m_inputs[port].pause =
        std::make_unique<PauseController>(MakePauseController(m_config.hostControl.edgeFlowControl,
                                                              m_config.hostControl.pause,
                                                              link));
    m_outputs[port].pause = m_inputs[port].pause.get();
    if (m_config.hostControl.edgeFlowControl == EDGE_PRIORITY_PAUSE)
    {
        nic.UsePriorityLanes();
    }
    nic.Uplink().Credits().Configure({NO_LIMIT, 0, 1});
}

bool
SwitchChip::SendPause(uint32_t port, TimePs now)
{
    OutputPort& output = m_outputs[port];
    std::optional<PauseOrder> order = output.pause->Decide(now);
    if (!order)
    {
        PlanDecision(port, output.pause->NextTime());
        return false;
    }
    order->time = output.transmitter.StartPause(now);
    if (m_observer)
    {
        m_observer->Paused(port, *order, now);
    }
    output.nic->Accept(*order);
    PlanDecision(port, output.transmitter.FreeAt());
    return true;
}

void
SwitchChip::HoldPausing(uint32_t port, const Frame& frame, TimePs now)
{
    m_inputs[port].pause->Arrive(frame.trafficClass, WireBytes(frame.payload), now);
    PlanPause(port, now);
}

void
SwitchChip::ReleasePausing(uint32_t port, const Frame& frame, TimePs end)
{
    PauseController& pause = *m_inputs[port].pause;
    pause.Leave(frame.trafficClass, WireBytes(frame.payload), end);
    if (pause.IsStopping())
    {
        PlanDecision(port, end);
    }
}

void
SwitchChip::PlanPause(uint32_t port, TimePs now)
{
    const OutputPort& output = m_outputs[port];
    if (output.pause->IsDue(now))
    {
        PlanDecision(port, std::max(now, output.transmitter.FreeAt()));
    }
}

} // namespace fabric
} // namespace ns3
