/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_QUEUE_DISC_LANE_PATH_H
#define FABRIC_QUEUE_DISC_LANE_PATH_H

#include "fabric-lane-link-settings.h"
#include "fabric-lane-path.h"
#include "fabric-vl-arbiter-queue-disc.h"

#include "ns3/ipv4-interface-container.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/socket.h"

#include <cstdint>
#include <map>

namespace ns3::fabric
{

/// Lanes over a VlArbiterQueueDisc between two nodes with IP and a point-to-point link.
class QueueDiscLanePath : public LanePath
{
  public:
    /**
     * @param link with its lanes and arbiter
     * @param recorder is told what happens; must stay
     */
    QueueDiscLanePath(const LaneLinkSettings& link, LaneRecorder& recorder);

    void CheckSettings() const override;
    void Send(uint32_t lane) override;
    void Settle() override;
    uint64_t GetPacketsInFlight() const override;
    uint64_t GetPacketHops() const override;
    void StopAt(Time duration) override;

    static constexpr uint32_t HEADERS = 20 + 8 + 2; ///< IPv4, UDP, PPP; bytes.

  private:
    static constexpr uint16_t FIRST_PORT = 10'000;    ///< Of receivers, by lane; our choice.
    static constexpr uint16_t LARGEST_PACKET = 9'000; ///< MTU of the devices, bytes.

    /// Two nodes, and devices with a queue of one packet, so that the arbiter decides late.
    void InstallLink(const LaneLinkSettings& link);
    /// The queue disc at the first node.
    void InstallQueueDisc(const LaneLinkSettings& link);
    /// The receiver of a lane.
    void InstallReceiver(uint32_t lane);
    /// The sender of a lane: its traffic class by DSCP, and of the class's lanes this one by a
    /// port.
    void InstallSender(const LaneSettings& lane);
    /// @return the first port from this one on with which a sender's packets are on its lane
    uint16_t FindPort(const LaneSettings& lane, uint16_t port) const;
    /// @return a packet as a sender with this port would send it
    Ptr<QueueDiscItem> MakeItem(const LaneSettings& lane, uint16_t port) const;
    /// @return port of a lane's receiver
    static uint16_t ReceiverPort(uint32_t lane);
    /// The arbiter has chosen a packet.
    void Grant(Ptr<const QueueDiscItem> item, uint32_t lane, uint32_t level, bool isConforming);
    /// The packet just sent has found no room.
    void Drop(Ptr<const QueueDiscItem> item);
    /// The link begins to carry a packet.
    void FrameBegins(Ptr<const Packet> packet);
    /// Packets have come.
    void Receive(Ptr<Socket> socket);

    NodeContainer m_nodes;                     ///< Sender and receiver.
    NetDeviceContainer m_devices;              ///< Of the link.
    Ipv4InterfaceContainer m_addresses;        ///< Of the devices.
    Ptr<VlArbiterQueueDisc> m_disc;            ///< The arbiter.
    std::map<uint32_t, Ptr<Socket>> m_senders; ///< By lane.
    std::map<Ptr<Socket>, uint32_t> m_laneOf;  ///< Lanes of receivers.
    bool m_isDropped{false};                   ///< Whether the packet just sent was dropped.
    uint64_t m_frames{0};                      ///< Packets that the link began to carry.
    uint64_t m_arrived{0};                     ///< Packets that came.
};

} // namespace ns3::fabric

#endif // FABRIC_QUEUE_DISC_LANE_PATH_H
