/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ack-aggregator.h"
#include "fabric-agenda.h"
#include "fabric-function-case.h"
#include "fabric-link-credits.h"
#include "fabric-link-rate.h"
#include "fabric-queue-ring.h"
#include "fabric-ring.h"
#include "fabric-test-compat.h"

#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Runs of the property tests.
constexpr uint64_t SEEDS = 100;

/// Random pushes and pops, more of the one or of the other in turn, and some that are taken out.
/// @tparam AnyRing of numbers
template <typename AnyRing>
void
CompareOnceRing(FunctionCase& test, uint64_t seed)
{
    std::mt19937_64 random(seed);
    AnyRing ring;
    ring.Expect(static_cast<uint32_t>(random() % 9));
    std::deque<uint32_t> model;
    for (uint32_t i = 0; i < 2000; ++i)
    {
        const bool grows = i / 300 % 2 == 0;
        if (model.empty() || random() % 4 < (grows ? 3U : 1U))
        {
            ring.Push(i);
            model.push_back(i);
        }
        else
        {
            ring.Pop();
            model.pop_front();
        }
        if (i % 500 == 499)
        {
            const auto isTaken = [part = random() % 3](uint32_t entry) {
                return entry % 3 == part;
            };
            ring.Remove(isTaken);
            model.erase(std::remove_if(model.begin(), model.end(), isTaken), model.end());
            AnyRing moved = std::move(ring);
            ring = std::move(moved);
        }
        const bool same = ring.Size() == model.size() && ring.IsEmpty() == model.empty() &&
                          (model.empty() || ring.Front() == model.front());
        test.Expect(same, Text("seed ", seed, ", step ", i));
    }
    for (uint32_t i = 0; i < ring.Size(); ++i)
    {
        test.ExpectEqual(ring.At(i), model[i], Text("seed ", seed, ", position ", i));
    }
}

/// Ring against std::deque, wherever its first entry is.
void
TestRing(FunctionCase& test)
{
    using FrontRing = Ring<uint32_t, RingFront::INSIDE>;
    test.Expect(Ring<uint32_t>().IsEmpty() && FrontRing().IsEmpty(), "a new ring");
    for (uint64_t seed = 1; seed <= SEEDS; ++seed)
    {
        CompareOnceRing<Ring<uint32_t>>(test, seed);
        CompareOnceRing<FrontRing>(test, seed);
        CompareOnceRing<Ring<uint32_t, RingFront::INSIDE, uint16_t>>(test, seed);
    }
}

