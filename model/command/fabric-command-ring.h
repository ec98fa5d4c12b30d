/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_RING_H
#define FABRIC_COMMAND_RING_H

#include "fabric-command.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * The ring of a command queue in host memory (NQ-2): what the driver writes and the NIC reads. One
 * that is never written takes no memory.
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

    /// The driver writes the header of a command into its first slot.
    void Write(uint64_t position, const Command& command)
    {
        if (m_slots.empty())
        {
            m_slots.resize(m_count);
        }
        m_slots[position % Slots()] = command;
    }

    /// @return what stands in the first slot of a command
    const Command& At(uint64_t position) const
    {
        return m_slots[position % Slots()];
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
    uint32_t m_count;             ///< Slots for commands.
    std::vector<Command> m_slots; ///< By position; of a long command the first one counts.
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_RING_H
