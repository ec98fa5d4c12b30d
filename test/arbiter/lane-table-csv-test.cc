/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-lane-table-file.h"
#include "fabric-refusal.h"
#include "fabric-test-compat.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

using Random = std::mt19937; ///< Source of random tables.

/// Sections that are right.
const std::string LANES = "lane,level,group\n0,high,0\n";
const std::string GROUPS = "\ngroup,share\n0,40\n"; ///< See LANES.

/// @return a table with a lane
std::string
Lane(const std::string& values, const std::string& columns = "lane,level,group")
{
    return columns + "\n" + values + "\n" + GROUPS;
}

/// @return a table with groups
std::string
Groups(const std::string& lines)
{
    return LANES + "\ngroup,share\n" + lines + "\n";
}

/// Texts, and what the sentence must say: what TestBadCsv() of JSON has, and what is CSV's own.
const std::vector<std::pair<std::string, std::string>> BAD_CSV = {
    // Lanes.
    {Lane("16,high,0"), "t.csv: line 2: lane is 16, allowed is a whole number from 0 to 15"},
    {Lane("-1,high,0"), "t.csv: line 2: lane is -1, allowed is a whole number from 0 to 15"},
    {Lane("1.5,high,0"), "line 2: lane is 1.5,"},
    {Lane("one,high,0"), "line 2: lane is \"one\", allowed is a whole number from 0 to 15"},
    {Lane("0,high,0\n0,high,1") + "1,1\n",
     "t.csv: lane table: lane 0 is in groups 0 and 1, allowed is exactly one"},
    {Lane("0,high,0\n0,high,0"), "lane 0 stands there twice, allowed is once"},
    {Lane("3,high,"), "lane 3 is in no bandwidth group, allowed is exactly one"},
    {Lane("3,high", "lane,level"), "lane 3 is in no bandwidth group, allowed is exactly one"},
    {Lane("3,high,1"), "lane 3 is in group 1, allowed are the groups of the table"},
    {Lane("3,high,32"), "line 2: group is 32, allowed is a whole number from 0 to 31"},
    {Lane("3,urgent,0"), "line 2: level is \"urgent\", allowed is one of high, medium, low"},
    {Lane("3,0,0"), "line 2: level is \"0\", allowed is one of"},
    {Lane("3,,0"), "line 2: level is \"\", allowed is one of"},
    {Lane(",high,0"), "line 2: lane is \"\", allowed is a whole number"},
    {Lane("3,high,0,16", "lane,level,group,trafficClass"),
     "line 2: trafficClass is 16, allowed is a whole number from 0 to 15"},
    {Lane("3,high,0,1", "lane,level,group,latencySensitive"),
     "line 2: latencySensitive is 1, allowed is true or false"},
    {Lane("3,high,0,yes", "lane,level,group,latencySensitive"),
     "line 2: latencySensitive is \"yes\", allowed is true or false"},
    {Lane("3,high,0", "lane,levle,group"),
     "line 1: a section begins with 'lane' and has the column \"levle\", allowed are lane, level, "
     "group, trafficClass, latencySensitive"},
    {Lane("3,0", "lane,group"),
     "line 1: a section begins with 'lane' and has no column 'level', it must have lane, level"},
    {Lane("3,3,high,0", "lane,lane,level,group"), "has the column 'lane' twice, allowed is once"},
    {Lane("7"), "line 2: there are 1 values, allowed are 3, one for each of lane, level, group"},
    {Lane("7,high,0,0"), "line 2: there are 4 values, allowed are 3"},
    {"lane,level\n" + GROUPS, "no lane is in use, allowed is at least one"},
    {LANES + GROUPS + "\nlaneCount\n33",
     "t.csv: line 8: laneCount is 33, allowed is a whole number from 1 to 32"},
    {LANES + GROUPS + "\nlaneCount\n0",
     "t.csv: line 8: laneCount is 0, allowed is a whole number from 1 to 32"},
    {LANES + GROUPS + "\nlaneCount\n16\n17", "line 9: there is a second number of lanes"},
    {LANES + GROUPS + "\nlaneCount\n", "t.csv: laneCount is [], allowed is a whole number"},
    // Groups.
    {Groups("0,101"),
     "t.csv: line 5: share is 101, allowed is a number of percent from 0 to 100 with at most two"},
    {Groups("0,-1"), "line 5: share is -1, allowed is"},
    {Groups("0,12.345"), "line 5: share is 12.345, allowed is"},
    {Groups("0,40 %"), "line 5: share is \"40 %\", allowed is"},
    {Groups("0,"), "line 5: share is \"\", allowed is"},
    {Groups("32,40"), "line 5: group is 32, allowed is"},
    {Groups("0,40\n0,40"), "group 0 stands there twice, allowed is once"},
    // Levels.
    {LANES + GROUPS + "\nlevel\n", "line 2: level is \"high\", allowed is one of"},
    {LANES + GROUPS + "\nlevel\nhigh\nhigh", "level 'high' is named twice"},
    {LANES + GROUPS + "\nlevel\nhigh\n\"\"", "a level has an empty name"},
    {LANES + GROUPS + "\nlevel\nhigh\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16",
     "there are 17 levels, allowed are 1 to 16"},
    // CSV.
    {"",
     "t.csv: no section begins with the column 'lane', allowed is exactly one, with the columns "
     "lane, level, group"},
    {LANES, "no section begins with the column 'group', allowed is exactly one"},
    {"{\"lanes\": []}",
     "line 1: a section begins with the column \"{\\\"lanes\\\": []}\", allowed "
     "is one of lane, group, level, laneCount"},
    {LANES + "\n" + LANES + GROUPS, "line 4: a section begins with 'lane' for the second time"},
    {LANES + GROUPS + "\nlevel\nhigh\n\nlevel\nlow",
     "line 10: a section begins with 'level' for the second time"},
    {Lane("0,high,0\n3,urgent,0"), "line 3: level is \"urgent\", allowed is one of"},
    {Lane("0,\"high,0"), "line 2: a cell has no second quote, allowed are two in one line"},
    {Lane("0,\"high\"er,0"), "line 2: a cell goes on behind its quotes, allowed is a comma"},
    {Lane("0;high;0", "lane;level;group"), "line 1: a section begins with the column \"lane;level"},
    {Lane("0,\xFF,0"), "line 2: level is \"\xEF\xBF\xBD\", allowed is one of"},
};

