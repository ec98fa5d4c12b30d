/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HOST_CONTROL_H
#define FABRIC_HOST_CONTROL_H

#include "fabric-host-control-settings.h"
#include "fabric-nic.h"
#include "fabric-pause-control.h"
#include "fabric-switch-clock.h"
#include "fabric-switch-observer.h"
#include "fabric-switch-ports.h"

namespace ns3::fabric
{

/// What keeps the hosts of a switch from overrunning their input buffers where they have no credits
/// (WL-5), and the switch from overrunning theirs.
class HostControl : public PauseEnd
{
  public:
    /**
     * @param memory that ports share; null if each input has a buffer of its own
     * @param observer sees what happens; null for nobody
     */
    HostControl(const SwitchPorts& ports,
                SwitchClock& clock,
                PauseControl& pauses,
                const HostControlSettings& settings,
                SharedMemory* memory,
                SwitchObserver* const& observer)
        : m_ports(ports),
          m_clock(clock),
          m_pauses(pauses),
          m_settings(settings),
          m_memory(memory),
          m_observer(observer)
    {
    }

    /**
     * Decides what holds back a host that is being linked.
     *
     * @param link between them, with the latency of the switch and its buffer; the largest frame is
     * found out here
     * @throws std::invalid_argument if the settings could lose a frame
     */
    void Connect(uint32_t port, Nic& nic, PausedLink link, const BufferShares& buffer);

    /**
     * Decides what holds back the switch toward a host that has been linked.
     *
     * @param link between them, with the latency of the switch for control; the rest is found out
     * here
     * @param virtualChannels in use on the link
     * @throws std::invalid_argument if the host's buffer is too small, or its thresholds are wrong
     */
    void ConnectReceiver(uint32_t port, Nic& nic, PausedLink link, uint32_t virtualChannels);

    void TakePause(uint32_t port, const PauseOrder& order, Attempt attempt) override;

    /// @return what a host takes to obey, ps
    TimePs ResponseTime(const LinkRate& rate) const;

    /**
     * A frame begins to wait for a flow_id.
     *
     * @param frame that waits
     */
    void BeginWait(uint32_t port, const Frame& frame, TimePs now);

    /**
     * A frame waits for a flow_id no longer.
     *
     * @param frame that waited
     */
    void EndWait(uint32_t port, const Frame& frame, TimePs now);

  private:
    /// The host gives credits. @copydetails ConnectReceiver()
    void UseCredits(uint32_t port, Nic& nic, const PausedLink& link, uint32_t virtualChannels);

    /// The host pauses the switch. @param link between them, of which more is found out here
    void ObeyPauses(uint32_t port, Nic& nic, PausedLink& link);

    const SwitchPorts& m_ports;            ///< Of the switch.
    SwitchClock& m_clock;                  ///< Of the switch.
    PauseControl& m_pauses;                ///< Of the switch.
    const HostControlSettings& m_settings; ///< Of the switch.
    SharedMemory* const m_memory;          ///< That ports share; may be null.
    SwitchObserver* const& m_observer;     ///< Sees what happens; null for nobody.
};

} // namespace ns3::fabric

#endif // FABRIC_HOST_CONTROL_H
