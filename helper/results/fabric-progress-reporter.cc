/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-progress-reporter.h"

#include "fabric-summary.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <unistd.h>

namespace ns3::fabric
{

namespace
{

constexpr double LINE_SPACING = 0.5;              ///< Wall time between lines, s.
constexpr TimePs FIRST_INTERVAL = 1'000'000;      ///< 1 us: short, since the pace is not known yet.
constexpr TimePs SHORTEST_INTERVAL = 1'000;       ///< 1 ns.
constexpr TimePs LONGEST_INTERVAL = NEVER / 1000; ///< Far from an overflow of the clock.

/**
 * @param seconds a time
 * @return `1:02:03` or `02:03`
 */
std::string
ClockText(double seconds)
{
    const auto total = static_cast<long long>(std::min(seconds, 1e9) + 0.5);
    char text[48];
    if (total >= 3600)
    {
        std::snprintf(text,
                      sizeof(text),
                      "%lld:%02lld:%02lld",
                      total / 3600,
                      total / 60 % 60,
                      total % 60);
    }
    else
    {
        std::snprintf(text, sizeof(text), "%02lld:%02lld", total / 60, total % 60);
    }
    return text;
}

/// @return seconds of a clock that nobody sets
double
SteadySeconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace

ProgressReporter::ProgressReporter(ProgressMode mode, Source source)
    : ProgressReporter(mode, std::move(source), Output())
{
}

ProgressReporter::ProgressReporter(ProgressMode mode, Source source, Output output)
    : m_source(std::move(source)),
      m_output(std::move(output)),
      m_interval(FIRST_INTERVAL)
{
    if (!m_source.active)
    {
        throw std::invalid_argument(
            "progress: a function that tells whether work is left is needed");
    }
    if (!m_output.os)
    {
        m_output.os = &std::cerr;
        m_output.isTerminal = isatty(STDERR_FILENO) == 1;
    }
    if (!m_output.wall)
    {
        m_output.wall = SteadySeconds;
    }
    m_isShown = mode == ProgressMode::ON || (mode == ProgressMode::AUTO && m_output.isTerminal);
}

ProgressReporter::~ProgressReporter()
{
    Stop();
}

void
ProgressReporter::Start()
{
    if (!m_isShown)
    {
        return;
    }
    m_beginning = m_last = m_lastLine = m_output.wall();
    m_lastEvents = Simulator::GetEventCount();
    Schedule();
}

void
ProgressReporter::Stop()
{
    // Remove and not Cancel: a cancelled event stays in the list and still moves the clock.
    if (!m_event.IsExpired())
    {
        Simulator::Remove(m_event);
    }
    m_event = EventId();
    if (m_hasLine && m_output.isTerminal)
    {
        *m_output.os << "\r\033[K" << std::flush;
    }
    m_hasLine = false;
}

void
ProgressReporter::Schedule()
{
    m_event = Simulator::Schedule(PicoSeconds(m_interval), &ProgressReporter::Report, this);
}

void
ProgressReporter::Report()
{
    if (!m_source.active())
    {
        return;
    }
    const double wall = m_output.wall();
    m_interval = NextInterval(m_interval, wall - m_last);
    m_last = wall;
    // While the pace is being found, and where it jumps, events come more often than lines should.
    if (wall - m_lastLine >= 0.5 * LINE_SPACING)
    {
        const uint64_t events = Simulator::GetEventCount();
        const double rate = static_cast<double>(events - m_lastEvents) / (wall - m_lastLine);
        const std::string line = Line(Simulator::Now().GetPicoSeconds(),
                                      m_source.done ? m_source.done() : -1,
                                      rate,
                                      wall - m_beginning);
        *m_output.os << (m_output.isTerminal ? "\r" + line + "\033[K" : line + "\n") << std::flush;
        m_hasLine = true;
        m_lastLine = wall;
        m_lastEvents = events;
    }
    Schedule();
}

TimePs
ProgressReporter::NextInterval(TimePs interval, double wall)
{
    const double factor = wall > 0 ? std::clamp(LINE_SPACING / wall, 0.1, 10.0) : 10.0;
    const double next = static_cast<double>(interval) * factor;
    return std::llround(std::clamp(next,
                                   static_cast<double>(SHORTEST_INTERVAL),
                                   static_cast<double>(LONGEST_INTERVAL)));
}

std::string
ProgressReporter::Line(TimePs now, double done, double eventRate, double wall)
{
    std::string line = HumanText(ToSeconds(now), "s") + " simulated, ";
    if (done >= 0)
    {
        char percent[32];
        std::snprintf(percent, sizeof(percent), "%.1f %%, ", 100 * std::min(done, 1.0));
        line += percent;
    }
    line += HumanText(std::round(eventRate), "events/s") + ", " + ClockText(wall) + " elapsed";
    if (done > 0)
    {
        line += ", " + ClockText(wall / std::min(done, 1.0) - wall) + " to go";
    }
    return line;
}

} // namespace ns3::fabric
