/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIECE_RECEIVER_H
#define FABRIC_PIECE_RECEIVER_H

#include "fabric-piece-sender.h"
#include "fabric-preemption-rules.h"
#include "fabric-receiver.h"

namespace ns3::fabric
{

/**
 * How frames take effect that may come in pieces (VA-9, VA-10), also on links that fail (WL-8).
 *
 * A frame of which only a part was in when its link failed is broken: the rest never comes.
 *
 * | a frame that breaks, at the receiver of the link | what becomes of it                         |
 * |--------------------------------------------------|--------------------------------------------|
 * | is stored until it is whole                      | dropped, link-down                         |
 * | waits                                            | dropped, link-down                         |
 * | is partly sent on to a switch                    | ends there with a wrong check: BREAKS      |
 * | is partly sent on to a host                      | ends there with a wrong check: corrupt     |
 *
 * BREAKS does the same at the next switch, where what is dropped counts as corrupt. So a frame that
 * is partly in several switches is dropped once, by the last of them or by the host.
 *
 * What is in when the link fails takes effect a pipeline later, so that is when frames are found
 * broken; what takes effect after that is lost. What the sender has partly sent is gone at once: it
 * counts at the receiver, which knows of each frame from its start on, or at the host.
 */
class PieceReceiver
{
  public:
    PieceReceiver(const SwitchPorts& ports,
                  SwitchClock& clock,
                  InputBuffers& buffers,
                  InputQueues& queues,
                  CongestionManagement& congestion,
                  Acknowledgement& acknowledgement,
                  IngressEdge& edge,
                  Receiver& receiver,
                  PieceSender& sender)
        : m_ports(ports),
          m_clock(clock),
          m_buffers(buffers),
          m_queues(queues),
          m_congestion(congestion),
          m_acknowledgement(acknowledgement),
          m_edge(edge),
          m_receiver(receiver),
          m_sender(sender)
    {
    }

    /**
     * The sender at the other end of an input's link may interrupt frames.
     *
     * @param settings of the sender
     * @param storesFrames whether a frame is used when it is whole
     */
    void Connect(uint32_t port,
                 LinkRate rate,
                 const PreemptionSettings& settings,
                 bool storesFrames);

    /// The first entry of an input link takes effect, or a frame that is stored has become whole.
    void TakeEntryIn(uint32_t port, TimePs now);

    /// The link of an input has failed, and all that was in has taken effect.
    void Cut(uint32_t port, TimePs now);

  private:
    /// @return when the next entry takes effect, or a frame becomes whole, ps
    TimePs NextEntryIn(uint32_t port) const;
    /// @return whether a frame that was stored has become whole, and is used
    bool TakeStored(uint32_t port, TimePs now);
    /// A frame starts, stops, goes on or breaks.
    void HandleEntry(uint32_t port, const Frame& entry, TimePs now);
    /// A frame starts.
    void Start(uint32_t port, const Frame& frame, TimePs now);
    /// The rest of a frame that is partly in never comes.
    void LoseRest(uint32_t port, uint8_t lane, DropCause cause, TimePs now);
    /// The same, of one that was to be used when it is whole.
    void LoseStored(uint32_t port, Frame frame, DropCause cause, TimePs now);
    /// The same, of one that waits.
    void DropBroken(uint32_t port, uint32_t handle, DropCause cause, TimePs now);
    /// @return the queue of a frame that waits and may be partly in
    QueueRef QueueOf(uint32_t port, const Frame& frame) const;

    const SwitchPorts& m_ports;         ///< Of the switch.
    SwitchClock& m_clock;               ///< Of the switch.
    InputBuffers& m_buffers;            ///< Of the switch.
    InputQueues& m_queues;              ///< Of the switch.
    CongestionManagement& m_congestion; ///< Of the switch.
    Acknowledgement& m_acknowledgement; ///< Of the switch.
    IngressEdge& m_edge;                ///< Where frames of hosts wait.
    Receiver& m_receiver;               ///< Of frames in one piece.
    PieceSender& m_sender;              ///< Of frames in pieces.
};

} // namespace ns3::fabric

#endif // FABRIC_PIECE_RECEIVER_H
