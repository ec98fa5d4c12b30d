/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SDMA_RING_H
#define FABRIC_SDMA_RING_H

#include "fabric-credit-line.h"
#include "fabric-send-context.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// An SDMA packet: what the adaptor reads, and where it goes.
using SdmaDescriptor = ControlWord;

/**
 * The descriptor ring of an SDMA engine in host memory (PC-9), with the word of its head.
 *
 *     slot    0   1   2   3   4   5   6   7
 *           [   | D | D | D | D |   |   |   ]   software writes at the tail and tells it by a
 *                 ^ head          ^ tail        doorbell; the adaptor writes the head back
 *
 * Head and tail are running totals, so that an old one is told from a new one. One slot stays free,
 * as hfi1's driver leaves it.
 */
class SdmaRing
{
  public:
    /// @param slots of the ring, a power of two
    explicit SdmaRing(uint32_t slots)
        : m_slots(slots)
    {
    }

    /// @return slots of the ring
    uint32_t Slots() const
    {
        return static_cast<uint32_t>(m_slots.size());
    }

    /// @return whether software may write nothing, as far as it knows
    bool IsFull() const
    {
        return m_tail - m_head == Slots() - 1;
    }

    /// Software reads the head that the adaptor has written.
    void Refresh(TimePs now)
    {
        m_word.Take(now, [this](const CreditUpdate& update) { m_head = update.value; });
    }

    /// @return when a head comes that software has not seen, NEVER for none, ps
    TimePs NextArrival() const
    {
        return m_word.NextArrival();
    }

    /// Software writes a descriptor; the ring is not full.
    void Write(const SdmaDescriptor& descriptor)
    {
        m_slots[m_tail % Slots()] = descriptor;
        ++m_tail;
    }

    /// @return descriptors written so far, modulo 2^32
    uint32_t Tail() const
    {
        return m_tail;
    }

    /// @param number of a descriptor, counted from the first ever @return it
    const SdmaDescriptor& At(uint32_t number) const
    {
        return m_slots[number % Slots()];
    }

    /// The adaptor writes its head. @param head descriptors done so far @param at when it is there
    void WriteHead(uint32_t head, TimePs at)
    {
        CreditUpdate update;
        update.at = at;
        update.value = head;
        m_word.Write(update);
    }

  private:
    std::vector<SdmaDescriptor> m_slots; ///< The memory.
    uint32_t m_tail{0};                  ///< See Tail().
    uint32_t m_head{0};                  ///< Descriptors done, as software knows it.
    CreditLine m_word;                   ///< Of the head.
};

} // namespace ns3::fabric

#endif // FABRIC_SDMA_RING_H
