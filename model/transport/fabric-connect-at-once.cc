/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-connect-at-once.h"

#include <stdexcept>

namespace ns3::fabric
{

namespace
{

/// Hands over what one end has to send. @return whether that was anything
bool
HandOver(const ConnectionEnd& from, const ConnectionEnd& to, TimePs now)
{
    bool isAny = false;
    while (from.endpoint.HasPacket())
    {
        const std::optional<OutgoingPacket> next = from.endpoint.NextPacket(now);
        if (!next)
        {
            break;
        }
        to.endpoint.ReceiveAtOnce(next->packet, from.address, now);
        isAny = true;
    }
    return isAny;
}

} // namespace

ConnectionId
ConnectAtOnce(const ConnectionEnd& initiator,
              const ConnectionEnd& target,
              const ConnectionSettings& settings,
              TimePs now)
{
    if (initiator.endpoint.HasPacket() || target.endpoint.HasPacket())
    {
        throw std::invalid_argument("a connection can't be opened at once while one of its ends "
                                    "has something to send; allowed is before that");
    }
    const ConnectionId cid = initiator.endpoint.Connect(target.address, settings, now);
    if (cid == NO_CONNECTION)
    {
        return cid;
    }
    while (HandOver(initiator, target, now) || HandOver(target, initiator, now))
    {
    }
    const auto view = initiator.endpoint.GetTransport().View(cid);
    return view && view->isOpen ? cid : NO_CONNECTION;
}

} // namespace ns3::fabric
