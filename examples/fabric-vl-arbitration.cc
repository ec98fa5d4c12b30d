/* SPDX-License-Identifier: GPL-2.0-only */

// Virtual lanes share a link by level and by the bandwidth of their groups (VA-13): shares,
// latency, and what each lane sends above its bandwidth.

#include "ns3/fabric-lane-load.h"
#include "ns3/fabric-lane-sampler.h"
#include "ns3/fabric-lane-table-file.h"
#include "ns3/fabric-option-text.h"
#include "ns3/fabric-output-lane-path.h"
#include "ns3/fabric-program-run.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-queue-disc-lane-path.h"
#include "ns3/fabric-uplink-lane-path.h"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Stands for the table of VA-6, which is built in.
const std::string WORKED_EXAMPLE = "worked-example";

/// The value of --laterLoad for loads that do not change.
const std::string SAME = "same";

/// What the options ask for.
struct Settings
{
    std::string table{WORKED_EXAMPLE}; ///< File of the lane table, or WORKED_EXAMPLE.
    std::string mode{"lane"};          ///< Value of the attribute Mode.
    std::string meter{"token-bucket"}; ///< Value of the attribute Meter.
    std::string over{"demote"};        ///< Value of the attribute OverBandwidth.
    bool chargeOver{true};             ///< Value of the attribute ChargeOverBandwidth.
    std::string load{"0.5"};           ///< Loads of the lanes, with commas.
    std::string laterLoad{SAME};       ///< From the middle of the run on.
    std::string via{"queue-disc"};     ///< What arbitrates.
    fabric::LaneLinkSettings link;     ///< Its rate, delay and packets.
    Time samplePeriod{0};              ///< Of lanes.csv, 0 for none.
};

/// @return the lanes of VA-6: 0 to 3 in group 0, 4 and 5 in group 1, 10 % for each lane
fabric::LaneTable
MakeWorkedExample()
{
    fabric::LaneTable table;
    for (uint8_t lane = 0; lane < 6; ++lane)
    {
        const auto group = static_cast<uint8_t>(lane < 4 ? 0 : 1);
        table.lanes.push_back({lane, 0, lane, group, false});
    }
    table.groups = {{0, 4000}, {1, 2000}};
    return table;
}

/// @return the lanes that the option asks for
fabric::LaneTable
ReadTable(const std::string& file)
{
    if (file == WORKED_EXAMPLE)
    {
        return MakeWorkedExample();
    }
    try
    {
        return fabric::ReadLaneTable(file);
    }
    catch (const std::invalid_argument& error)
    {
        throw fabric::BadInput(std::string("--table=") + error.what()); // it begins with the file
    }
}

/**
 * @param option that says it
 * @param text numbers with commas, one for all lanes or one for each
 * @param lanes how many there are
 * @return the load of each lane
 */
std::vector<double>
ParseLoads(const std::string& option, const std::string& text, std::size_t lanes)
{
    std::vector<double> loads;
    for (const std::string& item : fabric::SplitList(text))
    {
        loads.push_back(fabric::ParseNumber(option, item, {0, 1}));
    }
    if (loads.size() == 1)
    {
        loads.resize(lanes, loads[0]);
    }
    if (loads.size() != lanes)
    {
        fabric::ThrowNotAllowed(option,
                                text,
                                "one number for all lanes, or " + std::to_string(lanes) +
                                    " with commas, one for each lane of the table");
    }
    return loads;
}

