/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree-helper.h"
#include "fabric-flow-list-maker.h"
#include "fabric-goal-matching.h"
#include "fabric-goal-progress.h"
#include "fabric-goal-traffic.h"
#include "fabric-message-recorder.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return a trace of three ranks. @param ranks what each does
GoalFile
TraceOf(const std::vector<std::string>& ranks)
{
    std::string text = "num_ranks 3\n";
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    {
        text += "rank " + std::to_string(rank) + " {\n" + ranks[rank] + "}\n";
    }
    std::istringstream is(text);
    return GoalFile::Read(is, "g.goal");
}

/// What a trace does without a network: a message takes 1000 ns.
class GoalRun
{
  public:
    explicit GoalRun(const GoalFile& file)
        : m_progress(file,
                     {[this](uint32_t operation, uint64_t time) {
                          Add(time, [this, operation] { m_progress.Calculated(operation); });
                          m_told += " c" + std::to_string(operation) + "@" + std::to_string(m_now);
                      },
                      [this](uint32_t send, uint32_t place) {
                          Add(1000, [this, send, place] { m_progress.Delivered(send, place); });
                          m_told += " s" + std::to_string(send) + "@" + std::to_string(m_now);
                      }})
    {
        m_progress.Begin();
        while (!m_events.empty())
        {
            const auto next = m_events.begin();
            m_now = next->first;
            const auto act = next->second;
            m_events.erase(next);
            act();
        }
    }

    /// @return what began when, by numbers of calculations among operations and of sends, in ns
    const std::string& Told() const
    {
        return m_told;
    }

    /// @return operations that are done
    uint32_t Done() const
    {
        return m_progress.CountDone();
    }

    /// @return when the last thing happened, ns
    uint64_t End() const
    {
        return m_now;
    }

  private:
    void Add(uint64_t after, std::function<void()> act)
    {
        m_events.emplace(m_now + after, std::move(act));
    }

    std::multimap<uint64_t, std::function<void()>> m_events;
    uint64_t m_now{0};
    std::string m_told;
    GoalProgress m_progress;
};

/// Ends and starts of others, and CPUs.
void
TestGoalOrder(FunctionCase& test)
{
    // Operation 1 after the end of 0, 2 after its start on another CPU, 3 on the CPU of 0.
    const GoalRun cpus(TraceOf({"a: calc 100\nb: calc 10\nc: calc 20 cpu 1\nd: calc 5\n"
                                "b requires a\nc irequires a\n",
                                "",
                                ""}));
    test.ExpectEqual(cpus.Told(), " c0@0 c2@0 c3@100 c1@105", "CPUs take turns");
    test.ExpectEqual(cpus.End(), 115U, "the end");
    test.ExpectEqual(cpus.Done(), 4U, "all are done");
    // The receive that starts first gets the first message, also if the message was there before.
    const GoalRun messages(
        TraceOf({"a: send 1b to 1\nb: calc 500\nc: send 2b to 1\nd: send 3b to 1 "
                 "tag 7\nc requires b\n",
                 "w: calc 1200\na: recv 1b from 0\nx: calc 1\nb: recv 1b from 0\n"
                 "y: calc 2\nc: recv 1b from 0 tag 7\nz: calc 3 cpu 1\n"
                 "a requires w\nx requires a\nb requires x\ny requires b\n"
                 "z requires c\n",
                 ""}));
    test.ExpectEqual(messages.Told(),
                     " s0@0 c1@0 s2@0 c4@0 s1@500 c10@1000 c6@1200 c8@1500",
                     "messages are for receives in their order");
    test.ExpectEqual(messages.Done(), 11U, "all are done");
}

