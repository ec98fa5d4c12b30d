/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-command-application.h"
#include "fabric-command-helper.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-switch.h"
#include "fabric-test-compat.h"
#include "network/fabric-network-scenario.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include "ns3/boolean.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t QUEUES = 2; ///< Of each host; its target queue comes after them.

/// Two hosts with command queues at a switch: what their software learns, and what is on the wire.
class Pair
{
  public:
    Pair()
        : m_simulation()
    {
        const TopologyPlan plan = MakeChainPlan({1});
        m_fabric = FabricHelper().Install(plan, MakeShortestPathRouting(plan));
        m_commands.SetAttribute("Queues", UintegerValue(QUEUES));
        for (uint32_t host = 0; host < 2; ++host)
        {
            m_queues[host] = m_commands.Install(m_fabric, host);
            m_queues[host]->SetReportCallback(
                Callback<void, const CommandReport&>([this, host](const CommandReport& report) {
                    m_text << host << ' ' << report.at << ' ' << report.isOwn << ' ' << report.queue
                           << ' ' << static_cast<int>(report.event) << ' ' << report.bytes << ' '
                           << report.bits << '\n';
                }));
        }
        m_fabric.GetSwitch(0)->TraceConnectWithoutContext(
            "Arrive",
            Callback<void, uint32_t, const Frame&, Time>(
                [this](uint32_t, const Frame& frame, Time) {
                    m_networks.emplace(frame.vni, frame.trafficClass);
                }));
        CommandStream wanted; // any message
        wanted.op = CommandOp::APPEND;
        wanted.arguments.entry.ignore = ~uint64_t{0};
        wanted.arguments.entry.bytes = 1 << 20;
        wanted.arguments.entry.isUseOnce = false;
        m_queues[1]->Post(QUEUES, wanted);
    }

    /// @param stream that host 0 posts
    void Post(uint32_t queue, const CommandStream& stream)
    {
        Simulator::ScheduleNow([this, queue, stream] { m_queues[0]->Post(queue, stream); });
    }

    /// @return an application of host 0, with what was said of it
    Ptr<FabricCommandApplication> AddApplication(uint32_t queue)
    {
        return m_commands.InstallInitiator(m_fabric, 0, 1, queue);
    }

    /// @return what software has learnt, and virtual networks and classes of all frames
    std::string Run()
    {
        Simulator::Run();
        for (const auto& [vni, trafficClass] : m_networks)
        {
            m_text << "VNI " << vni << ", class " << trafficClass << '\n';
        }
        return m_text.str();
    }

  private:
    Simulation m_simulation;                            ///< Ends with them.
    FabricContainer m_fabric;                           ///< Both hosts and the switch.
    FabricCommandHelper m_commands;                     ///< Installs the rest.
    Ptr<FabricCommandQueues> m_queues[2];               ///< By host.
    std::set<std::pair<uint32_t, uint32_t>> m_networks; ///< VNI and class of frames.
    std::ostringstream m_text;                          ///< What software has learnt.
};

/// What an application may be told.
struct Choices
{
    explicit Choices(std::minstd_rand& random)
        : queue(random() % QUEUES),
          streamNumber(random() % 1000)
    {
        constexpr CommandOp OPS[] = {CommandOp::PUT,
                                     CommandOp::SEND,
                                     CommandOp::TAGGED,
                                     CommandOp::GET};
        operation = random() % 4;
        stream.op = OPS[operation];
        stream.flow.dst = LocationOf(1);
        stream.flow.trafficClass = static_cast<uint8_t>(random() % 4);
        stream.flow.vni = static_cast<uint16_t>(random());
        stream.flow.process = queue;
        stream.bytes = random() % 2 == 0 ? random() % 100 : random() % 20'000;
        stream.count = 1 + random() % 20;
        stream.gap = random() % 2 == 0 ? 0 : 1 + random() % 2'000'000;
        stream.isRandom = random() % 2 == 0;
        stream.outstanding = random() % 4;
        stream.arguments.entry.bits = random();
    }

