/* SPDX-License-Identifier: GPL-2.0-only */

// Every host of a fabric sends by a pattern: one message, or messages at a given load.

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/fabric-goodput-meter.h"
#include "ns3/fabric-network-totals.h"
#include "ns3/fabric-pattern-traffic.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-settling-time.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <vector>

using namespace ns3;

namespace
{

/// What the command line says.
struct Options
{
    FabricPattern pattern; ///< `--pattern`, `--shift`, `--bytes`
    double load{0};        ///< `--load`
    Time duration;         ///< `--duration`
    Time warmUp;           ///< `--warmUp`
    double linkErrors{0};  ///< `--linkErrors`
};

/// Adds the program's own options.
void
AddOptions(FabricRun& run, Options& o)
{
    run.AddTreeOptions();
    fabric::ProgramOptions& options = run.GetOptions();
    options.AddRanks();
    options.Add("bytes",
                "bytes of each message",
                o.pattern.bytes,
                fabric::SizeType(1, uint64_t{1} << 40));
    options.Add("pattern",
                "who sends to whom",
                o.pattern.name,
                fabric::ChoiceType(FabricPattern::Names()));
    options.Add("shift",
                "distance from each host to its receiver, 0 for half the hosts",
                o.pattern.shift,
                fabric::CountType(uint64_t{0}, uint64_t{fabric::MAX_HOSTS}));
    options.Add("load",
                "part of the link rate at which each host sends messages, at random times; 0 for "
                "one message at the start",
                o.load,
                fabric::NumberType(0, 1));
    options.Add("warmUp",
                "time before what is measured with --load, 0 for long enough",
                o.warmUp,
                fabric::TimeType(Time(0), Seconds(1)));
    options.Add("duration",
                "time that is measured with --load, 0 for long enough",
                o.duration,
                fabric::TimeType(Time(0), Seconds(1)));
    options.Add("linkErrors",
                "fraction of frames that a link damages and sends again, each way",
                o.linkErrors,
                fabric::NumberType(0, 0.5));
    options.ReserveAttributes({"ns3::FabricChannel::Retry"}, "--linkErrors");
}

/// Refuses options without effect.
void
CheckOptions(const FabricRun& run, const Options& o)
{
    if (o.load == 0)
    {
        run.GetOptions().RefuseGiven({"warmUp", "duration"}, "--load above 0");
    }
    else if (o.pattern.name == "all-to-all")
    {
        run.GetOptions().RefuseGiven({"load"}, "another --pattern");
    }
    if (o.pattern.name != "shift")
    {
        run.GetOptions().RefuseGiven({"shift"}, "--pattern=shift");
    }
}

/// Links damage frames and repeat them.
void
SetLinkErrors(FabricRun& run, double rate)
{
    ObjectFactory errors("ns3::RateErrorModel");
    errors.Set("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
    errors.Set("ErrorRate", DoubleValue(rate));
    run.GetHelper().SetErrorModel(errors);
    run.GetHelper().SetChannelAttribute("Retry", BooleanValue(true));
}

/// Every host sends its messages, until all are delivered.
void
RunOnce(FabricRun& run, FabricPatternTraffic& traffic, uint64_t bytes)
{
    traffic.SendOnce();
    run.RunUntilDelivered(0, traffic.CountOnce());
    fabric::Summary& summary = run.GetSummary();
    fabric::TimePs end = 0;
    const uint64_t ofHost = traffic.CountOnce() / traffic.Hosts();
    std::vector<uint64_t> delivered(traffic.Hosts());
    for (const FabricMessageRecorder::Record& record : run.GetRecorder().GetRecords())
    {
        const double seconds = fabric::ToSeconds(record.CompletionTime());
        const uint32_t host = fabric::HostOf(record.message.src);
        if (++delivered[host] == ofHost)
        {
            summary.Add("host_goodput",
                        {{"host", std::to_string(host)}},
                        8.0 * static_cast<double>(bytes * ofHost) / seconds,
                        "bit/s");
        }
        end = record.deliveredAt;
    }
    summary.AddTime("completion_time", {}, end);
    summary.AddDistribution("fct", {}, run.GetCompletionTimes(0), "s");
    const double bits = 8.0 * static_cast<double>(bytes * traffic.CountOnce());
    summary.Add("goodput", {}, bits / fabric::ToSeconds(end), "bit/s");
}

/// Chooses the times that are not given, and refuses a run in which nothing would arrive.
void
ChooseTimes(const FabricRun& run, const FabricContainer& fabric, Options& o)
{
    const Time usual = MicroSeconds(50);
    // Of a long message frames count, too.
    constexpr uint64_t MOST_BYTES = 16 * fabric::MAX_PAYLOAD;
    const fabric::LinkRate rate(run.GetHostRate().GetBitRate());
    const auto bytes = static_cast<uint32_t>(std::min(o.pattern.bytes, MOST_BYTES));
    const fabric::SettlingTime settling(fabric, PicoSeconds(rate.TxTime(bytes)));
    o.warmUp = settling.Choose(o.warmUp, usual);
    o.duration = settling.Choose(o.duration, usual);
    settling.Require("--warmUp and --duration", o.warmUp + o.duration);
}

/// Every host sends at a load for a time.
void
RunAtLoad(FabricRun& run,
          const FabricContainer& fabric,
          FabricPatternTraffic& traffic,
          const Options& o)
{
    const double rate = static_cast<double>(run.GetHostRate().GetBitRate());
    const double bits = 8.0 * static_cast<double>(o.pattern.bytes);
    traffic.SendEvery(PicoSeconds(static_cast<int64_t>(bits / (rate * o.load) * 1e12)));
    fabric::GoodputMeter meter;
    for (uint32_t host = 0; host < fabric.hosts.GetN(); ++host)
    {
        meter.Add(fabric.GetDevice(host));
    }
    Simulator::Schedule(o.warmUp, [&meter] { meter.Begin(); });
    const fabric::TimePs from = o.warmUp.GetPicoSeconds();
    run.GetRecorder().SetFilter([from](const fabric::Message& m) { return m.sentAt >= from; });
    run.RunFor(o.warmUp + o.duration);
    fabric::Summary& summary = run.GetSummary();
    const double goodput = meter.Measure();
    summary.Add("goodput", {}, goodput, "bit/s");
    summary.Add("accepted_load", {}, goodput / (rate * fabric.hosts.GetN()), "1");
    summary.AddDistribution("fct", {}, run.GetCompletionTimes(0), "s");
}

/// What links have repeated.
void
AddLinkErrors(fabric::Summary& summary, const FabricNetwork& network)
{
    const fabric::ErrorCounts errors = fabric::LinkErrorsOf(network);
    summary.Add("link_repeats", {}, errors.repeats, "1");
    summary.Add("link_repeated_bytes", {}, errors.repeatedBytes, "B");
    summary.Add("link_timeouts", {}, errors.timeouts, "1");
    summary.Add("link_given_up", {}, errors.givenUp, "1");
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Options o;
        FabricRun run("fabric-permutation.cc", "Each host of a fabric sends by a pattern.");
        AddOptions(run, o);
        run.Parse(argc, argv, [&] { CheckOptions(run, o); });
        if (o.linkErrors > 0)
        {
            SetLinkErrors(run, o.linkErrors);
        }
        const FabricContainer& fabric = run.InstallTree();
        o.pattern.groupHosts = run.GetGroupHosts();
        o.pattern.rings = run.GetRings();
        FabricPatternTraffic traffic(fabric, o.pattern);
        if (o.load > 0)
        {
            ChooseTimes(run, fabric, o);
            RunAtLoad(run, fabric, traffic, o);
        }
        else
        {
            RunOnce(run, traffic, o.pattern.bytes);
        }
        if (o.linkErrors > 0)
        {
            AddLinkErrors(run.GetSummary(), *fabric.network);
        }
        run.Finish();
        return fabric::EXIT_DONE;
    });
}
