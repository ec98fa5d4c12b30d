/* SPDX-License-Identifier: GPL-2.0-only */

// Applications share a host. One has few flows, another many, and what the host may have in the
// fabric is limited: by flows the one with many gets most of it, by application groups each gets
// its share (IF-10). Then one stops, and the others take over.

#include "ns3/fabric-application-traffic.h"
#include "ns3/fabric-ideal-paths.h"
#include "ns3/fabric-option-type.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-settling-time.h"
#include "ns3/fabric-switch.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The application that stops.
constexpr uint32_t WHO_STOPS = 1;

/// What is measured after that is at least one part of so many of the run.
constexpr int64_t LEAST_PART = 10;

/// Input buffers of switches, unless an option says other, or flows need more.
constexpr uint64_t BUFFER_BYTES = 2 * 1024 * 1024;

/// What the options say.
struct Choice
{
    std::vector<uint64_t> flows{1, 200}; ///< `--flows`
    std::vector<uint64_t> ratio{1, 1};   ///< `--ratio`
    bool grouping{true};                 ///< `--grouping`
    uint64_t limit{32 * 1024};           ///< `--limit`, bytes
    Time stop;                           ///< `--stop`
};

/// Adds the options of the program.
void
AddOptions(FabricRun& run, Choice& choice)
{
    run.AddTreeOptions();
    fabric::ProgramOptions& options = run.GetOptions();
    options.Add("flows",
                "flows of each application of host 0",
                choice.flows,
                fabric::CountsType(2, fabric::INJECTION_LIMITS, 1, 1000));
    options.Add("ratio",
                "how the applications share what the host may have in the fabric",
                choice.ratio,
                fabric::CountsType(2, fabric::INJECTION_LIMITS, 1, 1000));
    options.Add("grouping",
                "whether each application is a group with an injection limit of its own; without, "
                "flows have turns",
                choice.grouping);
    options.Add("limit",
                "bytes that the host may have in the fabric",
                choice.limit,
                fabric::SizeType(fabric::DATA_FLOW_UNIT, uint64_t{1} << 30));
    options.Add("stop",
                "when the second application stops, 0 for late enough; the others go on to the end",
                choice.stop,
                fabric::TimeType(Time(0), Seconds(1)));
    options.AddDuration();
    options.ReserveAttributes({"ns3::FabricSwitch::PortLimit"}, "--limit");
    options.ReserveAttributes({"ns3::FabricSwitch::AppGroups",
                               "ns3::FabricSwitch::GroupLimitIds",
                               "ns3::FabricSwitch::LimitRatios"},
                              "--grouping");
}

/// @return the least limit of which each application has a frame, in units
uint64_t
LeastLimit(const Choice& choice)
{
    const uint64_t frame = fabric::FlowUnits(FabricApplicationTraffic::MessageBytes());
    const uint64_t sum = std::accumulate(choice.ratio.begin(), choice.ratio.end(), uint64_t{0});
    const uint64_t smallest = *std::min_element(choice.ratio.begin(), choice.ratio.end());
    return (frame * sum + smallest - 1) / smallest;
}

/// Refuses a limit of which an application would have less than a frame: each has one at least, so
/// the ratio would not hold.
void
CheckShares(const Choice& choice)
{
    const uint64_t least = LeastLimit(choice);
    if (choice.limit / fabric::DATA_FLOW_UNIT < least)
    {
        fabric::ThrowNotAllowed("--limit",
                                std::to_string(choice.limit),
                                "at least " + std::to_string(least * fabric::DATA_FLOW_UNIT) +
                                    ", of which the application with the smallest part of --ratio "
                                    "has a frame");
    }
}

/// Refuses options without effect, or that don't fit together.
void
CheckOptions(const FabricRun& run, const Choice& choice)
{
    const fabric::ProgramOptions& options = run.GetOptions();
    if (!choice.grouping)
    {
        options.RefuseGiven({"ratio"}, "--grouping=true");
    }
    else if (choice.ratio.size() != choice.flows.size())
    {
        throw fabric::BadInput("--ratio has " + std::to_string(choice.ratio.size()) +
                               " numbers; allowed are " + std::to_string(choice.flows.size()) +
                               ", as in --flows");
    }
    else
    {
        CheckShares(choice);
    }
}

