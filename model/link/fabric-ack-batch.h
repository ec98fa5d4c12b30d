/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ACK_BATCH_H
#define FABRIC_ACK_BATCH_H

#include "fabric-ack.h"

#include <array>

namespace ns3::fabric
{

/**
 * A part of an ACK frame on a link (WL-2). A frame of many ACKs takes several entries of equal time
 * in the link's ring.
 */
struct AckBatch
{
    static constexpr uint32_t CAPACITY = 5; ///< ACKs per entry; 32 bytes in all.

    TimePs time{0};                   ///< When it takes effect at the receiver, ps.
    uint32_t count{0};                ///< ACKs in this entry.
    std::array<Ack, CAPACITY> acks{}; ///< The first `count` of them.

    /// @return whether there is room for no more
    bool IsFull() const
    {
        return count == CAPACITY;
    }

    /// @param ack appended; there must be room
    void Add(const Ack& ack)
    {
        acks[count++] = ack;
    }
};

static_assert(sizeof(AckBatch) == 32, "two entries fill a cache line");

} // namespace ns3::fabric

#endif // FABRIC_ACK_BATCH_H
