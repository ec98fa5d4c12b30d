/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RING_H
#define FABRIC_RING_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * A first-in first-out ring that keeps its memory: it grows by doubling while a run warms up, and
 * allocates nothing afterwards. One writer and one reader.
 *
 * @tparam T a small value type
 */
template <typename T>
class Ring
{
  public:
    /// @return whether nothing is in the ring
    bool IsEmpty() const
    {
        return m_head == m_tail;
    }

    /// @return whether the next Push() makes it grow
    bool IsFull() const
    {
        return Size() == m_slots.size();
    }

    /// @return the number of entries
    uint32_t Size() const
    {
        return m_tail - m_head;
    }

    /// @return the oldest entry; the ring must not be empty
    T& Front()
    {
        return m_slots[m_head & m_mask];
    }

    /// @copydoc Front()
    const T& Front() const
    {
        return m_slots[m_head & m_mask];
    }

    /**
     * @param i position, 0 is the oldest entry
     * @return that entry
     */
    T& At(uint32_t i)
    {
        return m_slots[(m_head + i) & m_mask];
    }

    /// @copydoc At(uint32_t)
    const T& At(uint32_t i) const
    {
        return m_slots[(m_head + i) & m_mask];
    }

    /// Removes the oldest entry.
    void Pop()
    {
        ++m_head;
    }

    /// @param value appended as the newest entry
    void Push(const T& value)
    {
        if (IsFull())
        {
            Grow();
        }
        m_slots[m_tail++ & m_mask] = value;
    }

    /// @return bytes of memory held
    std::size_t MemoryBytes() const
    {
        return m_slots.capacity() * sizeof(T);
    }

    /**
     * Sets how many entries the ring has room for once it is used at all, so that it need not grow
     * in the run. To be called before the first Push().
     *
     * @param entries expected at a time
     */
    void Expect(uint32_t entries)
    {
        m_firstSlots = 1;
        while (m_firstSlots < entries)
        {
            m_firstSlots *= 2;
        }
    }

  private:
    /// Doubles the slots; the entries keep their order.
    void Grow()
    {
        std::vector<T> larger(m_slots.empty() ? m_firstSlots : 2 * m_slots.size());
        const uint32_t size = Size();
        for (uint32_t i = 0; i < size; ++i)
        {
            larger[i] = At(i);
        }
        m_slots.swap(larger);
        m_mask = static_cast<uint32_t>(m_slots.size()) - 1;
        m_head = 0;
        m_tail = size;
    }

    std::vector<T> m_slots;   ///< A power of two of them.
    uint32_t m_firstSlots{4}; ///< Slots of a ring that is used at all, a power of two.
    uint32_t m_mask{0};       ///< Number of slots - 1.
    uint32_t m_head{0};       ///< Entries read so far (modulo 2^32).
    uint32_t m_tail{0};       ///< Entries written so far (modulo 2^32).
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_RING_H