/// Adds the program's options.
void
AddOptions(fabric::ProgramOptions& options, Settings& settings)
{
    options.AddText(
        "table",
        "file of the lane table, in JSON or CSV; worked-example for six lanes of 10 % each",
        settings.table);
    options.AddChoice("mode", "what a meter checks", settings.mode, {"lane", "group"});
    options.AddChoice("meter",
                      "how the bandwidth of groups is measured",
                      settings.meter,
                      {"token-bucket", "leaky-bucket", "sliding-window"});
    options.AddChoice("over",
                      "what happens to packets above the bandwidth of their group",
                      settings.over,
                      {"demote", "disqualify"});
    options.AddBoolean("chargeOver",
                       "whether such packets are charged to the meter",
                       settings.chargeOver);
    options.AddText("load",
                    "of the link, of all lanes or of each with commas, 0 to 1",
                    settings.load);
    options.AddText("laterLoad",
                    "that of the middle of the run on; same for no change",
                    settings.laterLoad);
    options.AddChoice("via", "what arbitrates", settings.via, {"queue-disc", "link", "uplink"});
    options.AddSize("frameBytes",
                    "of each packet on the link, headers counted",
                    settings.link.packetBytes,
                    {64, 9000});
    options.AddRate("linkRate", "rate of the link", settings.link.rate);
    options.AddTime("linkDelay",
                    "propagation delay of the link",
                    settings.link.delay,
                    NanoSeconds(1),
                    MilliSeconds(10));
    options.AddTime("samplePeriod",
                    "time between samples of the lanes in lanes.csv, 0 for none",
                    settings.samplePeriod,
                    Time(0),
                    Seconds(1));
    options.AddDuration(MilliSeconds(3));
    const std::string disc = "ns3::VlArbiterQueueDisc::";
    const std::string lane = "ns3::FabricSwitch::Lane";
    options.ReserveAttributes({disc + "TableFile", lane + "TableFile"}, "--table");
    options.ReserveAttributes({disc + "Mode", lane + "Mode"}, "--mode");
    options.ReserveAttributes({disc + "Meter", lane + "Meter"}, "--meter");
    options.ReserveAttributes({disc + "OverBandwidth", lane + "OverBandwidth"}, "--over");
    options.ReserveAttributes({disc + "ChargeOverBandwidth", lane + "ChargeOverBandwidth"},
                              "--chargeOver");
    options.ReserveAttributes(
        {disc + "LinkRate", "ns3::PointToPointNetDevice::DataRate", "ns3::FabricChannel::DataRate"},
        "--linkRate");
    options.ReserveAttributes({"ns3::PointToPointChannel::Delay", "ns3::FabricChannel::Delay"},
                              "--linkDelay");
    options.ReserveAttributes({"ns3::PointToPointNetDevice::Mtu", "ns3::FabricDevice::Mtu"},
                              "what frames of any size need");
    options.ReserveAttributes(
        {"ns3::VlArbiterQueueDisc::LinkOverhead", "ns3::VlArbiterQueueDisc::DscpToClass"},
        "what the program's link and lanes need");
}

/// Refuses a run in which shares would mean nothing.
void
CheckDuration(const fabric::LaneLinkSettings& link, Time duration)
{
    const auto shortest = static_cast<fabric::TimePs>(std::ceil(100 * link.PacketTime()));
    if (duration.GetPicoSeconds() < shortest)
    {
        fabric::ThrowNotAllowed("--duration",
                                fabric::TimeText(duration.GetPicoSeconds()),
                                "at least " + fabric::TimeText(shortest) +
                                    ", in which the link carries 100 packets");
    }
}

/// @return what `--via` chooses
std::unique_ptr<fabric::LanePath>
MakePath(const Settings& settings, fabric::LaneRecorder& recorder)
{
    if (settings.via == "link")
    {
        return std::make_unique<fabric::OutputLanePath>(settings.link, recorder);
    }
    if (settings.via == "uplink")
    {
        return std::make_unique<fabric::UplinkLanePath>(settings.link, recorder);
    }
    return std::make_unique<fabric::QueueDiscLanePath>(settings.link, recorder);
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Settings settings;
        fabric::LaneLinkSettings& link = settings.link;
        std::vector<double> loads;
        std::vector<double> later;
        fabric::ProgramRun run("fabric-vl-arbitration.cc",
                               "Virtual lanes share a link by level and by the bandwidth of their "
                               "groups.");
        AddOptions(run.GetOptions(), settings);
        run.Parse(argc, argv, [&] {
            CheckDuration(link, run.GetOptions().GetDuration());
            link.table = ReadTable(settings.table);
            const std::size_t lanes = link.table.lanes.size();
            loads = ParseLoads("--load", settings.load, lanes);
            if (settings.laterLoad != SAME)
            {
                later = ParseLoads("--laterLoad", settings.laterLoad, lanes);
            }
        });
        link.arbiter = {{"Mode", settings.mode},
                        {"Meter", settings.meter},
                        {"OverBandwidth", settings.over},
                        {"ChargeOverBandwidth", settings.chargeOver ? "true" : "false"}};

        // The first third fills queues and uses up bursts.
        const Time duration = run.GetOptions().GetDuration();
        const Time countFrom = PicoSeconds(duration.GetPicoSeconds() / 3);
        fabric::LaneRecorder recorder(link.table, countFrom);
        const std::unique_ptr<fabric::LanePath> path = MakePath(settings, recorder);
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
