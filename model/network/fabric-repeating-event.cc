/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-repeating-event.h"

#include "ns3/abort.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

namespace ns3::fabric
{

/// The event object; it outlives its owner if the simulator still holds it.
class RepeatingEvent::Event : public EventImpl
{
  public:
    /// @param owner is told when the event comes
    explicit Event(RepeatingEvent* owner)
        : m_owner(owner)
    {
    }

    /// The owner is gone.
    void Forget()
    {
        m_owner = nullptr;
    }

  protected:
    void Notify() override
    {
        if (m_owner)
        {
            m_owner->Come();
        }
    }

  private:
    RepeatingEvent* m_owner; ///< Is told.
};

RepeatingEvent::RepeatingEvent(std::function<void()> fire)
    : m_fire(std::move(fire)),
      m_event(Create<Event>(this)),
      m_context(Simulator::NO_CONTEXT)
{
}

RepeatingEvent::~RepeatingEvent()
{
    m_event->Forget();
}

void
RepeatingEvent::Schedule(TimePs time)
{
    m_planned = time;
    const Time delay = PicoSeconds(time) - Simulator::Now();
    // ns-3 as it is installed would go back in time without a word.
    NS_ABORT_MSG_IF(delay.IsStrictlyNegative(),
                    "an event is planned in the past, at " << time << " ps");
    m_event->Ref(); // the simulator gives one reference up each time the event comes
    Simulator::ScheduleWithContext(m_context, delay, PeekPointer(m_event));
}

void
RepeatingEvent::Stop()
{
    m_planned = NEVER;
}

void
RepeatingEvent::Come()
{
    if (m_planned == Simulator::Now().GetPicoSeconds())
    {
        m_planned = NEVER;
        m_fire();
    }
}

} // namespace ns3::fabric
