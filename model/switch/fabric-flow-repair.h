/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_REPAIR_H
#define FABRIC_FLOW_REPAIR_H

#include "fabric-ack-teller.h"
#include "fabric-acknowledgement.h"
#include "fabric-flow-checks.h"
#include "fabric-granted-frames.h"
#include "fabric-switch-clock.h"
#include "fabric-switch-ports.h"

#include <memory>
#include <vector>

namespace ns3::fabric
{

/**
 * Finds flow channels whose last ACK or hop credit is lost, on links that may lose them (WL-2).
 *
 * @verbatim
   sender                                            receiver
   a flow_id is silent for an interval: CHECK(ASKS) ->
                                     <- HEADROOM (twice), NORMAL: what was told so far,
                                        CHECK(IS_OVER) if nothing of the flow is there
   @endverbatim
 *
 * Questions and answers are ACK frames of their own; those that are lost are made good by the next
 * check.
 */
class FlowRepair
{
  public:
    /// @param granted frames between grant and wire; none if the crossbar is ideal
    /// @param observer sees what happens; null for nobody
    FlowRepair(const SwitchPorts& ports,
               SwitchClock& clock,
               CongestionManagement& congestion,
               Acknowledgement& acknowledgement,
               const GrantedFrames& granted,
               SwitchObserver* const& observer)
        : m_ports(ports),
          m_clock(clock),
          m_congestion(congestion),
          m_acknowledgement(acknowledgement),
          m_granted(granted),
          m_observer(observer)
    {
    }

    /// The ACKs that come in by a link may be lost. @param interval of checks, ps
    void Watch(uint32_t port, TimePs interval);

    /**
     * Sends questions or answers that are due.
     *
     * @param port whose output is free, on which ACKs may be lost
     * @return whether the wire is taken
     */
    bool Send(uint32_t port, TimePs now);

    /// The output has nothing else to do: plans the next check, if there is one.
    void Plan(uint32_t port, TimePs now);

    /// The link has failed.
    void Forget(uint32_t port)
    {
        m_checks[port]->Forget();
    }

    /// ACKs have come, and among them perhaps questions and answers.
    void Take(uint32_t port, const AckBatch& batch, TimePs now);

  private:
    /// @return what is known of a flow_id of an output
    FlowChecks::Snapshot See(uint32_t port, FlowId flow) const;
    /// @return whether a frame of a queue is partly sent, or on its way through the crossbar
    bool IsSending(uint32_t port, QueueRef ref) const;
    /// A question or an answer has come. @param ack of type CHECK
    void TakeCheck(uint32_t port, const Ack& ack, TimePs now);
    /// Asks for flow_ids.
    void Ask(uint32_t port, TimePs now);
    /// Answers questions.
    void Answer(uint32_t port, TimePs now);
    /// The receiver has nothing of a flow any more.
    void End(uint32_t port, FlowId flow, TimePs now);

    const SwitchPorts& m_ports;                        ///< Of the switch.
    SwitchClock& m_clock;                              ///< Of the switch.
    CongestionManagement& m_congestion;                ///< Of the switch.
    Acknowledgement& m_acknowledgement;                ///< Of the switch.
    const GrantedFrames& m_granted;                    ///< Frames between grant and wire.
    SwitchObserver* const& m_observer;                 ///< Sees what happens; null for nobody.
    std::vector<std::unique_ptr<FlowChecks>> m_checks; ///< By port; null if no ACK can be lost.
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_REPAIR_H
