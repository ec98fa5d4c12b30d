/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel-dependency.h"
#include "fabric-function-case.h"
#include "fabric-group-tree.h"
#include "fabric-path-networks.h"
#include "fabric-port-map.h"
#include "fabric-reduction-tree.h"
#include "fabric-refusal.h"
#include "fabric-test-bed.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"
#include "fabric-tree-walk.h"

#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
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

/// @return settings with the virtual channels of dragonflies, tori and HyperX
SwitchConfig
PathConfig()
{
    SwitchConfig config;
    config.buffer.shares.virtualChannels = VIRTUAL_CHANNELS;
    config.buffer.shares.reservedBytesPerVc = WireBytes(JUMBO_PAYLOAD);
    return config;
}

/// @return the settings of a random scenario
SwitchConfig
DrawPathConfig(std::minstd_rand& random)
{
    SwitchConfig config = PathConfig();
    config.buffer.shares.totalBytes = 40'000 + random() % 100'000;
    config.flowChannels.enabled = random() % 3 != 0;
    if (config.flowChannels.enabled && random() % 3 == 0)
    {
        config.flowChannels.noFlowClasses = 1; // each frame chooses for itself
        config.flowChannels.unorderedClasses = 1;
    }
    config.congestion.hopCredits = config.flowChannels.enabled && random() % 2 == 0;
    config.timing.forwarding = random() % 2 == 0 ? CUT_THROUGH : STORE_AND_FORWARD;
    config.turns.unit = random() % 2 == 0 ? TURNS_BY_FRAMES : TURNS_BY_BYTES;
    config.reductions.latency = random() % 3 * 70'000;
    return config;
}

/// @return what is the same in all switches
ReductionDescriptor
PathTerms(uint32_t number, uint32_t window)
{
    ReductionDescriptor terms;
    terms.reduction = static_cast<LocationId>(FIRST_REDUCTION + number);
    terms.window = window;
    return terms;
}

/// A random run of groups, reductions and messages to single hosts, and what should come of it.
class PathScenario
{
  public:
    PathScenario(uint32_t seed, bool lookahead)
        : m_random(seed),
          m_drawn(DrawPathNetwork(m_random, 24)),
          m_hosts(static_cast<uint32_t>(m_drawn.network.plan.hosts.size()))
    {
        const SwitchConfig config = DrawPathConfig(m_random);
        m_bed = std::make_unique<TestBed>(
            m_drawn.network.plan,
            m_drawn.network.routing,
            config,
            NicConfig(),
            [](std::size_t link) {
                return std::make_pair(LinkRate(link % 3 == 0 ? 100'000'000'000 : 200'000'000'000),
                                      100 * NS);
            },
            lookahead);
        AddGroups();
        AddReductions();
        SendMessages();
    }

    /// Runs it. @return what all were told, line by line
    std::string Run(FunctionCase& test, const std::string& what)
    {
        for (TimePs at = 3 * US; at < 20 * US; at += 8 * US)
        {
            m_bed->RunUntil(at);
            m_bed->Check();
        }
        m_bed->RunToEnd();
        m_bed->Check();
        const std::string name = what + ", " + m_drawn.name + ": ";
        test.Expect(m_bed->IsEmpty() && m_bed->MessagesUnderWay() == 0, name + "something is left");
        CheckDeliveries(test, name);
        CheckResults(test, name);
        return Journal();
    }

  private:
    /// Several groups.
    void AddGroups()
    {
        const GroupNetwork& network = m_drawn.network;
        m_groups.resize(1 + m_random() % 4);
        for (std::size_t i = 0; i < m_groups.size(); ++i)
        {
            m_groups[i] = DrawSome(m_random, m_hosts, 2);
            m_bed->AddGroup(static_cast<LocationId>(FIRST_GROUP + i),
                            MakeGroupTree(network.plan, network.routing, m_groups[i], i));
        }
    }

