/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DEVICE_H
#define FABRIC_DEVICE_H

#include "fabric-channel.h"

#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/traced-callback.h"

namespace ns3
{

/**
 * What a port of a switch and a host's device have in common: a place on a node and on a
 * FabricChannel.
 */
class FabricDevice : public NetDevice
{
  public:
    static TypeId GetTypeId();

    /// @param channel the link at this port
    void SetChannel(Ptr<FabricChannel> channel);

    /// The link has failed, or is in use again.
    void NotifyLinkChange();

    /**
     * The port fails, and so its link (WL-8).
     *
     * @param time see FabricChannel::FailAt()
     * @throws std::invalid_argument if there is no link, and see there
     */
    void FailAt(Time time);

    /**
     * The port is repaired.
     *
     * @param time see FabricChannel::RepairAt()
     * @throws std::invalid_argument if there is no link, and see there
     */
    void RepairAt(Time time);

    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

  protected:
    void DoDispose() override;

    ReceiveCallback m_receiveCallback;               ///< Takes packets up.
    PromiscReceiveCallback m_promiscReceiveCallback; ///< Takes all packets up.

  private:
    /// @return the link
    Ptr<FabricChannel> NeedChannel() const;

    Ptr<Node> m_node;                    ///< Where it is.
    Ptr<FabricChannel> m_channel;        ///< The link.
    TracedCallback<> m_linkChangeTrace;  ///< The link goes up or down.
    Mac48Address m_address;              ///< MAC address.
    uint32_t m_ifIndex{0};               ///< Number on the node.
    uint16_t m_mtu{fabric::MAX_PAYLOAD}; ///< Most payload of a frame, bytes.
};

} // namespace ns3

#endif // FABRIC_DEVICE_H
