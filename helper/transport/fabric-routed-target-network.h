/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTED_TARGET_NETWORK_H
#define FABRIC_ROUTED_TARGET_NETWORK_H

#include "fabric-target-network.h"

#include "ns3/net-device-container.h"
#include "ns3/nstime.h"

namespace ns3
{

/**
 * Hosts around one IP router, with point-to-point links: what a fabric is compared with. Packets
 * wait in the router's outputs, whose room is bounded; what finds none is lost.
 */
class RoutedTargetNetwork : public TargetNetwork
{
  public:
    /// When RED marks instead of dropping (RFC 3168).
    struct RedMarking
    {
        double minPackets{0};    ///< None is marked below so many that wait; 0 for never.
        double maxPackets{0};    ///< All are marked from here on, as DCTCP and DCQCN want it.
        double probability{0.5}; ///< Part that is marked just below that, above 0 to 0.5.
    };

    /// What is built.
    struct Settings
    {
        uint32_t senders{1};          ///< Hosts besides the target.
        DataRate rate{"200Gbps"};     ///< Of all links.
        Time delay{"100ns"};          ///< Propagation delay of all links.
        uint64_t mtu{4'096};          ///< Largest packet, IP header counted, bytes.
        uint64_t queueBytes{1 << 20}; ///< Room of an output of the router, bytes.
        RedMarking marking;           ///< By outputs of the router.
    };

    /// Where a target takes the packets of the reliable transport: ns3::FabricUdpTransport::Port.
    static constexpr uint16_t UDP_PORT = 4792;

    /// @param settings what is built
    explicit RoutedTargetNetwork(const Settings& settings);

    /**
     * Lets each host lose packets that arrive, at random.
     *
     * @param loss part of the packets, 0 to 1
     */
    void SetLoss(double loss);

    Address GetTransportAddress(uint32_t host) const override;
    Ipv4Address GetIpAddress() const override;
    void InstallTransport(const FabricTransportHelper& helper) const override;
    uint64_t GetPeakQueue() const override;
    uint64_t GetBytesToTarget(fabric::TimePs by) const override;
    uint64_t GetBytesFromTarget(fabric::TimePs by) const override;
    void AddHops(fabric::RunTotals& totals) const override;
    /// Adds none.
    void AddOwnFigures(fabric::Summary& summary) const override;

  private:
    /// Lets the queue of a device of the router hold no more than the settings say.
    void InstallQueue(const NetDeviceContainer& devices, const Settings& settings) const;
    /// Counts packets over the link of a host, given the router's device and its own.
    void CountPackets(const NetDeviceContainer& devices, bool isTarget);
    /// Watches the queue of the router's device, or the queue disc above it if that marks.
    void WatchQueue(Ptr<NetDevice> device, bool marks);
    /// The queue towards the target has another length.
    void QueueChanges(uint32_t before, uint32_t now);
    /// A device of the router towards a sender, or of a sender, has sent a packet.
    void CountHop(Ptr<const Packet> packet);
    /// The device of the router towards the target has sent a packet.
    void CountToTarget(Ptr<const Packet> packet);
    /// The device of the target has sent a packet.
    void CountFromTarget(Ptr<const Packet> packet);

    Ipv4Address m_address;         ///< Of the target.
    uint64_t m_peak{0};            ///< Most bytes in the queue towards the target.
    uint64_t m_bytesToTarget{0};   ///< Sent to the target, PPP headers counted.
    uint64_t m_bytesFromTarget{0}; ///< Sent by the target, PPP headers counted.
    uint64_t m_hops{0};            ///< Packets over any link.
};

} // namespace ns3

#endif // FABRIC_ROUTED_TARGET_NETWORK_H
