/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ACK_RETURN_H
#define FABRIC_ACK_RETURN_H

#include "fabric-ack-aggregator.h"
#include "fabric-ack-teller.h"
#include "fabric-hop-meter.h"
#include "fabric-link-states.h"
#include "fabric-past-flows.h"
#include "fabric-switch-clock.h"
#include "fabric-switch-observer.h"
#include "fabric-switch-ports.h"

namespace ns3::fabric
{

/// What flow channels owe upstream (ACKs, losses, hop credits), and the ACK frames that carry it
/// (WL-3).
class AckReturn
{
  public:
    /**
     * @param links that may have failed
     * @param timers of aggregation
     * @param past flows that come again
     * @param observer sees what happens; null for nobody
     */
    AckReturn(const SwitchPorts& ports,
              SwitchClock& clock,
              LinkStates& links,
              const AckTimers& timers,
              PastFlows& past,
              SwitchObserver* const& observer)
        : m_links(links),
          m_past(past),
          m_ports(ports),
          m_clock(clock),
          m_timers(timers),
          m_observer(observer)
    {
    }

    /**
     * A flow owes its upstream something.
     *
     * @param port where it comes in, from a switch
     * @param debt what it owes, a FlowRecord::Debt, in its record already
     */
    void Owe(uint32_t port, FlowId flow, uint8_t debt, TimePs now);

    /**
     * @param output whose decision is being made, with ACKs that wait
     * @param isReady whether a frame could go instead
     * @return whether they go first
     */
    bool IsDue(const OutputPort& output, TimePs now, bool isReady) const
    {
        return output.acks.IsDue(m_timers, now, isReady);
    }

    /// @return when the ACKs that wait there go if nothing else does, NEVER for none, ps
    TimePs DueWhenIdle(const OutputPort& output) const
    {
        return output.acks.IsEmpty() ? NEVER : output.acks.DueWhenIdle(m_timers);
    }

    /**
     * Sends ACKs that wait.
     *
     * @param port whose output is free
     */
    void Send(uint32_t port, TimePs now);

    /// The link of an input has failed: its flow channels tell nobody any more.
    void Orphan(uint32_t port, TimePs now);

  private:
    /// Forgets what a flow channel of a failed link owes; closes it if it is over.
    void Discard(uint32_t port, FlowId flow, FlowRecord& record, TimePs now);
    /// A flow channel of which nothing is left ends.
    inline void Close(uint32_t port, FlowId flow, TimePs now);
    /// @return the record's next ACK, taken from it. Credit and what has left take turns: a flow
    /// that is given credit with each frame would never be acknowledged otherwise.
    static inline Ack TakeAck(FlowId flow, FlowRecord& record);
    /// @return the record's next ACK that tells of no frames; it owes one
    static inline Ack TakeWord(FlowId flow, FlowRecord& record);

    // What each hop touches comes last: see SwitchUnits.
    LinkStates& m_links;               ///< May have failed.
    PastFlows& m_past;                 ///< Flows that come again.
    const SwitchPorts& m_ports;        ///< Of the switch.
    SwitchClock& m_clock;              ///< Of the switch.
    const AckTimers& m_timers;         ///< Of aggregation.
    SwitchObserver* const& m_observer; ///< Sees what happens; null for nobody.
};

} // namespace ns3::fabric

#endif // FABRIC_ACK_RETURN_H
