/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-config.h"

#include "fabric-lane-map.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

void
SwitchConfig::Validate() const
{
    buffer.Validate();
    turns.Validate();
    congestion.Validate();
    ValidateMarkRules(marks);
    if (lanes)
    {
        ValidateLanes(lanes->table);
        const PreemptionRules rules(lanes->preemption.For(lanes->table)); // throws
    }
}

void
SwitchConfig::ValidateLanes(const LaneTable& table) const
{
    table.Validate();
    constexpr uint32_t MOST_PORTS = (0xFFFF - FLOW_IDS_PER_LINK) / TRAFFIC_CLASSES;
    if (ports > MOST_PORTS)
    {
        throw std::invalid_argument("lane table: the switch has " + std::to_string(ports) +
                                    " ports, allowed with virtual lanes are at most " +
                                    std::to_string(MOST_PORTS));
    }
    for (const LaneSettings& lane : table.lanes)
    {
        if (lane.lane >= DEFAULT_LANES)
        {
            throw std::invalid_argument("lane table: lane " + std::to_string(lane.lane) +
                                        " does not fit into the header of a frame, allowed are "
                                        "lanes 0 to " +
                                        std::to_string(DEFAULT_LANES - 1));
        }
    }
    const LaneMap map(table);
    if (map.LaneOf(0) == LaneMap::NO_LANE)
    {
        throw std::invalid_argument("lane table: no lane carries class 0, allowed in a switch are "
                                    "tables with such a lane; it carries all classes that have "
                                    "none");
    }
    for (uint32_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        if (map.LaneOf(c) == LaneMap::NO_LANE && buffer.vcOfClass[c] != buffer.vcOfClass[0])
        {
            throw std::invalid_argument(
                "lane table: no lane carries class " + std::to_string(c) +
                ", which would use those of class 0, but its virtual channel is " +
                std::to_string(buffer.vcOfClass[c]) + " and that of class 0 is " +
                std::to_string(buffer.vcOfClass[0]) +
                "; allowed is a lane for it, or the same channel");
        }
    }
}

} // namespace ns3::fabric
