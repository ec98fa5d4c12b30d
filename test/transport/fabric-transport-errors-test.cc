/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-time-units.h"
#include "fabric-transport-bed.h"
#include "fabric-transport-endpoint.h"
#include "two-ulps.h"

#include "ns3/test.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// A peer that is gone: requests fail, the other connection does not notice.
void
RetryLimit(FunctionCase& test)
{
    TransportSettings settings;
    settings.retryLimit = 3;
    settings.sendsProbes = false;
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

/// A copy of CONNECT that comes when all is over: nobody is told of a connection.
void
OldConnect(FunctionCase& test)
{
    TwoUlps ulps(TransportSettings(), ConnectionSettings(), NetworkFaults(), 3);
    TransportPacket connect;
    ulps.bed.onSend = [&connect](uint32_t, const OutgoingPacket& out) {
        if (out.packet.type == TransportPacketType::CONNECT)
        {
            connect = out.packet;
        }
        return true;
    };
    TransportEndpoint& a = ulps.bed.Node(0);
    const ConnectionId cid = a.Connect(1, ConnectionSettings(), 0);
    ulps.bed.Run(100 * US);
    a.Push(cid, 100, ulps.bed.Now());
    ulps.bed.Run(200 * US);
    a.Close(cid, ulps.bed.Now());
    ulps.bed.Run(300 * US);
    TransportEndpoint& b = ulps.bed.Node(1);
    test.Expect(a.Connections() == 0 && b.Connections() == 0, "over");
    const std::size_t told = ulps.events.size();
    ulps.bed.Inject(connect, 0, 1, US);
    ulps.bed.Run(ulps.bed.Now() + US);
    test.ExpectEqual(b.Connections(), 1, "it is answered");
    ulps.bed.Run(400 * US);
    test.ExpectEqual(b.Connections(), 0, "and reset by the peer");
    test.ExpectEqual(ulps.events.size(), told, "no ULP hears of it");
    test.Expect(ulps.Used(1) == 0, "all is given back");
}

/// Runs the timers of an endpoint until none is left. @return how many times there were
uint32_t
RunTimers(TransportEndpoint& endpoint, TimePs& now)
{
    uint32_t times = 0;
    for (TimePs next = endpoint.NextTime(); next != NEVER && times < 1000;
         next = endpoint.NextTime(), ++times)
    {
        now = next;
        endpoint.RunUntil(now);
    }
    return times;
}

/**
 * A wire that takes nothing any more, as that of a host whose link is down: what waits for it
 * fails when it would have without answers, whatever it is, and no timer runs for ever.
 */
void
DeadWire(FunctionCase& test)
{
    TransportSettings settings;
    settings.retryLimit = 4;
    settings.minRto = 50 * US;
    settings.maxRto = 300 * US;
    const TimePs stall = 5 * 300 * US;
    {
        TransportEndpoint endpoint(settings, ConnectionSettings());
        const ConnectionId cid = endpoint.Connect(1, ConnectionSettings(), 7 * US);
        endpoint.Push(cid, 100, 7 * US);
        TimePs now = 0;
        RunTimers(endpoint, now);
        test.ExpectEqual(now, 7 * US + stall, "CONNECT is never sent");
        const auto event = endpoint.NextEvent();
        test.Expect(event && event->type == UlpEventType::COMPLETION &&
                        event->status == TransportStatus::RETRY_LIMIT && event->rsn == 0,
                    "the push fails");
        test.Expect(endpoint.NextEvent()->type == UlpEventType::FAILED, "and the connection");
        test.ExpectEqual(endpoint.Connections(), 0, "which is gone");
    }
    for (const bool isInFlight : {false, true})
    {
        const std::string what = isInFlight ? "resends: " : "new packets: ";
        TwoUlps ulps(settings, ConnectionSettings());
        TransportEndpoint& a = ulps.bed.Node(0);
        const ConnectionId cid = a.Connect(1, ConnectionSettings(), 0);
        ulps.bed.Run(100 * US);
        const TimePs start = ulps.bed.Now();
        TimePs now = start;
        a.Push(cid, 20'000, now); // a request, and packets to be probed with
        a.Push(cid, 4'000, now);
        while (isInFlight && a.NextPacket(now))
        {
        }
        const uint32_t times = RunTimers(a, now);
        test.Expect(times < 100, what + std::to_string(times) + " times");
        test.Expect(now >= start + stall && now <= start + stall + 300 * US,
                    what + "given up after " + std::to_string(now - start));
        test.Expect(a.Connections() == 0 && ulps.Used(0) == 0, what + "all is given back");
    }
}

/// A connection that waits long for its turn is not given up while the wire takes others' packets.
void
BusyWire(FunctionCase& test)
{
    TransportSettings settings;
    settings.retryLimit = 1;
    settings.minRto = 50 * US;
    settings.maxRto = 100 * US;
    settings.txWeights[static_cast<uint32_t>(TxClass::CONTROL)] = 1;
    TransportEndpoint endpoint(settings, ConnectionSettings());
    std::vector<ConnectionId> cids;
    for (uint32_t i = 0; i < 10; ++i)
    {
        cids.push_back(endpoint.Connect(i + 1, ConnectionSettings(), 0));
    }
    TimePs now = 0;
    std::vector<PeerAddress> sent;
    for (; sent.size() < 10; now += 150 * US) // the last is sent after seven times the stall
    {
        endpoint.RunUntil(now);
        const auto out = endpoint.NextPacket(now);
        if (!out)
        {
            break;
        }
        if (std::find(sent.begin(), sent.end(), out->peer) == sent.end())
        {
            sent.push_back(out->peer);
        }
    }
    test.ExpectEqual(sent.size(), 10, "all have been sent");
}

/// RESET, REFUSE, unknown CIDs and a target that is never ready.
void
Statuses(FunctionCase& test)
{
    TransportSettings settings;
    settings.notReadyLimit = 2;
    settings.maxConnections = 1;
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
                              static_cast<NackCode>(random() % 16));
            p.status = static_cast<TransportStatus>(random() % 8);
            p.isLongEcho = random() & 1;
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
                p.offer.isOrdered = random() & 1;
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

/// What ends requests and connections, and what does not.
class TransportErrorsSuite : public FunctionSuite
{
  public:
    TransportErrorsSuite()
        : FunctionSuite("fabric-transport-errors", kUnit)
    {
        Add("RT-18 retry limit, other connections untouched", RetryLimit);
        Add("RT-18 an old copy of CONNECT opens nothing", OldConnect);
        Add("RT-18 a wire that takes nothing ends connections", DeadWire);
        Add("RT-18 a connection may wait while the wire takes others", BusyWire);
        Add("RT-18 not ready, reset, bad CID, refused", Statuses);
        Add("RT-18 each error leaves other connections untouched", Isolation);
        Add("RT-18 garbage is discarded and counted", Garbage);
    }
};

TransportErrorsSuite g_transportErrorsSuite; ///< Registers the suite.

} // namespace
