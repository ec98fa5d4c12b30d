/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-initiator.h"

#include <algorithm>

namespace ns3::fabric
{

std::optional<RequestId>
TransportInitiator::Issue(UlpOperation operation,
                          uint32_t bytes,
                          uint64_t tag,
                          bool isSolicited,
                          TimePs now)
{
    const bool isPush = operation == UlpOperation::PUSH;
    if (!m_shared.entries.Has(1) || !IsInSpan(m_nextRsn) ||
        (isPush && !m_shared.payload.Has(std::min(bytes, m_terms.mtu))))
    {
        return std::nullopt;
    }
    m_shared.entries.Take(1);
    const uint32_t rsn = m_nextRsn++;
    OwnRequest& request = m_engine.Store(rsn, m_shared.tables);
    request.issuedAt = now;
    request.tag = tag;
    request.length = bytes;
    request.packets = PacketsOf(bytes, m_terms.mtu);
    request.operation = operation;
    request.isSolicited = isPush && isSolicited && bytes > 0;
    if (request.isSolicited)
    {
        request.ssn = m_nextSsn++;
    }
    ListNew();
    return rsn;
}

void
TransportInitiator::ListNew()
{
    for (; m_isOpen && m_nextListed != m_nextRsn && MayList(m_nextListed) &&
           m_credit.Covers(m_nextListed);
         ++m_nextListed)
    {
        OwnRequest& request = *m_engine.Find(m_nextListed);
        const bool isPush = request.operation == UlpOperation::PUSH;
        if (!isPush)
        {
            AddPull(m_nextListed);
        }
        else if (request.isSolicited)
        {
            m_requests.Push(m_engine, &OwnRequest::nextRequest, m_nextListed);
        }
        if (isPush && (m_terms.isOrdered || !request.isSolicited))
        {
            ListData(m_nextListed, request);
        }
    }
}

std::optional<uint32_t>
TransportInitiator::TakeAsk(TimePs now, TimePs delay)
{
    const uint32_t ceiling = m_engine.Base() + m_terms.requestSpan;
    const uint32_t wanted = SequenceBefore(ceiling, m_nextRsn) ? ceiling : m_nextRsn;
    return m_isOpen && m_credit.TakeAsk(wanted, now, delay) ? std::make_optional(wanted)
                                                            : std::nullopt;
}

void
TransportInitiator::AddPull(uint32_t rsn)
{
    m_pulls.Push(m_engine, &OwnRequest::nextRequest, rsn);
    if (m_pulls.Front() == rsn)
    {
        AddCandidate();
    }
}

void
TransportInitiator::AddCandidate()
{
    const uint32_t rsn = m_pulls.Front();
    const uint32_t length = m_engine.Find(rsn)->length;
    m_shared.grants.AddPull({m_terms.cid, rsn, m_terms.initiator, length});
}

void
TransportInitiator::Ask()
{
    const uint32_t rsn = m_pulls.Front();
    OwnRequest& request = *m_engine.Find(rsn);
    m_pulls.Pop(m_engine, &OwnRequest::nextRequest);
    request.granted = request.length;
    m_requests.Push(m_engine, &OwnRequest::nextRequest, rsn);
    if (!m_pulls.IsEmpty())
    {
        AddCandidate();
    }
    ListNew();
}

void
TransportInitiator::NothingComes(OwnRequest& request)
{
    if (request.operation == UlpOperation::PULL)
    {
        m_shared.grants.GiveBackPull(request.granted, 0);
        request.granted = 0;
    }
}

void
TransportInitiator::Open()
{
    m_isOpen = true;
    for (uint32_t rsn = m_engine.Base(); rsn != m_engine.End(); ++rsn)
    {
        OwnRequest* request = m_engine.Find(rsn);
        request->packets = PacketsOf(request->length, m_terms.mtu);
    }
    ListNew();
}

void
TransportInitiator::ListData(uint32_t rsn, OwnRequest& request)
{
    request.isListed = true;
    m_data.Push(m_engine, &OwnRequest::nextData, rsn);
}

OutstandingPacket
TransportInitiator::TakeRequest()
{
    const uint32_t rsn = m_requests.Front();
    OwnRequest& request = *m_engine.Find(rsn);
    m_requests.Pop(m_engine, &OwnRequest::nextRequest);
    request.isSent = true;
    OutstandingPacket packet;
    packet.type = request.isSolicited ? TransportPacketType::PUSH_SOLICITED_REQUEST
                                      : TransportPacketType::PULL_REQUEST;
    packet.rsn = rsn;
    packet.ssn = request.ssn;
    packet.amount = request.length;
    return packet;
}

OutstandingPacket
TransportInitiator::TakeData()
{
    const uint32_t rsn = m_data.Front();
    OwnRequest& request = *m_engine.Find(rsn);
    OutstandingPacket packet;
    packet.type = request.isSolicited ? TransportPacketType::PUSH_SOLICITED_DATA
                                      : TransportPacketType::PUSH_UNSOLICITED_DATA;
    packet.rsn = rsn;
    packet.ssn = request.ssn;
    packet.offset = request.packetsSent * m_terms.mtu;
    packet.amount = std::min(m_terms.mtu, request.length - packet.offset);
    ++request.packetsSent;
    m_pushesSent += request.packetsSent == request.packets;
    if (request.packetsSent == request.packets || (!m_terms.isOrdered && !MaySend(request)))
    {
        request.isListed = false;
        m_data.Pop(m_engine, &OwnRequest::nextData);
    }
    return packet;
}

void
TransportInitiator::Complete(TransportPacket& packet) const
{
    if (!packet.IsRequest() && !packet.IsPushData())
    {
        return;
    }
    // None: the peer has answered, and the acknowledgement of the request is still on its way.
    if (const OwnRequest* request = m_engine.Find(packet.piece.rsn))
    {
        packet.piece.length = request->length;
        packet.piece.tag = request->tag;
    }
}

bool
TransportInitiator::Expects(const TransportPacket& packet) const
{
    const TransportPiece& piece = packet.piece;
    const OwnRequest* request = m_engine.Find(piece.rsn);
    if (request == nullptr || request->isDone)
    {
        return false;
    }
    const uint32_t mtu = m_terms.mtu;
    const uint64_t end = uint64_t{piece.offset} + piece.amount;
    switch (packet.type)
    {
    case TransportPacketType::PUSH_GRANT:
        return request->isSolicited && request->isSent && piece.ssn == request->ssn &&
               piece.amount > 0 && request->granted + uint64_t{piece.amount} <= request->length &&
               piece.offset % mtu == 0 &&
               (end == request->length || (end < request->length && piece.amount % mtu == 0));
    case TransportPacketType::PULL_DATA:
        return request->operation == UlpOperation::PULL && request->isSent &&
               piece.offset <= request->length && piece.offset % mtu == 0 &&
               piece.amount == std::min(mtu, request->length - piece.offset);
    case TransportPacketType::ERROR_RESPONSE:
        return request->operation == UlpOperation::PULL && request->isSent &&
               request->packetsDone == 0;
    default:
        return false;
    }
}

void
TransportInitiator::Receive(const TransportPacket& packet, TimePs now)
{
    const TransportPiece& piece = packet.piece;
    OwnRequest& request = *m_engine.Find(piece.rsn);
    uint32_t left = 0;
    switch (packet.type)
    {
    case TransportPacketType::PUSH_GRANT:
        request.granted += piece.amount;
        if (!request.isListed && MaySend(request))
        {
            ListData(piece.rsn, request);
        }
        return;
    case TransportPacketType::PULL_DATA:
        m_shared.counters.deliveredBytes += piece.amount;
        left = request.granted - std::min(request.granted, piece.amount); // a peer may say anything
        m_shared.grants.GiveBackPull(request.granted, left);
        request.granted = left;
        if (++request.packetsDone == request.packets)
        {
            Done(piece.rsn, request, now);
        }
        return;
    default:
        NothingComes(request);
        request.status = TransportStatus::REMOTE_ERROR;
        Done(piece.rsn, request, now);
        return;
    }
}

bool
TransportInitiator::OnError(uint32_t rsn)
{
    OwnRequest* request = m_engine.Find(rsn);
    if (request == nullptr || request->operation != UlpOperation::PUSH ||
        request->packetsSent != request->packets)
    {
        return false;
    }
    request->status = TransportStatus::REMOTE_ERROR;
    return true;
}

void
TransportInitiator::Acknowledged(uint32_t rsn, TimePs now)
{
    OwnRequest& request = *m_engine.Find(rsn);
    if (++request.packetsDone == request.packets)
    {
        Done(rsn, request, now);
    }
}

void
TransportInitiator::Done(uint32_t rsn, OwnRequest& request, TimePs now)
{
    request.isDone = true;
    if (!m_terms.isOrdered)
    {
        TellCompletion(rsn, request.status, now);
        return;
    }
    for (const OwnRequest* head = m_engine.Find(m_engine.Base()); head != nullptr && head->isDone;
         head = m_engine.Find(m_engine.Base()))
    {
        TellCompletion(m_engine.Base(), head->status, now);
    }
}

void
TransportInitiator::TellCompletion(uint32_t rsn, TransportStatus status, TimePs now)
{
    OwnRequest& request = *m_engine.Find(rsn);
    NothingComes(request); // if the connection has failed
    UlpEvent event;
    event.type = UlpEventType::COMPLETION;
    event.operation = request.operation;
    event.status = status;
    event.isSolicited = request.isSolicited;
    event.cid = m_terms.cid;
    event.rsn = rsn;
    event.bytes = request.length;
    event.tag = request.tag;
    event.peer = m_terms.peer;
    event.issuedAt = request.issuedAt;
    event.at = now;
    m_shared.events.Push(event);
    ++(status == TransportStatus::OK ? m_shared.counters.completions : m_shared.counters.failures);
    const bool isPush = request.operation == UlpOperation::PUSH;
    m_pushesSent -= isPush && request.packetsSent == request.packets;
    m_engine.Retire(rsn, m_shared.tables);
    m_shared.entries.Give(1);
    m_shared.room.Free();
    ListNew();
}

void
TransportInitiator::Fail(TransportStatus status, std::optional<RequestId> rsn, TimePs now)
{
    m_isOpen = false; // nothing is sent any more
    const uint32_t end = m_engine.End();
    for (uint32_t i = m_engine.Base(); m_engine.Size() > 0 && i != end; ++i)
    {
        if (m_engine.Find(i) != nullptr)
        {
            TellCompletion(i, !rsn || *rsn == i ? status : TransportStatus::FLUSHED, now);
        }
    }
    m_pulls.Clear();
    m_requests.Clear();
    m_data.Clear();
}

} // namespace ns3::fabric
