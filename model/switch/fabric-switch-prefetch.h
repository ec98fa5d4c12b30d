/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_PREFETCH_H
#define FABRIC_SWITCH_PREFETCH_H

#include "fabric-fetch-step.h"
#include "fabric-switch-clock.h"
#include "fabric-switch-ports.h"

namespace ns3::fabric
{

/// Fetches what the next window of a switch touches into the caches, while others run.
class SwitchPrefetch
{
  public:
    SwitchPrefetch(const SwitchPorts& ports, const SwitchClock& clock)
        : m_ports(ports),
          m_clock(clock)
    {
    }

    /// @return whether the next window is expected to have so much to do that fetching pays
    bool IsWorthwhile() const;

    /// @param step which part of it
    void Fetch(FetchStep step) const;

  private:
    void FetchPorts() const;      ///< Step PORTS.
    void FetchLinks() const;      ///< Step LINKS.
    void FetchNeighbours() const; ///< Step NEIGHBOURS.
    void FetchEngines() const;    ///< Step ENGINES.

    const SwitchPorts& m_ports; ///< Of the switch.
    const SwitchClock& m_clock; ///< Of the switch.
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_PREFETCH_H
