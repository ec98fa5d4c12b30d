/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WINDOW_SCHEDULE_H
#define FABRIC_WINDOW_SCHEDULE_H

#include "fabric-crew.h"
#include "fabric-repeating-event.h"
#include "fabric-timer-heap.h"
#include "fabric-types.h"

#include "ns3/simulator.h"

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
     * @param number of the switch, which was enlisted
     */
    void Add(TimePs time, uint32_t number);

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

    /// Windows that begin at the same time.
    struct Round
    {
        TimePs time;                   ///< When, ps.
        std::vector<uint64_t> numbers; ///< Bit mask of the switches.
    };

    /**
     * @param time start of windows, ps
     * @return their round, made if need be; null if others begin before it that are more than a few
     */
    Round* NearRound(TimePs time);
    /// @param number of a switch, whose window begins with the others of a round
    static void Put(uint32_t number, Round& round);
    /// @return when the first windows begin, NEVER for none, ps
    TimePs NextTime() const;
    /// @return windows that begin at NextTime(), which are planned no longer
    Round TakeRound(TimePs time);
    /// @return a round of no windows
    Round MakeRound(TimePs time);
    /// @return whether a window begins then, and not all of them were brought forward
    bool HasWindow(const Round& round) const;
    /// Leaves out rounds in which nothing begins any more: else the simulation would seem to end
    /// with them.
    void DropIdleRounds();

    static constexpr uint32_t WORD = 64; ///< Switches in a word of a bit mask.

    std::vector<Round> m_rounds;                ///< The earliest last: most windows are near.
    TimerHeap m_far;                            ///< Windows that are far, by switch.
    std::vector<std::vector<uint64_t>> m_spare; ///< Bit masks of rounds that are over.
    std::vector<Ticker*> m_tickers;             ///< By number.
    std::vector<Ticker*> m_due;                 ///< Whose windows begin now.
    Crew& m_crew;                               ///< Runs the windows.
    RepeatingEvent m_event;                     ///< Comes at the start of the first.
    TimePs m_running{NEVER};                    ///< Start of windows that run now, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_WINDOW_SCHEDULE_H
