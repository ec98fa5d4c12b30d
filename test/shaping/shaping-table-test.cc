/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-option-type.h"
#include "fabric-shaping-table-file.h"
#include "fabric-switch-config.h"
#include "support/fabric-function-case.h"
#include "support/fabric-random-shaping.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"

#include <algorithm>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// A table in JSON with all there is, in the order of SHAPING_CSV.
const std::string SHAPING_JSON = R"({
  "classes": [{"class": 0, "trafficClass": 3, "queue": 1},
              {"class": 7, "vni": 48, "vniMask": 240, "queue": 2},
              {"class": 8, "trafficClass": 4, "vni": 9, "queue": 0}],
  "leaves": [{"queue": 0},
             {"queue": 1, "rate": "12.5Gbps", "burst": "16KiB", "priority": 3, "branch": 1},
             {"queue": 2, "rate": 5000000, "burst": 0, "branch": 1}],
  "branches": [{"branch": 1, "rate": "1.000001Mbps", "priority": 7}],
  "head": {"rate": "0.2Tbps", "burst": "1MB"}})";

/// The same in CSV.
const std::string SHAPING_CSV = R"(# all there is
class,queue,trafficClass,vni,vniMask
0,1,3,,
7,2,,48,240
8,0,4,9,

queue,rate,burst,priority,branch
0,,,,
1,12.5Gbps,16KiB,3,1
2,5000000,0,,1

branch,rate,priority
1,1.000001Mbps,7

rate,burst
0.2Tbps,1MB
)";

/// @return all that a table says
std::string
Print(const ShapingTable& table)
{
    std::ostringstream text;
    const auto print = [&text](const BucketSettings& bucket) {
        text << " " << bucket.rate << " " << bucket.burst << " " << +bucket.priority;
    };
    for (const ShapingClass& one : table.classes)
    {
        text << one.number << ":" << +one.rule.mask.trafficClass << " "
             << +one.rule.value.trafficClass << " " << one.rule.mask.vni << " "
             << one.rule.value.vni << " -> " << +one.queue << "\n";
    }
    for (const ShapingLeaf& leaf : table.leaves)
    {
        text << +leaf.queue << " on " << +leaf.branch;
        print(leaf.bucket);
    }
    for (const ShapingBranch& branch : table.branches)
    {
        text << "\n" << +branch.branch;
        print(branch.bucket);
    }
    print(table.head);
    return text.str();
}

