/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-group-assembly.h"
#include "fabric-group-network.h"
#include "fabric-group-tree.h"
#include "fabric-shared-rooms.h"
#include "fabric-test-bed.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"

#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr LocationId GROUP = FIRST_GROUP; ///< Location of the first group of a test.

/// Room that copies share is free with the last of them, and places are used again.
void
TestRooms(FunctionCase& test)
{
    SharedRooms rooms;
    const uint32_t first = rooms.Share(2);
    const uint32_t second = rooms.Share(1);
    test.Expect(first != second && rooms.Shared() == 2, "two");
    test.Expect(!rooms.Leave(first, 70), "the other copy has it still");
    test.Expect(rooms.Leave(second, 5) == TimePs{5}, "the only one");
    test.Expect(rooms.Leave(first, 60) == TimePs{70}, "the last tail, not the last copy");
    test.ExpectEqual(rooms.Shared(), 0, "all are free");
    const TestSeeds seeds(100);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        std::map<uint32_t, std::pair<uint32_t, TimePs>> model;
        for (uint32_t step = 0; step < 300; ++step)
        {
            if (model.empty() || random() % 3 == 0)
            {
                const uint32_t copies = 1 + random() % 4;
                const bool isNew = model.emplace(rooms.Share(copies), std::pair(copies, 0)).second;
                test.Expect(isNew, Text("seed ", seed, ": a room twice"));
                continue;
            }
            const auto at = std::next(model.begin(), random() % model.size());
            const TimePs end = random() % 1000;
            const auto left = rooms.Leave(at->first, end);
            auto& [copies, last] = at->second;
            last = std::max(last, end);
            test.Expect(left.has_value() == (--copies == 0) && left.value_or(last) == last,
                        Text("seed ", seed, ": the last one"));
            if (copies == 0)
            {
                model.erase(at);
            }
        }
        for (auto& [room, state] : model)
        {
            for (; state.first > 0; --state.first)
            {
                rooms.Leave(room, 0);
            }
        }
        test.ExpectEqual(rooms.Shared(), 0, Text("seed ", seed, ": rooms"));
    }
}

/// Parts of several messages come between each other.
void
TestAssembly(FunctionCase& test)
{
    GroupAssembly assembly;
    test.Expect(assembly.Take(7, 0, 0), "an empty one");
    test.Expect(!assembly.Take(1, 10, 30) && !assembly.Take(2, 5, 10), "parts");
    test.Expect(!assembly.Take(1, 10, 30), "a second part");
    test.ExpectEqual(assembly.Incomplete(), 2, "two");
    test.Expect(assembly.Take(2, 5, 10) && assembly.Take(1, 10, 30), "the rest");
    test.Expect(assembly.Take(1, 3, 3), "the handle is another's now");
    test.ExpectEqual(assembly.Incomplete(), 0, "none");
}