/// Each mistake in a file is one sentence that says where.
void
TestBadCsv(FunctionCase& test)
{
    for (const auto& [text, part] : BAD_CSV)
    {
        const std::string sentence = Refusal([t = text] { ParseLaneTable(t, "t.csv"); });
        const bool isGood = sentence.rfind("t.csv: ", 0) == 0 &&
                            sentence.find(part) != std::string::npos &&
                            sentence.find('\n') == std::string::npos;
        test.Expect(isGood, "'" + sentence + "' says '" + part + "' of " + text);
    }
    const std::string none = Refusal([] { ReadLaneTable("/nowhere/t.csv"); });
    test.Expect(none.rfind("/nowhere/t.csv: this file cannot be read", 0) == 0, none);
}

/// What a file says is what the table holds.
void
TestGoodCsv(FunctionCase& test)
{
    const LaneTable table =
        ParseLaneTable("\xEF\xBB\xBF# Comments and blanks count for nothing.\r\n"
                       "\r\n"
                       "laneCount\r\n"
                       " 20 \r\n"
                       " \t\r\n"
                       "group , share\r\n"
                       "1, 12.34\r\n"
                       "# one more\r\n"
                       "2,100\r\n"
                       "3 ,\"0\"\r\n"
                       "\r\n"
                       "lane,trafficClass,latencySensitive,level,group\r\n"
                       "19,5,true,\"say \"\"b\"\", c\",2\r\n"
                       "0,,,1,1\r\n"
                       "4,5,false, \"say \"\"b\"\", c\" ,1\r\n"
                       "\r\n"
                       "level\r\n"
                       "1\r\n"
                       "\"say \"\"b\"\", c\"",
                       "t.csv");
    test.Expect(table.laneCount == 20 &&
                    table.levels == std::vector<std::string>{"1", "say \"b\", c"},
                "lanes and levels");
    test.Expect(table.lanes == std::vector<LaneSettings>{{19, 1, 5, 2, true},
                                                         {0, 0, 0, 1, false},
                                                         {4, 1, 5, 1, false}},
                "what it says of lanes");
    test.Expect(table.groups == std::vector<GroupSettings>{{1, 1234}, {2, 10'000}, {3, 0}},
                "what it says of groups");
}

/// @return a number from 0 on
uint32_t
Below(Random& random, std::size_t end)
{
    return static_cast<uint32_t>(random() % end);
}

/// @return a share in percent as text, at most two decimals
std::string
Percent(uint32_t share)
{
    const std::string rest = std::to_string(share % 100);
    return std::to_string(share / 100) + "." + (rest.size() == 1 ? "0" : "") + rest;
}

/// A random table, written in both forms.
struct BothForms
{
    LaneTable table;  ///< What they say.
    std::string json; ///< In JSON.
    std::string csv;  ///< In CSV.

    /// @param random source of the table
    explicit BothForms(Random& random)
    {
        const uint32_t groups = 1 + Below(random, 5);
        json = "{\"laneCount\": 32, \"levels\": [\"a\", \"b\"], \"groups\": [";
        csv = "laneCount\n32\n\nlevel\na\nb\n\ngroup,share\n";
        for (uint8_t i = 0; i < groups; ++i)
        {
            table.groups.push_back({i, Below(random, 10'001)});
            AddGroup(table.groups.back());
        }
        json += "], \"lanes\": [";
        csv += "\nlane,level,group,trafficClass,latencySensitive\n";
        for (uint8_t i = 0; i < 32; i += static_cast<uint8_t>(1 + Below(random, 8)))
        {
            table.lanes.push_back({i,
                                   static_cast<uint8_t>(Below(random, 2)),
                                   static_cast<uint8_t>(Below(random, 16)),
                                   static_cast<uint8_t>(Below(random, groups)),
                                   Below(random, 2) == 1});
            AddLane(table.lanes.back());
        }
        json += "]}";
    }

    /// Writes a group.
    void AddGroup(const GroupSettings& group)
    {
        const std::string number = std::to_string(group.group);
        json += json.back() == '[' ? "" : ",\n";
        json += "{\"group\": " + number + ", \"share\": " + Percent(group.share) + "}";
        csv += number + "," + Percent(group.share) + "\n";
    }

    /// Writes a lane.
    void AddLane(const LaneSettings& lane)
    {
        const std::string number = std::to_string(lane.lane);
        const std::string level = lane.level == 0 ? "a" : "b";
        const std::string group = std::to_string(lane.group);
        const std::string trafficClass = std::to_string(lane.trafficClass);
        const std::string sensitive = lane.latencySensitive ? "true" : "false";
        json += json.back() == '[' ? "" : ",\n";
        json += "{\"lane\": " + number + ", \"level\": \"" + level + "\", \"group\": " + group +
                ", \"trafficClass\": " + trafficClass + ", \"latencySensitive\": " + sensitive +
                "}";
        csv += number + "," + level + "," + group + "," + trafficClass + "," + sensitive + "\n";
    }
};

/// Random tables say the same in both forms.
void
TestBothForms(FunctionCase& test)
{
    for (uint32_t seed = 0; seed < 200; ++seed)
    {
        Random random(seed);
        const BothForms both(random);
        const LaneTable json = ParseLaneTable(both.json, "t.json");
        const LaneTable csv = ParseLaneTable(both.csv, "t.csv");
        const bool isRight = json.lanes == both.table.lanes && json.groups == both.table.groups &&
                             csv.lanes == json.lanes && csv.groups == json.groups &&
                             csv.levels == json.levels && csv.laneCount == json.laneCount;
        test.Expect(isRight, "both forms say the same, seed " + std::to_string(seed));
    }
}

/// @return a text with some of its characters changed, taken out, put in or repeated
std::string
Mutate(std::string text, Random& random)
{
    static const std::string some = "\",\n{}[]:0-9.eE#\r\t \xC3\xFF\0x"
                                    "true";
    for (uint32_t change = 0; change <= Below(random, 4); ++change)
    {
        const std::size_t at = Below(random, text.size() + 1);
        const std::size_t length = Below(random, 8);
        switch (Below(random, 4))
        {
        case 0:
            text.insert(at, 1, some[Below(random, some.size())]);
            break;
        case 1:
            text.erase(at, length);
            break;
        case 2:
            text.insert(at, text.substr(at, 3 * length));
            break;
        default:
            text.replace(at, at < text.size(), 1, static_cast<char>(random()));
        }
    }
    return text;
}

/// Mutated files give a table or one sentence, never anything else (FF-8).
void
TestMutations(FunctionCase& test)
{
    uint32_t refused = 0;
    constexpr uint32_t SEEDS = 4000;
    for (uint32_t seed = 0; seed < SEEDS; ++seed)
    {
        Random random(seed);
        const BothForms both(random);
        const bool isCsv = seed % 2 == 0;
        const std::string name = isCsv ? "t.csv" : "t.json";
        const std::string text = Mutate(isCsv ? both.csv : both.json, random);
        const std::string sentence = Refusal([&] { ParseLaneTable(text, name).Validate(); });
        refused += !sentence.empty();
        const bool isGood = sentence.empty() || (sentence.rfind(name + ": ", 0) == 0 &&
                                                 sentence.find('\n') == std::string::npos);
        test.Expect(isGood, "seed " + std::to_string(seed) + ": '" + sentence + "'");
    }
    test.Expect(refused > SEEDS / 2, std::to_string(refused) + " mutations were refused");
}

/// Lane tables in CSV.
class LaneTableCsvSuite : public FunctionSuite
{
  public:
    LaneTableCsvSuite()
        : FunctionSuite("fabric-lane-table-csv", kUnit)
    {
        Add("VA-14 PR-5 each mistake in a lane table in CSV is one sentence", TestBadCsv);
        Add("PR-5 lanes, groups and levels as the CSV says", TestGoodCsv);
        Add("PR-5 random lane tables are the same in JSON and CSV", TestBothForms);
        Add("FF-8 VA-14 mutated lane tables give a table or one sentence", TestMutations);
    }
};

LaneTableCsvSuite g_laneTableCsvSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
