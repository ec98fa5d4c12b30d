/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SEND_LISTS_H
#define FABRIC_SEND_LISTS_H

#include "fabric-lane-table.h"
#include "fabric-queue-ring.h"

#include <array>
#include <cstdint>

namespace ns3
{
namespace fabric
{

/// Number of no queue of a NIC.
inline constexpr uint32_t NO_SEND_QUEUE = 0xFFFFFFFF;

/**
 * The queues of a NIC that have something to send, in a list for each lane. In a list they have
 * turns; between the lists somebody else chooses.
 *
 * What finds a queue by its number is passed in as `queues`: `Queue& queues(uint32_t)`; a queue has
 * a member `uint32_t next`.
 */
class SendLists
{
  public:
    static constexpr uint32_t MOST = DEFAULT_LANES; ///< Lists of a NIC.

    /// @return bit mask of lists in which queues wait
    LaneMask Waiting() const
    {
        return m_waiting;
    }

    /**
     * @param list number of a list with queues
     * @param queues finds a queue
     * @return the queue whose turn it is
     */
    template <typename Queues>
    uint32_t Front(uint32_t list, Queues&& queues) const
    {
        return m_rings[list].Front(queues);
    }

    /**
     * @param list number of a list
     * @param queues finds a queue
     * @param number of a queue that begins to wait; its turn comes last
     */
    template <typename Queues>
    void Append(uint32_t list, Queues&& queues, uint32_t number)
    {
        m_rings[list].Append(queues, number);
        m_waiting |= LaneMask{1} << list;
    }

    /**
     * A queue is served, and waits no longer. Those whose turn was before it lose it, since they
     * could not use it.
     *
     * @param list where it waits
     * @param queues finds a queue
     * @param number of the queue
     */
    template <typename Queues>
    void TakeOut(uint32_t list, Queues&& queues, uint32_t number)
    {
        m_rings[list].TurnTo(queues, number);
        m_rings[list].RemoveFront(queues);
        m_waiting &= ~(LaneMask{m_rings[list].IsEmpty()} << list);
    }

    /**
     * Nothing waits any more.
     *
     * @param queues finds a queue
     * @param visit is called with each queue that waited: `void visit(uint32_t)`
     */
    template <typename Queues, typename Visit>
    void TakeAll(Queues&& queues, Visit&& visit)
    {
        while (m_waiting != 0)
        {
            const auto list = static_cast<uint32_t>(__builtin_ctz(m_waiting));
            const uint32_t number = Front(list, queues);
            TakeOut(list, queues, number);
            visit(number);
        }
    }

  private:
    LaneMask m_waiting{0};                                             ///< See Waiting().
    std::array<BasicQueueRing<uint32_t, NO_SEND_QUEUE>, MOST> m_rings; ///< By list.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_SEND_LISTS_H
