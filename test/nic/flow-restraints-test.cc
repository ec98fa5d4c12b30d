/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fgfc-teller.h"
#include "fabric-flow-restraints.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"
#include "support/fabric-time-units.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return a flow of a process
FlowKey
FlowOfProcess(uint32_t process)
{
    FlowKey key;
    key.destination = 5;
    key.process = process;
    return key;
}

/// @return restraints of flows that are told apart by all fields, with so many of them
FlowRestraints
RestraintsOf(uint32_t flows)
{
    FlowRestraints restraints([](const FlowKey& key) { return key; });
    for (uint32_t flow = 0; flow < flows; ++flow)
    {
        restraints.Open(FlowOfProcess(flow));
    }
    return restraints;
}

/// @return the queues that are released by a time
std::vector<uint32_t>
ReleasedBy(FlowRestraints& restraints, TimePs now)
{
    std::vector<uint32_t> released;
    restraints.Update(now, [&released](uint32_t queue) { released.push_back(queue); });
    return released;
}

/// Queues that the switch does not tell apart are one flow.
void
TestFlows(FunctionCase& self)
{
    FlowRestraints restraints([](const FlowKey& key) { return key & FlowKey::MaskOf(0); });
    const uint32_t flow = restraints.Open(FlowOfProcess(1));
    self.Expect(restraints.Open(FlowOfProcess(2)) == flow, "processes are not told apart");
    FlowKey other = FlowOfProcess(1);
    other.destination = 6;
    self.Expect(restraints.Open(other) != flow, "destinations are");
    self.Expect(restraints.Pattern(flow) == (FlowOfProcess(1) & FlowKey::MaskOf(0)),
                "the pattern has the fields that count");
}

/// A flow is restrained for its time, by its credit, until it is told otherwise.
void
TestRestraint(FunctionCase& self)
{
    FlowRestraints restraints = RestraintsOf(2);
    restraints.Accept({10 * NS, 100 * NS, 0, 0});
    self.Expect(ReleasedBy(restraints, 9 * NS).empty() && !restraints.Stops(0), "not yet");
    self.ExpectEqual(restraints.RestrainedUntil(0, 9 * NS), 0, "not yet");
    self.ExpectEqual(restraints.RestrainedUntil(0, 10 * NS), 110 * NS, "from then on");
    self.ExpectEqual(restraints.RestrainedUntil(1, 10 * NS), 0, "others are not");
    ReleasedBy(restraints, 10 * NS);
    self.ExpectEqual(restraints.RestrainedUntil(0, 10 * NS), 110 * NS, "and when it is known");
    self.Expect(restraints.Stops(0), "without credit it is stopped");
    self.Expect(!restraints.Stops(1), "others are not");
    restraints.Hold(0, 7);
    self.Expect(restraints.HoldsAny() && restraints.NextChange() == 110 * NS, "to the end");

    restraints.Accept({50 * NS, 100 * NS, 0, 16});
    self.Expect(restraints.NextChange() == 50 * NS, "an order may come before the end");
    self.Expect(ReleasedBy(restraints, 50 * NS) == std::vector<uint32_t>{7}, "credit releases it");
    restraints.Sent(0, 12);
    self.Expect(!restraints.Stops(0), "some credit is left");
    restraints.Sent(0, 12);
    self.Expect(restraints.Stops(0), "credit may fall below 0");
    restraints.Hold(0, 7);
    restraints.Accept({60 * NS, 100 * NS, 0, 8});
    self.Expect(ReleasedBy(restraints, 60 * NS).empty(), "8 of new credit are 0 in all");
    self.Expect(restraints.NextChange() == 160 * NS, "its time counts from the last order");
    self.Expect(ReleasedBy(restraints, 160 * NS) == std::vector<uint32_t>{7},
                "after its time it is free, so that a lost order holds nothing up");
    self.Expect(!restraints.Stops(0) && !restraints.HoldsAny(), "and nothing waits");

    restraints.Accept({170 * NS, 100 * NS, 0, 3});
    ReleasedBy(restraints, 170 * NS);
    restraints.Sent(0, 3);
    self.Expect(restraints.Stops(0), "credit of before does not count");
    restraints.Hold(0, 7);
    restraints.Accept({180 * NS, 0, 0, 0});
    self.Expect(ReleasedBy(restraints, 180 * NS) == std::vector<uint32_t>{7}, "no time lifts it");
    self.Expect(!restraints.Stops(0), "it is free");
}

