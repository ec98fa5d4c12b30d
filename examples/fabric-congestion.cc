/* SPDX-License-Identifier: GPL-2.0-only */

// An incast, and beside it victims: flows that share links with it, but not its destination. What
// manages congestion decides what the victims lose, and how full the fabric's buffers get.

#include "ns3/fabric-baseline-options.h"
#include "ns3/fabric-buffer-timeline.h"
#include "ns3/fabric-congestion-tools.h"
#include "ns3/fabric-goodput-meter.h"
#include "ns3/fabric-ideal-paths.h"
#include "ns3/fabric-incast-helper.h"
#include "ns3/fabric-incast-options.h"
#include "ns3/fabric-incast-traffic.h"
#include "ns3/fabric-network-totals.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-rank-link.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-statistics.h"
#include "ns3/fabric-victim-helper.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The program's options.
struct Options
{
    fabric::IncastOptions incast;                                 ///< Of the incast.
    VictimHelper::From victimAt{VictimHelper::From::OWN_HOST};    ///< Where victims are sent from.
    VictimHelper::To victimTo{VictimHelper::To::RECEIVER_SWITCH}; ///< Where victims are sent to.
    uint32_t victims{1};                                          ///< Number of victims.
    double victimLoad{1};             ///< That each offers, part of its link.
    Time duration;                    ///< Of the run; 0 for until the incast is over.
    fabric::CongestionTools tools;    ///< Of the switches.
    fabric::BaselineOptions baseline; ///< Kind of network.
};

/// Samples of the time line of buffers in a round trip of the fabric.
constexpr int64_t SAMPLES_IN_ROUND_TRIP = 4;

/// Part of what all senders send in a round trip: with no more on its way an incast is contained.
constexpr double CONTAINED_PART = 0.5;

/// So many senders at least are counted for it: a few fill their links with what that leaves.
constexpr uint32_t FEWEST_SENDERS = 8;

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
    options.AddRanks();
    choice.incast.AddIncast(options);
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
    choice.incast.AddAloneTime(options, "the victims send");
    options.Add("duration",
                "simulated time after which the run ends, 0 for when the incast is over",
                choice.duration,
                fabric::TimeType(Time(0), Seconds(1000)));
    choice.tools.AddTo(options);
    choice.baseline.AddTo(options);
}

/// Refuses what a kind of network can't do.
void
CheckOptions(const fabric::ProgramOptions& options, const Options& choice)
{
    choice.baseline.Check(options);
    constexpr uint64_t MOST = fabric::TransportIncastTraffic::MOST_BYTES;
    if (choice.baseline.UsesTransport() && choice.incast.bytes > MOST)
    {
        fabric::ThrowNotAllowed("--bytes",
                                std::to_string(choice.incast.bytes),
                                "at most " + std::to_string(MOST) +
                                    " with --fabric=int, ecn, drop and trim");
    }
    if (choice.baseline.UsesTransport())
    {
        options.RefuseGiven({"duration"}, "--fabric=lossless or pfc");
        if (options.Common().mpi) // which needs a duration
        {
            options.RefuseGiven({"mpi"}, "--fabric=lossless or pfc");
        }
    }
    if (options.Common().mpi && choice.duration.IsZero())
    {
        fabric::ThrowNotAllowed("--duration",
                                fabric::TimeText(choice.duration),
                                "a time with --mpi, since the end of the incast ends the victims, "
                                "and other ranks are ahead of it then");
    }
}

/// Chooses how long victims are alone, and refuses a run that ends before the incast is measured.
void
ChooseTimes(const FabricContainer& fabric, Time victimInterval, Options& choice)
{
    // Single frames are twice as many at least, since fewer of them come by chance.
    const int64_t messages = choice.victimLoad == 1 ? 1 : 2;
    const fabric::SettlingTime settling(fabric,
                                        victimInterval * messages,
                                        choice.baseline.UsesTransport());
    choice.incast.ChooseAloneTime(settling);
    if (!choice.duration.IsZero() && choice.duration <= choice.incast.aloneTime)
    {
        fabric::ThrowNotAllowed("--duration",
                                fabric::TimeText(choice.duration),
                                "0, or more than --aloneTime (" +
                                    fabric::TimeText(choice.incast.aloneTime) + ")");
    }
}

