/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REORDER_ENGINE_H
#define FABRIC_REORDER_ENGINE_H

#include "fabric-buffer-pool.h"

#include <cstdint>
#include <utility>

namespace ns3::fabric
{

/// What a reorder engine knows of an RSN.
enum class RsnState : uint8_t
{
    UNKNOWN, ///< Nothing has come yet.
    STORED,  ///< There is an entry.
    RETIRED, ///< There was one; it is over.
};

/**
 * The table of one connection's requests in one direction (RT-10, RT-11): the content of the CAM by
 * (CID, RSN). The RSNs of a connection are neighbours, so the look-up is an index into a ring that
 * grows with the distance of the oldest and the newest.
 *
 *   base <= head <= end: base is the oldest RSN that is not retired, head the next one in order to
 * be released to the ULP, end one more than the newest known.
 *
 * | RSN                     | action                                                              |
 * |-------------------------|---------------------------------------------------------------------|
 * | = head, ready           | released; head + 1, looked up next, and so on until a miss          |
 * | > head, ready           | stays until its turn (ordered), or is released at once (unordered)  |
 * | retired                 | base moves over all RSNs that are retired                           |
 *
 * The engine keeps base, head and end; what 'ready' means is its owner's, who has the entries.
 *
 * @tparam Entry what is kept of a request; it has a member `RsnState state`
 */
template <typename Entry>
class ReorderEngine
{
  public:
    /// @return oldest RSN that is not retired
    uint32_t Base() const
    {
        return m_base;
    }

    /// @return next RSN in order
    uint32_t Head() const
    {
        return m_head;
    }

    /// @return one more than the newest known RSN
    uint32_t End() const
    {
        return m_end;
    }

    /// @return entries stored
    uint32_t Size() const
    {
        return m_size;
    }

    /// @return entries for which the table has room now
    std::size_t Slots() const
    {
        return m_slots.Size();
    }

    /// @return what is known of it; RETIRED below the base
    RsnState State(uint32_t rsn) const
    {
        const uint32_t distance = rsn - m_base;
        if (distance >= 0x80000000U)
        {
            return RsnState::RETIRED;
        }
        return distance < m_end - m_base ? m_slots.At(rsn).state : RsnState::UNKNOWN;
    }

    /// @return its entry; nullptr if there is none
    Entry* Find(uint32_t rsn)
    {
        return State(rsn) == RsnState::STORED ? &m_slots.At(rsn) : nullptr;
    }

    /// @copydoc Find()
    const Entry* Find(uint32_t rsn) const
    {
        return State(rsn) == RsnState::STORED ? &m_slots.At(rsn) : nullptr;
    }

    /**
     * @param rsn UNKNOWN, fewer than 2^15 steps above the base
     * @param pool where tables come from
     * @return its new entry, as default-constructed but STORED; other entries may move
     */
    Entry& Store(uint32_t rsn, BufferPool<Entry>& pool)
    {
        const uint32_t needed = rsn - m_base + 1;
        if (needed > m_slots.Size())
        {
            Grow(needed, pool);
        }
        for (; m_end - m_base < needed; ++m_end)
        {
            m_slots.At(m_end).state = RsnState::UNKNOWN;
        }
        Entry& entry = m_slots.At(rsn);
        entry = Entry{};
        entry.state = RsnState::STORED;
        ++m_size;
        return entry;
    }

    /// The request at the head is released: the next one is looked up.
    void AdvanceHead()
    {
        ++m_head;
    }

    /**
     * @param rsn STORED, and over
     * @param pool where an empty table goes
     */
    void Retire(uint32_t rsn, BufferPool<Entry>& pool)
    {
        m_slots.At(rsn).state = RsnState::RETIRED;
        --m_size;
        while (m_base != m_end && m_slots.At(m_base).state == RsnState::RETIRED)
        {
            ++m_base;
        }
        if (static_cast<int32_t>(m_base - m_head) > 0)
        {
            m_head = m_base; // unordered: nobody has moved it
        }
        if (m_base == m_end)
        {
            pool.Give(std::move(m_slots));
        }
    }

    /// @param pool where the table goes; all entries are gone
    void Clear(BufferPool<Entry>& pool)
    {
        pool.Give(std::move(m_slots));
        m_base = m_head = m_end;
        m_size = 0;
    }

  private:
    /// Makes room for so many RSNs from the base on.
    void Grow(uint32_t needed, BufferPool<Entry>& pool)
    {
        uint32_t bits = 2;
        while ((1U << bits) < needed)
        {
            ++bits;
        }
        Buffer<Entry> larger = pool.Take(bits);
        for (uint32_t rsn = m_base; rsn != m_end; ++rsn)
        {
            larger.At(rsn) = m_slots.At(rsn);
        }
        pool.Give(std::move(m_slots));
        m_slots = std::move(larger);
    }

    Buffer<Entry> m_slots; ///< By RSN; empty while idle.
    uint32_t m_base{0};    ///< Oldest not retired.
    uint32_t m_head{0};    ///< Next in order.
    uint32_t m_end{0};     ///< Newest known + 1.
    uint32_t m_size{0};    ///< Entries stored.
};

/// A first-in first-out list of entries of a reorder engine, linked through one of their members.
class RsnList
{
  public:
    bool IsEmpty() const
    {
        return m_size == 0;
    }

    /// @return the oldest; the list must not be empty
    uint32_t Front() const
    {
        return m_front;
    }

    /**
     * @param engine has the entries
     * @param link the member that links them
     * @param rsn stored, and not in the list
     */
    template <typename Entry>
    void Push(ReorderEngine<Entry>& engine, uint32_t Entry::*link, uint32_t rsn)
    {
        if (m_size++ == 0)
        {
            m_front = rsn;
        }
        else
        {
            engine.Find(m_back)->*link = rsn;
        }
        m_back = rsn;
    }

    /**
     * Removes the oldest.
     *
     * @param engine has the entries
     * @param link the member that links them
     */
    template <typename Entry>
    void Pop(const ReorderEngine<Entry>& engine, uint32_t Entry::*link)
    {
        if (--m_size > 0)
        {
            m_front = engine.Find(m_front)->*link;
        }
    }

    /// Removes all.
    void Clear()
    {
        m_size = 0;
    }

  private:
    uint32_t m_front{0}; ///< Oldest.
    uint32_t m_back{0};  ///< Newest.
    uint32_t m_size{0};  ///< How many.
};

} // namespace ns3::fabric

#endif // FABRIC_REORDER_ENGINE_H
