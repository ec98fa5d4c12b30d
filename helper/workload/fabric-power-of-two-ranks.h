/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_POWER_OF_TWO_RANKS_H
#define FABRIC_POWER_OF_TWO_RANKS_H

#include "fabric-exchange-plan.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * As many of some ranks as a power of two allows, for algorithms that need one (Thakur et al.,
 * 2005). The first of each of so many pairs of ranks as are too many, 2 i, stands apart: its
 * neighbour 2 i + 1 adds its buffer before, and hands it the result after.
 */
class PowerOfTwoRanks
{
  public:
    /// @param ranks all of them, 1 to 2^31
    explicit PowerOfTwoRanks(uint32_t ranks)
        : m_ranks(ranks)
    {
        while (m_size <= ranks / 2)
        {
            m_size *= 2;
        }
    }

    /// @return how many do not stand apart
    uint32_t Size() const
    {
        return m_size;
    }

    /// @param i which of them, less than Size() @return its rank
    uint32_t RankOf(uint32_t i) const
    {
        return i < Pairs() ? 2 * i + 1 : i + Pairs();
    }

    /// Those who stand apart hand on their buffers. @param plan gets a round, if there are such
    void AddBefore(ExchangePlan& plan, uint64_t bytes) const
    {
        AddRound(plan, bytes, true);
    }

    /// They get the result. @param plan gets a round, if there are such
    void AddAfter(ExchangePlan& plan, uint64_t bytes) const
    {
        AddRound(plan, bytes, false);
    }

  private:
    /// @return ranks that stand apart
    uint32_t Pairs() const
    {
        return m_ranks - m_size;
    }

    /// @param before whether they give, and do not get @param plan gets a round, if there are such
    void AddRound(ExchangePlan& plan, uint64_t bytes, bool before) const
    {
        if (Pairs() == 0)
        {
            return;
        }
        plan.push_back(EmptyRound(m_ranks));
        for (uint32_t apart = 0; apart < 2 * Pairs(); apart += 2)
        {
            const uint32_t from = before ? apart : apart + 1;
            const uint32_t to = before ? apart + 1 : apart;
            plan.back().Add(from, {to, bytes, 0, before});
        }
    }

    uint32_t m_ranks;   ///< All.
    uint32_t m_size{1}; ///< See Size().
};

} // namespace ns3::fabric

#endif // FABRIC_POWER_OF_TWO_RANKS_H