    /// An application is told all of it.
    void Tell(FabricCommandApplication& application) const
    {
        constexpr const char* NAMES[] = {"put", "send", "tagged", "get"};
        application.SetAttribute("Operation", StringValue(NAMES[operation]));
        application.SetAttribute("TrafficClass", UintegerValue(stream.flow.trafficClass));
        application.SetAttribute("Vni", UintegerValue(stream.flow.vni));
        application.SetAttribute("Bytes", UintegerValue(stream.bytes));
        application.SetAttribute("Count", UintegerValue(stream.count));
        application.SetAttribute("Interval", TimeValue(PicoSeconds(stream.gap)));
        application.SetAttribute("Poisson", BooleanValue(stream.isRandom));
        application.SetAttribute("Outstanding", UintegerValue(stream.outstanding));
        application.SetAttribute("MatchBits", UintegerValue(stream.arguments.entry.bits));
        application.AssignStreams(streamNumber);
    }

    /// @return the stream, with a seed from ns-3's random stream
    CommandStream Stream() const
    {
        CommandStream seeded = stream;
        const auto uniform = CreateObject<UniformRandomVariable>();
        uniform->SetStream(streamNumber);
        seeded.seed = uniform->GetInteger(1, 0x7FFFFFFF);
        return seeded;
    }

    uint32_t queue;       ///< Of the host.
    int64_t streamNumber; ///< Of random numbers.
    uint32_t operation;   ///< Its number among those of applications.
    CommandStream stream; ///< All the rest.
};

/// An application does what a stream of commands does that is posted by hand, with all that it may
/// be told.
void
TestAsPosted(FunctionCase& test)
{
    const TestSeeds seeds(60);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const Choices choices(random);
        std::string expected;
        {
            Pair pair;
            pair.Post(choices.queue, choices.Stream());
            expected = pair.Run();
        }
        Pair pair;
        choices.Tell(*pair.AddApplication(choices.queue));
        test.ExpectSame(pair.Run(), expected, "seed " + std::to_string(seed));
    }
}

/// Of each choice something is seen.
void
TestEachChoice(FunctionCase& test)
{
    const auto run = [](const std::function<void(FabricCommandApplication&)>& choose) {
        Pair pair;
        const Ptr<FabricCommandApplication> application = pair.AddApplication(0);
        application->SetAttribute("Operation", StringValue("tagged"));
        application->SetAttribute("Count", UintegerValue(10));
        application->SetAttribute("Interval", TimeValue(NanoSeconds(200)));
        application->SetAttribute("Poisson", BooleanValue(true));
        application->AssignStreams(1);
        choose(*application);
        return pair.Run();
    };
    const std::string usual = run([](auto&) {});
    test.Expect(usual == run([](auto&) {}), "the same");
    const auto differs = [&](const std::string& name, const AttributeValue& value) {
        test.Expect(run([&](auto& each) { each.SetAttribute(name, value); }) != usual, name);
    };
    differs("Vni", UintegerValue(5));
    differs("TrafficClass", UintegerValue(1));
    differs("MatchBits", UintegerValue(5));
    differs("Outstanding", UintegerValue(1));
    differs("Interval", TimeValue(NanoSeconds(210)));
    differs("Poisson", BooleanValue(false));
    differs("Bytes", UintegerValue(65));
    differs("Count", UintegerValue(11));
    test.Expect(run([](auto& each) { each.AssignStreams(2); }) != usual, "another random stream");
}

/// The suite.
class CommandApplicationSuite : public FunctionSuite
{
  public:
    CommandApplicationSuite()
        : FunctionSuite("fabric-command-application", kUnit)
    {
        Add("NQ-2 an application is a stream of commands", TestAsPosted);
        Add("NQ-2 each attribute of an application does something", TestEachChoice);
    }
};

CommandApplicationSuite g_commandApplicationSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
