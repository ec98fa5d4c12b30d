/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fault-injector.h"
#include "fabric-rdma-endpoint.h"
#include "fabric-rdma-tag.h"
#include "fabric-refusal.h"
#include "fabric-test-compat.h"
#include "fabric-transport-header.h"
#include "support/fabric-function-case.h"
#include "transport-packet-cases.h"

#include "ns3/packet.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr TimePs DELAY = 1'000'000; ///< Of the wire, ps.
constexpr PeerAddress LEFT = 1;     ///< Address of the initiator.
constexpr PeerAddress RIGHT = 2;    ///< Address of the target.

/// An initiator and a target with a wire that loses nothing; a step sends one packet of each.
class RdmaPair
{
  public:
    /**
     * @param transport of both
     * @param initiator of the left one
     * @param target of the right one
     */
    explicit RdmaPair(const TransportSettings& transport = {},
                      const RdmaSettings& initiator = {},
                      const RdmaSettings& target = {})
        : left(transport, initiator),
          right(transport, target)
    {
    }

    /// Runs until nothing is left to do. @return whether that came to an end
    bool Run()
    {
        for (uint32_t steps = 0; steps < 100000; ++steps)
        {
            const bool isSentRight = Send(left, LEFT, m_toRight);
            const bool isSent = Send(right, RIGHT, m_toLeft) || isSentRight;
            Collect();
            if (isSent)
            {
                now += 100'000; // 4 KiB at 330 Gb/s
                Deliver();
                continue;
            }
            const TimePs next = std::min({left.NextTime(),
                                          right.NextTime(),
                                          m_toLeft.empty() ? NEVER : m_toLeft.front().at,
                                          m_toRight.empty() ? NEVER : m_toRight.front().at});
            if (next == NEVER)
            {
                return true;
            }
            now = std::max(now, next);
            Deliver();
        }
        return false;
    }

    RdmaEndpoint left;                  ///< Initiator.
    RdmaEndpoint right;                 ///< Target.
    TimePs now{0};                      ///< The present, ps.
    std::vector<RdmaEvent> leftEvents;  ///< Told on the left.
    std::vector<RdmaEvent> rightEvents; ///< Told on the right.

    bool survivesWire{true}; ///< Whether headers say all that packets do.

    static std::vector<RdmaEvent> Of(const std::vector<RdmaEvent>& events, RdmaEventType type)
    {
        std::vector<RdmaEvent> found;
        std::copy_if(events.begin(),
                     events.end(),
                     std::back_inserter(found),
                     [type](const RdmaEvent& event) { return event.type == type; });
        return found;
    }

  private:
    /// A packet on the wire.
    struct Flight
    {
        TimePs at;              ///< When it arrives, ps.
        TransportPacket packet; ///< What it is.
    };

    /// Sends one packet, if there is one. @return whether there was
    bool Send(RdmaEndpoint& from, PeerAddress, std::vector<Flight>& wire)
    {
        const auto packet = from.HasPacket() ? from.NextPacket(now) : std::nullopt;
        if (packet)
        {
            wire.push_back({now + DELAY, packet->packet});
            CheckHeader(packet->packet);
        }
        return packet.has_value();
    }

    /// A packet's header must not leave out anything that it says.
    void CheckHeader(const TransportPacket& sent)
    {
        auto packet = Create<Packet>();
        packet->AddHeader(FabricTransportHeader(sent));
        FabricTransportHeader read;
        packet->RemoveHeader(read);
        survivesWire = survivesWire && IsSame(read.GetPacket(), sent);
    }

    /// Hands over what has arrived, and runs the timers.
    void Deliver()
    {
        Take(m_toLeft, left, RIGHT);
        Take(m_toRight, right, LEFT);
        left.RunUntil(now);
        right.RunUntil(now);
        Collect();
    }

    /// Hands over what has arrived on one side.
    void Take(std::vector<Flight>& wire, RdmaEndpoint& to, PeerAddress from)
    {
        while (!wire.empty() && wire.front().at <= now)
        {
            const TransportPacket packet = wire.front().packet;
            wire.erase(wire.begin());
            to.Receive(packet, from, now);
        }
    }

    /// Takes events.
    void Collect()
    {
        while (const auto event = left.NextEvent())
        {
            leftEvents.push_back(*event);
        }
        while (const auto event = right.NextEvent())
        {
            rightEvents.push_back(*event);
        }
    }