/// Receives that have started take what comes first and fits, in their order.
void
TestGoalAny(FunctionCase& test)
{
    const auto takers = [](const std::string& receives) {
        const GoalFile file = TraceOf({"a: send 1b to 1 tag 4\nb: send 1b to 1 tag 5\n",
                                       receives,
                                       "a: send 1b to 1 tag 5\n"});
        GoalMatching matching(file);
        for (uint32_t i = 0; i < file.ranks[1].size(); ++i)
        {
            matching.Receive(1, file.ranks[1][i], i);
        }
        std::string told;
        for (const auto& [src, number] :
             std::vector<std::pair<uint32_t, uint32_t>>{{0, 0}, {2, 0}, {0, 1}})
        {
            const GoalFile::Operation& send = file.ranks[src][number];
            const uint32_t receive = matching.Deliver(src, send, matching.Send(src, send));
            told += receive == GoalMatching::NONE ? " -" : " " + std::to_string(receive);
        }
        return told;
    };
    test.ExpectEqual(takers("a: recv 1b from -1 tag -1\nb: recv 1b from -1 tag -1\n"
                            "c: recv 1b from -1 tag -1\n"),
                     " 0 1 2",
                     "as they come");
    test.ExpectEqual(takers("a: recv 1b from -1 tag 5\nb: recv 1b from 0 tag -1\n"
                            "c: recv 1b from -1 tag -1\n"),
                     " 1 0 2",
                     "those that fit");
    test.ExpectEqual(takers("a: recv 1b from 0 tag 5\nb: recv 1b from -1 tag 5\n"
                            "c: recv 1b from -1 tag 4\n"),
                     " 2 1 0",
                     "beside exact ones");
    test.ExpectEqual(takers("a: recv 1b from -1 tag 5\nb: recv 1b from 2 tag 5\n"
                            "c: recv 1b from 0 tag 4\n"),
                     " 2 0 -",
                     "what an exact one waits for, too");
    // A message that was there before is for the first receive that starts then.
    const GoalRun there(
        TraceOf({"a: send 1b to 1 tag 4\n",
                 "w: calc 3000\na: recv 1b from -1 tag -1\nb: recv 1b from 0 tag 4\n"
                 "x: calc 7 cpu 1\ny: calc 8 cpu 2\na requires w\nb requires w\n"
                 "x requires a\ny requires b\n",
                 ""}));
    test.ExpectEqual(there.Told(), " s0@0 c1@0 c4@3000", "as they start");
    test.ExpectEqual(there.Done(), 4U, "the other one waits");
}

/// The lists of LogGOPSim: receives that have started and messages that nobody has taken, each
/// searched from the front. Messages that are overtaken by one of the same rank with the same tag
/// come before that.
class MatchLists
{
  public:
    using Pair = std::pair<uint32_t, uint32_t>; ///< Source and tag.

    /// A receive starts. @return whether its message is there
    bool Receive(Pair asked, uint32_t number)
    {
        for (std::size_t i = 0; i < m_untaken.size(); ++i)
        {
            if (Fits(asked, m_untaken[i].first))
            {
                const std::pair<Pair, uint32_t> taken = m_untaken[i];
                m_untaken.erase(m_untaken.begin() + static_cast<std::ptrdiff_t>(i));
                m_takers[taken] = number;
                return m_here.count(taken) != 0;
            }
        }
        m_receives.emplace_back(asked, number);
        return false;
    }

    /// A message comes. @return its receive, or GoalMatching::NONE
    uint32_t Deliver(Pair from, uint32_t place)
    {
        for (uint32_t& known = m_known[from]; known <= place; ++known)
        {
            Learn({from, known});
        }
        m_here.insert({from, place});
        const auto taker = m_takers.find({from, place});
        return taker == m_takers.end() ? GoalMatching::NONE : taker->second;
    }

  private:
    static bool Fits(Pair asked, Pair from)
    {
        return (asked.first == GoalFile::ANY || asked.first == from.first) &&
               (asked.second == GoalFile::ANY || asked.second == from.second);
    }

    void Learn(const std::pair<Pair, uint32_t>& message)
    {
        for (std::size_t i = 0; i < m_receives.size(); ++i)
        {
            if (Fits(m_receives[i].first, message.first))
            {
                m_takers[message] = m_receives[i].second;
                m_receives.erase(m_receives.begin() + static_cast<std::ptrdiff_t>(i));
                return;
            }
        }
        m_untaken.push_back(message);
    }

