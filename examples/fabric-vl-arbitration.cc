/* SPDX-License-Identifier: GPL-2.0-only */

// Virtual lanes share a link by level and by the bandwidth of their groups (VA-13): shares,
// latency, and what each lane sends above its bandwidth.

#include "ns3/fabric-lane-link-options.h"
#include "ns3/fabric-lane-load.h"
#include "ns3/fabric-lane-sampler.h"
#include "ns3/fabric-output-lane-path.h"
#include "ns3/fabric-program-run.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-queue-disc-lane-path.h"
#include "ns3/fabric-uplink-lane-path.h"

#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The value of --laterLoad for loads that do not change.
const std::string SAME = "same";

/// What the options ask for.
struct Settings
{
    fabric::LaneLinkOptions lanes; ///< Lanes and their link.
    std::string load{"0.5"};       ///< Loads of the lanes, with commas.
    std::string laterLoad{SAME};   ///< From the middle of the run on.
    std::string via{"queue-disc"}; ///< What arbitrates.
    Time samplePeriod{0};          ///< Of lanes.csv, 0 for none.
};

/// Adds the program's options.
void
AddOptions(fabric::ProgramOptions& options, Settings& settings)
{
    settings.lanes.AddArbiter(options);
    options.Add(
        "load",
        "offered load, fraction of the link rate: one number for each lane, or one for all lanes",
        settings.load);
    options.Add("laterLoad",
                "load from the middle of the run on; same for no change",
                settings.laterLoad);
    options.Add("via",
                "where lanes are arbitrated",
                settings.via,
                fabric::ChoiceType({"queue-disc", "link", "uplink"}));
    settings.lanes.AddLink(options);
    options.Add("samplePeriod",
                "time between samples of the lanes in lanes.csv, 0 for none",
                settings.samplePeriod,
                fabric::TimeType(Time(0), Seconds(1)));
    options.AddDuration(MilliSeconds(3));
}

/// Refuses how switches are simulated where there are none.
void
CheckSwitches(const fabric::CommonOptions& options, const std::string& via)
{
    const std::string allowed = " with --via=queue-disc, where there is no switch";
    if (via == "queue-disc" && !options.lookahead)
    {
        fabric::ThrowNotAllowed("--lookahead", "false", "true" + allowed);
    }
    if (via == "queue-disc" && options.threads > 1)
    {
        fabric::ThrowNotAllowed("--threads", std::to_string(options.threads), "1" + allowed);
    }
}

/// @return what `--via` chooses
std::unique_ptr<fabric::LanePath>
MakePath(const Settings& settings,
         const fabric::ProgramOptions& options,
         fabric::LaneRecorder& recorder)
{
    const fabric::LaneLinkSettings& link = settings.lanes.link;
    FabricHelper helper;
    helper.SetOptions(options);
    if (settings.via == "link")
    {
        return std::make_unique<fabric::OutputLanePath>(link, recorder, helper);
    }
    if (settings.via == "uplink")
    {
        return std::make_unique<fabric::UplinkLanePath>(link, recorder, helper);
    }
    return std::make_unique<fabric::QueueDiscLanePath>(link, recorder);
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Settings settings;
        const fabric::LaneLinkSettings& link = settings.lanes.link;
        std::vector<double> loads;
        std::vector<double> later;
        fabric::ProgramRun run("fabric-vl-arbitration.cc",
                               "Virtual lanes share a link by level and by the bandwidth of their "
                               "groups.");
        AddOptions(run.GetOptions(), settings);
        run.Parse(argc, argv, [&] {
            CheckSwitches(run.GetOptions().Common(), settings.via);
            if (settings.lanes.over == "disqualify")
            {
                run.GetOptions().RefuseGiven({"chargeOver"}, "--over=demote");
            }
            settings.lanes.CheckDuration(run.GetOptions().Common().duration);
            settings.lanes.Read();
            loads = settings.lanes.ParseLoads("--load", settings.load);
            if (settings.laterLoad != SAME)
            {
                later = settings.lanes.ParseLoads("--laterLoad", settings.laterLoad);
            }
        });

        // The first third fills queues and uses up bursts.
        const Time duration = run.GetOptions().Common().duration;
        const Time countFrom = PicoSeconds(duration.GetPicoSeconds() / 3);
        fabric::LaneRecorder recorder(link.table, countFrom);
        const std::unique_ptr<fabric::LanePath> path =
            MakePath(settings, run.GetOptions(), recorder);
        path->CheckSettings();
        fabric::LaneLoad load(*path, link, loads);
        if (!later.empty())
        {
            load.ChangeAt(PicoSeconds(duration.GetPicoSeconds() / 2), later);
        }
        std::unique_ptr<fabric::LaneSampler> sampler;
        if (run.GetDirectory() && !settings.samplePeriod.IsZero())
        {
            sampler = std::make_unique<fabric::LaneSampler>(*path,
                                                            recorder,
                                                            run.GetDirectory()->Open("lanes.csv"),
                                                            settings.samplePeriod,
                                                            link.packetBytes);
        }
        path->StopAt(duration);
        run.RunTo(duration);
        path->Settle();
        if (sampler)
        {
            sampler->Write();
        }

        const double counted = static_cast<double>((duration - countFrom).GetPicoSeconds());
        recorder.AddFigures(run.GetSummary(), counted / link.PacketTime());
        run.Finish(path->GetTotals());
        return fabric::EXIT_DONE;
    });
}
