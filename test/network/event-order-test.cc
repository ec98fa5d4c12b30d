/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel.h"
#include "fabric-random-network.h"
#include "fabric-small-tree.h"
#include "fabric-test-compat.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include "ns3/error-model.h"
#include "ns3/scheduler.h"
#include "ns3/test.h"

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Runs the events of one instant last in, first out, where ns-3's own schedulers run them first
/// in, first out.
class LastFirstScheduler : public Scheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::fabric::LastFirstScheduler")
                                .SetParent<Scheduler>()
                                .SetGroupName("Fabric")
                                .AddConstructor<LastFirstScheduler>();
        return tid;
    }

    void Insert(const Event& event) override
    {
        m_events.emplace(KeyOf(event), event);
    }

    bool IsEmpty() const override
    {
        return m_events.empty();
    }

    Event PeekNext() const override
    {
        return m_events.begin()->second;
    }

    Event RemoveNext() override
    {
        const Event next = PeekNext();
        m_events.erase(m_events.begin());
        return next;
    }

    void Remove(const Event& event) override
    {
        m_events.erase(KeyOf(event));
    }

  private:
    /// When an event comes, and how many come before it at that instant.
    using Key = std::pair<uint64_t, uint32_t>;

    static Key KeyOf(const Event& event)
    {
        return {event.key.m_ts, ~event.key.m_uid};
    }

    std::map<Key, Event> m_events; ///< The next first.
};

NS_OBJECT_ENSURE_REGISTERED(LastFirstScheduler);

/// Something that a random run may have, and its name.
using Feature = std::pair<const char*, std::function<void(RandomRun&)>>;

/// @return what makes a difference to when things happen
std::vector<Feature>
Features()
{
    return {{"plain", [](RandomRun&) {}},
            {"slow hosts", [](RandomRun& run) { run.slowHosts = true; }},
            {"outages", [](RandomRun& run) { run.outages = true; }},
            {"lanes", [](RandomRun& run) { run.lanes = true; }},
            {"credit frames", [](RandomRun& run) { run.creditFrames = true; }},
            {"tools against congestion", [](RandomRun& run) { run.tools = true; }},
            {"pauses between switches", [](RandomRun& run) { run.linkPauses = true; }},
            {"tiles", [](RandomRun& run) { run.tiles = true; }}};
}

/**
 * Expects the same bytes with and without look-ahead, and with threads.
 *
 * @param seed decides everything, also which two features the fabric has
 * @param scheduler of events
 */
void
ExpectSameInAllModes(FunctionCase& test, uint32_t seed, const std::string& scheduler)
{
    const std::vector<Feature> features = Features();
    const Feature& first = features[seed % features.size()];
    const Feature& second = features[seed / features.size() % features.size()];
    RandomRun run{seed};
    run.scheduler = scheduler;
    first.second(run);
    second.second(run);
    const std::string reference = RunRandom(test, run);
    for (const bool lookahead : {true, false})
    {
        run.lookahead = lookahead;
        run.threads = lookahead ? 2 : 1;
        test.ExpectSame(RunRandom(test, run),
                        reference,
                        "seed " + std::to_string(seed) + ", " + first.first + ", " + second.first +
                            (lookahead ? ", threads" : ", no lookahead"));
    }
}

void
TestLastFirst(FunctionCase& test)
{
    const TestSeeds seeds(98);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ExpectSameInAllModes(test, seed, "ns3::fabric::LastFirstScheduler");
    }
}

/// One link is to fail far ahead; before that, and within a window, another one fails at once.
void
TestFailuresAnnounced(FunctionCase& test)
{
    for (const uint32_t seed : {1147, 1374}) // in which that happens
    {
        ExpectSameInAllModes(test, seed, "ns3::MapScheduler");
        ExpectSameInAllModes(test, seed, "ns3::fabric::LastFirstScheduler");
    }
}

/// Calls of one instant are in order only if they are known before they are handed over.
void
TestCallsKnownTooLate(FunctionCase& test)
{
    Simulation simulation;
    const FabricContainer fabric = SmallTree().Install();
    std::string order;
    for (const uint32_t host : {1, 2})
    {
        fabric.GetDevice(host)->SetReportCallback(
            FrameKind::TRANSPORT,
            Callback<void>([&order, host] { order += std::to_string(host) + " "; }));
    }
    Frame frame{};
    frame.kind = FrameKind::TRANSPORT;
    const auto notify = [&](uint32_t host) {
        fabric.network->Notify(1'000, PeekPointer(fabric.GetDevice(host)), frame);
    };
    notify(2);
    Simulator::Schedule(PicoSeconds(1'000 - Notifier::KNOWN_AHEAD), [&] { notify(1); });
    bool isRefused = false;
    Simulator::Schedule(PicoSeconds(999), [&] {
        try
        {
            notify(1);
        }
        catch (const std::logic_error&)
        {
            isRefused = true;
        }
    });
    Simulator::Run();
    test.ExpectSame(order, "1 2 ", "by location");
    test.Expect(isRefused, "a call that comes after those of its instant");
}

/**
 * Of a message of two frames one is damaged, and the other one stays in the host's buffer for long.
 *
 * @param damaged number of that frame
 * @param lookahead whether switches run ahead
 */
void
ExpectRunLasts(FunctionCase& test, uint32_t damaged, bool lookahead)
{
    Simulation simulation;
    FatTreeHelper helper = SmallTree(false);
    helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
    helper.SetDeviceAttribute(7, "ReceiveRate", DataRateValue(DataRate(1'000'000'000)));
    helper.SetErrorModel(ObjectFactory("ns3::ReceiveListErrorModel"));
    const FabricContainer fabric = helper.Install();
    for (const Ptr<ErrorModel>& model : fabric.hostLinks[7]->GetErrorModels())
    {
        DynamicCast<ReceiveListErrorModel>(model)->SetList({damaged});
    }
    uint32_t lost = 0;
    fabric.network->TraceConnectWithoutContext(
        "MessageLost",
        Callback<void, const Message&>([&lost](const Message&) { ++lost; }));
    fabric.GetDevice(0)->SendMessage(LocationOf(7), 8'000);
    Simulator::Run();
    test.ExpectEqual(lost, 1, "lost messages");
    const FabricTotals totals = fabric.network->GetTotals();
    test.Expect(totals.delivered > 3'000, "one frame has come");
    test.ExpectEqual(totals.delivered + totals.dropped.at("corrupt"), 8'000, "and the other not");
    ExpectEmpty(test, fabric);
    // 4 KB at 1 Gb/s take 32 us.
    test.Expect(Simulator::Now() > MicroSeconds(30), "the buffer has drained");
}

void
TestRunLasts(FunctionCase& test)
{
    for (const uint32_t damaged : {0, 1})
    {
        for (const bool lookahead : {true, false})
        {
            ExpectRunLasts(test, damaged, lookahead);
        }
    }
}

/// Tests of what depends on events that ns-3 runs, and must not.
class EventOrderTestSuite : public FunctionSuite
{
  public:
    EventOrderTestSuite()
        : FunctionSuite("fabric-event-order", kUnit)
    {
        Add("DP-5 same bytes with the events of one instant last in, first out", TestLastFirst);
        Add("DP-5 WL-8 same bytes when failures are told after others, and come before them",
            TestFailuresAnnounced);
        Add("DP-7 a call that is known too late is refused", TestCallsKnownTooLate);
        Add("DP-5 WL-5 a run lasts until its last byte is delivered", TestRunLasts);
    }
};

EventOrderTestSuite g_eventOrderTestSuite; ///< Registers itself.

} // namespace

} // namespace ns3::fabric
