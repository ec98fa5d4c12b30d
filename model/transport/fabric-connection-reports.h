/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONNECTION_REPORTS_H
#define FABRIC_CONNECTION_REPORTS_H

#include "fabric-connection-terms.h"
#include "fabric-reply-queue.h"
#include "fabric-ring.h"
#include "fabric-transport-event.h"
#include "fabric-transport-packet.h"

namespace ns3::fabric
{

/// What a connection tells its ULP about itself, and its peer outside of the windows.
class ConnectionReports
{
  public:
    /**
     * @param replies packets of no window
     * @param terms how the connection is named; they stay where they are
     */
    ConnectionReports(Ring<UlpEvent>& events, ReplyQueue& replies, const ConnectionTerms& terms)
        : m_events(events),
          m_replies(replies),
          m_terms(terms)
    {
    }

    /**
     * @param type CONNECTED, ACCEPTED, REQUEST, CLOSED or FAILED
     * @param status of FAILED
     */
    void Tell(UlpEventType type, TransportStatus status, TimePs now)
    {
        UlpEvent event;
        event.type = type;
        event.status = status;
        event.cid = m_terms.cid;
        event.peer = m_terms.peer;
        event.at = now;
        m_events.Push(event);
    }

    /**
     * Tells the peer that something is not done.
     *
     * @param about psn, rsn and amount as the code has them
     * @param isRequestPsn whether the PSN is of the request window
     */
    void Nack(NackCode code, const TransportPiece& about, bool isRequestPsn = false)
    {
        TransportPacket nack(TransportPacketType::NACK, code);
        nack.piece = about;
        nack.isRequestPsn = isRequestPsn;
        nack.cid = m_terms.peerCid;
        m_replies.Push(m_terms.peer, nack, PlaceOf(m_terms.cid));
    }

    /// Tells the peer that the connection was closed.
    void Closed()
    {
        End(TransportPacketType::CLOSED, TransportStatus::OK);
    }

    /// Tells the peer that the connection has failed, if it knows of it. @param status why
    void Reset(TransportStatus status)
    {
        if (m_terms.peerCid != NO_CONNECTION)
        {
            End(TransportPacketType::RESET, status);
        }
    }

  private:
    /// Tells the peer that the connection is over.
    void End(TransportPacketType type, TransportStatus status)
    {
        TransportPacket end(type);
        end.status = status;
        end.cid = m_terms.peerCid;
        end.offer.sourceCid = m_terms.cid;
        m_replies.Push(m_terms.peer, end);
    }

    Ring<UlpEvent>& m_events;       ///< Of the endpoint.
    ReplyQueue& m_replies;          ///< Of the endpoint.
    const ConnectionTerms& m_terms; ///< Of the connection.
};

} // namespace ns3::fabric

#endif // FABRIC_CONNECTION_REPORTS_H
