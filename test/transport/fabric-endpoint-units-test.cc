/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-connection-table.h"
#include "fabric-connection-terms.h"
#include "fabric-connection-timers.h"
#include "fabric-function-case.h"
#include "fabric-grant-control.h"
#include "fabric-rdma-tag.h"
#include "fabric-reply-queue.h"
#include "fabric-room-notice.h"
#include "fabric-stranger-reply.h"
#include "fabric-test-seeds.h"
#include "fabric-timer-heap.h"
#include "fabric-transport-shared.h"
#include "fabric-tx-scheduler.h"

#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// What both ends agree on is the smaller of both; what makes no sense is not taken.
void
Terms(FunctionCase& test)
{
    ConnectionSettings settings;
    settings.mtu = 2048;
    settings.dataWindow = 100;
    ConnectionTerms terms;
    terms.cid = 5;
    terms.Propose(settings, false);
    TransportPacket packet(TransportPacketType::CONNECT);
    terms.WriteTo(packet);
    test.Expect(!packet.offer.isOrdered && packet.offer.sourceCid == 5 &&
                    packet.offer.mtu == 2048 && packet.offer.dataWindow == 100 &&
                    packet.offer.requestWindow == 64 && packet.offer.requestSpan == 256,
                "proposed");
    ConnectionOffer offer = packet.offer;
    test.Expect(ConnectionTerms::AreValid(offer), "valid");
    offer.sourceCid = 7;
    offer.mtu = 4096;
    offer.dataWindow = 50;
    terms.Agree(offer);
    test.Expect(terms.peerCid == 7 && terms.mtu == 2048 && terms.dataWindow == 50, "the smaller");
    const auto isValid = [&](auto change) {
        ConnectionOffer wrong = offer;
        change(wrong);
        return ConnectionTerms::AreValid(wrong);
    };
    test.Expect(!isValid([](ConnectionOffer& o) { o.sourceCid = NO_CONNECTION; }), "no CID");
    test.Expect(!isValid([](ConnectionOffer& o) { o.mtu = 63; }), "MTU too small");
    test.Expect(!isValid([](ConnectionOffer& o) { o.requestWindow = 65; }), "window too large");
    test.Expect(!isValid([](ConnectionOffer& o) { o.dataWindow = 0; }), "no window");
    test.Expect(!isValid([](ConnectionOffer& o) { o.requestSpan = 4097; }), "span too large");
}

/// RT-3, row by row.
void
Solicitations(FunctionCase& test)
{
    SolicitationRule rule;
    rule.solicitAbove = 1000;
    rule.solicitBelowWindow = 0.5;
    const auto text = [&](Solicitation kind) {
        rule.solicitation = kind;
        std::string answers;
        for (const double window : {50.0, 49.0})
        {
            answers += rule.Solicits(1000, window, 100) ? "y" : "n";
            answers += rule.Solicits(1001, window, 100) ? "y" : "n";
        }
        return answers;
    };
    test.ExpectSame(text(Solicitation::NEVER), "nnnn", "never");
    test.ExpectSame(text(Solicitation::ALWAYS), "yyyy", "always");
    test.ExpectSame(text(Solicitation::LENGTH), "nyny", "by length");
    test.ExpectSame(text(Solicitation::CONGESTION), "nyyy", "by length and window");
}

