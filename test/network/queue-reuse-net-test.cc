/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-random-network.h"
#include "fabric-small-tree.h"
#include "support/fabric-delivery-journal.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include <random>
#include <sstream>
#include <string>

namespace ns3::fabric
{

namespace
{

/// How a fabric is run.
struct ReuseRun
{
    uint32_t seed;           ///< Decides everything.
    bool lookahead{true};    ///< Whether switches run ahead.
    uint32_t threads{1};     ///< Threads that run switches.
    bool keepsQueues{false}; ///< Whether each flow keeps its queue for ever.
    uint32_t queues{0};      ///< Gets the most queues that a host has.
};

/// Hosts send short messages of many processes.
void
SendAtRandom(const FabricContainer& fabric, std::minstd_rand& random, bool keepsQueues)
{
    for (uint32_t i = 0; i < 1500; ++i)
    {
        const uint32_t host = random() % 8;
        const auto peer = LocationOf((host + 1 + random() % 7) % 8);
        MessageFlow flow{peer, static_cast<uint8_t>(random() % 2)};
        flow.process = static_cast<uint32_t>(random() % 30);
        const uint32_t bytes = 1 + random() % (random() % 4 == 0 ? 20'000 : 500);
        const Ptr<FabricNetDevice> device = fabric.GetDevice(host);
        if (keepsQueues)
        {
            device->GetNic().OpenQueue(flow);
        }
        Simulator::Schedule(NanoSeconds(random() % 100'000),
                            [device, flow, bytes] { device->SendMessage(flow, bytes, 0); });
    }
}

/// @return what was delivered when
std::string
JournalOf(ReuseRun& run, FunctionCase& test)
{
    Simulation simulation;
    std::minstd_rand random(run.seed);
    FatTreeHelper helper = SmallTree();
    AddCongestionTools(helper, random);
    helper.SetNetworkAttribute("Lookahead", BooleanValue(run.lookahead));
    helper.SetNetworkAttribute("Threads", UintegerValue(run.threads));
    helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
    const FabricContainer fabric = helper.Install();
    std::ostringstream journal;
    JournalDeliveries(fabric.network, journal);
    if (run.seed % 3 == 0)
    {
        AddOutages(fabric, random);
    }
    SendAtRandom(fabric, random, run.keepsQueues);
    Simulator::Run();
    ExpectEmpty(test, fabric);
    for (uint32_t host = 0; host < 8; ++host)
    {
        run.queues = std::max(run.queues, fabric.GetDevice(host)->GetNic().Queues());
    }
    return journal.str();
}

/// Queues that serve one flow after the other change nothing of what is sent when, in windows,
/// without them, and on two threads.
void
TestReuseInFabric(FunctionCase& test)
{
    const TestSeeds seeds(10);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ReuseRun apart{seed};
        apart.keepsQueues = true;
        const std::string expected = JournalOf(apart, test);
        ReuseRun shared{seed};
        test.ExpectSame(JournalOf(shared, test), expected, Text("seed ", seed).Str());
        test.Expect(shared.queues < apart.queues, Text("seed ", seed, ": ", shared.queues));
        ReuseRun instants{seed};
        instants.lookahead = false;
        test.ExpectSame(JournalOf(instants, test), expected, Text("instants, ", seed).Str());
        ReuseRun threads{seed};
        threads.threads = 2;
        test.ExpectSame(JournalOf(threads, test), expected, Text("threads, ", seed).Str());
    }
}

/// A message is over before its last ACK is back: its channel is not that of the next flow.
void
TestReuseBeforeAck(FunctionCase& test)
{
    Simulation simulation;
    FatTreeHelper helper(8);
    const FabricContainer fabric = helper.Install();
    const Ptr<FabricNetDevice> sender = fabric.GetDevice(0);
    constexpr uint32_t PEERS = 60;
    constexpr uint64_t BYTES = 8;
    uint32_t delivered = 0;
    const auto sendFrom = [&sender](uint32_t first) {
        for (uint32_t host = first; host < first + PEERS; ++host)
        {
            sender->SendMessage(LocationOf(host), BYTES);
        }
    };
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>([&](const Message&, Time) {
            // The last one is delivered, and its ACK is on the way.
            if (++delivered == PEERS)
            {
                Simulator::Schedule(PicoSeconds(1), [&] { sendFrom(1 + PEERS); });
            }
        }));
    Simulator::ScheduleNow([&] { sendFrom(1); });
    Simulator::Run();
    ExpectEmpty(test, fabric);
    for (uint32_t host = 1; host <= 2 * PEERS; ++host)
    {
        test.ExpectEqual(fabric.GetDevice(host)->GetNic().DeliveredBy(NEVER),
                         BYTES,
                         Text("host ", host));
    }
    test.Expect(sender->GetNic().Queues() < 2 * PEERS, "queues served others");
}

/// The suite.
class QueueReuseNetSuite : public FunctionSuite
{
  public:
    QueueReuseNetSuite()
        : FunctionSuite("fabric-queue-reuse-net", kUnit)
    {
        Add("DP-2 queues that serve one flow after the other change nothing", TestReuseInFabric);
        Add("FC-8 a queue serves another flow before the ACK of the last one is back",
            TestReuseBeforeAck);
    }
};

QueueReuseNetSuite g_queueReuseNetSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
