/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SENDER_H
#define FABRIC_SENDER_H

#include "fabric-ack-return.h"
#include "fabric-acknowledgement.h"
#include "fabric-congestion-management.h"
#include "fabric-control-sender.h"
#include "fabric-crossbar-arbiter.h"
#include "fabric-input-buffers.h"
#include "fabric-nic.h"
#include "fabric-output-loads.h"
#include "fabric-pause-control.h"
#include "fabric-switch-observer.h"

namespace ns3::fabric
{

/// How an output of a switch decides what to send, and sends it.
class Sender
{
  public:
    /**
     * @param loads what waits for each output
     * @param acks that go upstream
     * @param control goes before data
     * @param observer sees what happens; null for nobody
     */
    Sender(const SwitchPorts& ports,
           SwitchClock& clock,
           OutputLoads& loads,
           InputBuffers& buffers,
           CrossbarArbiter& crossbar,
           AckReturn& acks,
           CongestionManagement& congestion,
           Acknowledgement& acknowledgement,
           PauseControl& pauses,
           ControlSender& control,
           SwitchObserver* const& observer)
        : m_ports(ports),
          m_loads(loads),
          m_buffers(buffers),
          m_crossbar(crossbar),
          m_congestion(congestion),
          m_acks(acks),
          m_clock(clock),
          m_observer(observer),
          m_control(control),
          m_acknowledgement(acknowledgement),
          m_pauses(pauses)
    {
    }

    /**
     * An output whose frames go in one piece decides what to send.
     *
     * @param port of the output, whose wire is free
     */
    [[gnu::flatten]] void Decide(uint32_t port, TimePs now);

    /**
     * A frame that has been taken out of its queue takes the wire: it counts as sent, and is
     * renamed for the outgoing link.
     *
     * @param frame that was the first there
     * @param attempt what becomes of it on the link
     */
    [[gnu::always_inline]] void Depart(uint32_t port,
                                       const QueuePlace& place,
                                       Frame& frame,
                                       Attempt attempt,
                                       TimePs now)
    {
        Leave(port, place, frame, attempt, now);
        if (m_observer)
        {
            TellSent(port, place, frame, now);
        }
    }

    /**
     * A frame that has been taken out of its queue leaves its input: it is renamed for the outgoing
     * link.
     *
     * @param port of its output
     * @param frame that was the first there
     * @param attempt what becomes of it on the link, as far as it is known
     */
    [[gnu::always_inline]] void Leave(uint32_t port,
                                      const QueuePlace& place,
                                      Frame& frame,
                                      Attempt attempt,
                                      TimePs now)
    {
        m_loads.Depart(*place.queue, frame, place.queue->IsEmpty(), now);
        if (place.record)
        {
            const uint32_t units = FlowUnits(frame.payload);
            place.record->dataFlow += units;
            frame.flow = place.Outgoing();
            if (place.IsWay())
            {
                LeaveByWay(place, units, now);
            }
            else
            {
                HopMeter::Sent(*place.record, units);
                m_congestion.Left(place, units, now);
            }
        }
        frame.severity = place.record ? place.record->severity : 0;
        frame.vc = place.queue->vc & (VIRTUAL_CHANNELS - 1);
        frame.corrupt = attempt == Attempt::DAMAGED;
        OutputPort& output = m_ports.outputs[port];
        if (output.HasChooser())
        {
            output.Is(OutputPort::HAS_LANES) ? BeginLane(port, frame, now)
                                             : BeginShaped(port, frame, now);
        }
    }

    /**
     * @param output that can send nothing now
     * @param isIdle whether its wire is free
     * @return when it may be able to if nothing comes, NEVER for never, ps
     */
    TimePs NextChance(OutputPort& output, bool isIdle, TimePs now) const;

  private:
    /// Of an output that may speak first, or be paused. @return whether the decision is made
    [[gnu::noinline, gnu::cold]] bool ComesFirst(uint32_t port, TimePs now);
    /// An output whose frames are all paused sends ACKs that are due, which no pause stops.
    void ServeAcks(uint32_t port, TimePs now);
    /// A frame leaves by one of several ways. Out of line, as most flows have one.
    [[gnu::noinline, gnu::cold]] void LeaveByWay(const QueuePlace& place,
                                                 uint32_t units,
                                                 TimePs now);
    /// The observer sees a frame start. Out of line, since there is none as a rule.
    [[gnu::noinline, gnu::cold]] void TellSent(uint32_t port,
                                               const QueuePlace& place,
                                               const Frame& frame,
                                               TimePs now) const;
    /// The frame that the shaper has chosen starts. Out of line, since few outputs have one.
    [[gnu::noinline]] void BeginShaped(uint32_t port, const Frame& frame, TimePs now);
    /// The frame that the arbiter of lanes has chosen starts.
    [[gnu::always_inline]] inline void BeginLane(uint32_t port, Frame& frame, TimePs now);
    /// Sends the first frame of a queue, if the link does not have to repeat it.
    inline void SendFrame(uint32_t port, const QueuePlace& place, TimePs now);

    // What each hop touches comes first: see SwitchUnits.
    const SwitchPorts& m_ports;         ///< Of the switch.
    OutputLoads& m_loads;               ///< What waits for each output.
    InputBuffers& m_buffers;            ///< Of the switch.
    CrossbarArbiter& m_crossbar;        ///< Of the switch.
    CongestionManagement& m_congestion; ///< Of the switch.
    AckReturn& m_acks;                  ///< Go upstream.
    SwitchClock& m_clock;               ///< Of the switch.
    SwitchObserver* const& m_observer;  ///< Sees what happens; null for nobody.
    ControlSender& m_control;           ///< Goes before data.
    Acknowledgement& m_acknowledgement; ///< Of the switch.
    PauseControl& m_pauses;             ///< Of the switch.
};

void
Sender::BeginLane(uint32_t port, Frame& frame, TimePs now)
{
    LaneSender& lanes = *m_ports.outputs[port].lanes;
    frame.lane = lanes.grant.lane & (DEFAULT_LANES - 1);
    lanes.Begin(WireBytes(frame.payload), now);
    if (m_observer)
    {
        m_observer->Granted(port, frame, lanes.grant, now);
    }
}

} // namespace ns3::fabric

#endif // FABRIC_SENDER_H
