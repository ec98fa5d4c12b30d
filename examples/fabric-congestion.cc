/* SPDX-License-Identifier: GPL-2.0-only */

// An incast, and beside it victims: flows that share links with it, but not its destination. What
// manages congestion decides what the victims lose, and how full the fabric's buffers get.

#include "ns3/fabric-congestion-tools.h"
#include "ns3/fabric-goodput-meter.h"
#include "ns3/fabric-incast-helper.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-statistics.h"
#include "ns3/fabric-victim-helper.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

using namespace ns3;

namespace
{

/// The program's options.
struct Options
{
    uint32_t senders{64};                                      ///< Number of senders.
    uint64_t bytes{1 << 20};                                   ///< That each sends.
    Time jitter;                                               ///< Most that a sender begins late.
    VictimHelper::From victimAt{VictimHelper::From::OWN_HOST}; ///< Where victims are sent from.
    VictimHelper::To victimTo{VictimHelper::To::RECEIVER_SWITCH}; ///< Where victims are sent to.
    uint32_t victims{1};                                          ///< Number of victims.
    double victimLoad{1};             ///< That each offers, part of its link.
    Time aloneTime{MicroSeconds(50)}; ///< Time that the victims have for themselves.
};

/// The phases of a run.
enum Phase
{
    ALONE,  ///< Only the victims send.
    INCAST, ///< The incast does, too.
};

constexpr const char* PHASE_NAMES[] = {"alone", "incast"}; ///< By Phase.

/// Adds the program's options. @param options refer to the choice
void
AddOptions(fabric::ProgramOptions& options, Options& choice)
{
    options.Add("senders",
                "hosts that send to the receiver",
                choice.senders,
                fabric::CountType(1U));
    options.Add("bytes",
                "bytes sent by each sender",
                choice.bytes,
                fabric::SizeType(1, uint64_t{1} << 40));
    options.Add("jitter",
                "each sender begins at a random time up to this late",
                choice.jitter,
                fabric::TimeType(Time(0), Seconds(1)));
    options.Add(
        "victimAt",
        "victims are sent from hosts of their own, or from senders of the incast",
        choice.victimAt,
        fabric::EnumType<VictimHelper::From>({{"own-host", VictimHelper::From::OWN_HOST},
                                              {"sender-host", VictimHelper::From::SENDER_HOST}}));
    options.Add(
        "victimTo",
        "victims are sent to hosts of the receiver's switch, or to idle hosts of others",
        choice.victimTo,
        fabric::EnumType<VictimHelper::To>({{"receiver-switch", VictimHelper::To::RECEIVER_SWITCH},
                                            {"elsewhere", VictimHelper::To::ELSEWHERE}}));
    options.Add("victims", "flows beside the incast", choice.victims, fabric::CountType(1U));
    options.Add("victimLoad",
                "what each victim offers, as a fraction of its link; at 1 it sends messages of 64 "
                "KiB, below single frames",
                choice.victimLoad,
                fabric::NumberType(0.001, 1));
    options.Add("aloneTime",
                "time for which the victims send alone before the incast",
                choice.aloneTime,
                fabric::TimeType(MicroSeconds(1), Seconds(1)));
    options.ReserveAttributes({"ns3::Application::StartTime"}, "--aloneTime and --jitter");
}

/// Adds the most that any switch of each tier held, of the receiver's switch apart.
void
AddPeakBuffers(fabric::Summary& summary, const FabricContainer& fabric)
{
    const FabricSwitch* const receiver = fabric.GetDevice(IncastHelper::RECEIVER)->GetSwitch();
    std::map<std::string, uint64_t> peaks;
    for (uint32_t i = 0; i < fabric.tiers.size(); ++i)
    {
        const Ptr<FabricSwitch> one = fabric.GetSwitch(i);
        const bool isReceiver = PeekPointer(one) == receiver;
        uint64_t& peak = peaks[isReceiver ? "receiver" : fabric::NameOf(fabric.tiers[i])];
        peak = std::max(peak, one->GetChip().Counts().peakHeldBytes);
    }
    uint64_t all = 0;
    for (const auto& [tier, bytes] : peaks)
    {
        summary.Add("peak_buffer", {{"tier", tier}}, bytes, "B");
        all = tier == "receiver" ? all : std::max(all, bytes);
    }
    summary.Add("peak_fabric_buffer", {}, all, "B");
}

/// Adds what control frames hosts were sent.
void
AddControlFrames(fabric::Summary& summary, const FabricContainer& fabric)
{
    uint64_t pauses = 0;
    uint64_t restraints = 0;
    for (uint32_t i = 0; i < fabric.tiers.size(); ++i)
    {
        const fabric::SwitchChip& chip = fabric.GetSwitch(i)->GetChip();
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            pauses += chip.Output(port).Counts().pauses;
            restraints += chip.FgfcFramesTo(port);
        }
    }
    summary.Add("pause_frames", {}, pauses, "1");
    summary.Add("fgfc_frames", {}, restraints, "1");
}

