/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONTROL_SENDER_H
#define FABRIC_CONTROL_SENDER_H

#include "fabric-acknowledgement.h"
#include "fabric-congestion-management.h"
#include "fabric-fgfc-frames.h"
#include "fabric-flow-repair.h"
#include "fabric-load-telling.h"
#include "fabric-pause-control.h"
#include "fabric-rerouting.h"

namespace ns3::fabric
{

/// What an output does before it sends data: who it paces or reroutes, and frames of control.
class ControlSender
{
  public:
    /**
     * @param pauses of who sends on the link that comes in
     * @param credits that go back in frames
     * @param fgfc what hosts are told of flows
     * @param repair asks and answers about flows
     * @param telling what neighbours are told of paths
     */
    ControlSender(const SwitchPorts& ports,
                  SwitchClock& clock,
                  CongestionManagement& congestion,
                  Acknowledgement& acknowledgement,
                  PauseControl& pauses,
                  CreditFrames& credits,
                  FgfcFrames& fgfc,
                  FlowRepair& repair,
                  Rerouting& rerouting,
                  LoadTelling& telling)
        : m_ports(ports),
          m_clock(clock),
          m_congestion(congestion),
          m_acknowledgement(acknowledgement),
          m_pauses(pauses),
          m_credits(credits),
          m_fgfc(fgfc),
          m_repair(repair),
          m_rerouting(rerouting),
          m_telling(telling)
    {
    }

    /**
     * Lets flows go whose time has come, and sends what goes before all else: a pause, credits, or
     * questions and answers about flows.
     *
     * @param port of an output that speaks first, whose wire is free
     * @return whether the wire is taken
     */
    bool Send(uint32_t port, TimePs now);

    /// An output on which ACKs may be lost has nothing else to do.
    void PlanChecks(uint32_t port, TimePs now)
    {
        m_repair.Plan(port, now);
    }

  private:
    /// Flows that are paced go on, and one may leave an overloaded link.
    void LookAtFlows(uint32_t port, TimePs now);

    /// As Send(), of what is about the buffer of the port: pauses and credits.
    bool SendOfBuffer(uint32_t port, TimePs now);

    const SwitchPorts& m_ports;         ///< Of the switch.
    SwitchClock& m_clock;               ///< Of the switch.
    CongestionManagement& m_congestion; ///< Of the switch.
    Acknowledgement& m_acknowledgement; ///< Of the switch.
    PauseControl& m_pauses;             ///< Of the switch.
    CreditFrames& m_credits;            ///< Go back in frames.
    FgfcFrames& m_fgfc;                 ///< Of the switch.
    FlowRepair& m_repair;               ///< Of the switch.
    Rerouting& m_rerouting;             ///< Of the switch.
    LoadTelling& m_telling;             ///< What neighbours are told of paths.
};

} // namespace ns3::fabric

#endif // FABRIC_CONTROL_SENDER_H
