/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-plan.h"

#include "fabric-require.h"

#include <algorithm>

namespace ns3::fabric
{

LanePlan::LanePlan(const VlArbiterSettings& settings, const LaneTable& table)
    : m_isSimple(settings.mode == CHECK_LANES && settings.checkTime == CHECK_AT_PACKETS),
      m_disqualifies(settings.over == OVER_DISQUALIFY),
      m_chargesOver(settings.chargeOver),
      m_settings(settings),
      m_table(table)
{
    RequireRange("virtual-lane arbiter", "bytes of a flit", settings.flitBytes, 1, 65535);
    table.Validate();
    m_overLevel = table.OverLevel();
    for (const GroupSettings& group : table.groups)
    {
        m_groups.resize(std::max<std::size_t>(m_groups.size(), group.group + 1));
        GroupPlan& plan = m_groups[group.group];
        plan.isUsed = true;
        plan.share = group.share;
        plan.rule = MeterRule(settings.meter, group.share, settings.rate);
    }
    for (const LaneSettings& lane : table.lanes)
    {
        const LaneMask bit = LaneMask{1} << lane.lane;
        m_lanes |= bit;
        m_laneRoom = std::max<uint8_t>(m_laneRoom, lane.lane + 1);
        m_places[lane.lane] = {lane.level, lane.group};
        m_lanesOfLevel[lane.level] |= bit;
        m_groups[lane.group].lanes |= bit;
    }
    m_groups.shrink_to_fit();
}

} // namespace ns3::fabric
