/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAUSE_CONTROLLER_H
#define FABRIC_PAUSE_CONTROLLER_H

#include "fabric-pause-fill.h"
#include "fabric-pause-teller.h"

#include <algorithm>

namespace ns3::fabric
{

/**
 * The pausing end of a link where that is a switch (WL-5, FC-9): from what comes into the input
 * buffer and leaves it, decides when the sender has to be stopped and when it may go on.
 */
class PauseController : public PauseFill
{
  public:
    /// @param memory that ports share; null if the buffer is the port's own
    explicit PauseController(const PauseConfig& config, SharedMemory* memory = nullptr)
        : PauseFill(config, memory),
          m_teller(config)
    {
    }

    /// @return whether HasOrder(), as far as Arrive(), BeginWait() and EndWait() know
    bool IsDue(TimePs now) const
    {
        return m_teller.IsDue(Wanted(), now);
    }

    /**
     * To be called when the link is free, at NextTime() and when IsDue().
     *
     * @param now time, ps; not before that of any earlier call
     * @return whether the sender is to be told something now
     */
    bool HasOrder(TimePs now)
    {
        Collect(now);
        return IsDue(now);
    }

    /**
     * @param now time of HasOrder(), ps
     * @return what the sender is told now, without the time at which it takes effect there
     */
    PauseOrder TakeOrder(TimePs now)
    {
        return m_teller.Take(Wanted(), now);
    }

    /// @return when HasOrder() has to be asked though nothing arrives, after it was asked, NEVER
    /// for not, ps
    TimePs NextTime() const
    {
        return IsStopping() ? std::min(m_teller.RefreshAt(), NextLeave()) : NEVER;
    }

    /// @copydoc PauseTeller::LinkUp()
    void LinkUp()
    {
        m_teller.LinkUp();
    }

    /// @return whether the sender has been told all, and nothing leaves that would change it
    bool HasToldAll() const
    {
        return Wanted() == m_teller.Told() && (!IsStopping() || NextLeave() == NEVER);
    }

    /// @return whether the sender is told to stop something
    bool IsStopping() const
    {
        return m_teller.Told() != 0;
    }

  private:
    PauseTeller m_teller; ///< What the sender knows.
};

} // namespace ns3::fabric

#endif // FABRIC_PAUSE_CONTROLLER_H
