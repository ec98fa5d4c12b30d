/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RDMA_TAG_H
#define FABRIC_RDMA_TAG_H

#include "fabric-rdma.h"
#include "fabric-transport-event.h"

#include <cstdint>

namespace ns3::fabric
{

/// What the tag of a request says: its two highest bits the operation, the others the user's
/// cookie.
struct RdmaTag
{
    static constexpr uint32_t COOKIE_BITS = 62;                                  ///< Of a cookie.
    static constexpr uint64_t LARGEST_COOKIE = (uint64_t{1} << COOKIE_BITS) - 1; ///< Of all.

    /**
     * @param cookie the user's
     * @return the tag of its request
     */
    static uint64_t Of(RdmaOperation operation, uint64_t cookie)
    {
        return static_cast<uint64_t>(operation) << COOKIE_BITS | cookie;
    }

    /// @return the operation that it says; a peer may say none
    static RdmaOperation OperationOf(uint64_t tag)
    {
        return static_cast<RdmaOperation>(tag >> COOKIE_BITS);
    }

    /**
     * @param type what the user is told
     * @param event what the transport tells
     * @return what the user is told of it
     */
    static RdmaEvent EventOf(RdmaEventType type, const UlpEvent& event)
    {
        RdmaEvent told;
        told.type = type;
        told.operation = OperationOf(event.tag);
        told.status = event.status;
        told.isSolicited = event.isSolicited;
        told.cid = event.cid;
        told.rsn = event.rsn;
        told.bytes = event.bytes;
        told.cookie = event.tag & LARGEST_COOKIE;
        told.peer = event.peer;
        told.postedAt = event.issuedAt;
        told.at = event.at;
        return told;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_RDMA_TAG_H
