/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-test-compat.h"
#include "fabric-time-units.h"
#include "fabric-transport-bed.h"
#include "fabric-transport-endpoint.h"

#include "ns3/test.h"

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// Records what two ULPs are told; targets answer OK at once.
class TwoUlps
{
  public:
    TwoUlps(const TransportSettings& settings,
            const ConnectionSettings& accepted,
            const NetworkFaults& faults = NetworkFaults(),
            uint32_t nodes = 2)
        : bed(nodes, settings, accepted, faults, 1)
    {
        bed.onEvent = [this](uint32_t node, const UlpEvent& event) {
            events.emplace_back(node, event);
            if (event.type == UlpEventType::REQUEST && answers)
            {
                Answer(node, event);
            }
        };
    }

    void Answer(uint32_t node, const UlpEvent& event)
    {
        event.operation == UlpOperation::PULL
            ? bed.Node(node).Respond(event.cid, event.rsn, bed.Now())
            : bed.Node(node).AckRequest(event.cid, event.rsn, UlpAnswer::OK, bed.Now());
    }

    /// @return the events of a type at a node as "rsn:status" with blanks
    std::string Text(uint32_t node, UlpEventType type) const
    {
        std::string text;
        for (const auto& [who, event] : events)
        {
            if (who == node && event.type == type)
            {
                text += (text.empty() ? "" : " ") + std::to_string(event.rsn) + ":" +
                        std::to_string(static_cast<int>(event.status));
            }
        }
        return text;
    }

    uint64_t Used(uint32_t node)
    {
        const TransportOccupancy o = bed.Node(node).Occupancy();
        return o.initiatorEntries.used + o.targetEntries.used + o.packetEntries.used +
               o.sendPayload.used + o.receivePayload.used + o.granted.used;
    }

    bool answers{true};
    TransportBed bed;
    std::vector<std::pair<uint32_t, UlpEvent>> events;
};

/// RT-16, number by number.
void
WorkedSequence(FunctionCase& test)
{
    TransportSettings settings;
    settings.ackPackets = 64;
    settings.ackDelay = 20 * US;
    ConnectionSettings target;
    target.firstDataPsn = 1000;
    TwoUlps ulps(settings, target);
    ConnectionSettings connection;
    connection.firstRequestPsn = 0;
    connection.firstDataPsn = 200;
    connection.solicitAbove = 1000;

    std::string log;
    bool isSwapped = false;
    OutgoingPacket held;
    ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
        const TransportPacket& p = out.packet;
        char line[80];
        if (p.IsRequest() || p.IsData())
        {
            std::snprintf(line,
                          sizeof line,
                          "%u type %d rsn %u psn %u\n",
                          from,
                          int(p.type),
                          p.piece.rsn,
                          p.piece.psn);
            log += line;
        }
        if (p.type == TransportPacketType::PUSH_GRANT && p.piece.psn == 1000)
        {
            isSwapped = true;
            ulps.bed.Inject(p, from, static_cast<uint32_t>(out.peer), 3 * US); // overtaken by 1001
            return false;
        }
        if (p.type == TransportPacketType::ACK && from == 1 && p.dataBase > 200)
        {
            std::snprintf(line, sizeof line, "%u ack %u %u\n", from, p.requestBase, p.dataBase);
            log += line;
        }
        if (p.type == TransportPacketType::ACK && from == 0 && p.dataBase > 1002)
        {
            std::snprintf(line, sizeof line, "%u ack %u %u\n", from, p.requestBase, p.dataBase);
            log += line;
        }
        return true;
    };
    // Pull data is responded to when all has been presented, as in the figure.
    ulps.answers = false;
    std::string presented;
    auto record = ulps.bed.onEvent;
    ulps.bed.onEvent = [&](uint32_t node, const UlpEvent& event) {
        record(node, event);
        if (event.type != UlpEventType::REQUEST)
        {
            return;
        }
        presented += std::to_string(event.rsn);
        if (presented.size() == 4)
        {
            for (const auto& [who, request] :
                 std::vector<std::pair<uint32_t, UlpEvent>>(ulps.events))
            {
                if (request.type == UlpEventType::REQUEST)
                {
                    ulps.Answer(who, request);
                }
            }
        }
    };
    TransportEndpoint& a = ulps.bed.Node(0);
    const ConnectionId cid = a.Connect(1, connection, 0);
    ulps.bed.Run(100 * US);
    a.Push(cid, 2000, ulps.bed.Now());
    a.Pull(cid, 500, ulps.bed.Now());
    a.Push(cid, 3000, ulps.bed.Now());
    a.Push(cid, 400, ulps.bed.Now());
    test.Expect(ulps.bed.Run(1'000'000 * US), "idle");
    test.Expect(isSwapped, "the grants were swapped");
    test.ExpectSame(log,
                    "0 type 1 rsn 0 psn 0\n"    // pushSlctdReq_0
                    "0 type 0 rsn 1 psn 1\n"    // pullReq_1
                    "0 type 1 rsn 2 psn 2\n"    // pushSlctdReq_2
                    "1 type 3 rsn 0 psn 1000\n" // pushGrnt_0, overtaken by
                    "1 type 3 rsn 2 psn 1001\n" // pushGrnt_2
                    "0 type 4 rsn 0 psn 200\n"  // pushSlctdData_0
                    "0 type 4 rsn 2 psn 201\n"  // pushSlctdData_2
                    "0 type 5 rsn 3 psn 202\n"  // pushUnslctdData_3
                    "1 type 2 rsn 1 psn 1002\n" // pullData_1
                    "0 ack 0 1003\n",
                    "RT-16");
    test.ExpectSame(presented, "0123", "the target ULP sees them in order");
    test.ExpectSame(ulps.Text(0, UlpEventType::COMPLETION),
                    "0:0 1:0 2:0 3:0",
                    "completions in order");
}

