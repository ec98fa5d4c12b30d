/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ACK_FRAME_H
#define FABRIC_ACK_FRAME_H

#include "fabric-ack-batch.h"
#include "fabric-transmitter.h"

namespace ns3::fabric
{

/**
 * Sends an ACK frame (WL-2), unless the link has to repeat something else first.
 *
 * @param link whose wire is free
 * @param count of ACKs, at most MAX_ACKS_PER_FRAME
 * @param next gives the ACKs one after the other: `Ack next()`; it is not called if nothing is sent
 * @param tell is told of the ACKs that are sent, and when: `void tell(const AckBatch&, TimePs)`
 * @return whether it is sent; it may be damaged, and then its receiver does not hear of it
 */
template <typename Next, typename Tell>
bool
SendAckFrame(Transmitter& link, uint32_t count, TimePs now, Next&& next, Tell&& tell)
{
    const Attempt attempt = link.TryControl(AckFrameBytes(count), now);
    if (attempt == Attempt::LATER)
    {
        return false;
    }
    AckBatch batch;
    batch.time = link.StartControl(AckFrameBytes(count), now);
    for (uint32_t i = 0; i < count; ++i)
    {
        if (batch.IsFull())
        {
            tell(batch, now);
            link.PushAcks(batch, attempt);
            batch.count = 0;
        }
        batch.Add(next());
    }
    tell(batch, now);
    link.PushAcks(batch, attempt);
    return true;
}

} // namespace ns3::fabric

#endif // FABRIC_ACK_FRAME_H