    std::vector<Flight> m_toLeft;  ///< In order.
    std::vector<Flight> m_toRight; ///< In order.
};

/// Each operation has its completion, with what was asked for.
void
TestWorkRequests(FunctionCase& test)
{
    RdmaSettings target;
    target.receives = 1;
    target.reportsOneSided = true;
    RdmaPair pair({}, {}, target);
    const ConnectionId cid = pair.left.Connect(RIGHT, {}, 0);
    test.Expect(pair.left.Post(cid, RdmaOperation::WRITE, 100000, 7, 0), "write");
    test.Expect(pair.left.Post(cid, RdmaOperation::READ, 50000, 8, 0), "read");
    test.Expect(pair.left.Post(cid, RdmaOperation::SEND, 0, 9, 0), "send of nothing");
    test.Expect(pair.left.Counts().outstandingBytes == 150000, "outstanding");
    test.Expect(pair.Run() && pair.survivesWire, "comes to an end, all packets have headers");
    const auto completed = RdmaPair::Of(pair.leftEvents, RdmaEventType::COMPLETION);
    const auto presented = RdmaPair::Of(pair.rightEvents, RdmaEventType::PRESENTED);
    test.Expect(completed.size() == 3 && presented.size() == 3, "three of each");
    for (uint32_t i = 0; i < 3 && completed.size() == 3 && presented.size() == 3; ++i)
    {
        const auto operation = static_cast<RdmaOperation>(i);
        test.Expect(completed[i].cookie == 7 + i && presented[i].cookie == 7 + i, "cookies");
        test.Expect(completed[i].operation == operation && presented[i].operation == operation,
                    "operations");
        test.Expect(completed[i].status == TransportStatus::OK, "status");
    }
    test.Expect(pair.right.Counts().placedBytes == 100000, "placed");
    test.Expect(pair.right.Counts().suppliedBytes == 50000, "supplied");
    test.Expect(pair.left.Counts().completedBytes == 150000, "completed");
    test.Expect(pair.left.Counts().outstanding == 0, "nothing is outstanding");
}

/// The answer of a target comes after its memory's latency.
void
TestMemoryLatency(FunctionCase& test)
{
    for (const RdmaOperation operation : {RdmaOperation::WRITE, RdmaOperation::READ})
    {
        std::vector<TimePs> ends;
        for (const TimePs latency : {TimePs{0}, TimePs{5'000'000}})
        {
            RdmaSettings target;
            target.memoryLatency = latency;
            RdmaPair pair({}, {}, target);
            const ConnectionId cid = pair.left.Connect(RIGHT, {}, 0);
            pair.left.Post(cid, operation, 1000, 0, 0);
            pair.Run();
            ends.push_back(RdmaPair::Of(pair.leftEvents, RdmaEventType::COMPLETION).at(0).at);
        }
        test.Expect(ends[1] - ends[0] == 5'000'000,
                    "operation " + std::to_string(static_cast<int>(operation)) + ": " +
                        std::to_string(ends[1] - ends[0]) + " ps later");
    }
}

/// A send waits for a receive buffer, but not for ever.
void
TestNotReady(FunctionCase& test)
{
    RdmaPair pair;
    const ConnectionId cid = pair.left.Connect(RIGHT, {}, 0);
    pair.left.Post(cid, RdmaOperation::SEND, 100, 1, 0);
    test.Expect(pair.Run() && pair.survivesWire, "comes to an end, all packets have headers");
    const auto completed = RdmaPair::Of(pair.leftEvents, RdmaEventType::COMPLETION);
    test.Expect(completed.size() == 1 && completed[0].status == TransportStatus::TARGET_NOT_READY,
                "the limit");
    test.Expect(pair.right.Counts().notReady == 1 + TransportSettings().notReadyLimit ||
                    pair.right.Counts().notReady == TransportSettings().notReadyLimit,
                "answers: " + std::to_string(pair.right.Counts().notReady));
    test.Expect(pair.left.Counts().failedBytes == 100 && pair.left.Counts().outstanding == 0,
                "counted as failed");

    RdmaPair later;
    const ConnectionId other = later.left.Connect(RIGHT, {}, 0);
    later.left.Post(other, RdmaOperation::SEND, 100, 1, 0);
    later.right.PostReceives(UINT64_MAX);
    later.right.PostReceives(1); // does not wrap
    later.left.Post(other, RdmaOperation::SEND, 100, 2, 0);
    test.Expect(later.Run() && later.left.Counts().completed == 2, "with buffers all is well");
}

