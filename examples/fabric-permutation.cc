/* SPDX-License-Identifier: GPL-2.0-only */

// Every host of a fabric sends by a pattern: one message, or messages at a given load, over native
// messages, the reliable transport, programmed I/O or TCP.

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/fabric-flow-list.h"
#include "ns3/fabric-flow-traffic.h"
#include "ns3/fabric-flow-transport.h"
#include "ns3/fabric-goodput-meter.h"
#include "ns3/fabric-network-totals.h"
#include "ns3/fabric-number-text.h"
#include "ns3/fabric-option-type.h"
#include "ns3/fabric-pattern-traffic.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-seconds.h"
#include "ns3/fabric-settling-time.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// What the command line says.
struct Options
{
    FabricPattern pattern;           ///< `--pattern`, `--shift`, `--bytes`
    double load{0};                  ///< `--load`
    Time duration;                   ///< `--duration`
    Time warmUp;                     ///< `--warmUp`
    double linkErrors{0};            ///< `--linkErrors`
    fabric::FlowTransport transport; ///< What carries messages.
};

/// What is sent, where that is a list of flows, and who sends it.
struct Work
{
    fabric::FlowList list;                    ///< The messages.
    fabric::FlowTransport::Carriers carriers; ///< What carries them.
    std::optional<FabricFlowTraffic> traffic; ///< Starts them.
};

