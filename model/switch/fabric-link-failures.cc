/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-link-failures.h"

#include <algorithm>
#include <utility>

namespace ns3::fabric
{

void
LinkFailures::Plan(TimePs at,
                   PlannedChanges::Kind kind,
                   uint32_t port,
                   std::function<void(TimePs)> apply)
{
    m_changes.Plan({at, kind, port, true, std::move(apply)});
}

void
LinkFailures::FailAt(uint32_t port, TimePs at, TimePs known)
{
    Plan(at, PlannedChanges::Kind::FAIL, port, [this, port](TimePs now) { Fail(port, now); });
    if (Nic* nic = m_ports.outputs[port].nic)
    {
        nic->FailLinkAt(at, known);
    }
    m_clock.GetAgenda().Wake(at);
}

void
LinkFailures::RepairAt(uint32_t port, TimePs at)
{
    Plan(at, PlannedChanges::Kind::REPAIR, port, [this, port](TimePs now) { Repair(port, now); });
    const OutputPort& output = m_ports.outputs[port];
    if (output.nic)
    {
        // The switch speaks first: a host may have to be told at once not to send.
        const Transmitter& link = output.transmitter;
        const TimePs told = m_ports.inputs[port].pause
                                ? link.Rate().TxTime(PAUSE_FRAME_BYTES) + link.Timing().delay +
                                      link.Timing().controlLatency
                                : 0;
        output.nic->RepairLinkAt(at, m_links.QuietTime(port), told);
    }
    m_clock.GetAgenda().Wake(at);
}

void
LinkFailures::UpdateWaysAt(TimePs at, std::shared_ptr<Reachability> ways, uint32_t number)
{
    const uint32_t told = ways->Told(); // what is told later is heard of later, in any window
    Plan(at,
         PlannedChanges::Kind::WAYS,
         0,
         [this, told, number, ways = std::move(ways)](TimePs now) {
             m_heard = std::max(m_heard, told); // what was told later may have come earlier
             m_routing.SetDeadEnds(ways->Of(number, now, m_heard));
             LeaveDeadEnds(now);
         });
    m_clock.GetAgenda().Wake(at);
}

void
LinkFailures::Fail(uint32_t port, TimePs now)
{
    const InputPort& input = m_ports.inputs[port];
    m_links.Fail(port, now);
    m_routing.SetDown(port, true);
    m_telling.Forget(port);
    Plan(now + m_links.QuietTime(port),
         PlannedChanges::Kind::END_CUT,
         port,
         [this, port](TimePs end) { EndCut(port, end); });
    if (input.assembly)
    {
        Plan(now + input.sender->Timing().dataLatency,
             PlannedChanges::Kind::CUT,
             port,
             [this, port](TimePs in) { m_receiver.Cut(port, in); });
    }
    if (!input.edge)
    {
        m_acks.Orphan(port, now);
    }
    m_containment.LoseFlows(port, now);
    m_sender.Clear(port, now);
    if (m_tiles)
    {
        m_tiles->Cut(port, now);
    }
    if (m_ports.outputs[port].losesAcks)
    {
        m_repair.Forget(port);
    }
    Abandon(port, now);
    LeaveDeadEnds(now);
}

void
LinkFailures::Repair(uint32_t port, TimePs now)
{
    if (m_links.Repair(port))
    {
        BringUp(port, now);
    }
}

void
LinkFailures::EndCut(uint32_t port, TimePs now)
{
    const bool mayBeUsed = m_links.EndCut(port, now);
    const InputPort& input = m_ports.inputs[port];
    if (input.assembly && !input.link.IsCut())
    {
        input.assembly->isCut = false;
    }
    if (mayBeUsed)
    {
        BringUp(port, now);
    }
}

void
LinkFailures::BringUp(uint32_t port, TimePs now)
{
    m_routing.SetDown(port, false);
    m_links.BringUp(port, now);
}

void
LinkFailures::Abandon(uint32_t port, TimePs now)
{
    m_crossbar.Suspend(port, now, [this, now](QueueRef ref, uint32_t units) {
        if (units != 0)
        {
            m_acknowledgement.AcknowledgeQueue(ref, units, true, now);
        }
    });
}

void
LinkFailures::LeaveDeadEnds(TimePs now)
{
    const std::vector<QueueRef> stranded = m_paths.FindStranded();
    std::vector<QueueRef> waiting;
    for (const QueueRef ref : stranded)
    {
        const QueuePlace place = m_ports.Find(ref);
        m_sender.Withdraw(place.queue->output, waiting);
        if (place.record)
        {
            // Until it leaves, nothing that happens to others makes it ask its dead end.
            place.queue->holds |= InputQueue::CHANGES_PATH;
        }
    }
    for (const QueueRef ref : stranded)
    {
        m_acknowledgement.LeavePath(ref, now);
    }
    m_queues.Offer(waiting, now);
}

} // namespace ns3::fabric
