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

/// Where the first entry of a ring is.
enum class RingFront
{
    APART,  ///< With the others, in a memory of their own.
    INSIDE, ///< In the object; the others are in a memory of their own.
};

/// The first entry of a ring. @tparam T type of entries @tparam FRONT where it is
template <typename T, RingFront FRONT>
struct RingFrontEntry
{
    T front{}; ///< In the object.
};

/// That of a ring which has it elsewhere.
template <typename T>
struct RingFrontEntry<T, RingFront::APART>
{
};

/**
 * A first-in first-out ring that keeps its memory: it grows by doubling while a run warms up, and
 * allocates nothing afterwards. One writer and one reader.
 *
 * There is one or more for each link, of which a large system has many, and each of their lines
 * that is used drives another one out of the caches. So the object is small, a ring that is never
 * used has no slots, and the slots are as many as are expected and not the next power of two.
 *
 * Where traffic is paced a link has one frame at a time, and what comes next has left the caches
 * meanwhile: if that is in the object, it is one line of them and not two.
 *
 * @tparam T a small value type
 * @tparam FRONT where its first entry is
 * @tparam Index type of numbers of entries: no more than its largest value are in the ring
 */
template <typename T, RingFront FRONT = RingFront::APART, typename Index = uint32_t>
class Ring : private RingFrontEntry<T, FRONT>
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
        return m_size == m_capacity + INSIDE;
    }

    /// @return the number of entries
    uint32_t Size() const
    {
        return m_size;
    }

    /// @return the first entry; there must be one
    T& Front()
    {
        return EntryOf(*this, 0);
    }

    /// @copydoc Front()
    const T& Front() const
    {
        return EntryOf(*this, 0);
    }

    /**
     * @param i index from the front, less than Size()
     * @return the entry
     */
    T& At(uint32_t i)
    {
        return EntryOf(*this, i);
    }

    /// @copydoc At(uint32_t)
    const T& At(uint32_t i) const
    {
        return EntryOf(*this, i);
    }

    /// Removes the first entry; there must be one.
    void Pop()
    {
        --m_size;
        if constexpr (FRONT == RingFront::INSIDE)
        {
            if (m_size == 0)
            {
                return;
            }
            this->front = m_slots[m_head];
        }
        // An empty ring begins anew, so that one with little in it uses few lines. No ||: whether a
        // ring gets empty can't be guessed.
        const bool beginsAnew =
            static_cast<int>(m_size == INSIDE) | static_cast<int>(m_head + 1 == m_capacity);
        m_head = beginsAnew ? 0 : static_cast<Index>(m_head + 1);
    }

    /// @param value is added at the end
    void Push(const T& value)
    {
        if constexpr (FRONT == RingFront::INSIDE)
        {
            if (m_size == 0)
            {
                this->front = value;
                m_size = 1;
                return;
            }
        }
        if (IsFull())
        {
            Grow();
        }
        m_slots[Slot(m_size - INSIDE)] = value;
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
        FetchMemory(&Front(), sizeof(T));
    }

    /// Fetches the first entries, which are read soon, but for one in the object. @param most no
    /// more of them
    void FetchEntries(uint32_t most) const
    {
        FetchSlots(m_head, std::min(Apart(), most));
    }

    /// Fetches the slots that are written next, at most half of all: a ring has room for what is on
    /// a link and as much again that waits for the receiver's window. @param most no more of them
    void FetchNextSlots(uint32_t most) const
    {
        FetchSlots(Slot(Apart()), std::min((m_capacity + 1U) / 2, most));
    }

    /**
     * Before the first Push(): a ring that grows in steps leaves its smaller selves behind.
     *
     * @param entries that are expected at a time at most; it may be wrong, and counts as 65535 if
     * it is more
     */
    void Expect(uint32_t entries)
    {
        m_expected = static_cast<uint16_t>(std::clamp<uint32_t>(entries, 1, MOST_EXPECTED));
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
    static constexpr uint32_t MOST_EXPECTED = 65535; ///< See Expect().

    /// Entries in the object.
    static constexpr uint32_t INSIDE = FRONT == RingFront::INSIDE ? 1 : 0;

    /// @return the i-th entry from the front of a ring, changeable or not
    template <typename Self>
    static auto& EntryOf(Self& self, uint32_t i)
    {
        if constexpr (FRONT == RingFront::INSIDE)
        {
            return i == 0 ? self.front : self.m_slots[self.Slot(i - 1)];
        }
        else
        {
            return self.m_slots[self.Slot(i)];
        }
    }

    /// @return the number of entries that are not in the object
    uint32_t Apart() const
    {
        return m_size - (FRONT == RingFront::INSIDE && m_size != 0 ? 1 : 0);
    }

    /// @return slot of the i-th of them, i at most the capacity
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
        const uint32_t untilEnd =
            std::min<uint32_t>(count, m_capacity - std::min<uint32_t>(first, m_capacity));
        FetchFewLines(untilEnd != 0 ? m_slots.get() + first : nothing, untilEnd * sizeof(T));
        if (count != untilEnd)
        {
            FetchFewLines(m_slots.get(), (count - untilEnd) * sizeof(T));
        }
    }

    void Grow()
    {
        const uint32_t capacity = m_capacity == 0 ? m_expected : 2U * m_capacity;
        auto larger = std::make_unique<T[]>(capacity);
        for (uint32_t i = 0; i < Apart(); ++i)
        {
            larger[i] = m_slots[Slot(i)];
        }
        m_slots = std::move(larger);
        m_capacity = static_cast<Index>(capacity);
        m_head = 0;
    }

    void Swap(Ring& other)
    {
        std::swap(static_cast<RingFrontEntry<T, FRONT>&>(*this),
                  static_cast<RingFrontEntry<T, FRONT>&>(other));
        std::swap(m_slots, other.m_slots);
        std::swap(m_capacity, other.m_capacity);
        std::swap(m_head, other.m_head);
        std::swap(m_size, other.m_size);
        std::swap(m_expected, other.m_expected);
    }

    std::unique_ptr<T[]> m_slots; ///< The memory.
    Index m_capacity{0};          ///< Number of slots.
    Index m_head{0};              ///< Slot of the first entry that is there.
    Index m_size{0};              ///< Number of entries.
    uint16_t m_expected{4};       ///< See Expect().
};

} // namespace ns3::fabric

#endif // FABRIC_RING_H
