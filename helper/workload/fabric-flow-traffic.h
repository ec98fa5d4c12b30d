/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_TRAFFIC_H
#define FABRIC_FLOW_TRAFFIC_H

#include "fabric-flow-list.h"
#include "fabric-flow-triggers.h"
#include "fabric-helper.h"

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * Sends the flows of a list over a fabric, each as one message at its start, or when its trigger
 * fires. A tag is for FlowOf() and PlaceOf(), and not 0.
 *
 * Flows between two hosts are of different processes, so that they have turns at their host and do
 * not wait for each other.
 */
class FabricFlowTraffic
{
  public:
    /**
     * @param fabric whose hosts send; stays as long as they do
     * @param list what they send; stays as long as they do
     * @throws std::invalid_argument on several ranks, see RequireKnownDeliveries()
     */
    FabricFlowTraffic(const FabricContainer& fabric, const fabric::FlowList& list);
    ~FabricFlowTraffic();

    FabricFlowTraffic(const FabricFlowTraffic&) = delete;
    FabricFlowTraffic& operator=(const FabricFlowTraffic&) = delete;

    /**
     * A flow of a list starts now.
     *
     * @param flow its number, from a host of this rank
     * @param place is told with the message
     */
    static void Send(const FabricContainer& fabric,
                     const fabric::FlowList& list,
                     uint32_t flow,
                     uint32_t place = 0);

    /**
     * A delivery is known on the rank of its host alone, which may start flows of that host only.
     *
     * @param list flows for several ranks
     * @throws std::invalid_argument with a sentence for the first trigger that starts another's
     */
    static void RequireKnownDeliveries(const fabric::FlowList& list);

    /// @return the number of the flow of a message
    static uint32_t FlowOf(const fabric::Message& message)
    {
        return static_cast<uint32_t>(message.tag) - 1;
    }

    /// @return the place that was told with a message
    static uint32_t PlaceOf(const fabric::Message& message)
    {
        return static_cast<uint32_t>(message.tag >> 32);
    }

  private:
    /// A message has arrived: its flow is done.
    void Delivered(const fabric::Message& message, Time now);

    const FabricContainer& m_fabric; ///< Whose hosts send.
    const fabric::FlowList& m_list;  ///< What they send.
    Ptr<FabricNetwork> m_heard;      ///< Whose deliveries are listened to; null for none.
    fabric::FlowTriggers m_triggers; ///< What has been started by triggers.
};

} // namespace ns3

#endif // FABRIC_FLOW_TRAFFIC_H
