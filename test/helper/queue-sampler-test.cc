/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree-helper.h"
#include "fabric-message-sender-helper.h"
#include "fabric-port-sampler.h"
#include "fabric-queue-sampler.h"
#include "support/fabric-function-case.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

namespace
{

const Time SAMPLE_PERIOD = NanoSeconds(430); ///< Of the samples.
const Time SAMPLES_END = MicroSeconds(40);   ///< Of the run.

/// What waits for an output, bytes, by time, switch and output.
using Waiting = std::map<std::tuple<TimePs, uint32_t, uint32_t>, uint64_t>;

/// An incast and flows beside it on a small fat tree, and what waits there.
struct SampledRun
{
    /**
     * Runs it.
     *
     * @param lookahead whether switches run ahead
     * @param attribute of switches that is set, with its value; empty for none
     */
    SampledRun(bool lookahead, const std::pair<std::string, std::string>& attribute)
    {
        FatTreeHelper helper(4);
        helper.SetStream(1);
        helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
        if (!attribute.first.empty())
        {
            helper.SetSwitchAttribute(attribute.first, StringValue(attribute.second));
        }
        const FabricContainer fabric = helper.Install();
        FabricMessageSenderHelper sender(50'000);
        for (uint32_t host = 1; host < 16; ++host)
        {
            sender.Install(fabric, host, host % 3 == 0 ? (host + 7) % 16 : 0);
        }
        FabricQueueSampler queues(fabric.network, SAMPLE_PERIOD);
        FabricPortSampler ports(fabric.network, SAMPLE_PERIOD);
        fabric.network->StopAt(SAMPLES_END);
        Simulator::Run();
        samples = queues.GetSamples(SAMPLES_END);
        for (const FabricPortSampler::Sample& sample : ports.GetSamples(SAMPLES_END))
        {
            if (sample.queued != 0)
            {
                byPorts[{sample.at, sample.switchIndex, sample.port}] = sample.queued;
            }
        }
        std::ostringstream os;
        queues.Write(os, SAMPLES_END);
        csv = os.str();
        Simulator::Destroy();
    }

    std::vector<FabricQueueSampler::Sample> samples; ///< What is tested.
    Waiting byPorts;                                 ///< By the loads of outputs.
    std::string csv;                                 ///< queues.csv
};

/// Queues of an output hold what waits for it, with look-ahead or without, whatever has queues.
void
TestQueuesOfOutputs(FunctionCase& self)
{
    const std::vector<std::pair<std::string, std::string>> attributes{{"", ""},
                                                                      {"FlowChannels", "false"},
                                                                      {"UnorderedClasses", "65535"},
                                                                      {"Crossbar", "tiled"}};
    std::set<WaitingQueue::Kind> kinds;
    for (const auto& attribute : attributes)
    {
        const SampledRun run(false, attribute);
        Waiting byQueues;
        uint32_t several = 0;
        for (const FabricQueueSampler::Sample& sample : run.samples)
        {
            byQueues[{sample.at, sample.switchIndex, sample.queue.output}] += sample.queue.bytes;
            several += sample.queue.frames > 1;
            kinds.insert(sample.queue.kind);
            self.Expect((sample.queue.kind == WaitingQueue::OUTPUT) ==
                            (sample.queue.flow == NO_FLOW),
                        "a queue of an output is of no flow");
        }
        self.Expect(several > 20, Text(attribute.first, ": ", several, " hold several frames"));
        self.Expect(byQueues == run.byPorts, attribute.first + ": not what waits for the outputs");
        self.ExpectSame(SampledRun(true, attribute).csv, run.csv, "look-ahead changes samples");
    }
    self.ExpectEqual(kinds.size(), 3U, "kinds of queues");
}

/// @return what queues.csv says of a hold
std::string
NameOf(uint8_t hold)
{
    switch (hold)
    {
    case InputQueue::NO_HEADROOM:
        return "hop-credits";
    case InputQueue::CHANGES_PATH:
        return "path-change";
    case InputQueue::OVER_LIMIT:
        return "limit";
    case InputQueue::PACED:
        return "pacing";
    default:
        return "turn";
    }
}

/// Each row of queues.csv ends with the names of all that holds the queue.
void
TestHoldsHaveTheirNames(FunctionCase& self)
{
    const SampledRun run(true, {});
    std::istringstream rows(run.csv);
    std::string row;
    std::getline(rows, row); // names of columns
    std::set<std::string> seen;
    for (const FabricQueueSampler::Sample& sample : run.samples)
    {
        std::getline(rows, row);
        std::string names;
        for (uint8_t hold = 1; hold <= InputQueue::AWAITS_TURN; hold *= 2)
        {
            if ((sample.queue.holds & hold) != 0)
            {
                names += (names.empty() ? "" : "+") + NameOf(hold);
                seen.insert(NameOf(hold));
            }
        }
        self.ExpectSame(row.substr(row.rfind(',') + 1), names, row);
    }
    self.Expect(seen.count("limit") == 1 && seen.count("hop-credits") == 1,
                Text(seen.size(), " kinds of holds are seen"));
}

/// The suite.
class QueueSamplerSuite : public FunctionSuite
{
  public:
    QueueSamplerSuite()
        : FunctionSuite("fabric-queue-sampler", kUnit)
    {
        Add("SC-5 DP-5 queues of an output hold what waits for it", TestQueuesOfOutputs);
        Add("SC-5 what holds a queue has its name", TestHoldsHaveTheirNames);
    }
};

const QueueSamplerSuite g_queueSamplerSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
