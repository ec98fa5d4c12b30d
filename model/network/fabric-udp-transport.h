/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_UDP_TRANSPORT_H
#define FABRIC_UDP_TRANSPORT_H

#include "fabric-transport.h"
#include "fabric-udp-peers.h"

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/packet.h"
#include "ns3/socket.h"

namespace ns3
{

/**
 * The reliable transport of a node over ns-3's IP stacks (RT-15): each packet is a UDP datagram,
 * over IPv4 or IPv6 and any device. Timers and pacing are ns-3 events.
 *
 * The payload of the packets is zeros, which ns-3 does not store. Packets are handed to the socket
 * at the rate of the device, so that it is the transport that decides what is sent next, and not a
 * queue below it.
 */
class FabricUdpTransport : public FabricTransport
{
  public:
    static TypeId GetTypeId();
    FabricUdpTransport();
    ~FabricUdpTransport() override;

    /**
     * Puts the transport on a node with an IP stack, and aggregates it to the node. Its settings
     * are fixed from now on.
     *
     * @throw std::invalid_argument if a setting is out of its range, or the node has no IP stack
     */
    void Install(Ptr<Node> node);

  private:
    void DoDispose() override;
    fabric::PeerAddress PeerOf(const Address& remote) override;
    uint32_t RoomTo(const Address& remote) override;
    void Begin() override;
    void End() override;

    /// @param any the address to listen on, with the port
    Ptr<Socket> MakeSocket(const Address& any);

    /**
     * @param remote a peer
     * @return the device on the way to it, null if there is no way
     */
    Ptr<NetDevice> DeviceTo(const Address& remote) const;

    /// Packets wait in a socket.
    void HandleRead(Ptr<Socket> socket);

    /**
     * @param packet came from the socket
     * @param from whom
     */
    void Arrive(Ptr<Packet> packet, const Address& from);

    /**
     * A packet, or a copy of one, that the fault injector has let through.
     *
     * @param packet what the header said
     * @param peer whom it came from
     */
    void Take(fabric::TransportPacket packet, fabric::PeerAddress peer);

    /// Sends what may be sent, tells what is to be told, and plans the next event.
    void Pump();
    /// Sends what may be sent at the present.
    void SendReady();
    /// Sends a packet.
    void Send(const fabric::OutgoingPacket& outgoing);
    /// Plans the next event.
    void Plan();
    /// The time that was planned has come.
    void Wake();
    /// Finds the rate of the device. @param remote a peer
    void FindRate(const Address& remote);

    uint16_t m_port;            ///< `Port`
    DataRate m_rate;            ///< `DataRate`
    uint32_t m_frameBytes;      ///< `FrameBytes`
    Ptr<Socket> m_socket;       ///< For IPv4, or null.
    Ptr<Socket> m_socket6;      ///< For IPv6, or null.
    fabric::UdpPeers m_peers;   ///< Who is known.
    fabric::TimePs m_freeAt{0}; ///< When the wire is free, ps.
    bool m_hasRate{false};      ///< Whether FindRate() was there.
    bool m_isPumping{false};    ///< Whether Pump() is under way.
    EventId m_wake;             ///< The next event.
};

} // namespace ns3

#endif // FABRIC_UDP_TRANSPORT_H
