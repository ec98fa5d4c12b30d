/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TICKER_H
#define FABRIC_TICKER_H

#include "fabric-types.h"

namespace ns3::fabric
{

/// Something that runs at the start of a window.
class Ticker
{
  public:
    virtual ~Ticker() = default;

    /**
     * The start of a window has come.
     *
     * @param now the time, ps
     */
    virtual void Tick(TimePs now) = 0;

    /// Steps in which memory is fetched.
    static constexpr uint32_t FETCH_STEPS = 4;

    /**
     * Fetches memory that the next Tick() needs; each step reads what the one before has fetched.
     *
     * @param step which part of it, less than FETCH_STEPS
     */
    virtual void Fetch(uint32_t step) const = 0;

    /// Fetches memory that the next Tick() needs first, if it has few tasks.
    virtual void FetchFirst() const = 0;

    /// @return the part of the fabric that it belongs to
    virtual uint32_t GetPart() const = 0;

    /// @return whether its next Tick() may call users back, so that nothing may run beside it
    virtual bool RunsAlone() const = 0;

    /// Hands the start of its next window to the simulator.
    virtual void PlanStart() = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_TICKER_H
