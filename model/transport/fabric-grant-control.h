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
 * How much is granted to whom and asked for, so that data that is to come keeps its limit, be it
 * pushed or pulled (RT-4).
 *
 * | candidate            | condition                               | decision                    |
 * |----------------------|-----------------------------------------|-----------------------------|
 * | its connection is    |                                         | leaves, see Drop()          |
 * | gone                 |                                         |                             |
 * | any                  | the limit has no room for its piece     | all wait for data           |
 * | push, not at the     | payload memory has no room for all that | is parked until some of it  |
 * | head of line         | is granted and this piece               | is given back               |
 * | push                 | otherwise                               | is granted its piece        |
 * | pull                 | otherwise                               | is asked for                |
 *
 * If both pushes and pulls wait, those are next who have less of the limit. A pull comes from one
 * host, so it takes half of the limit at most; what it takes it gives back with its data.
 *
 * Pulled data may wait at the peer for a push that is before it, which needs a grant from there. So
 * that two ends never wait for each other, a push is granted whenever none is, even if pulls have
 * the limit: then there may be a quantum more than the limit.
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
          m_coming(settings.grantLimitBytes),
          m_pushes(settings.grantOrder),
          m_pulls(settings.grantOrder),
          m_quantum(settings.grantQuantumBytes),
          m_mostOfPull(settings.admitsPulls ? settings.grantLimitBytes / 2 : 0)
    {
    }

    /// @param candidate a push that waits for grants
    void Add(const GrantCandidate& candidate)
    {
        m_pushes.Add(candidate);
        m_isDue = true;
    }

    /// @param candidate a pull that waits to be asked for
    void AddPull(const GrantCandidate& candidate)
    {
        m_pulls.Add(candidate);
        m_isDue = true;
    }

    /// Granted bytes have come, or never will. @param bytes of them
    void GiveBack(uint64_t bytes)
    {
        m_coming.Give(bytes);
        m_isDue = true;
    }

    /**
     * Bytes that were asked for have come, or never will.
     *
     * @param before bytes of their pull that were to come before
     * @param after bytes of it that are to come now
     */
    void GiveBackPull(uint32_t before, uint32_t after)
    {
        const uint32_t bytes = OfPull(before) - OfPull(after);
        m_asked -= bytes;
        GiveBack(bytes);
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
                m_pushes.Add(m_parked.Front());
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
        return m_pushes.IsEmpty() && m_pulls.IsEmpty();
    }

    /// @return whether Next() is a pull
    bool IsPullNext() const
    {
        return !m_pulls.IsEmpty() && (m_pushes.IsEmpty() || m_asked < Granted());
    }

    /// @return who is next; somebody must wait
    const GrantCandidate& Next() const
    {
        return IsPullNext() ? m_pulls.Next() : m_pushes.Next();
    }

    /// Next() leaves: there is nothing to grant it any more.
    void Drop()
    {
        (IsPullNext() ? m_pulls : m_pushes).Remove();
    }

    /// Decides about Next(), a pull. @return whether it is asked for; else it stays
    bool Ask()
    {
        const uint32_t bytes = OfPull(Next().remaining);
        const bool isAsked = m_coming.Has(bytes);
        if (isAsked)
        {
            m_pulls.Remove();
            m_coming.Take(bytes);
            m_asked += bytes;
        }
        return isAsked;
    }

    /**
     * Decides about Next(), a push, which is granted, parked or stays.
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
        if (!m_coming.Has(bytes) && Granted() > 0)
        {
            return {Verdict::WAIT, 0};
        }
        if (wouldBuffer && !HasRoom(bytes))
        {
            m_parked.Push(m_pushes.Remove());
            return {Verdict::PARK, 0};
        }
        m_pushes.Grant(bytes);
        m_coming.Take(bytes);
        return {Verdict::GRANT, bytes};
    }

    /// @return whether payload memory has room for them and all that is granted
    bool HasRoom(uint64_t bytes) const
    {
        return m_payload.Has(Granted() + bytes);
    }

    /// @return how much is granted or asked for and has not come
    const TableOccupancy& Occupancy() const
    {
        return m_coming.Occupancy();
    }

  private:
    /// @return bytes granted and not yet received
    uint64_t Granted() const
    {
        return m_coming.Used() - m_asked;
    }

    /// @param left bytes of a pull that are to come @return what it takes of the limit, bytes
    uint32_t OfPull(uint32_t left) const
    {
        return std::min(left, m_mostOfPull);
    }

    bool m_isDue{false};           ///< Another grant may be possible.
    bool m_areParkedDue{false};    ///< A parked one, too.
    const ResourcePool& m_payload; ///< For what waits for its turn.
    ResourcePool m_coming;         ///< Bytes granted or asked for and not yet received.
    GrantPolicy m_pushes;          ///< Who is granted next.
    GrantPolicy m_pulls;           ///< Who is asked next.
    Ring<GrantCandidate> m_parked; ///< Whose grant waits for payload memory.
    uint64_t m_asked{0};           ///< Of m_coming, bytes that were asked for.
    uint32_t m_quantum;            ///< Largest grant, bytes.
    uint32_t m_mostOfPull;         ///< What a pull takes of the limit at most, bytes.
};

} // namespace ns3::fabric

#endif // FABRIC_GRANT_CONTROL_H
