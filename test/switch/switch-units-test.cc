/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-path-rule.h"
#include "fabric-planned-changes.h"
#include "fabric-routing-function.h"
#include "fabric-switch-units.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"
#include "fabric-window-grid.h"

#include "ns3/test.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t UNIT_PORTS = 8;      ///< Ports of the switches here.
constexpr uint32_t UNIT_PAYLOAD = 1000; ///< Bytes of each frame here: four units.
constexpr TimePs ARRIVAL = 5 * US;      ///< When frames come, ps.
constexpr uint16_t FIRST_UPLINK = 4;    ///< Ports 4 to 7 lead to all destinations.

Frame
FrameOf(FlowId flow, LocationId dst, uint32_t dataFlow)
{
    Frame frame{};
    frame.time = ARRIVAL;
    frame.src = 1;
    frame.dst = dst;
    frame.flow = flow;
    frame.payload = UNIT_PAYLOAD;
    frame.dataFlow = dataFlow;
    return frame;
}

/// @return routes by which ports 4 to 7 lead to 100 destinations
Routing
Uplinks()
{
    return Routing(std::vector<PortRange>(100, PortRange{FIRST_UPLINK, 4}));
}

/// Where all ports may be taken, a rule that allows everything changes no choice.
void
TestRuleThatAllows(FunctionCase& test)
{
    std::mt19937_64 random(1);
    OutputLoads loads(UNIT_PORTS, MarkRules{}, 1);
    const ClassMap vcs{0, 1, 2};
    const uint32_t bias = 0;
    RoutingFunction plain(loads, vcs, bias, 77);
    RoutingFunction ruled(loads, vcs, bias, 77);
    plain.SetRoutes(Uplinks());
    ruled.SetRoutes(Uplinks());
    ruled.SetRule([](const Frame&, uint32_t) { return true; });
    std::vector<uint32_t> taken(UNIT_PORTS, 0);
    for (uint32_t i = 0; i < 4000; ++i)
    {
        Frame frame = FrameOf(NO_FLOW, random() % 100, random());
        frame.trafficClass = random() % 3;
        const bool ordered = random() % 2 == 0;
        const Hop a = plain.Choose(0, frame, ordered, 0);
        const Hop b = ruled.Choose(0, frame, ordered, 0);
        test.Expect(a.output == b.output && a.vc == b.vc, "frame " + std::to_string(i));
        test.Expect(a.vc == vcs[frame.trafficClass], "the channel of its class");
        test.Expect(ordered || std::all_of(taken.begin() + FIRST_UPLINK,
                                           taken.end(),
                                           [&](uint32_t load) { return taken[a.output] <= load; }),
                    "no port has less to send");
        InputQueue queue;
        queue.output = a.output;
        loads.BeginWait(queue, frame, true, 0);
        taken[a.output] += WireBytes(frame.payload);
    }
}

/// Ports that are down, lead nowhere or are not allowed are not taken.
void
TestExceptions(FunctionCase& test)
{
    OutputLoads loads(UNIT_PORTS, MarkRules{}, 1);
    const ClassMap vcs{};
    const uint32_t bias = 0;
    RoutingFunction routing(loads, vcs, bias, 3);
    routing.SetRoutes(Uplinks());
    const Frame frame = FrameOf(NO_FLOW, 7, 0);
    routing.SetDown(4, true);
    routing.SetRule([](const Frame& f, uint32_t port) { return f.dst != 7 || port != 6; });
    for (uint32_t i = 0; i < 200; ++i)
    {
        const Hop hop = routing.Choose(0, frame, i % 2 == 0, 0);
        test.Expect(hop.output == 5 || hop.output == 7, "neither down nor forbidden");
    }
    routing.SetDown(5, true);
    routing.SetDown(7, true);
    test.Expect(!routing.Choose(0, frame, false, 0), "refused");
    test.Expect(routing.IsReachable(7), "though a port leads there");
    test.Expect(routing.Choose(0, FrameOf(NO_FLOW, 8, 0), false, 0).output == 6,
                "others may take it");
    routing.SetRule({});
    test.Expect(routing.Choose(0, frame, false, 0).output == 6, "and all, without the rule");
    routing.SetDown(6, true);
    test.Expect(!routing.IsReachable(7), "no port leads there");
    for (const uint32_t port : {4, 5, 6, 7})
    {
        routing.SetDown(port, false);
    }
    test.Expect(routing.IsReachable(7) && !routing.IsDown(5), "all are up again");
}