/// Operations that a target does not take complete in error, and the connection goes on.
void
TestRemoteError(FunctionCase& test)
{
    RdmaSettings target;
    target.memoryBytes = 1000;
    RdmaPair pair({}, {}, target);
    const ConnectionId cid = pair.left.Connect(RIGHT, {}, 0);
    pair.left.Post(cid, RdmaOperation::WRITE, 1001, 1, 0);
    pair.left.Post(cid, RdmaOperation::READ, 1001, 2, 0);
    pair.left.Post(cid, RdmaOperation::WRITE, 1000, 3, 0);
    test.Expect(pair.Run() && pair.survivesWire, "comes to an end, all packets have headers");
    const auto completed = RdmaPair::Of(pair.leftEvents, RdmaEventType::COMPLETION);
    test.Expect(completed.size() == 3, "all complete");
    for (const RdmaEvent& event : completed)
    {
        const bool isGood = event.cookie == 3;
        test.Expect((event.status == TransportStatus::OK) == isGood &&
                        (isGood || event.status == TransportStatus::REMOTE_ERROR),
                    "status of " + std::to_string(event.cookie));
    }
    test.Expect(pair.right.Counts().refused == 2 && pair.right.Counts().placed == 1, "target");
}

/// A peer whose tags make no sense.
void
TestForeignTags(FunctionCase& test)
{
    TransportEndpoint peer{TransportSettings()};
    RdmaEndpoint target{TransportSettings(), RdmaSettings()};
    const ConnectionId cid = peer.Connect(RIGHT, {}, 0);
    constexpr uint64_t READ_TAG = uint64_t{1} << RdmaTag::COOKIE_BITS;
    constexpr uint64_t NO_TAG = uint64_t{3} << RdmaTag::COOKIE_BITS;
    peer.Push(cid, 10, 0, READ_TAG);
    peer.Push(cid, 10, 0, NO_TAG);
    peer.Pull(cid, 10, 0, 0);
    TimePs now = 0;
    for (uint32_t step = 0; step < 1000; ++step)
    {
        now += DELAY;
        peer.RunUntil(now);
        target.RunUntil(now);
        if (const auto packet = peer.NextPacket(now))
        {
            target.Receive(packet->packet, LEFT, now);
        }
        if (const auto packet = target.NextPacket(now))
        {
            peer.Receive(packet->packet, RIGHT, now);
        }
    }
    uint32_t errors = 0;
    while (const auto event = peer.NextEvent())
    {
        errors += event->type == UlpEventType::COMPLETION &&
                  event->status == TransportStatus::REMOTE_ERROR;
    }
    test.Expect(errors == 3, std::to_string(errors) + " of 3 are refused");
    test.Expect(target.Counts().refused == 3 && target.Counts().placed == 0, "target");
}

/// What the transport has no room for waits, in order, and its latency counts from the post.
void
TestSendQueue(FunctionCase& test)
{
    TransportSettings settings;
    settings.initiatorEntries = 2;
    RdmaPair pair(settings);
    const ConnectionId cid = pair.left.Connect(RIGHT, {}, 0);
    constexpr uint64_t COUNT = 100;
    for (uint64_t i = 0; i < COUNT; ++i)
    {
        test.Expect(pair.left.Post(cid, RdmaOperation::WRITE, 1000, i, 0), "is taken");
    }
    test.Expect(pair.left.Close(cid, 0), "closes");
    test.Expect(!pair.left.Post(cid, RdmaOperation::WRITE, 1000, COUNT, 0), "no more");
    test.Expect(pair.Run() && pair.survivesWire, "comes to an end, all packets have headers");
    const auto completed = RdmaPair::Of(pair.leftEvents, RdmaEventType::COMPLETION);
    test.Expect(completed.size() == COUNT, std::to_string(completed.size()) + " complete");
    for (uint64_t i = 0; i < completed.size(); ++i)
    {
        test.Expect(completed[i].cookie == i && completed[i].status == TransportStatus::OK,
                    "order at " + std::to_string(i));
        test.Expect(completed[i].postedAt == 0, "posted at " + std::to_string(i));
    }
    test.Expect(RdmaPair::Of(pair.leftEvents, RdmaEventType::CLOSED).size() == 1, "then closed");
    test.Expect(pair.left.GetTransport().Occupancy().initiatorEntries.peak == 2, "two at a time");
}

