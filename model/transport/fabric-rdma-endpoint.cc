/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rdma-endpoint.h"

#include "fabric-rdma-tag.h"
#include "fabric-require.h"

namespace ns3::fabric
{

namespace
{

constexpr const char* WHERE = "RDMA"; ///< Names the class in complaints.

} // namespace

void
RdmaSettings::Validate() const
{
    const auto time = [](const char* what, TimePs value) {
        // As unsigned numbers negative ones are out of range.
        RequireRange(WHERE, what, static_cast<uint64_t>(value), 0, 1'000'000'000'000);
    };
    time("memory latency in ps", memoryLatency);
    time("not-ready delay in ps", notReadyDelay);
}

RdmaEndpoint::RdmaEndpoint(const TransportSettings& transport,
                           const RdmaSettings& rdma,
                           const ConnectionSettings& accepted)
    : m_transport(transport, accepted),
      m_initiator(m_transport, m_counts, m_events),
      m_target(rdma, m_transport, m_counts, m_events)
{
    rdma.Validate();
}

void
RdmaEndpoint::Open(ConnectionId cid)
{
    m_initiator.Open(cid);
    m_target.Reserve();
}

ConnectionId
RdmaEndpoint::Connect(PeerAddress peer, const ConnectionSettings& settings, TimePs now)
{
    const ConnectionId cid = m_transport.Connect(peer, settings, now);
    if (cid != NO_CONNECTION)
    {
        Open(cid);
    }
    Drain(now);
    return cid;
}

bool
RdmaEndpoint::Close(ConnectionId cid, TimePs now)
{
    if (!m_initiator.Has(cid))
    {
        return false;
    }
    m_initiator.Close(cid, now);
    Drain(now);
    return true;
}

bool
RdmaEndpoint::Reset(ConnectionId cid, TimePs now)
{
    const bool isThere = m_initiator.Has(cid) && m_transport.Reset(cid, now);
    Drain(now);
    return isThere;
}

bool
RdmaEndpoint::Post(ConnectionId cid,
                   RdmaOperation operation,
                   uint32_t bytes,
                   uint64_t cookie,
                   TimePs now)
{
    RequireRange(WHERE, "size of an operation in bytes", bytes, 0, MAX_TRANSACTION);
    RequireRange(WHERE, "cookie", cookie, 0, RdmaTag::LARGEST_COOKIE);
    const bool isTaken = m_initiator.Post(cid, {operation, bytes, cookie, now}, now);
    Drain(now);
    return isTaken;
}

void
RdmaEndpoint::Receive(const TransportPacket& packet, PeerAddress peer, TimePs now)
{
    RunUntil(now);
    m_transport.Receive(packet, peer, now);
    Drain(now);
}

void
RdmaEndpoint::ReceiveAtOnce(const TransportPacket& packet, PeerAddress peer, TimePs now)
{
    RunUntil(now);
    m_transport.ReceiveAtOnce(packet, peer, now);
    Drain(now);
}

void
RdmaEndpoint::TakeTelemetry(const TransportPacket& packet,
                            PeerAddress peer,
                            const HopStack& stack,
                            TimePs now)
{
    RunUntil(now);
    m_transport.TakeTelemetry(packet, peer, stack, now);
}

void
RdmaEndpoint::ReceiveHeader(const TransportPacket& packet, PeerAddress peer, TimePs now)
{
    RunUntil(now);
    m_transport.ReceiveHeader(packet, peer, now);
    Drain(now);
}

bool
RdmaEndpoint::Foresee(const TransportPacket& packet)
{
    m_target.Foresee(packet);
    return TellsOfAll() || m_transport.MayTell(packet);
}

std::optional<OutgoingPacket>
RdmaEndpoint::NextPacket(TimePs now)
{
    const std::optional<OutgoingPacket> packet = m_transport.NextPacket(now);
    Drain(now);
    return packet;
}

void
RdmaEndpoint::RunUntil(TimePs now)
{
    for (TimePs next = NextTime(); next <= now; next = NextTime())
    {
        if (m_target.NextTime() <= next)
        {
            m_target.AnswerNext(next);
        }
        else
        {
            m_transport.RunUntil(next);
        }
        Drain(next);
    }
}

std::optional<RdmaEvent>
RdmaEndpoint::NextEvent()
{
    if (m_events.IsEmpty())
    {
        return std::nullopt;
    }
    const RdmaEvent event = m_events.Front();
    m_events.Pop();
    return event;
}

void
RdmaEndpoint::Drain(TimePs now)
{
    while (const std::optional<UlpEvent> event = m_transport.NextEvent())
    {
        Handle(*event, now);
    }
}

void
RdmaEndpoint::Handle(const UlpEvent& event, TimePs now)
{
    switch (event.type)
    {
    case UlpEventType::CONNECTED:
        Tell(RdmaEventType::CONNECTED, event);
        break;
    case UlpEventType::ACCEPTED:
        Open(event.cid);
        Tell(RdmaEventType::ACCEPTED, event);
        break;
    case UlpEventType::COMPLETION:
        m_initiator.Complete(event);
        break;
    case UlpEventType::REQUEST:
        m_target.Present(event, now);
        break;
    case UlpEventType::ROOM:
        m_initiator.Flush(now);
        break;
    case UlpEventType::CLOSED:
        m_initiator.Forget(event);
        Tell(RdmaEventType::CLOSED, event);
        break;
    case UlpEventType::FAILED:
        m_initiator.Forget(event);
        Tell(RdmaEventType::FAILED, event);
        break;
    }
}

void
RdmaEndpoint::Tell(RdmaEventType type, const UlpEvent& event)
{
    m_events.Push(RdmaTag::EventOf(type, event));
}

} // namespace ns3::fabric
