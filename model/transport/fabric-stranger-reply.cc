/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-stranger-reply.h"

namespace ns3::fabric
{

TransportPacket
RefusalOf(const TransportPacket& connect)
{
    TransportPacket refuse(TransportPacketType::REFUSE);
    refuse.status = TransportStatus::REFUSED;
    refuse.cid = connect.offer.sourceCid;
    return refuse;
}

std::optional<TransportPacket>
ReplyToStranger(const TransportPacket& packet)
{
    TransportPacket reply(TransportPacketType::NACK, NackCode::BAD_CID);
    switch (packet.type)
    {
    case TransportPacketType::CLOSE:
        reply.Become(TransportPacketType::CLOSED); // it was left, and the answer was lost
        reply.cid = packet.offer.sourceCid;
        break;
    case TransportPacketType::ACCEPT:
        reply.Become(TransportPacketType::RESET); // its CONNECT was given up
        reply.status = TransportStatus::BAD_CID;
        reply.cid = packet.offer.sourceCid;
        break;
    case TransportPacketType::CLOSED:
    case TransportPacketType::REFUSE:
    case TransportPacketType::RESET:
    case TransportPacketType::NACK:
        return std::nullopt;
    default:
        break;
    }
    reply.offer.sourceCid = packet.cid;
    return reply;
}

} // namespace ns3::fabric
