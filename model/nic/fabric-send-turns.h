/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SEND_TURNS_H
#define FABRIC_SEND_TURNS_H

#include "fabric-pause.h"
#include "fabric-ring.h"

#include <array>

namespace ns3
{
namespace fabric
{

/**
 * Whose turn it is to send: queues in the order in which they asked, except that priorities that are
 * paused are passed over and keep their place (WL-5).
 *
 * Each priority has a ring of its own and each turn a running number, so that a turn is found in the
 * time of a look at eight heads, however many queues are stopped. With nothing stopped the order is
 * that of a single ring.
 */
class SendTurns
{
  public:
    static constexpr uint32_t NONE = PAUSE_PRIORITIES; ///< Priority that stands for none.

    /// @return whether nobody wants to send
    bool IsEmpty() const
    {
        return m_waiting == 0;
    }

    /**
     * @param queue gets its turn after all that have asked before
     * @param priority of the queue, 0..7
     */
    void Push(uint32_t queue, uint32_t priority)
    {
        m_turns[priority].Push({m_next++, queue});
        m_waiting |= 1U << priority;
    }

    /**
     * @param stopped bit n: priority n is passed over
     * @return priority of the first turn, or NONE
     */
    uint32_t FirstPriority(uint8_t stopped) const
    {
        const uint32_t ready = m_waiting & ~uint32_t{stopped};
        if (ready == 1)
        {
            return 0; // always so where priorities are not told apart and may go
        }
        uint32_t first = NONE;
        for (uint32_t priority = 0; priority < PAUSE_PRIORITIES; ++priority)
        {
            if ((ready >> priority & 1) != 0 &&
                (first == NONE ||
                 m_turns[priority].Front().number < m_turns[first].Front().number))
            {
                first = priority;
            }
        }
        return first;
    }

    /**
     * @param priority one that has a turn
     * @return the queue whose turn it is
     */
    uint32_t Front(uint32_t priority) const
    {
        return m_turns[priority].Front().queue;
    }

    /// @param priority its first turn is over
    void Pop(uint32_t priority)
    {
        m_turns[priority].Pop();
        m_waiting &= ~(m_turns[priority].IsEmpty() ? 1U << priority : 0U);
    }

    /// @return bytes of memory held besides the object
    std::size_t MemoryBytes() const
    {
        std::size_t bytes = 0;
        for (const Ring<Turn>& turns : m_turns)
        {
            bytes += turns.MemoryBytes();
        }
        return bytes;
    }

  private:
    /// A queue's wish to send.
    struct Turn
    {
        uint64_t number; ///< Of all turns so far.
        uint32_t queue;  ///< Who.
    };

    std::array<Ring<Turn>, PAUSE_PRIORITIES> m_turns; ///< By priority, in the order of the numbers.
    uint64_t m_next{0};                               ///< Number of the next turn.
    uint32_t m_waiting{0};                            ///< Bit n: priority n has a turn.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_SEND_TURNS_H
