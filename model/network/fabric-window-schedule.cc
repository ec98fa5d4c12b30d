/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-window-schedule.h"

namespace ns3::fabric
{

WindowSchedule::WindowSchedule(Crew& crew)
    : m_crew(crew),
      m_event([this] { Fire(); })
{
}

void
WindowSchedule::Enlist(uint32_t number, Ticker* ticker)
{
    EmptyWheel();
    m_tickers.resize(std::max<std::size_t>(m_tickers.size(), number + 1));
    m_tickers[number] = ticker;
    m_starts.resize(m_tickers.size(), NEVER);
    m_wheel.Resize(static_cast<uint32_t>(m_tickers.size()));
}

void
WindowSchedule::Add(TimePs time, TimePs length, uint32_t number)
{
    if (length < m_wheel.Step())
    {
        SetStep(length);
    }
    m_starts[number] = time;
    if (!m_wheel.Put(time, number))
    {
        AddFar(time, number);
    }
    if (m_running == NEVER)
    {
        m_event.ComeBy(time);
    }
}

void
WindowSchedule::AddFar(TimePs time, uint32_t number)
{
    // A window that was brought forward is there still, and often is planned again.
    if (m_far.Time(number) != time)
    {
        m_far.Set(number, time);
    }
}

void
WindowSchedule::GiveUp(uint32_t number)
{
    if (m_starts[number] == NEVER)
    {
        return;
    }
    m_starts[number] = NEVER;
    m_event.Stop(); // else the simulation would seem to end with that window
    if (m_running == NEVER)
    {
        m_event.ComeBy(NextTime());
    }
}

void
WindowSchedule::SetStep(TimePs step)
{
    EmptyWheel();
    m_wheel.SetStep(step);
}

void
WindowSchedule::EmptyWheel()
{
    for (TimePs time = m_wheel.Earliest(); time != NEVER; time = m_wheel.Earliest())
    {
        m_wheel.Take(time, [this, time](uint32_t number) {
            if (m_starts[number] == time)
            {
                m_far.Set(number, time);
            }
        });
    }
}

void
WindowSchedule::Clear()
{
    EmptyWheel();
    m_far = {};
    std::fill(m_starts.begin(), m_starts.end(), NEVER);
    m_event.Stop();
}

TimePs
WindowSchedule::NextTime()
{
    TimePs near = m_wheel.Earliest();
    while (near != NEVER &&
           !m_wheel.HasAny(near, [&](uint32_t number) { return m_starts[number] == near; }))
    {
        m_wheel.Take(near, [](uint32_t) {});
        near = m_wheel.Earliest();
    }
    while (m_far.Earliest() < near && m_starts[m_far.First()] != m_far.Earliest())
    {
        m_far.Set(m_far.First(), NEVER);
    }
    return std::min(near, m_far.Earliest());
}

void
WindowSchedule::BringNear(TimePs now)
{
    while (m_far.Earliest() == now)
    {
        if (m_wheel.Put(now, m_far.First()))
        {
            m_far.Set(m_far.First(), NEVER);
        }
        else
        {
            EmptyWheel(); // a later window has the place
        }
    }
}

void
WindowSchedule::TakeDue(TimePs now)
{
    m_wheel.Advance(now);
    if (m_far.Earliest() == now)
    {
        BringNear(now);
    }
    m_due.clear();
    m_wheel.Take(now, [this, now](uint32_t number) {
        if (m_starts[number] == now)
        {
            m_starts[number] = NEVER;
            m_due.push_back(m_tickers[number]);
        }
    });
}

void
WindowSchedule::Fire()
{
    const TimePs now = Simulator::Now().GetPicoSeconds();
    if (NextTime() == now) // else what began now has just been run by another event
    {
        m_running = now;
        TakeDue(now);
        m_crew.RunWindows(m_due, now);
        m_running = NEVER;
    }
    m_event.ComeBy(NextTime());
}

} // namespace ns3::fabric