/// @return wire bytes of so many messages, each a frame
uint64_t
WireBytesOf(uint64_t messages)
{
    return messages * fabric::WireBytes(FabricApplicationTraffic::MessageBytes());
}

/// @return number of flows of all applications
uint64_t
FlowsOf(const Choice& choice)
{
    return std::accumulate(choice.flows.begin(), choice.flows.end(), uint64_t{0});
}

/// @return bytes of two frames of each flow: one that waits for its turn, and the next
uint64_t
LeastBufferBytes(const Choice& choice)
{
    return 2 * WireBytesOf(FlowsOf(choice));
}

/// @return time in which a host's full frame is acknowledged at its switch, for the nearest
/// receiver
Time
ShortestRoundTrip(const FabricContainer& fabric)
{
    const FabricIdealPaths paths(fabric.network);
    const uint32_t hosts = fabric.hosts.GetN();
    Time shortest = Time::Max();
    for (uint32_t host = hosts / 2; host < hosts; ++host)
    {
        TimeValue delay;
        fabric.hostLinks[host]->GetAttribute("Delay", delay);
        const Time way = paths.RoundTrip(fabric::LocationOf(0), fabric::LocationOf(host));
        // Its last switch acknowledges it, whatever the way from there to the receiver is.
        shortest = std::min(shortest, way - delay.Get());
    }
    return shortest;
}

/// Refuses a limit that would hold nobody back. @param roundTrip the shortest, at switches
void
CheckLimit(Time roundTrip, DataRate rate, const Choice& choice)
{
    // Frames are acknowledged before they have arrived as a whole, and above this part of a round
    // trip the limit is reached now and then only.
    constexpr double LIMITED_PART = 0.35;
    const double carried = static_cast<double>(rate.GetBitRate()) / 8 * roundTrip.GetSeconds();
    const auto most = static_cast<uint64_t>(carried * LIMITED_PART) / fabric::DATA_FLOW_UNIT;
    const std::string sent = "which the host sends in 0.35 of the shortest round trip";
    if (most < LeastLimit(choice))
    {
        throw fabric::BadInput("the way from host 0 to its nearest receiver is too short for a "
                               "limit: of at most " +
                               std::to_string(most * fabric::DATA_FLOW_UNIT) + " bytes, " + sent +
                               ", each application would have less than a frame; allowed are "
                               "longer links between switches, or more switches on the way");
    }
    if (choice.limit / fabric::DATA_FLOW_UNIT > most)
    {
        fabric::ThrowNotAllowed("--limit",
                                std::to_string(choice.limit),
                                "at most " + std::to_string(most * fabric::DATA_FLOW_UNIT) + ", " +
                                    sent + "; with more it would not be held back");
    }
}

/// Refuses memory of the host's switch that can't hold what flows need there. @param name of it
void
CheckMemory(const std::string& name, uint64_t bytes, uint64_t needed)
{
    if (bytes < needed)
    {
        fabric::ThrowNotAllowed("--ns3::FabricSwitch::" + name,
                                std::to_string(bytes),
                                "at least " + std::to_string(needed) +
                                    ", so that each flow has frames at the host's switch");
    }
}

/// @return bytes that flows have at the host's switch before hop credits or their end hold them
/// back
uint64_t
UnpausedBytes(const fabric::SwitchConfig& config, const Choice& choice)
{
    const uint64_t target = uint64_t{config.congestion.watermarks.target} * fabric::DATA_FLOW_UNIT;
    uint64_t bytes = 0;
    for (const uint64_t flows : choice.flows)
    {
        const uint64_t each = FabricApplicationTraffic::MessagesUnderWay(flows) / flows;
        bytes += flows * std::min(WireBytesOf(each), target);
    }
    return bytes;
}

