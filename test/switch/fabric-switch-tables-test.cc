/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-agenda.h"
#include "fabric-calendar.h"
#include "fabric-frame-pool.h"
#include "fabric-function-case.h"
#include "fabric-hop-meter.h"
#include "fabric-input-flow-table.h"
#include "fabric-output-flow-table.h"
#include "fabric-output-lists.h"
#include "fabric-routing.h"
#include "fabric-test-compat.h"

#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Runs of the property tests.
constexpr uint64_t SEEDS = 100;

/// Random frames in five queues.
void
CompareOnceFramePool(FunctionCase& test, uint64_t seed)
{
    std::mt19937_64 random(seed);
    FramePool pool;
    std::array<InputQueue, 5> queues;
    std::array<std::deque<uint32_t>, 5> model;
    std::size_t held = 0;
    std::size_t peak = 0;
    for (uint32_t i = 0; i < 2000; ++i)
    {
        const std::size_t q = random() % queues.size();
        if (random() % 2 == 0)
        {
            Frame frame{};
            frame.dataFlow = i;
            frame.next = 77; // what a NIC left there
            queues[q].Append(pool, pool.Put(frame));
            model[q].push_back(i);
            peak = std::max(peak, ++held);
        }
        else if (!model[q].empty())
        {
            const uint32_t index = queues[q].RemoveFirst(pool);
            test.ExpectEqual(pool.At(index).dataFlow, model[q].front(), Text("seed ", seed));
            pool.Free(index);
            model[q].pop_front();
            --held;
        }
        test.ExpectEqual(queues[q].IsEmpty(), model[q].empty(), Text("seed ", seed));
        test.ExpectEqual(pool.Held(), held, Text("seed ", seed));
    }
    test.Expect(pool.NextIndex() <= peak + 1,
                Text("places of freed frames are used again, seed ", seed));
}

/// Frames by index.
void
TestFramePool(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed)
    {
        CompareOnceFramePool(test, seed);
    }
}

/// Entries are added and removed while others are taken, never before what was taken last.
void
RunWindow(FunctionCase& test,
          uint64_t seed,
          std::mt19937_64& random,
          Calendar& calendar,
          uint32_t entries)
{
    const TimePs start = static_cast<TimePs>(random() >> 2);
    const TimePs length = TimePs{1} << (random() % 46);
    std::set<std::pair<TimePs, uint32_t>> model;
    std::vector<TimePs> timeOf(entries, NEVER);
    calendar.Begin(start, start + length, entries, random() % 40);
    TimePs now = start;
    for (uint32_t i = 0; i < 500 || !model.empty(); ++i)
    {
        const auto entry = static_cast<uint32_t>(random() % entries);
        if (i < 500 && random() % 5 < 3)
        {
            if (timeOf[entry] != NEVER)
            {
                calendar.Remove(entry);
                model.erase({timeOf[entry], entry});
            }
            // Many at the same few times.
            const auto left = static_cast<uint64_t>(start + length - now);
            const uint64_t ahead = random() % 2 == 0 ? random() % left : left * (random() % 4) / 4;
            timeOf[entry] = now + static_cast<TimePs>(ahead);
            calendar.Add(entry, timeOf[entry]);
            model.emplace(timeOf[entry], entry);
            continue;
        }
        const DueTask got = calendar.Take();
        const uint32_t expected = model.empty() ? Calendar::NONE : model.begin()->second;
        test.ExpectEqual(got.entry, expected, Text("seed ", seed, ", step ", i));
        if (got.entry == Calendar::NONE)
        {
            break; // the window is over
        }
        now = timeOf[got.entry];
        test.ExpectEqual(got.time, now, Text("seed ", seed, ", step ", i));
        timeOf[got.entry] = NEVER;
        model.erase(model.begin());
    }
}

/// Order of equal times.
void
TestCalendar(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed)
    {
        std::mt19937_64 random(seed);
        const uint32_t entries = 1 + random() % (random() % 2 == 0 ? 200 : 12);
        Calendar calendar; // used for one window after another
        for (uint32_t window = 0; window < 4; ++window)
        {
            RunWindow(test, seed, random, calendar, entries);
        }
    }
    test.Expect(Task::CONTROL < Task::DATA && Task::DATA < Task::DECIDE,
                "an output decides after all arrivals of the same instant");
}