    std::vector<std::pair<Pair, uint32_t>> m_receives;
    std::vector<std::pair<Pair, uint32_t>> m_untaken;
    std::map<std::pair<Pair, uint32_t>, uint32_t> m_takers;
    std::set<std::pair<Pair, uint32_t>> m_here;
    std::map<Pair, uint32_t> m_known;
};

/// Random receives of rank 0 of messages that overtake each other are those of these lists.
void
TestGoalMatching(FunctionCase& test)
{
    using Kind = GoalFile::Kind;
    const TestSeeds seeds(1000);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const uint32_t wild = random() % 4; // sources, tags, both or none
        GoalFile file;
        file.ranks.resize(4);
        for (uint32_t i = 0; i < 60; ++i)
        {
            GoalFile::Operation receive;
            receive.kind = Kind::RECV;
            receive.amount = 1;
            receive.peer = (wild & 1) && random() % 3 == 0 ? GoalFile::ANY : 1 + random() % 3;
            receive.tag = (wild & 2) && random() % 3 == 0 ? GoalFile::ANY : random() % 3;
            file.ranks[0].push_back(receive);
        }
        GoalMatching matching(file);
        MatchLists lists;
        std::vector<std::tuple<uint32_t, GoalFile::Operation, uint32_t>> underWay;
        for (uint32_t started = 0; started < file.ranks[0].size();)
        {
            const std::string what = "seed " + std::to_string(seed);
            const uint32_t act = random() % 3;
            if (act == 0)
            {
                const GoalFile::Operation& receive = file.ranks[0][started];
                test.ExpectEqual(matching.Receive(0, receive, started),
                                 lists.Receive({receive.peer, receive.tag}, started),
                                 what);
                ++started;
            }
            else if (act == 1)
            {
                GoalFile::Operation send;
                send.kind = Kind::SEND;
                send.amount = 1;
                send.tag = random() % 3;
                const uint32_t src = 1 + random() % 3;
                underWay.emplace_back(src, send, matching.Send(src, send));
            }
            else if (!underWay.empty())
            {
                const std::size_t next = random() % std::min<std::size_t>(underWay.size(), 3);
                const auto [src, send, place] = underWay[next];
                underWay.erase(underWay.begin() + static_cast<std::ptrdiff_t>(next));
                test.ExpectEqual(matching.Deliver(src, send, place),
                                 lists.Deliver({src, send.tag}, place),
                                 what);
            }
        }
    }
}

/// Of ranks that are carried out elsewhere it is enough to know what is delivered.
void
TestGoalOfPart(FunctionCase& test)
{
    const GoalFile file = TraceOf({"a: send 1b to 1\nb: send 2b to 1\nc: calc 9\n",
                                   "a: recv 1b from 0\nx: calc 1\nb: recv 1b from 0\n"
                                   "y: calc 2 cpu 1\nc: send 7b to 0\nx requires a\n"
                                   "y requires b\nc requires y\n",
                                   ""});
    std::string told;
    GoalProgress progress(
        file,
        {[&told](uint32_t, uint64_t time) { told += " c" + std::to_string(time); },
         [&told](uint32_t send, uint32_t) { told += " s" + std::to_string(send); }});
    progress.Begin([](uint32_t rank) { return rank == 1; });
    test.ExpectEqual(told, "", "rank 0 is carried out elsewhere");
    progress.Delivered(0, 1); // was sent after the other one
    test.ExpectEqual(told, " c2", "the second receive");
    progress.Delivered(1, 0);
    test.ExpectEqual(told, " c2 c1", "the first one");
    progress.Calculated(6);
    test.ExpectEqual(told, " c2 c1 s2", "numbers of sends are those of all ranks");
    test.ExpectEqual(progress.CountDone(), 4U, "of rank 1");
}