/// Refuses switches that would leave flows waiting in the host, which knows nothing of groups.
void
CheckSwitch(const fabric::SwitchConfig& config, const Choice& choice)
{
    if (!config.flowChannels.HasChannel(0))
    {
        fabric::ThrowNotAllowed("--ns3::FabricSwitch::NoFlowClasses",
                                std::to_string(config.flowChannels.noFlowClasses),
                                "a mask without 1, as the applications send by class 0");
    }
    CheckMemory("BufferBytes", config.buffer.shares.totalBytes, LeastBufferBytes(choice));
    if (config.hostControl.edgeFlowControl != fabric::LINK_CREDITS)
    {
        CheckMemory("PauseXoffBytes",
                    config.hostControl.pause.thresholds.xoffBytes,
                    UnpausedBytes(config, choice));
    }
}

/**
 * Chooses the times that are not given: frames of all flows have to get through before shares are
 * those of the limit.
 *
 * @param roundTrip the shortest, at switches
 */
void
ChooseTimes(FabricRun& run, const FabricContainer& fabric, Time roundTrip, Choice& choice)
{
    fabric::ProgramOptions& options = run.GetOptions();
    const auto rate = static_cast<double>(run.GetHostRate().GetBitRate()) / 8;
    const fabric::SettlingTime settling(fabric,
                                        Seconds(static_cast<double>(WireBytesOf(1)) / rate));
    const double limited = static_cast<double>(choice.limit) / roundTrip.GetSeconds();
    const auto timeOf = [rate = std::min(rate, limited)](uint64_t bytes) {
        return Seconds(static_cast<double>(bytes) / rate);
    };
    choice.stop =
        settling.Choose(choice.stop, MicroSeconds(400), 3, timeOf(LeastBufferBytes(choice)) * 2);
    settling.Require("--stop", choice.stop);
    if (options.Common().duration.IsZero())
    {
        // What the second application has under way then goes by its share of the limit.
        const uint64_t left =
            WireBytesOf(FabricApplicationTraffic::MessagesUnderWay(choice.flows[WHO_STOPS])) *
            choice.flows.size();
        options.SetDuration(std::max({settling.AtHostRate(MilliSeconds(2)),
                                      choice.stop * 5,
                                      choice.stop + timeOf(left) * 3}));
    }
    if (choice.stop >= options.Common().duration)
    {
        fabric::ThrowNotAllowed("--stop",
                                fabric::TimeText(choice.stop),
                                "less than --duration (" +
                                    fabric::TimeText(options.Common().duration) + ")");
    }
}

/// @return numbers as attributes take them
std::string
Joined(const std::vector<uint64_t>& numbers)
{
    std::string text;
    for (const uint64_t number : numbers)
    {
        text += (text.empty() ? "" : ",") + std::to_string(number);
    }
    return text;
}

/// Switches limit what a host has in the fabric; with groups each application has its share.
void
SetLimits(const fabric::ProgramOptions& options, FabricHelper& helper, const Choice& choice)
{
    helper.SetSwitchAttribute("PortLimit", UintegerValue(choice.limit / fabric::DATA_FLOW_UNIT));
    if (!options.IsGiven("ns3::FabricSwitch::BufferBytes"))
    {
        // Of each flow a frame waits at the host's switch, or more; else flows wait in the host,
        // which knows nothing of groups.
        helper.SetSwitchAttribute("BufferBytes",
                                  UintegerValue(std::max(BUFFER_BYTES, LeastBufferBytes(choice))));
    }
    if (!choice.grouping)
    {
        return;
    }
    std::string limitIds;
    for (uint32_t app = 0; app < choice.flows.size(); ++app)
    {
        const uint32_t group = FabricApplicationTraffic::VniOf(app);
        limitIds += (app == 0 ? "" : ",") + std::to_string(group) + ":" + std::to_string(app);
    }
    helper.SetSwitchAttribute("AppGroups", StringValue("0:0:4")); // the VNI
    helper.SetSwitchAttribute("GroupLimitIds", StringValue(limitIds));
    helper.SetSwitchAttribute("LimitRatios", StringValue(Joined(choice.ratio)));
}

/// What was delivered of each application.
class Shares
{
  public:
    Shares(const std::vector<FabricApplicationTraffic::Delivery>& deliveries, std::size_t apps)
        : m_deliveries(deliveries),
          m_apps(apps)
    {
    }

