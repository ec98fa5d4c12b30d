/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-table.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// @throws std::invalid_argument with the sentence
[[noreturn]] void
Refuse(const std::string& sentence)
{
    throw std::invalid_argument("lane table: " + sentence);
}

/// @return `lane 3`, `group 3`
std::string
Named(const char* what, uint32_t number)
{
    return std::string(what) + " " + std::to_string(number);
}

/// Checks the levels' names.
void
CheckLevels(const std::vector<std::string>& levels)
{
    if (levels.empty() || levels.size() > MAX_LEVELS)
    {
        Refuse("there are " + std::to_string(levels.size()) + " levels, allowed are 1 to " +
               std::to_string(MAX_LEVELS));
    }
    for (auto name = levels.begin(); name != levels.end(); ++name)
    {
        if (name->empty())
        {
            Refuse("a level has an empty name, allowed is any other text");
        }
        if (std::find(levels.begin(), name, *name) != name)
        {
            Refuse("level '" + *name + "' is named twice, allowed is once");
        }
    }
}

/// Checks numbers and shares of the groups.
void
CheckGroups(const std::vector<GroupSettings>& groups)
{
    std::array<bool, MAX_GROUPS> isKnown{};
    for (const GroupSettings& settings : groups)
    {
        const std::string name = Named("group", settings.group);
        if (settings.group >= MAX_GROUPS)
        {
            Refuse(name + " does not exist, allowed are 0 to " + std::to_string(MAX_GROUPS - 1));
        }
        if (std::exchange(isKnown[settings.group], true))
        {
            Refuse(name + " stands there twice, allowed is once");
        }
        if (settings.share > GroupSettings::FULL_SHARE)
        {
            Refuse(name + " has a share of more than 100 %, allowed are 0 to 100 %");
        }
    }
}

/// Checks one lane; its number is known to be new.
void
CheckLane(const LaneTable& table, const LaneSettings& lane)
{
    const std::string name = Named("lane", lane.lane);
    if (lane.level >= table.levels.size())
    {
        Refuse(name + " has level " + std::to_string(lane.level) + ", allowed are 0 to " +
               std::to_string(table.levels.size() - 1));
    }
    if (lane.trafficClass >= TRAFFIC_CLASSES)
    {
        Refuse(name + " has traffic class " + std::to_string(lane.trafficClass) +
               ", allowed are 0 to " + std::to_string(TRAFFIC_CLASSES - 1));
    }
    if (lane.group == NO_BANDWIDTH_GROUP)
    {
        Refuse(name + " is in no bandwidth group, allowed is exactly one");
    }
    const bool isThere =
        std::any_of(table.groups.begin(), table.groups.end(), [&](const GroupSettings& group) {
            return group.group == lane.group;
        });
    if (!isThere)
    {
        Refuse(name + " is in group " + std::to_string(lane.group) +
               ", allowed are the groups of the table");
    }
}

void
CheckLanes(const LaneTable& table)
{
    if (table.laneCount == 0 || table.laneCount > MAX_LANES)
    {
        Refuse("there are " + std::to_string(table.laneCount) + " lanes, allowed are 1 to " +
               std::to_string(MAX_LANES));
    }
    if (table.lanes.empty())
    {
        Refuse("no lane is in use, allowed is at least one");
    }
    std::array<uint8_t, MAX_LANES> groupOf;
    groupOf.fill(NO_BANDWIDTH_GROUP);
    for (const LaneSettings& lane : table.lanes)
    {
        const std::string name = Named("lane", lane.lane);
        if (lane.lane >= table.laneCount)
        {
            Refuse(name + " does not exist, allowed are 0 to " +
                   std::to_string(table.laneCount - 1));
        }
        const uint8_t known = groupOf[lane.lane];
        if (known == lane.group && known != NO_BANDWIDTH_GROUP)
        {
            Refuse(name + " stands there twice, allowed is once");
        }
        if (known != NO_BANDWIDTH_GROUP)
        {
            Refuse(name + " is in groups " + std::to_string(known) + " and " +
                   std::to_string(lane.group) + ", allowed is exactly one");
        }
        CheckLane(table, lane);
        groupOf[lane.lane] = lane.group;
    }
}

template <typename Fits>
LaneMask
Select(const std::vector<LaneSettings>& lanes, Fits&& fits)
{
    LaneMask mask = 0;
    for (const LaneSettings& lane : lanes)
    {
        mask |= LaneMask{fits(lane)} << lane.lane;
    }
    return mask;
}

} // namespace

bool
LaneSettings::operator==(const LaneSettings& other) const
{
    return std::tie(lane, level, trafficClass, group, latencySensitive) ==
           std::tie(other.lane,
                    other.level,
                    other.trafficClass,
                    other.group,
                    other.latencySensitive);
}

bool
GroupSettings::operator==(const GroupSettings& other) const
{
    return group == other.group && share == other.share;
}

void
LaneTable::Validate() const
{
    CheckLevels(levels);
    CheckGroups(groups);
    CheckLanes(*this);
}

LaneMask
LaneTable::Lanes() const
{
    return Select(lanes, [](const LaneSettings&) { return true; });
}

LaneMask
LaneTable::LanesOfLevel(uint8_t level) const
{
    return Select(lanes, [level](const LaneSettings& lane) { return lane.level == level; });
}

LaneMask
LaneTable::LanesOfGroup(uint8_t group) const
{
    return Select(lanes, [group](const LaneSettings& lane) { return lane.group == group; });
}

LaneMask
LaneTable::LanesOfClass(uint8_t trafficClass) const
{
    return Select(lanes, [trafficClass](const LaneSettings& lane) {
        return lane.trafficClass == trafficClass;
    });
}

LaneMask
LaneTable::LatencySensitiveLanes() const
{
    return Select(lanes, [](const LaneSettings& lane) { return lane.latencySensitive; });
}

bool
LaneTable::operator==(const LaneTable& other) const
{
    return laneCount == other.laneCount && levels == other.levels && lanes == other.lanes &&
           groups == other.groups;
}

} // namespace ns3::fabric
