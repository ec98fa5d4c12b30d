/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-output-lanes.h"

#include <stdexcept>
#include <utility>

namespace ns3::fabric
{

OutputLanes::OutputLanes(const SwitchPorts& ports, SwitchConfig& config)
    : m_ports(ports),
      m_config(config)
{
    if (config.lanes)
    {
        Apply(LanePlans::Of(config.lanes->table), 0);
    }
}

VlArbiterSettings
OutputLanes::ArbiterSettings(uint32_t port) const
{
    VlArbiterSettings settings = m_config.lanes->arbiter;
    settings.rate = m_ports.outputs[port].transmitter.Rate();
    settings.flitBytes = m_config.lanes->preemption.flitBytes;
    return settings;
}

void
OutputLanes::Connect(uint32_t port)
{
    if (!m_plans)
    {
        return;
    }
    const std::shared_ptr<const LanePlan> plan = m_plans->For(ArbiterSettings(port));
    if (!m_memory)
    {
        m_memory = MakeMemory(*plan);
        m_senders.reserve(m_ports.count); // outputs point to them
    }
    m_ports.outputs[port].lanes = &m_senders.emplace_back(plan, *m_memory);
    m_ports.outputs[port].unusual |= OutputPort::HAS_LANES;
}

std::unique_ptr<LineMemory>
OutputLanes::MakeMemory(const LanePlan& plan) const
{
    return std::make_unique<LineMemory>(m_ports.count * LaneSender::LinesFor(plan));
}

std::shared_ptr<LanePlans>
OutputLanes::PlansFor(const LaneTable& table) const
{
    if (!m_plans)
    {
        throw std::invalid_argument("lane table: the switch was made without one, so its ports do "
                                    "not arbitrate between lanes; allowed is a table for a switch "
                                    "that was made with one");
    }
    m_config.ValidateLanes(table);
    std::shared_ptr<LanePlans> plans = LanePlans::Of(table);
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        if (m_ports.outputs[port].lanes)
        {
            plans->For(ArbiterSettings(port)); // throws what it would throw in the run
        }
    }
    return plans;
}

void
OutputLanes::Apply(const std::shared_ptr<LanePlans>& plans, TimePs now)
{
    m_plans = plans;
    m_map = plans->Map().get();
    m_config.lanes->table = plans->Table();
    std::unique_ptr<LineMemory> memory;
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        LaneSender* lanes = m_ports.outputs[port].lanes;
        if (lanes)
        {
            const std::shared_ptr<const LanePlan> plan = plans->For(ArbiterSettings(port));
            memory = memory ? std::move(memory) : MakeMemory(*plan);
            lanes->SetPlan(plan, *memory, now);
        }
    }
    m_memory = std::move(memory);
}

} // namespace ns3::fabric