/// @return the most that any input buffer of a switch held, bytes
uint64_t
PeakOfPorts(const fabric::SwitchChip& chip)
{
    uint64_t peak = 0;
    for (uint32_t port = 0; port < chip.Config().ports; ++port)
    {
        peak = std::max<uint64_t>(peak, chip.PeakHeldBytes(port));
    }
    return peak;
}

/// Adds the most that any switch of each tier held, of the receiver's switch apart, and any of its
/// input buffers.
void
AddPeakBuffers(fabric::Summary& summary,
               const FabricContainer& fabric,
               const FabricBufferTimeline& timeline)
{
    std::map<std::string, uint64_t> peaks;
    std::map<std::string, uint64_t> portPeaks;
    uint64_t all = 0;
    for (uint32_t i = 0; i < fabric.tiers.size(); ++i)
    {
        const std::string tier = timeline.TierOf(i);
        const fabric::SwitchChip& chip = fabric.GetSwitch(i)->GetChip();
        const uint64_t bytes = chip.Counts().peakHeldBytes;
        peaks[tier] = std::max(peaks[tier], bytes);
        portPeaks[tier] = std::max(portPeaks[tier], PeakOfPorts(chip));
        all = tier == FabricBufferTimeline::RECEIVER ? all : std::max(all, bytes);
    }
    const auto add =
        [&summary](const char* metric, const fabric::Summary::Subject& subject, uint64_t bytes) {
            summary.Add(metric, subject, fabric::MostOfRanks({bytes}).front(), "B");
        };
    for (const auto& [tier, bytes] : peaks)
    {
        add("peak_buffer", {{"tier", tier}}, bytes);
    }
    add("peak_fabric_buffer", {}, all);
    for (const auto& [tier, bytes] : portPeaks)
    {
        add("peak_port_buffer", {{"tier", tier}}, bytes);
    }
}

/// Adds how long the buffers outside of the receiver's switch have held more of the incast than a
/// part of what nothing can hold back: what senders send before they can know of each other.
void
AddContainment(fabric::Summary& summary,
               const FabricBufferTimeline& timeline,
               const fabric::IncastOptions& incast,
               DataRate rate,
               Time roundTrip)
{
    const double inRoundTrip = static_cast<double>(rate.GetBitRate()) / 8 * roundTrip.GetSeconds();
    const double burst = std::max(incast.senders, FEWEST_SENDERS) * inRoundTrip;
    // The victims' own data are there in any case.
    const double before = timeline.GetMean(incast.aloneTime / 2, incast.aloneTime);
    const Time taken =
        timeline.GetContainmentTime(incast.aloneTime, before + CONTAINED_PART * burst);
    summary.AddTime("containment_time", {}, taken.GetPicoSeconds());
    summary.Add("containment_round_trips", {}, taken.GetSeconds() / roundTrip.GetSeconds(), "1");
    summary.AddTime("round_trip", {}, roundTrip.GetPicoSeconds());
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
    const std::vector<uint64_t> sums = fabric::SumOverRanks({pauses, restraints});
    summary.Add("pause_frames", {}, sums[0], "1");
    summary.Add("fgfc_frames", {}, sums[1], "1");
}

