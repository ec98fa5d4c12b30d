/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_APPLICATION_TRAFFIC_H
#define FABRIC_APPLICATION_TRAFFIC_H

#include "fabric-helper.h"

#include "ns3/nstime.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Applications that share a host, each with a number of flows, which send as much as they may:
 * messages of one frame each, of which so many are under way that the next one is always ready.
 *
 * The flows of an application go to the second half of the hosts in turn, which are about as far
 * away from those of the first half. Application i has VNI i + 1.
 */
class FabricApplicationTraffic
{
  public:
    /// Messages that the flows of an application have under way together, at least; each has 2.
    static constexpr uint32_t WINDOW = 256;

    /// A message that was delivered.
    struct Delivery
    {
        Time at;              ///< When.
        uint32_t application; ///< Of which application.
    };

    /**
     * @param fabric whose hosts send and receive; must outlive this
     * @param host that the applications share, of the first half of the hosts
     * @param flows of each application
     * @throws std::invalid_argument with a sentence if it is of the second half, or there are no
     * applications
     */
    FabricApplicationTraffic(const FabricContainer& fabric,
                             uint32_t host,
                             std::vector<uint64_t> flows);

    /// All applications begin to send. To be called when the simulation runs.
    void Start();

    /// An application sends no new messages.
    void Stop(uint32_t application)
    {
        m_hasStopped[application] = true;
    }

    /// @return all deliveries, in the order of time
    const std::vector<Delivery>& GetDeliveries() const
    {
        return m_deliveries;
    }

    /// @return payload of each message, bytes
    static uint32_t MessageBytes();

    /// @return messages that an application with so many flows has under way, as long as it sends
    static uint64_t MessagesUnderWay(uint64_t flows)
    {
        return std::max<uint64_t>(2, (WINDOW + flows - 1) / flows) * flows;
    }

    /// @return the virtual network of an application
    static uint16_t VniOf(uint32_t application)
    {
        return static_cast<uint16_t>(application + 1);
    }

  private:
    /// A flow sends a message. @param flow counts those of the application
    void Send(uint32_t application, uint32_t flow);
    /// A message was delivered: its flow sends the next.
    void Deliver(const fabric::Message& message, Time at);

    const FabricContainer& m_fabric;    ///< Its hosts send and receive.
    uint32_t m_host;                    ///< That the applications share.
    std::vector<uint64_t> m_flows;      ///< Of each application.
    std::vector<bool> m_hasStopped;     ///< By application.
    std::vector<Delivery> m_deliveries; ///< In the order of time.
};

} // namespace ns3

#endif // FABRIC_APPLICATION_TRAFFIC_H
