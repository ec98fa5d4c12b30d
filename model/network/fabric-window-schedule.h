/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WINDOW_SCHEDULE_H
#define FABRIC_WINDOW_SCHEDULE_H

#include "fabric-crew.h"
#include "fabric-repeating-event.h"
#include "fabric-types.h"

#include <functional>
#include <queue>
#include <tuple>
#include <vector>

namespace ns3
{
namespace fabric
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
     * @param time start of a window, not before now, ps
     * @param number of the switch, by which windows of equal start are ordered
     * @param ticker is called then
     */
    void Add(TimePs time, uint32_t number, Ticker* ticker);

    /// Stops; no window begins any more.
    void Clear();

  private:
    /// The time of the first windows has come.
    void Fire();

    /// Start, number and ticker of a window to come.
    using Window = std::tuple<TimePs, uint32_t, Ticker*>;

    std::priority_queue<Window, std::vector<Window>, std::greater<>> m_windows; ///< First on top.
    std::vector<Ticker*> m_due; ///< Whose windows begin now.
    Crew& m_crew;               ///< Runs the windows.
    RepeatingEvent m_event;     ///< Comes at the start of the first.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_WINDOW_SCHEDULE_H
