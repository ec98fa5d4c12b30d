/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONTEXT_WRITER_H
#define FABRIC_CONTEXT_WRITER_H

#include "fabric-credit-line.h"
#include "fabric-pio-settings.h"
#include "fabric-slot-run.h"

#include <cstdint>

namespace ns3::fabric
{

/// Where software found that there is room, the cheapest first (hfi1, PSM2).
enum class CreditLook : uint8_t
{
    CACHED, ///< In its own copy of the counter.
    SHARED, ///< In the counter that all threads of the context share.
    MEMORY, ///< In the word that the adaptor writes.
    SHORT,  ///< Nowhere.
};

/// Blocks that software may write.
struct BlockReservation
{
    CreditLook look;  ///< SHORT if there are none.
    uint32_t slot{0}; ///< The first one.
};

/**
 * Software's side of a send context (PC-5, PC-7): the running total of blocks sent, and what it
 * knows of those returned, both modulo the counter:
 *     free = size - (sent - returned) mod 2^bits
 */
class ContextWriter
{
  public:
    /// @param settings that are valid
    explicit ContextWriter(const SendContextSettings& settings)
        : m_size(settings.blocks),
          m_mask(settings.CounterMask()),
          m_threshold(settings.threshold),
          m_scheme(settings.scheme),
          m_run(settings.blocks)
    {
    }

    /**
     * Takes blocks for a packet: looks at its own copy of the counter, then at the shared one, then
     * once at the word in memory, and then says no.
     *
     * @param blocks at most the size of the context
     * @param line the word
     */
    BlockReservation Reserve(uint32_t blocks, CreditLine& line, TimePs now)
    {
        CreditLook look = CreditLook::CACHED;
        if (FreeBy(m_cached) < blocks)
        {
            look = CreditLook::SHARED;
            m_cached = m_shared;
        }
        if (FreeBy(m_cached) < blocks)
        {
            look = CreditLook::MEMORY;
            Refresh(line, now);
            m_cached = m_shared;
        }
        if (FreeBy(m_cached) < blocks || m_isHalted)
        {
            return {CreditLook::SHORT};
        }
        const uint32_t slot = m_next;
        m_sent = (m_sent + blocks) & m_mask;
        m_next = (m_next + blocks) % m_size;
        return {look, slot};
    }

    /// Brings the shared counter up to what the word in memory says.
    void Refresh(CreditLine& line, TimePs now)
    {
        line.Take(now, [this](const CreditUpdate& update) { Take(update); });
    }

    /// @return blocks that may be written, as far as the shared counter tells
    uint32_t Free() const
    {
        return FreeBy(m_shared);
    }

    /// @return whether the adaptor may keep what is outstanding to itself for good, as all of it is
    /// less than the threshold: who waits has to force a return
    bool MustForce() const
    {
        return m_scheme == CREDITS_ABSOLUTE && m_size - Free() < m_threshold;
    }

    /// @param threshold of the adaptor from now on, blocks
    void SetThreshold(uint32_t threshold)
    {
        m_threshold = threshold;
    }

    /// @return whether the adaptor has halted the context
    bool IsHalted() const
    {
        return m_isHalted;
    }

    /// @return why credits were returned last, see CreditReason
    uint8_t LastReasons() const
    {
        return m_reasons;
    }

  private:
    /// Reads a word.
    void Take(const CreditUpdate& update)
    {
        m_reasons = update.reasons;
        m_isHalted = m_isHalted || update.isHalted;
        switch (m_scheme)
        {
        case CREDITS_ABSOLUTE:
            m_shared = update.value;
            break;
        case CREDITS_RELATIVE:
            m_shared = (m_shared + update.value) & m_mask;
            break;
        case CREDITS_BY_EGRESS:
            if (update.value != 0)
            {
                m_shared =
                    (m_shared + m_run.Free(update.slot, update.value, false).blocks) & m_mask;
            }
            break;
        }
    }

    /// @return blocks that may be written if so many were returned
    uint32_t FreeBy(uint32_t returned) const
    {
        return m_size - ((m_sent - returned) & m_mask);
    }

    uint32_t m_size;        ///< Blocks of the context.
    uint32_t m_mask;        ///< Of the counters.
    uint32_t m_threshold;   ///< Of the adaptor, blocks.
    CreditScheme m_scheme;  ///< How credits come back.
    uint32_t m_sent{0};     ///< Running total, modulo.
    uint32_t m_cached{0};   ///< Returned, as the one who writes knows it.
    uint32_t m_shared{0};   ///< Returned, as all threads know it.
    uint32_t m_next{0};     ///< Slot of the next packet.
    uint8_t m_reasons{0};   ///< See LastReasons().
    bool m_isHalted{false}; ///< See IsHalted().
    SlotRun m_run;          ///< By order of egress: what was returned.
};

} // namespace ns3::fabric

#endif // FABRIC_CONTEXT_WRITER_H
