/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WINDOW_DRIVER_H
#define FABRIC_WINDOW_DRIVER_H

#include "fabric-agenda.h"
#include "fabric-crew.h"
#include "fabric-repeating-event.h"
#include "fabric-switch-chip.h"
#include "fabric-ticker.h"
#include "fabric-window-schedule.h"

#include <algorithm>

namespace ns3::fabric
{

/// How far the switches of a fabric may run; may change in the run.
struct RunLimits
{
    bool lookahead{true};  ///< Whether switches run ahead of the simulator (DP-2).
    TimePs horizon{NEVER}; ///< Nothing at or after this time is simulated, ps.
    TimePs longest{NEVER}; ///< Windows are no longer, ps; NEVER for no limit.
};

/**
 * Runs a switch window by window (DP-3): when a window begins, and how long it is.
 *
 * | who watches | a window begins                             | and ends                 |
 * |-------------|---------------------------------------------|--------------------------|
 * | nobody      | at a multiple of the look-ahead, or at once | at the next multiple     |
 * | somebody    | when the switch has something to do         | 1 ps later: one instant  |
 *
 * Neither goes beyond the horizon, nor beyond a multiple of the longest window. Windows of the
 * first kind are started with those of the other switches, by the schedule; those of the second by
 * an event of the switch's own, so that Simulator::Now() is right while it is watched (DP-5).
 */
class alignas(CACHE_LINE) WindowDriver : public Ticker, private Alarm
{
  public:
    /**
     * @param windows starts windows with those of the other switches
     * @param instant comes at the start of a window of one instant; whoever has it calls Tick()
     */
    WindowDriver(SwitchChip& chip,
                 uint32_t number,
                 const RunLimits& limits,
                 WindowSchedule& windows,
                 RepeatingEvent& instant);

    ~WindowDriver() override;

    WindowDriver(const WindowDriver&) = delete;
    WindowDriver& operator=(const WindowDriver&) = delete;

    /// @return the switch
    SwitchChip& Chip()
    {
        return m_chip;
    }

    /// @copydoc Chip()
    const SwitchChip& Chip() const
    {
        return m_chip;
    }

    /// @return number of the switch in the fabric
    uint32_t Number() const
    {
        return m_number;
    }

    /// @return the first multiple of the look-ahead after the present; the switch is not ahead of
    /// it, ps
    TimePs NextWindow() const;

    /// @param part of the fabric, by whose thread it is run
    void SetPart(uint32_t part)
    {
        m_part = static_cast<uint16_t>(part);
    }

    /// @param observer watches the switch from its next window on; null for nobody
    void Watch(SwitchObserver* observer);

    uint32_t GetPart() const override
    {
        return m_part;
    }

    /// What the switch had to do after an earlier horizon was not planned.
    void Resume();

    void Tick(TimePs now) override;
    void Fetch(uint32_t step) const override;
    void FetchFirst() const override;
    bool RunsAlone() const override;

    void PlanStart() override;

  private:
    void WakeBy(TimePs time) override;

    /**
     * @param now the present, ps
     * @return the first multiple of the look-ahead after it, ps
     */
    TimePs WindowAfter(TimePs now) const;

    /// @return the start of the window that holds a time, if it is not cut, ps
    TimePs WindowOf(TimePs time) const
    {
        const TimePs start = m_chip.Windows().StartOf(time);
        const TimePs longest = m_limits.longest;
        return longest == NEVER ? start : std::max(start, time / longest * longest);
    }

    /// @return the end of a window that starts at a time, ps
    TimePs EndOf(TimePs start) const;

    /**
     * @param time the switch has something to do then, ps
     * @param now the present, ps
     * @param runsAhead see RunsAhead()
     */
    [[gnu::always_inline]] inline void RunFrom(TimePs time, TimePs now, bool runsAhead);

    /// Does PlanStart(); the caller knows whether the switch runs ahead.
    [[gnu::always_inline]] inline void PlanStart(bool runsAhead);

    /// @return whether the switch may run ahead
    bool RunsAhead() const;

    // Nothing else of it is read in a window, and a fabric has many: together they are in one line
    // of the cache.
    SwitchChip& m_chip;                  ///< The switch.
    const RunLimits& m_limits;           ///< Of all switches.
    WindowSchedule& m_windows;           ///< Starts windows with others.
    SwitchObserver* m_observer{nullptr}; ///< Watches the switch; null for nobody.
    TimePs m_planned{NEVER};             ///< Start of the next window, ps.
    uint32_t m_number;                   ///< Of the switch in the fabric.
    uint16_t m_part{0};                  ///< Part of the fabric.
    bool m_hasOtherObserver{false};      ///< Whether the switch does not know it yet.

    RepeatingEvent& m_instant; ///< Starts windows of one instant.
};

} // namespace ns3::fabric

#endif // FABRIC_WINDOW_DRIVER_H