/// A link that has failed takes all orders with it.
void
TestForget(FunctionCase& self)
{
    FlowRestraints restraints = RestraintsOf(2);
    restraints.Accept({10 * NS, 100 * NS, 0, 0});
    ReleasedBy(restraints, 10 * NS);
    restraints.Hold(0, 3);
    restraints.Accept({20 * NS, 100 * NS, 1, 0, 15 * NS});
    restraints.Accept({40 * NS, 100 * NS, 1, 0, 25 * NS});
    restraints.Accept({60 * NS, 100 * NS, 1, 0, 45 * NS});
    std::vector<uint32_t> released;
    const uint32_t lost =
        restraints.Forget(30 * NS, [&released](uint32_t queue) { released.push_back(queue); });
    self.Expect(lost == 2, "the orders before are lost");
    self.Expect(released == std::vector<uint32_t>{3} && !restraints.Stops(0), "all go on");
    ReleasedBy(restraints, 40 * NS);
    self.Expect(!restraints.Stops(1), "also one that would be obeyed after it");
    ReleasedBy(restraints, 60 * NS);
    self.Expect(restraints.Stops(1), "the order after it counts");
}

/// Random orders and frames; a flow's state is worked out anew from all that has happened to it.
void
TestAgainstHistory(FunctionCase& self)
{
    constexpr uint32_t FLOWS = 4;

    struct Happened
    {
        TimePs at;
        FgfcOrder order; // if units is 0
        uint32_t units;  // sent
    };

    const TestSeeds seeds(200);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        FlowRestraints restraints = RestraintsOf(FLOWS);
        std::vector<std::vector<Happened>> history(FLOWS);
        std::vector<bool> waits(FLOWS);
        TimePs now = 0;
        TimePs lastOrder = 0;
        for (uint32_t step = 0; step < 200; ++step)
        {
            now += static_cast<TimePs>(random() % 40);
            const std::vector<uint32_t> released = ReleasedBy(restraints, now);
            for (uint32_t flow = 0; flow < FLOWS; ++flow)
            {
                TimePs until = 0;
                int64_t credit = 0;
                std::stable_sort(history[flow].begin(),
                                 history[flow].end(),
                                 [](const Happened& a, const Happened& b) { return a.at < b.at; });
                for (const Happened& h : history[flow])
                {
                    if (h.at > now)
                    {
                        continue;
                    }
                    if (h.units != 0)
                    {
                        credit -= h.units;
                        continue;
                    }
                    credit = (until > h.at ? credit : 0) + h.order.credit;
                    until = h.at + h.order.lasts;
                }
                const bool stops = until > now && credit <= 0;
                self.Expect(restraints.Stops(flow) == stops,
                            Text("seed ",
                                 seed,
                                 ", step ",
                                 step,
                                 ": flow ",
                                 flow,
                                 " is stopped ",
                                 restraints.Stops(flow),
                                 " and should be ",
                                 stops));
                const bool isReleased =
                    std::find(released.begin(), released.end(), flow) != released.end();
                self.Expect(isReleased == (waits[flow] && !stops),
                            Text("seed ",
                                 seed,
                                 ", step ",
                                 step,
                                 ": flow ",
                                 flow,
                                 " is released ",
                                 isReleased));
                waits[flow] = waits[flow] && stops;
                if (stops && !waits[flow])
                {
                    restraints.Hold(flow, flow);
                    waits[flow] = true;
                }
                else if (!stops && random() % 3 == 0)
                {
                    const auto units = static_cast<uint32_t>(1 + random() % 16);
                    restraints.Sent(flow, units);
                    history[flow].push_back({now, {}, units});
                }
            }
            if (random() % 2 == 0)
            {
                lastOrder = std::max(lastOrder, now + 1) + static_cast<TimePs>(random() % 50);
                const TimePs lasts = random() % 4 == 0 ? 0 : static_cast<TimePs>(random() % 200);
                const auto flow = static_cast<uint32_t>(random() % FLOWS);
                const FgfcOrder order{lastOrder, lasts, flow, static_cast<uint32_t>(random() % 20)};
                restraints.Accept(order);
                history[flow].push_back({order.time, order, 0});
            }
        }
    }
}