    /// Several reductions, to all and to one, with several operations each.
    void AddReductions()
    {
        const GroupNetwork& network = m_drawn.network;
        m_reductions.resize(m_random() % 4);
        for (std::size_t i = 0; i < m_reductions.size(); ++i)
        {
            Reduction& each = m_reductions[i];
            each.members = DrawSome(m_random, m_hosts, 1);
            each.target = each.members[m_random() % each.members.size()];
            each.isToAll = m_random() % 3 != 0;
            ReductionDescriptor terms = PathTerms(i, 1 + m_random() % 30);
            terms.isToAll = each.isToAll;
            m_bed->AddReduction(terms,
                                MakeReductionTree(network.plan, network.routing, each.members, i),
                                each.target);
            each.sums.resize(1 + m_random() % 4);
            std::vector<TimePs> at(m_hosts);
            for (uint64_t& sum : each.sums)
            {
                const uint64_t bytes = m_random() % 40'000;
                for (const uint32_t member : each.members)
                {
                    const uint64_t value = m_random() % 1000;
                    at[member] += m_random() % (6 * US);
                    m_bed->Reduce(member, terms.reduction, bytes, value, at[member]);
                    sum += value;
                }
            }
        }
    }

    /// To groups and to single hosts.
    void SendMessages()
    {
        for (uint32_t i = 0; i < 100; ++i)
        {
            const uint64_t bytes = m_random() % 30'000;
            const TimePs at = m_random() % (20 * US);
            if (m_random() % 2 == 0)
            {
                const uint32_t from = m_random() % m_hosts;
                const uint32_t to = (from + 1 + m_random() % (m_hosts - 1)) % m_hosts;
                m_bed->Send(from, to, bytes, 0, at);
                m_expected[{from, to}].insert(bytes);
                continue;
            }
            const std::size_t number = m_random() % m_groups.size();
            const std::vector<uint32_t>& members = m_groups[number];
            const uint32_t from = members[m_random() % members.size()];
            m_bed->SendToGroup(from, static_cast<LocationId>(FIRST_GROUP + number), bytes, 0, at);
            for (const uint32_t to : members)
            {
                if (to != from)
                {
                    m_expected[{from, to}].insert(bytes);
                }
            }
        }
    }

    /// Each message has come once to each that should get it.
    void CheckDeliveries(FunctionCase& test, const std::string& name)
    {
        std::map<std::pair<uint32_t, uint32_t>, std::multiset<uint64_t>> got;
        for (const TestBed::Delivery& each : m_bed->Deliveries())
        {
            got[{HostOf(each.src), HostOf(each.dst)}].insert(each.bytes);
        }
        test.Expect(got == m_expected, name + "each gets each once");
    }

    /// Each member was told each result once, in order.
    void CheckResults(FunctionCase& test, const std::string& name)
    {
        std::map<std::pair<LocationId, uint32_t>, uint32_t> next;
        for (const TestBed::Reduced& each : m_bed->Results())
        {
            const ReducedOperation& operation = each.operation;
            const Reduction& of = m_reductions[operation.reduction - FIRST_REDUCTION];
            const bool hasValue = of.isToAll || each.host == of.target;
            test.ExpectEqual(operation.number,
                             next[std::pair(operation.reduction, each.host)]++,
                             name + "in order");
            test.ExpectEqual(operation.value,
                             hasValue ? of.sums[operation.number] : 0,
                             name + "the value");
        }
        for (std::size_t i = 0; i < m_reductions.size(); ++i)
        {
            for (const uint32_t member : m_reductions[i].members)
            {
                const auto reduction = static_cast<LocationId>(FIRST_REDUCTION + i);
                test.ExpectEqual(next[std::pair(reduction, member)],
                                 m_reductions[i].sums.size(),
                                 name + "all operations");
            }
        }
    }

    /// @return what all were told
    std::string Journal() const
    {
        std::set<std::string> lines;
        for (const TestBed::Delivery& each : m_bed->Deliveries())
        {
            std::ostringstream line;
            line << each.at << " " << each.src << " " << each.dst << " " << each.sequence << "\n";
            lines.insert(line.str());
        }
        for (const TestBed::Reduced& each : m_bed->Results())
        {
            std::ostringstream line;
            line << each.at << " " << each.host << " " << each.operation.reduction << " result "
                 << each.operation.number << "\n";
            lines.insert(line.str());
        }
        return std::accumulate(lines.begin(), lines.end(), std::string());
    }

    /// A reduction.
    struct Reduction
    {
        std::vector<uint32_t> members; ///< Hosts.
        uint32_t target{0};            ///< Who gets results, if not all.
        bool isToAll{true};            ///< Whether all get them.
        std::vector<uint64_t> sums;    ///< By operation.
    };

