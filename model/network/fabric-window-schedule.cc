/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-window-schedule.h"

namespace ns3
{
namespace fabric
{

WindowSchedule::WindowSchedule(Crew& crew)
    : m_crew(crew),
      m_event([this] { Fire(); })
{
}

void
WindowSchedule::Add(TimePs time, uint32_t number, Ticker* ticker)
{
    m_windows.push({time, number, ticker});
    m_event.ComeBy(time);
}

void
WindowSchedule::Clear()
{
    m_windows = {};
    m_event.Stop();
}

void
WindowSchedule::Fire()
{
    const TimePs now = std::get<TimePs>(m_windows.top());
    m_due.clear();
    while (!m_windows.empty() && std::get<TimePs>(m_windows.top()) == now)
    {
        m_due.push_back(std::get<Ticker*>(m_windows.top()));
        m_windows.pop();
    }
    m_crew.RunWindows(m_due, now);
    if (!m_windows.empty())
    {
        m_event.ComeBy(std::get<TimePs>(m_windows.top()));
    }
}

} // namespace fabric
} // namespace ns3
