/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NIC_TRANSPORT_H
#define FABRIC_NIC_TRANSPORT_H

#include "fabric-agenda.h"
#include "fabric-connect-at-once.h"
#include "fabric-hop-counter.h"
#include "fabric-nic-engine.h"
#include "fabric-repeating-event.h"
#include "fabric-ring.h"
#include "fabric-timed-ring.h"
#include "fabric-transport.h"

#include <map>
#include <vector>

namespace ns3
{

class FabricNetDevice;
class FabricNetwork;

/**
 * The reliable transport of a node in the NIC of its FabricNetDevice (RT-15, DP-4): it runs in the
 * NIC's clock, and there is no ns-3 event for a packet, an acknowledgement or a timer. An
 * application is told of what happened CompletionLatency later; see
 * doc/design/009-transport-in-the-nic.md.
 */
class FabricNicTransport : public FabricTransport,
                           private fabric::NicEngine,
                           private fabric::Alarm,
                           private fabric::HopCounter,
                           private fabric::RestraintSource
{
  public:
    static TypeId GetTypeId();
    FabricNicTransport();
    ~FabricNicTransport() override;

    /**
     * Puts the transport into the first FabricNetDevice of a node. Its settings are fixed from now
     * on.
     *
     * @param node of the host; its device has a link
     * @throw std::invalid_argument if a setting is out of its range, there is no such device,
     * CongestionControl is `marks` or `dcqcn` and no switch marks frames of TrafficClass, or it is
     * `hpcc` and a switch has no Telemetry, or packets take any of several ways
     */
    void Install(Ptr<Node> node);

    /**
     * Puts the transport into a device, and aggregates it to the node of that; to the device if the
     * node has one in another device.
     *
     * @param device of a host, with a link
     * @throw std::invalid_argument as Install() of a node
     */
    void Install(Ptr<FabricNetDevice> device);

    /// @return the device in whose NIC it is, null before Install()
    Ptr<FabricNetDevice> GetDevice() const;

    /**
     * Opens a connection at once: both ends have agreed on it by other means than the fabric, as
     * queue pairs of RDMA are opened by a connection manager. No packet of set-up is sent, and
     * operations may be posted. On several ranks of MPI all ranks open all such connections, in
     * one order: each has both ends, of which one on another rank does nothing here.
     *
     * @param target the transport of the peer, in the same fabric; has nothing to send, as this
     * @param isOrdered whether requests and completions keep their order (RT-10)
     * @param trafficClass traffic class of frames in both directions
     * @param callback is told what happens on the connection
     * @return the connection; NO_CONNECTION if either end has as many as it can have, or the peer
     * accepts none
     * @throw std::invalid_argument if the peer is no other host of this fabric, the MTU is above
     * the device's, switches treat the class in another way than TrafficClass, an end has
     * something to send, or time has passed and there are several ranks
     */
    fabric::ConnectionId ConnectAtOnce(FabricNicTransport& target,
                                       bool isOrdered,
                                       uint8_t trafficClass,
                                       EventCallback callback);

    /// @return traffic class of its frames, but of connections that were opened with another
    uint8_t GetTrafficClass() const
    {
        return m_trafficClass;
    }

  private:
    void DoDispose() override;
    /// As Install(), after SetNode(). @param device in whose NIC it will be, or null
    void InstallIn(Ptr<FabricNetDevice> device);
    fabric::PeerAddress PeerOf(const Address& remote) override;
    uint32_t RoomTo(const Address& remote) override;
    void Begin() override;
    void End() override;

    // What the NIC asks, in its clock.
    fabric::TimePs NextTime() const override;
    void Handle(fabric::TimePs at) override;
    std::optional<fabric::EnginePacket> NextPacket(fabric::TimePs now) override;
    void StopQueue(uint32_t queue) override;
    void ResumeQueue(uint32_t queue) override;
    void Arrive(const fabric::Frame& frame) override;
    fabric::TimePs NextReport(fabric::TimePs next) const override;
    fabric::TimePs ReportDelay() const override;
    void Fetch(uint32_t step) const override;
    void WakeBy(fabric::TimePs time) override;

    uint32_t HopsTo(fabric::PeerAddress peer) const override;
    fabric::TimePs RestrainedUntil(uint32_t place, fabric::TimePs now) const override;

    /// A packet on the link to the NIC, or held back by the fault injector.
    struct Arrival
    {
        fabric::TimePs at;         ///< When it is in, ps.
        uint32_t handle;           ///< Of the packet.
        fabric::LocationId source; ///< Sender.
        fabric::LocationId owner;  ///< In whose table it is: the sender's; a copy is the own.
        bool isCorrupt;            ///< Damaged by the fault injector.
        bool isMarked;             ///< By a switch (RT-14).
        bool isTrimmed;            ///< By a switch: the header alone has come (FC-15).
    };

    /// An arrival of which the host may be told.
    struct Telling
    {
        fabric::TimePs at; ///< ps.
    };

    /// The NIC's queue to a peer.
    struct Route
    {
        fabric::PeerAddress peer; ///< Address of it.
        uint32_t queue;           ///< Number of the queue, plus 1; 0 for none yet.
    };

    /// An event of which the host learns later.
    struct Report
    {
        fabric::TimePs at;       ///< When it learns, ps.
        fabric::RdmaEvent event; ///< What happened.
    };

    /**
     * A packet is not needed any more.
     *
     * @param owner in whose table it is
     */
    void Forget(fabric::LocationId owner, uint32_t handle);
    /// @return the packet
    const fabric::TransportPacket& PacketOf(const Arrival& arrival) const;
    /// Takes a packet. @param at the NIC's time, ps
    void Take(const Arrival& arrival, fabric::TimePs at);
    /// @return whether a switch sends packets of a traffic class by several ways
    static bool Sprays(const FabricNetwork& network, uint8_t trafficClass);
    /// @throw std::invalid_argument if it wants marks, and no switch of the fabric makes any
    void RequireMarks(uint8_t trafficClass) const;
    /// @throw std::invalid_argument if it wants telemetry, and a switch of the fabric gives none
    void RequireTelemetry() const;
    /// A packet is put into the table of those under way. @return its handle
    uint32_t Put(const fabric::OutgoingPacket& packet);
    /// @throw std::invalid_argument if it can't have connections of the class
    void RequireClass(uint8_t trafficClass) const;
    /// @param trafficClass of frames of a connection from now on
    void SetClass(fabric::ConnectionId connection, uint8_t trafficClass);
    /// @return the own end of a connection that is opened at once
    fabric::ConnectionEnd OwnEnd();
    /// Users' callbacks are for the main thread. @throw std::invalid_argument with other threads
    void RequireOneThread() const;
    /// Plans the calls for what has happened. @param now the NIC's time, ps
    void CollectEvents(fabric::TimePs now);
    /// The host learns of what has happened.
    void TellHost();
    /// The NIC has to be run.
    void RunNic();
    /// @return the NIC's queue of a packet @param packet that is sent
    uint32_t QueueOf(const fabric::OutgoingPacket& packet);
    /// Calls a function with the place of each connection whose packets go by a queue.
    template <typename Visit>
    void ForPlacesOf(uint32_t queue, Visit&& visit) const;
    /// @return the NIC's queue of a peer, looked up
    uint32_t LookUpQueue(fabric::PeerAddress peer, uint8_t trafficClass);

    FabricNetwork* m_network{nullptr};     ///< Of the device.
    uint32_t m_telemetry{0};               ///< HPCC: bytes of it in headers that have any.
    Ptr<FabricNetDevice> m_device;         ///< Has the NIC.
    uint8_t m_trafficClass;                ///< `TrafficClass`
    fabric::TimePs m_latency;              ///< `CompletionLatency`, ps.
    bool m_holdsTimeOuts;                  ///< `HoldTimeOuts`
    std::vector<Route> m_routes;           ///< By place of the connection.
    std::map<uint32_t, uint8_t> m_classes; ///< Of places whose class is not `TrafficClass`.
    /// By number of the queue: places of connections that go, or once went, by it.
    std::vector<std::vector<uint32_t>> m_places;
    mutable std::vector<uint32_t> m_hops;  ///< To each switch from here; empty before it is asked.
    fabric::TimedRing<Arrival> m_arriving; ///< Not handled yet.
    fabric::TimedRing<Telling> m_telling;  ///< Those of which the host may be told.
    fabric::Ring<Report> m_reports;        ///< By time.
    fabric::TimePs m_lastReport{-1};       ///< Planned, ps.
    fabric::TimePs m_ranUntil{0};          ///< The NIC was run up to then, ps.
    std::unique_ptr<fabric::RepeatingEvent> m_wakeEvent; ///< Runs it.
};

} // namespace ns3

#endif // FABRIC_NIC_TRANSPORT_H
