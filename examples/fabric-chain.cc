/* SPDX-License-Identifier: GPL-2.0-only */

// Switches in a row; all hosts send to one on the last switch as fast as they can (FC-18).
// Arbitration between ports halves the share of a host with each switch on its way; arbitration
// between flows gives all the same.

#include "ns3/fabric-chain.h"

#include "ns3/boolean.h"
#include "ns3/fabric-ideal-paths.h"
#include "ns3/fabric-message-sender-helper.h"
#include "ns3/fabric-option-type.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-shortest-path-routing.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

using namespace ns3;

namespace
{

/**
 * @param sources hosts that send, for each switch
 * @return the chain; a mistake names the option
 */
fabric::TopologyPlan
MakePlan(const std::vector<uint64_t>& sources)
{
    try
    {
        return fabric::MakeChainPlan(fabric::ChainSources(sources.begin(), sources.end()));
    }
    catch (const std::invalid_argument& error)
    {
        throw fabric::BadInput(std::string("--sources: ") + error.what());
    }
}

/**
 * Refuses a run too short for shares: the last two thirds, which count, must see a delivery.
 *
 * @param fabric the chain
 * @param duration of the run
 * @param receiver number of the host that receives
 * @param frameBytes payload of the largest frames
 */
void
CheckDuration(const FabricContainer& fabric, Time duration, uint32_t receiver, uint64_t frameBytes)
{
    const fabric::EmptyPath path =
        FabricIdealPaths(fabric.network).Find(fabric::LocationOf(0), fabric::LocationOf(receiver));
    const Time shortest = PicoSeconds(2 * path.CompletionTime(frameBytes));
    if (duration < shortest)
    {
        fabric::ThrowNotAllowed("--duration",
                                fabric::TimeText(duration),
                                "at least " + fabric::TimeText(shortest) +
                                    ", in which frames come from the first switch to the last");
    }
}

/**
 * Hosts send without limit: each has a message of one frame of each of its processes ready whenever
 * its link is free.
 *
 * @param fabric the chain
 * @param rate of its links
 * @param frameBytes payload of the frames of the first hosts, one each, then from the first again
 * @param processes that send, of the first hosts, then from the first again
 */
void
InstallSenders(const FabricContainer& fabric,
               DataRate rate,
               const std::vector<uint64_t>& frameBytes,
               const std::vector<uint64_t>& processes)
{
    const uint32_t receiver = fabric.hosts.GetN() - 1;
    const fabric::LinkRate linkRate(rate.GetBitRate());
    for (uint32_t host = 0; host < receiver; ++host)
    {
        const uint64_t bytes = frameBytes[host % frameBytes.size()];
        FabricMessageSenderHelper sender(bytes);
        sender.SendOnEvery(
            PicoSeconds(linkRate.TxTime(fabric::WireBytes(static_cast<uint32_t>(bytes)))));
        for (uint64_t process = 0; process < processes[host % processes.size()]; ++process)
        {
            sender.SetAttribute("Process", UintegerValue(process));
            sender.Install(fabric, host, receiver);
        }
    }
}

/**
 * @param records messages delivered
 * @param hosts number of sources
 * @param from messages delivered before this don't count, ps
 * @return bytes of each source
 */
std::vector<uint64_t>
CountBytes(const std::vector<FabricMessageRecorder::Record>& records,
           uint32_t hosts,
           fabric::TimePs from)
{
    std::vector<uint64_t> bytes(hosts, 0);
    for (const FabricMessageRecorder::Record& record : records)
    {
        if (record.deliveredAt >= from)
        {
            bytes[fabric::HostOf(record.message.src)] += record.message.bytes;
        }
    }
    return bytes;
}

/// Switches do not manage congestion, but for what is asked for: their tools would share the links
/// between flows, whatever the arbitration.
void
LeaveOutTools(FabricRun& run)
{
    for (const std::string tool : {"HopCredits", "Fgfc", "EndpointCongestion"})
    {
        if (!run.GetOptions().IsGiven("ns3::FabricSwitch::" + tool))
        {
            run.GetHelper().SetSwitchAttribute(tool, BooleanValue(false));
        }
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        std::vector<uint64_t> sources{3, 3, 3, 2};
        std::string arbitration = "flow";
        std::vector<uint64_t> frameBytes{fabric::MAX_PAYLOAD};
        std::vector<uint64_t> processes{1};
        FabricRun run("fabric-chain.cc", "All hosts on switches in a row send to one on the last.");
        fabric::ProgramOptions& options = run.GetOptions();
        options.AddRanks();
        options.Add("sources",
                    "hosts that send, for each switch of the row",
                    sources,
                    fabric::CountsType(1, 64, 0, 1024));
        options.Add("arbitration",
                    "what an output serves round-robin; with port no tool manages congestion",
                    arbitration,
                    fabric::ChoiceType({"flow", "port"}));
        options.Add("frameBytes",
                    "payload in bytes of the frames of each host, in turn, such as 4096,256,64",
                    frameBytes,
                    fabric::CountsType(1, 1024, 1, fabric::MAX_PAYLOAD));
        options.Add("processes",
                    "processes of each host that send, in turn, such as 3,1; they are numbered "
                    "from 0",
                    processes,
                    fabric::CountsType(1, 1024, 1, 64));
        options.AddDuration(MilliSeconds(3));
        options.ReserveAttributes({"ns3::FabricSwitch::Arbitration"}, "--arbitration");
        run.Parse(argc, argv);
        run.GetHelper().SetSwitchAttribute("Arbitration", StringValue(arbitration));
        if (arbitration == "port")
        {
            LeaveOutTools(run);
        }

        const fabric::TopologyPlan plan = MakePlan(sources);
        const FabricContainer& fabric = run.Install(plan, fabric::MakeShortestPathRouting(plan));
        InstallSenders(fabric, run.GetLinkRate(), frameBytes, processes);
        const Time duration = options.Common().duration;
        CheckDuration(fabric,
                      duration,
                      fabric.hosts.GetN() - 1,
                      *std::max_element(frameBytes.begin(), frameBytes.end()));
        run.RunFor(duration);

        // The first third fills the buffers.
        const uint32_t hosts = fabric.hosts.GetN() - 1;
        const std::vector<uint64_t> bytes =
            CountBytes(run.GetRecorder().GetRecords(), hosts, duration.GetPicoSeconds() / 3);
        const uint64_t all = std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
        for (uint32_t host = 0; host < hosts; ++host)
        {
            run.GetSummary().Add("share",
                                 {{"source", std::to_string(host)}},
                                 static_cast<double>(bytes[host]) / static_cast<double>(all),
                                 "1");
        }
        run.Finish();
        return fabric::EXIT_DONE;
    });
}