/// Many rates and sizes against long division.
void
CompareWithExact(FunctionCase& test)
{
    std::mt19937_64 random(1);
    for (uint32_t i = 0; i < 20'000; ++i)
    {
        const uint64_t rate = LinkRate::LOWEST + random() % (uint64_t{1} << (20 + random() % 29));
        const uint64_t bytes = random() % 65'536;
        const auto ps = static_cast<uint64_t>(LinkRate(rate).TxTime(static_cast<uint32_t>(bytes)));
        const long double exact =
            8e12L * static_cast<long double>(bytes) / static_cast<long double>(rate);
        const long double error = static_cast<long double>(ps) - exact;
        test.Expect(error > -1.0L && error < 1.01L,
                    Text(rate, " bit/s, ", bytes, " bytes: ", ps, " ps"));
    }
}

/// Rates that are refused.
void
CheckLimits(FunctionCase& test)
{
    for (const uint64_t rate : {uint64_t{0}, LinkRate::LOWEST - 1, LinkRate::HIGHEST + 1})
    {
        std::string sentence;
        try
        {
            LinkRate refused(rate);
        }
        catch (const std::invalid_argument& error)
        {
            sentence = error.what();
        }
        test.Expect(sentence.find(std::to_string(rate)) != std::string::npos, Text(sentence));
    }
    test.ExpectEqual(LinkRate(LinkRate::LOWEST).TxTime(65'535),
                     52'428'000'000'000,
                     "the longest time, 52 s");
}

/// Times of frames.
void
TestLinkRate(FunctionCase& test)
{
    constexpr uint64_t GBPS = 1'000'000'000;
    test.ExpectEqual(LinkRate(200 * GBPS).TxTime(32), 1280, "the 1.28 ns of a flit");
    test.ExpectEqual(LinkRate(3 * GBPS).TxTime(3), 8000, "a whole number of ps");
    test.ExpectEqual(LinkRate(3 * GBPS).TxTime(1), 2667, "2666.67 ps");
    test.ExpectEqual(LinkRate(3 * GBPS).TxTime(0), 0, "nothing");
    test.ExpectEqual(LinkRate(25 * GBPS).TxTime(4120), 1'318'400, "25 Gb/s");
    test.ExpectEqual(LinkRate(25 * GBPS).BitsPerSecond(), 25 * GBPS, "the rate");
    CompareWithExact(test);
    CheckLimits(test);
}

/// Room of the shared buffer.
void
TestLinkCredits(FunctionCase& test)
{
    LinkCredits credits;
    credits.Configure({1000, 200, 3}); // 400 shared
    test.Expect(credits.CanSend(0, 600), "the minimum and all that is shared");
    test.Expect(!credits.CanSend(0, 601), "more than that");
    credits.Consume(0, 600);
    test.Expect(!credits.CanSend(0, 1), "nothing is left for channel 0");
    test.Expect(credits.CanSend(1, 200), "the minimum of channel 1");
    test.Expect(!credits.CanSend(1, 201), "the minimum of channel 1 is all");
    test.Expect(credits.CanSend(2, 200), "the minimum of channel 2");

    // They come back in the order of time, whatever the order of leaving.
    credits.Return(300, 0, 100);
    credits.Return(100, 0, 50);
    credits.Return(200, 0, 450);
    test.ExpectEqual(credits.OnTheWay(0), 600, "all of channel 0 is on its way");
    test.ExpectEqual(credits.NextReturn(), 100, "the earliest");
    credits.Collect(99);
    test.ExpectEqual(credits.Used(0), 600, "before the first");
    credits.Collect(100);
    test.ExpectEqual(credits.Used(0), 550, "at the first, which counts");
    test.Expect(credits.CanSend(1, 250), "what came back is shared");
    test.Expect(!credits.CanSend(1, 251), "and no more");
    credits.Collect(1000);
    test.ExpectEqual(credits.Used(0), 0, "all is back");
    test.ExpectEqual(credits.NextReturn(), NEVER, "nothing is on its way");
}

/// Credits as a list.
struct Model
{
    BufferShares shares;
    std::array<uint64_t, VIRTUAL_CHANNELS> used{};
    std::vector<std::tuple<TimePs, uint32_t, uint32_t>> returns;

    /// @return bytes above the minima
    uint64_t SharedUsed() const
    {
        uint64_t sum = 0;
        for (const uint64_t bytes : used)
        {
            sum += std::max<uint64_t>(bytes, shares.reservedBytesPerVc) - shares.reservedBytesPerVc;
        }
        return sum;
    }

    /// @return whether a frame fits
    bool CanSend(uint32_t vc, uint32_t bytes)
    {
        used[vc] += bytes;
        const bool fits = SharedUsed() <= shares.totalBytes - uint64_t{shares.reservedBytesPerVc} *
                                                                  shares.virtualChannels;
        used[vc] -= bytes;
        return fits;
    }

    /// Counts what is due.
    void Collect(TimePs now)
    {
        for (auto& [when, vc, bytes] : returns)
        {
            used[vc] -= when <= now ? bytes : 0;
        }
        returns.erase(std::remove_if(returns.begin(),
                                     returns.end(),
                                     [now](const auto& r) { return std::get<0>(r) <= now; }),
                      returns.end());
    }
};

/// Random frames on random channels, which leave the buffer in any order.
void
CompareOnce(FunctionCase& test, uint64_t seed)
{
    std::mt19937_64 random(seed);
    Model model;
    model.shares.virtualChannels = static_cast<uint32_t>(1 + random() % VIRTUAL_CHANNELS);
    model.shares.reservedBytesPerVc = static_cast<uint32_t>(500 + random() % 1000);
    model.shares.totalBytes = model.shares.virtualChannels * model.shares.reservedBytesPerVc +
                              static_cast<uint32_t>(random() % 5000);
    LinkCredits credits;
    credits.Configure(model.shares);
    std::vector<std::pair<uint32_t, uint32_t>> buffered;
    uint32_t refused = 0;
    for (TimePs now = 0; now < 1000; ++now)
    {
        credits.Collect(now);
        model.Collect(now);
        const auto vc = static_cast<uint32_t>(random() % model.shares.virtualChannels);
        const auto bytes = static_cast<uint32_t>(24 + random() % 477);
        const bool fits = credits.CanSend(vc, bytes);
        test.ExpectEqual(fits, model.CanSend(vc, bytes), Text("seed ", seed, ", time ", now));
        test.Expect(fits || model.used[vc] + bytes > model.shares.reservedBytesPerVc,
                    Text("the minimum was refused, seed ", seed, ", time ", now));
        refused += !fits;
        if (fits)
        {
            credits.Consume(vc, bytes);
            model.used[vc] += bytes;
            buffered.emplace_back(vc, bytes);
        }
        if (!buffered.empty() && random() % 3 != 0)
        {
            const std::size_t i = random() % buffered.size();
            const TimePs when = now + static_cast<TimePs>(random() % 50);
            const TimePs known = now - static_cast<TimePs>(random() % 3); // by then all is decided
            credits.Return(when, buffered[i].first, buffered[i].second, known);
            model.returns.emplace_back(when, buffered[i].first, buffered[i].second);
            buffered.erase(buffered.begin() + static_cast<std::ptrdiff_t>(i));
        }
        uint64_t used = 0;
        for (uint32_t i = 0; i < model.shares.virtualChannels; ++i)
        {
            test.ExpectEqual(credits.Used(i), model.used[i], Text("seed ", seed, ", time ", now));
            used += credits.Used(i);
        }
        test.Expect(used <= model.shares.totalBytes, Text("overrun, seed ", seed));
        const BufferShares shares = credits.Shares();
        test.Expect(shares.totalBytes == model.shares.totalBytes &&
                        shares.reservedBytesPerVc == model.shares.reservedBytesPerVc &&
                        shares.virtualChannels == model.shares.virtualChannels,
                    Text("the division stays, seed ", seed, ", time ", now));
    }
    test.Expect(refused != 0, Text("the buffer was never full, seed ", seed));
}

/// LinkCredits against a model that adds up.
void
TestLinkCreditsProperty(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed)
    {
        CompareOnce(test, seed);
    }
}

/// Flows leave in the order in which they came, and timers start anew.
void
CheckOrder(FunctionCase& test)
{
    AckAggregator acks;
    acks.Add(7, 0);
    acks.Add(3, 10);
    test.ExpectEqual(acks.Take(), 7, "the first");
    acks.Restart(500);
    test.ExpectEqual(acks.DueWhenIdle({}), 30'500, "timers start anew for what stays");
    test.ExpectEqual(acks.Take(), 3, "the second");
    test.Expect(acks.IsEmpty(), "no more");
    acks.Add(9, 2000);
    test.ExpectEqual(acks.DueWhenIdle({}), 32'000, "the first of the next ones starts them");

    const AckTimers shortest{30, 60, 20};
    test.ExpectEqual(acks.DueWhenIdle(shortest), 2020, "the longest timer is the shortest");
    test.Expect(acks.IsDue(shortest, 2020, false), "and it counts");
}

/// The three timers.
void
TestAckAggregator(FunctionCase& test)
{
    // From the definition: 9 bytes and 25 bits each, in words of 64 bits. Two fill a word but
    // for 6 bits; with three, 45 of 64 bits are free.
    test.Expect(FramesEfficiently(2), "2 ACKs take 122 of 128 bits");
    test.Expect(!FramesEfficiently(3), "3 ACKs take 147 of 192 bits");

    struct Row
    {
        uint32_t count; ///< ACKs that wait.
        TimePs age;     ///< Of the first of them, ps.
        bool busy;      ///< Whether data could go instead.
        bool isDue;     ///< What is to come out.
    };

    const Row rows[] = {
        {1, 0, false, false},
        {1, 29'999, false, false},
        {1, 30'000, false, true},
        {1, 30'000, true, false},
        {2, 59'999, true, false},
        {2, 60'000, true, true},
        {3, 60'000, true, false},
        {3, 89'999, true, false},
        {3, 90'000, true, true},
        {47, 59'999, true, false},
        {48, 0, true, true},
        {48, 0, false, true},
        {60, 0, true, true},
        {3, 60'000, false, true},
    };
    for (const Row& row : rows)
    {
        AckAggregator acks;
        for (uint32_t i = 0; i < row.count; ++i)
        {
            acks.Add(static_cast<FlowId>(i + 1), 1000 + i); // the first starts the timers
        }
        test.ExpectEqual(acks.IsDue({}, 1000 + row.age, row.busy),
                         row.isDue,
                         Text(row.count, " ACKs, ", row.age, " ps, busy ", row.busy));
        test.ExpectEqual(acks.DueWhenIdle({}), 31'000, "when an idle link sends them");
    }
    CheckOrder(test);
}

/// A queue of a list, as BasicQueueRing links it.
struct LinkedQueue
{
    uint32_t next;
    TimePs came;
};

constexpr uint32_t NO_LINKED = ~uint32_t{0}; ///< Names no queue.

/// Any calls in any order, beside a deque whose front has the turn.
void
TestQueueRing(FunctionCase& test)
{
    constexpr uint32_t QUEUES = 9;
    std::mt19937 random(4);
    std::vector<LinkedQueue> memory(QUEUES, {NO_LINKED, 0});
    const auto queues = [&memory](uint32_t ref) -> LinkedQueue& { return memory[ref]; };
    BasicQueueRing<uint32_t, NO_LINKED> ring;
    std::deque<uint32_t> oracle;
    for (uint32_t step = 0; step < 20'000; ++step)
    {
        const uint32_t call = random() % 5;
        const uint32_t ref = random() % QUEUES;
        const auto place = std::find(oracle.begin(), oracle.end(), ref);
        if (place == oracle.end())
        {
            memory[ref].came = random() % 4; // some come together
            ring.Append(queues, ref);
            oracle.push_back(ref);
        }
        else if (call == 0)
        {
            ring.Remove(queues, ref);
            oracle.erase(place);
        }
        else if (call == 1)
        {
            ring.RemoveFront(queues);
            oracle.pop_front();
        }
        else if (call == 2)
        {
            ring.Rotate(queues);
            std::rotate(oracle.begin(), oracle.begin() + 1, oracle.end());
        }
        else if (call == 3)
        {
            ring.TurnToOldest(queues, [](const LinkedQueue& queue) { return queue.came; });
            const auto earlier = [&memory](uint32_t a, uint32_t b) {
                return memory[a].came < memory[b].came;
            };
            // Of equals the one whose turn is next.
            std::rotate(oracle.begin(),
                        std::min_element(oracle.begin(), oracle.end(), earlier),
                        oracle.end());
        }
        const bool isSame = ring.IsEmpty() == oracle.empty() &&
                            (oracle.empty() || (ring.Front(queues) == oracle.front() &&
                                                ring.Tail() == oracle.back()));
        test.Expect(isSame, "whose turns are the next and the last");
        if (!isSame)
        {
            return; // a queue of only one of both would be looked for for ever
        }
    }
}

/// Notes the calls.
struct Bell : public Alarm
{
    void WakeBy(TimePs time) override
    {
        rung.push_back(time);
    }

    std::vector<TimePs> rung;
};

void
TestAgenda(FunctionCase& test)
{
    Agenda agenda;
    test.ExpectEqual(agenda.Earliest(), NEVER, "no ports");
    agenda.Resize(2);
    Bell bell;
    agenda.SetAlarm(&bell);
    test.ExpectEqual(agenda.Earliest(), NEVER, "nothing to do");

    agenda.Note(Task::DATA, 1, 100);
    test.ExpectEqual(agenda.Earliest(), 100, "the first");
    agenda.PlanRun(100);
    agenda.Note(Task::DATA, 0, 100);
    agenda.Note(Task::CONTROL, 0, 150);
    agenda.Note(Task::DECIDE, 1, 90);
    agenda.Note(Task::DATA, 1, 120); // later than what is there
    test.Expect(bell.rung == std::vector<TimePs>{100, 90}, "who is woken");
    test.ExpectEqual(agenda.At(agenda.EntryOf(Task::DATA, 1)), 100, "the earlier stays");

    agenda.Set(agenda.EntryOf(Task::DECIDE, 1), NEVER);
    test.ExpectEqual(agenda.Earliest(), 100, "the decision was made");
    const uint32_t expected[] = {agenda.EntryOf(Task::DATA, 0),
                                 agenda.EntryOf(Task::DATA, 1),
                                 agenda.EntryOf(Task::CONTROL, 0)};
    for (const uint32_t entry : expected)
    {
        const DueTask due = agenda.TakeFirst();
        test.ExpectEqual(due.entry, entry, "by time, then by number");
        test.ExpectEqual(due.time, agenda.At(entry), "its time stays until it is moved");
        agenda.Move(entry, NEVER);
    }
    test.ExpectEqual(agenda.First(), NEVER, "all were taken");
}

/// @return entries of an agenda of many that are due before a time, by number
std::vector<uint32_t>
DueBefore(const Agenda& agenda, TimePs until)
{
    std::vector<uint32_t> due;
    agenda.ForEachBefore(until, [&due](uint32_t entry, TimePs) { due.push_back(entry); });
    return due;
}

/// Plans tasks, one every 10 ps from 100 ps on. @param count of them
void
SetTasks(Agenda& agenda, uint32_t count)
{
    agenda.Resize(4);
    for (uint32_t entry = 0; entry < count; ++entry)
    {
        agenda.Set(entry, 100 + 10 * entry);
    }
}

/// Only what comes next is listed. The first few are found in any order in which they come.
void
TestAgendaLists(FunctionCase& test)
{
    Agenda agenda;
    SetTasks(agenda, 6);
    agenda.Set(6, 150);
    agenda.Set(7, 200);
    agenda.Set(8, 145);
    agenda.Set(6, 95);
    test.ExpectEqual(agenda.First(), 95, "one of the later was brought forward");
    agenda.Set(7, NEVER);
    const std::map<uint32_t, TimePs> firstAfter{{6, 100},
                                                {0, 110},
                                                {1, 120},
                                                {2, 130},
                                                {3, 140},
                                                {4, 145},
                                                {8, 150},
                                                {5, NEVER}};
    for (const uint32_t entry : {6, 0, 1, 2, 3, 4, 8, 5})
    {
        test.ExpectEqual(agenda.Earliest(), agenda.At(entry), "when the next is due");
        test.ExpectEqual(agenda.TakeFirst().entry, entry, "by time");
        agenda.Move(entry, NEVER);
        test.ExpectEqual(agenda.IsListEmpty(), entry == 4 || entry == 5, "six are listed");
        test.ExpectEqual(agenda.First(), firstAfter.at(entry), "the first, or what bounds it");
    }
    test.ExpectEqual(agenda.Earliest(), NEVER, "all were taken");
}

/// More tasks than a few are found by a look at all, until a few are left.
void
TestAgendaOfMany(FunctionCase& test)
{
    Agenda agenda;
    SetTasks(agenda, 7);
    agenda.EndList();
    test.Expect(!agenda.IsList(), "there is no list");
    test.ExpectEqual(agenda.First(), NEVER, "the first is unknown");
    test.ExpectEqual(agenda.Earliest(), 100, "and found");
    test.Expect(DueBefore(agenda, 130) == std::vector<uint32_t>{0, 1, 2}, "what is before 130");
    agenda.Move(2, NEVER);
    agenda.Set(11, 105);
    test.Expect(DueBefore(agenda, 130) == std::vector<uint32_t>{0, 1, 11}, "what has changed");

    agenda.BeginList();
    for (const uint32_t entry : {0, 11, 1, 3})
    {
        test.ExpectEqual(agenda.TakeFirst().entry, entry, "they are listed again");
        agenda.Move(entry, NEVER);
    }
    test.Expect(agenda.IsListEmpty(), "the first four were");
    test.ExpectEqual(agenda.First(), 140, "no other is before");
    for (uint32_t entry = 7; entry > 0; --entry)
    {
        agenda.Set(entry - 1, 50);
    }
    for (uint32_t entry = 0; entry < 7; ++entry)
    {
        test.ExpectEqual(agenda.Earliest(), 50, "all of one time");
        test.ExpectEqual(agenda.TakeFirst().entry, entry, "by number");
        agenda.Move(entry, NEVER);
    }
}

/// Tasks of no port are added one by one, until their bits need another word, while others wait.
void
TestAgendaGrows(FunctionCase& test)
{
    Agenda agenda;
    agenda.Resize(20);
    agenda.Note(Task::DECIDE, 19, 300);
    for (TimePs added = 1; added <= 70; ++added)
    {
        const uint32_t entry = agenda.AddEntry();
        test.ExpectEqual(entry, 59 + added, "numbers go on");
        agenda.Set(entry, 300 - added);
        test.ExpectEqual(agenda.Earliest(), 300 - added, "each is before those added earlier");
        test.ExpectEqual(agenda.At(59), 300, "that of the port stays");
        if (added == 40)
        {
            agenda.EndList();
        }
        if (added >= 40)
        {
            test.ExpectEqual(DueBefore(agenda, 301).size(),
                             static_cast<std::size_t>(added) + 1,
                             "they wait as before, as the port does");
        }
    }
}

/// No NIC decides before a bound, which becomes exact when it is looked for.
void
TestAgendaHosts(FunctionCase& test)
{
    Agenda agenda;
    agenda.Resize(8);
    test.ExpectEqual(agenda.FirstHost(), NEVER, "no hosts");
    agenda.FindFirstHost();
    test.ExpectEqual(agenda.FirstHost(), NEVER, "none is found");
    const TimePs& second = agenda.AddHost(2);
    agenda.AddHost(5);
    test.ExpectEqual(agenda.HostPorts(), 6, "up to the last");
    agenda.SetHost(5, 200);
    agenda.SetHost(2, 300);
    test.ExpectEqual(agenda.FirstHost(), 200, "the earlier");
    agenda.BringHostForward(2, 400);
    test.ExpectEqual(second, 300, "it was earlier than that");
    agenda.BringHostForward(2, 100);
    test.ExpectEqual(second, 100, "it was later");
    test.ExpectEqual(agenda.HostTime(2), 100, "the same");
    test.ExpectEqual(agenda.FirstHost(), 100, "it is the first now");
    agenda.SetHost(2, NEVER);
    test.Expect(agenda.FirstHost() <= 200, "a bound");
    agenda.FindFirstHost();
    test.ExpectEqual(agenda.FirstHost(), 200, "the only one that is left");
}

/// Suite of the link's mechanisms.
class FabricLinkTestSuite : public FunctionSuite
{
  public:
    FabricLinkTestSuite()
        : FunctionSuite("fabric-link", kUnit)
    {
        Add("DP-1 rings keep order while they grow, as std::deque does", TestRing);
        Add("WL-4 times of frames on a link are exact, or rounded up by less than 1 ps",
            TestLinkRate);
        Add("WL-5 each virtual channel keeps its minimum when others took what is shared",
            TestLinkCredits);
        Add("WL-5 the sender never overruns the buffer, as a model that adds up does",
            TestLinkCreditsProperty);
        Add("WL-3 three timers decide when an ACK frame goes", TestAckAggregator);
        Add("DP-3 a switch is told of what comes before its next run, and of nothing else",
            TestAgenda);
        Add("DP-3 an agenda lists what comes next", TestAgendaLists);
        Add("DP-3 an agenda of many tasks, and of a few again", TestAgendaOfMany);
        Add("DP-3 an agenda knows which NIC decides first", TestAgendaHosts);
        Add("FC-3 lists of queues, as a deque has them", TestQueueRing);
        Add("DP-3 an agenda that grows forgets nothing", TestAgendaGrows);
    }
};

FabricLinkTestSuite g_fabricLinkTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
