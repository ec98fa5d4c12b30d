/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GRANT_POLICY_H
#define FABRIC_GRANT_POLICY_H

#include "fabric-ring.h"
#include "fabric-transport-packet.h"
#include "fabric-transport-settings.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/// A solicited push that waits for grants, or an own pull that waits to be asked for.
struct GrantCandidate
{
    ConnectionId cid{0};   ///< The own CID of its connection.
    uint32_t rsn{0};       ///< Its request.
    uint32_t initiator{0}; ///< Number of the peer, from 0.
    uint32_t remaining{0}; ///< Bytes left to grant or to ask for.
};

/// The order of grants over all connections (RT-4).
class GrantPolicy
{
  public:
    /// @param order the user's
    explicit GrantPolicy(GrantOrder order)
        : m_order(order)
    {
    }

    /// @param candidate a push that waits for grants
    void Add(const GrantCandidate& candidate);

    /// @return whether nobody waits
    bool IsEmpty() const
    {
        return m_size == 0;
    }

    /// @return pushes that wait
    uint32_t Size() const
    {
        return m_size;
    }

    /// @return who is next; somebody must wait
    const GrantCandidate& Next() const;

    /// @param bytes that were granted to Next(), at most what remains; it leaves when nothing does
    void Grant(uint32_t bytes);

    /// @return Next(), which leaves
    GrantCandidate Remove();

  private:
    /// A candidate in the heap: fewest bytes first, then by arrival.
    struct HeapEntry
    {
        GrantCandidate candidate; ///< Who.
        uint64_t arrival{0};      ///< Its number.

        /// @param other another @return whether this one is served after it
        bool operator<(const HeapEntry& other) const
        {
            return candidate.remaining != other.candidate.remaining
                       ? candidate.remaining > other.candidate.remaining
                       : arrival > other.arrival;
        }
    };

    GrantOrder m_order;                              ///< The user's.
    uint32_t m_size{0};                              ///< Candidates.
    uint64_t m_arrivals{0};                          ///< Candidates so far.
    Ring<GrantCandidate> m_queue;                    ///< ARRIVAL.
    std::vector<Ring<GrantCandidate>> m_byInitiator; ///< ROUND_ROBIN.
    Ring<uint32_t> m_turns;                          ///< ROUND_ROBIN: initiators with candidates.
    std::vector<HeapEntry> m_heap;                   ///< SHORTEST_FIRST.
};

} // namespace ns3::fabric

#endif // FABRIC_GRANT_POLICY_H
