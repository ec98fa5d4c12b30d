/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-target.h"

#include <algorithm>

namespace ns3::fabric
{

Admission
TransportTarget::Admit(const TransportPacket& packet, bool isBase) const
{
    if (packet.piece.rsn - m_engine.Base() >= m_terms.requestSpan ||
        packet.piece.length > MAX_TRANSACTION)
    {
        return Admission::MALFORMED;
    }
    switch (m_engine.State(packet.piece.rsn))
    {
    case RsnState::RETIRED:
        return Admission::MALFORMED;
    case RsnState::UNKNOWN:
        return AdmitNew(packet, isBase);
    case RsnState::STORED:
        break;
    }
    return packet.IsRequest() || !FitsData(packet, *m_engine.Find(packet.piece.rsn))
               ? Admission::MALFORMED
               : AdmitPayload(packet, isBase);
}

Admission
TransportTarget::AdmitNew(const TransportPacket& packet, bool isBase) const
{
    if (packet.type == TransportPacketType::PUSH_SOLICITED_DATA ||
        (packet.type == TransportPacketType::PUSH_SOLICITED_REQUEST && packet.piece.length == 0))
    {
        return Admission::MALFORMED;
    }
    if (packet.type == TransportPacketType::PUSH_UNSOLICITED_DATA)
    {
        PeerRequest request;
        request.length = packet.piece.length;
        request.packets = PacketsOf(packet.piece.length, m_terms.mtu);
        if (!FitsData(packet, request))
        {
            return Admission::MALFORMED;
        }
    }
    if (!HasEntry(packet.piece.rsn))
    {
        return Admission::NO_RESOURCE;
    }
    return packet.IsRequest() ? Admission::ADMITTED : AdmitPayload(packet, isBase);
}

bool
TransportTarget::FitsData(const TransportPacket& packet, const PeerRequest& request) const
{
    const TransportPiece& piece = packet.piece;
    const bool isSolicited = packet.type == TransportPacketType::PUSH_SOLICITED_DATA;
    return request.operation == UlpOperation::PUSH && request.isSolicited == isSolicited &&
           !request.isComplete && piece.length == request.length &&
           piece.offset <= request.length && piece.offset % m_terms.mtu == 0 &&
           piece.amount == std::min(m_terms.mtu, request.length - piece.offset) &&
           request.received + uint64_t{piece.amount} <= request.length &&
           (!isSolicited || (piece.offset + piece.amount <= request.grantSent &&
                             request.received + piece.amount <= request.grantSent));
}

Admission
TransportTarget::AdmitPayload(const TransportPacket& packet, bool isBase) const
{
    return isBase || !WouldBuffer(packet.piece.rsn) || HasPayloadRoom(packet)
               ? Admission::ADMITTED
               : Admission::NO_RESOURCE;
}

bool
TransportTarget::HasPayloadRoom(const TransportPacket& packet) const
{
    // Granted data has its memory: the grant has seen to it.
    return packet.type == TransportPacketType::PUSH_SOLICITED_DATA ||
           m_shared.grants.HasRoom(packet.piece.amount);
}

PeerRequest&
TransportTarget::Open(const TransportPacket& packet)
{
    const TransportPiece& piece = packet.piece;
    PeerRequest& request = m_engine.Store(piece.rsn, m_shared.tables);
    request.length = piece.length;
    request.tag = piece.tag;
    request.ssn = piece.ssn;
    request.packets = PacketsOf(piece.length, m_terms.mtu);
    m_shared.entries.Take(1);
    if (!m_account.isTrusted && m_shared.credits.TakeOpened(m_account, m_engine.Size(), Ceiling()))
    {
        m_isCreditDue = true;
    }
    return request;
}

void
TransportTarget::Want(uint32_t wanted)
{
    // A peer may say anything.
    const uint32_t most = SequenceBefore(Ceiling(), wanted) ? Ceiling() : wanted;
    const bool isTold = m_shared.credits.Want(m_account, m_terms.cid, most, m_engine.Size());
    m_isCreditDue = m_isCreditDue || isTold;
}

void
TransportTarget::Meter(uint32_t limit)
{
    if (!m_account.isTrusted || !m_isMetering)
    {
        return; // an answer for the second time, or to nothing
    }
    if (SequenceBefore(limit, m_engine.End()) || SequenceBefore(Ceiling(), limit))
    {
        limit = Ceiling(); // a peer may say anything
    }
    uint32_t entries = m_engine.Size();
    for (uint32_t rsn = m_engine.Base(); rsn != limit; ++rsn)
    {
        entries += m_engine.State(rsn) == RsnState::UNKNOWN;
    }
    m_shared.credits.Meter(m_account, limit, entries, m_engine.Size());
}

bool
TransportTarget::Receive(const TransportPacket& packet)
{
    const TransportPiece& piece = packet.piece;
    PeerRequest* known = m_engine.Find(piece.rsn);
    PeerRequest& request = known != nullptr ? *known : Open(packet);
    if (packet.type == TransportPacketType::PULL_REQUEST)
    {
        request.operation = UlpOperation::PULL;
        Completed(piece.rsn, request);
        return true;
    }
    if (packet.type == TransportPacketType::PUSH_SOLICITED_REQUEST)
    {
        request.isSolicited = true;
        if (!m_terms.isOrdered)
        {
            AddCandidate(piece.rsn, request);
        }
        else if (!m_isGranting && piece.ssn == m_nextSsn)
        {
            AddCandidate(piece.rsn, request);
        }
        return true;
    }
    m_shared.counters.deliveredBytes += piece.amount;
    request.received += piece.amount;
    if (request.isSolicited)
    {
        m_shared.grants.GiveBack(piece.amount);
    }
    if (WouldBuffer(piece.rsn) && HasPayloadRoom(packet))
    {
        request.buffered += piece.amount;
        m_shared.payload.Take(piece.amount);
    }
    if (++request.packetsReceived < request.packets)
    {
        return true;
    }
    request.heldPsn = piece.psn;
    Completed(piece.rsn, request);
    return false;
}

void
TransportTarget::Completed(uint32_t rsn, PeerRequest& request)
{
    request.isComplete = true;
    if (!m_terms.isOrdered)
    {
        m_ready.Push(m_engine, &PeerRequest::next, rsn);
    }
}

bool
TransportTarget::IsPresentable() const
{
    if (!m_ready.IsEmpty())
    {
        return true;
    }
    const PeerRequest* head = m_engine.Find(m_engine.Head());
    return m_terms.isOrdered && m_postponed == 0 && head != nullptr && head->isComplete;
}

bool
TransportTarget::Present(UlpEvent& event)
{
    m_isAnnounced = false;
    if (!IsPresentable())
    {
        return false;
    }
    const bool isListed = !m_ready.IsEmpty();
    const uint32_t rsn = isListed ? m_ready.Front() : m_engine.Head();
    PeerRequest& request = *m_engine.Find(rsn);
    if (isListed)
    {
        m_ready.Pop(m_engine, &PeerRequest::next);
    }
    else
    {
        AdvanceHead();
    }
    request.isPresented = true;
    m_shared.counters.presented += request.notReady == 0;
    event.type = UlpEventType::REQUEST;
    event.operation = request.operation;
    event.isSolicited = request.isSolicited;
    event.cid = m_terms.cid;
    event.rsn = rsn;
    event.bytes = request.length;
    event.tag = request.tag;
    event.peer = m_terms.peer;
    return true;
}

void
TransportTarget::AdvanceHead()
{
    m_engine.AdvanceHead();
    PeerRequest* head = m_engine.Find(m_engine.Head());
    if (head != nullptr && head->buffered > 0)
    {
        m_shared.GivePayload(head->buffered);
        head->buffered = 0;
    }
    m_shared.grants.Unpark(); // the new head of line needs no memory for its grant
}

PeerRequest*
TransportTarget::Waiting(uint32_t rsn)
{
    PeerRequest* request = m_engine.Find(rsn);
    return request != nullptr && request->isPresented && !request->isAnswered ? request : nullptr;
}

TransportTarget::Outcome
TransportTarget::Answer(uint32_t rsn, UlpAnswer answer, TimePs until)
{
    Outcome outcome;
    PeerRequest* request = Waiting(rsn);
    if (request == nullptr)
    {
        return outcome;
    }
    outcome.isValid = true;
    outcome.about.rsn = rsn;
    switch (answer)
    {
    case UlpAnswer::OK:
        Accept(rsn, *request, outcome);
        break;
    case UlpAnswer::NOT_READY:
        Postpone(*request, until, outcome);
        break;
    case UlpAnswer::ERROR:
        Refuse(rsn, *request, until, outcome);
        break;
    }
    return outcome;
}

void
TransportTarget::Accept(uint32_t rsn, PeerRequest& request, Outcome& outcome)
{
    EndWait(request);
    request.notReady = 0;
    if (request.operation == UlpOperation::PUSH)
    {
        outcome.acknowledge = request.heldPsn;
        Retire(rsn, request);
    }
}

void
TransportTarget::Postpone(PeerRequest& request, TimePs until, Outcome& outcome)
{
    m_postponed += request.notReady == 0;
    outcome.nack = NackCode::NOT_READY;
    outcome.about.amount = ++request.notReady;
    request.isPresented = false;
    request.retryAt = until;
    m_retryAt = std::min(m_retryAt, until);
    ++m_shared.counters.notReady;
}

void
TransportTarget::Refuse(uint32_t rsn, PeerRequest& request, TimePs until, Outcome& outcome)
{
    EndWait(request);
    request.isAnswered = request.isError = true;
    if (request.operation == UlpOperation::PUSH)
    {
        outcome.nack = NackCode::IN_ERROR;
        outcome.about.psn = request.heldPsn;
        request.retryAt = until;
        m_retryAt = std::min(m_retryAt, until);
    }
    else
    {
        m_responses.Push(m_engine, &PeerRequest::next, rsn);
    }
}

TransportPiece
TransportTarget::RepeatError(uint32_t rsn, PeerRequest& request, TimePs now, TimePs wait) const
{
    constexpr uint8_t MOST_REPEATS = 10; // then the peer is gone, or its time-out asks
    ++request.errorRepeats;
    request.retryAt =
        request.errorRepeats < MOST_REPEATS ? now + (wait << request.errorRepeats) : NEVER;
    TransportPiece about;
    about.psn = request.heldPsn;
    about.rsn = rsn;
    return about;
}

bool
TransportTarget::Respond(uint32_t rsn)
{
    PeerRequest* request = Waiting(rsn);
    if (request == nullptr || request->operation != UlpOperation::PULL)
    {
        return false;
    }
    EndWait(*request);
    request->isAnswered = true;
    m_responses.Push(m_engine, &PeerRequest::next, rsn);
    return true;
}

OutstandingPacket
TransportTarget::TakeResponse()
{
    const uint32_t rsn = m_responses.Front();
    PeerRequest& request = *m_engine.Find(rsn);
    OutstandingPacket packet;
    packet.rsn = rsn;
    if (request.isError)
    {
        packet.type = TransportPacketType::ERROR_RESPONSE;
        m_responses.Pop(m_engine, &PeerRequest::next);
        Retire(rsn, request);
        return packet;
    }
    packet.type = TransportPacketType::PULL_DATA;
    packet.offset = request.packetsResponded * m_terms.mtu;
    packet.amount = std::min(m_terms.mtu, request.length - packet.offset);
    if (++request.packetsResponded == request.packets)
    {
        m_responses.Pop(m_engine, &PeerRequest::next);
        Retire(rsn, request);
    }
    return packet;
}

bool
TransportTarget::IsInError(uint32_t rsn, uint32_t psn) const
{
    const PeerRequest* request = m_engine.Find(rsn);
    return request != nullptr && request->isError && request->operation == UlpOperation::PUSH &&
           request->heldPsn == psn;
}

uint32_t
TransportTarget::ToGrant(uint32_t rsn) const
{
    const PeerRequest* request = m_engine.Find(rsn);
    return request == nullptr ? 0 : request->length - request->granted;
}

void
TransportTarget::AddCandidate(uint32_t rsn, const PeerRequest& request)
{
    m_isGranting = true;
    m_shared.grants.Add({m_terms.cid, rsn, m_terms.initiator, request.length});
}

void
TransportTarget::Grant(uint32_t rsn, uint32_t bytes)
{
    PeerRequest& request = *m_engine.Find(rsn);
    if (request.granted == request.grantSent)
    {
        m_grants.Push(m_engine, &PeerRequest::nextGrant, rsn);
    }
    request.granted += bytes;
    if (request.granted == request.length && m_terms.isOrdered)
    {
        m_isGranting = false;
        ++m_nextSsn;
        NextCandidate(rsn + 1);
    }
}

void
TransportTarget::NextCandidate(uint32_t rsn)
{
    for (; rsn != m_engine.End(); ++rsn)
    {
        const PeerRequest* request = m_engine.Find(rsn);
        if (request != nullptr && request->isSolicited)
        {
            if (request->ssn == m_nextSsn)
            {
                AddCandidate(rsn, *request);
            }
            return; // SSNs rise with RSNs
        }
    }
}

OutstandingPacket
TransportTarget::TakeGrant()
{
    const uint32_t rsn = m_grants.Front();
    PeerRequest& request = *m_engine.Find(rsn);
    m_grants.Pop(m_engine, &PeerRequest::nextGrant);
    OutstandingPacket packet;
    packet.type = TransportPacketType::PUSH_GRANT;
    packet.rsn = rsn;
    packet.ssn = request.ssn;
    packet.offset = request.grantSent;
    packet.amount = request.granted - request.grantSent;
    request.grantSent = request.granted;
    return packet;
}

void
TransportTarget::Retire(uint32_t rsn, PeerRequest& request)
{
    GiveBack(request);
    m_engine.Retire(rsn, m_shared.tables);
    m_shared.credits.TakeRetired(m_account, m_terms.cid);
}

void
TransportTarget::GiveBack(const PeerRequest& request)
{
    m_shared.entries.Give(1);
    if (request.buffered > 0)
    {
        m_shared.GivePayload(request.buffered);
    }
    if (request.isSolicited && request.granted > request.received)
    {
        m_shared.grants.GiveBack(request.granted - request.received);
    }
}

void
TransportTarget::Abandon()
{
    for (uint32_t rsn = m_engine.Base(); rsn != m_engine.End(); ++rsn)
    {
        if (const PeerRequest* request = m_engine.Find(rsn))
        {
            GiveBack(*request);
        }
    }
    m_shared.credits.Close(m_account, m_engine.Size());
    m_engine.Clear(m_shared.tables);
    m_ready.Clear();
    m_responses.Clear();
    m_grants.Clear();
    m_retryAt = NEVER;
    m_postponed = 0;
}

} // namespace ns3::fabric
