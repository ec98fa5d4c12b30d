/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUND_ROBIN_H
#define FABRIC_ROUND_ROBIN_H

#include <bitset>
#include <cstddef>

namespace ns3::fabric
{

/**
 * Round robin over parties that have numbers: the next turn is that of the first one that waits,
 * from the one after the last that had a turn.
 *
 * @tparam COUNT how many there are
 */
template <std::size_t COUNT>
class RoundRobin
{
  public:
    /// It waits from now on. @param party its number
    void Add(std::size_t party)
    {
        m_waiting.set(party);
    }

    /// It waits no longer. @param party its number
    void Remove(std::size_t party)
    {
        m_waiting.reset(party);
    }

    /// @return whether nobody waits
    bool IsEmpty() const
    {
        return m_waiting.none();
    }

    /**
     * @param may tells whether one that waits may have a turn: `bool may(std::size_t)`
     * @return whose turn it is, COUNT for nobody's; the turn does not pass yet
     */
    template <typename May>
    std::size_t Find(May&& may) const
    {
        std::size_t party = m_next;
        for (std::size_t tried = IsEmpty() ? COUNT : 0; tried < COUNT; ++tried)
        {
            if (m_waiting.test(party) && may(party))
            {
                return party;
            }
            party = After(party);
        }
        return COUNT;
    }

    /// It has had its turn. @param party its number
    void Pass(std::size_t party)
    {
        m_next = After(party);
    }

  private:
    /// @return the one after it
    static std::size_t After(std::size_t party)
    {
        return party + 1 == COUNT ? 0 : party + 1;
    }

    std::bitset<COUNT> m_waiting; ///< Who waits.
    std::size_t m_next{0};        ///< Who is looked at first.
};

} // namespace ns3::fabric

#endif // FABRIC_ROUND_ROBIN_H