/// A message that was delivered.
struct Delivery
{
    uint32_t host;       ///< That has sent it.
    fabric::TimePs took; ///< How long it took, ps.
    fabric::TimePs at;   ///< When its last byte was there, ps.
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
    o.transport.Add(options, "ns3::FabricMessageSender::TrafficClass");
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
    o.transport.Check(run.GetOptions());
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

/// @return mean time between messages of so many bytes of a host
Time
IntervalOf(const FabricRun& run, uint64_t bytes, double load)
{
    const double rate = static_cast<double>(run.GetHostRate().GetBitRate());
    const double bits = 8.0 * static_cast<double>(bytes);
    return PicoSeconds(fabric::WholeGap(std::floor(bits / (rate * load) * 1e12)));
}

/// @return mean time between the messages of a host
Time
IntervalOf(const FabricRun& run, const Options& o)
{
    return IntervalOf(run, o.pattern.bytes, o.load);
}

/// Plans what is sent. @param work gets it where it is a list, and stays where it is
void
Plan(Work& work,
     const FabricRun& run,
     const FabricContainer& fabric,
     FabricPatternTraffic& traffic,
     const Options& o)
{
    if (o.transport.transport == "raw") // for which no list is needed
    {
        o.load > 0 ? traffic.SendEvery(IntervalOf(run, o)) : traffic.SendOnce();
        return;
    }
    work.list = o.load > 0 ? traffic.ListEvery(IntervalOf(run, o), o.warmUp + o.duration)
                           : traffic.ListOnce();
    work.carriers = o.transport.Make(run, fabric, work.list, "--pattern=" + o.pattern.name);
    work.traffic.emplace(work.carriers.Carrier(), work.list);
}

/// @return what was delivered, in this order
std::vector<Delivery>
DeliveriesOf(FabricRun& run, const Work& work)
{
    std::vector<Delivery> deliveries;
    if (work.carriers.logged)
    {
        for (const fabric::FlowTimes& times : work.carriers.logged->GetTimes())
        {
            deliveries.push_back(
                {work.list.flows[times.flow].src, times.fct, times.start + times.fct});
        }
        return deliveries;
    }
    for (const FabricMessageRecorder::Record& record : run.GetRecorder().GetRecords())
    {
        deliveries.push_back(
            {fabric::HostOf(record.message.src), record.CompletionTime(), record.deliveredAt});
    }
    return deliveries;
}

/// Adds the distribution of completion times.
void
AddTimes(fabric::Summary& summary, const std::vector<Delivery>& deliveries)
{
    std::vector<double> times;
    for (const Delivery& delivery : deliveries)
    {
        times.push_back(fabric::ToSeconds(delivery.took));
    }
    summary.AddDistribution("fct", {}, times, "s");
}

/// Every host sends its messages, until all are delivered. @return when the run ended
Time
RunOnce(FabricRun& run, const FabricPatternTraffic& traffic, const Work& work, uint64_t bytes)
{
    if (work.carriers.logged)
    {
        run.RunUntilIdle([&work] { return work.carriers.logged->GetDone(); });
        work.carriers.logged->AddRanks();
        work.carriers.logged->CheckComplete();
    }
    else
    {
        run.RunUntilDelivered(0, traffic.CountOnce());
    }
    fabric::Summary& summary = run.GetSummary();
    fabric::TimePs end = 0;
    const uint64_t ofHost = traffic.CountOnce() / traffic.Hosts();
    std::vector<uint64_t> delivered(traffic.Hosts());
    const std::vector<Delivery> deliveries = DeliveriesOf(run, work);
    for (const Delivery& delivery : deliveries)
    {
        if (++delivered[delivery.host] == ofHost)
        {
            summary.Add("host_goodput",
                        {{"host", std::to_string(delivery.host)}},
                        8.0 * static_cast<double>(bytes * ofHost) /
                            fabric::ToSeconds(delivery.took),
                        "bit/s");
        }
        end = delivery.at;
    }
    if (end > 0) // some have arrived
    {
        summary.AddTime("completion_time", {}, end);
    }
    AddTimes(summary, deliveries);
    if (end > 0)
    {
        const double bits = 8.0 * static_cast<double>(bytes * deliveries.size());
        summary.Add("goodput", {}, bits / fabric::ToSeconds(end), "bit/s");
    }
    return work.carriers.logged ? PicoSeconds(work.carriers.logged->GetEnd()) : Time();
}

/// Refuses a load with which the times that are not given would be too long to be told.
/// @param bytes of a message that count
void
RequireMessages(const FabricRun& run, uint64_t bytes, const Options& o)
{
    const Time longest = Seconds(1'000'000);
    constexpr int64_t MESSAGES = fabric::SettlingTime::MEASURED_MESSAGES;
    const double bits = 8.0 * static_cast<double>(bytes * MESSAGES);
    const double rate = static_cast<double>(run.GetHostRate().GetBitRate());
    const double least = bits / (rate * longest.GetSeconds());
    if (o.load < least && (o.warmUp.IsZero() || o.duration.IsZero()))
    {
        fabric::ThrowNotAllowed("--load",
                                fabric::NumberText(o.load),
                                "at least " + fabric::NumberText(least) + ", with which " +
                                    std::to_string(MESSAGES) + " messages of a host take " +
                                    fabric::TimeText(longest) +
                                    ", or less with both --warmUp and --duration");
    }
}

/// Chooses the times that are not given, and refuses a run in which nothing would arrive.
void
ChooseTimes(const FabricRun& run, const FabricContainer& fabric, Options& o)
{
    const Time usual = MicroSeconds(50);
    // Of a long message frames count, too.
    constexpr uint64_t MOST_BYTES = 16 * fabric::MAX_PAYLOAD;
    constexpr uint64_t MOST_COUNTED_BYTES = 256 * fabric::MAX_PAYLOAD;
    const fabric::LinkRate rate(run.GetHostRate().GetBitRate());
    const auto bytes = static_cast<uint32_t>(std::min(o.pattern.bytes, MOST_BYTES));
    const fabric::SettlingTime settling(fabric, PicoSeconds(rate.TxTime(bytes)));
    const uint64_t counted = std::min(o.pattern.bytes, MOST_COUNTED_BYTES);
    RequireMessages(run, counted, o);
    const Time interval = IntervalOf(run, counted, o.load);
    o.warmUp = settling.Choose(o.warmUp, usual, 1, interval * fabric::SettlingTime::MESSAGES);
    o.duration =
        settling.Choose(o.duration, usual, 1, interval * fabric::SettlingTime::MEASURED_MESSAGES);
    settling.Require("--warmUp and --duration", o.warmUp + o.duration);
}

/// Every host sends at a load for a time. @return when the run ended
Time
RunAtLoad(FabricRun& run, const FabricContainer& fabric, const Work& work, const Options& o)
{
    double rate = 0; // of all hosts
    fabric::GoodputMeter meter;
    for (uint32_t host = 0; host < fabric.hosts.GetN(); ++host)
    {
        meter.Add(fabric.GetDevice(host));
        rate += static_cast<double>(fabric.hostLinks[host]->GetRate().BitsPerSecond());
    }
    Simulator::Schedule(o.warmUp, [&meter] { meter.Begin(); });
    const fabric::TimePs from = o.warmUp.GetPicoSeconds();
    run.GetRecorder().SetFilter([from](const fabric::Message& m) { return m.sentAt >= from; });
    run.RunFor(o.warmUp + o.duration);
    double goodput = 0;
    if (work.carriers.logged)
    {
        work.carriers.logged->AddRanks();
        work.carriers.logged->LeaveOutBefore(from);
        goodput = 8.0 * static_cast<double>(work.carriers.logged->GetBytesSince(from)) /
                  o.duration.GetSeconds();
    }
    else
    {
        goodput = meter.Measure();
    }
    fabric::Summary& summary = run.GetSummary();
    summary.Add("goodput", {}, goodput, "bit/s");
    summary.Add("accepted_load", {}, goodput / rate, "1");
    AddTimes(summary, DeliveriesOf(run, work));
    return o.warmUp + o.duration;
}

/// Ends the program. @param end of the run
void
Finish(FabricRun& run, const Work& work, Time end)
{
    if (!work.carriers.logged)
    {
        run.Finish();
        return;
    }
    work.carriers.logged->AddFigures(run.GetSummary());
    run.Finish(work.carriers.logged->GetTotals(end.GetPicoSeconds()),
               [&work](fabric::RunDirectory& directory) {
                   work.carriers.logged->WriteMessages(directory.Open("messages.csv"));
               });
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
        o.transport.SetFabric(run);
        const FabricContainer& fabric = run.InstallTree();
        o.pattern.groupHosts = run.GetGroupHosts();
        o.pattern.rings = run.GetRings();
        FabricPatternTraffic traffic(fabric, o.pattern);
        if (o.load > 0)
        {
            ChooseTimes(run, fabric, o);
        }
        Work work;
        Plan(work, run, fabric, traffic, o);
        const Time end = o.load > 0 ? RunAtLoad(run, fabric, work, o)
                                    : RunOnce(run, traffic, work, o.pattern.bytes);
        if (o.linkErrors > 0)
        {
            AddLinkErrors(run.GetSummary(), *fabric.network);
        }
        Finish(run, work, end);
        return fabric::EXIT_DONE;
    });
}
