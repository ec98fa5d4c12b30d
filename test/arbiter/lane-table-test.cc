/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-lane-table-file.h"
#include "fabric-test-compat.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return a table with these lanes and groups
std::string
Table(const std::string& lanes, const std::string& groups, const std::string& more = "")
{
    return "{\"lanes\": [" + lanes + "], \"groups\": [" + groups + "]" + more + "}";
}

/// A lane and a group that are right.
const std::string LANE = R"({"lane": 0, "level": "high", "group": 0})";
const std::string GROUP = R"({"group": 0, "share": 40})"; ///< See LANE.

/// Texts, and what the sentence must say.
const std::vector<std::pair<std::string, std::string>> BAD_TABLES = {
    // Lanes.
    {Table(R"({"lane": 16, "level": "high", "group": 0})", GROUP),
     "t.json: lanes[0].lane is 16, allowed is a whole number from 0 to 15"},
    {Table(R"({"lane": -1, "level": "high", "group": 0})", GROUP),
     "t.json: lanes[0].lane is -1, allowed is a whole number from 0 to 15"},
    {Table(R"({"lane": 1.5, "level": "high", "group": 0})", GROUP), "lanes[0].lane is 1.5,"},
    {Table(LANE + R"(, {"lane": 0, "level": "high", "group": 1})",
           GROUP + R"(, {"group": 1, "share": 1})"),
     "t.json: lane table: lane 0 is in groups 0 and 1, allowed is exactly one"},
    {Table(LANE + ", " + LANE, GROUP), "lane 0 stands there twice, allowed is once"},
    {Table(R"({"lane": 3, "level": "high"})", GROUP),
     "lane 3 is in no bandwidth group, allowed is exactly one"},
    {Table(R"({"lane": 3, "level": "high", "group": 1})", GROUP),
     "lane 3 is in group 1, allowed are the groups of the table"},
    {Table(R"({"lane": 3, "level": "high", "group": 32})", GROUP),
     "lanes[0].group is 32, allowed is a whole number from 0 to 31"},
    {Table(R"({"lane": 3, "level": "urgent", "group": 0})", GROUP),
     "lanes[0].level is \"urgent\", allowed is one of high, medium, low"},
    {Table(R"({"lane": 3, "level": 0, "group": 0})", GROUP),
     "lanes[0].level is 0, allowed is one of"},
    {Table(R"({"lane": 3, "level": "high", "group": 0, "trafficClass": 16})", GROUP),
     "lanes[0].trafficClass is 16, allowed is a whole number from 0 to 15"},
    {Table(R"({"lane": 3, "level": "high", "group": 0, "latencySensitive": 1})", GROUP),
     "lanes[0].latencySensitive is 1, allowed is true or false"},
    {Table(R"({"lane": 3, "levle": "high", "group": 0})", GROUP),
     "lanes[0] has the key 'levle', allowed are lane, level, group"},
    {Table(R"({"level": "high", "group": 0})", GROUP), "lanes[0] has no key 'lane'"},
    {Table("7", GROUP), "lanes[0] is 7, allowed is an object with the keys lane, level"},
    {Table("", GROUP), "no lane is in use, allowed is at least one"},
    {Table(LANE, GROUP, R"(, "laneCount": 33)"),
     "laneCount is 33, allowed is a whole number from 1 to 32"},
    // Groups.
    {Table(LANE, R"({"group": 0, "share": 101})"),
     "t.json: groups[0].share is 101, allowed is a number of percent from 0 to 100"},
    {Table(LANE, R"({"group": 0, "share": -1})"), "groups[0].share is -1, allowed is"},
    {Table(LANE, R"({"group": 0, "share": 12.345})"), "at most two decimals"},
    {Table(LANE, R"({"group": 0, "share": 1e-9})"), "at most two decimals"},
    {Table(LANE, R"({"group": 0, "share": 50.0000001})"), "at most two decimals"},
    {std::string(100'000, '['), "brackets are nested more than 8 deep"},
    {Table(LANE, std::string(100'000, '[') + std::string(100'000, ']')), "more than 8 deep"},
    {Table(LANE, R"({"group": 0, "share": "40"})"), "groups[0].share is \"40\", allowed is"},
    {Table(LANE, R"({"group": 32, "share": 40})"), "groups[0].group is 32, allowed is"},
    {Table(LANE, GROUP + ", " + GROUP), "group 0 stands there twice, allowed is once"},
    // Levels.
    {Table(LANE, GROUP, R"(, "levels": [])"), "lanes[0].level is \"high\", allowed is one of"},
    {Table(LANE, GROUP, R"(, "levels": ["high", "high"])"), "level 'high' is named twice"},
    {Table(LANE, GROUP, R"(, "levels": ["high", ""])"), "a level has an empty name"},
    {Table(LANE, GROUP, R"(, "levels": ["high", 1])"), "levels[1] is 1, allowed is a text"},
    {Table(
         LANE,
         GROUP,
         R"(, "levels": ["high","1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16"])"),
     "there are 17 levels, allowed are 1 to 16"},
    // JSON.
    {"[]", "t.json: is [], allowed is an object with the keys lanes, groups"},
    {"{\n\"lanes\": [\n}", "t.json: this is not JSON, parse error at line 3, column 1"},
    {"", "t.json: this is not JSON, parse error at line 1, column 1"},
    {R"({"lanes": []})", "has no key 'groups'"},
    {R"({"lanes": {}, "groups": []})", "t.json: lanes is {}, allowed is a list of lanes"},
    {R"({"lanes": [{"lane": 1, "lane": 2}], "groups": []})", "has the key 'lane' twice"},
    {R"({"lanes": [{"lane": 1}], "lanes": [], "groups": []})", "has the key 'lanes' twice"},
    {"[[[[[[[[[[]]]]]]]]]]", "t.json: brackets are nested more than 8 deep"},
};

/// Each mistake in a file is one sentence that says where.
void
TestBadFiles(FunctionCase& test)
{
    for (const auto& [text, part] : BAD_TABLES)
    {
        try
        {
            ParseLaneTable(text, "t.json");
            test.Expect(false, "refuses " + text);
        }
        catch (const std::invalid_argument& error)
        {
            const std::string sentence = error.what();
            const bool isGood = sentence.rfind("t.json: ", 0) == 0 &&
                                sentence.find(part) != std::string::npos &&
                                sentence.find('\n') == std::string::npos;
            test.Expect(isGood, "'" + sentence + "' says '" + part + "'");
        }
    }
    try
    {
        ReadLaneTable("/nowhere/t.json");
        test.Expect(false, "refuses a file that is not there");
    }
    catch (const std::invalid_argument& error)
    {
        test.Expect(std::string(error.what()).find("/nowhere/t.json: this file cannot be read") ==
                        0,
                    error.what());
    }
}

/// Each mistake in a table made by code.
void
TestBadTables(FunctionCase& test)
{
    const LaneTable good = ParseLaneTable(Table(LANE, GROUP), "t.json");
    const auto refuses = [&](const std::string& part, const auto& spoil) {
        LaneTable bad = good;
        spoil(bad);
        try
        {
            bad.Validate();
            test.Expect(false, "refuses: " + part);
        }
        catch (const std::invalid_argument& error)
        {
            test.Expect(std::string(error.what()).find(part) != std::string::npos, error.what());
        }
    };
    refuses("lane 16 does not exist, allowed are 0 to 15", [](auto& t) { t.lanes[0].lane = 16; });
    refuses("lane 0 has level 3, allowed are 0 to 2", [](auto& t) { t.lanes[0].level = 3; });
    refuses("lane 0 has traffic class 16", [](auto& t) { t.lanes[0].trafficClass = 16; });
    refuses("lane 0 is in no bandwidth group",
            [](auto& t) { t.lanes[0].group = NO_BANDWIDTH_GROUP; });
    refuses("lane 0 is in group 5", [](auto& t) { t.lanes[0].group = 5; });
    refuses("group 32 does not exist", [](auto& t) { t.groups[0].group = 32; });
    refuses("group 0 has a share of more than 100 %", [](auto& t) { t.groups[0].share = 10'001; });
    refuses("there are 0 levels, allowed are 1 to 16", [](auto& t) { t.levels.clear(); });
    refuses("there are 33 lanes, allowed are 1 to 32", [](auto& t) { t.laneCount = 33; });
    refuses("there are 0 lanes", [](auto& t) { t.laneCount = 0; });
}

/// What a file says is what the table holds.
void
TestGoodFile(FunctionCase& test)
{
    const LaneTable table = ParseLaneTable(
        R"({"laneCount": 20, "levels": ["a", "b"],
            "lanes": [{"lane": 19, "level": "b", "group": 2, "trafficClass": 5,
                       "latencySensitive": true},
                      {"lane": 0, "level": "a", "group": 1},
                      {"lane": 4, "level": "b", "group": 1, "trafficClass": 5}],
            "groups": [{"group": 1, "share": 12.34}, {"group": 2, "share": 100},
                       {"group": 3, "share": 0}]})",
        "t.json");
    // Only the end of a name says what is in the file.
    const std::string json = R"({"lanes": [{"lane": 0, "level": "low", "group": 0}],
                                 "groups": [{"group": 0, "share": 1}]})";
    test.Expect(ParseLaneTable(json, "t.csv.json").lanes.size() == 1, "a name with .csv inside");
    test.Expect(table.laneCount == 20 && table.levels == std::vector<std::string>{"a", "b"},
                "lanes and levels");
    test.Expect(table.lanes == std::vector<LaneSettings>{{19, 1, 5, 2, true},
                                                         {0, 0, 0, 1, false},
                                                         {4, 1, 5, 1, false}},
                "what it says of lanes");
    test.Expect(table.groups == std::vector<GroupSettings>{{1, 1234}, {2, 10'000}, {3, 0}},
                "what it says of groups");
    test.Expect(table.Lanes() == 0x80011 && table.LanesOfLevel(1) == 0x80010 &&
                    table.LanesOfGroup(1) == 0x11 && table.LanesOfClass(5) == 0x80010 &&
                    table.LatencySensitiveLanes() == 0x80000 && table.OverLevel() == 2,
                "masks");
}

/// Lane tables.
class LaneTableSuite : public FunctionSuite
{
  public:
    LaneTableSuite()
        : FunctionSuite("fabric-lane-table", kUnit)
    {
        Add("VA-14 each mistake in a lane table's file is one sentence", TestBadFiles);
        Add("VA-14 each mistake in a lane table made by code is one sentence", TestBadTables);
        Add("VA-1, PR-5 lanes, groups and levels as the file says", TestGoodFile);
    }
};

LaneTableSuite g_laneTableSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
