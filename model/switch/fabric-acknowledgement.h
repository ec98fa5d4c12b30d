/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ACKNOWLEDGEMENT_H
#define FABRIC_ACKNOWLEDGEMENT_H

#include "fabric-ack-return.h"
#include "fabric-congestion-management.h"
#include "fabric-ingress-edge.h"
#include "fabric-load-telling.h"
#include "fabric-path-change.h"
#include "fabric-rerouting.h"

namespace ns3::fabric
{

/// What happens when frames of a flow channel have left the fabric or were lost: extents go down,
/// channels end, and upstream is told (FC-7, FC-8).
class Acknowledgement
{
  public:
    /// @param acks that go upstream
    Acknowledgement(const SwitchPorts& ports,
                    CrossbarArbiter& crossbar,
                    AckReturn& acks,
                    CongestionManagement& congestion,
                    IngressEdge& edge,
                    PathChange& paths,
                    Rerouting& rerouting,
                    LoadTelling& loads)
        : m_paths(paths),
          m_rerouting(rerouting),
          m_loads(loads),
          m_ports(ports),
          m_crossbar(crossbar),
          m_acks(acks),
          m_congestion(congestion),
          m_edge(edge)
    {
    }

    /// ACKs have arrived at an output's link.
    void HandleAcks(uint32_t port, const AckBatch& batch, TimePs now)
    {
        for (uint32_t i = 0; i < batch.count; ++i)
        {
            const Ack& ack = batch.acks[i];
            OutputFlowTable& flows = m_ports.outputs[port].flows;
            const QueueRef ref = flows.Source(ack.flow);
            if (LowersFlowExtent(ack.type))
            {
                const uint32_t units = flows.Heard(ack.flow).HearLeft(ack.ackFlow);
                if (units != 0 && !(ref == NO_QUEUE)) // else it repeats what was lost
                {
                    if (!InputFlowTable::IsFlow(ref.queue))
                    {
                        HearWay(ref, ack.type, units, now);
                        continue;
                    }
                    m_congestion.Hear(ack.type, m_ports.inputs[ref.input].flows.At(ref.queue));
                    Acknowledge(ref, units, ack.type == AckType::LOST, now);
                }
            }
            else if (ack.type == AckType::HEADROOM)
            {
                const uint32_t credit = flows.Heard(ack.flow).HearCredit(ack.ackFlow);
                if (!(ref == NO_QUEUE))
                {
                    m_congestion.TakeCredit(m_ports.Find(ref), credit, now);
                }
            }
            else
            {
                TakeRare(port, ack, now);
            }
        }
    }

    /**
     * Frames of a flow channel that were sent on have left the fabric or were lost. The last of
     * them count when the tail of what is partly sent has left here too: its id could be another
     * flow's before (FC-8).
     *
     * @param ref names the flow channel
     * @param units of 256 bytes
     * @param lost whether they were lost
     */
    void Acknowledge(QueueRef ref, uint32_t units, bool lost, TimePs now);

    /**
     * The same, of frames that were sent from a queue.
     *
     * @param ref names a flow channel, or a way of one
     */
    void AcknowledgeQueue(QueueRef ref, uint32_t units, bool lost, TimePs now);

    /**
     * Frames of a flow channel that were counted as expected were neither kept nor sent on: the
     * counters pass over them.
     *
     * @param ref names the flow channel
     * @param units of 256 bytes
     */
    void PassOver(QueueRef ref, uint32_t units, TimePs now);

    /**
     * The frames of a queue go by another port, or are dropped (see PathChange::Leave()).
     *
     * @param ref names the queue
     */
    void LeavePath(QueueRef ref, TimePs now);

    /**
     * The frames of a flow channel go by another port, if there is one, when nothing of it is under
     * way (CM-9).
     *
     * @param ref names the flow channel
     */
    void Reroute(QueueRef ref, TimePs now);

  private:
    /// An ACK of a type that is rare has arrived at an output's link. Out of line, for the others.
    [[gnu::noinline]] void TakeRare(uint32_t port, Ack ack, TimePs now);
    /// An ACK has arrived for frames that went by one of several ways. Out of line, as most flows
    /// have one.
    [[gnu::noinline, gnu::cold]] void HearWay(QueueRef ref,
                                              AckType type,
                                              uint32_t units,
                                              TimePs now);
    /// @return whether a frame of the flow is partly sent, with whose tail the rest is acknowledged
    bool WaitsForTail(QueueRef ref, const FlowRecord& record, uint32_t units, bool lost);
    /// Acknowledges, but for a change of the path that has waited for it.
    void LowerExtent(QueueRef ref, uint32_t units, bool lost, TimePs now);

    // What each hop touches comes last: see SwitchUnits.
    PathChange& m_paths;                ///< That change.
    Rerouting& m_rerouting;             ///< Which flows leave overloaded links.
    LoadTelling& m_loads;               ///< What neighbours say of paths.
    const SwitchPorts& m_ports;         ///< Of the switch.
    CrossbarArbiter& m_crossbar;        ///< Of the switch.
    AckReturn& m_acks;                  ///< Go upstream.
    CongestionManagement& m_congestion; ///< Of the switch.
    IngressEdge& m_edge;                ///< Of the switch.
};

} // namespace ns3::fabric

#endif // FABRIC_ACKNOWLEDGEMENT_H
