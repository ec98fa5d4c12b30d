/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-connection.h"

// What a connection does with the packets that come.

namespace ns3::fabric
{

namespace
{

/// @param packet with a piece @return what a NACK says of it
TransportPiece
About(const TransportPacket& packet)
{
    TransportPiece about;
    about.psn = packet.piece.psn;
    about.rsn = packet.piece.rsn;
    return about;
}

} // namespace

void
TransportConnection::Receive(const TransportPacket& packet, TimePs now)
{
    if (packet.type == TransportPacketType::ACCEPT)
    {
        OnAccept(packet, now);
        TryLeave(now);
        return;
    }
    if (m_handshake.State() == ConnectionState::CONNECTING)
    {
        OnAnswer(packet, now);
        return;
    }
    // A RESET says that the CONNECT was an old copy: the peer's connection is over already.
    if (m_handshake.State() == ConnectionState::ACCEPTING &&
        packet.type != TransportPacketType::RESET)
    {
        m_handshake.Open();
        m_delivery.HearAnswer(now);
        m_reports.Tell(UlpEventType::ACCEPTED, TransportStatus::OK, now);
    }
    m_handshake.HearPeer();
    switch (packet.type)
    {
    case TransportPacketType::ACK:
        TakeAcks(packet, now);
        if (packet.isProbe)
        {
            m_delivery.ForceAck();
        }
        TryLeave(now);
        return;
    case TransportPacketType::CLOSE:
        TakeAcks(packet, now);
        m_handshake.PeerCloses();
        m_delivery.ForceAck(); // says that CLOSE has come, if CLOSED has to wait
        TryLeave(now);
        return;
    case TransportPacketType::CLOSED:
        if (m_handshake.State() == ConnectionState::CLOSING)
        {
            Leave(now);
            return;
        }
        break;
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
        break;
    default:
        OnWindowed(packet, now);
        TryLeave(now);
        return;
    }
    ++m_shared.counters.malformed;
}

void
TransportConnection::ReceiveHeader(const TransportPacket& packet, TimePs now)
{
    if (m_handshake.State() == ConnectionState::CONNECTING || packet.PayloadBytes() == 0)
    {
        ++m_shared.counters.malformed; // only data is cut off
        return;
    }
    m_handshake.HearPeer(); // if it has not heard that it is accepted, the whole packet will tell
    if (!TakeAcks(packet, now))
    {
        return;
    }
    if (m_delivery.IsMissed(packet))
    {
        TransportPiece about = About(packet);
        about.sentAt = packet.piece.sentAt;
        m_reports.Nack(NackCode::TRIMMED, about, packet.IsRequest());
    }
    else
    {
        m_delivery.ForceAck(); // an earlier copy has come, and the peer does not know
    }
    TryLeave(now);
}

void
TransportConnection::OnAnswer(const TransportPacket& packet, TimePs now)
{
    if (packet.type == TransportPacketType::REFUSE)
    {
        Fail(TransportStatus::REFUSED, std::nullopt, false, now);
        return;
    }
    ++m_shared.counters.malformed;
}

void
TransportConnection::OnNack(const TransportPacket& packet, TimePs now)
{
    switch (packet.nack)
    {
    case NackCode::NO_RESOURCE:
        m_delivery.Refuse(packet, now);
        return;
    case NackCode::DUPLICATE:
        m_delivery.TakeDuplicate(packet, now);
        return;
    case NackCode::TRIMMED:
        m_delivery.TakeTrimmed(packet, now);
        return;
    case NackCode::NOT_READY:
        OnNotReady(packet, now);
        return;
    case NackCode::IN_ERROR:
        if (m_initiator.OnError(packet.piece.rsn))
        {
            m_reports.Nack(NackCode::ERROR_HEARD, About(packet));
        }
        else
        {
            ++m_shared.counters.staleAcks; // it is complete
        }
        return;
    case NackCode::ERROR_HEARD:
        if (m_target.HearError(packet.piece.rsn, packet.piece.psn))
        {
            m_delivery.AcknowledgeData(packet.piece.psn, now);
        }
        return;
    case NackCode::CONGESTION:
        ++m_shared.counters.cnpsTaken;
        m_delivery.TakeCnp(now);
        return;
    case NackCode::CREDIT_WANTED:
    case NackCode::CREDIT:
    case NackCode::CREDIT_ONLY:
    case NackCode::CREDIT_HEARD:
        OnCredit(packet);
        return;
    default:
        ++m_shared.counters.malformed;
        return;
    }
}

void
TransportConnection::OnNotReady(const TransportPacket& packet, TimePs now)
{
    if (!m_initiator.IsOutstanding(packet.piece.rsn))
    {
        ++m_shared.counters.staleAcks; // it has become ready since
    }
    else if (packet.piece.amount > m_shared.settings.notReadyLimit)
    {
        Fail(TransportStatus::TARGET_NOT_READY, packet.piece.rsn, true, now);
    }
}

bool
TransportConnection::TakeAcks(const TransportPacket& packet, TimePs now)
{
    return m_delivery.TakeAcks(packet, now, [&](const OutstandingPacket& acked) {
        if (acked.IsPushData())
        {
            m_initiator.Acknowledged(acked.rsn, now);
        }
    });
}

void
TransportConnection::OnWindowed(const TransportPacket& packet, TimePs now)
{
    if (!TakeAcks(packet, now))
    {
        return;
    }
    if (packet.isProbe)
    {
        m_delivery.ForceAck();
    }
    if (packet.isMarked && m_delivery.TakeMark(now))
    {
        ++m_shared.counters.cnpsSent;
        m_reports.Nack(NackCode::CONGESTION, TransportPiece());
    }
    const PsnVerdict verdict = m_delivery.Judge(packet, now);
    if (verdict != PsnVerdict::EXPECTED)
    {
        if (verdict != PsnVerdict::BEYOND)
        {
            m_reports.Nack(NackCode::DUPLICATE, About(packet), packet.IsRequest());
        }
        if (verdict == PsnVerdict::DUPLICATE && !packet.IsRequest() &&
            m_target.IsInError(packet.piece.rsn, packet.piece.psn))
        {
            m_reports.Nack(NackCode::IN_ERROR, About(packet)); // it was lost, or the answer
        }
        return;
    }
    const Admission admission = Admit(packet);
    if (admission == Admission::MALFORMED)
    {
        ++m_shared.counters.malformed;
        return;
    }
    if (admission == Admission::NO_RESOURCE)
    {
        ++m_shared.counters.noResource;
        m_reports.Nack(NackCode::NO_RESOURCE, About(packet), packet.IsRequest());
        return;
    }
    m_delivery.Take(packet, now);
    Deliver(packet, now) ? m_delivery.Acknowledge(packet, now) : m_delivery.Postpone(now);
}

bool
TransportConnection::MayTell(const TransportPacket& packet) const
{
    const bool onlyAcknowledges = packet.IsRequest() || packet.IsPushData() ||
                                  packet.type == TransportPacketType::PUSH_GRANT ||
                                  packet.type == TransportPacketType::ACK ||
                                  packet.nack == NackCode::CONGESTION;
    return m_handshake.State() != ConnectionState::OPEN || !onlyAcknowledges ||
           m_initiator.MayComplete();
}

Admission
TransportConnection::Admit(const TransportPacket& packet) const
{
    if (packet.IsAnswer())
    {
        return m_initiator.Expects(packet) ? Admission::ADMITTED : Admission::MALFORMED;
    }
    return m_target.Admit(packet, m_delivery.IsAtBase(packet));
}

bool
TransportConnection::Deliver(const TransportPacket& packet, TimePs now)
{
    if (packet.IsAnswer())
    {
        m_initiator.Receive(packet, now);
        return true;
    }
    return m_target.Receive(packet);
}

} // namespace ns3::fabric