/// Lists of lists: whose turn it is stands in front.
struct Model
{
    bool byPort;
    std::deque<std::pair<uint16_t, std::deque<QueueRef>>> groups;

    /// @return number that the queue's group has
    uint16_t GroupOf(QueueRef ref) const
    {
        return byPort ? ref.input : 0;
    }

    /// A queue comes last in its group, which comes last if it is new.
    void Append(QueueRef ref)
    {
        for (auto& [group, queues] : groups)
        {
            if (group == GroupOf(ref))
            {
                queues.push_back(ref);
                return;
            }
        }
        groups.push_back({GroupOf(ref), {ref}});
    }

    /// The first queue was served.
    void Served(bool stays)
    {
        auto group = groups.front();
        groups.pop_front();
        if (stays)
        {
            group.second.push_back(group.second.front());
        }
        group.second.pop_front();
        if (!group.second.empty())
        {
            groups.push_back(group);
        }
    }

    /// The first queue goes away; its group keeps the turn.
    void RemoveFront()
    {
        groups.front().second.pop_front();
        if (groups.front().second.empty())
        {
            groups.pop_front();
        }
    }
};

/// Random queues that come, are served and go.
void
CompareOnceOutputLists(FunctionCase& test, uint64_t seed, Arbitration arbitration)
{
    constexpr uint32_t INPUTS = 4;
    constexpr uint32_t QUEUES = 5;
    std::mt19937_64 random(seed);
    std::array<std::array<InputQueue, QUEUES>, INPUTS> storage;
    const auto queues = [&storage](QueueRef r) -> InputQueue& { return storage[r.input][r.queue]; };
    std::array<std::array<bool, QUEUES>, INPUTS> listed{};
    OutputLists lists;
    lists.Configure(arbitration, {}, INPUTS);
    const auto list = static_cast<uint32_t>(seed % OutputLists::USUAL);
    Model model{arbitration == ARBITRATE_BY_PORT, {}};
    for (uint32_t i = 0; i < 2000; ++i)
    {
        test.ExpectEqual(lists.Waiting(),
                         (model.groups.empty() ? 0U : 1U << list),
                         Text("lists with queues, seed ", seed));
        const QueueRef ref{static_cast<uint16_t>(random() % INPUTS),
                           static_cast<uint16_t>(random() % QUEUES)};
        if (random() % 2 == 0 && !listed[ref.input][ref.queue])
        {
            lists.Append(list, queues, ref);
            model.Append(ref);
            listed[ref.input][ref.queue] = true;
            continue;
        }
        if (model.groups.empty())
        {
            continue;
        }
        const QueueRef front = lists.Front(list, queues);
        test.Expect(front == model.groups.front().second.front(),
                    Text("seed ", seed, ", step ", i, ", by port ", model.byPort));
        if (random() % 4 == 0)
        {
            lists.RemoveFront(list, queues);
            model.RemoveFront();
            listed[front.input][front.queue] = false;
            continue;
        }
        const bool stays = random() % 3 != 0;
        lists.Served(list, queues, stays, 1000);
        model.Served(stays);
        listed[front.input][front.queue] = stays;
    }
}

/// Three flows at one port and one at another.
void
CountTurns(FunctionCase& test)
{
    for (const Arbitration arbitration : {ARBITRATE_BY_FLOW, ARBITRATE_BY_PORT})
    {
        std::map<std::pair<uint16_t, uint16_t>, InputQueue> storage;
        const auto queues = [&storage](QueueRef r) -> InputQueue& {
            return storage[{r.input, r.queue}];
        };
        OutputLists lists;
        lists.Configure(arbitration, {}, 2);
        for (const QueueRef ref : {QueueRef{0, 1}, QueueRef{0, 2}, QueueRef{0, 3}, QueueRef{1, 1}})
        {
            lists.Append(0, queues, ref);
        }
        uint32_t ofPort1 = 0;
        for (uint32_t i = 0; i < 120; ++i)
        {
            ofPort1 += lists.Front(0, queues).input == 1;
            lists.Served(0, queues, true, 1000);
        }
        test.ExpectEqual(ofPort1, (arbitration == ARBITRATE_BY_FLOW ? 30 : 60), "turns of 120");
    }
}

/// Queues in the lists of an output.
void
TestOutputLists(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed)
    {
        CompareOnceOutputLists(test, seed, ARBITRATE_BY_FLOW);
        CompareOnceOutputLists(test, seed, ARBITRATE_BY_PORT);
    }
    CountTurns(test);
}

