/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-plans.h"

#include "fabric-shared-memory.h"

#include <algorithm>

namespace ns3
{
namespace fabric
{

LanePlans::LanePlans(const LaneTable& table)
    : m_table(table)
{
    LaneMap map(table);
    map.LetOthersUseClass0();
    m_map = std::make_shared<const LaneMap>(map);
}

const std::shared_ptr<const LanePlan>&
LanePlans::For(const VlArbiterSettings& settings)
{
    const auto found = std::find_if(m_plans.begin(), m_plans.end(), [&settings](const auto& plan) {
        return plan->Settings() == settings;
    });
    if (found != m_plans.end())
    {
        return *found;
    }
    return m_plans.emplace_back(std::make_shared<const LanePlan>(settings, m_table));
}

std::size_t
LanePlans::MemoryBytes() const
{
    std::size_t bytes = PartOf(m_map) + m_plans.capacity() * sizeof(m_plans[0]);
    for (const std::shared_ptr<const LanePlan>& plan : m_plans)
    {
        bytes += PartOf(plan);
    }
    return bytes + m_table.MemoryBytes();
}

} // namespace fabric
} // namespace ns3
