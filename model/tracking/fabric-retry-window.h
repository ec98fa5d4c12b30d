/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RETRY_WINDOW_H
#define FABRIC_RETRY_WINDOW_H

#include "fabric-ring.h"
#include "fabric-types.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/**
 * The retry buffer of one class of packets of a connection (NQ-11): what was sent and is not
 * acknowledged, by sequence.
 *
 * @tparam T a packet
 */
template <typename T>
class RetryWindow
{
  public:
    /// A packet.
    struct Entry
    {
        T packet{};           ///< As it is sent again.
        TimePs dueAt{NEVER};  ///< It is lost if it has no answer then, ps.
        uint32_t resends{0};  ///< So far.
        bool isLeaving{true}; ///< Whether it is on its way to the wire.
        bool isAcked{false};  ///< Whether it has come.
    };

    /// @return packets that are kept
    uint32_t Size() const
    {
        return m_entries.Size();
    }

    /// @return sequence of the next packet
    uint32_t Next() const
    {
        return m_base + m_entries.Size();
    }

    /// @return sequence of the oldest one that is kept
    uint32_t Base() const
    {
        return m_base;
    }

    /// Keeps a packet, which has the sequence Next().
    void Add(const T& packet)
    {
        m_entries.Push(Entry{packet});
    }

    /// @return whether a sequence is kept and not acknowledged
    bool IsOpen(uint32_t sequence) const
    {
        const uint32_t place = sequence - m_base;
        return place < m_entries.Size() && !m_entries.At(place).isAcked;
    }

    /// @param sequence that is kept
    Entry& At(uint32_t sequence)
    {
        return m_entries.At(sequence - m_base);
    }

    /// @copydoc At()
    const Entry& At(uint32_t sequence) const
    {
        return m_entries.At(sequence - m_base);
    }

    /**
     * Packets have come.
     *
     * @param base all before it have
     * @param bits bit i: base + i has
     * @return whether any is news
     */
    bool Acknowledge(uint32_t base, uint64_t bits)
    {
        const uint32_t ahead = base - m_base;
        if (ahead > m_entries.Size())
        {
            return false; // an old acknowledgement
        }
        bool isNew = ahead != 0;
        Drop(ahead);
        for (uint32_t i = 0; bits != 0 && i < m_entries.Size(); ++i, bits >>= 1)
        {
            Entry& entry = m_entries.At(i);
            if ((bits & 1) != 0 && !entry.isAcked)
            {
                entry.isAcked = isNew = true;
                entry.dueAt = NEVER;
            }
        }
        return isNew;
    }

    /// @return when the first packet is lost, NEVER for none, ps
    TimePs Earliest() const
    {
        TimePs first = NEVER;
        for (uint32_t i = 0; i < m_entries.Size(); ++i)
        {
            first = std::min(first, m_entries.At(i).dueAt);
        }
        return first;
    }

    /// Forgets all packets; sequences begin at 0 again.
    void Clear()
    {
        Drop(m_entries.Size());
        m_base = 0;
    }

  private:
    /// Forgets the oldest packets.
    void Drop(uint32_t count)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            m_entries.Pop();
        }
        m_base += count;
    }

    Ring<Entry> m_entries; ///< By sequence.
    uint32_t m_base{0};    ///< Sequence of the first one.
};

} // namespace ns3::fabric

#endif // FABRIC_RETRY_WINDOW_H