/// Operations that are never done are told before the run.
void
TestGoalCircles(FunctionCase& test)
{
    const auto refusal = [](const std::vector<std::string>& ranks, uint32_t hosts = 3) {
        return Refusal([&] { FlowListMaker("g.goal").Make(TraceOf(ranks), hosts); });
    };
    const std::string sentence = "the operation is never done, since it waits in a circle or for a "
                                 "message that nobody sends; allowed are operations that end";
    test.ExpectEqual(
        refusal({"a: send 1b to 1\nb: calc 1\nc: calc 1\nb requires c\nc requires b\n"}),
        "g.goal:4: " + sentence,
        "a circle");
    test.ExpectEqual(refusal({"a: send 1b to 1\n", "a: recv 1b from 0 tag 2\n"}),
                     "g.goal:6: " + sentence,
                     "another tag");
    test.ExpectEqual(refusal({"a: send 1b to 1\nb: recv 1b from 1\na requires b\n",
                              "a: send 1b to 0\nb: recv 1b from 0\na requires b\n"}),
                     "g.goal:3: " + sentence,
                     "each waits for the other");
    test.ExpectEqual(refusal({"a: calc 5\n"}),
                     "g.goal: there are no flows; allowed is at least one",
                     "no messages");
    test.ExpectEqual(
        refusal({"a: send 1b to 1\n"}, 2),
        "g.goal: the trace has 3 ranks; allowed are at most the 2 hosts of the topology",
        "too many ranks");
    test.ExpectEqual(refusal({"a: send 1b to 1\n"}), "", "nobody has to receive it");
    test.ExpectEqual(
        refusal({"a: send 1b to 1 tag 1\n", "a: recv 1b from -1\nb: recv 1b from 2\n"}),
        "",
        "what comes first is not known before");
    const std::string race = "w: calc 9\nc: calc 1 cpu 1\na: recv 1b from 1\nb: recv 1b from 1\n"
                             "d: send 1b to 1\na requires w\nb requires c\nd requires b\n";
    const std::string other = "a: send 1b to 0\nb: recv 1b from 0\nc: send 1b to 0\nc requires b\n";
    test.ExpectEqual(refusal({race, other}), "", "b begins before a");
    test.ExpectEqual(refusal({race + "b requires a\n", other}),
                     "g.goal:6: " + sentence,
                     "b waits for a");
}

/// @return a trace in which two ranks send messages to each other; some of them wait in circles
GoalFile
RandomTrace(std::mt19937& random)
{
    std::vector<std::vector<std::string>> does(2);
    for (uint32_t i = 0; i < 3 + random() % 4; ++i)
    {
        const uint32_t from = random() % 2;
        const std::string tag = " tag " + std::to_string(random() % 2) + "\n";
        does[from].push_back("send 1b to " + std::to_string(1 - from) + tag);
        does[1 - from].push_back("recv 1b from " + std::to_string(from) + tag);
        does[random() % 2].push_back("calc 1 cpu " + std::to_string(i) + "\n");
    }
    std::vector<std::string> ranks;
    for (std::vector<std::string>& operations : does)
    {
        std::shuffle(operations.begin(), operations.end(), random);
        std::string text;
        for (std::size_t i = 0; i < operations.size(); ++i)
        {
            text += "o" + std::to_string(i) + ": " + operations[i];
        }
        for (std::size_t i = 1; i < operations.size(); ++i)
        {
            if (random() % 3 != 0)
            {
                text += "o" + std::to_string(i) +
                        (random() % 4 == 0 ? " irequires o" : " requires o") +
                        std::to_string(random() % i) + "\n";
            }
        }
        ranks.push_back(text);
    }
    return TraceOf(ranks);
}

