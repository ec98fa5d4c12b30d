/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-output-shapers.h"

namespace ns3::fabric
{

OutputShapers::OutputShapers(const SwitchPorts& ports, const SwitchConfig& config)
    : m_ports(ports),
      m_config(config)
{
    if (config.linkShaping)
    {
        m_links = std::make_shared<ShapingPlan>(*config.linkShaping, VIRTUAL_CHANNELS);
    }
    if (config.hostShaping)
    {
        m_hosts = std::make_shared<ShapingPlan>(*config.hostShaping, 1);
    }
}

void
OutputShapers::Connect(uint32_t port)
{
    OutputPort& output = m_ports.outputs[port];
    const std::shared_ptr<const ShapingPlan>& plan = output.nic ? m_hosts : m_links;
    if (plan)
    {
        m_shapers.push_back(std::make_unique<Shaper>(plan));
        output.lists.Configure(m_config.arbitration,
                               m_config.turns,
                               m_ports.count,
                               m_shapers.back().get());
        output.unusual |= OutputPort::IS_SHAPED;
    }
}

} // namespace ns3::fabric
