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
    const std::shared_ptr<const LanePlan> plan = m_lanePlans->For(ArbiterSettings(port));
    if (!m_laneMemory)
    {
        m_laneMemory = MakeLaneMemory(*plan);
        m_laneSenders.reserve(m_config.ports); // outputs point to them
    }
    output.lanes = &m_laneSenders.emplace_back(plan, *m_laneMemory);
    MakeWire(port);
}

std::unique_ptr<LineMemory>
SwitchChip::MakeLaneMemory(const LanePlan& plan) const
{
    return std::make_unique<LineMemory>(m_config.ports * LaneSender::LinesFor(plan));
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
    ResetChannels();
    std::unique_ptr<LineMemory> memory;
    for (uint32_t port = 0; port < m_config.ports; ++port)
    {
        OutputPort& output = m_outputs[port];
        if (output.lanes)
        {
            const std::shared_ptr<const LanePlan> plan = plans->For(ArbiterSettings(port));
            if (!memory)
            {
                memory = MakeLaneMemory(*plan);
            }
            output.lanes->SetPlan(plan, *memory, now);
            RelistByLane(output, now);
        }
        if (output.wire)
        {
            RerankWire(port, now);
        }
    }
    m_laneMemory = std::move(memory);
}

void
SwitchChip::ResetChannels()
{
    for (uint32_t port = 0; port < m_config.ports; ++port)
    {
        m_inputs[port].flows.ForEachUsed(
            [this](FlowRecord& flow) {
                SetChannel(flow.queue, flow.trafficClass, flow.src, flow.dst);
            },
            [this, port](InputQueue& queue, uint8_t trafficClass) {
                SetChannel(queue, trafficClass, port, queue.output);
            });
    }
}

void
SwitchChip::RelistByLane(OutputPort& output, TimePs now)
{
    std::vector<QueueRef> queues;
    output.lists.TakeAll(Queues(), [&queues](QueueRef ref) { queues.push_back(ref); });
    for (const QueueRef ref : queues)
    {
        const QueuePlace place = Find(ref);
        place.queue.listed = false;
        List(place, now);
    }
}

} // namespace fabric
} // namespace ns3
