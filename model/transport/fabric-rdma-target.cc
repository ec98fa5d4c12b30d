/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rdma-target.h"

#include "fabric-rdma-tag.h"

namespace ns3::fabric
{

namespace
{

/**
 * @param event of a request
 * @return whether its tag says an operation that fits the transaction; a peer may say anything
 */
bool
IsConsistent(const UlpEvent& event)
{
    switch (RdmaTag::OperationOf(event.tag))
    {
    case RdmaOperation::WRITE:
    case RdmaOperation::SEND:
        return event.operation == UlpOperation::PUSH;
    case RdmaOperation::READ:
        return event.operation == UlpOperation::PULL;
    }
    return false; // 3 is no operation
}

} // namespace

void
RdmaTarget::Foresee(const TransportPacket& packet)
{
    // A SEND is told of in the order of requests: perhaps when another packet than its own comes.
    m_takesSends = m_takesSends || (packet.HasPiece() &&
                                    RdmaTag::OperationOf(packet.piece.tag) == RdmaOperation::SEND);
}

void
RdmaTarget::Present(const UlpEvent& event, TimePs now)
{
    const RdmaOperation operation = RdmaTag::OperationOf(event.tag);
    if (!IsConsistent(event) || event.bytes > m_settings.memoryBytes)
    {
        ++m_counts.refused;
        m_transport.AckRequest(event.cid, event.rsn, UlpAnswer::ERROR, now);
        return;
    }
    if (operation != RdmaOperation::SEND)
    {
        Grant(event, operation, now);
        return;
    }
    if (m_receives == 0)
    {
        ++m_counts.notReady;
        m_transport.AckRequest(event.cid,
                               event.rsn,
                               UlpAnswer::NOT_READY,
                               now,
                               m_settings.notReadyDelay);
        return;
    }
    m_receives -= m_receives == UINT64_MAX ? 0 : 1;
    Grant(event, operation, now);
}

void
RdmaTarget::Grant(const UlpEvent& event, RdmaOperation operation, TimePs now)
{
    ++m_counts.placed;
    if (operation == RdmaOperation::READ)
    {
        m_counts.suppliedBytes += event.bytes;
        m_transport.AckRequest(event.cid, event.rsn, UlpAnswer::OK, now);
    }
    else
    {
        m_counts.placedBytes += event.bytes;
    }
    if (operation == RdmaOperation::SEND || m_settings.reportsOneSided)
    {
        m_events.Push(RdmaTag::EventOf(RdmaEventType::PRESENTED, event));
    }
    const Answer answer{now + m_settings.memoryLatency, event.cid, event.rsn, operation};
    if (m_settings.memoryLatency == 0)
    {
        Give(answer, now);
    }
    else
    {
        m_answers.Push(answer);
    }
}

void
RdmaTarget::Give(const Answer& answer, TimePs now)
{
    // The connection may have failed meanwhile; then the transport does nothing.
    if (answer.operation == RdmaOperation::READ)
    {
        m_transport.Respond(answer.cid, answer.rsn, now);
    }
    else
    {
        m_transport.AckRequest(answer.cid, answer.rsn, UlpAnswer::OK, now);
    }
}

void
RdmaTarget::AnswerNext(TimePs now)
{
    const Answer answer = m_answers.Front();
    m_answers.Pop();
    Give(answer, now);
}

} // namespace ns3::fabric
