/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIECE_SENDER_H
#define FABRIC_PIECE_SENDER_H

#include "fabric-sender.h"
#include "fabric-switch-config.h"

#include <optional>
#include <vector>

namespace ns3::fabric
{

/// How outputs send whose frames may be interrupted on the wire (VA-9), and their gaps filled
/// (VA-10).
class PieceSender
{
  public:
    /**
     * @param acks that go upstream
     * @param acknowledgement of what has left
     * @param lanes of the switch; nothing if it has none
     * @param observer sees what happens; null for nobody
     */
    PieceSender(const SwitchPorts& ports,
                SwitchClock& clock,
                Sender& sender,
                ControlSender& control,
                PauseControl& pauses,
                CrossbarArbiter& crossbar,
                InputBuffers& buffers,
                AckReturn& acks,
                Acknowledgement& acknowledgement,
                const std::optional<LaneArbitration>& lanes,
                SwitchObserver* const& observer)
        : m_ports(ports),
          m_clock(clock),
          m_sender(sender),
          m_control(control),
          m_pauses(pauses),
          m_crossbar(crossbar),
          m_buffers(buffers),
          m_acks(acks),
          m_acknowledgement(acknowledgement),
          m_lanes(lanes),
          m_observer(observer)
    {
    }

    /// An output's frames can be interrupted from now on, if the settings say so.
    void Connect(uint32_t port);

    /// An output decides what takes its wire.
    void Decide(uint32_t port, TimePs now);

    /**
     * A frame that is partly sent stops coming in, or goes on.
     *
     * @param byte up to which it is in; nothing if it goes on
     */
    void Follow(uint16_t output, uint32_t handle, std::optional<uint32_t> byte, TimePs now);

    /**
     * The rest of a frame never comes.
     *
     * @return whether it is one that is partly sent on; it ends there, damaged
     */
    bool EndBroken(uint16_t output, uint32_t handle, TimePs now);

    /// The link of an output has failed: what is partly sent is lost.
    void Clear(uint32_t port, TimePs now);

    /**
     * All queues that ask an output, wait for a flow_id there or can't start yet do so no longer.
     *
     * @param queues gets them
     */
    void Withdraw(uint32_t port, std::vector<QueueRef>& queues);

    /// Frames that are partly sent get the ranks of a new table (VA-11).
    void Rerank(uint32_t port, TimePs now);

  private:
    /// @return when a queue's first frame can start, NEVER if something has to happen before, ps
    TimePs StartableAt(const OutputPort& output, const QueuePlace& place) const;
    /// @return how a queue's first frame comes in
    FrameArrival ArrivalOf(const QueuePlace& place) const;
    /// @return whether a queue's first frame can't start yet; the queue then waits beside the lists
    bool MustWait(OutputPort& output, const QueuePlace& place, TimePs now);
    /// Queues that waited beside the lists get there if their first frames can start.
    void RelistStartable(OutputPort& output, TimePs now);
    /// @return whether a control frame was due and is sent
    bool SendControl(uint32_t port, TimePs now);
    /// @return whether the link repeats something; the next decision comes after it
    bool IsRepeating(uint32_t port, TimePs now);
    /// A control frame or a repeat takes the wire; the next decision comes after it.
    void HoldWire(uint32_t port, TimePs now);
    /// @return whether ACKs were due and are sent
    bool SendAcks(uint32_t port, QueueRef next, TimePs now);
    /// @return the queue whose frame is to be sent now, of the lists that are candidates
    QueueRef Ready(OutputPort& output, LaneMask candidates, TimePs now);
    /// @return the queue whose frame would be the next on the wire, NO_QUEUE for none
    QueueRef NextOnWire(OutputPort& output, TimePs now);
    /// Lets the wire choose, and carries that out.
    WireStep Step(uint32_t port, QueueRef next, TimePs now);
    /// Plans the next decision about a wire.
    void Plan(uint32_t port, TimePs nextStep, TimePs now);
    /// The first frame of a queue takes the wire.
    void Start(uint32_t port, const QueuePlace& place, bool isDamaged, TimePs now);
    /// A frame has left the wire, and an interrupted one takes it, if they have.
    void Leave(uint32_t port, const WireStep& step, TimePs now);
    /// The tail of a frame has left.
    void EndFrame(OutputPort& output, uint8_t lane, TimePs now);
    /// A frame that was partly sent has left the buffer.
    void FreeSent(const PortWire::Sending& sending, TimePs now);
    /// The rest of a frame that is partly sent is not sent.
    void BreakOff(uint32_t port, uint32_t handle, TimePs now);

    const SwitchPorts& m_ports;                    ///< Of the switch.
    SwitchClock& m_clock;                          ///< Of the switch.
    Sender& m_sender;                              ///< Of frames in one piece.
    ControlSender& m_control;                      ///< Goes before data.
    PauseControl& m_pauses;                        ///< Of the switch.
    CrossbarArbiter& m_crossbar;                   ///< Of the switch.
    InputBuffers& m_buffers;                       ///< Of the switch.
    AckReturn& m_acks;                             ///< Go upstream.
    Acknowledgement& m_acknowledgement;            ///< Of what has left.
    const std::optional<LaneArbitration>& m_lanes; ///< Of the switch.
    SwitchObserver* const& m_observer;             ///< Sees what happens; null for nobody.
};

} // namespace ns3::fabric

#endif // FABRIC_PIECE_SENDER_H