/// Adds what victims' messages that were sent in a phase took, and how the incast has changed it.
void
AddLatencies(fabric::Summary& summary, const fabric::IncastTraffic& traffic, Time start)
{
    std::vector<double> latencies[2]; // by phase
    for (const fabric::IncastTraffic::VictimMessage& message : traffic.GetVictimMessages())
    {
        const Phase phase = message.sentAt < start.GetPicoSeconds() ? ALONE : INCAST;
        latencies[phase].push_back(fabric::ToSeconds(message.completionTime));
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

/// @return what each victim sends
fabric::VictimLoad
LoadOf(const FabricRun& run, const Options& choice)
{
    const uint64_t frames = choice.victimLoad == 1 ? 16 : 1;
    const fabric::LinkRate rate(run.GetHostRate().GetBitRate());
    const auto time =
        static_cast<double>(rate.TxTime(fabric::WireBytes(fabric::MAX_PAYLOAD)) * frames);
    return {frames * fabric::MAX_PAYLOAD,
            PicoSeconds(static_cast<int64_t>(time / choice.victimLoad))};
}

/// @return the traffic, as the kind of network carries it
std::unique_ptr<fabric::IncastTraffic>
MakeTraffic(FabricRun& run,
            const FabricContainer& fabric,
            const IncastHelper& incast,
            const VictimHelper& victims,
            const Options& choice)
{
    const fabric::VictimLoad load = LoadOf(run, choice);
    if (!choice.baseline.UsesTransport())
    {
        return std::make_unique<fabric::MessageIncastTraffic>(fabric,
                                                              incast,
                                                              victims,
                                                              load,
                                                              run.GetRecorder());
    }
    return std::make_unique<fabric::TransportIncastTraffic>(fabric, incast, victims, load);
}

/// @return a full frame's time from the farthest sender to the receiver and back, in an empty
/// fabric
Time
RoundTripOf(const FabricContainer& fabric, const IncastHelper& incast)
{
    const FabricIdealPaths paths(fabric.network);
    const auto receiver = fabric.GetDevice(IncastHelper::RECEIVER)->GetLocation();
    fabric::TimePs longest = 0;
    for (const uint32_t sender : incast.GetSenders(fabric))
    {
        const auto path = paths.Find(fabric.GetDevice(sender)->GetLocation(), receiver);
        longest = std::max(longest, path.CompletionTime(path.Payload()));
    }
    return PicoSeconds(2 * longest);
}

/// What hosts receive in the phases of a run.
class Goodputs
{
  public:
    /// Measures from the second half of the victims' time alone on; the first one fills the pipe.
    Goodputs(const FabricContainer& fabric, const VictimHelper& victims, Time aloneTime)
        : m_victims(static_cast<double>(victims.GetVictims().size()))
    {
        m_receiver.Add(fabric.GetDevice(IncastHelper::RECEIVER));
        for (const auto& [from, to] : victims.GetVictims())
        {
            for (const Phase phase : {ALONE, INCAST})
            {
                m_victim[phase].Add(fabric.GetDevice(to));
            }
        }
        Simulator::Schedule(aloneTime / 2, &fabric::GoodputMeter::Begin, &m_victim[ALONE]);
        Simulator::Schedule(aloneTime, [this] {
            m_victim[ALONE].End();
            m_victim[INCAST].Begin();
            m_receiver.Begin();
        });
    }

    Goodputs(const Goodputs&) = delete;
    Goodputs& operator=(const Goodputs&) = delete;

    /// The incast is over.
    void End()
    {
        m_victim[INCAST].End();
        m_receiver.End();
    }

    /// Adds the victims' goodput by phase, and how the incast has changed it.
    void AddVictims(fabric::Summary& summary) const
    {
        double goodputs[2]; // of all victims, by phase
        for (const Phase phase : {ALONE, INCAST})
        {
            goodputs[phase] = m_victim[phase].Measure();
            summary.Add("victim_goodput",
                        {{"phase", PHASE_NAMES[phase]}},
                        goodputs[phase] / m_victims,
                        "bit/s");
        }
        if (goodputs[ALONE] > 0 && goodputs[INCAST] > 0) // not if a phase is over before a message
        {
            summary.Add("impact", {{"test", "goodput"}}, goodputs[ALONE] / goodputs[INCAST], "1");
        }
    }

    /// @return that of the incast's receiver, bit/s
    double OfReceiver() const
    {
        return m_receiver.Measure();
    }

  private:
    fabric::GoodputMeter m_receiver; ///< Of the incast.
    /// All victims, by phase; a short incast has few of their frames.
    fabric::GoodputMeter m_victim[2]{fabric::GoodputMeter(fabric::GoodputMeter::PARTS),
                                     fabric::GoodputMeter(fabric::GoodputMeter::PARTS)};
    double m_victims; ///< How many.
};

/// Runs it until the incast is over, or as long as `--duration` says.
void
Play(FabricRun& run,
     const FabricContainer& fabric,
     fabric::IncastTraffic& traffic,
     Goodputs& goodputs,
     Time duration)
{
    if (!duration.IsZero())
    {
        run.RunFor(duration);
        goodputs.End();
        return;
    }
    traffic.Run(run, [&] {
        goodputs.End();
        fabric.network->StopAt(Simulator::Now()); // the victims would go on
    });
}

/// Refuses victims that would keep the incast out for ever: each sends again before what it has
/// sent is acknowledged. @param roundTrip of the fabric
void
CheckFlowIds(const FabricRun& run,
             const FabricContainer& fabric,
             const Options& choice,
             Time roundTrip)
{
    const bool isSilent = choice.victimLoad < 1 && LoadOf(run, choice).interval >= roundTrip;
    if (choice.duration.IsZero() && !isSilent)
    {
        FabricRun::RequireFlowIds(fabric,
                                  "the victims send without end and keep",
                                  "the incast needs",
                                  ", or a --duration");
    }
}

/// Runs the program. @param run is parsed
void
RunCongestion(FabricRun& run, Options& choice)
{
    choice.tools.SetAttributes(run.GetOptions(), run.HasFlowChannels());
    choice.baseline.SetSwitches(run.GetOptions(), run.GetLinkRate(), run.GetLinkDelay());
    choice.baseline.SetLanes(run.GetHelper());
    const FabricContainer& fabric = run.InstallTree();
    ChooseTimes(fabric, LoadOf(run, choice).interval, choice);
    IncastHelper incast(choice.incast.senders, choice.incast.bytes);
    incast.SetStart(choice.incast.aloneTime, choice.incast.jitter);
    incast.SetStream(1);
    const VictimHelper victims = PlaceVictims(fabric, incast, choice);
    const Time roundTrip = RoundTripOf(fabric, incast);
    CheckFlowIds(run, fabric, choice, roundTrip);
    choice.baseline.SetTransport(run.GetOptions(), run.GetHostRate(), roundTrip);
    FabricBufferTimeline timeline(fabric,
                                  IncastHelper::RECEIVER,
                                  roundTrip / SAMPLES_IN_ROUND_TRIP);
    const auto traffic = MakeTraffic(run, fabric, incast, victims, choice);
    Goodputs goodputs(fabric, victims, choice.incast.aloneTime);
    Play(run, fabric, *traffic, goodputs, choice.duration);
    const Time end = Simulator::Now();
    timeline.Finish(end);

    fabric::Summary& summary = run.GetSummary();
    goodputs.AddVictims(summary);
    AddLatencies(summary, *traffic, choice.incast.aloneTime);
    summary.Add("goodput", {}, goodputs.OfReceiver(), "bit/s");
    AddPeakBuffers(summary, fabric, timeline);
    AddContainment(summary, timeline, choice.incast, run.GetHostRate(), roundTrip);
    AddControlFrames(summary, fabric);
    traffic->AddFigures(summary);
    run.Finish(fabric::TotalsOf(*fabric.network, end.GetPicoSeconds()),
               [&](fabric::RunDirectory& directory) {
                   traffic->WriteMessages(directory);
                   timeline.Write(directory.Open("buffers.csv"));
               });
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Options choice;
        FabricRun run("fabric-congestion.cc",
                      "An incast and victims beside it, with one tool of congestion management or "
                      "several, or on Ethernet.");
        run.AddTreeOptions();
        AddOptions(run.GetOptions(), choice);
        run.Parse(argc, argv, [&] {
            CheckOptions(run.GetOptions(), choice);
            if (choice.baseline.IsEthernet())
            {
                if (run.HasChannelsByHop())
                {
                    // Pauses and losses are by virtual channel, and those say how far a frame is.
                    run.GetOptions().RefuseGiven({"fabric"}, "--topology=fat-tree or a file");
                }
                run.LeaveOutFlowChannels();
            }
        });
        RunCongestion(run, choice);
        return fabric::EXIT_DONE;
    });
}
