/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PROGRESS_REPORTER_H
#define FABRIC_PROGRESS_REPORTER_H

#include "fabric-program-options.h"
#include "fabric-types.h"

#include "ns3/event-id.h"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace ns3::fabric
{

/**
 * Shows how far a long run is (SC-7): simulated time, part done, events/s, time to go, on standard
 * error about twice a second.
 *
 * It is one sparse chain of ns-3 events whose spacing in simulated time follows the wall clock. The
 * chain ends when `active` says that the model has nothing left to do, so it never keeps a
 * simulation alive by itself; it touches nothing of the model, so results are the same with and
 * without it. One event may still wait when the last of the model's is done, and Simulator::Run()
 * would move the clock to it: call Stop() when the work is done, and take completion times from the
 * model and not from the clock.
 */
class ProgressReporter
{
  public:
    /// What to ask while the run goes on.
    struct Source
    {
        std::function<bool()> active; ///< Whether the model has work left; needed.
        std::function<double()> done; ///< Part of the work that is done, 0..1; may be empty.
    };

    /// Where to write and which clock to use; tests put their own here.
    struct Output
    {
        std::ostream* os{nullptr}; ///< Where to write, standard error if null.
        bool isTerminal{
            false}; ///< Whether lines are overwritten; asked of the system if os is null.
        std::function<double()> wall; ///< Wall clock, s; a steady clock if empty.
    };

    /**
     * Shows progress on standard error.
     *
     * @param mode when to show progress
     * @param source what to ask
     * @throws std::invalid_argument without `source.active`
     */
    ProgressReporter(ProgressMode mode, Source source);

    /// @copydoc ProgressReporter(ProgressMode, Source)
    /// @param output where to write and which clock to use
    ProgressReporter(ProgressMode mode, Source source, Output output);

    /// Stops.
    ~ProgressReporter();

    ProgressReporter(const ProgressReporter&) = delete;
    ProgressReporter& operator=(const ProgressReporter&) = delete;

    /// Begins; does nothing if the mode says that nothing is shown. Call before Simulator::Run().
    void Start();

    /// Ends: takes the waiting event out of the simulator and clears the line on a terminal.
    void Stop();

    /**
     * @param interval simulated time between the last two lines, ps
     * @param wall seconds that it took
     * @return simulated time to the next line, so that it takes about half a second; at most ten
     * times longer or shorter than `interval`, since the pace of a run changes
     */
    static TimePs NextInterval(TimePs interval, double wall);

    /**
     * @param now simulated time, ps
     * @param done part of the work that is done, 0..1; negative if unknown
     * @param eventRate events per second of wall time
     * @param wall wall time since the beginning, s
     * @return one line without an end
     */
    static std::string Line(TimePs now, double done, double eventRate, double wall);

  private:
    /// Writes a line and schedules the next, unless the model is done.
    void Report();

    /// Schedules the next line.
    void Schedule();

    Source m_source;          ///< What to ask.
    Output m_output;          ///< Where to write.
    bool m_isShown;           ///< Whether anything is shown.
    bool m_hasLine{false};    ///< Whether there is a line on the terminal.
    EventId m_event;          ///< The next line.
    TimePs m_interval;        ///< Simulated time to it, ps.
    double m_beginning{0};    ///< Wall clock at the beginning, s.
    double m_last{0};         ///< Wall clock at the last event of the chain, s.
    double m_lastLine{0};     ///< Wall clock at the last line, s.
    uint64_t m_lastEvents{0}; ///< Events at the last line.
};

} // namespace ns3::fabric

#endif // FABRIC_PROGRESS_REPORTER_H
