/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-plans.h"

#include <algorithm>

namespace ns3::fabric
{

std::shared_ptr<LanePlans>
LanePlans::Of(const LaneTable& table)
{
    static std::mutex mutex;
    static std::vector<std::weak_ptr<LanePlans>> known;
    const std::lock_guard<std::mutex> lock(mutex);
    std::shared_ptr<LanePlans> plans;
    const auto isOver = [&plans, &table](const std::weak_ptr<LanePlans>& other) {
        const std::shared_ptr<LanePlans> used = other.lock();
        plans = used && used->m_table == table ? used : plans;
        return !used;
    };
    known.erase(std::remove_if(known.begin(), known.end(), isOver), known.end());
    if (!plans)
    {
        plans = std::make_shared<LanePlans>(table);
        known.push_back(plans);
    }
    return plans;
}

LanePlans::LanePlans(const LaneTable& table)
    : m_table(table)
{
    LaneMap map(table);
    map.LetOthersUseClass0();
    m_map = std::make_shared<const LaneMap>(map);
}

std::shared_ptr<const LanePlan>
LanePlans::For(const VlArbiterSettings& settings)
{
    const std::lock_guard<std::mutex> lock(m_mutex);
    const auto found = std::find_if(m_plans.begin(), m_plans.end(), [&settings](const auto& plan) {
        return plan->Settings() == settings;
    });
    if (found != m_plans.end())
    {
        return *found;
    }
    return m_plans.emplace_back(std::make_shared<const LanePlan>(settings, m_table));
}

} // namespace ns3::fabric
