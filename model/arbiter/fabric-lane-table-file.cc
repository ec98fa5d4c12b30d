/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-table-file.h"

#include "fabric-table-entry.h"
#include "fabric-word-list.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr double ROUNDING = 1e-9; ///< Of hundredths of percent that are written with two decimals.

/// @return a share in 1/100 %
uint32_t
ReadShare(const TableEntry& entry)
{
    const double hundredths =
        entry.value.is_number() ? entry.value.get<double>() * 100 : std::nan("");
    const double whole = std::round(hundredths);
    const bool isAllowed = hundredths >= 0 && hundredths <= GroupSettings::FULL_SHARE &&
                           std::abs(hundredths - whole) < ROUNDING;
    if (!isAllowed)
    {
        entry.Refuse("a number of percent from 0 to 100 with at most two decimals");
    }
    return static_cast<uint32_t>(whole);
}

/// @return names of levels
std::vector<std::string>
ReadLevels(const TableEntry& entry)
{
    std::vector<std::string> levels;
    for (std::size_t i = 0; i < entry.RequireList("names").value.size(); ++i)
    {
        const TableEntry name = entry.At(i);
        if (!name.value.is_string())
        {
            name.Refuse("a text");
        }
        levels.push_back(name.value.get<std::string>());
    }
    return levels;
}

/// @return the index of a lane's level
uint8_t
ReadLevel(const TableEntry& entry, const std::vector<std::string>& levels)
{
    const auto found = entry.value.is_string()
                           ? std::find(levels.begin(), levels.end(), entry.value.get<std::string>())
                           : levels.end();
    if (found == levels.end())
    {
        entry.Refuse("one of " + WordList(levels));
    }
    return static_cast<uint8_t>(found - levels.begin());
}

LaneSettings
ReadLane(const TableEntry& entry, const LaneTable& table)
{
    entry.CheckKeys({"lane", "level"}, {"group", "trafficClass", "latencySensitive"});
    LaneSettings lane;
    lane.lane = static_cast<uint8_t>(entry.Of("lane").ReadNumber(0, table.laneCount - 1));
    lane.level = ReadLevel(entry.Of("level"), table.levels);
    if (entry.Has("group"))
    {
        lane.group = static_cast<uint8_t>(entry.Of("group").ReadNumber(0, MAX_GROUPS - 1));
    }
    if (entry.Has("trafficClass"))
    {
        lane.trafficClass =
            static_cast<uint8_t>(entry.Of("trafficClass").ReadNumber(0, TRAFFIC_CLASSES - 1));
    }
    if (entry.Has("latencySensitive"))
    {
        const TableEntry sensitive = entry.Of("latencySensitive");
        if (!sensitive.value.is_boolean())
        {
            sensitive.Refuse("true or false");
        }
        lane.latencySensitive = sensitive.value.get<bool>();
    }
    return lane;
}

GroupSettings
ReadGroup(const TableEntry& entry)
{
    entry.CheckKeys({"group", "share"}, {});
    GroupSettings group;
    group.group = static_cast<uint8_t>(entry.Of("group").ReadNumber(0, MAX_GROUPS - 1));
    group.share = ReadShare(entry.Of("share"));
    return group;
}

/// @return the table that entries say
LaneTable
MakeLaneTable(const TableEntry& top)
{
    top.CheckKeys({"lanes", "groups"}, {"levels", "laneCount"});
    LaneTable table;
    if (top.Has("laneCount"))
    {
        table.laneCount = top.Of("laneCount").ReadNumber(1, MAX_LANES);
    }
    if (top.Has("levels"))
    {
        table.levels = ReadLevels(top.Of("levels"));
    }
    const TableEntry lanes = top.Of("lanes");
    for (std::size_t i = 0; i < lanes.RequireList("lanes").value.size(); ++i)
    {
        table.lanes.push_back(ReadLane(lanes.At(i), table));
    }
    const TableEntry groups = top.Of("groups");
    for (std::size_t i = 0; i < groups.RequireList("groups").value.size(); ++i)
    {
        table.groups.push_back(ReadGroup(groups.At(i)));
    }
    return table;
}

/// @return parts of a table in CSV
const std::vector<TableSection>&
LaneTableSections()
{
    static const std::vector<TableSection> sections{
        {"lanes",
         TableSection::ENTRIES,
         true,
         {"lane", "level"},
         {"group", "trafficClass", "latencySensitive"},
         "level"},
        {"groups", TableSection::ENTRIES, true, {"group", "share"}},
        {"levels", TableSection::WORDS, false, {"level"}},
        {"laneCount", TableSection::NUMBER, false, {"laneCount"}, {}, "", "number of lanes"}};
    return sections;
}

} // namespace

LaneTable
ParseLaneTable(const std::string& text, const std::string& name)
{
    LaneTable table;
    ReadTableText(text, name, LaneTableSections(), [&table](const TableEntry& top) {
        table = MakeLaneTable(top);
    });
    try
    {
        table.Validate();
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(name + ": " + error.what());
    }
    return table;
}

LaneTable
ReadLaneTable(const std::string& file)
{
    return ParseLaneTable(ReadTableFile(file, "lane table"), file);
}

} // namespace ns3::fabric
