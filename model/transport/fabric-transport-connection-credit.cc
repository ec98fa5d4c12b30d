/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-connection.h"

#include <algorithm>

// What the two ends of a connection tell each other of entries of the CAM.

namespace ns3::fabric
{

void
TransportConnection::OnCredit(const TransportPacket& packet)
{
    TransportPiece about;
    switch (packet.nack)
    {
    case NackCode::CREDIT_WANTED:
        if (m_target.IsTrusted())
        {
            MeterPeer(); // its answer was lost
            return;
        }
        m_target.Want(packet.piece.rsn);
        return;
    case NackCode::CREDIT:
        m_shared.counters.malformed += !m_initiator.TakeCredit(packet.piece.rsn);
        return;
    case NackCode::CREDIT_ONLY:
        m_initiator.Meter(0);
        about.rsn = m_initiator.CreditLimit();
        m_reports.Nack(NackCode::CREDIT_HEARD, about);
        return;
    default:
        m_target.Meter(packet.piece.rsn);
        return;
    }
}

void
TransportConnection::MeterPeer()
{
    if (m_handshake.CarriesPackets())
    {
        TransportPiece about;
        about.rsn = m_target.BeginMetering();
        m_reports.Nack(NackCode::CREDIT_ONLY, about);
    }
}

void
TransportConnection::TellCredit(TimePs now)
{
    TransportPiece about;
    if (m_target.TakeCreditDue())
    {
        about.rsn = m_target.CreditLimit();
        m_reports.Nack(NackCode::CREDIT, about);
    }
    // More often than it can be answered makes no sense.
    const TimePs delay = std::max(m_shared.settings.noResourceDelay, m_delivery.Path().Rtt());
    if (const std::optional<uint32_t> wanted = m_initiator.TakeAsk(now, delay))
    {
        about.rsn = *wanted;
        m_reports.Nack(NackCode::CREDIT_WANTED, about);
    }
}

} // namespace ns3::fabric