/// Tells the same ways to all hosts.
class SameWays : public PathRule
{
  public:
    explicit SameWays(Ways ways)
        : m_ways(std::move(ways))
    {
    }

    uint32_t VirtualChannels() const override
    {
        return 2;
    }

    bool Knows(LocationId) const override
    {
        return true;
    }

    void FindWays(LocationId, CameBy, Ways& ways) const override
    {
        ways.insert(ways.end(), m_ways.begin(), m_ways.end());
    }

    void DrawWays(LocationId, CameBy, std::minstd_rand&, Ways& ways) const override
    {
        const auto isFirst = [](const Way& way) { return way.rank == 0; };
        std::copy_if(m_ways.begin(), m_ways.end(), std::back_inserter(ways), isFirst);
    }

  private:
    Ways m_ways;
};

/// @return up to one way by each port, the first of them of rank 0
Ways
DrawWaysOfPorts(std::mt19937_64& random)
{
    Ways ways;
    for (uint16_t port = 0; port < UNIT_PORTS; ++port)
    {
        const auto vc = static_cast<uint8_t>(random() % 2);
        const auto hops = static_cast<uint8_t>(1 + random() % 4);
        const auto rank = static_cast<uint8_t>(ways.empty() ? 0 : random() % 3);
        const bool isDetour = random() % 2 == 0;
        if (random() % 3 != 0)
        {
            ways.push_back({port, vc, hops, rank, isDetour});
        }
    }
    return ways;
}

/// Of the ways that are left, those of the lowest rank count, and of them what is ahead and the
/// frame itself times hops, and the bias of detours. Frames in order look at nothing that is ahead.
void
TestCheapestWay(FunctionCase& test)
{
    const TestSeeds seeds(300);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        const Ways ways = DrawWaysOfPorts(random);
        OutputLoads loads(UNIT_PORTS, MarkRules{}, 1);
        const ClassMap vcs{};
        const auto bias = static_cast<uint32_t>(random() % 4 * 2500);
        RoutingFunction routing(loads, vcs, bias, 5);
        routing.SetRoutes(Routing(std::make_shared<SameWays>(ways)));
        std::vector<uint64_t> ahead(UNIT_PORTS, 0);
        for (uint32_t step = 0; step < 40; ++step)
        {
            const uint32_t port = random() % UNIT_PORTS;
            routing.SetDown(port, random() % 2 == 0);
            const bool isOrdered = random() % 3 == 0;
            Frame frame = FrameOf(NO_FLOW, 7, static_cast<uint32_t>(random()));
            std::map<uint64_t, std::set<uint32_t>> byCost; // ports
            uint32_t rank = 3;
            for (const Way& way : ways)
            {
                if (routing.IsDown(way.port) || way.rank > rank)
                {
                    continue;
                }
                if (way.rank < rank)
                {
                    byCost.clear();
                    rank = way.rank;
                }
                const uint64_t bytes = WireBytes(UNIT_PAYLOAD) + (isOrdered ? 0 : ahead[way.port]);
                byCost[bytes * way.hops + (way.isDetour ? bias : 0)].insert(way.port);
            }
            const Hop hop = routing.Choose(0, frame, isOrdered, 0);
            const std::string what = Text("seed ", seed, ", step ", step, ": ", hop.output).Str();
            if (byCost.empty())
            {
                test.Expect(!hop, what);
                continue;
            }
            test.Expect(byCost.begin()->second.count(hop.output) == 1, what);
            InputQueue queue;
            queue.output = hop.output;
            loads.BeginWait(queue, frame, false, 0);
            ahead[hop.output] += WireBytes(UNIT_PAYLOAD);
        }
    }
}

