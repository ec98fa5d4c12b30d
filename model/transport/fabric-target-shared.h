/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TARGET_SHARED_H
#define FABRIC_TARGET_SHARED_H

#include "fabric-buffer-pool.h"
#include "fabric-credit-control.h"
#include "fabric-grant-control.h"
#include "fabric-peer-request.h"
#include "fabric-resource-pool.h"
#include "fabric-transport-counters.h"
#include "fabric-transport-settings.h"

namespace ns3::fabric
{

/// What the requests of all peers share.
struct TargetShared
{
    /// @param chosen settings of the endpoint
    TargetShared(const TransportSettings& chosen, TransportCounters& counted)
        : counters(counted),
          entries(chosen.targetEntries),
          credits(chosen, counted),
          payload(chosen.receivePayloadBytes),
          grants(chosen, payload)
    {
    }

    /// Payload that waited for its turn has gone on.
    void GivePayload(uint64_t bytes)
    {
        payload.Give(bytes);
        grants.Unpark();
    }

    TransportCounters& counters;    ///< Of the endpoint.
    ResourcePool entries;           ///< Peers' requests.
    CreditControl credits;          ///< Who may send requests.
    ResourcePool payload;           ///< Bytes that wait for their turn.
    GrantControl grants;            ///< Who is granted how much.
    BufferPool<PeerRequest> tables; ///< Of the requests.
};

} // namespace ns3::fabric

#endif // FABRIC_TARGET_SHARED_H
