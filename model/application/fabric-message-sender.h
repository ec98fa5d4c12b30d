/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MESSAGE_SENDER_H
#define FABRIC_MESSAGE_SENDER_H

#include "fabric-types.h"

#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

namespace ns3
{

class FabricNetDevice;

/**
 * Sends native messages from a FabricNetDevice of its node to another endpoint, one every interval.
 */
class FabricMessageSender : public Application
{
  public:
    static TypeId GetTypeId();
    FabricMessageSender();
    ~FabricMessageSender() override;

    /// @return messages sent so far
    uint64_t GetSent() const;

  private:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

    /// Sends the next message, and schedules the one after it.
    void SendNext();

    uint16_t m_remote;             ///< Location of the destination.
    uint64_t m_bytes;              ///< Size of each message.
    uint64_t m_count;              ///< Messages to send.
    Time m_interval;               ///< Between messages.
    uint8_t m_trafficClass;        ///< FTAG.
    uint16_t m_vni;                ///< Virtual network.
    uint32_t m_process;            ///< What the sender is on its host.
    uint64_t m_tag;                ///< Given to the receiver.
    uint64_t m_sent;               ///< Messages sent.
    EventId m_next;                ///< The next message.
    Ptr<FabricNetDevice> m_device; ///< `Device`
};

} // namespace ns3

#endif // FABRIC_MESSAGE_SENDER_H