/// Changes come by time, kind and port, and of equal ones in the order of the calls.
void
TestPlannedChanges(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 50; ++seed)
    {
        std::mt19937_64 random(seed);

        struct Expected
        {
            TimePs at;
            uint32_t kind;
            uint32_t port;
            bool wakes;
            uint32_t number;
        };

        std::vector<Expected> expected;
        std::vector<uint32_t> order;
        PlannedChanges changes;
        for (uint32_t i = 0; i < 60; ++i)
        {
            const Expected e{static_cast<TimePs>(random() % 5),
                             static_cast<uint32_t>(random() % 6),
                             static_cast<uint32_t>(random() % 3),
                             random() % 8 == 0,
                             i};
            expected.push_back(e);
            changes.Plan({e.at,
                          static_cast<PlannedChanges::Kind>(e.kind),
                          e.port,
                          e.wakes,
                          [&order, i](TimePs) { order.push_back(i); }});
        }
        std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) {
            return std::tie(a.at, a.kind, a.port) < std::tie(b.at, b.kind, b.port);
        });
        for (uint32_t i = 0; i < expected.size(); ++i)
        {
            const auto waking = std::find_if(expected.begin() + i,
                                             expected.end(),
                                             [](const auto& e) { return e.wakes; });
            test.Expect(changes.FirstWaking() == (waking == expected.end() ? NEVER : waking->at),
                        "the first that wakes");
            test.Expect(changes.First() == expected[i].at, "the first");
            changes.Take().apply(0);
            test.Expect(order.back() == expected[i].number, "seed " + std::to_string(seed));
        }
        test.Expect(changes.First() == NEVER && changes.FirstWaking() == NEVER, "none is left");
    }
}

/// A switch without links that holds three frames of a flow and one without.
std::unique_ptr<SwitchUnits>
HoldingUnits()
{
    SwitchConfig config;
    config.ports = UNIT_PORTS;
    auto units = std::make_unique<SwitchUnits>(config);
    units->routing.SetRoutes(Uplinks());
    for (uint32_t i = 0; i < 4; ++i)
    {
        const Frame frame = i < 3 ? FrameOf(5, 9, 4 * i) : FrameOf(NO_FLOW, 11, 3);
        units->buffers.Hold(2, frame, ARRIVAL);
        units->entry.Join(2, frame, ARRIVAL);
    }
    return units;
}

/**
 * The checks of a switch find what is wrong.
 *
 * @param harm does something wrong to a switch that is in order
 */
void
ExpectFound(FunctionCase& test,
            const std::string& what,
            const std::function<void(SwitchUnits&)>& harm)
{
    const auto units = HoldingUnits();
    units->audit.CheckInvariants();
    harm(*units);
    bool isFound = false;
    try
    {
        units->audit.CheckInvariants();
    }
    catch (const std::logic_error&)
    {
        isFound = true;
    }
    test.Expect(isFound, what);
}

void
TestAudit(FunctionCase& test)
{
    const auto flow = [](SwitchUnits& units) -> FlowRecord& { return units.inputs[2].flows.At(5); };
    ExpectFound(test, "bytes of a buffer", [](auto& units) { ++units.inputs[2].heldBytes; });
    ExpectFound(test, "bytes of an output", [](auto& units) {
        Frame frame = FrameOf(NO_FLOW, 9, 0);
        InputQueue queue;
        queue.output = 4;
        units.loads.BeginWait(queue, frame, true, 0);
    });
    ExpectFound(test, "an extent", [&flow](auto& units) { ++flow(units).dataFlow; });
    ExpectFound(test, "a queue that asks nobody", [&flow](auto& units) {
        std::vector<QueueRef> queues;
        units.crossbar.Withdraw(flow(units).queue.output, queues);
    });
    ExpectFound(test, "a queue that stands in no list", [&flow](auto& units) {
        flow(units).queue.stands = InputQueue::LACKS_ID;
    });
    ExpectFound(test, "a debt without amount", [&flow](auto& units) {
        flow(units).owes |= FlowRecord::LOSSES;
        units.outputs[2].acks.Add(5, ARRIVAL);
    });
    ExpectFound(test, "an amount without debt", [&flow](auto& units) {
        flow(units).unsentAcks = 1;
    });
    ExpectFound(test, "a debt that stands in no list", [&flow](auto& units) {
        flow(units).unsentAcks = 1;
        flow(units).owes |= FlowRecord::ACKS;
    });
    ExpectFound(test, "a channel that is closed too early", [&flow](auto& units) {
        flow(units).state = 0;
    });
    ExpectFound(test, "an id that leads to another flow", [&flow](auto& units) {
        flow(units).outgoing = units.outputs[flow(units).queue.output].flows.Allocate({3, 3}, 0);
    });
    ExpectFound(test, "a link that is down and in use", [&flow](auto& units) {
        units.routing.SetDown(flow(units).queue.output, true);
    });
    // A queue that is held may stand nowhere.
    const auto units = HoldingUnits();
    std::vector<QueueRef> queues;
    units->crossbar.Withdraw(flow(*units).queue.output, queues);
    for (const QueueRef ref : queues)
    {
        units->ports.Find(ref).queue->holds |= InputQueue::NO_HEADROOM;
    }
    units->audit.CheckInvariants();
    test.Expect(!queues.empty(), "queues that asked the output");
}

