/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_TRAFFIC_H
#define FABRIC_FLOW_TRAFFIC_H

#include "fabric-flow-carrier.h"
#include "fabric-flow-list.h"
#include "fabric-flow-triggers.h"
#include "fabric-helper.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/// Starts the flows of a list over a fabric, each at its time, or when its trigger fires.
class FabricFlowTraffic
{
  public:
    /**
     * Each flow is a native message (fabric::MessageFlowCarrier).
     *
     * @param fabric whose hosts send; stays as long as they do
     * @param list what they send; stays as long as they do
     * @throws std::invalid_argument on several ranks, see RequireKnownDeliveries()
     */
    FabricFlowTraffic(const FabricContainer& fabric, const fabric::FlowList& list);

    /**
     * @param carrier of the flows of this list; stays as long as they do
     * @param list what hosts send; stays as long as they do
     * @throws std::invalid_argument on several ranks, see RequireKnownDeliveries()
     */
    FabricFlowTraffic(fabric::FlowCarrier& carrier, const fabric::FlowList& list);

    FabricFlowTraffic(const FabricFlowTraffic&) = delete;
    FabricFlowTraffic& operator=(const FabricFlowTraffic&) = delete;

    /**
     * A delivery is known on the rank of its host alone, which may start flows of that host only.
     *
     * @param list flows for several ranks
     * @throws std::invalid_argument with a sentence for the first trigger that starts another's
     */
    static void RequireKnownDeliveries(const fabric::FlowList& list);

  private:
    /// Plans the starts, and listens where there are triggers. @param list of flows
    void Plan(const fabric::FlowList& list);

    std::unique_ptr<fabric::FlowCarrier> m_own; ///< Null if another was given.
    fabric::FlowCarrier& m_carrier;             ///< Of the flows.
    fabric::FlowTriggers m_triggers;            ///< What has been started by triggers.
};

} // namespace ns3

#endif // FABRIC_FLOW_TRAFFIC_H
