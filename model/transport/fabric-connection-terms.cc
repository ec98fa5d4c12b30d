/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-connection-terms.h"

#include "fabric-packet-bitmap.h"
#include "fabric-types.h"

#include <algorithm>

namespace ns3::fabric
{

void
ConnectionTerms::Propose(const ConnectionSettings& settings, bool ordered)
{
    mtu = settings.mtu;
    requestWindow = static_cast<uint16_t>(settings.requestWindow);
    dataWindow = static_cast<uint16_t>(settings.dataWindow);
    requestSpan = static_cast<uint16_t>(settings.requestSpan);
    isOrdered = ordered;
}

void
ConnectionTerms::Agree(const ConnectionOffer& offer)
{
    peerCid = offer.sourceCid;
    mtu = std::min<uint32_t>(mtu, offer.mtu);
    requestWindow = std::min(requestWindow, offer.requestWindow);
    dataWindow = std::min(dataWindow, offer.dataWindow);
    requestSpan = std::min(requestSpan, offer.requestSpan);
}

void
ConnectionTerms::WriteTo(TransportPacket& packet) const
{
    packet.offer.isOrdered = isOrdered;
    packet.offer.sourceCid = cid;
    packet.offer.requestWindow = requestWindow;
    packet.offer.dataWindow = dataWindow;
    packet.offer.requestSpan = requestSpan;
    packet.offer.mtu = static_cast<uint16_t>(mtu);
}

bool
ConnectionTerms::AreValid(const ConnectionOffer& offer)
{
    return offer.sourceCid != NO_CONNECTION && offer.sourceCid <= MAX_CONNECTION_ID &&
           offer.mtu >= 64 && offer.mtu <= JUMBO_PAYLOAD && offer.requestWindow >= 1 &&
           offer.requestWindow <= 64 && offer.dataWindow >= 1 &&
           offer.dataWindow <= PacketBitmap::BITS && offer.requestSpan >= 1 &&
           offer.requestSpan <= 4096;
}

} // namespace ns3::fabric