/// Both ways to write a table say the same.
void
TestBothTexts(FunctionCase& self)
{
    const ShapingTable table = ParseShapingTable(SHAPING_JSON, "t.json");
    self.ExpectEqual(Print(ParseShapingTable(SHAPING_CSV, "t.csv")), Print(table), "CSV and JSON");
    self.Expect(table.leaves[1].bucket.rate == 12'500'000'000 &&
                    table.leaves[1].bucket.burst == 16'384 &&
                    table.leaves[1].bucket.priority == 3 && table.leaves[1].branch == 1,
                "a leaf");
    self.Expect(table.leaves[0].bucket.rate == 0 && table.leaves[2].bucket.burst == 0, "defaults");
    self.Expect(table.branches[0].bucket.rate == 1'000'001, "exact fractions");
    self.Expect(table.head.rate == 200'000'000'000 && table.head.burst == 1'000'000, "the head");
    self.Expect(table.QueueOf(3, 5) == 1 && table.QueueOf(5, 0x35) == 2 && table.QueueOf(5, 5) == 0,
                "queues");
    const ShapingTable least = ParseShapingTable(R"({"leaves": [{"queue": 0}]})", "t.json");
    self.Expect(least.head.IsUnlimited(), "without a head nothing limits the sum");
    self.Expect(ParseShapingTable("queue\n0\n\nrate\nunlimited\n", "t.csv").head.IsUnlimited(),
                "unlimited in words");
}

/// @return a table with a leaf @param leaf what follows its queue
std::string
WithLeaf(const std::string& leaf, const std::string& rest = "")
{
    return R"({"leaves": [{"queue": 0}, {"queue": 1)" + leaf +
           R"(}], "classes": [{"class": 1, "trafficClass": 1, "queue": 1}])" + rest + "}";
}

/// Bursts have the units that sizes have in options of programs.
void
TestUnitsOfBursts(FunctionCase& self)
{
    const std::vector<std::pair<std::string, uint64_t>> cases{{"7B", 7},
                                                              {"7kB", 7'000},
                                                              {"7KB", 7'000},
                                                              {"7MB", 7'000'000},
                                                              {"1GB", 1'000'000'000},
                                                              {"7KiB", 7 << 10},
                                                              {"7MiB", 7 << 20},
                                                              {"0.5GiB", 1 << 29},
                                                              {"1GiB", 1 << 30}};
    for (const auto& [text, bytes] : cases)
    {
        const ShapingTable table =
            ParseShapingTable(WithLeaf(R"(, "rate": "1Gbps", "burst": ")" + text + R"(")"),
                              "t.json");
        self.ExpectEqual(uint64_t{table.leaves[1].bucket.burst}, bytes, text);
        self.ExpectEqual(SizeType(0, uint64_t{1} << 30).Read("--size", text), bytes, text);
    }
}

/// @return a table with classes
std::string
WithClasses(const std::string& classes)
{
    return R"({"leaves": [{"queue": 0}, {"queue": 1}], "classes": [)" + classes + "]}";
}

/// What is wrong is told in a sentence, with where and what is allowed.
void
TestBadTables(FunctionCase& self)
{
    const std::vector<std::pair<std::string, std::string>> cases{
        {"{}", "t.json: has no key 'leaves', it must have leaves"},
        {R"({"leaves": []})", "shaping table: there is no leaf, allowed are 1 to 8"},
        {R"({"leaves": {}})", "t.json: leaves is {}, allowed is a list of leaves"},
        {R"({"leaves": [{"queue": 0}], "tail": 1})", "t.json: has the key 'tail', allowed are"},
        {WithLeaf(R"(, "rate": "1Gbit")"),
         "leaves[1].rate is \"1Gbit\", allowed is 0, 10kbps to 1000Tbps in whole bit/s, as "
         "12.5Gbps, or unlimited"},
        {WithLeaf(R"(, "rate": 9999)"), "leaves[1].rate is 9999, allowed is 0, 10kbps"},
        {WithLeaf(R"(, "rate": "1001Tbps")"), "leaves[1].rate is \"1001Tbps\", allowed is"},
        {WithLeaf(R"(, "rate": -1)"), "leaves[1].rate is -1, allowed is"},
        {WithLeaf(R"(, "rate": 1.5e9)"), "leaves[1].rate is 1500000000.0, allowed is"},
        {WithLeaf(R"(, "rate": "10000.5bps")"), "leaves[1].rate is \"10000.5bps\", allowed"},
        {WithLeaf(R"(, "rate": "1.2.3Gbps")"), "leaves[1].rate is \"1.2.3Gbps\", allowed"},
        {WithLeaf(R"(, "rate": "Gbps")"), "leaves[1].rate is \"Gbps\", allowed"},
        {WithLeaf(R"(, "rate": "1.Gbps")"), "leaves[1].rate is \"1.Gbps\", allowed"},
        {WithLeaf(R"(, "rate": "99999999999999999999Tbps")"), "leaves[1].rate is"},
        {WithLeaf(R"(, "rate": null)"), "leaves[1].rate is null, allowed is"},
        {WithLeaf(R"(, "rate": "1Gbps", "burst": "1025MiB")"),
         "leaves[1].burst is \"1025MiB\", allowed is 0 to 1GiB in whole bytes, as 16KiB"},
        {WithLeaf(R"(, "rate": "1Gbps", "burst": "1.5B")"), "leaves[1].burst is \"1.5B\","},
        {WithLeaf(R"(, "burst": 1)"),
         "leaves[1] has a burst, and its rate is 0, so that it has no effect; allowed is none, or "
         "a rate"},
        {WithLeaf(R"(, "rate": "unlimited", "burst": 1)"), "and its rate is unlimited, so that"},
        {WithLeaf(R"(, "rate": "1Gbps", "priority": 8)"),
         "leaves[1].priority is 8, allowed is a whole number from 0 to 7"},
        {WithLeaf(R"(, "priority": 1)"),
         "the priority of leaf 1 is 1, and its rate is 0, so it has no turns; allowed is 0, or a "
         "rate"},
        {WithLeaf(R"(, "branch": 4)"), "leaves[1].branch is 4, allowed is a whole number from 0"},
        {WithLeaf(R"(}, {"queue": 8)"), "leaves[2].queue is 8, allowed is a whole number from 0"},
        {WithLeaf(R"(}, {"queue": 1)"), "leaf 1 stands there twice, allowed is once"},
        {WithLeaf(R"(}, {"queue": 5)"), "no class uses queue 5, allowed are leaves of queues that"},
        {WithLeaf("", R"(, "head": {"rate": 0})"),
         "queue 0 would wait for ever, as the rates of its leaf, its branch and the head are 0; "
         "allowed is a rate for one of them"},
        {WithLeaf("", R"(, "head": {"burst": 1})"), "head has no key 'rate'"},
        {WithLeaf("", R"(, "head": {"rate": 10000, "priority": 1})"),
         "head has the key 'priority'"},
        {WithLeaf("", R"(, "branches": [{"branch": 2, "rate": 10000}])"),
         "branch 2 has no leaf, allowed are branches of leaves"},
        {WithLeaf("", R"(, "branches": [{"branch": 0, "rate": 0}, {"branch": 0, "rate": 0}])"),
         "branch 0 stands there twice"},
        {WithLeaf("", R"(, "branches": [{"branch": 0}])"), "branches[0] has no key 'rate'"},
        {R"({"leaves": [{"queue": 1}], "classes": [{"class": 1, "queue": 1}]})",
         "queue 0 has no leaf, allowed is one, as frames of no class use that queue"},
        {WithClasses(R"({"class": 1, "queue": 2})"),
         "class 1 uses queue 2, which has no leaf; allowed are queues of leaves"},
        {WithClasses(R"({"class": 1, "queue": 1}, {"class": 1, "queue": 0, "vni": 1})"),
         "class 1 stands there twice, allowed is once"},
        {WithClasses(R"({"class": 1, "queue": 1}, {"class": 2, "queue": 0, "vni": 1})"),
         "class 2 is never used, as class 1 before it is for the same frames; allowed is another "
         "order"},
        {WithClasses(R"({"class": 1, "queue": 1, "vniMask": 1})"),
         "classes[0] has a vniMask and no vni, allowed is none, or a vni"},
        {WithClasses(R"({"class": 1, "queue": 1, "vni": 3, "vniMask": 1})"),
         "classes[0].vni is 3, allowed is a number whose bits are in vniMask, 1"},
        {WithClasses(R"({"class": 1, "queue": 1, "trafficClass": 16})"),
         "classes[0].trafficClass is 16, allowed is a whole number from 0 to 15"},
        {WithClasses(R"({"class": 65536, "queue": 1})"), "classes[0].class is 65536, allowed is"},
    };
    for (const auto& [text, expected] : cases)
    {
        const std::string& table = text;
        const std::string said = Refusal([&table] { ParseShapingTable(table, "t.json"); });
        self.Expect(said.find("t.json:") == 0 && said.find(expected) != std::string::npos,
                    Text(text, ": '", said, "'"));
    }
    const std::vector<std::pair<std::string, std::string>> lines{
        {"queue,rate\n0,1\n", "t.csv: line 2: rate is 1, allowed is 0, 10kbps"},
        {"queue,rate\n0,\n\nrate\n10kbps\n20kbps\n", "t.csv: line 6: there is a second head"},
        {"queue,rate\n0,\n\nrate,burst\n10kbps,-1\n", "t.csv: line 5: head.burst is -1, allowed"},
        {"class,queue\n0,0\n", "no section begins with the column 'queue', allowed is exactly one"},
        {"leaf,queue\n0,0\n",
         "t.csv: line 1: a section begins with the column \"leaf\", allowed is one of class, "
         "queue, branch, rate"},
        {"queue,colour\n0,0\n", "has the column \"colour\", allowed are queue, rate, burst"},
    };
    for (const auto& [text, expected] : lines)
    {
        const std::string& table = text;
        const std::string said = Refusal([&table] { ParseShapingTable(table, "t.csv"); });
        self.Expect(said.find(expected) != std::string::npos, Text(text, ": '", said, "'"));
    }
    self.Expect(ParseShapingTable(R"({"leaves": [{"queue": 0}, {"queue": 31}],
                                      "classes": [{"class": 0, "vni": 1, "queue": 31}]})",
                                  "t.json",
                                  HOST_SHAPING_QUEUES)
                        .leaves.size() == 2,
                "a port to a host has 32 queues");
    const std::string missing = Refusal([] { ReadShapingTable("no-such-file.json"); });
    self.Expect(missing.find("no-such-file.json: this file cannot be read") == 0, missing);
}

/// What is allowed is allowed, and nothing that is changed ends in anything but a sentence.
void
TestMutations(FunctionCase& self)
{
    const TestSeeds seeds(3000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        const bool isCsv = random() % 2 == 0;
        std::string text = isCsv ? SHAPING_CSV : SHAPING_JSON;
        for (uint64_t left = 1 + random() % 3; left != 0; --left)
        {
            const std::size_t at = random() % text.size();
            const char other = "0123456789,\"{}[]\n -xKGbps."[random() % 26];
            switch (random() % 3)
            {
            case 0:
                text.erase(at, 1 + random() % 4);
                break;
            case 1:
                text[at] = other;
                break;
            default:
                text.insert(at, 1, other);
                break;
            }
        }
        const std::string name = isCsv ? "t.csv" : "t.json";
        const std::string said = Refusal([&] { ParseShapingTable(text, name); });
        self.Expect(said.empty() || (said.find(name) == 0 && said.find('\n') == std::string::npos),
                    Text("seed ", seed, ": '", said, "'"));
    }
}

/// A switch refuses what does not go together.
void
TestSwitchSettings(FunctionCase& self)
{
    SwitchConfig config;
    config.linkShaping = std::make_shared<ShapingTable>(ParseShapingTable(SHAPING_JSON, "t.json"));
    self.ExpectEqual(Refusal([&config] { config.Validate(); }), "", "a table alone");
    self.ExpectEqual(config.ShapedKinds(), 12, "three queues, four channels");
    const auto host = [](uint8_t last) {
        ShapingTable table;
        table.leaves = {{0, {}, 0}, {last, {}, 0}};
        table.classes = {{1, {}, last}};
        return std::make_shared<ShapingTable>(table);
    };
    for (const uint8_t last : {1, 2, 31})
    {
        config.hostShaping = host(last);
        self.ExpectEqual(config.ShapedKinds(), 4 * std::max(3, last + 1), "of both tables");
    }
    config.hostShaping = nullptr;
    config.ports = 3925;
    self.ExpectEqual(Refusal([&config] { config.Validate(); }), "", "as many as there is room for");
    config.ports = 4096;
    self.ExpectEqual(Refusal([&config] { config.Validate(); }),
                     "shaping table: the switch has 4096 ports, allowed with queues up to 2 are at "
                     "most 3925",
                     "too many ports");
    config.ports = 64;
    config.lanes = LaneArbitration{};
    config.lanes->table.lanes = {{0, 0, 0, 0, false}};
    config.lanes->table.groups = {{0, 100}};
    self.ExpectEqual(Refusal([&config] { config.Validate(); }),
                     "LinkShapingTableFile is set, and there is a lane table: both would decide "
                     "whose frame goes next; allowed is one of them",
                     "lanes");
    std::swap(config.linkShaping, config.hostShaping);
    self.Expect(Refusal([&config] { config.Validate(); }).find("HostShapingTableFile is set") == 0,
                "lanes of hosts");
}

/// Suite.
class ShapingTableSuite : public FunctionSuite
{
  public:
    ShapingTableSuite()
        : FunctionSuite("fabric-shaping-table", kUnit)
    {
        Add("PR-5 a shaping table in JSON and in CSV", TestBothTexts);
        Add("PR-5 bursts have the units of sizes", TestUnitsOfBursts);
        Add("PR-5 what is wrong in a shaping table is one sentence", TestBadTables);
        Add("PR-5 changed texts of tables end in a table or a sentence", TestMutations);
        Add("SW-10 a switch is shaped, or has lanes, and has room for its queues",
            TestSwitchSettings);
    }
};

ShapingTableSuite g_shapingTableSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
