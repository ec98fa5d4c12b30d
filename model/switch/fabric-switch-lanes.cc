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
    output.lanes = std::make_unique<PortLanes>(ArbiterSettings(port), m_config.lanes->table);
    for (OutputArbiter& list : output.lanes->lists)
    {
        list.Configure(m_config.arbitration, m_config.ports);
    }
    output.lists = output.lanes->lists.data();
    MakeWire(port);
}

void
SwitchChip::CheckLanes(const LaneTable& table) const
{
    if (!m_config.lanes)
    {
        throw std::invalid_argument("lane table: the switch was made without one, so its ports do "
                                    "not arbitrate between lanes; allowed is a table for a switch "
                                    "that was made with one");
    }
    m_config.ValidateLanes(table);
    for (uint32_t port = 0; port < m_config.ports; ++port)
    {
        if (m_outputs[port].lanes)
        {
            VlArbiter(ArbiterSettings(port), table); // throws what it would throw in the run
        }
    }
}

void
SwitchChip::ChangeLanesAt(TimePs at, const LaneTable& table)
{
    CheckLanes(table);
    for (const OutputPort& output : m_outputs)
    {
        if (output.nic)
        {
            output.nic->ChangeLanesAt(at, table);
        }
    }
    if (m_lookahead == NEVER)
    {
        m_config.lanes->table = table;
        ApplyLaneTable(at);
        return;
    }
    Insert({at, ChangeKind::SETTINGS, 0, true, [this, table](TimePs now) {
                m_config.lanes->table = table;
                ApplyLaneTable(now);
            }});
    m_agenda.Wake(at);
}

void
SwitchChip::ApplyLaneTable(TimePs now)
{
    m_laneMap = LaneMap(m_config.lanes->table);
    m_laneMap.LetOthersUseClass0();
    for (uint32_t port = 0; port < m_config.ports; ++port)
    {
        OutputPort& output = m_outputs[port];
        if (output.lanes)
        {
            output.lanes->arbiter.SetTable(m_config.lanes->table, now);
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
