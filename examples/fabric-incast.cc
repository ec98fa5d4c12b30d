/* SPDX-License-Identifier: GPL-2.0-only */

// Hosts spread over a fat tree send to one receiver at once. A victim flow shares links with them,
// but not the receiver: with flow channels it keeps its bandwidth, without them it waits behind the
// incast.

#include "ns3/fabric-goodput-meter.h"
#include "ns3/fabric-incast-helper.h"
#include "ns3/fabric-incast-options.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-rank-link.h"
#include "ns3/fabric-run.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <string>

using namespace ns3;

namespace
{

/// The program's options.
struct Options
{
    fabric::IncastOptions incast; ///< Of the incast.
    bool victim{true};            ///< Whether there is a victim.
};

/// Frames of each of the victim's messages, which are sent as fast as its link takes them.
constexpr uint32_t VICTIM_FRAMES = 16;

/// Adds the most that any switch of each tier held.
void
AddPeakBuffers(fabric::Summary& summary, const FabricContainer& fabric)
{
    std::map<fabric::Tier, uint64_t> peaks;
    for (uint32_t i = 0; i < fabric.tiers.size(); ++i)
    {
        uint64_t& peak = peaks[fabric.tiers[i]];
        peak = std::max(peak, fabric.GetSwitch(i)->GetChip().Counts().peakHeldBytes);
    }
    for (const auto& [tier, bytes] : peaks)
    {
        const uint64_t most = fabric::MostOfRanks({bytes}).front();
        summary.Add("peak_buffer", {{"tier", fabric::NameOf(tier)}}, most, "B");
    }
}

/// Refuses more senders than the fabric has hosts for. @param size options that say how many
void
CheckSenders(uint32_t senders, const FabricContainer& fabric, const std::string& size)
{
    const uint32_t most = IncastHelper::GetMaxSenders(fabric);
    if (senders > most)
    {
        throw fabric::BadInput("--senders=" + std::to_string(senders) + ": of the " +
                               std::to_string(fabric.hosts.GetN()) +
                               " hosts the receiver and the victim's two ends do not send, with "
                               "--victim=off either; allowed is at most " +
                               std::to_string(most) + ", and more with more hosts (" + size + ")");
    }
}

/// Refuses a victim on several ranks, and its time alone without one.
void
CheckVictim(bool victim, const fabric::ProgramOptions& options)
{
    if (!victim)
    {
        options.RefuseGiven({"aloneTime"}, "--victim=on");
    }
    if (victim && options.Common().mpi)
    {
        fabric::ThrowNotAllowed("--victim",
                                "true",
                                "false with --mpi, since the end of the incast ends the victim, "
                                "and other ranks are ahead of it then");
    }
}

/// @return the time of a message of the victim on its link
Time
VictimInterval(const FabricRun& run)
{
    const fabric::LinkRate rate(run.GetHostRate().GetBitRate());
    return PicoSeconds(rate.TxTime(fabric::WireBytes(fabric::MAX_PAYLOAD)) * VICTIM_FRAMES);
}

/// The victim's goodput while it is alone, and beside the incast.
class VictimGoodput
{
  public:
    /// @param fabric whose victim sends from now on @param start of the incast
    VictimGoodput(const FabricContainer& fabric, Time start, fabric::Summary& summary)
        : m_network(*fabric.network),
          m_summary(summary)
    {
        m_meter.Add(fabric.GetDevice(IncastHelper::VICTIM_RECEIVER));
        // The first half of its time alone fills the pipe.
        Simulator::Schedule(start / 2, &fabric::GoodputMeter::Begin, &m_meter);
        Simulator::Schedule(start, [this] {
            Add("alone");
            m_meter.Begin();
        });
    }

    /// The incast has ended; the victim would go on.
    void End()
    {
        Add("incast");
        m_network.StopAt(Simulator::Now());
    }

  private:
    /// Adds what was measured since the begin of a phase.
    void Add(const std::string& phase)
    {
        m_summary.Add("victim_goodput", {{"phase", phase}}, m_meter.Measure(), "bit/s");
    }

    fabric::GoodputMeter m_meter{fabric::GoodputMeter::PARTS}; ///< A short incast has few frames.
    FabricNetwork& m_network;                                  ///< Of the fabric.
    fabric::Summary& m_summary;                                ///< Gets the figures.
};

/// Installs the victim with the incast, and runs both. @return when the incast has begun
Time
RunWithVictim(FabricRun& run, const FabricContainer& fabric, fabric::IncastOptions& choice)
{
    FabricRun::RequireFlowIds(fabric,
                              "the victim sends without end and keeps",
                              "the incast needs",
                              ", or --victim=off");
    const Time interval = VictimInterval(run);
    choice.ChooseAloneTime(fabric::SettlingTime(fabric, interval));
    IncastHelper incast(choice.senders, choice.bytes);
    incast.SetStart(choice.aloneTime, choice.jitter);
    incast.SetVictim(VICTIM_FRAMES * fabric::MAX_PAYLOAD, interval);
    incast.SetStream(1);
    incast.Install(fabric);
    VictimGoodput victim(fabric, choice.aloneTime, run.GetSummary());
    run.RunUntilDelivered(IncastHelper::INCAST_TAG, choice.senders, [&victim] { victim.End(); });
    return choice.aloneTime;
}

/// Installs the incast and runs it. @return when it has begun
Time
RunAlone(FabricRun& run, const FabricContainer& fabric, const fabric::IncastOptions& choice)
{
    IncastHelper incast(choice.senders, choice.bytes);
    incast.SetStart(Time(0), choice.jitter);
    incast.SetStream(1);
    incast.Install(fabric);
    run.RunUntilDelivered(IncastHelper::INCAST_TAG, choice.senders);
    return Time(0);
}

/// Runs the program.
void
Run(FabricRun& run, Options& choice)
{
    fabric::IncastOptions& incast = choice.incast;
    const FabricContainer& fabric = run.InstallTree();
    CheckSenders(incast.senders, fabric, run.SizeOptions());
    const Time start =
        choice.victim ? RunWithVictim(run, fabric, incast) : RunAlone(run, fabric, incast);
    const Time taken = run.GetLastDelivery() - start;

    fabric::Summary& summary = run.GetSummary();
    summary.AddTime("completion_time", {}, taken.GetPicoSeconds());
    summary.AddDistribution("fct", {}, run.GetCompletionTimes(IncastHelper::INCAST_TAG), "s");
    const double bits = 8.0 * static_cast<double>(incast.bytes) * incast.senders;
    summary.Add("goodput", {}, bits / taken.GetSeconds(), "bit/s");
    AddPeakBuffers(summary, fabric);
    run.Finish();
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Options choice;
        FabricRun run("fabric-incast.cc", "Hosts of a fat tree send to one receiver at once.");
        run.AddTreeOptions();
        fabric::ProgramOptions& options = run.GetOptions();
        options.AddRanks();
        choice.incast.AddIncast(options);
        options.Add("victim", "a victim flow sends beside the incast", choice.victim);
        choice.incast.AddAloneTime(options, "the victim sends");
        run.Parse(argc, argv, [&] { CheckVictim(choice.victim, options); });
        Run(run, choice);
        return fabric::EXIT_DONE;
    });
}
