/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ACK_BATCH_H
#define FABRIC_ACK_BATCH_H

#include "fabric-ack.h"
#include "fabric-frame.h"

#include <array>
#include <cstring>

namespace ns3
{
namespace fabric
{

/**
 * What a ring entry holds when it is a part of an ACK frame: the same 32 bytes as a Frame, with the
 * ACKs where a frame has its addresses. A frame of many ACKs takes several entries of equal time.
 */
struct AckBatch
{
    static constexpr uint32_t CAPACITY = 5; ///< ACKs per ring entry.

    TimePs time;                    ///< When it takes effect at the receiver, ps.
    std::array<Ack, CAPACITY> acks; ///< The first `count` of them.
    FrameKind kind : 4;             ///< FrameKind::ACK; at the same place as in a Frame.
    uint8_t count : 4;              ///< ACKs in this entry.
    uint8_t unused[3];              ///< Pads to the size of a Frame.

    /**
     * @param time when it takes effect at the receiver, ps
     * @return a batch without ACKs
     */
    static AckBatch Begin(TimePs time)
    {
        AckBatch batch{};
        batch.time = time;
        batch.kind = FrameKind::ACK;
        return batch;
    }

    /// @param ack appended; there must be room
    void Add(const Ack& ack)
    {
        acks[count] = ack;
        count = static_cast<uint8_t>((count + 1) & 0xF);
    }

    /// @return the ring entry that holds this batch
    Frame ToEntry() const
    {
        Frame entry;
        std::memcpy(&entry, this, sizeof(entry));
        return entry;
    }

    /**
     * @param entry a ring entry whose kind is ACK
     * @return the batch in it
     */
    static AckBatch FromEntry(const Frame& entry)
    {
        AckBatch batch;
        std::memcpy(&batch, &entry, sizeof(batch));
        return batch;
    }
};

static_assert(sizeof(AckBatch) == sizeof(Frame), "both are entries of one ring");

} // namespace fabric
} // namespace ns3

#endif // FABRIC_ACK_BATCH_H