/// What ends a hold offers the queue again, and nothing else does.
void
TestHolds(FunctionCase& test)
{
    const auto units = HoldingUnits();
    const QueuePlace place = units->ports.Find({2, 5});
    const auto stands = [&place](uint8_t where) { return place.queue->stands == where; };
    test.Expect(stands(InputQueue::LISTED), "it asks its output");
    units->congestion.TakeCredit(place, 0, ARRIVAL);
    test.Expect(stands(InputQueue::LISTED), "metered, it stays until its turn comes");
    OutputPort& output = units->outputs[place.queue->output];
    output.transmitter.Connect(LinkRate(200'000'000'000), LinkTiming{1 * US, 0, 0, false}, nullptr);
    output.transmitter.Credits().Configure(TAKES_EVERYTHING);
    const auto ready = [&] {
        return units->crossbar.Ready(output,
                                     output.lists.Waiting(),
                                     ARRIVAL,
                                     [](const QueuePlace&) { return false; });
    };
    test.Expect(!(ready() == place.ref), "its turn is passed over");
    test.Expect(stands(InputQueue::NOWHERE), "and it asks no longer");
    units->audit.CheckInvariants();
    units->congestion.TakeCredit(place, 3, ARRIVAL);
    test.Expect(stands(InputQueue::LISTED), "a credit lets it ask again");
    place.queue->holds |= InputQueue::CHANGES_PATH;
    ready();
    test.Expect(stands(InputQueue::NOWHERE), "a flow that changes its path does not ask");
    units->congestion.TakeCredit(place, 200, ARRIVAL);
    test.Expect(stands(InputQueue::NOWHERE), "whatever credits come");
    test.Expect(units->paths.Leave(place.ref, ARRIVAL) == 0, "nothing is lost");
    test.Expect(stands(InputQueue::LISTED) && place.queue->holds == 0, "until it has changed it");
    test.Expect(!place.record->Is(FlowRecord::METERED), "credits were those of the other path");
    units->audit.CheckInvariants();
}

/// A switch without links but two: frames come in by port 2, and leave by one of the uplinks.
struct LinkedUnits
{
    LinkedUnits()
        : units(MakeConfig())
    {
        units.routing.SetRoutes(Uplinks());
        agenda.Resize(UNIT_PORTS);
        for (uint32_t port = 0; port < UNIT_PORTS; ++port)
        {
            links[port].Attach(&agenda, port);
            Transmitter& out = units.outputs[port].transmitter;
            out.Connect(LinkRate(200'000'000'000), LinkTiming{1 * US, 0, 0, false}, &links[port]);
            out.Credits().Configure(TAKES_EVERYTHING);
            peers[port].Connect(out.Rate(), out.Timing(), &units.inputs[port].link);
            peers[port].Credits().Configure(TAKES_EVERYTHING);
            units.inputs[port].sender = &peers[port];
            agenda.AddHost(port);
            units.inputs[port].credits =
                CreditPath(CreditEnd::OfHost(peers[port].Credits(), agenda, port), 0);
        }
    }

    /// @return settings of the switch
    static SwitchConfig MakeConfig()
    {
        SwitchConfig config;
        config.ports = UNIT_PORTS;
        config.buffer.shares.virtualChannels = 2;
        config.buffer.vcOfClass[0] = 1;
        return config;
    }

    /// A frame of flow 5 comes in by port 2.
    QueuePlace Arrive(uint32_t dataFlow)
    {
        Frame frame = FrameOf(5, 9, dataFlow);
        peers[2].Credits().Consume(frame.vc, WireBytes(frame.payload));
        units.buffers.Hold(2, frame, ARRIVAL);
        units.entry.Join(2, frame, ARRIVAL);
        return units.ports.Find({2, 5});
    }

    SwitchUnits units;
    Agenda agenda;
    InputLink links[UNIT_PORTS];
    Transmitter peers[UNIT_PORTS];
    TimePs decision{NEVER};
};

/// Room is given back on the channel by which a frame came, not on the one by which it goes.
void
TestRoom(FunctionCase& test)
{
    LinkedUnits linked;
    const QueuePlace place = linked.Arrive(0);
    test.Expect(place.queue->vc == 1, "it goes by channel 1");
    linked.units.sender.Decide(place.queue->output, ARRIVAL);
    LinkCredits& credits = linked.peers[2].Credits();
    test.Expect(linked.links[place.queue->output].Frames().Size() == 1, "it is sent");
    test.Expect(credits.OnTheWay(0) == WireBytes(UNIT_PAYLOAD) && credits.OnTheWay(1) == 0,
                "it came by channel 0");
}

/// ACKs for a full frame are sent at once, fewer wait for others.
void
TestFullAckFrame(FunctionCase& test)
{
    LinkedUnits linked;
    const uint32_t decision = linked.units.clock.GetAgenda().EntryOf(Task::DECIDE, 2);
    for (FlowId flow = 1; flow <= MAX_ACKS_PER_FRAME; ++flow)
    {
        FlowRecord& record = linked.units.inputs[2].flows.Open(flow, 1, 2, 0);
        record.nextDataFlow = record.dataFlow = record.ackFlow = 1;
        record.unsentAcks = 1;
        linked.units.acks.Owe(2, flow, FlowRecord::ACKS, ARRIVAL);
        const TimePs at = linked.units.clock.GetAgenda().At(decision);
        test.Expect((at == ARRIVAL) == (flow == MAX_ACKS_PER_FRAME),
                    std::to_string(flow) + " ACKs: " + std::to_string(at));
    }
    linked.units.sender.Decide(2, ARRIVAL);
    test.Expect(linked.units.outputs[2].acks.IsEmpty(), "all are sent");
    const TransmitCounts& counts = linked.units.outputs[2].transmitter.Counts();
    test.Expect(counts.acks == MAX_ACKS_PER_FRAME && counts.controlFrames == 1 &&
                    counts.controlBytes == AckFrameBytes(MAX_ACKS_PER_FRAME),
                "in one frame");
}

/**
 * A link fails under a flow that is metered and has sent all that it had: its ids are free, and its
 * next frame, which may come before upstream has heard, is not held.
 */
void
TestAbandoned(FunctionCase& test)
{
    LinkedUnits linked;
    SwitchUnits& units = linked.units;
    const QueuePlace place = linked.Arrive(0);
    const uint16_t before = place.queue->output;
    units.sender.Decide(before, ARRIVAL);
    test.Expect(place.record->outgoing != NO_FLOW && place.queue->IsEmpty(), "it is sent");
    units.congestion.TakeCredit(place, 0, ARRIVAL);
    units.failures.FailAt(before, ARRIVAL + 300, 0);
    units.changes.Take().apply(ARRIVAL + 300);
    test.Expect(place.record->outgoing == NO_FLOW && place.record->Is(FlowRecord::OPEN),
                "it is free, and owes an ACK");
    test.Expect(units.outputs[before].flows.UseTime(ARRIVAL + 5000) == 300,
                "its id was used 300 ps");
    linked.Arrive(FlowUnits(UNIT_PAYLOAD));
    test.Expect(place.queue->output != before, "it goes around");
    test.Expect(place.queue->stands == InputQueue::LISTED && place.queue->holds == 0, "at once");
    units.audit.CheckInvariants();
}

/// A flow whose frames have all been acknowledged begins anew, whatever its upstream is still owed.
void
TestDrained(FunctionCase& test)
{
    SwitchConfig config;
    config.ports = UNIT_PORTS;
    SwitchUnits units(config);
    units.routing.SetRoutes(Uplinks());
    const auto join = [&units](uint32_t dataFlow) {
        const Frame frame = FrameOf(5, 9, dataFlow);
        units.buffers.Hold(2, frame, ARRIVAL);
        units.entry.Join(2, frame, ARRIVAL);
    };
    join(0);
    const QueuePlace place = units.ports.Find({2, 5});
    OutputPort& output = units.outputs[place.queue->output];
    InputLink next;
    output.transmitter.Connect(LinkRate(200'000'000'000), LinkTiming{1 * US, 0, 0, false}, &next);
    output.transmitter.Credits().Configure(TAKES_EVERYTHING);
    const QueueRef ready =
        units.crossbar.Ready(output, ~0U, ARRIVAL, [](const QueuePlace&) { return false; });
    test.Expect(ready == place.ref && place.record->outgoing != NO_FLOW, "it has an id");
    // As if it were sent: then its next switch meters it, with no headroom left.
    units.buffers.CountOut(*place.input, units.queues.TakeUnsent(*place.queue, 0));
    units.crossbar.PassTurn(output, place, WireBytes(UNIT_PAYLOAD));
    place.record->dataFlow = place.record->nextDataFlow;
    units.congestion.TakeCredit(place, 0, ARRIVAL);
    test.Expect(place.queue->holds == InputQueue::NO_HEADROOM, "it is held");
    units.acknowledgement.Acknowledge(place.ref, FlowUnits(UNIT_PAYLOAD), false, ARRIVAL);
    test.Expect(place.record->outgoing == NO_FLOW && place.record->Is(FlowRecord::OPEN),
                "its id is free, and its upstream has not heard yet");
    join(FlowUnits(UNIT_PAYLOAD));
    test.Expect(!place.record->Is(FlowRecord::METERED), "it is on a new path");
    test.Expect(place.queue->stands == InputQueue::LISTED, "and asks at once");
    units.audit.CheckInvariants();
}

/// Windows begin at multiples of their length, whatever time was asked for before.
void
TestWindowGrid(FunctionCase& test)
{
    WindowGrid grid;
    test.ExpectEqual(grid.Length(), NEVER, "nothing limits it");
    test.ExpectEqual(grid.StartOf(5 * US), 0, "a single window");
    const TestSeeds seeds(20);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        WindowGrid windows;
        for (TimePs length : {TimePs(3'000'000), TimePs(350'000), TimePs(999), TimePs(1)})
        {
            windows.Limit(length);
            windows.Limit(length + 1); // longer: without effect
            test.ExpectEqual(windows.Length(), length, "the shortest counts");
            TimePs time = static_cast<TimePs>(random() >> 2);
            for (uint32_t i = 0; i < 1000; ++i)
            {
                const TimePs start = time / length * length;
                test.ExpectEqual(windows.StartOf(time), start, "of " + std::to_string(time));
                test.ExpectEqual(windows.EndOf(time), start + length, "its end");
                // Most times are near the one before, on either side.
                const auto step = static_cast<TimePs>(random() % (4 * length));
                const bool isFar = random() % 8 == 0;
                time = isFar ? static_cast<TimePs>(random() >> 2)
                             : std::max<TimePs>(0, time - length + step);
            }
        }
    }
}

/// Units of a switch without a switch around them.
class SwitchUnitsSuite : public FunctionSuite
{
  public:
    SwitchUnitsSuite()
        : FunctionSuite("fabric-switch-units", kUnit)
    {
        Add("FC-12 a rule that allows everything changes no choice", TestRuleThatAllows);
        Add("FC-12 ports that can't be taken are not", TestExceptions);
        Add("FC-12 SU-6 the cheapest way of the lowest rank is taken", TestCheapestWay);
        Add("DP-6 DP-7 planned changes come in their order", TestPlannedChanges);
        Add("FC-17 the checks of a switch find what is wrong", TestAudit);
        Add("SU-4 CM-5 WL-8 a queue asks when nothing holds it", TestHolds);
        Add("CM-5 FC-8 a flow that has drained begins anew", TestDrained);
        Add("CM-5 WL-8 a flow whose link fails begins anew", TestAbandoned);
        Add("WL-4 room is given back on the channel of arrival", TestRoom);
        Add("DP-3 windows begin at multiples of their length", TestWindowGrid);
        Add("WL-2 WL-3 a full frame of ACKs goes at once", TestFullAckFrame);
    }
};

SwitchUnitsSuite g_switchUnitsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