/// All ids of a real link.
void
FillLink(FunctionCase& test)
{
    OutputFlowTable link;
    for (uint32_t i = 1; i < FLOW_IDS_PER_LINK; ++i)
    {
        test.ExpectEqual(link.Allocate({0, 1}, 0), i, "11 bits");
    }
    test.ExpectEqual(link.Allocate({0, 1}, 0), NO_FLOW, "2047 are in use");
}

/// Against std::map.
void
CompareOnce(FunctionCase& test, uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto capacity = static_cast<uint32_t>(1 + random() % 50);
    OutputFlowTable table(capacity);
    std::map<FlowId, QueueRef> model;
    std::size_t peak = 0;
    uint64_t allocated = 0;
    TimePs useTime = 0;
    TimePs now = 0;
    for (uint32_t i = 0; i < 1000; ++i)
    {
        const auto step = static_cast<TimePs>(random() % 1'000'000'000'000);
        useTime += step * static_cast<TimePs>(model.size());
        now += step;
        if (random() % 2 == 0)
        {
            const QueueRef source{static_cast<uint16_t>(random() % 64),
                                  static_cast<uint16_t>(random() % 2048)};
            const FlowId id = table.Allocate(source, now);
            test.ExpectEqual((id == NO_FLOW), (model.size() == capacity), Text("seed ", seed));
            const bool isNew = id == NO_FLOW || model.emplace(id, source).second;
            test.Expect(isNew, Text("an id was given twice, seed ", seed));
            peak = std::max(peak, model.size());
            allocated += id != NO_FLOW;
        }
        else if (!model.empty())
        {
            const auto entry =
                std::next(model.begin(), static_cast<std::ptrdiff_t>(random() % model.size()));
            test.Expect(table.Source(entry->first) == entry->second, Text("seed ", seed));
            table.Release(entry->first, now);
            model.erase(entry);
        }
        test.ExpectEqual(table.InUse(), model.size(), Text("seed ", seed));
        test.ExpectEqual(table.UseTime(now), useTime, Text("seed ", seed));
    }
    test.ExpectEqual(table.PeakInUse(), peak, Text("seed ", seed));
    test.ExpectEqual(table.Allocated(), allocated, Text("seed ", seed));
}

/// Ids of a link.
void
TestOutputFlowTable(FunctionCase& test)
{
    OutputFlowTable table(2);
    test.Expect(table.Source(1) == NO_QUEUE, "an id that never was in use");
    test.Expect(table.Source(NO_FLOW) == NO_QUEUE, "no id");
    test.ExpectEqual(table.Allocate({3, 7}, 0), 1, "low ids first");
    test.ExpectEqual(table.Allocate({4, 8}, 0), 2, "the next");
    test.ExpectEqual(table.Allocate({5, 9}, 0), NO_FLOW, "no id is left");
    test.Expect(table.Source(1) == QueueRef{3, 7}, "the way back");
    table.Release(1, 0);
    test.Expect(table.Source(1) == NO_QUEUE, "an id that is free");
    test.ExpectEqual(table.Allocate({5, 9}, 0), 1, "the id that became free");
    test.ExpectEqual(OutputFlowTable().PeakInUse(), 0, "a new table");
    for (uint64_t seed = 1; seed <= SEEDS; ++seed)
    {
        CompareOnce(test, seed);
    }
    FillLink(test);
}