/// A connection that fails takes what waits with it, and no other.
void
TestReset(FunctionCase& test)
{
    TransportSettings settings;
    settings.initiatorEntries = 4;
    RdmaPair pair(settings);
    const ConnectionId cid = pair.left.Connect(RIGHT, {}, 0);
    const ConnectionId other = pair.left.Connect(RIGHT, {}, 0);
    for (uint64_t i = 0; i < 20; ++i)
    {
        pair.left.Post(cid, RdmaOperation::WRITE, 1000, i, 0);
        pair.left.Post(other, RdmaOperation::WRITE, 1000, i, 0);
    }
    test.Expect(pair.left.Reset(cid, 0), "reset");
    test.Expect(!pair.left.Reset(cid, 0), "once");
    test.Expect(pair.Run() && pair.survivesWire, "comes to an end, all packets have headers");
    uint32_t good = 0;
    uint32_t bad = 0;
    for (const RdmaEvent& event : RdmaPair::Of(pair.leftEvents, RdmaEventType::COMPLETION))
    {
        good += event.cid == other && event.status == TransportStatus::OK;
        bad += event.cid == cid && event.status != TransportStatus::OK;
    }
    test.Expect(good == 20, std::to_string(good) + " of the other connection are complete");
    test.Expect(bad == 20, std::to_string(bad) + " of the connection have failed");
    test.Expect(pair.left.Counts().outstanding == 0 && pair.left.Counts().outstandingBytes == 0,
                "nothing is outstanding");
}

/// What waits for room when the peer leaves is flushed; a connection that is gone takes nothing.
void
TestClosed(FunctionCase& test)
{
    TransportSettings settings;
    settings.initiatorEntries = 4;
    RdmaPair pair(settings);
    const ConnectionId busy = pair.left.Connect(RIGHT, {}, 0);
    const ConnectionId cid = pair.left.Connect(RIGHT, {}, 0);
    test.Expect(pair.Run(), "both are set up");
    for (uint64_t i = 0; i < 8; ++i)
    {
        pair.left.Post(busy, RdmaOperation::WRITE, 1'000'000, i, pair.now); // all of the entries
    }
    for (uint64_t i = 0; i < 3; ++i)
    {
        test.Expect(pair.left.Post(cid, RdmaOperation::WRITE, 1000, 100 + i, pair.now), "waits");
    }
    const ConnectionId peerCid = RdmaPair::Of(pair.rightEvents, RdmaEventType::ACCEPTED).at(1).cid;
    test.Expect(pair.right.Close(peerCid, pair.now), "the peer leaves");
    test.Expect(pair.Run() && pair.survivesWire, "comes to an end, all packets have headers");
    uint64_t flushed = 0;
    uint64_t good = 0;
    for (const RdmaEvent& event : RdmaPair::Of(pair.leftEvents, RdmaEventType::COMPLETION))
    {
        flushed += event.cid == cid && event.status == TransportStatus::FLUSHED &&
                   event.cookie == 100 + flushed;
        good += event.cid == busy && event.status == TransportStatus::OK;
    }
    test.ExpectEqual(flushed, 3, "flushed, in order");
    test.ExpectEqual(good, 8, "of the other connection");
    test.Expect(pair.left.Counts().outstanding == 0 && pair.left.Counts().outstandingBytes == 0,
                "nothing is outstanding");
    test.Expect(RdmaPair::Of(pair.leftEvents, RdmaEventType::CLOSED).size() == 1 &&
                    RdmaPair::Of(pair.rightEvents, RdmaEventType::CLOSED).size() == 1,
                "told at both ends");
    test.Expect(!pair.left.Close(cid, pair.now) && !pair.right.Close(peerCid, pair.now),
                "there is nothing to close any more");
    test.Expect(!pair.left.Post(cid, RdmaOperation::WRITE, 1000, 0, pair.now), "nor to write to");
}

