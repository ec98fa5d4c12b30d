/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-table-file.h"

#include "fabric-lane-table-csv.h"
#include "fabric-word-list.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace ns3::fabric
{

namespace
{

using Json = nlohmann::json;

using Lines = std::map<std::string, std::string>; ///< See LaneTableCsv.

constexpr int DEEPEST = 8; ///< Brackets in brackets; JSON's own functions call themselves for each.
constexpr double ROUNDING = 1e-9; ///< Of hundredths of percent that are written with two decimals.

/// A value and where it stands, for sentences.
struct Entry
{
    const Json& value;       ///< The value.
    const std::string where; ///< `table.json: lanes[3].level`, `table.csv: line 5: level`
    const Lines& lines;      ///< Of a file in CSV.
    const std::string place; ///< `lanes`

    /// @throws std::invalid_argument with a sentence
    [[noreturn]] void Refuse(const std::string& allowed) const
    {
        const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
        throw std::invalid_argument(where + " is " + text + ", allowed is " + allowed);
    }

    /// @return the entry of a key, which is known to be there
    Entry Of(const std::string& key) const
    {
        const auto line = lines.find(key);
        const std::string before = place.empty() && line != lines.end() ? line->second : where;
        return {value.at(key), before + (before.back() == ':' ? " " : ".") + key, lines, key};
    }

    Entry At(std::size_t index) const
    {
        const std::string number = std::string("[").append(std::to_string(index)).append("]");
        const auto line = lines.find(place + number);
        return {value.at(index), line == lines.end() ? where + number : line->second, lines, ""};
    }

    bool Has(const std::string& key) const
    {
        return value.contains(key);
    }
};

/// Checks that an entry is an object with the keys that it must have, and no others than it may.
void
CheckKeys(const Entry& entry,
          const std::vector<std::string>& required,
          const std::vector<std::string>& optional)
{
    std::vector<std::string> known = required;
    known.insert(known.end(), optional.begin(), optional.end());
    if (!entry.value.is_object())
    {
        entry.Refuse("an object with the keys " + WordList(known));
    }
    for (const auto& item : entry.value.items())
    {
        if (std::find(known.begin(), known.end(), item.key()) == known.end())
        {
            throw std::invalid_argument(entry.where + " has the key '" + item.key() +
                                        "', allowed are " + WordList(known));
        }
    }
    for (const std::string& key : required)
    {
        if (!entry.Has(key))
        {
            throw std::invalid_argument(entry.where + " has no key '" + key + "', it must have " +
                                        WordList(required));
        }
    }
}

/// @return the entry, which must be a list
const Entry&
RequireList(const Entry& entry, const std::string& of)
{
    if (!entry.value.is_array())
    {
        entry.Refuse("a list of " + of);
    }
    return entry;
}

/// @return a whole number from low to high
uint32_t
ReadNumber(const Entry& entry, uint32_t low, uint32_t high)
{
    if (!entry.value.is_number_unsigned() || entry.value.get<uint64_t>() < low ||
        entry.value.get<uint64_t>() > high)
    {
        entry.Refuse("a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    return entry.value.get<uint32_t>();
}

/// @return a share in 1/100 %
uint32_t
ReadShare(const Entry& entry)
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
ReadLevels(const Entry& entry)
{
    std::vector<std::string> levels;
    for (std::size_t i = 0; i < RequireList(entry, "names").value.size(); ++i)
    {
        const Entry name = entry.At(i);
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
ReadLevel(const Entry& entry, const std::vector<std::string>& levels)
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
ReadLane(const Entry& entry, const LaneTable& table)
{
    CheckKeys(entry, {"lane", "level"}, {"group", "trafficClass", "latencySensitive"});
    LaneSettings lane;
    lane.lane = static_cast<uint8_t>(ReadNumber(entry.Of("lane"), 0, table.laneCount - 1));
    lane.level = ReadLevel(entry.Of("level"), table.levels);
    if (entry.Has("group"))
    {
        lane.group = static_cast<uint8_t>(ReadNumber(entry.Of("group"), 0, MAX_GROUPS - 1));
    }
    if (entry.Has("trafficClass"))
    {
        lane.trafficClass =
            static_cast<uint8_t>(ReadNumber(entry.Of("trafficClass"), 0, TRAFFIC_CLASSES - 1));
    }
    if (entry.Has("latencySensitive"))
    {
        const Entry sensitive = entry.Of("latencySensitive");
        if (!sensitive.value.is_boolean())
        {
            sensitive.Refuse("true or false");
        }
        lane.latencySensitive = sensitive.value.get<bool>();
    }
    return lane;
}

GroupSettings
ReadGroup(const Entry& entry)
{
    CheckKeys(entry, {"group", "share"}, {});
    GroupSettings group;
    group.group = static_cast<uint8_t>(ReadNumber(entry.Of("group"), 0, MAX_GROUPS - 1));
    group.share = ReadShare(entry.Of("share"));
    return group;
}

/// @return the parsed text; of a key that an object has twice JSON would keep one without a word
Json
ParseJson(const std::string& text, const std::string& name)
{
    std::vector<std::set<std::string>> keys;
    const auto noteKeys = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (depth > DEEPEST)
        {
            throw std::invalid_argument(name + ": brackets are nested more than " +
                                        std::to_string(DEEPEST) + " deep, a table has three");
        }
        if (event == Json::parse_event_t::object_start)
        {
            keys.emplace_back();
        }
        else if (event == Json::parse_event_t::object_end)
        {
            keys.pop_back();
        }
        else if (event == Json::parse_event_t::key &&
                 !keys.back().insert(parsed.get<std::string>()).second)
        {
            throw std::invalid_argument(name + ": an object has the key '" +
                                        parsed.get<std::string>() + "' twice, allowed is once");
        }
        return true;
    };
    try
    {
        return Json::parse(text, noteKeys);
    }
    catch (const Json::parse_error& error)
    {
        // "[json.exception.parse_error.101] parse error at line 2, column 3: ..."
        const std::string what = error.what();
        const std::size_t bracket = what.find("] ");
        throw std::invalid_argument(name + ": this is not JSON, " +
                                    what.substr(bracket == std::string::npos ? 0 : bracket + 2));
    }
}

/// @return the table that entries say
LaneTable
MakeLaneTable(const Entry& top)
{
    CheckKeys(top, {"lanes", "groups"}, {"levels", "laneCount"});
    LaneTable table;
    if (top.Has("laneCount"))
    {
        table.laneCount = ReadNumber(top.Of("laneCount"), 1, MAX_LANES);
    }
    if (top.Has("levels"))
    {
        table.levels = ReadLevels(top.Of("levels"));
    }
    const Entry lanes = top.Of("lanes");
    for (std::size_t i = 0; i < RequireList(lanes, "lanes").value.size(); ++i)
    {
        table.lanes.push_back(ReadLane(lanes.At(i), table));
    }
    const Entry groups = top.Of("groups");
    for (std::size_t i = 0; i < RequireList(groups, "groups").value.size(); ++i)
    {
        table.groups.push_back(ReadGroup(groups.At(i)));
    }
    return table;
}

/// @return whether a file's name says that it is CSV
bool
IsCsv(const std::string& name)
{
    const std::string ending = ".csv";
    return name.size() > ending.size() &&
           name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
}

} // namespace

LaneTable
ParseLaneTable(const std::string& text, const std::string& name)
{
    const LaneTableCsv csv = IsCsv(name) ? ReadLaneTableCsv(text, name) : LaneTableCsv{text, {}};
    const Json json = ParseJson(csv.json, name);
    const LaneTable table = MakeLaneTable({json, name + ":", csv.lines, ""});
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
    std::ifstream stream(file);
    std::ostringstream text;
    if (!stream || !(text << stream.rdbuf()))
    {
        throw std::invalid_argument(file + ": this file cannot be read, or is empty; allowed is a "
                                           "lane table in JSON, or in CSV if the name ends in "
                                           ".csv");
    }
    return ParseLaneTable(text.str(), file);
}

} // namespace ns3::fabric
