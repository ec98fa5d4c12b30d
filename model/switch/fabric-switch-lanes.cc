/* SPDX-License-Identifier: GPL-2.0-only */

// Arbitration between virtual lanes at the outputs (VA-12).

#include "fabric-switch-chip.h"

#include <stdexcept>

namespace ns3
{
namespace fabric
{

VlArbiterSettings
SwitchChip::ArbiterSettings(uint32_t port) const
{
    VlArbiterSettings settings = m_config.lanes->arbiter;
    settings.rate = m_outputs[port].transmitter.Rate();
    settings.flitBytes = m_config.lanes->preemption.flitBytes;
    return settings;
}

void
SwitchChip::MakeLanes(uint32_t port)
{
    if (!m_config.lanes)
    {
        return;
    }
    OutputPort& output = m_outputs[port];
    output.lanes = std::make_unique<PortLanes>(m_lanePlans->For(ArbiterSettings(port)));
    UseLists(output);
    MakeWire(port);
}

void
SwitchChip::UseLists(OutputPort& output) const
{
    output.lanes->MakeLists(m_config.arbitration, m_config.ports);
    output.lists = output.lanes->lists.begin(); // they move when they grow
}

std::shared_ptr<LanePlans>
SwitchChip::PlansFor(const LaneTable& table) const
{
    if (!m_config.lanes)
    {
        throw std::invalid_argument("lane table: the switch was made without one, so its ports do "
                                    "not arbitrate between lanes; allowed is a table for a switch "
                                    "that was made with one");
    }
    m_config.ValidateLanes(table);
    std::shared_ptr<LanePlans> plans = LanePlans::Of(table);
    for (uint32_t port = 0; port < m_config.ports; ++port)
    {
        if (m_outputs[port].lanes)
        {
            plans->For(ArbiterSettings(port)); // throws what it would throw in the run
        }
    }
    return plans;
}

void
SwitchChip::CheckLanes(const LaneTable& table) const
{
    PlansFor(table);
}

void
SwitchChip::ChangeLanesAt(TimePs at, const LaneTable& table)
{
    const std::shared_ptr<LanePlans> plans = PlansFor(table);
    for (const OutputPort& output : m_outputs)
    {
        if (output.nic)
        {
            output.nic->ChangeLanesAt(at, *plans);
        }
    }
    if (m_lookahead == NEVER)
    {
        ApplyLanePlans(plans, at);
        return;
    }
    Insert({at, ChangeKind::SETTINGS, 0, true, [this, plans](TimePs now) {
                ApplyLanePlans(plans, now);
            }});
    m_agenda.Wake(at);
}

void
SwitchChip::ApplyLanePlans(const std::shared_ptr<LanePlans>& plans, TimePs now)
{
    m_lanePlans = plans;
    m_laneMap = plans->Map().get();
    m_config.lanes->table = plans->Table();
    for (uint32_t port = 0; port < m_config.ports; ++port)
    {
        OutputPort& output = m_outputs[port];
        if (output.lanes)
        {
            output.lanes->SetPlan(plans->For(ArbiterSettings(port)), now);
            UseLists(output);
            RelistByLane(output, now);
        }
        if (output.lanes && output.lanes->wire)
        {
            RerankWire(port, now);
        }
    }
}

void
SwitchChip::RelistByLane(OutputPort& output, TimePs now)
{
    std::vector<QueueRef> queues;
    for (; output.waiting != 0; output.waiting &= output.waiting - 1)
    {
        OutputArbiter& list = output.lists[__builtin_ctz(output.waiting)];
        for (; !list.IsEmpty(); list.RemoveFront(Queues()))
        {
            queues.push_back(list.Front(Queues()));
        }
    }
    for (const QueueRef ref : queues)
    {
        const QueuePlace place = Find(ref);
        place.queue.listed = false;
        List(place, now);
    }
}

} // namespace fabric
} // namespace ns3