    std::minstd_rand m_random;                   ///< Decides.
    PathNetwork m_drawn;                         ///< The topology.
    uint32_t m_hosts;                            ///< Of the topology.
    std::unique_ptr<TestBed> m_bed;              ///< Runs.
    std::vector<std::vector<uint32_t>> m_groups; ///< Members.
    std::vector<Reduction> m_reductions;         ///< Beside.
    /// Sizes of messages by source and destination.
    std::map<std::pair<uint32_t, uint32_t>, std::multiset<uint64_t>> m_expected;
};

/// Groups and reductions in any dragonfly, torus or HyperX beside messages on any paths.
void
TestPathGroupsAtRandom(FunctionCase& test)
{
    const TestSeeds seeds(200);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const std::string what = "seed " + std::to_string(seed);
        const std::string told = PathScenario(seed, true).Run(test, what);
        test.ExpectSame(PathScenario(seed, false).Run(test, what), told, what);
    }
}

/// @return when a message comes to the end of a row of switches
TimePs
TimeByRow(uint32_t switches, uint64_t bytes, const SwitchConfig& config)
{
    ChainSources sources(switches, 0);
    sources.front() = 1;
    const auto bed = MakeGroupBed(ChainNetwork(sources), config);
    bed->Send(0, 1, bytes, 0, 0);
    bed->RunToEnd();
    return bed->Deliveries().front().at;
}

/// @return switches from one host of a tree to another, both of their own with them
uint32_t
SwitchesBetween(const TopologyPlan& plan, const ReductionTree& tree, uint32_t a, uint32_t b)
{
    const PortMap ports(plan);
    const auto wayOf = [&](uint32_t host) {
        std::vector<uint32_t> way{plan.hosts[host].edgeSwitch};
        while (way.back() != tree.root)
        {
            way.push_back(ports.GetPeer(way.back(), tree.up[way.back()].port).index);
        }
        return way;
    };
    std::vector<uint32_t> first = wayOf(a);
    std::vector<uint32_t> second = wayOf(b);
    while (first.size() > 1 && second.size() > 1 &&
           first[first.size() - 2] == second[second.size() - 2])
    {
        first.pop_back();
        second.pop_back();
    }
    return static_cast<uint32_t>(first.size() + second.size() - 1);
}

/// One message or operation alone takes as long as its switches say, and each link of the tree
/// carries each frame once.
void
TestPathGroupAlone(FunctionCase& test)
{
    const TestSeeds seeds(60);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const auto [network, name] = DrawPathNetwork(random, 40);
        const auto hosts = static_cast<uint32_t>(network.plan.hosts.size());
        const std::vector<uint32_t> members = DrawSome(random, hosts, 2);
        const ReductionTree tree = MakeReductionTree(network.plan, network.routing, members, seed);
        const uint64_t bytes = random() % 20'000;
        const uint32_t from = members[random() % members.size()];
        SwitchConfig config = DrawPathConfig(random);
        config.buffer.shares.totalBytes = 512 * 1024; // nothing waits for credits
        const std::string what = "seed " + std::to_string(seed) + ", " + name + ": ";
        {
            const auto bed = MakeGroupBed(network, config);
            bed->AddGroup(FIRST_GROUP, MakeGroupTree(network.plan, network.routing, members, seed));
            bed->SendToGroup(from, FIRST_GROUP, bytes, 0, 0);
            bed->RunToEnd();
            test.ExpectEqual(bed->Deliveries().size(), members.size() - 1, what + "all");
            for (const TestBed::Delivery& each : bed->Deliveries())
            {
                const uint32_t switches =
                    SwitchesBetween(network.plan, tree, from, HostOf(each.dst));
                test.ExpectEqual(each.at, TimeByRow(switches, bytes, config), what + "alone");
            }
            const uint64_t frames = std::max<uint64_t>((bytes + MAX_PAYLOAD - 1) / MAX_PAYLOAD, 1);
            uint64_t links = 0;
            uint64_t sent = 0;
            for (uint32_t sw = 0; sw < network.plan.switches.size(); ++sw)
            {
                links += tree.group.ports[sw].empty() ? 0 : 1;
                for (uint16_t port = 0; port < network.plan.switches[sw].ports; ++port)
                {
                    sent += bed->IsFabricPort(sw, port) ? bed->Chip(sw).Output(port).Counts().frames
                                                        : 0;
                }
            }
            test.ExpectEqual(sent, (links - 1) * frames, what + "each link carries a frame once");
        }
        const auto bed = MakeGroupBed(network, config);
        bed->AddReduction(PathTerms(0, 64), tree);
        uint64_t sum = 0;
        for (const uint32_t member : members)
        {
            bed->Reduce(member, FIRST_REDUCTION, bytes, member, 0);
            sum += member;
        }
        bed->RunToEnd();
        uint32_t deepest = 0;
        const PortMap ports(network.plan);
        for (const uint32_t member : members)
        {
            uint32_t depth = 1;
            for (uint32_t sw = network.plan.hosts[member].edgeSwitch; sw != tree.root; ++depth)
            {
                sw = ports.GetPeer(sw, tree.up[sw].port).index;
            }
            deepest = std::max(deepest, depth);
        }
        const TimePs expected =
            TimeByRow(2 * deepest - 1, bytes, config) + deepest * config.reductions.latency;
        test.ExpectEqual(bed->Results().size(), members.size(), what + "results");
        TimePs last = 0;
        for (const TestBed::Reduced& each : bed->Results())
        {
            test.ExpectEqual(each.operation.value, sum, what + "sum");
            last = std::max(last, each.at);
        }
        test.ExpectEqual(last, expected, what + "an operation alone");
    }
}