/// One message in an empty fabric: a member gets it when it would have got one of its own.
void
TestAlone(FunctionCase& test)
{
    const GroupNetwork network = TreeNetwork(4);
    for (const uint64_t bytes : {uint64_t{0}, uint64_t{100}, uint64_t{4096}, uint64_t{100'000}})
    {
        const std::vector<uint32_t> members{0, 1, 3, 6, 9, 15};
        const auto bed = MakeGroupBed(network, SwitchConfig());
        bed->AddGroup(GROUP, MakeGroupTree(network.plan, network.routing, members, 0));
        bed->SendToGroup(3, GROUP, bytes, 0, 0);
        bed->RunToEnd();
        bed->Check();
        test.Expect(bed->IsEmpty() && bed->MessagesUnderWay() == 0, "nothing is left");
        test.ExpectEqual(bed->Deliveries().size(), 5, "one each");
        for (const TestBed::Delivery& delivery : bed->Deliveries())
        {
            const auto alone = MakeGroupBed(network, SwitchConfig());
            alone->Send(3, HostOf(delivery.dst), bytes, 0, 0);
            alone->RunToEnd();
            test.ExpectEqual(delivery.at,
                             alone->Deliveries().front().at,
                             Text(bytes, " bytes to ", HostOf(delivery.dst)));
        }
        uint64_t copies = 0;
        for (std::size_t i = 0; i < bed->Chips(); ++i)
        {
            copies += bed->Chip(i).Counts().copiedPayload;
        }
        test.ExpectEqual(copies, 4 * bytes, "a copy for each receiver but one");
    }
}

/// A member whose link is busy gets its copies late; others wait only when the room is full, and
/// nothing is lost or doubled.
void
TestBlockedBranch(FunctionCase& test)
{
    const GroupNetwork network = ChainNetwork({2, 2});
    SwitchConfig config;
    config.buffer.shares.totalBytes = 64 * 1024;
    for (const uint32_t messages : {8U, 200U})
    {
        const auto bed = MakeGroupBed(network, config);
        const std::vector<uint32_t> members{0, 2, 3};
        bed->AddGroup(GROUP, MakeGroupTree(network.plan, network.routing, members, 0));
        // Host 2 gets from host 3, too, and its link takes half of each.
        bed->Send(3, 2, 4'000'000, 0, 0);
        bed->RunUntil(US);
        for (uint32_t i = 0; i < messages; ++i)
        {
            bed->SendToGroup(0, GROUP, MAX_PAYLOAD, 0, US);
        }
        bed->RunToEnd();
        bed->Check();
        test.Expect(bed->IsEmpty() && bed->MessagesUnderWay() == 0, "nothing is left");
        TimePs free = 0;
        TimePs busy = 0;
        std::map<LocationId, uint32_t> next;
        for (const TestBed::Delivery& delivery : bed->Deliveries())
        {
            if (delivery.src == LocationOf(0))
            {
                test.ExpectEqual(delivery.sequence, next[delivery.dst]++, "in order");
                (HostOf(delivery.dst) == 3 ? free : busy) = delivery.at;
            }
        }
        test.ExpectEqual(next[LocationOf(2)], messages, "all to the busy one");
        test.ExpectEqual(next[LocationOf(3)], messages, "all to the free one");
        const TimePs wire = messages * LinkRate(200'000'000'000).TxTime(WireBytes(MAX_PAYLOAD));
        test.Expect(busy > US + 2 * wire - wire / 4, "half of a link");
        if (messages == 8)
        {
            test.Expect(free < US + wire + 2 * US, "what fits into the buffer holds up nobody");
        }
        else
        {
            test.Expect(free > US + 2 * wire - wire / 2, "a full buffer holds up all");
        }
    }
}

/// A group of a random scenario.
struct RandomGroup
{
    std::vector<uint32_t> members; ///< Hosts.
    LocationId location;           ///< Of the group.
};

/// @return hosts of a group
std::vector<uint32_t>
DrawMembers(std::minstd_rand& random, uint32_t hosts)
{
    std::vector<uint32_t> all(hosts);
    for (uint32_t i = 0; i < hosts; ++i)
    {
        all[i] = i;
    }
    std::shuffle(all.begin(), all.end(), random);
    all.resize(2 + random() % (hosts - 1));
    return all;
}

/// @return the settings of a random scenario
SwitchConfig
DrawConfig(std::minstd_rand& random)
{
    SwitchConfig config;
    config.buffer.shares.virtualChannels = 2;
    config.buffer.vcOfClass[1] = 1;
    config.buffer.shares.reservedBytesPerVc = WireBytes(JUMBO_PAYLOAD);
    config.buffer.shares.totalBytes = 20'000 + random() % 100'000;
    config.flowChannels.enabled = random() % 2 == 0;
    config.congestion.hopCredits = random() % 2 == 0;
    config.timing.forwarding = random() % 2 == 0 ? CUT_THROUGH : STORE_AND_FORWARD;
    config.turns.unit = random() % 2 == 0 ? TURNS_BY_FRAMES : TURNS_BY_BYTES;
    return config;
}

/// Any groups and messages beside: each member gets each message of the others once and in the
/// order of its source, and look-ahead changes nothing.
void
TestGroupsAtRandom(FunctionCase& test)
{
    const TestSeeds seeds(60);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::string told[2];
        for (const bool lookahead : {true, false})
        {
            std::minstd_rand random(seed);
            const GroupNetwork network =
                random() % 2 == 0 ? TreeNetwork(4)
                                  : ChainNetwork({2, static_cast<uint32_t>(1 + random() % 3), 3});
            SwitchConfig config = DrawConfig(random);
            const auto hosts = static_cast<uint32_t>(network.plan.hosts.size());
            NicConfig nic;
            nic.vcOfClass = config.buffer.vcOfClass;
            TestBed bed(
                network.plan,
                network.routing,
                config,
                nic,
                [](std::size_t link) {
                    return std::make_pair(
                        LinkRate(link % 3 == 0 ? 100'000'000'000 : 200'000'000'000),
                        100 * NS);
                },
                lookahead);
            std::vector<RandomGroup> groups;
            for (uint32_t i = 0; i <= random() % 4; ++i)
            {
                const auto location = static_cast<LocationId>(FIRST_GROUP + i);
                groups.push_back({DrawMembers(random, hosts), location});
                bed.AddGroup(location,
                             MakeGroupTree(network.plan, network.routing, groups[i].members, i));
            }
            // What each pair of hosts is to get, by class: sizes in order.
            using Pair = std::tuple<LocationId, LocationId, uint8_t>;
            std::map<Pair, std::multiset<uint64_t>> expected;
            TimePs at = 0;
            for (uint32_t i = 0; i < 80; ++i)
            {
                const uint64_t bytes = random() % 30'000;
                const uint8_t trafficClass = random() % 2;
                at += random() % US;
                if (random() % 3 == 0)
                {
                    const uint32_t from = random() % hosts;
                    const uint32_t to = (from + 1 + random() % (hosts - 1)) % hosts;
                    bed.Send(from, to, bytes, trafficClass, at);
                    expected[{LocationOf(from), LocationOf(to), trafficClass}].insert(bytes);
                    continue;
                }
                const RandomGroup& group = groups[random() % groups.size()];
                const uint32_t from = group.members[random() % group.members.size()];
                bed.SendToGroup(from, group.location, bytes, trafficClass, at);
                for (const uint32_t to : group.members)
                {
                    if (to != from)
                    {
                        expected[{LocationOf(from), LocationOf(to), trafficClass}].insert(bytes);
                    }
                }
            }
            bed.RunToEnd();
            bed.Check();
            const std::string what = "seed " + std::to_string(seed);
            test.Expect(bed.IsEmpty() && bed.MessagesUnderWay() == 0, what + ": something is left");
            std::map<Pair, std::multiset<uint64_t>> got;
            std::ostringstream text;
            for (const TestBed::Delivery& each : bed.Deliveries())
            {
                text << each.at << " " << each.src << " " << each.dst << " " << each.sequence
                     << "\n";
                got[{each.src, each.dst, each.trafficClass}].insert(each.bytes);
            }
            test.Expect(got == expected, what + ": each gets each once");
            told[lookahead] = text.str();
        }
        test.ExpectSame(told[0], told[1], "seed " + std::to_string(seed));
    }
}

/// Of one group alone: what a source sends in a class comes in its order to all members.
void
TestGroupOrder(FunctionCase& test)
{
    const TestSeeds seeds(30);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const GroupNetwork network = TreeNetwork(4);
        const auto bed = MakeGroupBed(network, DrawConfig(random));
        const std::vector<uint32_t> members = DrawMembers(random, 16);
        bed->AddGroup(GROUP, MakeGroupTree(network.plan, network.routing, members, random() % 9));
        for (uint32_t i = 0; i < 100; ++i)
        {
            bed->SendToGroup(members[random() % members.size()],
                             GROUP,
                             random() % 20'000,
                             0,
                             random() % (5 * US));
        }
        bed->RunToEnd();
        bed->Check();
        std::map<std::pair<LocationId, LocationId>, uint32_t> next;
        for (const TestBed::Delivery& each : bed->Deliveries())
        {
            test.ExpectEqual(each.sequence,
                             next[std::pair(each.src, each.dst)]++,
                             Text("seed ", seed, ": order"));
        }
        test.ExpectEqual(bed->Deliveries().size(), 100 * (members.size() - 1), "all");
    }
}

} // namespace

/// Frames to groups.
class MulticastTestSuite : public TestSuite
{
  public:
    MulticastTestSuite()
        : TestSuite("fabric-multicast", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("FC-16 copies share a room", TestRooms);
        add("FC-16 messages to groups are put together", TestAssembly);
        add("FC-16 a copy comes when a message of its own would", TestAlone);
        add("FC-16 a branch that is blocked loses and doubles nothing", TestBlockedBranch);
        add("FC-16 DP-5 each member gets each message once", TestGroupsAtRandom);
        add("FC-16 in the order of its source", TestGroupOrder);
    }
};

static MulticastTestSuite g_multicastTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
