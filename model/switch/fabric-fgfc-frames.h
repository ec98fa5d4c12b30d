/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FGFC_FRAMES_H
#define FABRIC_FGFC_FRAMES_H

#include "fabric-fgfc-settings.h"
#include "fabric-switch-clock.h"
#include "fabric-switch-observer.h"
#include "fabric-switch-ports.h"

namespace ns3::fabric
{

/// Fine-grain flow control (CM-4): the frames by which a switch restrains single flows of its
/// hosts. Which flows, CongestionManagement decides.
class FgfcFrames
{
  public:
    /// @param observer sees what happens; null for nobody
    FgfcFrames(const SwitchPorts& ports,
               SwitchClock& clock,
               const FgfcSettings& settings,
               SwitchObserver* const& observer)
        : m_ports(ports),
          m_clock(clock),
          m_settings(settings),
          m_observer(observer)
    {
    }

    /// @param port whose link to a host is connected, which has sent nothing yet
    void Connect(uint32_t port);

    /**
     * A flow of a host is restrained from now on.
     *
     * @param ref names its flow channel
     * @param queue number of the host's queue from which its last frame came
     */
    void Begin(QueueRef ref, uint32_t queue, TimePs now);

    /**
     * A restrained flow has sent a frame on: there may be credit to tell, or it is free again.
     *
     * @param record of its flow channel
     * @param ref names it
     */
    void Change(FlowRecord& record, QueueRef ref, TimePs now);

    /// @param ref names a restrained flow, which is free again
    void End(QueueRef ref, TimePs now);

    /**
     * @param port whose output decides what to send
     * @return whether a frame was due, and the wire is taken
     */
    bool Send(uint32_t port, TimePs now);

  private:
    /// Plans a decision, since the host of a port has to be told something.
    void Plan(uint32_t port, TimePs now);

    const SwitchPorts& m_ports;        ///< Of the switch.
    SwitchClock& m_clock;              ///< Of the switch.
    const FgfcSettings& m_settings;    ///< What is told when.
    SwitchObserver* const& m_observer; ///< Sees what happens; null for nobody.
};

} // namespace ns3::fabric

#endif // FABRIC_FGFC_FRAMES_H
