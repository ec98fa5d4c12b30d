/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GRANT_CONTROL_H
#define FABRIC_GRANT_CONTROL_H

#include "fabric-grant-policy.h"
#include "fabric-resource-pool.h"
#include "fabric-ring.h"
#include "fabric-transport-settings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ns3::fabric
{

/**
 * How much is granted to whom, so that granted data that has not come yet keeps its limit (RT-4).
 *
 * | candidate            | condition                               | decision                    |
 * |----------------------|-----------------------------------------|-----------------------------|
 * | its connection is    |                                         | leaves, see Drop()          |
 * | gone                 |                                         |                             |
 * | any                  | the limit has no room for its piece     | all wait for granted data   |
 * | not at the head of   | payload memory has no room for all that | is parked until some of it  |
 * | line                 | is granted and this piece               | is given back               |
 * | any                  | otherwise                               | is granted its piece        |
 */
class GrantControl
{
  public:
    /// What becomes of the next candidate.
    enum class Verdict : uint8_t
    {
        GRANT, ///< It is granted.
        WAIT,  ///< Nobody is granted anything now.
        PARK,  ///< It waits for memory; the next one may be granted.
    };

    /// A verdict, and what it is about.
    struct Decision
    {
        Verdict verdict{Verdict::WAIT}; ///< What becomes of the candidate.
        uint32_t bytes{0};              ///< GRANT: how much is granted.
    };

    /**
     * @param settings of the endpoint
     * @param payload memory for what waits for its turn
     */
    GrantControl(const TransportSettings& settings, const ResourcePool& payload)
        : m_payload(payload),
          m_granted(settings.grantLimitBytes),
          m_policy(settings.grantOrder),
          m_quantum(settings.grantQuantumBytes)
    {
    }

    /// @param candidate a push that waits for grants
    void Add(const GrantCandidate& candidate)
    {
        m_policy.Add(candidate);
        m_isDue = true;
    }

    /// Granted bytes have come, or never will. @param bytes of them
    void GiveBack(uint64_t bytes)
    {
        m_granted.Give(bytes);
        m_isDue = true;
    }

    /// Payload memory was given back, or is not needed by who is head of line now.
    void Unpark()
    {
        m_areParkedDue = true;
    }

    /// @return whether a grant may be possible since the last look
    bool TakeDue()
    {
        if (m_areParkedDue && !m_parked.IsEmpty())
        {
            for (uint32_t left = m_parked.Size(); left > 0; --left)
            {
                m_policy.Add(m_parked.Front());
                m_parked.Pop();
            }
            m_isDue = true;
        }
        m_areParkedDue = false;
        const bool isDue = m_isDue;
        m_isDue = false;
        return isDue;
    }

    /// @return whether nobody waits
    bool IsEmpty() const
    {
        return m_policy.IsEmpty();
    }

    /// @return who is next; somebody must wait
    const GrantCandidate& Next() const
    {
        return m_policy.Next();
    }

    /// Next() leaves: there is nothing to grant it any more.
    void Drop()
    {
        m_policy.Remove();
    }

    /**
     * Decides about Next(), which is granted, parked or stays.
     *
     * @param left bytes of it that are not granted yet, above 0
     * @param mtu of its connection: all pieces but the last are whole packets, bytes
     * @param wouldBuffer whether its data would take payload memory now
     * @return what becomes of it
     */
    Decision Decide(uint32_t left, uint32_t mtu, bool wouldBuffer)
    {
        const uint32_t whole = m_quantum / mtu * mtu;
        const uint32_t bytes = std::min({whole, Next().remaining, left});
        if (!m_granted.Has(bytes))
        {
            return {Verdict::WAIT, 0};
        }
        if (wouldBuffer && !HasRoom(bytes))
        {
            m_parked.Push(m_policy.Remove());
            return {Verdict::PARK, 0};
        }
        m_policy.Grant(bytes);
        m_granted.Take(bytes);
        return {Verdict::GRANT, bytes};
    }

    /// @return whether payload memory has room for them and all that is granted
    bool HasRoom(uint64_t bytes) const
    {
        return m_payload.Has(m_granted.Used() + bytes);
    }

    /// @return how much is granted and has not come
    const TableOccupancy& Occupancy() const
    {
        return m_granted.Occupancy();
    }

  private:
    const ResourcePool& m_payload; ///< For what waits for its turn.
    ResourcePool m_granted;        ///< Bytes granted and not yet received.
    GrantPolicy m_policy;          ///< Who is next.
    Ring<GrantCandidate> m_parked; ///< Whose grant waits for payload memory.
    uint32_t m_quantum;            ///< Largest grant, bytes.
    bool m_isDue{false};           ///< Another grant may be possible.
    bool m_areParkedDue{false};    ///< A parked one, too.
};

} // namespace ns3::fabric

#endif // FABRIC_GRANT_CONTROL_H