/// Adds what victims' messages that were sent in a phase took, and how the incast has changed it.
void
AddLatencies(fabric::Summary& summary, const FabricMessageRecorder& recorder, Time start)
{
    std::vector<double> latencies[2]; // by phase
    for (const FabricMessageRecorder::Record& record : recorder.GetRecords())
    {
        if (record.message.tag == VictimHelper::TAG)
        {
            const Phase phase = record.message.sentAt < start.GetPicoSeconds() ? ALONE : INCAST;
            latencies[phase].push_back(fabric::ToSeconds(record.CompletionTime()));
        }
    }
    for (const Phase phase : {ALONE, INCAST})
    {
        summary.AddDistribution("victim_latency",
                                {{"phase", PHASE_NAMES[phase]}},
                                latencies[phase],
                                "s");
        std::sort(latencies[phase].begin(), latencies[phase].end());
    }
    if (!latencies[ALONE].empty() && !latencies[INCAST].empty())
    {
        for (const auto& [name, permille] : {std::pair{"p50", 500U}, {"p99", 990U}})
        {
            const double impact = fabric::NearestRank(latencies[INCAST], permille) /
                                  fabric::NearestRank(latencies[ALONE], permille);
            summary.Add("impact", {{"test", "latency"}, {"stat", name}}, impact, "1");
        }
    }
}

/// @return victims beside an incast
/// @throw fabric::BadInput if there are not hosts enough
VictimHelper
PlaceVictims(const FabricContainer& fabric, const IncastHelper& incast, const Options& choice)
{
    try
    {
        return VictimHelper(fabric,
                            IncastHelper::RECEIVER,
                            incast.GetSenders(fabric),
                            choice.victimAt,
                            choice.victimTo,
                            choice.victims);
    }
    catch (const std::invalid_argument& error)
    {
        throw fabric::BadInput(std::string("--senders, --victims: ") + error.what());
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Options choice;
        FabricRun run("fabric-congestion.cc",
                      "An incast and victims beside it, with one tool of congestion management or "
                      "several.");
        run.AddTreeOptions();
        AddOptions(run.GetOptions(), choice);
        fabric::CongestionTools tools;
        tools.AddTo(run.GetOptions());
        run.Parse(argc, argv);
        tools.SetAttributes(run.GetOptions(), run.HasFlowChannels());
        const FabricContainer& fabric = run.InstallTree();

        IncastHelper incast(choice.senders, choice.bytes);
        incast.SetStart(choice.aloneTime, choice.jitter);
        incast.SetStream(1);
        const VictimHelper victims = PlaceVictims(fabric, incast, choice);
        const bool isGreedy = choice.victimLoad == 1;
        const uint64_t frames = isGreedy ? 16 : 1;
        const fabric::LinkRate rate(run.GetLinkRate().GetBitRate());
        const auto frame =
            static_cast<double>(rate.TxTime(fabric::WireBytes(fabric::MAX_PAYLOAD)) * frames);
        victims.Install(frames * fabric::MAX_PAYLOAD,
                        PicoSeconds(static_cast<int64_t>(frame / choice.victimLoad)));
        incast.Install(fabric);

        fabric::Summary& summary = run.GetSummary();
        fabric::GoodputMeter receiver;
        receiver.Add(fabric.GetDevice(IncastHelper::RECEIVER));
        fabric::GoodputMeter victim;
        for (const auto& [from, to] : victims.GetVictims())
        {
            victim.Add(fabric.GetDevice(to));
        }
        double goodputs[2] = {}; // by phase
        // The first half of its time alone fills the pipe.
        Simulator::Schedule(choice.aloneTime / 2, &fabric::GoodputMeter::Begin, &victim);
        Simulator::Schedule(choice.aloneTime, [&] {
            goodputs[ALONE] = victim.Measure();
            victim.Begin();
            receiver.Begin();
        });
        double received = 0;
        run.RunUntilDelivered(IncastHelper::INCAST_TAG, choice.senders, [&] {
            goodputs[INCAST] = victim.Measure();
            received = receiver.Measure();
            fabric.network->StopAt(Simulator::Now()); // the victims would go on
        });

        for (const Phase phase : {ALONE, INCAST})
        {
            summary.Add("victim_goodput",
                        {{"phase", PHASE_NAMES[phase]}},
                        goodputs[phase] / choice.victims,
                        "bit/s");
        }
        summary.Add("impact", {{"test", "goodput"}}, goodputs[ALONE] / goodputs[INCAST], "1");
        AddLatencies(summary, run.GetRecorder(), choice.aloneTime);
        summary.Add("goodput", {}, received, "bit/s");
        AddPeakBuffers(summary, fabric);
        AddControlFrames(summary, fabric);
        run.Finish();
        return fabric::EXIT_DONE;
    });
}
