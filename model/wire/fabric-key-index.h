/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_KEY_INDEX_H
#define FABRIC_KEY_INDEX_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Finds the numbers under which somebody keeps things by their keys: a hash table of numbers with
 * open addressing. The keys stay with whoever has the things, so that each is stored once.
 *
 * It grows by doubling when more numbers are in it than ever before, and allocates for nothing
 * else. A std::unordered_map has a node for each key that is in it, which costs an allocation and a
 * cache line more.
 */
class KeyIndex
{
  public:
    /// The number of nothing.
    static constexpr uint32_t NONE = 0xFFFFFFFF;

    /**
     * @param hash of a key
     * @param isKey tells whether a number has this key: `bool isKey(uint32_t)`
     * @return the number that has the key, NONE if there is none
     */
    template <typename IsKey>
    uint32_t Find(uint32_t hash, IsKey&& isKey) const
    {
        if (m_slots.empty())
        {
            return NONE;
        }
        std::size_t at = Home(hash);
        while (m_slots[at].number != NONE &&
               !(m_slots[at].hash == hash && isKey(m_slots[at].number)))
        {
            at = After(at);
        }
        return m_slots[at].number;
    }

    /// @param hash of a key that is not in it @param number has the key from now on
    void Add(uint32_t hash, uint32_t number)
    {
        if (2 * (m_size + 1) > m_slots.size())
        {
            Grow();
        }
        Put({hash, number});
        ++m_size;
    }

    /// @param hash of a key @param number has the key, and is in it no longer
    void Remove(uint32_t hash, uint32_t number)
    {
        std::size_t gap = Home(hash);
        while (m_slots[gap].number != number)
        {
            gap = After(gap);
        }
        for (std::size_t at = After(gap); m_slots[at].number != NONE; at = After(at))
        {
            // One may move back into the gap unless it would then stand before its home.
            const std::size_t wrap = m_slots.size() - 1;
            if (((at - Home(m_slots[at].hash)) & wrap) >= ((at - gap) & wrap))
            {
                m_slots[gap] = m_slots[at];
                gap = at;
            }
        }
        m_slots[gap] = {};
        --m_size;
    }

    /// @return how many numbers are in it
    uint32_t Size() const
    {
        return m_size;
    }

  private:
    static constexpr std::size_t FIRST_SLOTS = 16; ///< Two cache lines.

    /// Holds a number, or NONE.
    struct Slot
    {
        uint32_t hash{0};      ///< Of its key.
        uint32_t number{NONE}; ///< That has the key.
    };

    /// @return the slot where the search for a key begins
    std::size_t Home(uint32_t hash) const
    {
        return hash & (m_slots.size() - 1);
    }

    /// @return the slot after another
    std::size_t After(std::size_t at) const
    {
        return (at + 1) & (m_slots.size() - 1);
    }

    /// Puts it into the first free slot from its home on.
    void Put(const Slot& slot)
    {
        std::size_t at = Home(slot.hash);
        while (m_slots[at].number != NONE)
        {
            at = After(at);
        }
        m_slots[at] = slot;
    }

    /// Twice the slots: at most half of them are full, so that runs of full ones stay short.
    void Grow()
    {
        std::vector<Slot> old(m_slots.empty() ? FIRST_SLOTS : 2 * m_slots.size());
        old.swap(m_slots);
        for (const Slot& slot : old)
        {
            if (slot.number != NONE)
            {
                Put(slot);
            }
        }
    }

    std::vector<Slot> m_slots; ///< A power of two, or none at first.
    uint32_t m_size{0};        ///< Slots that hold a number.
};

} // namespace ns3::fabric

#endif // FABRIC_KEY_INDEX_H
