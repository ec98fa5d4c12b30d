/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REPLY_QUEUE_H
#define FABRIC_REPLY_QUEUE_H

#include "fabric-ring.h"
#include "fabric-transport-counters.h"
#include "fabric-transport-packet.h"

#include <cstddef>

namespace ns3::fabric
{

/**
 * Packets that belong to no window and are sent once: NACK, REFUSE, CLOSED and RESET. If too many
 * wait, they are dropped, as the network might have: none of them is relied on.
 */
class ReplyQueue
{
  public:
    static constexpr uint32_t LIMIT = 256; ///< Replies that wait for the wire. Chosen.

    /// @param counters of the endpoint, for what is dropped
    explicit ReplyQueue(TransportCounters& counters)
        : m_counters(counters)
    {
    }

    /// @return whether none waits
    bool IsEmpty() const
    {
        return m_waiting.IsEmpty();
    }

    /**
     * @param peer whom to
     * @param packet NACK, REFUSE, CLOSED or RESET
     * @param place of the connection that it goes with, 0 for none
     */
    void Push(PeerAddress peer, const TransportPacket& packet, uint32_t place = 0)
    {
        if (m_waiting.Size() >= LIMIT)
        {
            ++m_counters.dropped;
            return;
        }
        m_waiting.Push({peer, place, packet});
    }

    /// @return the oldest, which leaves; one must wait
    OutgoingPacket Take()
    {
        const OutgoingPacket reply = m_waiting.Front();
        m_waiting.Pop();
        return reply;
    }

  private:
    TransportCounters& m_counters;  ///< Of the endpoint.
    Ring<OutgoingPacket> m_waiting; ///< The oldest first.
};

} // namespace ns3::fabric

#endif // FABRIC_REPLY_QUEUE_H
