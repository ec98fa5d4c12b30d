/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pause-control.h"

#include <memory>
#include <utility>

namespace ns3::fabric
{

void
PauseControl::PauseSender(uint32_t port, PauseController&& controller)
{
    InputPort& input = m_ports.inputs[port];
    input.pause = std::make_unique<PauseController>(std::move(controller));
    input.unusual |= InputPort::PAUSES_SENDER;
    m_ports.outputs[port].speaksFirst |= OutputPort::MAY_ALWAYS;
}

void
PauseControl::PauseSender(uint32_t port, PauseController&& controller, const PausePath& sender)
{
    PauseSender(port, std::move(controller));
    m_senders.resize(m_ports.count);
    m_senders[port] = sender;
}

void
PauseControl::ObeyReceiver(uint32_t port, TimePs told)
{
    OutputPort& output = m_ports.outputs[port];
    output.obeyed = std::make_unique<ObeyedPauses>(told);
    output.speaksFirst |= OutputPort::MAY_ALWAYS;
}

void
PauseControl::TakePause(uint32_t port, const PauseOrder& order, Attempt attempt)
{
    if (attempt == Attempt::DAMAGED)
    {
        return;
    }
    OutputPort& output = m_ports.outputs[port];
    output.obeyed->Accept(order);
    if (output.IsHeld())
    {
        // It may lift the pause before the time-out for which the decision waits.
        m_clock.GetAgenda().Note(Task::DECIDE, port, order.time);
    }
}

void
PauseControl::Obey(OutputPort& output, TimePs now)
{
    if (!output.obeyed)
    {
        return;
    }
    ObeyedPauses& pauses = *output.obeyed;
    pauses.Update(now);
    m_crossbar.AskAgain(output, pauses.waiting, [this, &pauses](const QueuePlace& place) {
        return pauses.Stops(m_ports.frames->At(place.queue->head));
    });
}

bool
PauseControl::MustWait(OutputPort& output, const QueuePlace& place) const
{
    if (!output.obeyed || !output.obeyed->Stops(m_ports.frames->At(place.queue->head)))
    {
        return false;
    }
    CrossbarArbiter::SetAside(place, output.obeyed->waiting);
    return true;
}

bool
PauseControl::Holds(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    Obey(output, now);
    if (!output.obeyed || !output.obeyed->StopsAny())
    {
        return false;
    }
    if (!output.IsStopped()) // else who waits keeps its turn
    {
        // Whom it finds is found again, and sent.
        m_crossbar.Ready(output, output.lists.Waiting(), now, [&](const QueuePlace& place) {
            return MustWait(output, place);
        });
    }
    m_clock.PlanDecision(port, output.EndOfPause());
    return output.IsStopped();
}

bool
PauseControl::Send(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    PauseController& pause = *m_ports.inputs[port].pause;
    if (!pause.HasOrder(now))
    {
        m_clock.PlanDecision(port, pause.NextTime());
        return false;
    }
    PauseOrder order;
    const Attempt attempt = output.transmitter.TryPause(pause, now, order);
    if (attempt != Attempt::LATER && m_observer)
    {
        m_observer->Paused(port, order, now);
    }
    if (attempt == Attempt::CLEAN)
    {
        if (output.nic)
        {
            output.nic->Accept(order);
        }
        else
        {
            m_senders[port].Tell(order);
        }
    }
    m_clock.PlanDecision(port, output.transmitter.FreeAt());
    return true;
}

} // namespace ns3::fabric
