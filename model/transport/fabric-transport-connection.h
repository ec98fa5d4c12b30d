/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_CONNECTION_H
#define FABRIC_TRANSPORT_CONNECTION_H

#include "fabric-connection-handshake.h"
#include "fabric-connection-reports.h"
#include "fabric-connection-terms.h"
#include "fabric-packet-delivery.h"
#include "fabric-send-planner.h"
#include "fabric-transport-initiator.h"
#include "fabric-transport-shared.h"
#include "fabric-transport-target.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace ns3::fabric
{

/**
 * One connection (RT-1): brings the requests of initiator and target over the sliding windows of
 * the delivery, while the handshake lets it. No part changes another; what one decides is handed on
 * here.
 */
class TransportConnection
{
  public:
    /// @param shared of the endpoint
    explicit TransportConnection(TransportShared& shared);
    TransportConnection(const TransportConnection&) = delete;            ///< Stays where it is.
    TransportConnection& operator=(const TransportConnection&) = delete; ///< Stays where it is.

    // ---- set-up and tear-down ----

    /**
     * The own ULP opens it.
     *
     * @param peer whom to
     * @param settings the ULP's
     */
    void Connect(ConnectionId cid,
                 PeerAddress peer,
                 const ConnectionSettings& settings,
                 TimePs now);

    /**
     * A peer opens it.
     *
     * @param initiator number of the peer among all peers
     * @param packet its CONNECT, see ConnectionTerms::AreValid()
     */
    void Accept(ConnectionId cid,
                uint32_t initiator,
                PeerAddress peer,
                const TransportPacket& packet,
                TimePs now);

    /// @return whether it is over, and its place is free
    bool IsGone() const
    {
        return m_handshake.State() == ConnectionState::FREE;
    }

    /// @return how it is named and what was agreed on
    const ConnectionTerms& Terms() const
    {
        return m_terms;
    }

    /// @param initiator number of the peer among all peers
    void SetInitiator(uint32_t initiator)
    {
        m_terms.initiator = initiator;
    }

    /// CONNECT has come again: so has ACCEPT to be sent.
    void RepeatAccept()
    {
        m_handshake.RepeatAccept();
    }

    /// The ULP wants to leave.
    void Close(TimePs now)
    {
        m_handshake.Close();
        TryLeave(now);
    }

    /**
     * Ends it.
     *
     * @param status of its requests
     * @param rsn the one that is at fault; nothing if it is none of them
     * @param tellPeer whether RESET is sent
     */
    void Fail(TransportStatus status, std::optional<RequestId> rsn, bool tellPeer, TimePs now);

    /// The peer says that it does not know this connection.
    void PeerDoesNotKnow(TimePs now);

    // ---- the ULPs ----

    /// @return whether the ULP may make requests
    bool CanRequest() const
    {
        return m_handshake.TakesRequests();
    }

    /**
     * A new request.
     *
     * @param operation push or pull
     * @param tag the ULP's
     * @return its RSN; nothing if there is no room
     */
    std::optional<RequestId> Issue(UlpOperation operation,
                                   uint32_t bytes,
                                   uint64_t tag,
                                   TimePs now);

    /**
     * The target ULP's answer.
     *
     * @param rsn presented
     * @param retryAfter NOT_READY: when to present it again, ps from now
     * @return whether the request waited for an answer
     */
    bool Answer(RequestId rsn, UlpAnswer answer, TimePs now, TimePs retryAfter);

    /// @return initiator side: asks for what was pulled
    TransportInitiator& Initiator()
    {
        return m_initiator;
    }

    /// @return target side: presents requests, takes the ULP's data, and grants
    TransportTarget& Target()
    {
        return m_target;
    }

    // ---- packets and timers ----

    /// @param packet of the peer on this connection
    void Receive(const TransportPacket& packet, TimePs now);

    /**
     * Of a packet only the header has come: its payload was cut off on the way (FC-15). The peer is
     * told at once.
     *
     * @param packet of the peer on this connection
     */
    void ReceiveHeader(const TransportPacket& packet, TimePs now);

    /**
     * What switches have written on a packet that comes next, or says an ACK of another.
     *
     * @param packet of the peer on this connection
     */
    void TakeTelemetry(const TransportPacket& packet, const HopStack& stack, TimePs now)
    {
        m_delivery.TakeTelemetry(packet, stack, now);
    }

    /// The peer is to hear that its requests need credits, now that it may.
    void MeterPeer();

    /// @return whether the ULP may be told of something when it comes, peers' requests apart
    bool MayTell(const TransportPacket& packet) const;

    /// Runs the timers.
    void RunUntil(TimePs now);

    /**
     * @return when a timer is next that may end the connection, present a request again or tell the
     * peer again of an error, ps; NEVER if none runs
     */
    TimePs NextDeadline() const
    {
        const TimePs deadline = m_delivery.Deadline();
        const TimePs other = std::min(m_handshake.Deadline(), m_target.RetryTime());
        // While a packet is in flight it is too early for it: that packet would have to wait first.
        return std::min(other, deadline != NEVER ? deadline : StallTime());
    }

    /// @return when a timer is next that only lets it send, ps; NEVER if none
    TimePs NextSend(TimePs now) const
    {
        return std::min(m_planner.NextTime(m_delivery, now), m_initiator.AskDeadline());
    }

    /// Joins the scheduler's classes in which there is something to send, and asks to be presented.
    void Schedule(TimePs now);

    /**
     * @param txClass the scheduler's choice
     * @param packet an ACK; gets what is sent
     * @return whether there is something to send in this class after all
     */
    bool Send(TxClass txClass, TransportPacket& packet, TimePs now);

    // ---- to look at ----

    /// @return what can be seen
    ConnectionView View(TimePs now) const;

  private:
    /// A time-out is over: it begins anew if the fabric holds packets back.
    void PutOffWhileRestrained(TimePs now);
    /// Has a name from now on, and proposes terms.
    void Begin(ConnectionId cid,
               PeerAddress peer,
               const ConnectionSettings& settings,
               bool isOrdered);

    /// Terms are agreed on. @param packet CONNECT or ACCEPT of the peer, with valid terms
    void Agree(const TransportPacket& packet);

    /// It ends as it should.
    void Leave(TimePs now);

    /// All that it holds is given back.
    void Abandon();

    /// Sees whether it is time to leave.
    void TryLeave(TimePs now);

    /// @return whether something is under way and only the peer can go on with it
    bool IsWaitingForPeer() const
    {
        return (m_initiator.Outstanding() > 0 || m_target.Unfinished() > 0) &&
               m_delivery.Requests().Span() == 0 && m_delivery.Data().Span() == 0;
    }

    /// @return when it is given up if the wire takes nothing, of any connection, until then, ps;
    /// NEVER if there is nothing to send
    TimePs StallTime() const
    {
        return m_planner.HasWork() ? m_shared.waitsSince + m_shared.settings.LongestStall() : NEVER;
    }

    void OnAccept(const TransportPacket& packet, TimePs now);   ///< The peer accepts.
    void OnAnswer(const TransportPacket& packet, TimePs now);   ///< An answer to CONNECT.
    void OnNack(const TransportPacket& packet, TimePs now);     ///< Something is not done.
    void OnNotReady(const TransportPacket& packet, TimePs now); ///< The target ULP is not ready.
    void OnCredit(const TransportPacket& packet);               ///< Of entries of the CAM.
    void OnWindowed(const TransportPacket& packet, TimePs now); ///< A packet with a PSN.

    /// @return whether the packet's ACKs made sense; what they acknowledge is retired
    bool TakeAcks(const TransportPacket& packet, TimePs now);

    /// @return whether the request that a packet belongs to takes it
    Admission Admit(const TransportPacket& packet) const;

    /// @return whether the packet is acknowledged on receipt
    bool Deliver(const TransportPacket& packet, TimePs now);

    /// @return the units that may have something to send
    SendSources Sources() const
    {
        return {m_handshake, m_delivery, m_initiator, m_target};
    }

    /// Tells the peer of entries of the CAM, or asks it for some.
    void TellCredit(TimePs now);

    /// Writes CONNECT, ACCEPT, CLOSE or a probe.
    void SendControl(TransportPacket& packet, TimePs now);

    // In the order of their use, so that what a packet needs shares cache lines.
    TransportShared& m_shared;       ///< Of the endpoint.
    ConnectionHandshake m_handshake; ///< Set-up and tear-down.
    SendPlanner m_planner;           ///< What is sent next.
    ConnectionTerms m_terms;         ///< Agreed on.
    PacketDelivery m_delivery;       ///< Windows.
    TransportInitiator m_initiator;  ///< Own requests.
    TransportTarget m_target;        ///< The peer's requests.
    ConnectionReports m_reports;     ///< What ULP and peer are told.
    SolicitationRule m_solicitation; ///< The ULP's.
};

static_assert(sizeof(TransportConnection) <= 14 * 64, "a packet touches most of its lines");

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_CONNECTION_H
