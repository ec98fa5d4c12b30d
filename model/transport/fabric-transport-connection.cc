/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-connection.h"

#include <algorithm>

namespace ns3::fabric
{

// ---- set-up and tear-down ----

TransportConnection::TransportConnection(TransportShared& shared)
    : m_shared(shared),
      m_delivery(shared.delivery),
      m_initiator(shared.initiators, m_terms),
      m_target(shared.targets, m_terms),
      m_reports(shared.events, shared.replies, m_terms)
{
}

void
TransportConnection::Begin(ConnectionId cid,
                           PeerAddress peer,
                           const ConnectionSettings& settings,
                           bool isOrdered)
{
    m_terms.cid = cid;
    m_terms.peer = peer;
    m_terms.Propose(settings, isOrdered);
    m_solicitation = settings;
    m_delivery.Propose(settings, peer);
}

void
TransportConnection::Agree(const TransportPacket& packet)
{
    m_terms.Agree(packet.offer);
    m_delivery.Open(m_terms, packet);
    if (packet.offer.needsCredit)
    {
        m_initiator.Meter(FIRST_CREDITS[packet.offer.firstCredit % FIRST_CREDITS.size()]);
    }
    m_initiator.Open();
}

void
TransportConnection::Connect(ConnectionId cid,
                             PeerAddress peer,
                             const ConnectionSettings& settings,
                             TimePs now)
{
    Begin(cid, peer, settings, settings.isOrdered);
    m_target.Begin();
    m_handshake.Connect();
    Schedule(now);
}

void
TransportConnection::Accept(ConnectionId cid,
                            uint32_t initiator,
                            PeerAddress peer,
                            const TransportPacket& packet,
                            TimePs now)
{
    Begin(cid, peer, m_shared.accepted, packet.offer.isOrdered);
    SetInitiator(initiator);
    Agree(packet);
    m_target.Begin();
    m_handshake.Accept();
    Schedule(now);
}

void
TransportConnection::OnAccept(const TransportPacket& packet, TimePs now)
{
    if (m_handshake.State() != ConnectionState::CONNECTING)
    {
        m_delivery.ForceAck(); // the confirmation was lost
        return;
    }
    if (!ConnectionTerms::AreValid(packet.offer))
    {
        ++m_shared.counters.malformed;
        return;
    }
    Agree(packet);
    m_target.Agree();
    m_handshake.Open();
    m_delivery.HearAnswer(now);
    m_delivery.ForceAck();
    m_reports.Tell(UlpEventType::CONNECTED, TransportStatus::OK, now);
}

void
TransportConnection::TryLeave(TimePs now)
{
    if (m_handshake.TryLeave(m_initiator.Outstanding() == 0))
    {
        m_reports.Closed();
        Leave(now);
    }
}

void
TransportConnection::Leave(TimePs now)
{
    m_reports.Tell(UlpEventType::CLOSED, TransportStatus::OK, now);
    Abandon();
}

void
TransportConnection::Fail(TransportStatus status,
                          std::optional<RequestId> rsn,
                          bool tellPeer,
                          TimePs now)
{
    if (tellPeer)
    {
        m_reports.Reset(status);
    }
    m_initiator.Fail(status, rsn, now);
    if (m_handshake.State() != ConnectionState::ACCEPTING)
    {
        m_reports.Tell(UlpEventType::FAILED, status, now);
    }
    Abandon();
}

void
TransportConnection::PeerDoesNotKnow(TimePs now)
{
    // While closing, the peer has left and its CLOSED was lost.
    m_handshake.State() == ConnectionState::CLOSING
        ? Leave(now)
        : Fail(TransportStatus::BAD_CID, std::nullopt, false, now);
}

void
TransportConnection::Abandon()
{
    m_delivery.Abandon();
    m_target.Abandon();
    m_handshake.End();
}

// ---- the ULPs ----

std::optional<RequestId>
TransportConnection::Issue(UlpOperation operation, uint32_t bytes, uint64_t tag, TimePs now)
{
    const TransportPath& path = m_delivery.Path();
    const bool isSolicited =
        m_solicitation.Solicits(bytes, path.UsedWindow(now), path.LargestWindow());
    return m_initiator.Issue(operation, bytes, tag, isSolicited, now);
}

bool
TransportConnection::Answer(RequestId rsn, UlpAnswer answer, TimePs now, TimePs retryAfter)
{
    const TimePs wait = answer == UlpAnswer::ERROR ? m_delivery.AnswerWait() : retryAfter;
    const TimePs until = now + std::max<TimePs>(wait, 1);
    const TransportTarget::Outcome outcome = m_target.Answer(rsn, answer, until);
    if (outcome.acknowledge)
    {
        m_delivery.AcknowledgeData(*outcome.acknowledge, now);
    }
    if (outcome.nack != NackCode::NONE)
    {
        m_reports.Nack(outcome.nack, outcome.about);
    }
    return outcome.isValid;
}

// ---- timers ----

void
TransportConnection::RunUntil(TimePs now)
{
    if (m_delivery.Deadline() <= now)
    {
        PutOffWhileRestrained(now);
    }
    if (const std::optional<OutstandingPacket> packet = m_delivery.Expire(now))
    {
        // An answer's or grant's RSN is the peer's, not one of the own requests.
        Fail(TransportStatus::RETRY_LIMIT,
             packet->IsOfOwnRequest() ? std::optional<RequestId>(packet->rsn) : std::nullopt,
             true,
             now);
        return;
    }
    m_target.RunUntil(now, m_delivery.AnswerWait(), [this](const TransportPiece& about) {
        m_reports.Nack(NackCode::IN_ERROR, about);
    });
    if (StallTime() <= now ||
        (m_handshake.Deadline() <= now &&
         !m_handshake.Expire(IsWaitingForPeer(), m_shared.settings.retryLimit)))
    {
        Fail(TransportStatus::RETRY_LIMIT, std::nullopt, true, now);
    }
}

void
TransportConnection::PutOffWhileRestrained(TimePs now)
{
    const RestraintSource* restraints = m_shared.delivery.restraints;
    const TimePs until = restraints ? restraints->RestrainedUntil(PlaceOf(m_terms.cid), now) : now;
    if (until > now)
    {
        m_delivery.PutOff(until, now);
    }
}

// ---- packets that go ----

void
TransportConnection::Schedule(TimePs now)
{
    const uint32_t place = PlaceOf(m_terms.cid);
    m_handshake.WatchPeer(IsWaitingForPeer(), now + m_shared.settings.probeInterval);
    uint32_t left = m_planner.Work(Sources(), now);
    if (left != 0 && m_shared.scheduler.IsIdle())
    {
        m_shared.waitsSince = now; // nobody had something to send before
    }
    for (; left != 0; left &= left - 1)
    {
        m_shared.scheduler.Add(static_cast<TxClass>(__builtin_ctz(left)), place);
    }
    if ((m_target.IsCreditDue() || m_initiator.IsMetered()) && m_handshake.CarriesPackets())
    {
        TellCredit(now);
    }
    if (m_target.Announce())
    {
        m_reports.Tell(UlpEventType::REQUEST, TransportStatus::OK, now);
    }
}

bool
TransportConnection::Send(TxClass txClass, TransportPacket& packet, TimePs now)
{
    if (!m_planner.HasWork(txClass, Sources(), now))
    {
        return false; // meanwhile another packet has taken its place, or said what it would
    }
    packet.cid = m_terms.peerCid;
    switch (txClass)
    {
    case TxClass::CONTROL:
        SendControl(packet, now);
        return true;
    case TxClass::ACK:
        m_delivery.SendAck(packet, now);
        return true;
    case TxClass::RESEND:
        m_delivery.SendAgain(packet, now);
        break;
    case TxClass::GRANT:
        m_delivery.SendNew(m_target.TakeGrant(), packet, now);
        break;
    case TxClass::REQUEST:
        m_delivery.SendNew(m_initiator.TakeRequest(), packet, now);
        break;
    case TxClass::DATA:
        m_delivery.SendNew(m_planner.TakeTurn(Sources(), now) ? m_target.TakeResponse()
                                                              : m_initiator.TakeData(),
                           packet,
                           now);
        break;
    }
    m_initiator.Complete(packet);
    return true;
}

void
TransportConnection::SendControl(TransportPacket& packet, TimePs now)
{
    const ConnectionState state = m_handshake.State();
    m_handshake.Send(now + m_delivery.Path().Rto(m_handshake.Retries()));
    if (state == ConnectionState::OPEN)
    {
        packet.isProbe = true;
        m_delivery.SendAck(packet, now);
        return;
    }
    if (state == ConnectionState::CLOSING)
    {
        packet.Become(TransportPacketType::CLOSE);
        packet.offer.sourceCid = m_terms.cid;
        m_delivery.RideOn(packet, now);
        return;
    }
    m_delivery.Greet(now);
    packet.Become(state == ConnectionState::CONNECTING ? TransportPacketType::CONNECT
                                                       : TransportPacketType::ACCEPT);
    packet.requestBase = m_delivery.Requests().Base();
    packet.dataBase = m_delivery.Data().Base();
    m_terms.WriteTo(packet);
    packet.offer.needsCredit = !m_target.IsTrusted();
    packet.offer.firstCredit = m_target.FirstCredit();
}

ConnectionView
TransportConnection::View(TimePs now) const
{
    ConnectionView view;
    view.isOpen = m_handshake.State() == ConnectionState::OPEN && m_handshake.IsWanted();
    view.isOrdered = m_terms.isOrdered;
    view.peer = m_terms.peer;
    view.peerCid = m_terms.peerCid;
    view.requestsInFlight = m_delivery.Requests().InFlight();
    view.dataInFlight = m_delivery.Data().InFlight();
    view.outstanding = m_initiator.Outstanding();
    view.peerRequests = m_target.Unfinished();
    view.peerEntries = m_target.Entries();
    view.congestionWindow = m_delivery.Path().Window();
    view.rate = m_delivery.Path().Rate(now);
    view.peerWindow = m_delivery.Path().PeerWindow();
    view.smoothedRtt = m_delivery.Path().SmoothedRtt();
    view.rto = m_delivery.Path().Rto(0);
    return view;
}

} // namespace ns3::fabric
