/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_AGENDA_H
#define FABRIC_AGENDA_H

#include "fabric-types.h"

#include <algorithm>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * Who runs a switch: is told when it has to run earlier than planned.
 */
class Alarm
{
  public:
    virtual ~Alarm() = default;

    /// @param time the switch has something to do then, ps
    virtual void WakeBy(TimePs time) = 0;
};

/// What a switch does at a port at some time, in the order of equal times (DP-7).
enum class Task : uint32_t
{
    CONTROL, ///< An ACK frame takes effect.
    DATA,    ///< A data frame takes effect.
    DECIDE,  ///< The output decides what to send.
    COUNT    ///< Number of tasks.
};

/**
 * When a switch has something to do: the next time of each task at each port, side by side, so that
 * a look at all of them reads few cache lines.
 *
 * The neighbours write here: a push into an empty ring, or a credit for a port that starves.
 */
class Agenda
{
  public:
    /// @param ports number of ports of the switch
    void Resize(uint32_t ports)
    {
        m_ports = ports;
        m_times.assign(static_cast<std::size_t>(Task::COUNT) * ports, NEVER);
    }

    /// @param alarm is told of what comes earlier than the planned time; may be null
    void SetAlarm(Alarm* alarm)
    {
        m_alarm = alarm;
    }

    /// @param time the switch will run at this time anyway, ps
    void PlanRun(TimePs time)
    {
        m_planned = time;
    }

    /**
     * @param task that the switch has to do
     * @param port where
     * @param time when, ps
     */
    void Note(Task task, uint32_t port, TimePs time)
    {
        TimePs& next = At(task, port);
        next = std::min(next, time);
        Wake(time);
    }

    /// @param time the switch has something to do then, ps
    void Wake(TimePs time)
    {
        if (time < m_planned && m_alarm)
        {
            m_alarm->WakeBy(time);
        }
    }

    /**
     * @param task what
     * @param port where
     * @return when, NEVER for not at all; only the switch itself may set it
     */
    TimePs& At(Task task, uint32_t port)
    {
        return m_times[EntryOf(task, port)];
    }

    /// @return how many numbers EntryOf() gives
    uint32_t Entries() const
    {
        return static_cast<uint32_t>(m_times.size());
    }

    /**
     * @param task what
     * @param port where
     * @return number of the two; equal times come in its order (DP-7)
     */
    uint32_t EntryOf(Task task, uint32_t port) const
    {
        return static_cast<uint32_t>(task) * m_ports + port;
    }

    /**
     * @param port where a host is
     * @return when its NIC decides what to send, NEVER for not at all; the NIC sets it, and the
     * place stays
     */
    TimePs& Host(uint32_t port)
    {
        m_hosts.resize(m_ports, NEVER); // once: a switch without hosts has nothing to look at
        return m_hosts[port];
    }

    /// @return when the NIC at a port decides, NEVER for not at all, by port; empty without hosts
    const std::vector<TimePs>& Hosts() const
    {
        return m_hosts;
    }

    /// @return the earliest of all tasks, NEVER for none, ps
    TimePs Earliest() const
    {
        TimePs earliest = NEVER;
        for (const TimePs time : m_times)
        {
            earliest = std::min(earliest, time);
        }
        return earliest;
    }

    /**
     * @param until a time, ps
     * @param visit is called with number (see EntryOf()) and time of all before `until`
     */
    template <typename Visit>
    void ForEachBefore(TimePs until, Visit&& visit) const
    {
        for (uint32_t i = 0; i < m_times.size(); ++i)
        {
            if (m_times[i] < until)
            {
                visit(i, m_times[i]);
            }
        }
    }

  private:
    std::vector<TimePs> m_times; ///< By task, then by port.
    std::vector<TimePs> m_hosts; ///< Decisions of NICs, by port.
    uint32_t m_ports{0};         ///< Ports of the switch.
    TimePs m_planned{NEVER};     ///< When the switch runs next.
    Alarm* m_alarm{nullptr};     ///< Runs the switch.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_AGENDA_H
