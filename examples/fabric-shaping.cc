/* SPDX-License-Identifier: GPL-2.0-only */

// Classes of traffic share an output of a switch, which shapes it: token buckets in a tree give
// each class a minimum, a maximum and a part of what is left.

#include "ns3/fabric-chain.h"
#include "ns3/fabric-class-traffic.h"
#include "ns3/fabric-option-type.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-settling-time.h"
#include "ns3/fabric-shaping-table-file.h"
#include "ns3/fabric-shortest-path-routing.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Stands for a table that is built in, see MakeWorkedExample().
const std::string WORKED_EXAMPLE = "worked-example";

/// Frames that the shaped link has to carry in a run, so that shares mean something.
constexpr int64_t LEAST_FRAMES = 100;

/// What the options say.
struct Choice
{
    std::string file{WORKED_EXAMPLE}; ///< `--table`
    std::string load{"0.9"};          ///< `--load`
    std::string via{"host"};          ///< `--via`
    uint64_t frameBytes{1500};        ///< `--frameBytes`
    fabric::ShapingTable table;       ///< After Read().
    std::vector<double> loads;        ///< Of classes, after Read().
};

/// @return the table of examples/tables/shaping.json
fabric::ShapingTable
MakeWorkedExample()
{
    constexpr uint64_t GBPS = 1'000'000'000;
    fabric::ShapingTable table;
    for (uint8_t number = 0; number < 4; ++number)
    {
        fabric::FlowRule rule;
        rule.mask.trafficClass = 0xFF;
        rule.value.trafficClass = number;
        table.classes.push_back({number, rule, number});
    }
    const fabric::BucketSettings none;
    table.leaves = {{0, {80 * GBPS, 16'384, 0}, 0},
                    {1, {20 * GBPS, 16'384, 0}, 1},
                    {2, none, 2},
                    {3, none, 2}};
    table.branches = {{0, {40 * GBPS, 16'384, 0}},
                      {2, {fabric::BucketSettings::UNLIMITED, 16'384, 1}}};
    table.head = {0, 16'384, 0};
    return table;
}

/// Adds the options of the program.
void
AddOptions(FabricRun& run, Choice& choice)
{
    fabric::ProgramOptions& options = run.GetOptions();
    options.Add("table",
                "file of the shaping table, in JSON or CSV; worked-example for four classes: 0 "
                "with 80 Gb/s and up to 40 more, 1 with up to 20, 2 and 3 share the rest",
                choice.file);
    options.Add("load",
                "offered load, fraction of the link rate: one number for each class, or one for "
                "all",
                choice.load);
    options.Add("via",
                "which output of a switch is shaped: the one to the host that receives, or one to "
                "another switch before it",
                choice.via,
                fabric::ChoiceType({"host", "link"}));
    options.Add("frameBytes",
                "length of each frame on the link, with headers",
                choice.frameBytes,
                fabric::SizeType(64, fabric::WireBytes(fabric::MAX_PAYLOAD)));
    options.AddDuration();
    options.ReserveAttributes(
        {"ns3::FabricSwitch::LinkShapingTableFile", "ns3::FabricSwitch::HostShapingTableFile"},
        "--table");
    options.ReserveAttributes({"ns3::FabricDevice::Mtu"}, "--frameBytes");
}

/// @return numbers of an option, one for each class
std::vector<double>
ReadLoads(const std::string& text, std::size_t classes)
{
    std::vector<double> loads;
    for (const std::string& item : fabric::SplitList(text))
    {
        loads.push_back(fabric::NumberType(0, 1).Read("--load", item));
    }
    if (loads.size() == 1)
    {
        loads.resize(classes, loads[0]);
    }
    if (loads.size() != classes)
    {
        fabric::ThrowNotAllowed("--load",
                                text,
                                "one number for all classes, or " + std::to_string(classes) +
                                    " with commas, one for each class of the table");
    }
    return loads;
}

/// @return traffic class and virtual network of frames for which a class of the table counts
fabric::MessageFlow
FlowOf(const fabric::ShapingTable& table, std::size_t number)
{
    const fabric::FlowRule& rule = table.classes[number].rule;
    for (uint32_t frames = 0; frames < fabric::TRAFFIC_CLASSES << 16; ++frames)
    {
        fabric::FlowKey key;
        key.trafficClass = static_cast<uint8_t>(frames % fabric::TRAFFIC_CLASSES);
        key.vni = static_cast<uint16_t>(frames / fabric::TRAFFIC_CLASSES);
        std::size_t first = 0;
        while (rule.Matches(key) && first < number && !table.classes[first].rule.Matches(key))
        {
            ++first;
        }
        if (rule.Matches(key) && first == number)
        {
            fabric::MessageFlow flow;
            flow.trafficClass = key.trafficClass;
            flow.vni = key.vni;
            return flow;
        }
    }
    throw fabric::BadInput("--table: class " + std::to_string(table.classes[number].number) +
                           " is never used, as those before it are for all of its frames; allowed "
                           "is another order");
}

/// @return time in which the link carries the frames that a run has at least
Time
LeastFramesTime(const FabricRun& run, const Choice& choice)
{
    const fabric::LinkRate rate(run.GetLinkRate().GetBitRate());
    return PicoSeconds(LEAST_FRAMES * rate.TxTime(static_cast<uint32_t>(choice.frameBytes)));
}

/// Reads the table and what belongs to it.
void
Read(const FabricRun& run, Choice& choice)
{
    const uint32_t queues =
        choice.via == "host" ? fabric::HOST_SHAPING_QUEUES : fabric::LINK_SHAPING_QUEUES;
    choice.table = fabric::ReadFileOf("--table", [&] {
        return choice.file == WORKED_EXAMPLE ? MakeWorkedExample()
                                             : fabric::ReadShapingTable(choice.file, queues);
    });
    if (choice.table.classes.empty())
    {
        throw fabric::BadInput("--table=" + choice.file +
                               " has no classes; allowed is at least one, as each is a host here");
    }
    choice.loads = ReadLoads(choice.load, choice.table.classes.size());
    const Time duration = run.GetOptions().Common().duration;
    const Time least = LeastFramesTime(run, choice);
    if (!duration.IsZero() && duration < least)
    {
        fabric::ThrowNotAllowed("--duration",
                                fabric::TimeText(duration),
                                "at least " + fabric::TimeText(least) +
                                    ", in which the link carries 100 frames");
    }
}

/// @return the duration of the run, chosen if it is not given
/// @throws fabric::BadInput if nothing would arrive after its first third
Time
ChooseDuration(FabricRun& run, const FabricContainer& fabric, const Choice& choice)
{
    fabric::ProgramOptions& options = run.GetOptions();
    const fabric::SettlingTime settling(fabric, LeastFramesTime(run, choice));
    options.SetDuration(settling.Choose(options.Common().duration, MilliSeconds(1), 3));
    settling.Require("--duration", options.Common().duration);
    return options.Common().duration;
}

/// @return what each class sends
std::vector<FabricClassTraffic::Class>
MakeClasses(const FabricRun& run, const FabricContainer& fabric, const Choice& choice)
{
    const fabric::LinkRate rate(run.GetLinkRate().GetBitRate());
    const auto frameTime =
        static_cast<double>(rate.TxTime(static_cast<uint32_t>(choice.frameBytes)));
    std::vector<FabricClassTraffic::Class> classes;
    for (uint32_t number = 0; number < choice.loads.size(); ++number)
    {
        const double load = choice.loads[number];
        fabric::MessageFlow flow = FlowOf(choice.table, number);
        flow.dst = fabric.GetDevice(fabric.hosts.GetN() - 1)->GetLocation();
        classes.push_back({number, flow, load > 0 ? frameTime / load : 0});
    }
    return classes;
}

/// Adds what each bucket has paid for, of queues that have sent anything.
void
AddPaid(fabric::Summary& summary, const fabric::Shaper& shaper)
{
    for (uint32_t queue = 0; queue < shaper.Plan().Queues(); ++queue)
    {
        const fabric::ShapingTotals totals = shaper.Totals(queue);
        const std::vector<std::string> names{"leaf", "branch", "head"};
        for (std::size_t kind = 0; kind < names.size(); ++kind)
        {
            if (totals[kind].frames != 0)
            {
                summary.Add("bytes_paid",
                            {{"queue", std::to_string(queue)}, {"bucket", names[kind]}},
                            totals[kind].bytes,
                            "B");
            }
        }
    }
}

/// Runs the program.
void
Run(FabricRun& run, const Choice& choice)
{
    const auto hosts = static_cast<uint32_t>(choice.loads.size());
    const bool isHost = choice.via == "host";
    FabricHelper& helper = run.GetHelper();
    isHost ? helper.SetHostShapingTable(choice.table) : helper.SetLinkShapingTable(choice.table);
    const auto payload = static_cast<uint32_t>(choice.frameBytes - fabric::WireBytes(0));
    const fabric::TopologyPlan plan = fabric::MakeChainPlan(
        isHost ? fabric::ChainSources{hosts} : fabric::ChainSources{hosts, 0});
    const FabricContainer& fabric = run.Install(plan, fabric::MakeShortestPathRouting(plan));
    FabricClassTraffic traffic(fabric, payload, MakeClasses(run, fabric, choice));
    Simulator::ScheduleNow([&traffic] { traffic.Start(); });
    const Time duration = ChooseDuration(run, fabric, choice);
    run.RunFor(duration);

    std::vector<uint16_t> names;
    for (const fabric::ShapingClass& one : choice.table.classes)
    {
        names.push_back(one.number);
    }
    // The first third fills queues and uses up bursts.
    traffic.AddFigures(run.GetSummary(),
                       run.GetRecorder().GetRecords(),
                       names,
                       PicoSeconds(duration.GetPicoSeconds() / 3),
                       duration,
                       run.GetLinkRate());
    AddPaid(run.GetSummary(), *fabric.GetSwitch(0)->GetChip().GetShaper(hosts));
    run.Finish();
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Choice choice;
        FabricRun run("fabric-shaping.cc",
                      "Classes of traffic share an output of a switch, which shapes it.");
        AddOptions(run, choice);
        run.Parse(argc, argv, [&] { Read(run, choice); });
        Run(run, choice);
        return fabric::EXIT_DONE;
    });
}
