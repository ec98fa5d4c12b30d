/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_FIGURES_H
#define FABRIC_TRANSPORT_FIGURES_H

#include "fabric-run-totals.h"
#include "fabric-summary.h"
#include "fabric-transport.h"

#include <vector>

namespace ns3
{

/**
 * What the reliable transports of some hosts have counted: figures of a summary, totals, and
 * whether initiators and targets agree.
 */
class FabricTransportFigures
{
  public:
    /// @param hosts their transports, installed, of which the first says what all use
    explicit FabricTransportFigures(std::vector<Ptr<FabricTransport>> hosts);

    /**
     * Adds packets, resends and what they were for, duplicates_discarded, cam_peak, granted_peak,
     * what was refused, and with DCQCN the CNPs.
     */
    void AddTo(fabric::Summary& summary) const;

    /// @return payload of operations: posted, complete, failed and under way; time and hops are
    /// not counted
    fabric::RunTotals GetTotals() const;

    /**
     * To be called when nothing is under way any more.
     *
     * @throws fabric::InvariantError if what the initiators have complete is not what the targets
     * have placed or supplied, a table for peers' requests was overrun, or, where nothing has
     * failed, one is not empty
     */
    void CheckComplete() const;

  private:
    /// No table for peers' requests was overrun. @param isClean whether all have to be empty
    void CheckTables(bool isClean) const;

    std::vector<Ptr<FabricTransport>> m_hosts; ///< Of which the figures are.
};

} // namespace ns3

#endif // FABRIC_TRANSPORT_FIGURES_H
