/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"
#include "two-ulps.h"

#include "ns3/test.h"

#include <map>
#include <random>
#include <string>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

constexpr uint32_t LIMIT = 64 * 1024;   ///< Bytes that are to come at a time.
constexpr uint32_t QUANTUM = 16 * 1024; ///< Largest grant, bytes.

/// @return settings with a small limit
TransportSettings
SmallLimit()
{
    TransportSettings settings;
    settings.grantLimitBytes = LIMIT;
    settings.grantQuantumBytes = QUANTUM;
    return settings;
}

/// One reads from many: what is asked for keeps the limit, and all of it comes.
void
ReadIncast(FunctionCase& test)
{
    constexpr uint32_t PEERS = 16;
    for (const uint32_t bytes : {0U, 100U, 20'000U, 40'000U, 200'000U})
    {
        for (const bool admits : {true, false})
        {
            TransportSettings settings = SmallLimit();
            settings.admitsPulls = admits;
            TwoUlps ulps(settings, ConnectionSettings(), NetworkFaults(), PEERS + 1);
            uint64_t asked = 0; // bytes that peers were asked for, and that are not supplied yet
            uint64_t most = 0;
            ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
                if (from == 0 && out.packet.type == TransportPacketType::PULL_REQUEST)
                {
                    asked += bytes;
                    most = std::max(most, asked);
                }
                if (from != 0 && out.packet.type == TransportPacketType::PULL_DATA)
                {
                    asked -= out.packet.piece.amount;
                }
                return true;
            };
            for (uint32_t peer = 1; peer <= PEERS; ++peer)
            {
                const ConnectionId cid = ulps.bed.Node(0).Connect(peer, ConnectionSettings(), 0);
                for (uint32_t i = 0; i < 4; ++i)
                {
                    ulps.bed.Node(0).Pull(cid, bytes, 0);
                }
            }
            ulps.bed.Run(1000 * MS);
            const std::string name = std::to_string(bytes) + (admits ? " B" : " B, not admitted");
            const TransportCounters& counters = ulps.bed.Node(0).Counters();
            test.ExpectEqual(counters.completions, 4 * PEERS, name + ": complete");
            test.ExpectEqual(ulps.Used(0), 0, name + ": all is given back");
            // Each takes half of the limit at most, so that two large ones are asked for at a time.
            const uint64_t limit = std::max<uint64_t>(LIMIT, 2 * bytes);
            test.Expect(admits ? most <= limit : bytes < 20'000 || most > limit,
                        name + ": asked for " + std::to_string(most));
            const uint64_t peak = ulps.bed.Node(0).Occupancy().granted.peak;
            test.Expect(admits ? peak <= LIMIT && (bytes < 20'000 || peak > LIMIT / 2) : peak == 0,
                        name + ": peak " + std::to_string(peak));
        }
    }
}

/// Both ends push and pull on ordered connections with the least limits: neither waits for the
/// other for good. Pulls of one end wait at the other for pushes, which wait for grants.
void
BothWays(FunctionCase& test)
{
    const TestSeeds seeds(300);
    uint64_t pulls = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const auto draw = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
        TransportSettings settings;
        settings.grantLimitBytes = 16 * 1024 + draw(3) * 8 * 1024;
        settings.grantQuantumBytes = 16 * 1024;
        settings.receivePayloadBytes = 16 * 1024;
        settings.grantOrder = static_cast<GrantOrder>(draw(3));
        NetworkFaults faults;
        faults.loss = draw(2) * 0.05;
        faults.jitter = draw(2) * 3 * US;
        const uint32_t nodes = 2 + draw(3);
        TwoUlps ulps(settings, ConnectionSettings(), faults, nodes);
        std::map<uint32_t, uint32_t> expected;
        for (uint32_t from = 0; from < nodes; ++from)
        {
            for (uint32_t to = 0; to < nodes; ++to)
            {
                if (from == to)
                {
                    continue;
                }
                ConnectionSettings connection;
                connection.isOrdered = draw(4) > 0;
                connection.solicitation = Solicitation::ALWAYS;
                const ConnectionId cid = ulps.bed.Node(from).Connect(to, connection, 0);
                for (uint32_t i = 0; i < 12; ++i)
                {
                    const uint32_t bytes = draw(5) == 0 ? draw(100) : draw(80'000);
                    const bool isPull = draw(2) == 0;
                    pulls += isPull;
                    isPull ? ulps.bed.Node(from).Pull(cid, bytes, 0)
                           : ulps.bed.Node(from).Push(cid, bytes, 0);
                    ++expected[from];
                }
            }
        }
        ulps.bed.Run(10000 * MS);
        for (uint32_t node = 0; node < nodes; ++node)
        {
            const std::string name =
                "seed " + std::to_string(seed) + ", node " + std::to_string(node);
            test.ExpectEqual(ulps.bed.Node(node).Counters().completions, expected[node], name);
            test.ExpectEqual(ulps.Used(node), 0, name + ", all is given back");
            const TableOccupancy granted = ulps.bed.Node(node).Occupancy().granted;
            test.Expect(granted.peak <= granted.limit + settings.grantQuantumBytes,
                        name + ", peak " + std::to_string(granted.peak));
        }
    }
    test.Expect(pulls > 10 * seeds.count, "there are pulls");
}

/// A connection that fails, or whose pulls the peer refuses, gives back what they have taken.
void
Failures(FunctionCase& test)
{
    TwoUlps ulps(SmallLimit(), ConnectionSettings(), NetworkFaults(), 3);
    const ConnectionId first = ulps.bed.Node(0).Connect(1, ConnectionSettings(), 0);
    const ConnectionId second = ulps.bed.Node(0).Connect(2, ConnectionSettings(), 0);
    ulps.answers = false;
    for (uint32_t i = 0; i < 4; ++i)
    {
        ulps.bed.Node(0).Pull(first, 60'000, 0);
        ulps.bed.Node(0).Pull(second, 60'000, 0);
    }
    ulps.bed.Run(100 * US);
    test.ExpectEqual(ulps.bed.Node(0).Occupancy().granted.used, LIMIT & ~1U, "one of each");
    ulps.bed.Node(0).Reset(first, ulps.bed.Now());
    ulps.bed.Run(200 * US);
    // The second is the next of its connection, since nobody else waits.
    test.ExpectEqual(ulps.bed.Node(0).Occupancy().granted.used, LIMIT & ~1U, "the next is asked");
    for (const auto& [node, event] : ulps.events)
    {
        if (event.type == UlpEventType::REQUEST && node == 2)
        {
            ulps.bed.Node(2).AckRequest(event.cid, event.rsn, UlpAnswer::ERROR, ulps.bed.Now());
        }
    }
    ulps.bed.onEvent = [&](uint32_t node, const UlpEvent& event) {
        if (event.type == UlpEventType::REQUEST)
        {
            ulps.bed.Node(node).AckRequest(event.cid, event.rsn, UlpAnswer::ERROR, ulps.bed.Now());
        }
    };
    ulps.bed.Run(1000 * MS);
    test.ExpectEqual(ulps.bed.Node(0).Counters().failures, 8, "all have failed");
    test.ExpectEqual(ulps.Used(0), 0, "all is given back");
}

/// What own pulls ask for (RT-4).
class PullAdmissionSuite : public FunctionSuite
{
  public:
    PullAdmissionSuite()
        : FunctionSuite("fabric-pull-admission", kUnit)
    {
        Add("RT-4 one reads from many", ReadIncast);
        Add("RT-4 pushes and pulls both ways with the least limits", BothWays);
        Add("RT-4 pulls that fail", Failures);
    }
};

PullAdmissionSuite g_pullAdmissionSuite; ///< Registers the suite.

} // namespace