/// The ACK of (3, 203) as a packet of its own, when there is no pull data for it to ride on.
void
StandAloneAck(FunctionCase& test)
{
    ConnectionSettings target;
    target.firstDataPsn = 1000;
    TwoUlps ulps(TransportSettings(), target);
    ConnectionSettings connection;
    connection.firstDataPsn = 200;
    connection.solicitation = Solicitation::ALWAYS;
    uint32_t requestBase = 0;
    uint32_t dataBase = 0;
    ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
        if (from == 1 && out.packet.type == TransportPacketType::ACK)
        {
            requestBase = out.packet.requestBase;
            dataBase = out.packet.dataBase;
        }
        return true;
    };
    const ConnectionId cid = ulps.bed.Node(0).Connect(1, connection, 0);
    for (uint32_t i = 0; i < 3; ++i)
    {
        ulps.bed.Node(0).Push(cid, 1000, 0);
    }
    test.Expect(ulps.bed.Run(1'000'000 * US), "idle");
    test.Expect(requestBase == 3 && dataBase == 203, "expected base (3, 203)");
    test.ExpectSame(ulps.Text(0, UlpEventType::COMPLETION), "0:0 1:0 2:0", "complete");
}

/// A peer that is gone: requests fail, the other connection does not notice.
void
RetryLimit(FunctionCase& test)
{
    TransportSettings settings;
    settings.retryLimit = 3;
    TwoUlps ulps(settings, ConnectionSettings(), NetworkFaults(), 3);
    TransportEndpoint& a = ulps.bed.Node(0);
    const ConnectionId dead = a.Connect(1, ConnectionSettings(), 0);
    const ConnectionId alive = a.Connect(2, ConnectionSettings(), 0);
    ulps.bed.Run(100 * US);
    uint32_t sent = 0;
    ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
        sent += from == 0 && out.peer == 1 && out.packet.piece.psn == 0 && out.packet.IsData();
        return out.peer != 1 && from != 1;
    };
    a.Push(dead, 100, ulps.bed.Now());
    a.Pull(dead, 100, ulps.bed.Now());
    a.Push(alive, 100000, ulps.bed.Now());
    test.Expect(ulps.bed.Run(1'000'000 * US), "idle");
    test.Expect(sent == 4, "sent once and resent three times");
    uint32_t failed = 0;
    for (const auto& [node, event] : ulps.events)
    {
        failed += node == 0 && event.type == UlpEventType::FAILED && event.cid == dead &&
                  event.status == TransportStatus::RETRY_LIMIT;
        test.Expect(event.cid != alive || node != 0 || event.status == TransportStatus::OK,
                    "the other connection is untouched");
    }
    test.Expect(failed == 1 && a.Connections() == 1 && a.CanRequest(alive), "one is left");
    test.Expect(ulps.Used(0) == 0, "all is given back");
    test.Expect(!a.Push(dead, 1, ulps.bed.Now()), "no requests on what has failed");
}

