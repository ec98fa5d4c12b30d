/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MESSAGE_FLOW_CARRIER_H
#define FABRIC_MESSAGE_FLOW_CARRIER_H

#include "fabric-flow-carrier.h"
#include "fabric-flow-list.h"
#include "fabric-helper.h"

#include "ns3/nstime.h"

namespace ns3::fabric
{

/**
 * Each flow is a native message, whose tag is for FlowOf() and PlaceOf(), and not 0. It is sent
 * when it has arrived: there is no acknowledgement. Who sends it, the NIC or somebody else, is up
 * to classes that are derived.
 *
 * Flows between two hosts are of different processes, so that they have turns at their host and do
 * not wait for each other.
 */
class MessageFlowCarrier : public FlowCarrier
{
  public:
    /// @param fabric whose hosts send @param list what they send; both stay as long as they do
    MessageFlowCarrier(const FabricContainer& fabric, const FlowList& list);
    ~MessageFlowCarrier() override;

    bool IsElsewhere(uint32_t host) const override;
    void Start(uint32_t flow, uint32_t place) override;
    void Listen(Listener sent, Listener received) override;

    /// @return the number of the flow of a message
    static uint32_t FlowOf(const Message& message)
    {
        return static_cast<uint32_t>(message.tag) - 1;
    }

    /// @return the place that was told with a message
    static uint32_t PlaceOf(const Message& message)
    {
        return static_cast<uint32_t>(message.tag >> 32);
    }

  protected:
    /// @return the device of a host
    Ptr<FabricNetDevice> DeviceOf(uint32_t host) const
    {
        return m_fabric.GetDevice(host);
    }

    /// Sends the message of a flow now. @param flow that starts @param tag of the message
    virtual void Send(const FlowList::Flow& flow, uint64_t tag);

  private:
    /// A message has arrived: its flow is done.
    void Delivered(const Message& message, Time now);

    const FabricContainer& m_fabric; ///< Whose hosts send.
    const FlowList& m_list;          ///< What they send.
    Ptr<FabricNetwork> m_heard;      ///< Whose deliveries are listened to; null for none.
    Listener m_sent;                 ///< Is told.
    Listener m_received;             ///< Is told then.
};

} // namespace ns3::fabric

#endif // FABRIC_MESSAGE_FLOW_CARRIER_H