/// Records of flows.
void
TestInputFlowTable(FunctionCase& test)
{
    InputFlowTable table;
    FlowRecord& record = table.Open(5, 11, 12, 1000);
    test.ExpectEqual(table.InUse(), 1, "the first frame made it");
    test.ExpectEqual(record.nextDataFlow, 1000, "positions start where the frame is");
    test.ExpectEqual(record.TotalExtent(), 0, "nothing is under way yet");
    record.nextDataFlow += 16;
    test.ExpectEqual(table.Open(5, 11, 12, 1016).nextDataFlow, 1016, "the second frame finds it");
    test.ExpectEqual(table.InUse(), 1, "one channel");
    table.Open(2000, 11, 13, 0);
    test.ExpectEqual(table.At(5).QueueExtent(), 16, "a table that grows keeps what it has");
    test.ExpectEqual(table.InUse(), 2, "two channels");
    table.At(5).paceTicket = 7;
    table.Close(5);
    test.ExpectEqual(table.At(5).paceTicket, 7, "CM-7: the next channel's times are told from its");
    test.ExpectEqual(table.InUse(), 1, "the channel is closed");
    test.Expect(!table.At(5).Is(FlowRecord::OPEN), "and not in use");
    test.ExpectEqual(table.Open(5, 1, 2, 7).TotalExtent(), 0, "the id's next flow starts anew");

    const uint16_t voq = table.VirtualOutputQueue(3, 2);
    test.Expect(!InputFlowTable::IsFlow(voq), "a queue of no flow (FC-14)");
    test.Expect(InputFlowTable::IsFlow(2047), "the queue of a flow");
    test.ExpectEqual(table.VirtualOutputQueue(3, 2), voq, "the same queue");
    test.Expect(table.VirtualOutputQueue(3, 1) != voq, "one per channel");
    test.Expect(table.VirtualOutputQueue(4, 2) != voq, "one per output");
    table.Queue(voq).output = 3;
    table.VirtualOutputQueue(63, 3);
    test.ExpectEqual(table.Queue(voq).output, 3, "growing keeps what is there");
}

/// A frame of one unit joins the queue.
void
ArriveExtents(FlowRecord& record)
{
    ++record.nextDataFlow;
}

/// A frame of one unit is sent on.
void
Send(FlowRecord& record)
{
    ++record.dataFlow;
}

/// Brings frames to where the example has them.
void
Move(FlowRecord& a, FlowRecord& b, FlowRecord& c)
{
    for (uint32_t i = 0; i < 13; ++i)
    {
        ArriveExtents(a);
        Send(a);
    }
    for (uint32_t i = 0; i < 12; ++i) // one of 13 is on the link
    {
        ArriveExtents(b);
    }
    for (uint32_t i = 0; i < 9; ++i)
    {
        Send(b);
    }
    for (uint32_t i = 0; i < 7; ++i) // two of 9 are on the link
    {
        ArriveExtents(c);
    }
    Send(c);
}

/// The example of the specification.
void
TestExtents(FunctionCase& test)
{
    for (const uint32_t first : {0U, 0xFFFFFFF8U}) // also where positions wrap around
    {
        std::array<InputFlowTable, 3> tables;
        for (InputFlowTable& table : tables)
        {
            table.Open(1, 1, 2, first);
        }
        FlowRecord& a = tables[0].At(1);
        FlowRecord& b = tables[1].At(1);
        FlowRecord& c = tables[2].At(1);
        // Five units were sent earlier and are acknowledged.
        for (FlowRecord* record : {&a, &b, &c})
        {
            record->nextDataFlow += 5;
            record->dataFlow += 5;
            record->ackFlow += 5;
        }
        Move(a, b, c);
        test.ExpectEqual(c.FlowExtent(), 1, "the last has sent one unit");
        test.ExpectEqual(c.QueueExtent(), 6, "and holds six");
        test.ExpectEqual(b.FlowExtent(), 9, "the second: one, six, and two on the link");
        test.ExpectEqual(b.QueueExtent(), 3, "it holds three");
        test.ExpectEqual(a.FlowExtent(), 13, "the first: nine, three, and one on the link");
        for (const FlowRecord* record : {&a, &b, &c})
        {
            test.ExpectEqual(record->TotalExtent(),
                             record->QueueExtent() + record->FlowExtent(),
                             "the sum");
        }
        test.ExpectEqual(b.FlowExtent() - c.TotalExtent(), 2, "on the second link");
        test.ExpectEqual(a.FlowExtent() - b.TotalExtent(), 1, "on the first link");
    }
}

