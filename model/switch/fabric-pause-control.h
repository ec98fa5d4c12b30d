/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAUSE_CONTROL_H
#define FABRIC_PAUSE_CONTROL_H

#include "fabric-crossbar-arbiter.h"
#include "fabric-nic.h"
#include "fabric-pause-path.h"
#include "fabric-switch-clock.h"
#include "fabric-switch-observer.h"
#include "fabric-switch-ports.h"

#include <algorithm>
#include <vector>

namespace ns3::fabric
{

/**
 * Pauses on the links of a switch (WL-5): what its inputs tell who sends to them, a host or a
 * switch, and what its outputs have to obey.
 */
class PauseControl : public PauseEnd
{
  public:
    /// @param observer sees what happens; null for nobody
    PauseControl(const SwitchPorts& ports,
                 SwitchClock& clock,
                 CrossbarArbiter& crossbar,
                 SwitchObserver* const& observer)
        : m_ports(ports),
          m_clock(clock),
          m_crossbar(crossbar),
          m_observer(observer)
    {
    }

    /**
     * The sender to an input is paused from now on, instead of giving it credits.
     *
     * @param controller decides
     */
    void PauseSender(uint32_t port, PauseController&& controller);

    /**
     * As above, of a sender that is a switch.
     *
     * @param sender where it is told
     */
    void PauseSender(uint32_t port, PauseController&& controller, const PausePath& sender);

    /**
     * An output obeys the pauses that come in by its link.
     *
     * @param told time that the other end needs to pause it after a repair of the link, ps
     */
    void ObeyReceiver(uint32_t port, TimePs told);

    /// Another thread may run the switch that a port pauses. @param mailbox takes its pauses
    void Divert(uint32_t port, Mailbox& mailbox)
    {
        if (port < m_senders.size())
        {
            m_senders[port].SetMailbox(&mailbox);
        }
    }

    /// @return where the pauses of a port go; null if it sends none to a switch
    PauseEnd* EndOf(uint32_t port) const
    {
        return port < m_senders.size() ? m_senders[port].End() : nullptr;
    }

    void TakePause(uint32_t port, const PauseOrder& order, Attempt attempt) override;

    /**
     * Learns what an output that decides has to obey, if it may be paused. Frames in one piece
     * that must wait do so beside the lists, unless all must.
     *
     * @return whether no frame may start
     */
    bool Holds(uint32_t port, TimePs now);

    /// Learns what an output has to obey, if it may be paused; who may go again asks again.
    void Obey(OutputPort& output, TimePs now);

    /// @return whether a queue's first frame is paused, after Obey(); the queue then waits beside
    /// the lists
    bool MustWait(OutputPort& output, const QueuePlace& place) const;

    /**
     * @param port whose output decides what to send
     * @return whether a pause frame was due and is sent
     */
    bool Send(uint32_t port, TimePs now);

    /**
     * A frame has come into the input buffer of a port whose sender is paused.
     *
     * @param frame that came
     */
    void Arrive(uint32_t port, const Frame& frame, TimePs now)
    {
        m_ports.inputs[port].pause->Arrive(frame.trafficClass, WireBytes(frame.payload), now);
        PlanPause(port, now);
    }

    /**
     * The tail of a frame leaves the input buffer of a port whose sender is paused.
     *
     * @param frame that leaves
     */
    void Leave(uint32_t port, const Frame& frame, TimePs end)
    {
        PauseController& pause = *m_ports.inputs[port].pause;
        pause.Leave(frame.trafficClass, WireBytes(frame.payload), end);
        if (pause.IsStopping())
        {
            m_clock.PlanDecision(port, end);
        }
    }

    /// Plans a decision if the sender to an input has to be told something.
    void PlanPause(uint32_t port, TimePs now)
    {
        const OutputPort& output = m_ports.outputs[port];
        if (m_ports.inputs[port].pause->IsDue(now))
        {
            m_clock.PlanDecision(port, std::max(now, output.transmitter.FreeAt()));
        }
    }

  private:
    const SwitchPorts& m_ports;        ///< Of the switch.
    SwitchClock& m_clock;              ///< Of the switch.
    CrossbarArbiter& m_crossbar;       ///< Of the switch.
    SwitchObserver* const& m_observer; ///< Sees what happens; null for nobody.
    std::vector<PausePath> m_senders;  ///< Switches that are paused, by port; empty for none.
};

} // namespace ns3::fabric

#endif // FABRIC_PAUSE_CONTROL_H
