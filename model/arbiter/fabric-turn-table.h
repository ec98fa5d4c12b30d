/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TURN_TABLE_H
#define FABRIC_TURN_TABLE_H

#include "fabric-line-array.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ns3::fabric
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

/**
 * Turns of several sets of equals, as those of the levels of an arbiter: a row of numbers for each
 * set, all in one piece of memory that is as large as the sets.
 *
 * | policy | row |
 * |---|---|
 * | ROUND_ROBIN | the one served last, counted from 1, 0 for none |
 * | LEAST_RECENTLY_USED | of each the turn in which it was served last, 0 for never; turns of all
 * sets are counted together |
 *
 * Choosing changes nothing; the turn passes on when the choice has been served. Of those never
 * served, the lowest number is first.
 *
 * @tparam Number of a turn. When there are no more the turns are numbered anew, so a short one
 * costs little time, and few bytes of the cache.
 */
template <typename Number>
class BasicTurnTable
{
  public:
    static constexpr uint32_t MOST_MEMBERS = 32; ///< A mask has a bit for each.

    /// Nobody has turns.
    BasicTurnTable() = default;

    /**
     * Nobody has been served.
     *
     * @param memory to stand in
     * @param rows sets of equals, at most 255
     * @param members that each set has room for, 1 to MOST_MEMBERS
     */
    BasicTurnTable(LineMemory& memory, TurnPolicy policy, uint32_t rows, uint32_t members)
        : m_rows(static_cast<uint8_t>(rows)),
          m_members(static_cast<uint8_t>(members)),
          m_length(static_cast<uint8_t>(LengthOf(policy, members))),
          m_policy(policy)
    {
        m_numbers = LineArray<Number>(memory, rows * m_length);
    }

    /**
     * A set goes on with the turns that it had in another table.
     *
     * @param row of the set, whose members nobody has served yet
     * @param other table of the same policy with as many members, or fewer
     * @param otherRow of the set in that table
     */
    void Keep(uint32_t row, const BasicTurnTable& other, uint32_t otherRow)
    {
        const Number* const from = other.Row(otherRow);
        std::copy(from, from + other.m_length, m_numbers.begin() + row * m_length);
        m_turn = other.m_turn;
    }

    /**
     * @param row of the set
     * @param requests mask of those who ask, not empty
     * @return who is next
     */
    uint32_t Pick(uint32_t row, uint32_t requests) const
    {
        const Number* const numbers = Row(row);
        if (m_policy == ROUND_ROBIN)
        {
            const uint32_t later = requests & static_cast<uint32_t>(~uint64_t{0} << numbers[0]);
            return LowestBit(later != 0 ? later : requests);
        }
        uint32_t oldest = LowestBit(requests);
        for (uint32_t rest = requests & (requests - 1); rest != 0; rest &= rest - 1)
        {
            const uint32_t other = LowestBit(rest);
            oldest = numbers[other] < numbers[oldest] ? other : oldest;
        }
        return oldest;
    }

    /**
     * @param row of the set
     * @param index who was served
     */
    void Served(uint32_t row, uint32_t index)
    {
        Number* const numbers = m_numbers.begin() + row * m_length;
        if (m_policy == ROUND_ROBIN)
        {
            numbers[0] = static_cast<Number>(index + 1);
            return;
        }
        if (m_turn == std::numeric_limits<Number>::max())
        {
            Renumber();
        }
        numbers[index] = ++m_turn;
    }

    /**
     * @param rows sets of equals
     * @return bytes of memory that they take
     */
    static std::size_t BytesOf(TurnPolicy policy, uint32_t rows, uint32_t members)
    {
        return rows * LengthOf(policy, members) * sizeof(Number);
    }

    /// @return sets of equals
    uint32_t Rows() const
    {
        return m_rows;
    }

    /// @return members that each set has room for
    uint32_t Members() const
    {
        return m_members;
    }

    /// @return bytes of the memory
    std::size_t Bytes() const
    {
        return m_rows * m_length * sizeof(Number);
    }

    const void* Memory() const
    {
        return m_numbers.begin();
    }

  private:
    /// @return numbers of a row
    static uint32_t LengthOf(TurnPolicy policy, uint32_t members)
    {
        return policy == ROUND_ROBIN ? 1 : members;
    }

    /// @return the numbers of a set
    const Number* Row(uint32_t row) const
    {
        return m_numbers.begin() + row * m_length;
    }

    /// Numbers begin anew; in each set their order stays.
    [[gnu::noinline]] void Renumber()
    {
        for (uint32_t row = 0; row < m_rows; ++row)
        {
            Number* const numbers = m_numbers.begin() + row * m_length;
            std::array<Number, MOST_MEMBERS> sorted;
            const auto end = std::copy(numbers, numbers + m_length, sorted.begin());
            std::sort(sorted.begin(), end);
            for (uint32_t i = 0; i < m_length; ++i)
            {
                const auto place =
                    std::lower_bound(sorted.begin(), end, numbers[i]) - sorted.begin();
                numbers[i] = numbers[i] == 0 ? 0 : static_cast<Number>(place + 1);
            }
        }
        m_turn = m_length;
    }

    LineArray<Number> m_numbers;      ///< Row after row.
    Number m_turn{0};                 ///< Turns until now, since they were numbered anew.
    uint8_t m_rows{0};                ///< Sets of equals.
    uint8_t m_members{0};             ///< Of each set.
    uint8_t m_length{0};              ///< Numbers of a row.
    TurnPolicy m_policy{ROUND_ROBIN}; ///< Whose turn it is.
};

/// See BasicTurnTable.
using TurnTable = BasicTurnTable<uint8_t>;

} // namespace ns3::fabric

#endif // FABRIC_TURN_TABLE_H
