/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-window-driver.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::fabric
{

WindowDriver::WindowDriver(SwitchChip& chip,
                           uint32_t number,
                           const RunLimits& limits,
                           WindowSchedule& windows,
                           RepeatingEvent& instant)
    : m_chip(chip),
      m_limits(limits),
      m_windows(windows),
      m_number(number),
      m_instant(instant)
{
    m_chip.GetAgenda().SetAlarm(this);
    m_windows.Enlist(number, this);
}

WindowDriver::~WindowDriver() = default;

TimePs
WindowDriver::NextWindow() const
{
    return WindowAfter(Simulator::Now().GetPicoSeconds());
}

TimePs
WindowDriver::WindowAfter(TimePs now) const
{
    // Without links it never runs.
    return m_chip.Lookahead() == NEVER ? now : m_chip.Windows().EndOf(now);
}

TimePs
WindowDriver::EndOf(TimePs start) const
{
    const TimePs longest = m_limits.longest;
    const TimePs end = std::min(WindowAfter(start), m_limits.horizon);
    return longest == NEVER ? end : std::min(end, (start / longest + 1) * longest);
}

void
WindowDriver::Watch(SwitchObserver* observer)
{
    m_hasOtherObserver = m_hasOtherObserver || observer != m_observer;
    m_observer = observer;
}

bool
WindowDriver::RunsAhead() const
{
    return m_limits.lookahead && !m_observer;
}

bool
WindowDriver::RunsAlone() const
{
    return !RunsAhead();
}

void
WindowDriver::Resume()
{
    m_chip.GetAgenda().Wake(m_chip.NextTime());
}

void
WindowDriver::PlanStart(bool runsAhead)
{
    if (runsAhead)
    {
        m_windows.Add(m_planned, m_chip.Lookahead(), m_number);
    }
    else
    {
        m_windows.GiveUp(m_number);
        m_instant.Stop(); // it may be planned for what a window has handled meanwhile
        m_instant.ComeBy(m_planned);
    }
}

void
WindowDriver::RunFrom(TimePs time, TimePs now, bool runsAhead)
{
    const TimePs start = std::max(runsAhead ? WindowOf(time) : time, now);
    if (start >= m_planned)
    {
        return;
    }
    m_planned = start;
    m_chip.GetAgenda().PlanRun(start);
    Crew& crew = m_windows.GetCrew();
    if (crew.IsParallel())
    {
        crew.JournalOf(m_part).starts.push_back(this);
    }
    else
    {
        PlanStart(runsAhead);
    }
}

void
WindowDriver::WakeBy(TimePs time)
{
    if (time >= m_limits.horizon)
    {
        return;
    }
    RunFrom(time, m_windows.Now(), RunsAhead());
}

void
WindowDriver::PlanStart()
{
    PlanStart(RunsAhead());
}

void
WindowDriver::Fetch(uint32_t step) const
{
    m_chip.Fetch(static_cast<FetchStep>(step));
}

void
WindowDriver::FetchFirst() const
{
    m_chip.FetchFirst();
}

void
WindowDriver::Tick(TimePs now)
{
    if (now != m_planned)
    {
        return; // it was brought forward
    }
    if (m_hasOtherObserver)
    {
        m_hasOtherObserver = false;
        m_chip.SetObserver(m_observer);
    }
    const bool runsAhead = RunsAhead();
    const TimePs next =
        m_chip.Advance(now, runsAhead ? EndOf(now) : std::min(now + 1, m_limits.horizon));
    m_planned = NEVER;
    m_chip.GetAgenda().PlanRun(NEVER);
    if (next < m_limits.horizon)
    {
        RunFrom(next, now, RunsAhead()); // who watches may have changed
    }
}

} // namespace ns3::fabric
