/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CREDIT_LINE_H
#define FABRIC_CREDIT_LINE_H

#include "fabric-ring.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// Why credits are returned; several may hold (hfi1).
enum CreditReason : uint8_t
{
    CREDIT_REQUESTED = 1, ///< A packet's control word asked for it.
    CREDIT_THRESHOLD = 2, ///< So many blocks were unreturned.
    CREDIT_ERROR = 4,     ///< The context has halted.
    CREDIT_FORCED = 8,    ///< Software forced it, or has changed the threshold.
    CREDIT_TIMED = 16,    ///< A block was unreturned for so long; ours, hfi1 has none.
};

/// What the adaptor writes into the word of a context.
struct CreditUpdate
{
    TimePs at{0};         ///< When it is in host memory, ps.
    TimePs readFrom{0};   ///< When a core that polls can begin to read it, see CreditLines, ps.
    uint32_t value{0};    ///< Absolute counter; blocks by which it grows; or blocks from `slot` on.
    uint16_t slot{0};     ///< By order of egress: the first slot that is free.
    uint8_t reasons{0};   ///< See CreditReason.
    bool isHalted{false}; ///< The context takes nothing more.
    bool interrupts{false}; ///< The processor is interrupted.
};

/**
 * The word of a context in host memory (PC-6): what the adaptor has written there and software has
 * not seen. With absolute credits only the last of it matters: it overwrites the others.
 */
class CreditLine
{
  public:
    /// @param update comes later than those before
    void Write(const CreditUpdate& update)
    {
        m_updates.Push(update);
    }

    /// @return when the first update comes that software has not seen, NEVER for none, ps
    TimePs NextArrival() const
    {
        return m_updates.IsEmpty() ? NEVER : m_updates.Front().at;
    }

    /// @param timeOf says a time of an update, that of later ones no earlier, or NEVER
    /// @return the first such time of those that software has not seen, NEVER for none, ps
    template <typename TimeOf>
    TimePs Earliest(TimeOf&& timeOf) const
    {
        for (uint32_t i = 0; i < m_updates.Size(); ++i)
        {
            const TimePs time = timeOf(m_updates.At(i));
            if (time != NEVER)
            {
                return time;
            }
        }
        return NEVER;
    }

    /// @param visit is called with each update that has come by now and was not seen
    template <typename Visit>
    void Take(TimePs now, Visit&& visit)
    {
        for (; NextArrival() <= now; m_updates.Pop())
        {
            visit(m_updates.Front());
        }
    }

  private:
    Ring<CreditUpdate> m_updates; ///< By time.
};

} // namespace ns3::fabric

#endif // FABRIC_CREDIT_LINE_H