/// @return the network and buffers of a saturated fabric: any frame waits for room
SwitchConfig
TightConfig()
{
    SwitchConfig config = PathConfig();
    config.buffer.shares.totalBytes = VIRTUAL_CHANNELS * WireBytes(JUMBO_PAYLOAD);
    return config;
}

/// All members of all groups send at once, and all hosts to others. @return whether all is
/// delivered
bool
Saturate(const GroupNetwork& network, const std::vector<GroupTree>& trees, uint32_t messages)
{
    const auto bed = MakeGroupBed(network, TightConfig());
    const auto hosts = static_cast<uint32_t>(network.plan.hosts.size());
    std::size_t expected = 0;
    for (std::size_t i = 0; i < trees.size(); ++i)
    {
        bed->AddGroup(static_cast<LocationId>(FIRST_GROUP + i), trees[i]);
    }
    std::minstd_rand random(1);
    for (uint32_t n = 0; n < messages; ++n)
    {
        for (std::size_t i = 0; i < trees.size(); ++i)
        {
            const std::vector<uint32_t>& members = trees[i].members;
            for (const uint32_t from : members)
            {
                bed->SendToGroup(from, static_cast<LocationId>(FIRST_GROUP + i), 9000, 0, 0);
                expected += members.size() - 1;
            }
        }
        for (uint32_t from = 0; from < hosts; ++from)
        {
            bed->Send(from, (from + 1 + random() % (hosts - 1)) % hosts, 9000, 0, 0);
            ++expected;
        }
    }
    bed->RunToEnd();
    bed->Check();
    return bed->IsEmpty() && bed->MessagesUnderWay() == 0 && bed->Deliveries().size() == expected;
}

/// All send to all for long, in buffers with room for a few frames: nothing waits for ever. With
/// the channels of trees left out it does, so that is what keeps it from doing so.
void
TestPathSaturation(FunctionCase& test)
{
    std::vector<PathNetwork> networks;
    for (const DragonflyMode mode : {DRAGONFLY_MINIMAL, DRAGONFLY_VALIANT, DRAGONFLY_UGAL})
    {
        DragonflyConfig config;
        config.mode = mode;
        config.groups = 5;
        config.hostsPerSwitch = 1;
        networks.push_back(MakePathNetwork(config));
    }
    for (const TorusMode mode : {TORUS_DIMENSION_ORDER, TORUS_MINIMAL, TORUS_ADAPTIVE})
    {
        networks.push_back(MakePathNetwork(TorusConfig{{5, 4}, 1, mode}));
    }
    networks.push_back(MakePathNetwork(TorusConfig{{2, 3, 4}, 1, TORUS_ADAPTIVE}));
    for (const HyperXMode mode : {HYPERX_DIMENSION_ORDER, HYPERX_BY_DIMENSION, HYPERX_ADAPTIVE})
    {
        networks.push_back(MakePathNetwork(HyperXConfig{{4, 3}, 1, {1}, mode}));
    }
    const uint32_t effort = TestSeeds(3).count;
    uint32_t stuck = 0;
    for (const auto& [network, name] : networks)
    {
        std::vector<uint32_t> all(network.plan.hosts.size());
        std::iota(all.begin(), all.end(), 0);
        std::vector<GroupTree> trees;
        for (uint32_t number = 0; number < 8; ++number)
        {
            trees.push_back(MakeGroupTree(network.plan, network.routing, all, number));
        }
        test.Expect(Saturate(network, trees, effort), name + ": all is delivered");
        for (GroupTree& tree : trees)
        {
            for (TreePorts& ports : tree.ports)
            {
                for (TreePort& port : ports)
                {
                    port.vc = 0;
                }
            }
        }
        stuck += Saturate(network, trees, effort) ? 0 : 1;
    }
    test.ExpectEqual(stuck, networks.size(), "all wait for ever with one channel");
}

