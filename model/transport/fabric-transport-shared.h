/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_SHARED_H
#define FABRIC_TRANSPORT_SHARED_H

#include "fabric-delivery-shared.h"
#include "fabric-initiator-shared.h"
#include "fabric-reply-queue.h"
#include "fabric-ring.h"
#include "fabric-target-shared.h"
#include "fabric-transport-counters.h"
#include "fabric-transport-event.h"
#include "fabric-transport-settings.h"
#include "fabric-tx-scheduler.h"

#include <cstddef>

namespace ns3::fabric
{

/// What the connections of an endpoint share, in parts: each unit of a connection gets its own.
struct TransportShared
{
    /**
     * @param chosen settings of the endpoint, valid
     * @param accept settings of connections that peers open, valid
     */
    TransportShared(const TransportSettings& chosen, const ConnectionSettings& accept)
        : settings(chosen),
          accepted(accept),
          replies(counters),
          scheduler(chosen.isStrict, chosen.txWeights),
          delivery(settings, counters),
          initiators(settings, counters, events, delivery, targets.grants),
          targets(settings, counters)
    {
    }

    TransportShared(const TransportShared&) = delete;            ///< Its parts know each other.
    TransportShared& operator=(const TransportShared&) = delete; ///< Its parts know each other.

    TransportSettings settings;  ///< Of the endpoint.
    ConnectionSettings accepted; ///< Of connections that peers open.
    TransportCounters counters;  ///< Of the endpoint.
    Ring<UlpEvent> events;       ///< Not taken yet; REQUEST is resolved when it is taken.
    ReplyQueue replies;          ///< Sent once, of no window.
    TimePs waitsSince{0};        ///< If something is to be sent, nothing was since then, ps.
    TxScheduler scheduler;       ///< Who sends next.
    DeliveryShared delivery;     ///< Windows.
    InitiatorShared initiators;  ///< Own requests.
    TargetShared targets;        ///< Peers' requests.
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_SHARED_H
