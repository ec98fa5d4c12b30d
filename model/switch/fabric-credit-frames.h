/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CREDIT_FRAMES_H
#define FABRIC_CREDIT_FRAMES_H

#include "fabric-credit-frame.h"
#include "fabric-switch-clock.h"
#include "fabric-switch-observer.h"
#include "fabric-switch-ports.h"

namespace ns3::fabric
{

/// Credits of input buffers that go back in frames of their own (WL-5), on links that have such.
class CreditFrames : public CreditFrameEnd
{
  public:
    /// @param observer sees what happens; null for nobody
    CreditFrames(const SwitchPorts& ports, SwitchClock& clock, SwitchObserver* const& observer)
        : m_ports(ports),
          m_clock(clock),
          m_observer(observer)
    {
    }

    /**
     * The credits of a port's input go back in frames from now on, and those of its host's receive
     * buffer if that has any.
     *
     * @param port whose link is connected
     * @param channels virtual channels in use
     */
    void Connect(uint32_t port, const CreditSettings& settings, uint32_t channels);

    /**
     * The room of a frame becomes free.
     *
     * @param port where it came in, with credit frames
     * @param vc by which it came
     * @param bytes of it on the wire
     * @param end when its tail has left, not before now, ps
     */
    void Leave(uint32_t port, uint32_t vc, uint32_t bytes, TimePs end);

    /**
     * @param port with credit frames, whose output decides what to send
     * @return whether a credit frame was due, and the wire is taken
     */
    bool Send(uint32_t port, TimePs now);

    void TakeCredits(uint32_t port, const CreditOrder& order, TimePs start) override;

  private:
    const SwitchPorts& m_ports;        ///< Of the switch.
    SwitchClock& m_clock;              ///< Of the switch.
    SwitchObserver* const& m_observer; ///< Sees what happens; null for nobody.
};

} // namespace ns3::fabric

#endif // FABRIC_CREDIT_FRAMES_H