/// Watermarks in a buffer that fills.
void
TestWatermarksWithin(FunctionCase& test)
{
    const Watermarks marks{192, 96, 16};
    const Watermarks ample = marks.Within(96 * 4 * DATA_FLOW_UNIT, 4);
    test.ExpectEqual(ample.target, 96, "room for four such flows: not lowered");
    const Watermarks tight = marks.Within(40 * DATA_FLOW_UNIT, 4);
    test.ExpectEqual(tight.target, 10, "a quarter of 40 units");
    test.ExpectEqual(tight.high, 20, "twice the target");
    test.ExpectEqual(tight.drop, 5, "half the target");
    test.ExpectEqual(marks.Within(0, 4).target, 0, "no room");
    test.ExpectEqual(marks.Within(0, 0).target, 96, "not lowered at all");

    const HopMeter meter(marks, 4);
    FlowRecord record;
    record.nextDataFlow = 11;
    test.Expect(!meter.Joined(record, 44 * DATA_FLOW_UNIT), "at the target");
    test.Expect(meter.Joined(record, 40 * DATA_FLOW_UNIT), "above it");
    record.dataFlow = 7;
    test.Expect(meter.Left(record, 1, 16 * DATA_FLOW_UNIT, 0), "a credit");
    test.Expect(record.Is(FlowRecord::METERS_UPSTREAM), "4 are above 2: it goes on");
    record.dataFlow = 11;
    test.Expect(meter.Left(record, 1, 0, 0), "empty");
    test.Expect(!record.Is(FlowRecord::METERS_UPSTREAM), "an empty queue always ends it");
}

constexpr uint32_t AMPLE_BYTES = 1 << 30; ///< Room that lowers nothing.

/// A frame joins the queue.
bool
Join(const HopMeter& meter, FlowRecord& record, uint32_t units)
{
    record.nextDataFlow += units;
    return meter.Joined(record, AMPLE_BYTES);
}

/// A frame leaves the queue.
bool
Leave(const HopMeter& meter, FlowRecord& record, uint32_t units)
{
    record.dataFlow += units;
    return meter.Left(record, units, AMPLE_BYTES, 0);
}

/// The record whose queue fills.
void
CheckDownstream(FunctionCase& test)
{
    const HopMeter meter({100, 50, 20});
    FlowRecord down;
    test.Expect(!Join(meter, down, 50), "at target");
    test.Expect(!Leave(meter, down, 10), "no credit without metering");
    test.Expect(Join(meter, down, 11), "above target: UM, with no credit yet");
    test.Expect(down.Is(FlowRecord::METERS_UPSTREAM), "UM");
    test.ExpectEqual(HopMeter::TakeCredit(down), 0, "it starts with nothing");
    test.Expect(!Join(meter, down, 69), "it has started already");
    test.Expect(!Leave(meter, down, 16), "104 is above high: nothing");
    test.Expect(Leave(meter, down, 32), "72 is above target: slightly less");
    test.ExpectEqual(HopMeter::TakeCredit(down), 30, "15/16 of 32");
    test.Expect(Leave(meter, down, 32), "40 is below target: slightly more");
    test.ExpectEqual(HopMeter::TakeCredit(down), 34, "17/16 of 32");
    test.Expect(Leave(meter, down, 20), "20 is at drop: the end");
    test.Expect(!down.Is(FlowRecord::METERS_UPSTREAM), "UM is cleared");
    test.ExpectEqual(HopMeter::TakeCredit(down), +HopMeter::ALL, "the maximal credit");
    test.Expect(!Leave(meter, down, 20), "it has ended already");
}

/// The record that gets credit.
void
CheckUpstream(FunctionCase& test)
{
    FlowRecord up;
    test.Expect(up.queue.holds == 0, "without metering");
    HopMeter::Sent(up, 1000);
    HopMeter::Receive(up, 0);
    test.Expect(up.Is(FlowRecord::METERED) && up.headroom == 0, "DM, from nothing");
    test.Expect(!(up.queue.holds == 0), "headroom has to be above 0");
    HopMeter::Receive(up, 1);
    test.Expect(up.queue.holds == 0, "a frame larger than the headroom");
    HopMeter::Sent(up, 16);
    test.ExpectEqual(up.headroom, -15, "may go below 0");
    HopMeter::Receive(up, 15);
    test.Expect(!(up.queue.holds == 0), "0 again");
    HopMeter::Receive(up, HopMeter::ALL);
    test.Expect(!up.Is(FlowRecord::METERED) && (up.queue.holds == 0), "DM is cleared");
}

/// What is rounded off is not lost.
void
CheckSlope(FunctionCase& test)
{
    const HopMeter meter({100, 50, 20});
    FlowRecord down;
    Join(meter, down, 60);
    HopMeter::TakeCredit(down);
    uint32_t credit = 0;
    for (uint32_t i = 0; i < 320; ++i)
    {
        Join(meter, down, 1);
        Leave(meter, down, 1);
        credit += HopMeter::TakeCredit(down);
    }
    test.ExpectEqual(credit, 300, "15/16 of 320 single units");
}

