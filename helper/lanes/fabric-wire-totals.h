/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WIRE_TOTALS_H
#define FABRIC_WIRE_TOTALS_H

#include "fabric-helper.h"
#include "fabric-summary.h"
#include "fabric-wire-step.h"

namespace ns3::fabric
{

/// Adds up what wires did on which frames interrupt each other.
class WireTotals
{
  public:
    /// @param counts of a wire
    void Add(const WireCounts& counts);

    /// Adds the wires of all ports of switches and of all uplinks of hosts that have such.
    void Add(const FabricContainer& fabric);

    /// @return the sums
    const WireCounts& Get() const;

    /**
     * Adds link_idle_while_waiting, wasted_flits, preemptions, gaps and fills.
     *
     * @param summary the figures
     */
    void AddFigures(Summary& summary) const;

  private:
    WireCounts m_sums; ///< Of all wires.
};

} // namespace ns3::fabric

#endif // FABRIC_WIRE_TOTALS_H
