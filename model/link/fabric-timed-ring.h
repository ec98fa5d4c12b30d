/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TIMED_RING_H
#define FABRIC_TIMED_RING_H

#include "fabric-ring.h"
#include "fabric-types.h"

namespace ns3::fabric
{

/**
 * Entries by their times, and those of one time in the order in which they came. For what mostly
 * comes in order, as on a link: one that is earlier than others moves them, one by one.
 *
 * @tparam T a small value type with a member `at`, ps
 */
template <typename T>
class TimedRing
{
  public:
    bool IsEmpty() const
    {
        return m_ring.IsEmpty();
    }

    /// @return time of the first entry, ps; NEVER if there is none
    TimePs Earliest() const
    {
        return m_ring.IsEmpty() ? NEVER : m_ring.Front().at;
    }

    /// @return the first entry; there must be one
    const T& Front() const
    {
        return m_ring.Front();
    }

    /// Removes the first entry; there must be one.
    void Pop()
    {
        m_ring.Pop();
    }

    /// @param entry is added after all that are not later
    void Push(const T& entry)
    {
        m_ring.Push(entry);
        for (uint32_t i = m_ring.Size() - 1; i > 0 && m_ring.At(i - 1).at > entry.at; --i)
        {
            m_ring.At(i) = m_ring.At(i - 1);
            m_ring.At(i - 1) = entry;
        }
    }

    /// Fetches the entries, which are read soon.
    void FetchEntries() const
    {
        m_ring.FetchEntries(m_ring.Size());
    }

    /**
     * @param i index from the front, less than Size()
     * @return the entry
     */
    const T& At(uint32_t i) const
    {
        return m_ring.At(i);
    }

    /// @return the sum of all entries' members `bytes`
    uint32_t Bytes() const
    {
        uint32_t bytes = 0;
        for (uint32_t i = 0; i < m_ring.Size(); ++i)
        {
            bytes += m_ring.At(i).bytes;
        }
        return bytes;
    }

    /// @return the number of entries
    uint32_t Size() const
    {
        return m_ring.Size();
    }

  private:
    Ring<T> m_ring; ///< In order.
};

} // namespace ns3::fabric

#endif // FABRIC_TIMED_RING_H