/// RESET, REFUSE, unknown CIDs and a target that is never ready.
void
Statuses(FunctionCase& test)
{
    TransportSettings settings;
    settings.notReadyLimit = 2;
    TwoUlps ulps(settings, ConnectionSettings());
    ulps.answers = false;
    TransportEndpoint& a = ulps.bed.Node(0);
    TransportEndpoint& b = ulps.bed.Node(1);
    auto record = ulps.bed.onEvent;
    uint32_t asked = 0;
    ulps.bed.onEvent = [&](uint32_t node, const UlpEvent& event) {
        record(node, event);
        if (event.type == UlpEventType::REQUEST)
        {
            ++asked;
            b.AckRequest(event.cid, event.rsn, UlpAnswer::NOT_READY, ulps.bed.Now(), 5 * US);
        }
    };
    const ConnectionId cid = a.Connect(1, ConnectionSettings(), 0);
    a.Push(cid, 10, 0);
    a.Push(cid, 10, 0);
    test.Expect(ulps.bed.Run(100'000 * US), "idle");
    test.ExpectSame(ulps.Text(0, UlpEventType::COMPLETION), "0:2 1:7", "not ready, flushed");
    test.ExpectSame(ulps.Text(1, UlpEventType::FAILED), "0:4", "the target is told");
    test.Expect(asked >= 3 && asked <= 4, "only the first is presented, until the limit");
    test.Expect(ulps.Used(0) + ulps.Used(1) == 0 && a.Connections() + b.Connections() == 0, "free");

    ulps.events.clear();
    const ConnectionId second = a.Connect(1, ConnectionSettings(), ulps.bed.Now());
    ulps.bed.Run(ulps.bed.Now() + 100 * US);
    test.Expect(second != cid, "another CID, though the place is the same");
    ulps.bed.onSend = [](uint32_t from, const OutgoingPacket&) { return from != 1; };
    b.Reset(ulps.events.back().second.cid, ulps.bed.Now()); // RESET is lost
    ulps.bed.Run(ulps.bed.Now() + US);
    ulps.bed.onSend = nullptr;
    a.Push(second, 10, ulps.bed.Now());
    ulps.bed.Run(ulps.bed.Now() + 100'000 * US);
    test.ExpectSame(ulps.Text(0, UlpEventType::FAILED), "0:3", "BAD_CID");

    TransportSettings closed;
    closed.acceptsConnections = false;
    TwoUlps refusing(closed, ConnectionSettings());
    const ConnectionId third = refusing.bed.Node(0).Connect(1, ConnectionSettings(), 0);
    refusing.bed.Node(0).Pull(third, 10, 0);
    test.Expect(refusing.bed.Run(100'000 * US), "idle");
    test.ExpectSame(refusing.Text(0, UlpEventType::COMPLETION), "0:6", "REFUSED");
    test.Expect(refusing.Used(0) == 0 && refusing.bed.Node(0).Connections() == 0, "free");
}

/// Whatever ends one connection between two NICs, another one between them does not notice.
void
Isolation(FunctionCase& test)
{
    constexpr uint32_t COUNT = 60;
    const auto run = [&test](const std::string& what, TransportStatus status, bool isHarmful) {
        TransportSettings settings;
        settings.notReadyLimit = 2;
        settings.retryLimit = 3;
        TwoUlps ulps(settings, ConnectionSettings());
        TransportEndpoint& a = ulps.bed.Node(0);
        TransportEndpoint& b = ulps.bed.Node(1);
        const ConnectionId victim = a.Connect(1, ConnectionSettings(), 0);
        const ConnectionId other = a.Connect(1, ConnectionSettings(), 0);
        ulps.bed.Run(20 * US);
        const ConnectionId victimAtB = a.View(victim)->peerCid;
        auto record = ulps.bed.onEvent;
        ulps.bed.onEvent = [&](uint32_t node, const UlpEvent& event) {
            ulps.answers =
                status != TransportStatus::TARGET_NOT_READY || !isHarmful || event.cid != victimAtB;
            record(node, event);
            if (event.type == UlpEventType::REQUEST && !ulps.answers)
            {
                b.AckRequest(event.cid, event.rsn, UlpAnswer::NOT_READY, ulps.bed.Now(), US);
            }
        };
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            a.Push(victim, 100 + 700 * i, ulps.bed.Now(), i);
            i % 2 == 0 ? a.Push(other, 100 + 700 * i, ulps.bed.Now(), i)
                       : a.Pull(other, 100 + 700 * i, ulps.bed.Now(), i);
        }
        if (isHarmful && status == TransportStatus::CONNECTION_RESET)
        {
            ulps.bed.At(22 * US, [&] { b.Reset(victimAtB, ulps.bed.Now()); });
        }
        if (isHarmful && status == TransportStatus::BAD_CID)
        {
            ulps.bed.onSend = [](uint32_t from, const OutgoingPacket& out) {
                return from != 1 || out.packet.type != TransportPacketType::RESET;
            };
            ulps.bed.At(22 * US, [&] { b.Reset(victimAtB, ulps.bed.Now()); });
        }
        if (isHarmful && status == TransportStatus::RETRY_LIMIT)
        {
            ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
                return from != 0 || out.packet.cid != victimAtB || ulps.bed.Now() < 22 * US;
            };
        }
        test.Expect(ulps.bed.Run(1'000'000 * US), what + ": idle");
        std::string text;
        uint32_t failed = 0;
        for (const auto& [node, event] : ulps.events)
        {
            failed += node == 0 && event.cid == victim && event.type == UlpEventType::FAILED &&
                      event.status == status;
            if (node == 0 && event.cid == other && event.type == UlpEventType::COMPLETION)
            {
                text += std::to_string(event.rsn) + " " + std::to_string(event.bytes) + " " +
                        std::to_string(static_cast<int>(event.status)) + "\n";
            }
        }
        test.Expect(failed == (isHarmful ? 1 : 0), what + ": fails with its status");
        test.Expect(a.CanRequest(other) && a.Connections() == (isHarmful ? 1 : 2),
                    what + ": the other is there");
        test.Expect(ulps.Used(0) + ulps.Used(1) == 0, what + ": resources are free");
        return text;
    };
    const std::string expected = run("none", TransportStatus::OK, false);
    test.Expect(std::count(expected.begin(), expected.end(), '\n') == COUNT, "all complete");
    test.ExpectSame(run("reset", TransportStatus::CONNECTION_RESET, true), expected, "reset");
    test.ExpectSame(run("bad CID", TransportStatus::BAD_CID, true), expected, "bad CID");
    test.ExpectSame(run("retries", TransportStatus::RETRY_LIMIT, true), expected, "retries");
    test.ExpectSame(run("not ready", TransportStatus::TARGET_NOT_READY, true),
                    expected,
                    "not ready");
}

/// Descriptors of random content, with hits on CID, windows and requests made likely.
void
Garbage(FunctionCase& test)
{
    std::mt19937_64 random(7);
    uint64_t discarded = 0;
    uint64_t taken = 0;
    for (uint32_t round = 0; round < 300; ++round)
    {
        TransportSettings settings;
        settings.targetEntries = 1 + random() % 20;
        TwoUlps ulps(settings, ConnectionSettings());
        ulps.bed.Node(0).Connect(1, ConnectionSettings(), 0);
        ConnectionSettings loose;
        loose.isOrdered = false;
        const ConnectionId cid = ulps.bed.Node(0).Connect(1, loose, 0);
        ulps.bed.Run(20 * US);
        for (uint32_t i = 0; i < 300; ++i)
        {
            const auto pick = [&random](uint32_t range) {
                return static_cast<uint32_t>(random() % 4 == 0 ? random() : random() % range);
            };
            TransportPacket p(static_cast<TransportPacketType>(random() % 16),
                              static_cast<NackCode>(random() % 8));
            p.status = static_cast<TransportStatus>(random() % 8);
            p.isOrdered = random() & 1;
            p.isRequestPsn = random() & 1;
            p.isProbe = random() & 1;
            p.cid = pick(4);
            p.requestBase = pick(2);
            p.dataBase = pick(2);
            if (p.HasPiece())
            {
                p.piece.psn = pick(140);
                p.piece.rsn = pick(8);
                p.piece.ssn = pick(4);
                p.piece.length = random() % 2 ? pick(20000) : 4096;
                p.piece.offset = random() % 2 ? 0 : 4096 * pick(4);
                p.piece.amount = random() % 2 ? 4096 : pick(20000);
            }
            else if (p.HasBitmaps())
            {
                const auto bits = [&random] { return random() % 8 ? 0 : random(); };
                p.bitmaps.requestAcked = bits();
                p.bitmaps.dataAcked = PacketBitmap(bits(), bits());
                p.bitmaps.dataReceived = PacketBitmap(bits(), bits());
            }
            else
            {
                p.offer.sourceCid = pick(4);
                p.offer.requestWindow = static_cast<uint16_t>(pick(65));
                p.offer.dataWindow = static_cast<uint16_t>(pick(129));
                p.offer.requestSpan = static_cast<uint16_t>(pick(300));
                p.offer.mtu = static_cast<uint16_t>(pick(9001));
            }
            p.marksSeen = static_cast<uint16_t>(random());
            p.echo = random() % 2 ? static_cast<TimePs>(random()) : ulps.bed.Now() - US;
            ulps.bed.Node(random() % 2).Receive(p, random() % 3, ulps.bed.Now());
            if (random() % 4 == 0)
            {
                ulps.bed.Node(0).Push(cid, pick(20000) & 0xFFFFF, ulps.bed.Now());
                ulps.bed.Node(0).Pull(cid, pick(20000) & 0xFFFFF, ulps.bed.Now());
                ulps.bed.Run(ulps.bed.Now() + pick(1000) % 1000 * 1000);
            }
        }
        for (uint32_t node = 0; node < 2; ++node)
        {
            const TransportCounters& c = ulps.bed.Node(node).Counters();
            discarded += c.malformed + c.badCid + c.beyondWindow + c.duplicates + c.staleAcks;
            taken += c.presented;
            const TransportOccupancy o = ulps.bed.Node(node).Occupancy();
            test.Expect(o.granted.used <= o.granted.limit &&
                            o.receivePayload.used <= o.receivePayload.limit &&
                            o.targetEntries.used <= o.targetEntries.limit &&
                            o.packetEntries.used <= o.packetEntries.limit &&
                            o.sendPayload.used <= o.sendPayload.limit,
                        "a table is overrun in round " + std::to_string(round));
        }
    }
    test.Expect(discarded > 20000, "discards are counted: " + std::to_string(discarded));
    test.Expect(taken > 300, "some garbage makes sense: " + std::to_string(taken));
}

/// Incast: N initiators push to one.
void
Incast(FunctionCase& test)
{
    std::vector<TimePs> sums;
    for (const GrantOrder order :
         {GrantOrder::ARRIVAL, GrantOrder::ROUND_ROBIN, GrantOrder::SHORTEST_FIRST})
    {
        TransportSettings settings;
        settings.grantOrder = order;
        settings.grantLimitBytes = 64 * 1024;
        settings.grantQuantumBytes = 16 * 1024;
        constexpr uint32_t initiators = 16;
        TwoUlps ulps(settings, ConnectionSettings(), NetworkFaults(), initiators + 1);
        uint64_t inFlight = 0;
        uint64_t most = 0;
        ulps.bed.onSend = [&](uint32_t, const OutgoingPacket&) {
            const TransportOccupancy o = ulps.bed.Node(0).Occupancy();
            inFlight = o.granted.used;
            most = std::max(most, inFlight);
            return true;
        };
        std::vector<uint64_t> bytes;
        for (uint32_t i = 1; i <= initiators; ++i)
        {
            const ConnectionId cid = ulps.bed.Node(i).Connect(0, ConnectionSettings(), 0);
            bytes.push_back(20000 * (1 + i * 7 % 16));
            ulps.bed.Node(i).Push(cid, static_cast<uint32_t>(bytes.back()), 0);
        }
        test.Expect(ulps.bed.Run(1'000'000 * US), "idle");
        test.Expect(most == 64 * 1024, "the limit is used and kept: " + std::to_string(most));
        uint32_t presented = 0;
        TimePs sum = 0;
        for (const auto& [node, event] : ulps.events)
        {
            presented += event.type == UlpEventType::REQUEST;
            sum += event.type == UlpEventType::REQUEST ? event.at : 0;
        }
        test.Expect(presented == initiators, "all have come");
        sums.push_back(sum);
    }
    test.Expect(sums[2] < sums[0] && sums[0] < sums[1],
                "mean completion: shortest first, by arrival, round robin");
}

/// Tables grow with use and are given back; nothing is allocated in steady state.
void
Memory(FunctionCase& test)
{
    constexpr uint32_t connections = 1000;
    TwoUlps ulps{TransportSettings(), ConnectionSettings()};
    const std::size_t empty = ulps.bed.Node(0).MemoryBytes();
    std::vector<ConnectionId> cids;
    for (uint32_t i = 0; i < connections; ++i)
    {
        cids.push_back(ulps.bed.Node(0).Connect(1, ConnectionSettings(), 0));
    }
    ulps.bed.Run(10'000 * US);
    std::size_t warm = 0;
    for (uint32_t round = 0; round < 4; ++round)
    {
        for (const ConnectionId cid : cids)
        {
            ulps.bed.Node(0).Push(cid, 50'000, ulps.bed.Now());
            ulps.bed.Run(ulps.bed.Now() + 10 * US);
        }
        test.Expect(ulps.bed.Run(NEVER - 1), "idle");
        const std::size_t now = ulps.bed.Node(0).MemoryBytes();
        test.Expect(round == 0 || now == warm, "no growth once it is warm");
        warm = now;
    }
    const std::size_t each = (warm - empty) / connections;
    test.Expect(each <= 2048, "bytes of an idle connection: " + std::to_string(each));
    test.Expect(each >= 200, "it was measured: " + std::to_string(each));
}

/// The suite.
class TransportSequenceSuite : public TestSuite
{
  public:
    TransportSequenceSuite()
        : TestSuite("fabric-transport-endpoint", kUnit)
    {
        Add("RT-16 the worked sequence, number by number", WorkedSequence);
        Add("RT-16 the ACK of expected base (3, 203)", StandAloneAck);
        Add("RT-18 retry limit, other connections untouched", RetryLimit);
        Add("RT-18 not ready, reset, bad CID, refused", Statuses);
        Add("RT-18 each error leaves other connections untouched", Isolation);
        Add("RT-18 garbage is discarded and counted", Garbage);
        Add("RT-4 incast: granted data keeps its limit, in each order", Incast);
        Add("RT-1 memory of idle connections", Memory);
    }

  private:
    void Add(const std::string& name, FunctionCase::Body body)
    {
        AddTestCase(new FunctionCase(name, std::move(body)), kQuick);
    }
};

TransportSequenceSuite g_transportSequenceSuite; ///< Registers the suite.

} // namespace
