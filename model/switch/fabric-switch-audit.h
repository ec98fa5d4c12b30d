/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_AUDIT_H
#define FABRIC_SWITCH_AUDIT_H

#include "fabric-congestion-management.h"
#include "fabric-granted-frames.h"
#include "fabric-input-buffers.h"
#include "fabric-output-loads.h"
#include "fabric-reduction-engine.h"
#include "fabric-routing-function.h"
#include "fabric-switch-ports.h"

#include <array>
#include <memory>

namespace ns3::fabric
{

/// What a switch holds, counted one by one, and checks of it, which no run needs but every run can
/// ask for.
class SwitchAudit
{
  public:
    /// @param loads what waits for each output
    /// @param granted frames between grant and wire; none if the crossbar is ideal
    SwitchAudit(const SwitchPorts& ports,
                const OutputLoads& loads,
                const InputBuffers& buffers,
                const RoutingFunction& routing,
                const InputQueues& queues,
                const CongestionManagement& congestion,
                const GrantedFrames& granted,
                const std::unique_ptr<ReductionEngine>& reductions)
        : m_ports(ports),
          m_loads(loads),
          m_buffers(buffers),
          m_routing(routing),
          m_queues(queues),
          m_congestion(congestion),
          m_granted(granted),
          m_reductions(reductions)
    {
    }

    /// @return payload bytes in the buffers and on the links to the switch
    uint64_t InFlightPayload() const;

    /**
     * Checks FC-17: the identities of FC-5, one list per queue, one flow per id, counters against
     * contents; and that whoever may be served asks for it.
     *
     * @throws std::logic_error with a sentence that says what is wrong
     */
    void CheckInvariants() const;

    /// @return whether no frame, flow channel or ACK is left
    bool IsEmpty() const;

  private:
    class HeldBytes;

    /// What waits for an output.
    struct WaitingBytes
    {
        uint64_t all{0};                                 ///< On the wire.
        uint64_t heldByLimit{0};                         ///< Those of flows at a limit.
        std::array<uint64_t, TRAFFIC_CLASSES> ofClass{}; ///< By traffic class.
    };

    void CheckInput(uint32_t port) const; ///< Part of CheckInvariants().
    /// Part of CheckInput(): flow channels. @param held gets what their queues hold
    void CheckFlows(uint32_t port, HeldBytes& held) const;
    void CheckRecord(uint32_t port, uint32_t id) const; ///< Part of CheckFlows().
    /// Part of CheckInvariants(), of a host whose flows have turns.
    void CheckTurns(uint32_t port) const;
    /// Checks the ways of a flow channel.
    void CheckWays(QueueRef ref) const;
    void CheckPause(uint32_t port) const;  ///< Part of CheckInvariants().
    void CheckOutput(uint32_t port) const; ///< Part of CheckInvariants().
    /// @return what waits for an output
    WaitingBytes WaitingFor(uint32_t port) const;
    /// @return flow_ids that flows and their ways have on the link of an output
    uint32_t CountOutgoing(uint32_t port) const;
    /// Part of CheckOutput(): what decides by what waits. @param waiting for the output
    void CheckLoads(uint32_t port, const WaitingBytes& waiting) const;
    void CheckLists(uint32_t port) const; ///< Part of CheckInvariants().
    /// Part of CheckLists(). @param queue in a list of the port
    void CheckShaped(uint32_t port, const InputQueue& queue) const;
    void CheckStarts() const; ///< Part of CheckInvariants().
    /// Part of CheckInvariants(), of a memory that ports share.
    void CheckMemory(const SharedMemory& memory) const;
    /// Part of CheckInvariants(), of a host that holds the switch back.
    void CheckReceiver(uint32_t port) const;
    /// Part of CheckInvariants(), of an output behind a crossbar of tiles.
    void CheckTiles(uint32_t port) const;

    /// @param visit is called as by ReductionEngine::ForEachResult()
    template <typename Visit>
    void ForEachResult(Visit&& visit) const
    {
        if (m_reductions)
        {
            m_reductions->ForEachResult(visit);
        }
    }

    /// @return payload bytes of a queue
    uint64_t QueuePayload(const InputQueue& queue) const;
    /// @return bytes on the wire of frames of an input that are partly sent
    uint32_t PartlySentBytes(uint32_t inputPort) const;
    /// @return payload of frames that are partly sent to hosts
    uint64_t PartlyDeliveredPayload() const;

    const SwitchPorts& m_ports;                           ///< Of the switch.
    const OutputLoads& m_loads;                           ///< What waits for each output.
    const InputBuffers& m_buffers;                        ///< Of the switch.
    const RoutingFunction& m_routing;                     ///< Of the switch.
    const InputQueues& m_queues;                          ///< Of the switch.
    const CongestionManagement& m_congestion;             ///< What is done about it.
    const GrantedFrames& m_granted;                       ///< Frames between grant and wire.
    const std::unique_ptr<ReductionEngine>& m_reductions; ///< Of the switch, null for none.
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_AUDIT_H
