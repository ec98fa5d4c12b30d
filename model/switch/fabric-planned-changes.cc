/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-planned-changes.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ns3::fabric
{

void
PlannedChanges::Plan(Change change)
{
    const auto order = [](const Change& c) { return std::tie(c.at, c.kind, c.port); };
    const auto later = std::find_if(m_changes.begin(), m_changes.end(), [&](const Change& other) {
        return order(other) > order(change);
    });
    m_changes.insert(later, std::move(change));
}

PlannedChanges::Change
PlannedChanges::Take()
{
    Change first = std::move(m_changes.front());
    m_changes.erase(m_changes.begin());
    return first;
}

TimePs
PlannedChanges::FindFirstWaking() const
{
    const auto waking = std::find_if(m_changes.begin(), m_changes.end(), [](const Change& change) {
        return change.wakes;
    });
    return waking == m_changes.end() ? NEVER : waking->at;
}

} // namespace ns3::fabric