/// RT-4, row by row: pieces, the limit, and who is parked.
void
Grants(FunctionCase& test)
{
    TransportSettings settings;
    settings.grantLimitBytes = 100'000;
    settings.grantQuantumBytes = 50'000;
    ResourcePool payload(60'000);
    GrantControl grants(settings, payload);
    using Verdict = GrantControl::Verdict;
    test.Expect(!grants.TakeDue() && grants.IsEmpty(), "nobody");
    grants.Add({1, 0, 0, 120'000});
    grants.Add({2, 0, 1, 500});
    test.Expect(grants.TakeDue() && !grants.TakeDue(), "told once");
    test.Expect(grants.Next().cid == 1, "by arrival");
    auto decision = grants.Decide(120'000, 4096, false);
    test.Expect(decision.verdict == Verdict::GRANT && decision.bytes == 49'152, "whole packets");
    decision = grants.Decide(120'000 - 49'152, 4096, true);
    test.Expect(decision.verdict == Verdict::PARK && grants.Next().cid == 2, "no payload memory");
    decision = grants.Decide(500, 4096, false);
    test.Expect(decision.verdict == Verdict::GRANT && decision.bytes == 500 && grants.IsEmpty(),
                "the last piece is no whole packet");
    test.Expect(!grants.TakeDue() && grants.Occupancy().used == 49'652, "granted");
    grants.Unpark();
    test.Expect(grants.TakeDue() && grants.Next().cid == 1, "memory was given back");
    decision = grants.Decide(120'000 - 49'152, 4096, false);
    test.Expect(decision.verdict == Verdict::GRANT && decision.bytes == 49'152, "head of line");
    decision = grants.Decide(120'000 - 2 * 49'152, 4096, false);
    test.Expect(decision.verdict == Verdict::WAIT && !grants.IsEmpty(), "the limit");
    grants.GiveBack(50'000);
    test.Expect(grants.TakeDue(), "granted data has come");
    decision = grants.Decide(120'000 - 2 * 49'152, 4096, false);
    test.Expect(decision.verdict == Verdict::GRANT && decision.bytes == 21'696, "the rest");
    grants.Add({3, 0, 0, 10});
    grants.Drop();
    test.Expect(grants.IsEmpty() && grants.Occupancy().peak <= 100'000, "its connection is gone");
}

/// RT-4: pulls keep the same limit as grants, and those are next who have less of it.
void
GrantsAndPulls(FunctionCase& test)
{
    TransportSettings settings;
    settings.grantLimitBytes = 100'000;
    settings.grantQuantumBytes = 40'960;
    ResourcePool payload(1'000'000);
    GrantControl grants(settings, payload);
    using Verdict = GrantControl::Verdict;
    grants.AddPull({1, 0, 0, 30'000});
    grants.AddPull({2, 0, 1, 1'000'000});
    grants.AddPull({3, 0, 2, 60'000});
    test.Expect(grants.TakeDue() && grants.IsPullNext() && grants.Next().cid == 1, "a pull");
    test.Expect(grants.Ask() && grants.Ask(), "both");
    test.ExpectEqual(grants.Occupancy().used, 80'000, "a large one takes half of the limit");
    test.Expect(!grants.Ask() && grants.Next().cid == 3, "the third waits");

    grants.Add({4, 0, 3, 90'000});
    test.Expect(!grants.IsPullNext() && grants.Next().cid == 4, "a push has less");
    auto decision = grants.Decide(90'000, 4096, false);
    test.Expect(decision.verdict == Verdict::GRANT && decision.bytes == 40'960,
                "and is granted a piece, though pulls have the limit");
    test.ExpectEqual(grants.Occupancy().used, 120'960, "a quantum more than the limit at most");
    test.Expect(!grants.IsPullNext(), "it still has less");
    decision = grants.Decide(90'000 - 40'960, 4096, false);
    test.Expect(decision.verdict == Verdict::WAIT, "but now it waits");

    grants.GiveBackPull(30'000, 10'000);
    test.ExpectEqual(grants.Occupancy().used, 100'960, "data of the first has come");
    grants.GiveBackPull(1'000'000, 50'000);
    test.ExpectEqual(grants.Occupancy().used, 100'960, "more than half is to come");
    grants.GiveBackPull(50'000, 0);
    test.ExpectEqual(grants.Occupancy().used, 50'960, "all of it");
    test.Expect(grants.TakeDue() && grants.IsPullNext() && grants.Next().cid == 3,
                "pulls have less");
    test.Expect(!grants.Ask(), "half of the limit is wanted, and not there");
    grants.GiveBackPull(10'000, 0);
    test.Expect(grants.Ask() && grants.Occupancy().used == 90'960, "now it is");
    test.Expect(!grants.IsPullNext() && grants.Next().cid == 4, "pushes alone wait");

    settings.admitsPulls = false;
    GrantControl off(settings, payload);
    off.AddPull({1, 0, 0, 1'000'000});
    off.AddPull({2, 0, 0, 1'000'000});
    test.Expect(off.Ask() && off.Ask() && off.Occupancy().used == 0, "pulls take nothing");
}

/// ROOM is told once after a refusal, and only if something was freed since.
void
Room(FunctionCase& test)
{
    RoomNotice room;
    room.Free();
    test.Expect(!room.Take(), "nobody wants it");
    room.Want();
    test.Expect(!room.Take(), "what was freed before does not count");
    room.Free();
    test.Expect(room.Take() && !room.Take(), "once");
    room.Free();
    test.Expect(!room.Take(), "nobody wants it any more");
}

/// Replies leave in order; too many are dropped and counted.
void
Replies(FunctionCase& test)
{
    TransportCounters counters;
    ReplyQueue replies(counters);
    for (uint32_t i = 0; i < ReplyQueue::LIMIT + 2; ++i)
    {
        replies.Push(i, TransportPacket(TransportPacketType::CLOSED));
    }
    test.Expect(counters.dropped == 2, "dropped");
    test.Expect(replies.Take().peer == 0 && replies.Take().peer == 1, "the oldest first");
    for (uint32_t i = 2; i < ReplyQueue::LIMIT; ++i)
    {
        replies.Take();
    }
    test.Expect(replies.IsEmpty(), "all");
}

/// RT-1: CIDs find their connection, and no other that has had its place.
void
Table(FunctionCase& test)
{
    TransportShared shared{TransportSettings(), ConnectionSettings()};
    ConnectionTable table(2);
    const auto open = [&] {
        const auto entry = table.Add(shared);
        entry->connection.Connect(entry->cid, 77, ConnectionSettings(), 0);
        return entry->cid;
    };
    const ConnectionId first = open();
    const ConnectionId second = open();
    test.Expect(first == 1 && second == 2 && table.Size() == 2, "places from 1 on");
    test.Expect(!table.Add(shared), "as many as may be");
    test.Expect(table.Find(first)->Terms().cid == first && !table.Find(NO_CONNECTION) &&
                    !table.Find(3),
                "found");
    table.AddPeer(*table.Find(first));
    test.Expect(table.FindByPeer(77, NO_CONNECTION) == table.Find(first), "by the peer's CID");
    test.Expect(!table.FindByPeer(78, NO_CONNECTION), "of another peer");
    table.Remove(*table.Find(first));
    test.Expect(!table.Find(first) && !table.At(PlaceOf(first)) &&
                    !table.FindByPeer(77, NO_CONNECTION) && table.Size() == 1,
                "gone");
    const ConnectionId third = open();
    test.Expect(PlaceOf(third) == PlaceOf(first) && third != first && !table.Find(first) &&
                    table.Find(third),
                "the next generation");
    test.Expect(table.NumberOf(90) == 0 && table.NumberOf(80) == 1 && table.NumberOf(90) == 0,
                "peers are numbered as they appear");
}

/// RT-1: Peers are told apart whatever they call their connections, also where the sum that their
/// places are looked up by is the same.
void
Peers(FunctionCase& test)
{
    // Times the factor of ConnectionTable's hash, 0x9E3779B97F4A7C15, the first is 2^64 minus the
    // second or a multiple of that.
    constexpr PeerAddress FURTHER = 2'971'215'073;
    constexpr ConnectionId HIGHER = 50'920'843;
    TransportShared shared{TransportSettings(), ConnectionSettings()};
    ConnectionTable table(300);
    std::map<std::pair<PeerAddress, ConnectionId>, ConnectionId> oracle;
    const auto open = [&](PeerAddress peer, ConnectionId peerCid) {
        TransportPacket connect(TransportPacketType::CONNECT);
        ConnectionTerms terms;
        terms.cid = peerCid;
        terms.Propose(ConnectionSettings(), true);
        terms.WriteTo(connect);
        const auto entry = table.Add(shared);
        entry->connection.Accept(entry->cid, table.NumberOf(peer), peer, connect, 0);
        table.AddPeer(entry->connection);
        oracle[{peer, peerCid}] = entry->cid;
    };
    for (PeerAddress peer = 1; peer <= 10; ++peer)
    {
        for (ConnectionId peerCid = 1; peerCid <= 10; ++peerCid)
        {
            open(peer, peerCid);
            open(peer + FURTHER, peerCid + HIGHER);
        }
    }
    const auto expectAll = [&] {
        for (const auto& [key, cid] : oracle)
        {
            const TransportConnection* found = table.FindByPeer(key.first, key.second);
            test.ExpectEqual(found == nullptr ? NO_CONNECTION : found->Terms().cid,
                             cid,
                             Text("of peer ", key.first, " CID ", key.second));
        }
    };
    expectAll();
    for (auto& [key, cid] : oracle)
    {
        if (key.first <= 5)
        {
            table.Remove(*table.Find(cid));
            cid = NO_CONNECTION; // those of others that have the same sum stay
        }
    }
    expectAll();
}

/// Both timers of a connection against a map.
void
Timers(FunctionCase& test)
{
    std::mt19937 random(5);
    ConnectionTimers timers;
    std::map<uint32_t, std::pair<TimePs, TimePs>> oracle;
    const auto draw = [&] {
        return random() % 3 == 0 ? NEVER : static_cast<TimePs>(random() % 1000);
    };
    std::string fault;
    for (uint32_t step = 0; step < 20000 && fault.empty(); ++step)
    {
        const uint32_t place = 1 + random() % 20;
        auto& mine = oracle.try_emplace(place, NEVER, NEVER).first->second;
        if (random() % 8 == 0)
        {
            timers.Stop(place);
            mine = {NEVER, NEVER};
        }
        else
        {
            const TimePs deadline = draw();
            const TimePs send = draw();
            timers.Lower(place, deadline, send);
            mine = {std::min(mine.first, deadline), std::min(mine.second, send)};
        }
        TimePs next = NEVER;
        TimePs nextDeadline = NEVER;
        for (const auto& [who, times] : oracle)
        {
            next = std::min({next, times.first, times.second});
            nextDeadline = std::min(nextDeadline, times.first);
        }
        fault = timers.Next() != next || timers.NextDeadline() != nextDeadline ? "the next" : fault;
        if (next != NEVER && random() % 4 == 0)
        {
            auto& taken = oracle[timers.TakeNext()];
            fault = taken.first != next && taken.second != next ? "whose" : fault;
            taken.first = taken.first == next ? NEVER : taken.first;
            taken.second = taken.second == next ? NEVER : taken.second;
        }
    }
    test.ExpectSame(fault, "", "timers");
}

/// Classes by priority and by weight; connections in turn.
void
Scheduler(FunctionCase& test)
{
    TxScheduler strict(true, {1, 1, 1, 1, 1, 1});
    for (const uint32_t connection : {7U, 3U, 7U})
    {
        strict.Add(TxClass::DATA, connection);
    }
    strict.Add(TxClass::ACK, 9);
    test.Expect(strict.Next(0x3F)->connection == 9, "ACK first");
    test.Expect(!strict.Next(TxScheduler::Bit(TxClass::GRANT)), "not allowed");
    test.Expect(strict.Next(0x3F)->connection == 7 && strict.Next(0x3F)->connection == 3,
                "in turn");
    test.Expect(!strict.Next(0x3F) && strict.Waiting() == 0, "each once");

    TxScheduler weighted(false, {1, 1, 3, 1, 1, 2});
    std::map<TxClass, uint32_t> count;
    for (uint32_t i = 0; i < 500; ++i)
    {
        weighted.Add(TxClass::RESEND, 1);
        weighted.Add(TxClass::DATA, 1);
        ++count[weighted.Next(0x3F)->txClass];
    }
    test.Expect(count[TxClass::RESEND] == 300 && count[TxClass::DATA] == 200, "3 to 2");
}

/// Connections that are stopped and resumed at random, against lists in which they are looked for.
void
StoppedConnections(FunctionCase& test)
{
    const TestSeeds seeds(50);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        TxScheduler scheduler(true, {1, 1, 1, 1, 1, 1});
        std::array<std::vector<uint32_t>, TX_CLASSES> lists;
        std::set<uint32_t> stopped;
        const auto next = [&]() -> std::optional<std::pair<uint32_t, uint32_t>> {
            for (uint32_t i = 0; i < TX_CLASSES; ++i)
            {
                for (const uint32_t connection : lists[i])
                {
                    if (stopped.count(connection) == 0)
                    {
                        return std::pair{i, connection};
                    }
                }
            }
            return std::nullopt;
        };
        for (uint32_t step = 0; step < 2000; ++step)
        {
            const uint32_t connection = random() % 8;
            const uint32_t txClass = random() % TX_CLASSES;
            std::vector<uint32_t>& list = lists[txClass];
            switch (random() % 5)
            {
            case 0:
                scheduler.Stop(connection);
                stopped.insert(connection);
                break;
            case 1:
                scheduler.Resume(connection);
                stopped.erase(connection);
                break;
            case 2:
                scheduler.Add(static_cast<TxClass>(txClass), connection);
                if (std::find(list.begin(), list.end(), connection) == list.end())
                {
                    list.push_back(connection);
                }
                break;
            default:
                // Who was stopped comes last again: only the class is sure, and that it may go.
                const auto expected = next();
                const auto choice = scheduler.Next(0x3F);
                test.Expect(choice.has_value() == expected.has_value(),
                            Text("seed ", seed, ": somebody may go, or nobody"));
                if (choice && expected)
                {
                    std::vector<uint32_t>& from = lists[static_cast<uint32_t>(choice->txClass)];
                    const auto place = std::find(from.begin(), from.end(), choice->connection);
                    test.Expect(static_cast<uint32_t>(choice->txClass) == expected->first &&
                                    stopped.count(choice->connection) == 0 && place != from.end(),
                                Text("seed ", seed, ", step ", step, ": a wrong choice"));
                    from.erase(place);
                }
                else
                {
                    test.Expect(scheduler.Waiting() == 0, "who is stopped does not wait");
                }
            }
            const bool isIdle =
                std::all_of(lists.begin(), lists.end(), [](const auto& of) { return of.empty(); });
            test.Expect(scheduler.IsIdle() == isIdle,
                        Text("seed ", seed, ", step ", step, ": who is stopped has something"));
        }
        for (uint32_t connection = 0; connection < 8; ++connection)
        {
            scheduler.Resume(connection);
        }
        std::size_t left = 0;
        for (const std::vector<uint32_t>& list : lists)
        {
            left += list.size();
        }
        for (; left > 0; --left)
        {
            test.Expect(scheduler.Next(0x3F).has_value(), Text("seed ", seed, ": one is lost"));
        }
        test.Expect(!scheduler.Next(0x3F), Text("seed ", seed, ": one too many"));
    }
}

/// Random timers against a map.
void
Heap(FunctionCase& test)
{
    std::mt19937 random(3);
    TimerHeap heap;
    std::map<uint32_t, TimePs> oracle;
    for (uint32_t step = 0; step < 20000; ++step)
    {
        const uint32_t owner = random() % 50;
        const TimePs time = random() % 4 == 0 ? NEVER : static_cast<TimePs>(random() % 1000);
        if (random() % 2 == 0)
        {
            heap.Set(owner, time);
            oracle[owner] = time;
        }
        else
        {
            heap.Lower(owner, time);
            oracle[owner] = std::min(oracle.count(owner) ? oracle[owner] : NEVER, time);
        }
        std::pair<TimePs, uint32_t> first{NEVER, 0};
        for (const auto& [who, when] : oracle)
        {
            first = std::min(first, std::make_pair(when, who));
        }
        test.Expect(heap.Earliest() == first.first, "earliest");
        test.Expect(first.first == NEVER || heap.First() == first.second, "whose");
    }
}

/// Which of two heaps has the next timer: at equal times that of the lower owner.
void
TimersOfTwo(FunctionCase& test)
{
    const auto heapOf = [](std::vector<std::pair<uint32_t, TimePs>> timers) {
        TimerHeap heap;
        for (const auto& [owner, time] : timers)
        {
            heap.Set(owner, time);
        }
        return heap;
    };
    const TimerHeap none;
    const TimerHeap early = heapOf({{7, 10}, {1, 20}});
    const TimerHeap late = heapOf({{2, 11}});
    const TimerHeap tied = heapOf({{8, 10}, {0, 30}});
    test.Expect(early.IsBefore(none) && !none.IsBefore(early), "one has none");
    test.Expect(early.IsBefore(late) && !late.IsBefore(early), "by time");
    test.Expect(early.IsBefore(tied) && !tied.IsBefore(early), "at equal times by owner");
}

/// RT-18: what a packet for a connection that is not here is answered with.
void
Strangers(FunctionCase& test)
{
    const auto text = [](TransportPacketType type) -> std::string {
        TransportPacket packet(type,
                               type == TransportPacketType::NACK ? NackCode::NOT_READY
                                                                 : NackCode::NONE);
        packet.cid = 9;
        if (packet.HasOffer())
        {
            packet.offer.sourceCid = 4;
        }
        const auto reply = ReplyToStranger(packet);
        return !reply ? "nothing"
                      : std::to_string(static_cast<int>(reply->type)) + " to " +
                            std::to_string(reply->cid) + " about " +
                            std::to_string(reply->offer.sourceCid);
    };
    const auto number = [](TransportPacketType type) {
        return std::to_string(static_cast<int>(type));
    };
    test.ExpectSame(text(TransportPacketType::CLOSE),
                    number(TransportPacketType::CLOSED) + " to 4 about 9",
                    "CLOSED was lost");
    test.ExpectSame(text(TransportPacketType::ACCEPT),
                    number(TransportPacketType::RESET) + " to 4 about 9",
                    "CONNECT was given up");
    for (const auto type : {TransportPacketType::PULL_DATA, TransportPacketType::ACK})
    {
        test.ExpectSame(text(type),
                        number(TransportPacketType::NACK) + " to 0 about 9",
                        "a CID that is not known");
    }
    for (const auto type : {TransportPacketType::CLOSED,
                            TransportPacketType::REFUSE,
                            TransportPacketType::RESET,
                            TransportPacketType::NACK})
    {
        test.ExpectSame(text(type), "nothing", "no answer to an answer");
    }
    TransportPacket connect(TransportPacketType::CONNECT);
    connect.offer.sourceCid = 4;
    const TransportPacket refusal = RefusalOf(connect);
    test.Expect(refusal.type == TransportPacketType::REFUSE && refusal.cid == 4, "REFUSE");
}

/// Operation and cookie share a tag.
void
Tags(FunctionCase& test)
{
    for (const auto operation : {RdmaOperation::WRITE, RdmaOperation::READ, RdmaOperation::SEND})
    {
        for (const uint64_t cookie : {uint64_t{0}, uint64_t{5}, RdmaTag::LARGEST_COOKIE})
        {
            UlpEvent event;
            event.tag = RdmaTag::Of(operation, cookie);
            const RdmaEvent told = RdmaTag::EventOf(RdmaEventType::PRESENTED, event);
            test.Expect(told.operation == operation && told.cookie == cookie, "as it was");
        }
    }
}

/// The units of an endpoint.
class EndpointUnitsSuite : public FunctionSuite
{
  public:
    EndpointUnitsSuite()
        : FunctionSuite("fabric-endpoint-units", kUnit)
    {
        Add("RT-1 terms", Terms);
        Add("RT-3 solicitation", Solicitations);
        Add("RT-4 who is granted how much", Grants);
        Add("RT-4 pulls and grants have one limit", GrantsAndPulls);
        Add("RT-11 notice of room", Room);
        Add("RT-18 replies", Replies);
        Add("RT-1 table of connections", Table);
        Add("RT-1 peers whose keys have the same hash", Peers);
        Add("RT-12 timers of connections", Timers);
        Add("RT-12 which of two has the next timer", TimersOfTwo);
        Add("RT-12 timers against a map", Heap);
        Add("RT-13 TX scheduler", Scheduler);
        Add("RT-13 CM-4 connections that are stopped", StoppedConnections);
        Add("RT-18 strangers", Strangers);
        Add("RT-2 tags of operations", Tags);
    }
};

EndpointUnitsSuite g_endpointUnitsSuite; ///< Registers the suite.

} // namespace
