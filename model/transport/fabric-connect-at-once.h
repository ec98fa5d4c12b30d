/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONNECT_AT_ONCE_H
#define FABRIC_CONNECT_AT_ONCE_H

#include "fabric-rdma-endpoint.h"

namespace ns3::fabric
{

/// One end of a connection that is opened at once.
struct ConnectionEnd
{
    RdmaEndpoint& endpoint; ///< Of the host.
    PeerAddress address;    ///< By which the other end knows it.
};

/**
 * Opens a connection without the network (RT-1): what both ends have to say for it is handed over
 * at once, as a connection manager does it for queue pairs, by other means. Both are open then,
 * also where they look up packets in their CAMs.
 *
 * @param initiator who opens it; neither end has anything to send
 * @param settings the initiator's
 * @return the initiator's CID; NO_CONNECTION if either end has as many as it can have, or accepts
 *         none
 * @throw std::invalid_argument if a setting is out of its range, or an end has something to send
 */
ConnectionId ConnectAtOnce(const ConnectionEnd& initiator,
                           const ConnectionEnd& target,
                           const ConnectionSettings& settings,
                           TimePs now);

} // namespace ns3::fabric

#endif // FABRIC_CONNECT_AT_ONCE_H