/// A flow over one hop with a slow far end: its queue stays bounded and always goes on.
void
RunPair(FunctionCase& test, uint64_t seed)
{
    std::mt19937_64 random(seed);
    Watermarks marks;
    marks.drop = static_cast<uint32_t>(random() % 20);
    marks.target = marks.drop + 1 + static_cast<uint32_t>(random() % 60);
    marks.high = marks.target + 1 + static_cast<uint32_t>(random() % 60);
    const HopMeter meter(marks);
    const auto units = static_cast<uint32_t>(1 + random() % 16);
    const uint32_t delay = 4;
    FlowRecord up;
    FlowRecord down;
    std::deque<uint32_t> data;                        // when
    std::deque<std::pair<uint32_t, uint32_t>> credit; // when, amount
    uint32_t sent = 0;
    uint32_t deepest = 0;
    uint32_t out = 0;
    for (uint32_t now = 0; now < 4000; ++now)
    {
        if ((up.queue.holds == 0) && sent < 1000)
        {
            HopMeter::Sent(up, units);
            data.push_back(now + delay);
            ++sent;
        }
        bool due = false;
        if (!data.empty() && data.front() == now)
        {
            data.pop_front();
            due = Join(meter, down, units);
        }
        if (now % 3 == 0 && down.QueueExtent() != 0)
        {
            due |= Leave(meter, down, units);
            ++out;
        }
        if (due)
        {
            credit.emplace_back(now + delay, HopMeter::TakeCredit(down));
        }
        if (!credit.empty() && credit.front().first == now)
        {
            HopMeter::Receive(up, credit.front().second);
            credit.pop_front();
        }
        deepest = std::max(deepest, down.QueueExtent());
    }
    test.ExpectEqual(out, 1000, Text("the flow stopped, seed ", seed));
    // Above target it sends on for two delays; 17/16 bring it little more.
    test.Expect(deepest < marks.target + units * (2 * delay + 4) + 18, Text("seed ", seed));
    test.Expect(!down.Is(FlowRecord::METERS_UPSTREAM) && !up.Is(FlowRecord::METERED),
                Text("metering is over, seed ", seed));
}

/// Hop credits of one flow.
void
TestHopMeter(FunctionCase& test)
{
    CheckDownstream(test);
    CheckUpstream(test);
    CheckSlope(test);
    for (uint64_t seed = 1; seed <= SEEDS; ++seed)
    {
        RunPair(test, seed);
    }
}

void
TestTableRouting(FunctionCase& test)
{
    const Routing none;
    test.ExpectEqual(none.Route(1).count, 0, "a switch that reaches nobody");
    const Routing table(std::vector<PortRange>{{}, {4, 2}, {7, 1}});
    test.ExpectEqual(table.Route(0).count, 0, "no endpoint");
    test.Expect(table.Route(1).first == 4 && table.Route(1).count == 2, "the first");
    test.Expect(table.Route(2).first == 7 && table.Route(2).count == 1, "the second");
    // Not a constant: the compiler would fold the bounds check and then warn of what it guards.
    volatile LocationId beyond = 3;
    test.ExpectEqual(table.Route(beyond).count, 0, "beyond the table");
}

/// Suite of the switch's tables.
class FabricSwitchTablesTestSuite : public FunctionSuite
{
  public:
    FabricSwitchTablesTestSuite()
        : FunctionSuite("fabric-switch-tables", kUnit)
    {
        Add("FC-10 frames wait in queues of their own in one pool, against std::deque",
            TestFramePool);
        Add("DP-7 things to do come by time, then by number", TestCalendar);
        Add("FC-18 round robin between flows, or between ports and their flows, as a model does",
            TestOutputLists);
        Add("FC-4 FC-8 FC-9 outgoing flow_ids lead back to their flows and are used again",
            TestOutputFlowTable);
        Add("FC-3 FC-8 a channel is made by its first frame, kept by others, and forgotten",
            TestInputFlowTable);
        Add("FC-5 FC-6 worked example of three switches in a row", TestExtents);
        Add("CM-5 watermarks are lowered to a part of the free room", TestWatermarksWithin);
        Add("CM-5 metering starts above target, gives by depth, and ends at drop", TestHopMeter);
        Add("FC-12 a table routes what is in it and nothing else", TestTableRouting);
    }
};

FabricSwitchTablesTestSuite g_fabricSwitchTablesTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
