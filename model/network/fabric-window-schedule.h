/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WINDOW_SCHEDULE_H
#define FABRIC_WINDOW_SCHEDULE_H

#include "fabric-crew.h"
#include "fabric-repeating-event.h"
#include "fabric-timer-heap.h"
#include "fabric-types.h"
#include "fabric-window-wheel.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Starts the windows of all switches: one ns-3 event for all that begin at the same time (DP-3).
 *
 * Windows of different switches do not touch each other (DP-2), so a crew runs them beside each
 * other; those of one part are run in the order of the switches' numbers.
 */
class WindowSchedule
{
  public:
    /// @param crew runs the windows
    explicit WindowSchedule(Crew& crew);

    /**
     * @param number of a switch, by which windows of equal start are ordered
     * @param ticker is called when one of its windows starts
     */
    void Enlist(uint32_t number, Ticker* ticker);

    /**
     * A switch has one window ahead: the one that it had before begins no more.
     *
     * @param time start of a window, not before now nor after the one before, ps
     * @param length look-ahead of the switch, ps
     * @param number of the switch, which was enlisted
     */
    void Add(TimePs time, TimePs length, uint32_t number);

    /// The window that a switch has ahead, if any, begins no more. @param number of the switch
    void GiveUp(uint32_t number);

    /// @return simulation time, without asking the simulator while windows run, ps
    TimePs Now() const
    {
        return m_running != NEVER ? m_running : Simulator::Now().GetPicoSeconds();
    }

    /// @return what runs the windows
    Crew& GetCrew()
    {
        return m_crew;
    }

    /// Stops; no window begins any more.
    void Clear();

  private:
    /// The time of the first windows has come.
    void Fire();

    /// A window does not fit into the wheel.
    [[gnu::noinline]] void AddFar(TimePs time, uint32_t number);

    /// @param step the shortest look-ahead of the switches, ps
    [[gnu::cold, gnu::noinline]] void SetStep(TimePs step);

    /// All windows are far.
    [[gnu::cold, gnu::noinline]] void EmptyWheel();

    /// @return when the first windows begin, NEVER for none, ps; windows that were given up or
    /// brought forward are forgotten
    TimePs NextTime();

    /// The far windows that begin now, the time to which the wheel has come, are near.
    [[gnu::noinline]] void BringNear(TimePs now);

    /// The windows that begin now are due, and planned no longer.
    void TakeDue(TimePs now);

    // Both may have windows that begin no more, since m_starts has another time for their switch.
    WindowWheel m_wheel;            ///< Most windows are near.
    TimerHeap m_far;                ///< The others, by switch.
    std::vector<TimePs> m_starts;   ///< Of the window that a switch has ahead, by number.
    std::vector<Ticker*> m_tickers; ///< By number.
    std::vector<Ticker*> m_due;     ///< Whose windows begin now.
    Crew& m_crew;                   ///< Runs the windows.
    RepeatingEvent m_event;         ///< Comes at the start of the first.
    TimePs m_running{NEVER};        ///< Start of windows that run now, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_WINDOW_SCHEDULE_H
