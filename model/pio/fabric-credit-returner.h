/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CREDIT_RETURNER_H
#define FABRIC_CREDIT_RETURNER_H

#include "fabric-credit-line.h"
#include "fabric-pio-settings.h"
#include "fabric-ring.h"
#include "fabric-slot-run.h"

#include <algorithm>
#include <optional>

namespace ns3::fabric
{

/**
 * When a send context returns credits, and what it says (PC-5, PC-6).
 *
 * | a return is due when                          | reason           |
 * |-----------------------------------------------|------------------|
 * | so many blocks are unreturned                 | CREDIT_THRESHOLD |
 * | a packet that asks for it is in the run       | CREDIT_REQUESTED |
 * | software forces it, or changes the threshold  | CREDIT_FORCED    |
 * | a block was unreturned for so long            | CREDIT_TIMED     |
 * | the context has halted                        | CREDIT_ERROR     |
 *
 * A forced return that finds nothing new says the same again, and the next block is returned at
 * once. The schemes for comparison return everything at once; forced, they say that nothing is new.
 */
class CreditReturner
{
  public:
    /// @param settings of the context
    explicit CreditReturner(const SendContextSettings& settings)
        : m_scheme(settings.scheme),
          m_mask(settings.CounterMask()),
          m_threshold(settings.threshold),
          m_interval(settings.interval)
    {
    }

    /// The run has grown.
    void Grow(const SlotRun::Growth& growth, TimePs now)
    {
        if (growth.blocks == 0)
        {
            return;
        }
        const bool wasNone = Unreturned() == 0;
        m_freed += growth.blocks;
        if (m_scheme != CREDITS_ABSOLUTE)
        {
            return; // each block is told at once
        }
        if (wasNone && m_interval != 0)
        {
            m_dueAt = now + m_interval;
        }
        Want(CREDIT_REQUESTED, growth.isRequested);
        Want(CREDIT_FORCED, m_isForced);
        Want(CREDIT_THRESHOLD, Unreturned() >= std::max(m_threshold, uint64_t{1}));
    }

    /// A packet has left, by order of egress. @param slot its first @param blocks how many
    void Leave(uint32_t slot, uint32_t blocks)
    {
        CreditUpdate update;
        update.slot = static_cast<uint16_t>(slot);
        update.value = blocks;
        m_left.Push(update);
    }

    /// Software wants to know how much is free.
    void Force()
    {
        m_isForced = Unreturned() == 0;
        Want(CREDIT_FORCED, true);
    }

    /// Changes the threshold. That forces a return, so that nobody waits for the old one.
    void SetThreshold(uint32_t threshold)
    {
        m_threshold = threshold;
        Force();
    }

    /// The context takes nothing more.
    void Halt()
    {
        m_isHalted = true;
        Want(CREDIT_ERROR, true);
    }

    /// @return when a block has been unreturned for as long as it may; NEVER for no limit, ps
    TimePs DueAt() const
    {
        return m_dueAt;
    }

    /// Time has passed.
    void Tick(TimePs now)
    {
        Want(CREDIT_TIMED, m_dueAt <= now);
    }

    /// @return the next update to write, nothing if none is due
    std::optional<CreditUpdate> Take()
    {
        if (m_scheme == CREDITS_BY_EGRESS && !m_left.IsEmpty())
        {
            const CreditUpdate update = m_left.Front();
            m_left.Pop();
            return update;
        }
        if (m_scheme == CREDITS_RELATIVE && Unreturned() != 0)
        {
            ++m_told;
            CreditUpdate update;
            update.value = 1;
            return update;
        }
        return m_reasons == 0 ? std::nullopt : std::optional<CreditUpdate>(TakeTotal());
    }

    /// @return blocks of the run that were not returned yet
    uint64_t Unreturned() const
    {
        return m_freed - m_told;
    }

  private:
    /// Notes a reason, if it holds.
    void Want(CreditReason reason, bool holds)
    {
        m_reasons |= holds ? reason : 0;
    }

    /// @return the absolute counter, with the reasons
    CreditUpdate TakeTotal()
    {
        CreditUpdate update;
        // In a scheme for comparison there is nothing new to say.
        update.value = m_scheme == CREDITS_ABSOLUTE ? static_cast<uint32_t>(m_freed) & m_mask : 0;
        update.reasons = m_reasons;
        update.isHalted = m_isHalted;
        m_isForced = m_isForced && Unreturned() == 0;
        m_told = m_freed;
        m_reasons = 0;
        m_dueAt = NEVER;
        return update;
    }

    CreditScheme m_scheme;     ///< How credits come back.
    uint32_t m_mask;           ///< Of the absolute counter.
    uint64_t m_threshold;      ///< Blocks.
    TimePs m_interval;         ///< See SendContextSettings.
    TimePs m_dueAt{NEVER};     ///< See DueAt().
    uint64_t m_freed{0};       ///< Blocks of the run so far.
    uint64_t m_told{0};        ///< Those that were returned.
    uint8_t m_reasons{0};      ///< That hold.
    bool m_isForced{false};    ///< The next block is returned at once.
    bool m_isHalted{false};    ///< See Halt().
    Ring<CreditUpdate> m_left; ///< By order of egress: not told yet.
};

} // namespace ns3::fabric

#endif // FABRIC_CREDIT_RETURNER_H
