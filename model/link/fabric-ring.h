/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RING_H
#define FABRIC_RING_H

#include "fabric-fetch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace ns3::fabric
{

/**
 * A first-in first-out ring that keeps its memory: it grows by doubling while a run warms up, and
 * allocates nothing afterwards. One writer and one reader.
 *
 * There is one or more for each link, of which a large system has many, and each of their lines
 * that is used drives another one out of the caches. So the object is small, a ring that is never
 * used has no slots, and the slots are as many as are expected and not the next power of two.
 *
 * @tparam T a small value type
 */
template <typename T>
class Ring
{
  public:
    Ring() = default;

    /// @param other gives its entries away
    Ring(Ring&& other) noexcept
    {
        Swap(other);
    }

    /// @param other gives its entries away
    Ring& operator=(Ring&& other) noexcept
    {
        Swap(other);
        return *this;
    }

    bool IsEmpty() const
    {
        return m_size == 0;
    }

    /// @return whether the next Push() makes it grow
    bool IsFull() const
    {
        return m_size == m_capacity;
    }

    /// @return the number of entries
    uint32_t Size() const
    {
        return m_size;
    }

    /// @return the first entry; there must be one
    T& Front()
    {
        return m_slots[m_head];
    }

    /// @copydoc Front()
    const T& Front() const
    {
        return m_slots[m_head];
    }

    /**
     * @param i index from the front, less than Size()
     * @return the entry
     */
    T& At(uint32_t i)
    {
        return m_slots[Slot(i)];
    }

    /// @copydoc At(uint32_t)
    const T& At(uint32_t i) const
    {
        return m_slots[Slot(i)];
    }

    /// Removes the first entry; there must be one.
    void Pop()
    {
        // An empty ring begins anew, so that one with little in it uses few lines. No ||: whether a
        // ring gets empty can't be guessed.
        --m_size;
        const bool beginsAnew =
            static_cast<int>(m_size == 0) | static_cast<int>(m_head + 1 == m_capacity);
        m_head = beginsAnew ? 0 : m_head + 1;
    }

    /// @param value is added at the end
    void Push(const T& value)
    {
        if (IsFull())
        {
            Grow();
        }
        m_slots[Slot(m_size)] = value;
        ++m_size;
    }

    /**
     * Takes entries out; the order of the others stays.
     *
     * @param which tells whether it is one of them: `bool which(const T&)`
     */
    template <typename Which>
    void Remove(Which&& which)
    {
        for (uint32_t left = m_size; left != 0; --left)
        {
            const T entry = Front();
            Pop();
            if (!which(entry))
            {
                Push(entry);
            }
        }
    }

    /// Fetches the first entry; there must be one.
    void FetchFront() const
    {
        FetchMemory(&m_slots[m_head], sizeof(T));
    }

    /// Fetches the first entries, which are read soon. @param most no more of them
    void FetchEntries(uint32_t most) const
    {
        FetchSlots(m_head, std::min(m_size, most));
    }

    /// Fetches the slots that are written next, at most half of all: a ring has room for what is on
    /// a link and as much again that waits for the receiver's window. @param most no more of them
    void FetchNextSlots(uint32_t most) const
    {
        FetchSlots(Slot(m_size), std::min((m_capacity + 1) / 2, most));
    }

    /**
     * Before the first Push(): a ring that grows in steps leaves its smaller selves behind.
     *
     * @param entries that are expected at a time at most; it may be wrong
     */
    void Expect(uint32_t entries)
    {
        m_firstSlots = std::max(entries, uint32_t{1});
    }

    /// Takes the memory for those now, instead of at the first Push().
    void Reserve()
    {
        if (m_capacity == 0)
        {
            Grow();
        }
    }

  private:
    /// @return slot of the i-th entry from the front, i at most the capacity
    uint32_t Slot(uint32_t i) const
    {
        const uint32_t slot = m_head + i;
        // No branch, which would be guessed wrong one time in a few.
        return slot - (m_capacity & (uint32_t{0} - static_cast<uint32_t>(slot >= m_capacity)));
    }

    /// Fetches so many slots from a given one on, with those at the begin after the last one.
    void FetchSlots(uint32_t first, uint32_t count) const
    {
        const void* const nothing = this;
        const uint32_t untilEnd = std::min(count, m_capacity - std::min(first, m_capacity));
        FetchFewLines(untilEnd != 0 ? m_slots.get() + first : nothing, untilEnd * sizeof(T));
        if (count != untilEnd)
        {
            FetchFewLines(m_slots.get(), (count - untilEnd) * sizeof(T));
        }
    }

    void Grow()
    {
        const uint32_t capacity = m_capacity == 0 ? m_firstSlots : 2 * m_capacity;
        auto larger = std::make_unique<T[]>(capacity);
        for (uint32_t i = 0; i < m_size; ++i)
        {
            larger[i] = At(i);
        }
        m_slots = std::move(larger);
        m_capacity = capacity;
        m_head = 0;
    }

    void Swap(Ring& other)
    {
        std::swap(m_slots, other.m_slots);
        std::swap(m_capacity, other.m_capacity);
        std::swap(m_head, other.m_head);
        std::swap(m_size, other.m_size);
        std::swap(m_firstSlots, other.m_firstSlots);
    }

    std::unique_ptr<T[]> m_slots; ///< The memory.
    uint32_t m_capacity{0};       ///< Number of slots.
    uint32_t m_head{0};           ///< Slot of the first entry.
    uint32_t m_size{0};           ///< Number of entries.
    uint32_t m_firstSlots{4};     ///< Slots of a ring that is used at all.
};

} // namespace ns3::fabric

#endif // FABRIC_RING_H