    /// @return bytes of each application between two times
    std::vector<double> Bytes(Time from, Time to) const
    {
        std::vector<double> bytes(m_apps, 0);
        for (const FabricApplicationTraffic::Delivery& delivery : m_deliveries)
        {
            if (delivery.at > from && delivery.at <= to)
            {
                bytes[delivery.application] += FabricApplicationTraffic::MessageBytes();
            }
        }
        return bytes;
    }

    /// @return bytes of all applications between two times
    double Total(Time from, Time to) const
    {
        const std::vector<double> bytes = Bytes(from, to);
        return std::accumulate(bytes.begin(), bytes.end(), 0.0);
    }

    /// @return when the last message of an application was delivered
    Time LastOf(uint32_t app) const
    {
        Time last;
        for (const FabricApplicationTraffic::Delivery& delivery : m_deliveries)
        {
            last = delivery.application == app ? delivery.at : last;
        }
        return last;
    }

    /// Adds share and goodput of each application in a phase.
    void Add(fabric::Summary& summary, const std::string& phase, Time from, Time to) const
    {
        const std::vector<double> bytes = Bytes(from, to);
        const double all = Total(from, to);
        for (std::size_t app = 0; app < m_apps; ++app)
        {
            const fabric::Summary::Subject keys{{"app", std::to_string(app)}, {"phase", phase}};
            summary.Add("share", keys, all == 0 ? 0 : bytes[app] / all, "1");
            summary.Add("goodput", keys, bytes[app] * 8 / (to - from).GetSeconds(), "bit/s");
        }
    }

  private:
    const std::vector<FabricApplicationTraffic::Delivery>& m_deliveries; ///< In order of time.
    std::size_t m_apps;                                                  ///< How many.
};

/**
 * @param from when the last message of the one that has stopped was delivered
 * @return time that the others have lost from then on, until they had all that it left
 */
Time
TakeoverTime(const Shares& shares, Time from, Time end)
{
    const Time half = from + (end - from) / 2;
    const double rate = shares.Total(half, end) / (end - half).GetSeconds();
    const double lost = (end - from).GetSeconds() - shares.Total(from, end) / rate;
    return rate == 0 ? Time(0) : Seconds(std::max(lost, 0.0)); // a message more makes it negative
}

/// Runs the program.
void
Run(FabricRun& run, Choice& choice)
{
    SetLimits(run.GetOptions(), run.GetHelper(), choice);
    const FabricContainer& fabric = run.InstallTree();
    if (fabric.hosts.GetN() < 2)
    {
        throw fabric::BadInput("the fabric has one host, which has nobody to send to; allowed are "
                               "two or more");
    }
    const Time roundTrip = ShortestRoundTrip(fabric);
    if (choice.grouping)
    {
        CheckSwitch(fabric.GetSwitch(0)->GetChip().Config(), choice);
        CheckLimit(roundTrip, run.GetHostRate(), choice);
    }
    ChooseTimes(run, fabric, roundTrip, choice);
    FabricApplicationTraffic traffic(fabric, 0, choice.flows);
    Simulator::ScheduleNow([&] { traffic.Start(); });
    Simulator::Schedule(choice.stop, [&] { traffic.Stop(WHO_STOPS); });
    const Time duration = run.GetOptions().Common().duration;
    run.RunFor(duration);

    const Shares shares(traffic.GetDeliveries(), choice.flows.size());
    const Time last = shares.LastOf(WHO_STOPS);
    if (last + duration / LEAST_PART > duration)
    {
        throw fabric::BadInput(
            "--duration=" + fabric::TimeText(duration) +
            ": the last message of the second application comes in the last tenth of that, or "
            "later; allowed is a longer time");
    }
    // The first third fills the buffers.
    shares.Add(run.GetSummary(), "shared", choice.stop / 3, choice.stop);
    shares.Add(run.GetSummary(), "after", last, duration);
    run.GetSummary().Add("takeover_time",
                         {},
                         TakeoverTime(shares, last, duration).GetSeconds(),
                         "s");
    run.Finish();
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Choice choice;
        FabricRun run("fabric-ingress-fairness.cc",
                      "Applications with few and many flows share a host.");
        AddOptions(run, choice);
        run.Parse(argc, argv, [&] { CheckOptions(run, choice); });
        Run(run, choice);
        return fabric::EXIT_DONE;
    });
}
