/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TILE_SENDER_H
#define FABRIC_TILE_SENDER_H

#include "fabric-granted-frames.h"
#include "fabric-sender.h"
#include "fabric-tiled-crossbar.h"

namespace ns3::fabric
{

/**
 * How an output grants what asks it, and sends it, behind a crossbar of tiles (SW-3). A switch with
 * an ideal crossbar has none.
 *
 * There are two decisions. When the output's buffer (OBUF) has room for the frame whose turn it is,
 * the frame is granted: it leaves its queue, takes its credits of the next link, and goes through
 * the crossbar. When the wire is free, what goes before all else is sent, else ACKs that are due,
 * else the frame whose turn it is in the buffer. So what is in the buffer can always go, and no
 * virtual channel waits for another there.
 *
 * A pause holds back grants; what was granted before still goes.
 */
class TileSender
{
  public:
    /**
     * @param sender does what all frames need
     * @param granted gets frames between grant and wire
     * @param settings of the crossbar
     * @param observer sees what happens; null for nobody
     */
    TileSender(const SwitchPorts& ports,
               SwitchClock& clock,
               Sender& sender,
               ControlSender& control,
               InputBuffers& buffers,
               CrossbarArbiter& crossbar,
               AckReturn& acks,
               Acknowledgement& acknowledgement,
               PauseControl& pauses,
               GrantedFrames& granted,
               const CrossbarSettings& settings,
               SwitchObserver* const& observer);

    /// A port has a link. @param rate of it
    void AddLink(const LinkRate& rate)
    {
        m_tiles.AddLink(rate);
    }

    /// An output behind tiles decides what to grant, and what to send.
    void Decide(uint32_t port, TimePs now);

    /// The crossbar does what it has to.
    void MoveFrames(TimePs now);

    /// The link of an output has failed: what was granted there is lost.
    void Cut(uint32_t port, TimePs now);

    /// @return number of MoveFrames() on the agenda
    uint32_t Task() const
    {
        return m_task;
    }

    // What TiledCrossbar tells.

    /// The tail of a frame leaves its input buffer. @param index of the frame @param end when, ps
    void LeavesInput(uint32_t index, TimePs end);

    /// The head of a frame is at its output. @param index of the frame
    void HeadIsOut(uint32_t index, TimePs now);

    /// The tail of a frame is at its output: by the time at which the wire needs it. @param index
    /// of the frame
    void TailIsOut(uint32_t index, TimePs now)
    {
        static_cast<void>(index);
        static_cast<void>(now);
    }

  private:
    /// Grants what has its turn and room.
    void Grant(uint32_t port, TimePs now);
    /// The first frame of a queue is granted.
    void Start(uint32_t port, const QueuePlace& place, TimePs now);
    /// Sends something on a free wire.
    void UseWire(uint32_t port, TimePs now);
    /// Sends the frame whose turn it is in the buffer, if the link does not have to repeat it.
    void SendFirst(uint32_t port, TimePs now);
    /// Plans the next decision.
    void Plan(uint32_t port, TimePs now);
    /// A granted frame is lost. @return its bytes on the wire
    uint32_t Lose(GrantedFrame& granted, TimePs now);
    /// @return when the tail of a frame is in its input buffer, ps
    static TimePs TailIn(const InputPort& input, const Frame& frame);

    const SwitchPorts& m_ports;         ///< Of the switch.
    SwitchClock& m_clock;               ///< Of the switch.
    Sender& m_sender;                   ///< Of the switch.
    ControlSender& m_control;           ///< Goes before data.
    InputBuffers& m_buffers;            ///< Of the switch.
    CrossbarArbiter& m_crossbar;        ///< Who asks.
    AckReturn& m_acks;                  ///< Go upstream.
    Acknowledgement& m_acknowledgement; ///< Of the switch.
    PauseControl& m_pauses;             ///< Of the switch.
    SwitchObserver* const& m_observer;  ///< Sees what happens; null for nobody.
    TiledCrossbar m_tiles;              ///< Carries frames.
    GrantedFrames& m_granted;           ///< Between grant and wire.
    uint32_t m_task;                    ///< Of MoveFrames(), on the agenda.
};

} // namespace ns3::fabric

#endif // FABRIC_TILE_SENDER_H
