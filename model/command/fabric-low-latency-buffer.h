/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LOW_LATENCY_BUFFER_H
#define FABRIC_LOW_LATENCY_BUFFER_H

#include "fabric-command-ring.h"
#include "fabric-command.h"
#include "fabric-ring.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/// A piece of a command that software writes to the NIC: words of 8 bytes of one slot.
struct CommandPiece
{
    uint64_t position{0}; ///< Of the slot.
    uint8_t words{0};     ///< Bit i: bytes 8 i to 8 i + 7 are there.
};

inline constexpr uint8_t ALL_WORDS = 0xFF; ///< Of a slot.

/**
 * The low-latency buffer of a command queue on the NIC, and its write pointer (NQ-5 to NQ-7).
 *
 *     prefetch        buffer end           write pointer
 *        |  in the buffer |  only in the ring   |  pieces, not complete
 *
 * Pieces come in any order. The write pointer advances over complete slots only. The buffer takes
 * one command at a time: a piece is dropped if the buffer has no room at its position, if it still
 * has data of a command before, or if something has to come from the ring before it. What is
 * dropped still moves the write pointer, so that its command is fetched from the ring.
 */
class LowLatencyBuffer
{
  public:
    /// @param slots that it has room for; 0 for none @param ring with what is in the buffer, too
    /// @param kind of the queue
    LowLatencyBuffer(uint32_t slots, const CommandRing& ring, CommandQueueKind kind)
        : m_slots(slots),
          m_ring(&ring),
          m_kind(kind)
    {
    }

    /// @return write pointer of the NIC
    uint64_t WritePointer() const
    {
        return m_write;
    }

    /// @return what lies in the buffer ends here
    uint64_t End() const
    {
        return m_end;
    }

    /**
     * A piece arrives.
     *
     * @param prefetch pointer of the NIC
     * @return whether it is taken; otherwise it is dropped
     */
    bool Take(const CommandPiece& piece, uint64_t prefetch)
    {
        if (piece.position < m_write)
        {
            return false; // a doorbell was faster
        }
        const auto index = static_cast<uint32_t>(piece.position - m_write);
        while (m_pieces.Size() <= index)
        {
            m_pieces.Push({});
        }
        Slot& slot = m_pieces.At(index);
        slot.words |= piece.words;
        const bool isTaken = piece.position < RoomEnd(prefetch);
        slot.isDropped |= !isTaken;
        PassComplete(prefetch);
        return isTaken;
    }

    /// A doorbell. @param write pointer, which may be known already @param prefetch of the NIC
    void Doorbell(uint64_t write, uint64_t prefetch)
    {
        while (m_write < write && !m_pieces.IsEmpty())
        {
            Advance(true, prefetch);
        }
        m_write = std::max(m_write, write);
        PassComplete(prefetch); // pieces behind it may have been faster
    }

    /// What lies in the buffer is not used, but fetched. @param prefetch of the NIC
    void GiveUp(uint64_t prefetch)
    {
        m_end = prefetch;
    }

    /// The NIC has asked for more, or taken it from here. @param prefetch that has advanced
    void Passed(uint64_t prefetch)
    {
        while (m_begin < prefetch)
        {
            m_begin += m_ring->SlotsAt(m_begin, m_kind);
        }
    }

    /// @param prefetch pointer of the NIC @return whether something has to come from the ring
    bool MustFetch(uint64_t prefetch) const
    {
        return std::max(m_end, prefetch) < m_write;
    }

  private:
    /// What has come of a slot beyond the write pointer.
    struct Slot
    {
        uint8_t words{0};      ///< As CommandPiece::words.
        bool isDropped{false}; ///< Whether a piece of it was.
    };

    /// @param prefetch of the NIC @return what it has room for ends here, `prefetch` for nothing
    uint64_t RoomEnd(uint64_t prefetch) const
    {
        if (MustFetch(prefetch) || m_begin != prefetch)
        {
            return prefetch;
        }
        const bool isLengthKnown = m_write > prefetch; // by the first slot, which is complete
        return prefetch +
               (isLengthKnown ? std::min(m_slots, m_ring->SlotsAt(prefetch, m_kind)) : m_slots);
    }

    /// The write pointer passes all complete slots.
    void PassComplete(uint64_t prefetch)
    {
        while (!m_pieces.IsEmpty() && m_pieces.Front().words == ALL_WORDS)
        {
            Advance(m_pieces.Front().isDropped, prefetch);
        }
    }

    /// The write pointer passes a slot.
    void Advance(bool isDropped, uint64_t prefetch)
    {
        if (!isDropped && m_write < RoomEnd(prefetch))
        {
            m_end = m_write + 1;
        }
        ++m_write;
        m_pieces.Pop();
        // What has overtaken the last piece of a command turns out to be of another one.
        const uint64_t roomEnd = RoomEnd(prefetch);
        for (uint32_t i = 0; i < m_pieces.Size(); ++i)
        {
            m_pieces.At(i).isDropped |= m_pieces.At(i).words != 0 && m_write + i >= roomEnd;
        }
    }

    uint32_t m_slots;          ///< Room.
    const CommandRing* m_ring; ///< In host memory.
    CommandQueueKind m_kind;   ///< Of the queue.
    uint64_t m_write{0};       ///< Slots before it are complete.
    uint64_t m_end{0};         ///< Slots from prefetch to it lie in the buffer.
    uint64_t m_begin{0};       ///< Where the first command from prefetch on begins.
    Ring<Slot> m_pieces;       ///< From the write pointer on.
};

} // namespace ns3::fabric

#endif // FABRIC_LOW_LATENCY_BUFFER_H
