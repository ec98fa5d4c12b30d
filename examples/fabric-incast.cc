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
#include <functional>
#include <map>

using namespace ns3;

namespace
{

/// The program's options.
struct Options
{
    fabric::IncastOptions incast; ///< Of the incast.
    bool victim{true};            ///< Whether there is a victim.
};

/// Payload of each of the victim's messages: 16 frames, sent as fast as its link takes them.
constexpr uint64_t VICTIM_BYTES = 16 * fabric::MAX_PAYLOAD;

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
        const FabricContainer& fabric = run.InstallTree();
        CheckSenders(choice.incast.senders, fabric, run.SizeOptions());
        if (choice.victim)
        {
            FabricRun::RequireFlowIds(fabric,
                                      "the victim sends without end and keeps",
                                      "the incast needs",
                                      ", or --victim=off");
        }
        const fabric::LinkRate rate(run.GetHostRate().GetBitRate());
        const Time victimInterval =
            PicoSeconds(rate.TxTime(fabric::WireBytes(fabric::MAX_PAYLOAD)) * 16);
        if (choice.victim)
        {
            choice.incast.ChooseAloneTime(fabric::SettlingTime(fabric, victimInterval));
        }

        IncastHelper incast(choice.incast.senders, choice.incast.bytes);
        const Time start = choice.victim ? choice.incast.aloneTime : Time(0);
        incast.SetStart(start, choice.incast.jitter);
        if (choice.victim)
        {
            incast.SetVictim(VICTIM_BYTES, victimInterval);
        }
        incast.SetStream(1);
        incast.Install(fabric);

        fabric::Summary& summary = run.GetSummary();
        fabric::GoodputMeter victim(fabric::GoodputMeter::PARTS); // a short incast has few frames
        victim.Add(fabric.GetDevice(IncastHelper::VICTIM_RECEIVER));
        if (choice.victim)
        {
            // The first half of its time alone fills the pipe.
            Simulator::Schedule(start / 2, &fabric::GoodputMeter::Begin, &victim);
            Simulator::Schedule(start, [&] {
                summary.Add("victim_goodput", {{"phase", "alone"}}, victim.Measure(), "bit/s");
                victim.Begin();
            });
        }
        std::function<void()> endVictim;
        if (choice.victim)
        {
            endVictim = [&] {
                summary.Add("victim_goodput", {{"phase", "incast"}}, victim.Measure(), "bit/s");
                fabric.network->StopAt(Simulator::Now()); // the victim would go on
            };
        }
        run.RunUntilDelivered(IncastHelper::INCAST_TAG, choice.incast.senders, endVictim);
        const Time end = run.GetLastDelivery();

        summary.AddTime("completion_time", {}, (end - start).GetPicoSeconds());
        summary.AddDistribution("fct", {}, run.GetCompletionTimes(IncastHelper::INCAST_TAG), "s");
        const double bits = 8.0 * static_cast<double>(choice.incast.bytes) * choice.incast.senders;
        summary.Add("goodput", {}, bits / (end - start).GetSeconds(), "bit/s");
        AddPeakBuffers(summary, fabric);
        run.Finish();
        return fabric::EXIT_DONE;
    });
}
