/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-agenda.h"

namespace ns3::fabric
{

void
Agenda::ListNext()
{
    m_list.SetBound({0, NEVER});
    ForEachArmed([this](DueTask task) { ListIfNext(task); });
}

void
Agenda::AddToList(DueTask task)
{
    if (!task.Precedes(m_list.Bound()))
    {
        Arm(task.entry);
    }
    else if (m_list.Size() < FewTasks::MOST)
    {
        m_list.Add(task);
    }
    else
    {
        ReplaceLatest(task);
    }
}

void
Agenda::ReplaceLatest(DueTask task)
{
    if (task.Precedes(m_list.Latest()))
    {
        m_list.BoundByLatest();
        m_list.Add(task);
    }
    else
    {
        m_list.SetBound(task);
    }
    Arm(m_list.Bound().entry);
}

inline void
Agenda::ListIfNext(DueTask task)
{
    if (task.time == NEVER)
    {
        Disarm(task.entry);
    }
    else if (m_list.Size() < LISTED)
    {
        Disarm(task.entry);
        m_list.Add(task);
    }
    else if (task.Precedes(m_list.Latest()))
    {
        m_list.BoundByLatest(); // all that are not listed are after it
        Arm(m_list.Bound().entry);
        Disarm(task.entry);
        m_list.Add(task);
    }
    else if (task.Precedes(m_list.Bound()))
    {
        m_list.SetBound(task);
    }
}

} // namespace ns3::fabric
