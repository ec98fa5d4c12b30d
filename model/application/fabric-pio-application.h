/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIO_APPLICATION_H
#define FABRIC_PIO_APPLICATION_H

#include "fabric-pio.h"
#include "fabric-ring.h"

#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

namespace ns3
{

/**
 * Sends messages from its node by programmed I/O (PC-10), by one thread, to another endpoint, and
 * counts those that arrive at its node. The node has a FabricPio.
 */
class FabricPioApplication : public Application
{
  public:
    static TypeId GetTypeId();
    FabricPioApplication();
    ~FabricPioApplication() override;

    /// @return messages given to the thread so far
    uint64_t GetSent() const;
    /// @return messages that have arrived at the node since the start, of whatever sender
    uint64_t GetReceived() const;
    /// @return bytes of these
    uint64_t GetReceivedBytes() const;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void DoDispose() override;

    /// Sends the next message, or gives the thread more of them, and schedules what comes after.
    void SendNext();
    /// @return messages that the thread may be given now
    uint32_t Room();
    /// A message has arrived at the node.
    void Receive(const fabric::Message& message);

    Ptr<FabricNetDevice> m_device;      ///< `Device`
    uint16_t m_remote;                  ///< `Remote`
    uint64_t m_bytes;                   ///< `Bytes`
    uint64_t m_count;                   ///< `Count`
    Time m_interval;                    ///< `Interval`
    uint32_t m_thread;                  ///< `Thread`
    uint8_t m_trafficClass;             ///< `TrafficClass`
    uint16_t m_vni;                     ///< `Vni`
    uint64_t m_tag;                     ///< `Tag`
    Ptr<FabricPio> m_pio;               ///< Of the device.
    uint64_t m_sent{0};                 ///< Messages.
    fabric::Ring<uint64_t> m_unwritten; ///< Numbers of its messages that the thread has queued.
    uint64_t m_received{0};             ///< Messages.
    uint64_t m_receivedBytes{0};        ///< Of these.
    EventId m_next;                     ///< The next message.
};

} // namespace ns3

#endif // FABRIC_PIO_APPLICATION_H
