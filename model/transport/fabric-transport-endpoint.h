/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_ENDPOINT_H
#define FABRIC_TRANSPORT_ENDPOINT_H

#include "fabric-connection-table.h"
#include "fabric-connection-timers.h"
#include "fabric-lookup-pipeline.h"
#include "fabric-transport-connection.h"
#include "fabric-transport-shared.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace ns3::fabric
{

/**
 * The reliable transport of one NIC: all its connections, the pools that they share, the TX
 * scheduler and the timers. It has no clock: each call says what time it is, and times never go
 * back.
 *
 * The owner
 * - hands over what comes from the wire with Receive();
 * - asks NextPacket() whenever the wire is free and HasPacket() is true;
 * - calls RunUntil(t) at t = NextTime();
 * - takes events with NextEvent() after each of these, and answers requests.
 */
class TransportEndpoint
{
  public:
    /**
     * @param settings the user's
     * @param accepted what is chosen of connections that peers open; whether they are ordered is
     * the peer's choice, of the other values the smaller of both ends' is taken
     * @throw std::invalid_argument if a setting is out of its range
     */
    explicit TransportEndpoint(const TransportSettings& settings,
                               const ConnectionSettings& accepted = ConnectionSettings());
    TransportEndpoint(const TransportEndpoint&) = delete;            ///< Not copied.
    TransportEndpoint& operator=(const TransportEndpoint&) = delete; ///< Not copied.

    /// @param hops knows how far away peers are; outlives the endpoint
    void CountHopsWith(const HopCounter& hops)
    {
        m_shared.delivery.path.hops = &hops;
    }

    /// @param restraints knows which connections the fabric holds back; outlives the endpoint
    void AskForRestraints(const RestraintSource& restraints)
    {
        m_shared.delivery.restraints = &restraints;
    }

    /**
     * Opens a connection (RT-1). Requests may be made at once; they go out when it is open.
     *
     * @param peer whom to
     * @return the own CID; NO_CONNECTION if there are maxConnections already
     * @throw std::invalid_argument if a setting is out of its range
     */
    ConnectionId Connect(PeerAddress peer, const ConnectionSettings& settings, TimePs now);

    /**
     * Closes a connection when all its requests are complete. No further ones are taken.
     *
     * @return whether there is such a connection
     */
    bool Close(ConnectionId cid, TimePs now);

    /**
     * Ends a connection at once (RT-18): its requests complete with CONNECTION_RESET, the peer is
     * told.
     *
     * @return whether there is such a connection
     */
    bool Reset(ConnectionId cid, TimePs now);

    /**
     * pushReq (RT-2).
     *
     * @param bytes to push, 0 to 2^31 - 1
     * @param tag any number; the target ULP sees it
     * @return the request's RSN; nothing if there is no room (an event ROOM follows) or no such
     * connection that takes requests (see CanRequest())
     */
    std::optional<RequestId> Push(ConnectionId cid, uint32_t bytes, TimePs now, uint64_t tag = 0)
    {
        return Issue(cid, UlpOperation::PUSH, bytes, tag, now);
    }

    /// pullReq (RT-2). @copydetails Push()
    std::optional<RequestId> Pull(ConnectionId cid, uint32_t bytes, TimePs now, uint64_t tag = 0)
    {
        return Issue(cid, UlpOperation::PULL, bytes, tag, now);
    }

    /// @return whether the connection is there and takes requests, room apart
    bool CanRequest(ConnectionId cid) const;

    /**
     * The target ULP's answer to a presented request.
     *
     * @param rsn the peer's
     * @param retryAfter NOT_READY: when the request is to be presented again, ps from now
     * @return false if there is no such connection (it may have failed meanwhile) or no such
     * request that waits for an answer
     */
    bool AckRequest(ConnectionId cid,
                    RequestId rsn,
                    UlpAnswer answer,
                    TimePs now,
                    TimePs retryAfter = 0);

    /**
     * The target ULP's pullResp: the data of a presented pull goes out.
     *
     * @param rsn the peer's
     * @return as AckRequest()
     */
    bool Respond(ConnectionId cid, RequestId rsn, TimePs now);

    /**
     * @param packet came from the wire; whatever it says, it does no worse than be discarded
     * @param peer whom it came from
     */
    void Receive(const TransportPacket& packet, PeerAddress peer, TimePs now)
    {
        m_lookups.IsOn() ? LookUp(packet, peer, now) : Take(packet, peer, now);
    }

    /**
     * A packet has come by other means than the wire: no CAM looks it up.
     *
     * @copydetails Receive()
     */
    void ReceiveAtOnce(const TransportPacket& packet, PeerAddress peer, TimePs now)
    {
        Take(packet, peer, now);
    }

    /**
     * Of a packet only the header has come (FC-15). It needs no look-up in a CAM.
     *
     * @copydetails Receive()
     */
    void ReceiveHeader(const TransportPacket& packet, PeerAddress peer, TimePs now);

    /**
     * Telemetry of a packet, of which Receive() tells next (HPCC). It needs no look-up in a CAM.
     *
     * @param packet came from the wire
     * @param stack what switches have written on it, or on the one that it is an ACK of
     */
    void TakeTelemetry(const TransportPacket& packet,
                       PeerAddress peer,
                       const HopStack& stack,
                       TimePs now);

    /// @return whether NextPacket() may have something to send now
    bool HasPacket() const
    {
        return !m_shared.replies.IsEmpty() || (m_shared.scheduler.Waiting() & Allowed()) != 0;
    }

    /**
     * The TX scheduler's choice (RT-13), for when the wire is free.
     *
     * @return what to send; nothing if nothing can be sent now
     */
    std::optional<OutgoingPacket> NextPacket(TimePs now);

    /// Packets of a connection can't go for now. @param place of it, see OutgoingPacket
    void Stop(uint32_t place)
    {
        m_shared.scheduler.Stop(place);
    }

    /// They can again. @param place of the connection
    void Resume(uint32_t place)
    {
        m_shared.scheduler.Resume(place);
    }

    /// @return the next time at which a timer, pacing or coalescing has something to do; NEVER if
    /// none
    TimePs NextTime() const
    {
        return std::min(m_timers.Next(), m_lookups.Next());
    }

    /// @return the next time at which a timer may end a connection or present a request again;
    /// NEVER if none. Of the others of NextTime() no ULP is told
    TimePs NextDeadline() const
    {
        return std::min(m_timers.NextDeadline(), m_lookups.Next());
    }

    /**
     * Looks ahead. What it says holds until the packet has come, whatever comes before it and
     * whatever is asked for: only what has been sent can be acknowledged.
     *
     * @return whether the ULP may be told of something when it comes, peers' requests apart
     */
    bool MayTell(const TransportPacket& packet) const
    {
        const TransportConnection* connection = m_connections.Find(packet.cid);
        return connection == nullptr || m_lookups.IsOn() || connection->MayTell(packet);
    }

    /// @param now all timers up to this time are run, ps
    void RunUntil(TimePs now);

    /// @return the oldest event that was not taken yet
    std::optional<UlpEvent> NextEvent();

    /// @return what was counted so far
    const TransportCounters& Counters() const
    {
        return m_shared.counters;
    }

    /// @return how full the shared tables are and have been
    TransportOccupancy Occupancy() const;

    /// @return what is known of the connection as of the last step; nothing if there is none
    std::optional<ConnectionView> View(ConnectionId cid) const
    {
        return View(cid, m_now);
    }

    /// @param now not before the last step: a rate has changed since, ps @copydoc View()
    std::optional<ConnectionView> View(ConnectionId cid, TimePs now) const;

    /// @return the number of connections in any state
    uint32_t Connections() const
    {
        return m_connections.Size();
    }

    /// Fetches the connections, if there are few, which are needed soon. This was fetched before.
    void FetchConnections() const
    {
        m_connections.Fetch();
    }

  private:
    /// A new request.
    std::optional<RequestId> Issue(ConnectionId cid,
                                   UlpOperation operation,
                                   uint32_t bytes,
                                   uint64_t tag,
                                   TimePs now);

    /// After a call for a connection: what it has to send, its timers, its end, what others may do
    /// now.
    void Settle(TransportConnection& connection, TimePs now);

    /// Puts a connection into the scheduler and the timers, or frees its place.
    void Update(TransportConnection& connection, TimePs now);

    /// Grants what can be granted (RT-4).
    void Grant(TimePs now);

    /// Gives entries of the CAM to who waits for them (RT-11).
    void GiveCredits(TimePs now);

    /// A packet that has come is looked at.
    void Take(const TransportPacket& packet, PeerAddress peer, TimePs now);

    /// A packet that has come is looked up before it is looked at.
    void LookUp(const TransportPacket& packet, PeerAddress peer, TimePs now);

    /// Packets are looked at that were looked up by now.
    void TakeLookedUp(TimePs now);

    /// CONNECT has come.
    void OnConnect(const TransportPacket& packet, PeerAddress peer, TimePs now);

    /// A packet has come for a connection that is not here.
    void OnStranger(const TransportPacket& packet, PeerAddress peer);

    /// A peer does not know a CID.
    void OnBadCid(const TransportPacket& packet, PeerAddress peer, TimePs now);

    /// A packet for a connection that is here.
    void OnPacket(TransportConnection& connection, const TransportPacket& packet, TimePs now);

    /// @return classes that the tables of finite size let send, as bits of the scheduler
    uint8_t Allowed() const
    {
        uint8_t allowed = (1U << TX_CLASSES) - 1;
        if (!m_shared.delivery.packetEntries.Has(1))
        {
            allowed &= static_cast<uint8_t>(
                ~(TxScheduler::Bit(TxClass::GRANT) | TxScheduler::Bit(TxClass::DATA)));
        }
        else if (!m_shared.delivery.payload.Has(m_largestMtu))
        {
            allowed &= static_cast<uint8_t>(~TxScheduler::Bit(TxClass::DATA));
        }
        return allowed;
    }

    TransportShared m_shared;      ///< What the connections share.
    ConnectionTable m_connections; ///< By CID.
    ConnectionTimers m_timers;     ///< By place.
    LookupPipeline m_lookups;      ///< Packets that wait to be looked up.
    uint32_t m_lastMetered{0};     ///< Place of the last connection told to need credits.
    uint32_t m_largestMtu;         ///< Of all connections so far, bytes.
    TimePs m_now{0};               ///< Latest time heard of, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_ENDPOINT_H