/// The host is told of a flow at once, again after a time, and that it is free.
void
TestTeller(FunctionCase& self)
{
    FgfcTeller teller(200 * NS, 1000);
    self.Expect(teller.NextTime() == NEVER, "nothing to tell");
    teller.Begin(9, 2, 70);
    teller.Tell(9);
    self.Expect(teller.IsDue(0) && teller.Next() == 2, "at once");
    self.Expect(teller.NextBytes() == 70, "in a frame that names the flow");
    self.Expect(teller.Take(10 * NS).channel == 9, "it is restrained");
    self.Expect(!teller.IsDue(109 * NS) && teller.NextTime() == 110 * NS, "once for both");
    teller.Begin(3, 0, 90);
    self.Expect(teller.NextBytes() == 90, "in a frame of its own size");
    self.Expect(teller.Next() == 0 && teller.Take(50 * NS).channel == 3, "another flow");
    self.Expect(teller.IsDue(110 * NS) && teller.Next() == 2, "it is refreshed");
    teller.Take(110 * NS);
    teller.End(9);
    teller.Begin(9, 1, 80);
    self.Expect(teller.Take(120 * NS).channel == NO_FLOW,
                "it is free, though its channel is another's");
    self.Expect(teller.Take(120 * NS).channel == 9, "which is restrained");
    teller.TellAll();
    self.Expect(teller.Next() == 0, "after a failure all that are restrained, by number");
    self.Expect(teller.Take(130 * NS).channel == 3 && teller.Take(130 * NS).channel == 9, "both");
    self.Expect(teller.Told() == 7, "so often the host was told");
    teller.End(3);
    teller.End(9);
    teller.Take(140 * NS);
    teller.Take(140 * NS);
    self.Expect(teller.NextTime() == NEVER, "nothing is restrained any more");
}

/// Of a flow that stands still a host is told a few times more.
void
TestRefreshes(FunctionCase& self)
{
    FgfcTeller teller(200 * NS, 3);
    teller.Begin(9, 2, 70);
    const auto countRefreshes = [&] {
        uint32_t count = 0;
        for (; teller.NextTime() != NEVER; ++count)
        {
            self.Expect(teller.Take(teller.NextTime()).channel == 9, "it is restrained");
        }
        return count;
    };
    self.Expect(countRefreshes() == 4, "at once, and three times more");
    self.Expect(teller.Moved(9) && teller.IsDue(5000 * NS), "a frame has left: it is told of that");
    self.Expect(teller.Take(5000 * NS).channel == 9 && teller.NextTime() == 5800 * NS, "and again");
    teller.Take(5800 * NS);
    self.Expect(!teller.Moved(9) && teller.NextTime() == 6600 * NS, "another one");
    self.Expect(countRefreshes() == 3, "of which it counts anew");
    teller.Tell(9);
    self.Expect(countRefreshes() == 4, "and after news of credit");
    teller.End(9);
    self.Expect(teller.Take(9000 * NS).channel == NO_FLOW && teller.NextTime() == NEVER,
                "it is free");
}

/// Each refresh doubles the pause, and half of it goes by before the next.
void
TestLongerPauses(FunctionCase& self)
{
    FgfcTeller teller(200 * NS, 1000);
    teller.Begin(9, 2, 70);
    const auto take = [&](TimePs at, TimePs pause) {
        const TimePs due = std::max<TimePs>(teller.NextTime(), 100 * NS);
        self.Expect(due == at && teller.Take(at).pause == pause,
                    "at " + std::to_string(at) + " ps");
    };
    take(100 * NS, 200 * NS);
    take(200 * NS, 400 * NS);
    take(400 * NS, 800 * NS);
    teller.Moved(9);
    take(800 * NS, 1600 * NS);
    take(1600 * NS, 1600 * NS);
    teller.End(9);
    self.Expect(teller.Take(1700 * NS).pause == 0, "it is free");
    teller.Begin(9, 2, 70);
    self.Expect(teller.Take(1800 * NS).pause == 200 * NS, "it begins anew");
}

/// No pause grows beyond what a frame can tell.
void
TestLongestPause(FunctionCase& self)
{
    constexpr TimePs SECOND = 1'000'000'000'000;
    for (const TimePs first : {SECOND, SECOND / 10 * 6, SECOND / 10})
    {
        FgfcTeller teller(first, 1000);
        teller.Begin(9, 2, 70);
        TimePs pause = 0;
        for (uint32_t i = 0; i < 6; ++i)
        {
            pause = teller.Take(std::max<TimePs>(teller.NextTime(), 0)).pause;
        }
        self.Expect(pause == std::min(8 * first, SECOND), std::to_string(first) + " ps");
    }
}

/// The suite.
class FlowRestraintsSuite : public FunctionSuite
{
  public:
    FlowRestraintsSuite()
        : FunctionSuite("fabric-flow-restraints", kUnit)
    {
        Add("CM-4 flows are those of the switch", TestFlows);
        Add("CM-4 NQ-16 a flow is restrained", TestRestraint);
        Add("CM-4 WL-8 a failure forgets", TestForget);
        Add("CM-4 against its history", TestAgainstHistory);
        Add("CM-4 when hosts are told", TestTeller);
        Add("CM-4 hosts are not told for ever", TestRefreshes);
        Add("CM-4 pauses grow", TestLongerPauses);
        Add("CM-4 the longest pause", TestLongestPause);
    }
};

FlowRestraintsSuite g_flowRestraintsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