/// @return whether all is done if what takes time ends in some random order
bool
EndsInSomeOrder(const GoalFile& file, std::mt19937& random)
{
    std::vector<std::function<void()>> underWay;
    GoalProgress* progress = nullptr;
    GoalProgress ranks(
        file,
        {[&](uint32_t operation, uint64_t) {
             underWay.emplace_back([&progress, operation] { progress->Calculated(operation); });
         },
         [&](uint32_t send, uint32_t place) {
             underWay.emplace_back([&progress, send, place] { progress->Delivered(send, place); });
         }});
    progress = &ranks;
    ranks.Begin();
    while (!underWay.empty())
    {
        std::swap(underWay[random() % underWay.size()], underWay.back());
        const std::function<void()> ends = underWay.back();
        underWay.pop_back();
        ends();
    }
    return ranks.CountDone() == ranks.CountOperations();
}

/// A trace that ends in some order of what takes time is not refused before the run.
void
TestGoalOrders(FunctionCase& test)
{
    const TestSeeds seeds(2000);
    uint32_t refused = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        const GoalFile file = RandomTrace(random);
        const bool isRefused = !Refusal([&] { FlowListMaker("g.goal").Make(file, 3); }).empty();
        bool ends = false;
        for (uint32_t order = 0; isRefused && order < 50 && !ends; ++order)
        {
            ends = EndsInSomeOrder(file, random);
        }
        test.Expect(!ends, "seed " + std::to_string(seed) + ": it ends");
        refused += isRefused;
    }
    if (seeds.count >= 500)
    {
        test.Expect(refused > seeds.count / 100, "wait in circles: " + std::to_string(refused));
    }
}

/// A trace over a fabric: sends at their times, and the end of the last calculation.
void
TestGoalOnFabric(FunctionCase& test)
{
    const GoalFile file = TraceOf({"a: calc 700\nb: send 5000b to 1 tag 3\nb requires a\n",
                                   "a: recv 5000b from 0 tag 3\nb: calc 300\nc: send 9b to 2\n"
                                   "b requires a\nc requires b\n",
                                   "a: recv 9b from 1\nb: calc 4000\nb requires a\n"});
    const FlowList list = FlowListMaker("g.goal").Make(file, 16);
    test.ExpectEqual(list.flows.size(), 2U, "sends");
    FatTreeHelper helper(4);
    const FabricContainer fabric = helper.Install();
    FabricMessageRecorder recorder(fabric.network);
    const FabricGoalTraffic traffic(fabric, file, list);
    Simulator::Run();
    const auto& records = recorder.GetRecords();
    test.ExpectEqual(records.size(), 2U, "messages");
    test.ExpectEqual(records[0].message.sentAt, 700'000, "after the calculation");
    test.ExpectEqual(records[0].message.bytes, 5000U, "bytes");
    test.ExpectEqual(records[1].message.sentAt, records[0].deliveredAt + 300'000, "and then");
    test.ExpectEqual(HostOf(records[1].message.dst), 2U, "to rank 2");
    Summary summary;
    traffic.AddTo(summary);
    std::ostringstream csv;
    summary.WriteCsv(csv);
    test.ExpectEqual(csv.str(),
                     "metric,value,unit\noperations,7,1\noperations_done,7,1\nexecution_time," +
                         NumberText(ToSeconds(records[1].deliveredAt + 4'000'000)) + ",s\n",
                     "figures");
    Simulator::Destroy();
}

/// Suite of traces that are carried out.
class GoalTrafficSuite : public FunctionSuite
{
  public:
    GoalTrafficSuite()
        : FunctionSuite("fabric-goal-traffic", kUnit)
    {
        Add("FF-7 what waits for what", TestGoalOrder);
        Add("FF-7 any rank and any tag", TestGoalAny);
        Add("FF-7 receives and messages by lists", TestGoalMatching);
        Add("WL-7 ranks that are carried out elsewhere", TestGoalOfPart);
        Add("FF-7 operations that are never done", TestGoalCircles);
        Add("FF-7 a trace that some order ends is not refused", TestGoalOrders);
        Add("FF-7 a trace over a fabric", TestGoalOnFabric);
    }
};

GoalTrafficSuite g_goalTrafficSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