/// What is out of range.
void
TestBadRequests(FunctionCase& test)
{
    RdmaPair pair;
    const ConnectionId cid = pair.left.Connect(RIGHT, {}, 0);
    test.ExpectSame(
        Refusal([&] { pair.left.Post(cid, RdmaOperation::WRITE, 0x80000000, 0, 0); }),
        "RDMA: size of an operation in bytes is 2147483648, allowed is 0 to 2147483647.",
        "size");
    test.ExpectSame(
        Refusal([&] { pair.left.Post(cid, RdmaOperation::WRITE, 0, uint64_t{1} << 62, 0); }),
        "RDMA: cookie is 4611686018427387904, allowed is 0 to 4611686018427387903.",
        "cookie");
    test.Expect(!pair.left.Post(cid + 1, RdmaOperation::WRITE, 0, 0, 0), "no such connection");
    test.Expect(!pair.left.Post(NO_CONNECTION, RdmaOperation::WRITE, 0, 0, 0), "no connection");
    test.Expect(!pair.left.Close(cid + 1, 0) && !pair.left.Reset(cid + 1, 0), "to be closed");
    RdmaSettings settings;
    settings.memoryLatency = -1;
    test.Expect(Refusal([&] { RdmaEndpoint endpoint({}, settings); }).find("memory latency") !=
                    std::string::npos,
                "latency");
    FaultRates rates;
    rates.reorder = 1.5;
    test.ExpectSame(Refusal([&] { FaultInjector injector(rates, 1); }),
                    "FaultRates: reorder is 1.500000, allowed is 0 to 1.",
                    "probability");
    rates.reorder = 0;
    rates.loss = std::nan("");
    test.Expect(!Refusal([&] { FaultInjector injector(rates, 1); }).empty(), "not a number");
}

/// Faults come as often as they are asked for, and the same again with the same seed.
void
TestFaultRates(FunctionCase& test)
{
    constexpr uint32_t DRAWS = 100000;
    FaultRates rates;
    rates.loss = 0.1;
    rates.corrupt = 0.2;
    rates.duplicate = 0.3;
    rates.reorder = 0.4;
    rates.reorderDelay = 1000;
    FaultInjector first(rates, 5);
    FaultInjector second(rates, 5);
    uint64_t copies = 0;
    double delays = 0;
    for (uint32_t i = 0; i < DRAWS; ++i)
    {
        const Fate fate = first.Draw();
        const Fate again = second.Draw();
        test.Expect(fate.copies == again.copies && fate.delay == again.delay &&
                        fate.isCorrupt == again.isCorrupt,
                    "the same seed");
        test.Expect(fate.delay[0] >= 0 && fate.delay[0] <= 1000, "delay");
        copies += fate.copies;
        delays += static_cast<double>(fate.delay[0] + fate.delay[1]);
    }
    const auto isNear = [&test](double actual, double expected, const std::string& what) {
        // Five standard deviations of a part of so many draws.
        const double most = 5 * std::sqrt(expected * (1 - expected) / DRAWS);
        test.Expect(std::abs(actual - expected) < most, what + " " + std::to_string(actual));
    };
    const FaultCounts& counts = first.Counts();
    test.Expect(counts.packets == DRAWS, "packets");
    isNear(static_cast<double>(counts.lost) / DRAWS, 0.1, "lost");
    isNear(static_cast<double>(counts.corrupted) / DRAWS, 0.9 * 0.2, "corrupted");
    isNear(static_cast<double>(counts.duplicated) / DRAWS, 0.9 * 0.3, "duplicated");
    test.Expect(copies == DRAWS - counts.lost + counts.duplicated, "copies");
    test.Expect(std::abs(delays / static_cast<double>(counts.delayed) - 500) < 10, "mean delay");
}

} // namespace

/// The protocol above the transport, and the faults below it.
class FabricRdmaTestSuite : public TestSuite
{
  public:
    FabricRdmaTestSuite()
        : TestSuite("fabric-rdma", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("RT-2 write, read and send are complete with what was asked for", TestWorkRequests);
        add("RT-2 answers come after the memory's latency", TestMemoryLatency);
        add("RT-18 a send without receive buffer is not ready, up to a limit", TestNotReady);
        add("RT-18 what is too long completes in error, the connection goes on", TestRemoteError);
        add("RT-18 a peer's tags that make no sense are refused", TestForeignTags);
        add("RT-11 operations without room wait in order", TestSendQueue);
        add("RT-18 a reset connection flushes its operations, others go on", TestReset);
        add("RT-18 a connection that the peer closes flushes what waits", TestClosed);
        add("RT-18 what is out of range is refused with a sentence", TestBadRequests);
        add("RT-15 faults are as frequent as asked for", TestFaultRates);
    }
};

static FabricRdmaTestSuite g_fabricRdmaTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
