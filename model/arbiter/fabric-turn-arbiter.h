/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TURN_ARBITER_H
#define FABRIC_TURN_ARBITER_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace ns3
{
namespace fabric
{

/**
 * Whose turn it is between equals (VA-3).
 *
 * Between those who always ask both are the same. They differ where someone may ask at certain
 * times only, as lanes whose group returns from Over-Bandwidth do: with round robin the turn may
 * stand at the same place each time, so that one lane of a group is served always and its neighbour
 * never.
 */
enum TurnPolicy : uint8_t
{
    ROUND_ROBIN,         ///< The next number after the one served last.
    LEAST_RECENTLY_USED, ///< Who was served longest ago.
};

/// @return the lowest number in a mask that is not empty
inline uint32_t
LowestBit(uint32_t mask)
{
    return static_cast<uint32_t>(__builtin_ctz(mask));
}

/// Round robin between up to 32 that are told by a bit each.
class RoundRobinTurn
{
  public:
    /**
     * @param requests mask of those who ask, not empty
     * @return who is next
     */
    uint32_t Pick(uint32_t requests) const
    {
        const uint32_t later = requests & m_notYet;
        return LowestBit(later != 0 ? later : requests);
    }

    /// @param index who was served
    void Served(uint32_t index)
    {
        m_notYet = ~uint32_t{1} << index;
    }

  private:
    uint32_t m_notYet{~uint32_t{0}}; ///< Those after the one served last.
};

/**
 * Least recently used between up to 32; of those never served, the lowest number.
 *
 * @tparam Number of a turn. When there are no more the turns are numbered anew, so a short one
 * costs little time and few bytes of the cache.
 */
template <typename Number>
class NumberedTurns
{
  public:
    /**
     * @param requests mask of those who ask, not empty
     * @return who is next
     */
    uint32_t Pick(uint32_t requests) const
    {
        uint32_t oldest = LowestBit(requests);
        for (uint32_t rest = requests & (requests - 1); rest != 0; rest &= rest - 1)
        {
            const uint32_t other = LowestBit(rest);
            oldest = m_served[other] < m_served[oldest] ? other : oldest;
        }
        return oldest;
    }

    /// @param index who was served
    void Served(uint32_t index)
    {
        if (m_turns == std::numeric_limits<Number>::max())
        {
            Renumber();
        }
        m_served[index] = ++m_turns;
    }

  private:
    /// Numbers begin anew; their order stays.
    void Renumber()
    {
        std::array<Number, 32> sorted = m_served;
        std::sort(sorted.begin(), sorted.end());
        for (Number& served : m_served)
        {
            const auto place = std::lower_bound(sorted.begin(), sorted.end(), served);
            served = served == 0 ? 0 : static_cast<Number>(place - sorted.begin() + 1);
        }
        m_turns = static_cast<Number>(sorted.size());
    }

    Number m_turns{0};                 ///< Turns until now.
    std::array<Number, 32> m_served{}; ///< For each, the turn in which it was served last.
};

/// See NumberedTurns.
using LeastRecentlyUsedTurn = NumberedTurns<uint16_t>;

/**
 * Chooses between equals by turns, by either policy (VA-3). Choosing changes nothing; the turn
 * passes on when the choice has been served.
 */
class alignas(64) TurnArbiter
{
  public:
    /// @param policy whose turn it is
    explicit TurnArbiter(TurnPolicy policy)
        : m_policy(policy)
    {
    }

    /**
     * @param requests mask of those who ask, not empty
     * @return who is next
     */
    uint32_t Pick(uint32_t requests) const
    {
        return m_policy == ROUND_ROBIN ? m_roundRobin.Pick(requests)
                                       : m_leastRecentlyUsed.Pick(requests);
    }

    /// @param index who was served
    void Served(uint32_t index)
    {
        if (m_policy == ROUND_ROBIN)
        {
            m_roundRobin.Served(index);
        }
        else
        {
            m_leastRecentlyUsed.Served(index);
        }
    }

  private:
    // Up to 27 take turns in the first line of the cache.
    TurnPolicy m_policy;                       ///< Which of the two decides.
    RoundRobinTurn m_roundRobin;               ///< The one.
    LeastRecentlyUsedTurn m_leastRecentlyUsed; ///< The other.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_TURN_ARBITER_H
