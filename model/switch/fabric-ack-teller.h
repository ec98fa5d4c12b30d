/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ACK_TELLER_H
#define FABRIC_ACK_TELLER_H

#include "fabric-switch-observer.h"

namespace ns3::fabric
{

/// Tells who watches a switch of ACKs that a port sends.
struct AckTeller
{
    SwitchObserver* observer; ///< Null for nobody.
    uint32_t port;            ///< By whose link they go.

    /// @param acks of a frame @param now when its first bit is on the wire, ps
    void operator()(const AckBatch& acks, TimePs now) const
    {
        if (observer)
        {
            observer->AcksSent(port, acks, now);
        }
    }
};

} // namespace ns3::fabric

#endif // FABRIC_ACK_TELLER_H
