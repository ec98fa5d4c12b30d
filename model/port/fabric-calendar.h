/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CALENDAR_H
#define FABRIC_CALENDAR_H

#include "fabric-few-tasks.h"
#include "fabric-types.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * What is still to be done in one window, by (time, number) (DP-7, DP-11).
 *
 * Each entry has a number and is in the calendar once at most. A few entries are a sorted array.
 * When there are more, the window is cut into slices of equal length; the entries of a slice are a
 * sorted list. There are more slices than entries in a window as a rule, and what comes at one time
 * mostly comes in the order of the numbers, so that adding an entry is a comparison with the last
 * one of its slice.
 */
class Calendar
{
  public:
    /// Number of no entry.
    static constexpr uint32_t NONE = 0xFFFF;

    /**
     * A window begins; the one before is over and empty.
     *
     * @param start of the window, ps
     * @param end of the window, after its start, ps
     * @param entries largest number of an entry + 1, at most 65,535
     * @param expected so many entries are taken out before the end, as a rule
     */
    void Begin(TimePs start, TimePs end, uint32_t entries, uint32_t expected)
    {
        if (m_nodes.size() < entries)
        {
            m_nodes.resize(entries);
        }
        m_start = start;
        // Of many, more than a few are in the calendar at a time.
        m_isSliced = expected > 4 * FEW;
        // The least shift that leaves less than SLICES.
        const auto longest = static_cast<uint64_t>(end - 1 - start) | (SLICES - 1);
        m_shift = 64 - SLICE_BITS - static_cast<uint32_t>(__builtin_clzll(longest));
    }

    /// @param time when it is due, in the window and not before what was taken last, ps
    void Add(uint32_t entry, TimePs time)
    {
        if (!m_isSliced && m_size < FEW)
        {
            AddToFew(entry, time);
            return;
        }
        if (!m_isSliced)
        {
            Slice();
        }
        AddToSlice(entry, time);
    }

    /// @param entry is in the calendar and leaves it
    void Remove(uint32_t entry)
    {
        if (m_isSliced)
        {
            RemoveFromSlice(entry);
            return;
        }
        uint32_t place = 0;
        while (EntryOf(m_few[place]) != entry)
        {
            ++place;
        }
        for (--m_size; place < m_size; ++place)
        {
            m_few[place] = m_few[place + 1];
        }
    }

    /// @return the first entry, which leaves the calendar; NONE if there is no more
    DueTask Take()
    {
        if (m_isSliced)
        {
            return TakeFromSlice();
        }
        if (m_size == 0)
        {
            return {NONE, 0};
        }
        return DueOf(m_few[--m_size]);
    }

  private:
    /// An entry.
    struct Node
    {
        TimePs time{0};   ///< When it is due, ps.
        uint16_t next{0}; ///< Next of the slice; the first one after the last.
    };

    /// @return entry of a key of the sorted array
    static uint32_t EntryOf(uint64_t key)
    {
        return key & NONE;
    }

    /// @return what a key of the sorted array says
    DueTask DueOf(uint64_t key) const
    {
        return {EntryOf(key), m_start + static_cast<TimePs>(key >> ENTRY_BITS)};
    }

    /// See Add().
    void AddToFew(uint32_t entry, TimePs time)
    {
        const uint64_t key = static_cast<uint64_t>(time - m_start) << ENTRY_BITS | entry;
        uint32_t place = m_size++;
        for (; place > 0 && m_few[place - 1] < key; --place)
        {
            m_few[place] = m_few[place - 1];
        }
        m_few[place] = key;
    }

    /// There are more than a few: they move into slices. Out of line, as it is once a window.
    [[gnu::noinline]] void Slice()
    {
        m_isSliced = true;
        for (; m_size != 0; --m_size)
        {
            const DueTask due = DueOf(m_few[m_size - 1]);
            AddToSlice(due.entry, due.time);
        }
    }

