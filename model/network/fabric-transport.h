/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_H
#define FABRIC_TRANSPORT_H

#include "fabric-fault-attributes.h"
#include "fabric-rdma-endpoint.h"
#include "fabric-transport-attributes.h"

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace ns3
{

/**
 * The reliable transport of a node (RT), with the RDMA-like protocol on top: connections, writes,
 * reads and sends.
 *
 * This is what applications see; the classes derived from it put the endpoint on a network:
 * FabricUdpTransport over ns-3's IP stacks, FabricNicTransport into the NIC of a fabric. The
 * settings are attributes, and are fixed when the object is installed on its node. Before that,
 * calls throw std::invalid_argument.
 */
class FabricTransport : public Object,
                        public fabric::TransportAttributes,
                        public fabric::FaultAttributes
{
  public:
    /// Is told what happens: the event. It happened at the present time, or where a host learns
    /// of it late, at `at`.
    using EventCallback = Callback<void, const fabric::RdmaEvent&>;

    static TypeId GetTypeId();
    FabricTransport();
    ~FabricTransport() override;

    /**
     * Opens a connection (RT-1). Operations may be posted at once.
     *
     * @param remote the peer: an InetSocketAddress or Inet6SocketAddress over IP, the Mac48Address
     *        of the device in a fabric
     * @param isOrdered whether requests and completions keep their order (RT-10)
     * @param callback is told what happens on the connection
     * @return the connection; NO_CONNECTION if there are as many as the endpoint can have
     * @throw std::invalid_argument if the peer can't be reached or the MTU is above the device's
     */
    fabric::ConnectionId Connect(const Address& remote, bool isOrdered, EventCallback callback);

    /**
     * Closes a connection when all its operations are complete.
     *
     * @param connection what Connect() returned
     * @return whether there is such a connection
     */
    bool Close(fabric::ConnectionId connection);

    /**
     * Ends a connection at once; its operations complete with CONNECTION_RESET.
     *
     * @param connection what Connect() returned
     * @return whether there is such a connection
     */
    bool Reset(fabric::ConnectionId connection);

    /**
     * Asks for an operation; its completion follows, whatever happens.
     *
     * @param connection what Connect() returned
     * @param bytes to move, 0 to 2^31 - 1
     * @param cookie any number below 2^62; the completion and the target see it
     * @return false if there is no such connection, or it takes no operations any more
     */
    bool Post(fabric::ConnectionId connection,
              fabric::RdmaOperation operation,
              uint32_t bytes,
              uint64_t cookie);

    /**
     * Looks at a connection as it is at the present.
     *
     * @param connection what Connect() returned
     * @return what is known of it; nothing if it is not there
     */
    std::optional<fabric::ConnectionView> View(fabric::ConnectionId connection);

    /**
     * @param callback is told what happens on connections that peers have opened
     */
    void SetListener(EventCallback callback);

    /// @param count receive buffers more, for sends
    void PostReceives(uint64_t count);

    /// @return the endpoint, to look at its counters
    const fabric::RdmaEndpoint& GetEndpoint() const;

    /**
     * @param remote a peer, as Connect() takes it
     * @param isOrdered whether requests and completions keep their order (RT-10)
     * @return what is proposed to it for a connection
     * @throw std::invalid_argument if the peer can't be reached or the MTU is above the device's
     */
    fabric::ConnectionSettings SettingsTo(const Address& remote, bool isOrdered);

    /// @return what its fault injector did to arriving packets
    const fabric::FaultCounts& GetFaultCounts() const;

    /// @return arriving packets that were discarded before the endpoint saw them, by cause
    const std::map<std::string, uint64_t>& GetDiscarded() const;

    Ptr<Node> GetNode() const;

    /// @return whether its node is on another rank of MPI, where it sends and receives
    bool IsElsewhere() const;

    /// @return whether receivers tell of marks by packets of their own (DCQCN)
    bool UsesCnps() const;

    /// @return whether it has to be told what outputs of switches write on packets
    bool UsesTelemetry() const;

    /// @return whether packets of a connection take any of several ways, as far as is known
    bool IsSprayed() const;

    /**
     * TracedCallback signature for packets.
     *
     * @param [in] packet what its header says
     * @param [in] time when it was sent or taken
     */
    typedef void (*PacketTracedCallback)(const fabric::TransportPacket& packet, Time time);

    /**
     * TracedCallback signature for packets and the other end.
     *
     * @param [in] packet what its header says
     * @param [in] peer whom it goes to or comes from, as Connect() takes it
     * @param [in] time when it was sent or taken
     */
    typedef void (*PeerPacketTracedCallback)(const fabric::TransportPacket& packet,
                                             const Address& peer,
                                             Time time);

  protected:
    void DoInitialize() override;
    void DoDispose() override;

    /**
     * It will be on a node, which complaints name.
     *
     * @throw std::invalid_argument with a sentence if it has an endpoint already
     */
    void SetNode(Ptr<Node> node);

    /**
     * Makes the endpoint of the attributes' values, after SetNode().
     *
     * @param room bytes that a header of the transport and its payload may have on all ways from
     *        here, for connections that peers open
     * @param lineRate of its fastest device, b/s; 0 if there is none with a rate
     * @throw std::invalid_argument with a sentence that names the node
     */
    void MakeEndpoint(uint32_t room, uint64_t lineRate);

    /**
     * @param remote a peer
     * @return what the endpoint knows it by
     */
    virtual fabric::PeerAddress PeerOf(const Address& remote) = 0;

    /**
     * @param remote a peer
     * @return bytes that a header of the transport and its payload may have on the way to it
     */
    virtual uint32_t RoomTo(const Address& remote) = 0;

    /// Brings the endpoint up to the present.
    virtual void Begin() = 0;

    /// The endpoint has got something to do at the present.
    virtual void End() = 0;

    /// @return the endpoint
    fabric::RdmaEndpoint& Endpoint()
    {
        return *m_endpoint;
    }

    /// @return the endpoint
    const fabric::RdmaEndpoint& Endpoint() const
    {
        return *m_endpoint;
    }

    /// @return decides what happens to arriving packets
    fabric::FaultInjector& Faults()
    {
        return m_faults;
    }

    /// @param what is wrong @return that, with the type and the node
    std::invalid_argument Complaint(const std::string& what) const;

    /// @throw std::invalid_argument before Install()
    void RequireInstalled() const;

    /// @throw std::invalid_argument before Install(), and if another rank runs the node
    void RequireOwnRank() const;

    /// @param callback is told what happens on a connection from now on
    void SetCallback(fabric::ConnectionId connection, const EventCallback& callback)
    {
        m_callbacks[connection] = callback;
    }

    /// Passes an event on to who is to be told. @param event of the endpoint
    void Tell(const fabric::RdmaEvent& event);

    /// @param cause why a packet was discarded
    void Discard(const std::string& cause);

    /// @return whether marks of the network below are asked for
    bool UsesMarks() const;

    /// @return whether somebody wants to see packets that are sent
    bool TracesSent() const
    {
        return !m_txTrace.IsEmpty() || !m_txToTrace.IsEmpty();
    }

    /// @return whether somebody wants to see packets that are taken
    bool TracesTaken() const
    {
        return !m_rxTrace.IsEmpty() || !m_rxFromTrace.IsEmpty();
    }

    /// Shows a packet that is sent. @param peer whom it goes to @param time of it
    void TraceSent(const fabric::TransportPacket& packet, const Address& peer, Time time);

    /// Shows a packet that is taken. @param peer whom it comes from @param time of it
    void TraceTaken(const fabric::TransportPacket& packet, const Address& peer, Time time);

  private:
    /// Logs an event of a connection.
    void LogEvent(const fabric::RdmaEvent& event) const;

    using PacketTrace = TracedCallback<const fabric::TransportPacket&, Time>;
    using PeerPacketTrace = TracedCallback<const fabric::TransportPacket&, const Address&, Time>;

    PacketTrace m_txTrace;                            ///< Packets sent.
    PacketTrace m_rxTrace;                            ///< Packets taken.
    PeerPacketTrace m_txToTrace;                      ///< Packets sent, with whom they go to.
    PeerPacketTrace m_rxFromTrace;                    ///< Packets taken, with whom they come from.
    Ptr<Node> m_node;                                 ///< Of the host.
    std::unique_ptr<fabric::RdmaEndpoint> m_endpoint; ///< The engines.
    fabric::FaultInjector m_faults;                   ///< In front of them.
    std::map<std::string, uint64_t> m_discarded;      ///< Packets that it never saw.
    std::map<fabric::ConnectionId, EventCallback> m_callbacks; ///< By own connection.
    EventCallback m_listener;                                  ///< Of peers' connections.
};

} // namespace ns3

#endif // FABRIC_TRANSPORT_H
