/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-load.h"

#include "fabric-require.h"

namespace ns3::fabric
{

LaneLoad::LaneLoad(LanePath& path, const LaneLinkSettings& link, const std::vector<double>& loads)
    : m_link(link)
{
    CheckLoads(loads);
    for (std::size_t i = 0; i < loads.size(); ++i)
    {
        const uint32_t lane = link.table.lanes[i].lane;
        m_sources.push_back(std::make_unique<LaneSource>(path, lane, GapOf(loads[i])));
    }
}

void
LaneLoad::ChangeAt(Time at, const std::vector<double>& loads)
{
    CheckLoads(loads);
    for (std::size_t i = 0; i < loads.size(); ++i)
    {
        m_sources[i]->ChangeAt(at, GapOf(loads[i]));
    }
}

double
LaneLoad::GapOf(double load) const
{
    return load > 0 ? m_link.PacketTime() / load : 0;
}

void
LaneLoad::CheckLoads(const std::vector<double>& loads) const
{
    const std::size_t lanes = m_link.table.lanes.size();
    RequireRange("LaneLoad", "the number of loads", loads.size(), lanes, lanes);
}

} // namespace ns3::fabric
