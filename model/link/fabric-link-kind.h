/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LINK_KIND_H
#define FABRIC_LINK_KIND_H

#include "fabric-link-rate.h"
#include "fabric-types.h"

namespace ns3::fabric
{

/// What a link adds to the time between the sender's start and the receiver's first decision.
struct LinkTiming
{
    TimePs delay{0};             ///< Propagation, ps.
    TimePs dataLatency{0};       ///< Receiver's pipeline for frames, ps.
    TimePs controlLatency{0};    ///< Receiver's pipeline for ACKs, sender's for credits, ps.
    bool storeAndForward{false}; ///< The receiver uses a frame when its tail is in, not its head.
};

/**
 * What links have in common. A fabric has many links and few kinds of them, so those stay in the
 * caches where the ports can't.
 */
struct LinkKind
{
    LinkRate rate;     ///< Rate of the link.
    LinkTiming timing; ///< Latencies of the link.
};

/**
 * To be called while links are made, not while threads run windows.
 *
 * @return the one object for all links of a kind; it stays until the process ends
 */
const LinkKind& SharedKind(const LinkKind& kind);

} // namespace ns3::fabric

#endif // FABRIC_LINK_KIND_H
