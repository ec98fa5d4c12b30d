/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_CLOCK_H
#define FABRIC_SWITCH_CLOCK_H

#include "fabric-agenda.h"
#include "fabric-calendar.h"

#include <memory>
#include <utility>

namespace ns3::fabric
{

/// What a switch has to do when, in the window that it simulates and after it (DP-11).
class SwitchClock
{
  public:
    explicit SwitchClock(uint32_t ports)
    {
        m_agenda.Resize(ports);
    }

    /// @return what there is to do when; neighbours write there
    Agenda& GetAgenda()
    {
        return m_agenda;
    }

    /// @copydoc GetAgenda()
    const Agenda& GetAgenda() const
    {
        return m_agenda;
    }

    /// @param calendar for switches of which one runs at a time, so that it stays in the caches
    void ShareCalendar(std::shared_ptr<Calendar> calendar)
    {
        m_calendar = std::move(calendar);
    }

    /// @param now simulation time: a window begins, ps
    void BeginWindow(TimePs now)
    {
        m_now = now;
    }

    /// @return simulation time; neighbours have decided everything before it, ps
    TimePs WindowStart() const
    {
        return m_now;
    }

    /**
     * Has everything before `until` handled, in the order of DP-7.
     *
     * @param from everything before has been handled, ps
     * @param until end, ps
     * @param handle is called with entry of the agenda and time: `void handle(uint32_t, TimePs)`
     */
    template <typename Handle>
    [[gnu::always_inline]] void Run(TimePs from, TimePs until, Handle&& handle)
    {
        if (from >= until)
        {
            return;
        }
        uint32_t tasks = 0;
        while (m_agenda.First() < until)
        {
            if (m_agenda.IsListEmpty())
            {
                tasks <= FewTasks::MOST ? m_agenda.ListNext() : m_agenda.EndList();
                continue;
            }
            const DueTask due = m_agenda.TakeFirst();
            from = due.time;
            handle(due.entry, due.time);
            ++tasks;
        }
        if (!m_agenda.IsList())
        {
            FillCalendar(from, until);
            for (DueTask due = m_calendar->Take(); due.entry != Calendar::NONE;
                 due = m_calendar->Take(), ++tasks)
            {
                handle(due.entry, due.time);
            }
            if (tasks <= FewTasks::MOST)
            {
                m_agenda.BeginList();
            }
        }
        m_tasks = tasks;
    }

    /// @return how many tasks the last run had
    uint32_t Tasks() const
    {
        return m_tasks;
    }

    /// Plans a decision of an output, unless an earlier one is planned.
    void PlanDecision(uint32_t port, TimePs time)
    {
        if (time < m_agenda.At(m_agenda.EntryOf(Task::DECIDE, port)))
        {
            BringForward(m_agenda.EntryOf(Task::DECIDE, port), time);
        }
    }

    /// Removes the first entry of an input link's ring and plans the next one.
    template <typename Entries>
    void PopEntry(Entries& ring, Task task, uint32_t port)
    {
        ring.Pop();
        const TimePs next = ring.IsEmpty() ? NEVER : ring.Front().time;
        EndTask(m_agenda.EntryOf(task, port), next);
    }

    /**
     * Plans what comes in next, while the task that takes it in is being done.
     *
     * @param time when, NEVER for nothing, ps
     */
    void PlanData(uint32_t port, TimePs time)
    {
        EndTask(m_agenda.EntryOf(Task::DATA, port), time);
    }

    /// Adds a task that is of no port. @return its number on the agenda
    uint32_t AddTask()
    {
        return m_agenda.AddEntry();
    }

    /// Plans a task, unless an earlier time is planned.
    /// @param task from AddTask() @param time when it is due, ps
    void PlanTask(uint32_t task, TimePs time)
    {
        if (time < m_agenda.At(task))
        {
            BringForward(task, time);
        }
    }

    /// @param task that is being done, of a port or from AddTask()
    /// @param next when it is due again, NEVER for not, ps
    void EndTask(uint32_t task, TimePs next)
    {
        m_agenda.Move(task, next);
        AddToWindow(task, next);
    }

    /**
     * Plans what comes in next, between runs.
     *
     * @param time when, NEVER for nothing, ps
     */
    void SetData(uint32_t port, TimePs time)
    {
        m_agenda.Set(m_agenda.EntryOf(Task::DATA, port), time);
    }

  private:
    /// There are more than a few tasks.
    void FillCalendar(TimePs from, TimePs until)
    {
        if (!m_calendar)
        {
            m_calendar = std::make_shared<Calendar>();
        }
        m_calendarEnd = until;
        m_calendar->Begin(from, until, m_agenda.Entries(), m_tasks);
        m_agenda.ForEachBefore(until, [this](uint32_t entry, TimePs time) {
            m_calendar->Add(entry, time);
        });
    }

    /// A task comes earlier than planned. Out of line, since a hop calls it at nine places.
    [[gnu::noinline]] void BringForward(uint32_t entry, TimePs time)
    {
        if (m_agenda.At(entry) < m_calendarEnd)
        {
            m_calendar->Remove(entry);
        }
        m_agenda.Set(entry, time);
        AddToWindow(entry, time);
    }

    /// An entry is due at a time, maybe in this window.
    void AddToWindow(uint32_t entry, TimePs time)
    {
        if (time < m_calendarEnd)
        {
            m_calendar->Add(entry, time);
        }
    }

    Agenda m_agenda;                      ///< What to do when.
    std::shared_ptr<Calendar> m_calendar; ///< What to do in this window, unless it is a few tasks.
    TimePs m_now{0};                      ///< Simulation time, ps.
    TimePs m_calendarEnd{0};              ///< End of what was last in it, ps.
    uint32_t m_tasks{0};                  ///< Tasks of the last run.
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_CLOCK_H
