/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_WRITER_H
#define FABRIC_COMMAND_WRITER_H

#include "fabric-command-ring.h"

#include <cstdint>
#include <optional>

namespace ns3::fabric
{

/**
 * The driver's pointers of a command queue (NQ-3, NQ-4): where it writes, how far the NIC knows,
 * and the last read pointer that it has seen. Commands are aligned to their size, as Cassini wants
 * them, with no-ops before them.
 */
class CommandWriter
{
  public:
    explicit CommandWriter(CommandRing& ring)
        : m_ring(&ring)
    {
    }

    /// @param slots of the next command @return no-ops before it, slots
    uint32_t Padding(uint32_t slots) const
    {
        const auto over = static_cast<uint32_t>(m_write % slots);
        return over == 0 ? 0 : slots - over;
    }

    /// @return whether there is room for a command of so many slots, as far as is known
    bool HasRoom(uint32_t slots) const
    {
        return m_write + Padding(slots) + slots - m_knownRead <= m_ring->Capacity();
    }

    /**
     * Writes a command into the ring, which has room for it.
     *
     * @param slots that it takes; its header may say another number
     * @return its position
     */
    uint64_t Write(const Command& command, uint32_t slots)
    {
        for (uint32_t left = Padding(slots); left != 0; --left)
        {
            Command filler;
            filler.op = CommandOp::NOOP;
            m_ring->Write(m_write++, filler);
        }
        const uint64_t position = m_write;
        m_ring->Write(position, command);
        m_write += slots;
        return position;
    }

    /// The NIC learns of all commands. @return its new write pointer
    uint64_t Tell()
    {
        m_told = m_write;
        return m_told;
    }

    /// @return whether the NIC does not know of all commands
    bool HasUntold() const
    {
        return m_told != m_write;
    }

    /// @return whether the ring is empty, as far as is known
    bool IsKnownEmpty() const
    {
        return m_knownRead == m_write;
    }

    /// @param read pointer that was seen
    void Learn(uint64_t read)
    {
        m_knownRead = read;
    }

    /// @return write pointer
    uint64_t Position() const
    {
        return m_write;
    }

  private:
    CommandRing* m_ring;     ///< In host memory.
    uint64_t m_write{0};     ///< Where the next command goes.
    uint64_t m_told{0};      ///< The NIC's write pointer, when all is there that is on its way.
    uint64_t m_knownRead{0}; ///< Slots below it are free.
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_WRITER_H