    /// See Add().
    void AddToSlice(uint32_t entry, TimePs time)
    {
        Node& node = m_nodes[entry];
        node.time = time;
        const uint32_t slice = SliceOf(time);
        const uint64_t bit = uint64_t{1} << slice % WORD;
        if ((m_used[slice / WORD] & bit) == 0)
        {
            m_used[slice / WORD] |= bit;
            m_usedWords |= 1U << slice / WORD;
            m_last[slice] = node.next = static_cast<uint16_t>(entry);
            return;
        }
        uint32_t before = m_last[slice];
        if (Precedes(before, entry))
        {
            m_last[slice] = static_cast<uint16_t>(entry);
        }
        else
        {
            while (Precedes(m_nodes[before].next, entry))
            {
                before = m_nodes[before].next;
            }
        }
        node.next = m_nodes[before].next;
        m_nodes[before].next = static_cast<uint16_t>(entry);
    }

    /// See Remove().
    void RemoveFromSlice(uint32_t entry)
    {
        const uint32_t slice = SliceOf(m_nodes[entry].time);
        uint32_t before = m_last[slice];
        while (m_nodes[before].next != entry)
        {
            before = m_nodes[before].next;
        }
        Unlink(slice, before, entry);
    }

    /// See Take().
    DueTask TakeFromSlice()
    {
        if (m_usedWords == 0)
        {
            return {NONE, 0};
        }
        const auto word = static_cast<uint32_t>(__builtin_ctz(m_usedWords));
        const uint32_t slice = word * WORD + static_cast<uint32_t>(__builtin_ctzll(m_used[word]));
        const uint32_t last = m_last[slice];
        const uint32_t first = m_nodes[last].next;
        Unlink(slice, last, first);
        return {first, m_nodes[first].time};
    }

    /// @return whether one entry is due before another
    bool Precedes(uint32_t one, uint32_t other) const
    {
        const TimePs a = m_nodes[one].time;
        const TimePs b = m_nodes[other].time;
        return a < b || (a == b && one < other);
    }

    /// @return slice of a time in the window
    uint32_t SliceOf(TimePs time) const
    {
        return static_cast<uint32_t>(static_cast<uint64_t>(time - m_start) >> m_shift);
    }

    /// Takes an entry out of its slice's list; `before` is the one before it.
    void Unlink(uint32_t slice, uint32_t before, uint32_t entry)
    {
        if (before == entry)
        {
            uint64_t& used = m_used[slice / WORD];
            used &= ~(uint64_t{1} << slice % WORD);
            m_usedWords &= ~(static_cast<uint32_t>(used == 0) << slice / WORD);
            return;
        }
        m_nodes[before].next = m_nodes[entry].next;
        if (m_last[slice] == entry)
        {
            m_last[slice] = static_cast<uint16_t>(before);
        }
    }

    static constexpr uint32_t FEW = 8;                  ///< Entries of the sorted array; measured.
    static constexpr uint32_t ENTRY_BITS = 16;          ///< Bits of an entry's number.
    static constexpr uint32_t WORD = 64;                ///< Slices in a word of the bit mask.
    static constexpr uint32_t SLICE_BITS = 10;          ///< Bits of a slice's number.
    static constexpr uint32_t SLICES = 1 << SLICE_BITS; ///< In a window.

    std::array<uint64_t, FEW> m_few{}; ///< Time since the start, then number; the last comes first.
    uint32_t m_size{0};                ///< Number of entries in `m_few`.
    bool m_isSliced{false};            ///< Whether the entries are in slices.
    std::vector<Node> m_nodes;         ///< Those in slices, by number.
    std::array<uint64_t, SLICES / WORD> m_used{}; ///< Bit mask of slices that have entries.
    uint32_t m_usedWords{0};                      ///< Bit mask of words of `m_used` that have bits.
    uint32_t m_shift{0};                          ///< A slice is 2^m_shift ps.
    TimePs m_start{0};                            ///< Start of the window, ps.
    std::array<uint16_t, SLICES> m_last{};        ///< Last entry of each slice that has any.
};

} // namespace ns3::fabric

#endif // FABRIC_CALENDAR_H
