/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INITIATOR_SHARED_H
#define FABRIC_INITIATOR_SHARED_H

#include "fabric-buffer-pool.h"
#include "fabric-delivery-shared.h"
#include "fabric-grant-control.h"
#include "fabric-own-request.h"
#include "fabric-resource-pool.h"
#include "fabric-ring.h"
#include "fabric-room-notice.h"
#include "fabric-transport-counters.h"
#include "fabric-transport-event.h"
#include "fabric-transport-settings.h"

namespace ns3::fabric
{

/// What the requests of the own ULPs share.
struct InitiatorShared
{
    /**
     * @param chosen settings of the endpoint
     * @param delivery of the endpoint
     * @param control of the endpoint
     */
    InitiatorShared(const TransportSettings& chosen,
                    TransportCounters& counted,
                    Ring<UlpEvent>& told,
                    DeliveryShared& delivery,
                    GrantControl& control)
        : counters(counted),
          events(told),
          payload(delivery.payload),
          room(delivery.room),
          grants(control),
          entries(chosen.initiatorEntries)
    {
    }

    TransportCounters& counters;   ///< Of the endpoint.
    Ring<UlpEvent>& events;        ///< Of the endpoint.
    const ResourcePool& payload;   ///< Bytes kept for resends.
    RoomNotice& room;              ///< For ULPs whose request was refused.
    GrantControl& grants;          ///< Whose pull is asked for, and when.
    ResourcePool entries;          ///< Own requests.
    BufferPool<OwnRequest> tables; ///< Of them.
};

} // namespace ns3::fabric

#endif // FABRIC_INITIATOR_SHARED_H