/// Reductions of all, many at a time, beside groups and messages in buffers with room for few
/// frames.
void
TestPathReductionsTight(FunctionCase& test)
{
    const TestSeeds seeds(40);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const auto [network, name] = DrawPathNetwork(random, 24);
        const auto bed = MakeGroupBed(network, TightConfig());
        const auto hosts = static_cast<uint32_t>(network.plan.hosts.size());
        std::size_t results = 0;
        std::size_t messages = 0;
        for (uint32_t i = 0; i < 8; ++i)
        {
            const std::vector<uint32_t> members = DrawSome(random, hosts, 2);
            bed->AddReduction(PathTerms(i, 64),
                              MakeReductionTree(network.plan, network.routing, members, i));
            const auto group = static_cast<LocationId>(FIRST_GROUP + i);
            bed->AddGroup(group, MakeGroupTree(network.plan, network.routing, members, i + 100));
            for (const uint32_t member : members)
            {
                bed->Reduce(member, PathTerms(i, 0).reduction, 50'000, 1, 0);
                bed->SendToGroup(member, group, 9000, 0, 0);
                bed->Send(member, (member + 1 + random() % (hosts - 1)) % hosts, 9000, 0, 0);
                ++results;
                messages += members.size();
            }
        }
        bed->RunToEnd();
        bed->Check();
        const std::string what = "seed " + std::to_string(seed) + ", " + name + ": ";
        test.Expect(bed->IsEmpty() && bed->MessagesUnderWay() == 0, what + "something is left");
        test.ExpectEqual(bed->Results().size(), results, what + "results");
        test.ExpectEqual(bed->Deliveries().size(), messages, what + "messages");
    }
}

