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

/**
 * When a switch has something to do: the first arrival of each input link and the next decision of
 * each output port, side by side, so that a look at all of them reads few cache lines.
 *
 * The neighbours write here: a push into an empty ring, or a credit for a port that starves.
 */
class Agenda
{
  public:
    /// @param ports number of ports of the switch
    void Resize(uint32_t ports)
    {
        m_arrivals.assign(ports, NEVER);
        m_decisions.assign(ports, NEVER);
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
     * @param link input link that was empty
     * @param time its first arrival, ps
     */
    void NoteArrival(uint32_t link, TimePs time)
    {
        m_arrivals[link] = std::min(m_arrivals[link], time);
        Wake(time);
    }

    /**
     * @param port output port that may have something to decide
     * @param time when, ps
     */
    void NoteDecision(uint32_t port, TimePs time)
    {
        m_decisions[port] = std::min(m_decisions[port], time);
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
     * @param link input link
     * @return its first arrival, NEVER for none; only the switch itself may set it
     */
    TimePs& Arrival(uint32_t link)
    {
        return m_arrivals[link];
    }

    /**
     * @param port output port
     * @return its next decision, NEVER for none; only the switch itself may set it
     */
    TimePs& Decision(uint32_t port)
    {
        return m_decisions[port];
    }

    /// @return the earliest of all, NEVER for none, ps
    TimePs Earliest() const
    {
        TimePs earliest = NEVER;
        for (std::size_t i = 0; i < m_arrivals.size(); ++i)
        {
            earliest = std::min({earliest, m_arrivals[i], m_decisions[i]});
        }
        return earliest;
    }

  private:
    std::vector<TimePs> m_arrivals;  ///< By input link.
    std::vector<TimePs> m_decisions; ///< By output port.
    TimePs m_planned{NEVER};         ///< When the switch runs next.
    Alarm* m_alarm{nullptr};         ///< Runs the switch.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_AGENDA_H
