/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-connection.h"

#include "fabric-require.h"

#include <algorithm>

namespace ns3
{
namespace fabric
{

// ---- set-up and tear-down ----

TransportConnection::TransportConnection(TransportShared& shared)
    : m_shared(shared),
      m_initiator(shared, m_terms),
      m_target(shared, m_terms)
{
}

void
TransportConnection::Connect(ConnectionId cid,
                             PeerAddress peer,
                             const ConnectionSettings& settings,
                             TimePs now)
{
    m_settings = settings;
    m_terms.cid = cid;
    m_terms.peer = peer;
    SetTerms();
    m_terms.isOrdered = settings.isOrdered;
    OpenTransmitters(settings.firstRequestPsn, settings.firstDataPsn);
    m_state = State::CONNECTING;
    StartControl();
    Schedule(now);
}

void
TransportConnection::Accept(ConnectionId cid,
                            uint32_t initiator,
                            PeerAddress peer,
                            const TransportPacket& packet,
                            TimePs now)
{
    m_settings = m_shared.accepted;
    m_terms.cid = cid;
    m_terms.peer = peer;
    m_terms.initiator = initiator;
    SetTerms();
    m_terms.isOrdered = packet.isOrdered;
    Agree(packet.offer);
    OpenTransmitters(m_settings.firstRequestPsn, m_settings.firstDataPsn);
    OpenReceivers(packet);
    m_initiator.Open();
    m_state = State::ACCEPTING;
    StartControl();
    Schedule(now);
}

bool
TransportConnection::AreTermsValid(const TransportPacket& packet)
{
    const ConnectionOffer& offer = packet.offer;
    return offer.sourceCid != NO_CONNECTION && offer.sourceCid <= MAX_CONNECTION_ID &&
           offer.mtu >= 64 && offer.mtu <= JUMBO_PAYLOAD && offer.requestWindow >= 1 &&
           offer.requestWindow <= 64 && offer.dataWindow >= 1 &&
           offer.dataWindow <= PacketBitmap::BITS && offer.requestSpan >= 1 &&
           offer.requestSpan <= 4096;
}

void
TransportConnection::SetTerms()
{
    m_terms.mtu = m_settings.mtu;
    m_terms.requestWindow = static_cast<uint16_t>(m_settings.requestWindow);
    m_terms.dataWindow = static_cast<uint16_t>(m_settings.dataWindow);
    m_terms.requestSpan = static_cast<uint16_t>(m_settings.requestSpan);
}

void
TransportConnection::Agree(const ConnectionOffer& offer)
{
    m_terms.peerCid = offer.sourceCid;
    m_terms.mtu = std::min<uint32_t>(m_terms.mtu, offer.mtu);
    m_terms.requestWindow = std::min(m_terms.requestWindow, offer.requestWindow);
    m_terms.dataWindow = std::min(m_terms.dataWindow, offer.dataWindow);
    m_terms.requestSpan = std::min(m_terms.requestSpan, offer.requestSpan);
}

void
TransportConnection::OpenTransmitters(uint32_t requestPsn, uint32_t dataPsn)
{
    m_requests = RetransmissionEngine(requestPsn, m_terms.requestWindow);
    m_data = RetransmissionEngine(dataPsn, m_terms.dataWindow);
    m_congestion = m_shared.congestion->Start(m_terms.dataWindow, dataPsn);
}

void
TransportConnection::OpenReceivers(const TransportPacket& packet)
{
    m_requestsReceived = ReceiveWindow(packet.requestBase, m_terms.requestWindow);
    m_dataReceived = ReceiveWindow(packet.dataBase, m_terms.dataWindow);
}

void
TransportConnection::StartControl()
{
    m_isControlDue = true;
    m_controlRetries = 0;
    m_controlAt = NEVER;
}

void
TransportConnection::RepeatAccept()
{
    m_isControlDue = m_isControlDue || m_state == State::ACCEPTING;
}

bool
TransportConnection::CanRequest() const
{
    return (m_state == State::CONNECTING || m_state == State::OPEN) && !m_wantsClose &&
           !m_peerCloses;
}

void
TransportConnection::Tell(UlpEventType type, TransportStatus status, TimePs now)
{
    UlpEvent event;
    event.type = type;
    event.status = status;
    event.cid = m_terms.cid;
    event.peer = m_terms.peer;
    event.at = now;
    m_shared.events.Push(event);
}

void
TransportConnection::OnAccept(const TransportPacket& packet, TimePs now)
{
    if (m_state != State::CONNECTING)
    {
        m_ack.Force(); // the confirmation was lost
        return;
    }
    if (!AreTermsValid(packet))
    {
        ++m_shared.counters.malformed;
        return;
    }
    Agree(packet.offer);
    OpenTransmitters(m_settings.firstRequestPsn, m_settings.firstDataPsn);
    OpenReceivers(packet);
    m_initiator.Open();
    m_state = State::OPEN;
    m_isControlDue = false;
    m_controlAt = NEVER;
    m_ack.Force();
    Tell(UlpEventType::CONNECTED, TransportStatus::OK, now);
}

void
TransportConnection::Close(TimePs now)
{
    m_wantsClose = true;
    TryLeave(now);
}

void
TransportConnection::TryLeave(TimePs now)
{
    if ((m_state != State::OPEN && m_state != State::CLOSING) || m_initiator.Outstanding() > 0)
    {
        return;
    }
    if (m_peerCloses)
    {
        Reply(TransportPacket(TransportPacketType::CLOSED));
        Leave(now);
    }
    else if (m_wantsClose && m_state == State::OPEN)
    {
        m_state = State::CLOSING;
        StartControl();
    }
}

void
TransportConnection::Leave(TimePs now)
{
    Tell(UlpEventType::CLOSED, TransportStatus::OK, now);
    Abandon();
}

void
TransportConnection::Fail(TransportStatus status,
                          std::optional<RequestId> rsn,
                          bool tellPeer,
                          TimePs now)
{
    if (tellPeer && m_terms.peerCid != NO_CONNECTION)
    {
        TransportPacket reset(TransportPacketType::RESET);
        reset.status = status;
        Reply(reset);
    }
    m_initiator.Fail(status, rsn, now);
    if (m_state != State::ACCEPTING)
    {
        Tell(UlpEventType::FAILED, status, now);
    }
    Abandon();
}

void
TransportConnection::PeerDoesNotKnow(TimePs now)
{
    // While closing, the peer has left and its CLOSED was lost.
    m_state == State::CLOSING ? Leave(now)
                              : Fail(TransportStatus::BAD_CID, std::nullopt, false, now);
}

void
TransportConnection::Abandon()
{
    const auto giveBack = [this](const OutstandingPacket& packet) { GiveBack(packet); };
    m_requests.Abandon(m_shared.packetTables, giveBack);
    m_data.Abandon(m_shared.packetTables, giveBack);
    m_target.Abandon();
    m_state = State::FREE;
}

void
TransportConnection::Nack(NackCode code,
                          uint32_t psn,
                          uint32_t rsn,
                          uint32_t amount,
                          bool isRequestPsn)
{
    TransportPacket nack(TransportPacketType::NACK, code);
    nack.piece.psn = psn;
    nack.piece.rsn = rsn;
    nack.piece.amount = amount;
    nack.isRequestPsn = isRequestPsn;
    Reply(nack);
}

void
TransportConnection::Reply(TransportPacket packet)
{
    packet.cid = m_terms.peerCid;
    if (packet.HasOffer())
    {
        packet.offer.sourceCid = m_terms.cid;
    }
    m_shared.Reply(m_terms.peer, packet);
}

// ---- the ULPs ----

std::optional<RequestId>
TransportConnection::Issue(UlpOperation operation, uint32_t bytes, uint64_t tag, TimePs now)
{
    bool isSolicited = false;
    switch (m_settings.solicitation)
    {
    case Solicitation::NEVER:
        break;
    case Solicitation::ALWAYS:
        isSolicited = true;
        break;
    case Solicitation::CONGESTION:
        isSolicited = m_congestion.window < m_settings.solicitBelowWindow * m_congestion.limit;
        [[fallthrough]];
    case Solicitation::LENGTH:
        isSolicited = isSolicited || bytes > m_settings.solicitAbove;
        break;
    }
    return m_initiator.Issue(operation, bytes, tag, isSolicited, now);
}

bool
TransportConnection::Answer(RequestId rsn, UlpAnswer answer, TimePs now, TimePs retryAfter)
{
    TransportTarget::Outcome outcome;
    switch (answer)
    {
    case UlpAnswer::OK:
        outcome = m_target.Accept(rsn);
        break;
    case UlpAnswer::NOT_READY:
        outcome = m_target.Postpone(rsn, now + std::max<TimePs>(retryAfter, 1));
        break;
    case UlpAnswer::ERROR:
        outcome = m_target.Refuse(rsn);
        break;
    }
    if (outcome.acknowledge)
    {
        AcknowledgeData(*outcome.acknowledge, now);
    }
    if (outcome.notReady > 0)
    {
        Nack(NackCode::NOT_READY, 0, rsn, outcome.notReady);
    }
    if (outcome.inError)
    {
        Nack(NackCode::IN_ERROR, *outcome.inError, rsn);
    }
    return outcome.isValid;
}

bool
TransportConnection::Respond(RequestId rsn)
{
    return m_target.Respond(rsn).isValid;
}

bool
TransportConnection::Present(UlpEvent& event)
{
    m_isAnnounced = false;
    return m_target.Present(event);
}

// ---- packets that come ----

void
TransportConnection::Receive(const TransportPacket& packet, TimePs now)
{
    if (packet.type == TransportPacketType::ACCEPT)
    {
        OnAccept(packet, now);
        TryLeave(now);
        return;
    }
    if (m_state == State::CONNECTING)
    {
        if (packet.type == TransportPacketType::REFUSE)
        {
            Fail(TransportStatus::REFUSED, std::nullopt, false, now);
            return;
        }
        ++m_shared.counters.malformed;
        return;
    }
    if (m_state == State::ACCEPTING)
    {
        m_state = State::OPEN;
        m_isControlDue = false;
        m_controlAt = NEVER;
        Tell(UlpEventType::ACCEPTED, TransportStatus::OK, now);
    }
    m_controlRetries = 0; // closing: the peer is there, it is not done yet
    switch (packet.type)
    {
    case TransportPacketType::ACK:
        TakeAcks(packet, now);
        if (packet.isProbe)
        {
            m_ack.Force();
        }
        TryLeave(now);
        return;
    case TransportPacketType::CLOSE:
        TakeAcks(packet, now);
        m_peerCloses = true;
        m_ack.Force(); // says that CLOSE has come, if CLOSED has to wait
        TryLeave(now);
        return;
    case TransportPacketType::CLOSED:
        OnClosed(now);
        return;
    case TransportPacketType::RESET:
        Fail(packet.status == TransportStatus::BAD_CID ? TransportStatus::BAD_CID
                                                       : TransportStatus::CONNECTION_RESET,
             std::nullopt,
             false,
             now);
        return;
    case TransportPacketType::NACK:
        OnNack(packet, now);
        return;
    case TransportPacketType::REFUSE:
        ++m_shared.counters.malformed;
        return;
    default:
        OnWindowed(packet, now);
        TryLeave(now);
        return;
    }
}

void
TransportConnection::OnClosed(TimePs now)
{
    if (m_state != State::CLOSING)
    {
        ++m_shared.counters.malformed;
        return;
    }
    Leave(now);
}

void
TransportConnection::OnNack(const TransportPacket& packet, TimePs now)
{
    switch (packet.nack)
    {
    case NackCode::NO_RESOURCE:
        OnRefusal(packet, now);
        return;
    case NackCode::NOT_READY:
        if (!m_initiator.IsOutstanding(packet.piece.rsn))
        {
            ++m_shared.counters.staleAcks; // it has become ready since
        }
        else if (packet.piece.amount > m_shared.settings.notReadyLimit)
        {
            Fail(TransportStatus::TARGET_NOT_READY, packet.piece.rsn, true, now);
        }
        return;
    case NackCode::IN_ERROR:
        if (m_initiator.OnError(packet.piece.rsn))
        {
            Nack(NackCode::ERROR_HEARD, packet.piece.psn, packet.piece.rsn);
        }
        else
        {
            ++m_shared.counters.staleAcks; // it is complete
        }
        return;
    case NackCode::ERROR_HEARD:
        if (m_target.IsInError(packet.piece.rsn, packet.piece.psn))
        {
            m_target.ErrorHeard(packet.piece.rsn);
            AcknowledgeData(packet.piece.psn, now);
        }
        return;
    default:
        ++m_shared.counters.malformed;
        return;
    }
}

void
TransportConnection::OnRefusal(const TransportPacket& packet, TimePs now)
{
    RetransmissionEngine& engine = packet.isRequestPsn ? m_requests : m_data;
    if (!engine.Refuse(packet.piece.psn, now + m_shared.settings.noResourceDelay))
    {
        ++m_shared.counters.staleAcks;
    }
    else if (!packet.isRequestPsn)
    {
        m_shared.congestion->OnLoss(m_congestion, now, Rtt());
    }
}

bool
TransportConnection::TakeAcks(const TransportPacket& packet, TimePs now)
{
    const AckBitmaps bitmaps = packet.HasBitmaps() ? packet.bitmaps : AckBitmaps();
    const PacketBitmap requestAcked(bitmaps.requestAcked, 0);
    const PacketBitmap& dataAcked = bitmaps.dataAcked;
    const AckVerdict requests = m_requests.Window().Judge(packet.requestBase, requestAcked);
    const AckVerdict data = m_data.Window().Judge(packet.dataBase, dataAcked);
    if (requests == AckVerdict::IMPOSSIBLE || data == AckVerdict::IMPOSSIBLE)
    {
        ++m_shared.counters.malformed;
        return false;
    }
    m_shared.counters.staleAcks += requests == AckVerdict::STALE || data == AckVerdict::STALE;
    uint32_t acked = 0;
    const auto retire = [&](uint32_t, const OutstandingPacket& outstanding) {
        ++acked;
        Retire(outstanding, now);
    };
    m_requests.Acknowledge(packet.requestBase, requestAcked, m_shared.packetTables, retire);
    acked = 0;
    m_data.Acknowledge(packet.dataBase, dataAcked, m_shared.packetTables, retire);
    TakeSignals(packet, acked, now);
    return true;
}

void
TransportConnection::TakeSignals(const TransportPacket& packet, uint32_t acked, TimePs now)
{
    CongestionSample sample;
    if (packet.echo >= 0 && packet.echo < now)
    {
        sample.rtt = now - packet.echo;
        m_rtt.Sample(sample.rtt);
    }
    const auto marks = static_cast<uint16_t>(packet.marksSeen - m_marksHeard);
    if (marks != 0 && marks < 0x8000)
    {
        sample.marked = marks;
        m_marksHeard = packet.marksSeen;
    }
    if (acked > 0 || sample.rtt > 0 || sample.marked > 0)
    {
        sample.now = now;
        sample.smoothedRtt = Rtt();
        sample.acked = acked;
        sample.base = m_data.Window().Base();
        sample.next = m_data.Window().Next();
        m_shared.congestion->OnAck(m_congestion, sample);
    }
    if (packet.type == TransportPacketType::ACK && TakeGaps(packet, now) > 0)
    {
        m_shared.congestion->OnLoss(m_congestion, now, Rtt());
    }
}

uint32_t
TransportConnection::TakeGaps(const TransportPacket& packet, TimePs now)
{
    const PacketBitmap& dataReceived = packet.bitmaps.dataReceived;
    if (!dataReceived.IsEmpty())
    {
        m_data.NoteReceived(packet.dataBase, dataReceived);
    }
    if (!m_shared.settings.resendsEarly)
    {
        return 0;
    }
    const uint32_t threshold = m_shared.settings.reorderThreshold;
    const TimePs sentBefore = now - Rtt();
    if (packet.bitmaps.requestAcked != 0)
    {
        m_requests.ResendGaps(packet.requestBase,
                              PacketBitmap(packet.bitmaps.requestAcked, 0),
                              threshold,
                              sentBefore);
    }
    return dataReceived.IsEmpty()
               ? 0
               : m_data.ResendGaps(packet.dataBase, dataReceived, threshold, sentBefore);
}

void
TransportConnection::GiveBack(const OutstandingPacket& packet)
{
    m_shared.packetEntries.Give(packet.isCounted);
    if (packet.type >= TransportPacketType::PULL_DATA &&
        packet.type != TransportPacketType::PUSH_GRANT)
    {
        m_shared.sendPayload.Give(packet.amount);
        m_shared.isRoomThere = true;
    }
}

void
TransportConnection::Retire(const OutstandingPacket& packet, TimePs now)
{
    GiveBack(packet);
    switch (packet.type)
    {
    case TransportPacketType::PUSH_SOLICITED_DATA:
    case TransportPacketType::PUSH_UNSOLICITED_DATA:
        m_initiator.Acknowledged(packet.rsn, now);
        return;
    default:
        return;
    }
}

void
TransportConnection::AcknowledgeData(uint32_t psn, TimePs now)
{
    m_dataReceived.Acknowledge(psn);
    m_ack.Count(now, m_shared.settings.ackDelay);
}

void
TransportConnection::OnWindowed(const TransportPacket& packet, TimePs now)
{
    if (!TakeAcks(packet, now))
    {
        return;
    }
    const bool isRequest = packet.IsRequest();
    ReceiveWindow& window = isRequest ? m_requestsReceived : m_dataReceived;
    switch (window.Classify(packet.piece.psn))
    {
    case PsnVerdict::BELOW:
        ++m_shared.counters.duplicates;
        m_ack.Force();
        return;
    case PsnVerdict::DUPLICATE:
        ++m_shared.counters.duplicates;
        m_ack.Arm(now, m_shared.settings.ackDelay);
        if (!isRequest && m_target.IsInError(packet.piece.rsn, packet.piece.psn))
        {
            Nack(NackCode::IN_ERROR,
                 packet.piece.psn,
                 packet.piece.rsn); // it was lost, or the answer
        }
        return;
    case PsnVerdict::BEYOND:
        ++m_shared.counters.beyondWindow;
        return;
    case PsnVerdict::EXPECTED:
        break;
    }
    const Admission admission = Admit(packet, packet.piece.psn == window.Base());
    if (admission == Admission::MALFORMED)
    {
        ++m_shared.counters.malformed;
        return;
    }
    if (admission == Admission::NO_RESOURCE)
    {
        ++m_shared.counters.noResource;
        Nack(NackCode::NO_RESOURCE, packet.piece.psn, packet.piece.rsn, 0, isRequest);
        return;
    }
    m_echoSentAt = packet.piece.sentAt;
    m_echoCameAt = now;
    m_marksSeen = static_cast<uint16_t>(m_marksSeen + packet.isMarked);
    window.Receive(packet.piece.psn);
    if (Deliver(packet, now))
    {
        window.Acknowledge(packet.piece.psn);
        m_ack.Count(now, m_shared.settings.ackDelay);
    }
    else
    {
        m_ack.Arm(now, m_shared.settings.ackDelay);
    }
}

bool
TransportConnection::MayTell(const TransportPacket& packet) const
{
    if (m_state != State::OPEN)
    {
        return true;
    }
    switch (packet.type)
    {
    case TransportPacketType::PULL_REQUEST:
    case TransportPacketType::PUSH_SOLICITED_REQUEST:
    case TransportPacketType::PUSH_GRANT:
    case TransportPacketType::PUSH_SOLICITED_DATA:
    case TransportPacketType::PUSH_UNSOLICITED_DATA:
    case TransportPacketType::ACK:
        return m_initiator.MayComplete();
    default:
        return true;
    }
}

Admission
TransportConnection::Admit(const TransportPacket& packet, bool isBase) const
{
    switch (packet.type)
    {
    case TransportPacketType::PULL_DATA:
    case TransportPacketType::PUSH_GRANT:
    case TransportPacketType::ERROR_RESPONSE:
        return m_initiator.Expects(packet) ? Admission::ADMITTED : Admission::MALFORMED;
    default:
        return m_target.Admit(packet, isBase);
    }
}

bool
TransportConnection::Deliver(const TransportPacket& packet, TimePs now)
{
    switch (packet.type)
    {
    case TransportPacketType::PULL_DATA:
    case TransportPacketType::PUSH_GRANT:
    case TransportPacketType::ERROR_RESPONSE:
        m_initiator.Receive(packet, now);
        return true;
    default:
        return m_target.Receive(packet);
    }
}

// ---- timers ----

bool
TransportConnection::Expire(RetransmissionEngine& engine, TimePs now)
{
    if (engine.Deadline() > now)
    {
        return true;
    }
    const RetransmissionEngine::Expiry expiry = engine.Expire(now, m_shared.settings.retryLimit);
    if (expiry.isExhausted)
    {
        // An answer's or grant's RSN is the peer's, not one of the own requests.
        const bool isOwn = expiry.isOwnRequest;
        Fail(TransportStatus::RETRY_LIMIT,
             isOwn ? std::optional<RequestId>(expiry.rsn) : std::nullopt,
             true,
             now);
        return false;
    }
    if (expiry.expired > 0)
    {
        m_shared.congestion->OnTimeOut(m_congestion, now, Rtt());
    }
    return true;
}

void
TransportConnection::ExpireControl(TimePs now)
{
    m_controlAt = NEVER;
    if (m_state == State::OPEN && !IsWaitingForPeer())
    {
        m_controlRetries = 0;
        return;
    }
    if (m_controlRetries < m_shared.settings.retryLimit)
    {
        ++m_controlRetries;
        m_isControlDue = true;
        return;
    }
    Fail(TransportStatus::RETRY_LIMIT, std::nullopt, true, now);
}

void
TransportConnection::RunUntil(TimePs now)
{
    if (!Expire(m_requests, now) || !Expire(m_data, now))
    {
        return;
    }
    m_target.RunUntil(now);
    if (m_controlAt <= now)
    {
        ExpireControl(now);
    }
}

TimePs
TransportConnection::NextDeadline() const
{
    return std::min({m_requests.Deadline(), m_data.Deadline(), m_controlAt, m_target.RetryTime()});
}

TimePs
TransportConnection::NextSend(TimePs now) const
{
    // What is due already waits for the wire, not for time.
    TimePs next = m_ack.Deadline() > now ? m_ack.Deadline() : NEVER;
    if (m_paceAt > now && m_congestion.window < 1)
    {
        next = std::min(next, m_paceAt);
    }
    return next;
}

// ---- packets that go ----

inline bool
TransportConnection::HasWork(TxClass txClass, TimePs now) const
{
    if (txClass == TxClass::CONTROL)
    {
        return m_isControlDue;
    }
    if (m_state != State::OPEN && m_state != State::CLOSING)
    {
        return false;
    }
    switch (txClass)
    {
    case TxClass::ACK:
        return m_ack.IsDue(now, m_shared.settings.ackPackets);
    case TxClass::RESEND:
        return m_requests.HasResend() || m_data.HasResend();
    case TxClass::GRANT:
        return m_target.HasGrant() && !m_data.Window().IsFull();
    case TxClass::REQUEST:
        return m_initiator.HasRequest() && MaySendRequest();
    default:
        return MaySendData(now) && (m_initiator.HasData() || m_target.HasResponse());
    }
}

uint8_t
TransportConnection::Work(TimePs now) const
{
    uint8_t work = 0;
    const auto look = [&](TxClass txClass) {
        work |= HasWork(txClass, now) ? TxScheduler::Bit(txClass) : 0;
    };
    look(TxClass::CONTROL);
    look(TxClass::ACK);
    look(TxClass::RESEND);
    look(TxClass::GRANT);
    look(TxClass::REQUEST);
    look(TxClass::DATA);
    return work;
}

void
TransportConnection::Schedule(TimePs now)
{
    const uint32_t index = m_terms.cid & 0xFFFF;
    if (m_state == State::OPEN && m_controlAt == NEVER && !m_isControlDue && IsWaitingForPeer())
    {
        m_controlAt = now + m_shared.settings.probeInterval;
    }
    for (uint32_t left = Work(now); left != 0; left &= left - 1)
    {
        m_shared.scheduler.Add(static_cast<TxClass>(__builtin_ctz(left)), index);
    }
    if (!m_isAnnounced && m_target.IsPresentable())
    {
        m_isAnnounced = true;
        Tell(UlpEventType::REQUEST, TransportStatus::OK, now);
    }
}

bool
TransportConnection::Send(TxClass txClass, TransportPacket& packet, TimePs now)
{
    if (!HasWork(txClass, now))
    {
        return false; // meanwhile another packet has taken its place, or said what it would
    }
    packet.cid = m_terms.peerCid;
    switch (txClass)
    {
    case TxClass::CONTROL:
        return SendControl(packet, now);
    case TxClass::ACK:
        return SendAck(packet, now);
    case TxClass::RESEND:
        return SendResend(packet, now);
    case TxClass::GRANT:
        return SendNew(m_data, m_target.TakeGrant(), packet, now);
    case TxClass::REQUEST:
        return SendNew(m_requests, m_initiator.TakeRequest(), packet, now);
    case TxClass::DATA:
        return SendData(packet, now);
    }
    return false;
}

bool
TransportConnection::SendControl(TransportPacket& packet, TimePs now)
{
    m_isControlDue = false;
    if (m_state == State::OPEN)
    {
        packet.isProbe = true;
        return SendAck(packet, now); // Schedule() sets the timer again
    }
    m_controlAt = now + m_shared.rto.Rto(m_rtt, m_controlRetries);
    if (m_state == State::CLOSING)
    {
        packet.Become(TransportPacketType::CLOSE);
        packet.offer.sourceCid = m_terms.cid;
        WriteAcks(packet, now);
        return true;
    }
    packet.Become(m_state == State::CONNECTING ? TransportPacketType::CONNECT
                                               : TransportPacketType::ACCEPT);
    packet.offer.sourceCid = m_terms.cid;
    packet.isOrdered = m_terms.isOrdered;
    packet.requestBase = m_requests.Window().Base();
    packet.dataBase = m_data.Window().Base();
    packet.offer.requestWindow = m_terms.requestWindow;
    packet.offer.dataWindow = m_terms.dataWindow;
    packet.offer.requestSpan = m_terms.requestSpan;
    packet.offer.mtu = static_cast<uint16_t>(m_terms.mtu);
    return true;
}

bool
TransportConnection::SendAck(TransportPacket& packet, TimePs now)
{
    WriteAcks(packet, now);
    packet.bitmaps.requestAcked = m_requestsReceived.Acked().Low();
    packet.bitmaps.dataAcked = m_dataReceived.Acked();
    packet.bitmaps.dataReceived = m_dataReceived.Received();
    m_ack.Clear();
    return true;
}

bool
TransportConnection::SendResend(TransportPacket& packet, TimePs now)
{
    RetransmissionEngine& engine = m_requests.HasResend() ? m_requests : m_data;
    const uint32_t psn = engine.NextResend(m_shared.settings.resendsByRsn);
    const OutstandingPacket& outstanding = engine.At(psn);
    TransportCounters& counters = m_shared.counters;
    ++counters.resends;
    ++(outstanding.wasRefused ? counters.refusedResends
       : outstanding.wasEarly ? counters.earlyResends
                              : counters.timeOuts);
    engine.Resent(psn, now, m_shared.rto.Rto(m_rtt, outstanding.retries));
    Write(packet, psn, outstanding, now);
    return true;
}

bool
TransportConnection::SendData(TransportPacket& packet, TimePs now)
{
    const bool isResponse = m_target.HasResponse() && (m_isResponseTurn || !m_initiator.HasData());
    m_isResponseTurn = !isResponse;
    if (m_congestion.window < 1)
    {
        m_paceAt = now + static_cast<TimePs>(static_cast<double>(Rtt()) / m_congestion.window);
    }
    return SendNew(m_data,
                   isResponse ? m_target.TakeResponse() : m_initiator.TakeData(),
                   packet,
                   now);
}

bool
TransportConnection::SendNew(RetransmissionEngine& engine,
                             OutstandingPacket outstanding,
                             TransportPacket& packet,
                             TimePs now)
{
    outstanding.Send(now, m_shared.rto.Rto(m_rtt, 0));
    outstanding.isCounted = m_shared.packetEntries.Has(1);
    const uint32_t psn = engine.Register(outstanding, m_shared.packetTables);
    Write(packet, psn, outstanding, now);
    m_shared.packetEntries.Take(outstanding.isCounted);
    m_shared.sendPayload.Take(packet.PayloadBytes());
    return true;
}

void
TransportConnection::Write(TransportPacket& packet,
                           uint32_t psn,
                           const OutstandingPacket& outstanding,
                           TimePs now)
{
    packet.Become(outstanding.type);
    packet.piece.psn = psn;
    packet.piece.rsn = outstanding.rsn;
    packet.piece.ssn = outstanding.ssn;
    packet.piece.sentAt = now;
    switch (outstanding.type)
    {
    case TransportPacketType::PULL_REQUEST:
    case TransportPacketType::PUSH_SOLICITED_REQUEST:
        packet.piece.length = outstanding.amount;
        m_initiator.Complete(packet);
        break;
    case TransportPacketType::ERROR_RESPONSE:
        packet.status = TransportStatus::REMOTE_ERROR;
        break;
    default:
        packet.piece.offset = outstanding.offset;
        packet.piece.amount = outstanding.amount;
        if (outstanding.type >= TransportPacketType::PUSH_SOLICITED_DATA)
        {
            m_initiator.Complete(packet);
        }
        break;
    }
    m_shared.counters.sentBytes += packet.PayloadBytes();
    WriteAcks(packet, now);
}

void
TransportConnection::WriteAcks(TransportPacket& packet, TimePs now)
{
    packet.requestBase = m_requestsReceived.Base();
    packet.dataBase = m_dataReceived.Base();
    packet.marksSeen = m_marksSeen;
    if (m_echoSentAt != NEVER)
    {
        packet.echo = m_echoSentAt + (now - m_echoCameAt);
        m_echoSentAt = NEVER;
    }
    if (m_requestsReceived.Received().IsEmpty() && m_dataReceived.Received().IsEmpty())
    {
        m_ack.Clear(); // the bases say it all
    }
}

void
TransportConnection::Describe(ConnectionView& view) const
{
    view.isOpen = m_state == State::OPEN && !m_wantsClose && !m_peerCloses;
    view.isOrdered = m_terms.isOrdered;
    view.peer = m_terms.peer;
    view.peerCid = m_terms.peerCid;
    view.requestsInFlight = m_requests.Window().InFlight();
    view.dataInFlight = m_data.Window().InFlight();
    view.outstanding = m_initiator.Outstanding();
    view.congestionWindow = m_congestion.window;
    view.smoothedRtt = m_rtt.Smoothed();
    view.rto = m_shared.rto.Rto(m_rtt, 0);
}

std::size_t
TransportConnection::MemoryBytes() const
{
    return (m_requests.Slots() + m_data.Slots()) * sizeof(OutstandingPacket) +
           m_initiator.MemoryBytes() + m_target.MemoryBytes();
}

} // namespace fabric
} // namespace ns3
