/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REPEATING_EVENT_H
#define FABRIC_REPEATING_EVENT_H

#include "fabric-types.h"

#include "ns3/event-impl.h"
#include "ns3/ptr.h"

#include <functional>

namespace ns3::fabric
{

/**
 * One ns-3 event object that is scheduled again and again, so that a tick allocates nothing.
 *
 * It can be brought forward; the event that was scheduled for later then does nothing when it
 * comes.
 */
class RepeatingEvent
{
  public:
    /// @param fire is called when it comes
    explicit RepeatingEvent(std::function<void()> fire);
    ~RepeatingEvent();

    RepeatingEvent(const RepeatingEvent&) = delete;
    RepeatingEvent& operator=(const RepeatingEvent&) = delete;

    /// @param node context of the event: id of a node, or Simulator::NO_CONTEXT
    void SetContext(uint32_t node)
    {
        m_context = node;
    }

    /// @param time when it is to come, not before now; a planned later time is given up, ps
    void ComeBy(TimePs time)
    {
        if (time < m_planned)
        {
            Schedule(time);
        }
    }

    /// It does not come any more.
    void Stop();

  private:
    class Event;

    /// It comes at a time that is earlier than planned.
    void Schedule(TimePs time);

    /// An event has come.
    void Come();

    std::function<void()> m_fire; ///< What to do.
    Ptr<Event> m_event;           ///< Scheduled over and over.
    TimePs m_planned{NEVER};      ///< When it comes, ps.
    uint32_t m_context;           ///< Of the event.
};

} // namespace ns3::fabric

#endif // FABRIC_REPEATING_EVENT_H