/// All hosts carry out many long reductions at once, and send to others. @return whether all are
/// done
bool
SaturateReductions(const GroupNetwork& network, const std::vector<ReductionTree>& trees)
{
    const auto bed = MakeGroupBed(network, TightConfig());
    std::size_t expected = 0;
    for (std::size_t i = 0; i < trees.size(); ++i)
    {
        bed->AddReduction(PathTerms(i, 64), trees[i]);
        for (const uint32_t member : trees[i].group.members)
        {
            bed->Reduce(member, PathTerms(i, 0).reduction, 300'000, 1, 0);
            ++expected;
        }
    }
    std::minstd_rand random(1);
    const auto hosts = static_cast<uint32_t>(network.plan.hosts.size());
    for (uint32_t i = 0; i < 40 * hosts; ++i)
    {
        const uint32_t from = i % hosts;
        bed->Send(from, (from + 1 + random() % (hosts - 1)) % hosts, 100'000, 0, 0);
    }
    bed->RunToEnd();
    bed->Check();
    return bed->IsEmpty() && bed->Results().size() == expected && bed->MessagesUnderWay() == 0;
}

/// Results keep to the channels of trees, in buffers with room for a few frames.
void
TestPathReductionsSaturated(FunctionCase& test)
{
    DragonflyConfig dragonfly;
    dragonfly.mode = DRAGONFLY_MINIMAL;
    dragonfly.groups = 5;
    for (const auto& [network, name] :
         {MakePathNetwork(dragonfly),
          MakePathNetwork(TorusConfig{{5, 4}, 1, TORUS_DIMENSION_ORDER}),
          MakePathNetwork(HyperXConfig{{4, 3}, 1, {1}, HYPERX_ADAPTIVE})})
    {
        std::vector<uint32_t> all(network.plan.hosts.size());
        std::iota(all.begin(), all.end(), 0);
        std::vector<ReductionTree> trees;
        for (uint32_t number = 0; number < 16; ++number)
        {
            trees.push_back(MakeReductionTree(network.plan, network.routing, all, number));
        }
        test.Expect(SaturateReductions(network, trees), name + ": all are done");
    }
}

/// Results have channels of their own: what waits for a slow host on the first one holds up none.
void
TestResultsBesideSlowHost(FunctionCase& test)
{
    const auto [network, name] = MakePathNetwork(TorusConfig{{5}, 1, TORUS_DIMENSION_ORDER});
    SwitchConfig config = TightConfig();
    config.flowChannels.enabled = false;
    const std::size_t slow = network.plan.links.size(); // that of host 0
    for (uint32_t number = 0; number < 8; ++number)
    {
        const ReductionTree tree = MakeReductionTree(network.plan, network.routing, {1, 4}, number);
        if (tree.root != 4)
        {
            continue;
        }
        TestBed bed(
            network.plan,
            network.routing,
            config,
            NicConfig(),
            [slow](std::size_t link) {
                const uint64_t rate = link == slow ? 100'000'000 : 200'000'000'000;
                return std::make_pair(LinkRate(rate), 100 * NS);
            },
            true);
        bed.AddReduction(PathTerms(0, 64), tree);
        bed.Send(3, 0, 100'000, 0, 0);
        for (const uint32_t member : tree.group.members)
        {
            bed.Reduce(member, FIRST_REDUCTION, 4000, member, 50 * US);
        }
        bed.RunToEnd();
        test.ExpectEqual(bed.Results().size(), 2, "results");
        test.Expect(bed.Results().back().at < 60 * US, Text("at ", bed.Results().back().at));
        test.Expect(bed.Deliveries().front().at > 1000 * US, "the slow host");
        return;
    }
    test.Expect(false, "no tree has its root at the other side of the date line");
}

/// What a switch can't have trees with.
void
TestTreeSettings(FunctionCase& test)
{
    const auto told = [](const PathNetwork& network, const SwitchConfig& config) {
        const GroupTree tree =
            MakeGroupTree(network.network.plan, network.network.routing, {0, 3}, 0);
        return Refusal(
            [&] { config.ValidateTree(network.network.routing[0], tree.VirtualChannels()); });
    };
    const PathNetwork inOrder = MakePathNetwork(TorusConfig{{5}, 1, TORUS_DIMENSION_ORDER});
    const PathNetwork adaptive = MakePathNetwork(TorusConfig{{5}, 1, TORUS_ADAPTIVE});
    SwitchConfig config = PathConfig();
    test.ExpectSame(told(inOrder, config), "", "four channels");
    test.ExpectSame(told(adaptive, config), "", "four channels of routes");
    config.buffer.vcOfClass[3] = 1;
    test.Expect(told(inOrder, config).find("ClassToVc=0 for all classes") != std::string::npos,
                told(inOrder, config));
    config = PathConfig();
    config.buffer.shares.virtualChannels = 2;
    test.Expect(told(inOrder, config).find("groups: frames on the way") == 0,
                told(inOrder, config));
}

} // namespace

/// Groups and reductions where frames have virtual channels by hop.
class PathGroupsTestSuite : public TestSuite
{
  public:
    PathGroupsTestSuite()
        : TestSuite("fabric-path-groups", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("FC-16 SW-14 DP-5 FC-17 groups in dragonflies, tori and HyperX",
            TestPathGroupsAtRandom);
        add("FC-16 SW-14 the time of a message or an operation alone", TestPathGroupAlone);
        add("FC-16 FC-13 all members send at once for long", TestPathSaturation);
        add("SW-14 FC-13 many reductions with little room", TestPathReductionsTight);
        add("SW-14 FC-13 all carry out many reductions at once", TestPathReductionsSaturated);
        add("SW-14 FC-13 results have channels of their own", TestResultsBesideSlowHost);
        add("FC-16 settings that trees can't have are refused", TestTreeSettings);
    }
};

static PathGroupsTestSuite g_pathGroupsTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
