/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RECEIVER_H
#define FABRIC_RECEIVER_H

#include "fabric-acknowledgement.h"
#include "fabric-flow-entry.h"
#include "fabric-flow-repair.h"
#include "fabric-group-frames.h"
#include "fabric-ingress-edge.h"
#include "fabric-input-buffers.h"
#include "fabric-link-states.h"
#include "fabric-port-containment.h"
#include "fabric-switch-clock.h"
#include "fabric-switch-observer.h"

namespace ns3::fabric
{

/// How what comes in by the links of a switch takes effect, if it comes in one piece.
class Receiver
{
  public:
    /**
     * @param links that may have failed
     * @param observer sees what happens; null for nobody
     */
    Receiver(const SwitchPorts& ports,
             SwitchClock& clock,
             const LinkStates& links,
             InputBuffers& buffers,
             FlowEntry& entry,
             IngressEdge& edge,
             Acknowledgement& acknowledgement,
             FlowRepair& repair,
             CrossbarArbiter& crossbar,
             GroupFrames& groups,
             const PortContainment& containment,
             SwitchObserver* const& observer)
        : m_ports(ports),
          m_clock(clock),
          m_buffers(buffers),
          m_entry(entry),
          m_acknowledgement(acknowledgement),
          m_observer(observer),
          m_edge(edge),
          m_links(links),
          m_repair(repair),
          m_crossbar(crossbar),
          m_groups(groups),
          m_containment(containment)
    {
    }

    /**
     * The first ACKs of an input link take effect.
     *
     * @param port where they come in
     */
    void TakeAcksIn(uint32_t port, TimePs now);

    /**
     * The first frame of an input link takes effect.
     *
     * @param port where it comes in
     */
    [[gnu::flatten]] void TakeFrameIn(uint32_t port, TimePs now);

    /**
     * A frame has arrived: it joins its queue, waits for a flow channel, or is dropped.
     *
     * @param port where it has come in
     * @param frame that has come
     * @return its output; Hop::NO_OUTPUT or Hop::NO_ROOM if it waits or was dropped
     */
    uint16_t Receive(uint32_t port, const Frame& frame, TimePs now);

    /**
     * What waits behind a frame over the largest size goes on.
     *
     * @param port where frames have a largest size
     */
    void Reset(uint32_t port, TimePs now);

  private:
    /// A frame is counted as arrived, and dropped if it is damaged or its class is lossy and it
    /// finds no room. @return whether it is not
    [[gnu::always_inline]] inline bool Arrive(uint32_t port, const Frame& frame, TimePs now);
    /// As Receive(), for what has come from a switch.
    [[gnu::always_inline]] inline uint16_t ReceiveFromSwitch(uint32_t port,
                                                             const Frame& frame,
                                                             TimePs now);
    /// As Receive(), for what has come from a host.
    [[gnu::noinline]] uint16_t ReceiveFromHost(uint32_t port, const Frame& frame, TimePs now);
    /// What has come where the way is unusual: the link may be cut, a pause may have been lost, or
    /// it may be to a group. @return whether the frame is lost, or has gone another way
    [[gnu::noinline]] bool Diverts(uint32_t port, const Frame& frame, TimePs now);
    /// What is held where frames have a largest size. @return whether it goes no further
    bool Contains(uint32_t port, const Frame& frame, TimePs now);
    /// A frame that is held joins its queue, or queues. @return as Receive()
    uint16_t Enter(uint32_t port, const Frame& frame, TimePs now);
    /// A frame of a switch that is held joins its queue. @return as Receive()
    [[gnu::always_inline]] inline uint16_t JoinFromSwitch(uint32_t port,
                                                          const Frame& frame,
                                                          TimePs now);
    /// A sender that is paused has sent more than fits. @return whether the frame is lost for that
    [[gnu::noinline]] bool Overflows(uint32_t port, const Frame& frame, TimePs now);
    /// A frame that fits has arrived: as Receive().
    [[gnu::always_inline]] inline uint16_t Admit(uint32_t port, const Frame& frame, TimePs now);
    /// A frame has joined a queue of an output: what it touches at its receiver is fetched.
    [[gnu::always_inline]] inline void Joined(uint32_t port,
                                              const Frame& frame,
                                              uint16_t output,
                                              TimePs now);
    /// The flow channel of a frame that is dropped passes over it, and owes its sender the news.
    void PassOver(uint32_t port, const Frame& frame, TimePs now);
    /// A frame of a lossy class has found no room: it is dropped, or only its payload is.
    [[gnu::noinline]] void DropTail(uint32_t port, const Frame& frame, TimePs now);
    /// A frame of a lossy class has found no room, and its header may go on.
    void Trim(uint32_t port, const Frame& frame, TimePs now);
    /// A frame that has just come joins nothing. @param output as of FlowEntry::Join()
    [[gnu::noinline]] void Refuse(uint32_t port, const Frame& frame, uint16_t output, TimePs now);
    /// A frame that has just come leaves the switch for nowhere.
    [[gnu::noinline]] void Drop(uint32_t port, const Frame& frame, DropCause cause, TimePs now);

    // What each hop touches comes first: see SwitchUnits.
    const SwitchPorts& m_ports;           ///< Of the switch.
    SwitchClock& m_clock;                 ///< Of the switch.
    InputBuffers& m_buffers;              ///< Of the switch.
    FlowEntry& m_entry;                   ///< Of the switch.
    Acknowledgement& m_acknowledgement;   ///< Of the switch.
    SwitchObserver* const& m_observer;    ///< Sees what happens; null for nobody.
    IngressEdge& m_edge;                  ///< Of the switch.
    const LinkStates& m_links;            ///< May have failed.
    FlowRepair& m_repair;                 ///< Of the switch.
    CrossbarArbiter& m_crossbar;          ///< Of the switch.
    GroupFrames& m_groups;                ///< Of the switch.
    const PortContainment& m_containment; ///< Of frames over the largest size.
};

} // namespace ns3::fabric

#endif // FABRIC_RECEIVER_H
