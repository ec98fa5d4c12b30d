/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_RING_H
#define FABRIC_COMMAND_RING_H

#include "fabric-command.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * The ring of a command queue in host memory (NQ-2): what the driver writes and the NIC reads. The
 * simulator keeps what the NIC has not processed: one that is never written takes no memory.
 *
 *     | status | slot 0 | slot 1 | ...                         | last slot |
 *                 ^ read      ^ prefetch        ^ write
 *
 * The first four slots hold the status, and one of the others stays free, so that full and empty
 * differ (Cassini, libcxi). Positions are counted without end; a slot has a position modulo the
 * number of slots for commands, which is a multiple of the longest command, so that none wraps.
 */
class CommandRing
{
  public:
    static constexpr uint32_t STATUS_SLOTS = 4; ///< At the begin (Cassini).

    /// @param slots of the ring with those of the status, a multiple of 4, at least 8
    explicit CommandRing(uint32_t slots)
        : m_count(slots - STATUS_SLOTS)
    {
    }

    /// @return slots for commands
    uint32_t Slots() const
    {
        return m_count;
    }

    /// @return slots that may be in use at a time
    uint32_t Capacity() const
    {
        return Slots() - 1;
    }

    /// @return slots from a position on until the ring wraps
    uint32_t UntilWrap(uint64_t position) const
    {
        return Slots() - static_cast<uint32_t>(position % Slots());
    }

    /// The driver writes the header of a command into its first slot, behind those before.
    void Write(uint64_t position, const Command& command)
    {
        if (position - m_processed >= m_kept.size())
        {
            Grow(position);
        }
        m_kept[PlaceOf(position)] = command;
    }

    /// @return what stands in the first slot of a command, which is not processed
    const Command& At(uint64_t position) const
    {
        return m_kept[PlaceOf(position)];
    }

    /// The NIC has processed all slots before a position.
    void Processed(uint64_t position)
    {
        m_processed = position;
    }

    /// @return slots for which the simulator has memory
    std::size_t Kept() const
    {
        return m_kept.size();
    }

    /**
     * @param position where a command begins
     * @param kind of the queue
     * @return slots of that command; of one that is malformed its first
     */
    uint32_t SlotsAt(uint64_t position, CommandQueueKind kind) const
    {
        const Command& command = At(position);
        return command.IsWellFormed(position, kind) ? command.slots : 1;
    }

  private:
    static constexpr std::size_t FIRST_KEPT = 8; ///< A power of two, as each number of them.

    /// @return where a position is kept
    std::size_t PlaceOf(uint64_t position) const
    {
        return position & (m_kept.size() - 1);
    }

    /// Makes room for a position, and for all before it that are not processed.
    void Grow(uint64_t position)
    {
        std::size_t size = std::max(m_kept.size(), FIRST_KEPT);
        while (position - m_processed >= size)
        {
            size *= 2;
        }
        std::vector<Command> kept(size);
        for (uint64_t at = m_processed; at < position && at - m_processed < m_kept.size(); ++at)
        {
            kept[at & (size - 1)] = At(at);
        }
        m_kept = std::move(kept);
    }

    uint32_t m_count;            ///< Slots for commands.
    uint64_t m_processed{0};     ///< The NIC needs no slot before it.
    std::vector<Command> m_kept; ///< By position; of a long command the first one counts.
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_RING_H
