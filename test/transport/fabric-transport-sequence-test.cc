/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-heap-bytes.h"
#include "fabric-test-compat.h"
#include "fabric-time-units.h"
#include "fabric-transport-bed.h"
#include "fabric-transport-endpoint.h"
#include "two-ulps.h"

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
        if (p.type == TransportPacketType::PULL_DATA)
        {
            // It carries what the figure's ACK says.
            std::snprintf(line, sizeof line, "%u bases %u %u\n", from, p.requestBase, p.dataBase);
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
                    "1 bases 3 203\n"
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
    ulps.events.reserve(20 * connections);
    const std::size_t empty = HeapBytes();
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
        const std::size_t now = HeapBytes();
        test.Expect(round == 0 || now == warm, "no growth once it is warm");
        warm = now;
    }
    const std::size_t each = (warm - empty) / (2 * connections); // each has two ends
    test.Expect(each <= 2048, "bytes of an idle connection: " + std::to_string(each));
    test.Expect(empty == 0 || each >= 200, "it was measured: " + std::to_string(each));
}

/// RT-3: by congestion, a short push asks first while the connection's window is small.
void
SolicitedByCongestion(FunctionCase& test)
{
    for (const bool isCongested : {true, false})
    {
        TransportSettings settings;
        settings.congestionControl = CongestionControlKind::DELAY;
        settings.baseDelay = 1;
        settings.targetDelay = isCongested ? 0 : 1000 * US; // every round trip is too long, or none
        TwoUlps ulps(settings, ConnectionSettings());
        ConnectionSettings connection;
        connection.solicitation = Solicitation::CONGESTION;
        const ConnectionId cid = ulps.bed.Node(0).Connect(1, connection, 0);
        for (uint32_t i = 0; i < 100; ++i)
        {
            ulps.bed.Node(0).Push(cid, 1000, ulps.bed.Now());
            ulps.bed.Run(ulps.bed.Now() + 1000 * US); // packets are paced
        }
        uint32_t solicited = 0;
        bool isFirst = true;
        for (const auto& [node, event] : ulps.events)
        {
            if (node == 0 && event.type == UlpEventType::COMPLETION)
            {
                test.Expect(!isFirst || !event.isSolicited, "the window is full at first");
                isFirst = false;
                solicited += event.isSolicited;
            }
        }
        test.Expect(isCongested ? solicited > 90 : solicited == 0,
                    std::to_string(solicited) + " of 100 are solicited");
    }
}

/// RT-13: classes of packets go by weights where they are not strict.
void
SchedulerOfEndpoint(FunctionCase& test)
{
    for (const bool isStrict : {true, false})
    {
        TransportSettings settings;
        settings.isStrict = isStrict;
        settings.txWeights.fill(1);
        TwoUlps ulps(settings, ConnectionSettings());
        ConnectionSettings connection;
        connection.isOrdered = false;
        connection.solicitation = Solicitation::NEVER;
        const ConnectionId cid = ulps.bed.Node(0).Connect(1, connection, 0);
        ulps.bed.Run(10 * US);
        std::string sent;
        ulps.bed.onSend = [&sent](uint32_t from, const OutgoingPacket& out) {
            sent += from != 0 ? "" : out.packet.IsRequest() ? "R" : out.packet.IsData() ? "D" : "";
            return true;
        };
        ulps.bed.Node(0).Push(cid, 4 * 4096, ulps.bed.Now());
        for (uint32_t i = 0; i < 4; ++i)
        {
            ulps.bed.Node(0).Pull(cid, 10, ulps.bed.Now());
        }
        ulps.bed.Run(1000 * US);
        test.ExpectSame(sent, isStrict ? "RRRRDDDD" : "RDRDRDRD", "order");
    }
}

/// The suite.
class TransportSequenceSuite : public FunctionSuite
{
  public:
    TransportSequenceSuite()
        : FunctionSuite("fabric-transport-endpoint", kUnit)
    {
        Add("RT-16 the worked sequence, number by number", WorkedSequence);
        Add("RT-16 the ACK of expected base (3, 203)", StandAloneAck);
        Add("RT-4 incast: granted data keeps its limit, in each order", Incast);
        Add("RT-1 memory of idle connections", Memory);
        Add("RT-3 short pushes ask first while the window is small", SolicitedByCongestion);
        Add("RT-13 the scheduler of an endpoint", SchedulerOfEndpoint);
    }
};

TransportSequenceSuite g_transportSequenceSuite; ///< Registers the suite.

} // namespace
