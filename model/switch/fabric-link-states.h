/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LINK_STATES_H
#define FABRIC_LINK_STATES_H

#include "fabric-switch-clock.h"
#include "fabric-switch-observer.h"
#include "fabric-switch-ports.h"

#include <vector>

namespace ns3::fabric
{

/**
 * How the links of a switch are that have failed (WL-8).
 *
 * | state of a link at a switch | what happens                           | next        |
 * |-----------------------------|----------------------------------------|-------------|
 * | up                          | it fails                               | cut         |
 * | cut                         | what was sent before comes in          | cut         |
 * | cut                         | all that was sent before would be in   | down        |
 * | cut                         | it is repaired                         | cut, mended |
 * | cut, mended                 | all that was sent before would be in   | not greeted |
 * | down                        | it is repaired                         | not greeted |
 * | not greeted                 | the other end greets                   | up          |
 * | any but up                  | it fails again                         | cut         |
 *
 * The flow channels of an input are orphaned when its link fails: they tell nobody. Only when the
 * last of them has ended is it ready for new ones, whose flow_ids may be the same: it greets the
 * sender, which gives no flow_id before. All else goes over the link as soon as it is repaired,
 * above all the ACKs of the other direction, for which others may wait. What comes in by the link
 * after the failure and was not in with its tail by then is lost.
 *
 * A link to a host has no flow_ids, so it is up when it is repaired.
 */
class LinkStates
{
  public:
    /// @param observer sees what happens; null for nobody
    LinkStates(const SwitchPorts& ports, SwitchClock& clock, SwitchObserver* const& observer)
        : m_ports(ports),
          m_clock(clock),
          m_observer(observer)
    {
    }

    /// A link fails.
    void Fail(uint32_t port, TimePs now);

    /// @return whether it may be used at once
    bool Repair(uint32_t port);

    /**
     * What was sent before a failure would have come in.
     *
     * @return whether the link may be used from now on
     */
    bool EndCut(uint32_t port, TimePs now);

    /// A link may be used again.
    void BringUp(uint32_t port, TimePs now);

    /// Tells the other end of a link that this one is ready, if it is.
    void GreetWhenReady(uint32_t port, TimePs now);

    /**
     * @param port where a frame comes in that was sent in one piece, before the link failed
     * @param frame that comes
     * @return whether it was cut off, and so is lost
     */
    bool Cuts(uint32_t port, const Frame& frame) const;

    /// @return how long after a failure something that was sent before may come in, ps
    TimePs QuietTime(uint32_t port) const;

  private:
    /// What is known of a link that fails, beside what every frame asks for.
    struct State
    {
        TimePs failedAt{0};     ///< When it failed last, ps.
        bool isRepaired{false}; ///< Whether it was repaired since then.
    };

    const SwitchPorts& m_ports;        ///< Of the switch.
    SwitchClock& m_clock;              ///< Of the switch.
    SwitchObserver* const& m_observer; ///< Sees what happens; null for nobody.
    std::vector<State> m_states;       ///< By port, once a link fails; before, empty.
};

} // namespace ns3::fabric

#endif // FABRIC_LINK_STATES_H
