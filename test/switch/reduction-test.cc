/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel-dependency.h"
#include "fabric-function-case.h"
#include "fabric-group-network.h"
#include "fabric-group-tree.h"
#include "fabric-port-map.h"
#include "fabric-reduction-slots.h"
#include "fabric-reduction-tree.h"
#include "fabric-reduction-windows.h"
#include "fabric-refusal.h"
#include "fabric-test-bed.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"

#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
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

constexpr LocationId REDUCTION = FIRST_REDUCTION; ///< Location of the first reduction of a test.

constexpr ReductionOperation ALL_OPERATIONS[] = {ReductionOperation::SUM,
                                                 ReductionOperation::MIN,
                                                 ReductionOperation::MAX,
                                                 ReductionOperation::AND,
                                                 ReductionOperation::OR,
                                                 ReductionOperation::SUM_DOUBLE,
                                                 ReductionOperation::MIN_DOUBLE,
                                                 ReductionOperation::MAX_DOUBLE};

/// @return bits of a value; sums of doubles are exact
uint64_t
DrawValue(std::minstd_rand& random, ReductionOperation operation)
{
    const int64_t value = static_cast<int64_t>(random() % 2'000'000) - 1'000'000;
    return IsOfDoubles(operation) ? BitsOf(static_cast<double>(value) / 64)
                                  : static_cast<uint64_t>(value);
}

/// @return what values become, as people would say it
uint64_t
ExpectedOf(ReductionOperation operation, const std::vector<uint64_t>& values)
{
    std::vector<double> doubles;
    std::vector<int64_t> integers;
    uint64_t all = ~uint64_t{0};
    uint64_t any = 0;
    for (const uint64_t bits : values)
    {
        doubles.push_back(DoubleOf(bits));
        integers.push_back(static_cast<int64_t>(bits));
        all &= bits;
        any |= bits;
    }
    std::sort(doubles.begin(), doubles.end());
    std::sort(integers.begin(), integers.end());
    switch (operation)
    {
    case ReductionOperation::SUM:
        return static_cast<uint64_t>(std::accumulate(integers.begin(), integers.end(), int64_t{0}));
    case ReductionOperation::MIN:
        return static_cast<uint64_t>(integers.front());
    case ReductionOperation::MAX:
        return static_cast<uint64_t>(integers.back());
    case ReductionOperation::AND:
        return all;
    case ReductionOperation::OR:
        return any;
    case ReductionOperation::SUM_DOUBLE:
        return BitsOf(std::accumulate(doubles.begin(), doubles.end(), 0.0));
    case ReductionOperation::MIN_DOUBLE:
        return BitsOf(doubles.front());
    case ReductionOperation::MAX_DOUBLE:
        return BitsOf(doubles.back());
    }
    return 0;
}

/// Values of any sign become what they should.
void
TestReductionOperations(FunctionCase& test)
{
    const auto signedBits = [](int64_t value) { return static_cast<uint64_t>(value); };
    test.ExpectEqual(Combine(ReductionOperation::SUM, signedBits(-5), 3), signedBits(-2), "sum");
    test.ExpectEqual(Combine(ReductionOperation::MIN, signedBits(-5), 3), signedBits(-5), "min");
    test.ExpectEqual(Combine(ReductionOperation::MAX, signedBits(-5), 3), 3, "max");
    test.ExpectEqual(Combine(ReductionOperation::AND, 6, 3), 2, "and");
    test.ExpectEqual(Combine(ReductionOperation::OR, 6, 3), 7, "or");
    test.ExpectEqual(Combine(ReductionOperation::SUM, ~uint64_t{0}, 1), 0, "modulo 2^64");
    const auto combined = [](ReductionOperation operation) {
        return DoubleOf(Combine(operation, BitsOf(-0.5), BitsOf(0.25)));
    };
    test.Expect(combined(ReductionOperation::SUM_DOUBLE) == -0.25, "sum of doubles");
    test.Expect(combined(ReductionOperation::MIN_DOUBLE) == -0.5, "least double");
    test.Expect(combined(ReductionOperation::MAX_DOUBLE) == 0.25, "largest double");
}

/// Contributions in any order that windows allow, beside a list of what has come.
void
TestSlots(FunctionCase& test)
{
    const TestSeeds seeds(3000);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const ReductionOperation operation = ALL_OPERATIONS[random() % 8];
        const uint32_t children = 1 + random() % 6;
        const uint32_t window = 1 + random() % 7;
        const uint32_t pieces = 1 + random() % 30;
        ReductionSlots slots(operation, children, window);
        std::vector<std::set<uint32_t>> came(children);  // pieces, by child
        std::map<uint32_t, std::vector<uint64_t>> model; // values, by piece
        std::set<uint32_t> closed;                       // pieces
        while (closed.size() < pieces)
        {
            const uint32_t child = random() % children;
            const uint32_t piece = random() % pieces; // frames overtake each other
            const bool isTooSoon = piece >= window && closed.count(piece - window) == 0;
            if (isTooSoon || !came[child].insert(piece).second)
            {
                continue;
            }
            const uint64_t value = DrawValue(random, operation);
            model[piece].push_back(value);
            const auto result = slots.Take(piece % window, child, value, 100 + piece);
            const bool isLast = model[piece].size() == children;
            test.Expect(result.has_value() == isLast, Text("seed ", seed, ": the last one"));
            if (isLast)
            {
                test.ExpectEqual(result.value_or(0),
                                 ExpectedOf(operation, model[piece]),
                                 Text("seed ", seed, ": value of piece ", piece));
                closed.insert(piece);
                model.erase(piece);
            }
            test.ExpectEqual(slots.Open(), model.size(), "open");
        }
    }
}

/// What no member may do, and sums that don't depend on the order of arrival.
void
TestSlotChecks(FunctionCase& test)
{
    ReductionSlots slots(ReductionOperation::SUM, 2, 2);
    slots.Take(0, 0, 1, 100);
    slots.Take(1, 0, 1, 100);
    const auto told = [&slots](uint32_t slot, uint32_t child, uint32_t payload) {
        return Refusal<std::logic_error>([&] { slots.Take(slot, child, 1, payload); });
    };
    const std::string twice = told(1, 0, 100);
    test.Expect(twice.find("slot 1 of a reduction: a child contributes twice") == 0, twice);
    const std::string size = told(0, 1, 99);
    test.Expect(size.find("contributions differ in size") != size.npos, size);
    const double values[] = {1e17, 1.0, -1e17};
    std::set<uint64_t> sums;
    std::vector<uint32_t> order{0, 1, 2};
    do
    {
        ReductionSlots three(ReductionOperation::SUM_DOUBLE, 3, 1);
        for (const uint32_t child : order)
        {
            if (const auto sum = three.Take(0, child, BitsOf(values[child]), 8))
            {
                sums.insert(*sum);
            }
        }
    } while (std::next_permutation(order.begin(), order.end()));
    test.ExpectEqual(sums.size(), 1, "one sum");
}

/// Keeps what it is told.
struct OperationLog : public ReductionListener
{
    void OperationDone(const ReducedOperation& operation, TimePs at) override
    {
        done.emplace_back(operation, at);
    }

    std::vector<std::pair<ReducedOperation, TimePs>> done; ///< By time.
};

/// A member never has more frames under way than its window, and sends all, in order.
void
TestWindows(FunctionCase& test)
{
    const TestSeeds seeds(1000);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        ReductionOperands operands;
        OperationLog log;
        ReductionWindows windows(operands, 100, log);
        const uint32_t count = 1 + random() % 3;
        std::vector<uint32_t> window;
        for (uint32_t i = 0; i < count; ++i)
        {
            window.push_back(1 + random() % 5);
            const auto location = static_cast<LocationId>(REDUCTION + i);
            windows.Join({location, i, window[i], operands.Reserve(window[i]), true});
        }
        std::vector<std::deque<std::pair<uint32_t, uint64_t>>> toSend(count); // bytes and value
        std::vector<std::deque<std::pair<TimePs, uint32_t>>> underWay(count); // return and handle
        std::vector<uint32_t> begun(count);
        std::vector<std::vector<TimePs>> returns;
        std::vector<uint32_t> sent(count);
        for (const uint32_t size : window)
        {
            returns.emplace_back(size, 0);
        }
        std::multimap<TimePs, std::pair<uint32_t, uint32_t>> announced; // queue and handle
        const auto announce = [&](TimePs until) {
            while (!announced.empty() && announced.begin()->first <= until)
            {
                const auto [queue, handle] = announced.begin()->second;
                Frame frame{};
                frame.dst = static_cast<LocationId>(REDUCTION + queue);
                frame.time = announced.begin()->first;
                frame.handle = handle;
                announced.erase(announced.begin());
                windows.Arrive(frame);
            }
        };
        TimePs now = 0;
        for (uint32_t step = 0; step < 200; ++step)
        {
            const TimePs next = now + random() % 50;
            announce(next + random() % 200); // ahead of time
            now = next;
            while (windows.NextTime() <= now)
            {
                windows.Handle(windows.NextTime());
            }
            if (random() % 4 == 0 && step < 120)
            {
                const uint32_t i = random() % count;
                const uint64_t bytes = random() % 1000;
                const auto value = static_cast<uint64_t>(seed * 1000 + i * 100 + begun[i]);
                const auto location = static_cast<LocationId>(REDUCTION + i);
                test.ExpectEqual(windows.Start(location, bytes, value, now), begun[i]++, "number");
                for (uint64_t left = bytes; left > 0 || bytes == 0;)
                {
                    const auto part = static_cast<uint32_t>(std::min<uint64_t>(left, 100));
                    toSend[i].emplace_back(part, value);
                    left -= part;
                    if (left == 0)
                    {
                        break;
                    }
                }
            }
            while (windows.HasPacket())
            {
                const auto packet = windows.NextPacket(now);
                test.Expect(packet.has_value(), "it has one");
                const uint32_t i = packet->queue;
                auto& away = underWay[i];
                away.erase(std::remove_if(away.begin(),
                                          away.end(),
                                          [now](const auto& each) { return each.first <= now; }),
                           away.end());
                test.Expect(away.size() < window[i], Text("seed ", seed, ": the window"));
                test.Expect(!toSend[i].empty() && toSend[i].front().first == packet->bytes &&
                                toSend[i].front().second == operands.At(packet->handle),
                            Text("seed ", seed, ": the next frame"));
                toSend[i].pop_front();
                // A frame goes when that a window before it has returned.
                const uint32_t place = sent[i]++ % window[i];
                test.Expect(returns[i][place] <= now, Text("seed ", seed, ": its turn"));
                test.ExpectEqual(packet->handle % window[i], place, "its place");
                returns[i][place] = now + 1 + random() % 300;
                away.emplace_back(returns[i][place], packet->handle);
                announced.insert({returns[i][place], {i, packet->handle}});
            }
        }
        announce(NEVER - 1);
        while (windows.NextTime() != NEVER)
        {
            now = std::max(now, windows.NextTime());
            windows.Handle(now);
            while (const auto packet = windows.NextPacket(now))
            {
                toSend[packet->queue].pop_front();
                announced.insert({now + 10, {packet->queue, packet->handle}});
            }
            announce(now + 10);
        }
        std::vector<uint32_t> done(count);
        for (const auto& [operation, at] : log.done)
        {
            const uint32_t i = operation.reduction - REDUCTION;
            test.ExpectEqual(operation.number, done[i], "operations end in order");
            test.ExpectEqual(operation.value, seed * 1000 + i * 100 + done[i]++, "its value");
        }
        test.Expect(done == begun, Text("seed ", seed, ": all are done"));
    }
}

/// @return some hosts, in no order
std::vector<uint32_t>
DrawHosts(std::minstd_rand& random, uint32_t hosts)
{
    std::vector<uint32_t> all(hosts);
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin(), all.end(), random);
    all.resize(1 + random() % hosts);
    return all;
}

/// All members are below the root, which is in the middle.
void
TestReductionTrees(FunctionCase& test)
{
    const TestSeeds seeds(200);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const GroupNetwork network =
            random() % 2 == 0 ? TreeNetwork(4) : ChainNetwork({2, 1, 3, 1, 2});
        const std::vector<uint32_t> members =
            DrawHosts(random, static_cast<uint32_t>(network.plan.hosts.size()));
        const ReductionTree tree =
            MakeReductionTree(network.plan, network.routing, members, random() % 5);
        const PortMap ports(network.plan);
        std::set<uint32_t> found;
        std::map<uint32_t, uint32_t> depths; // by child of the root
        const std::function<void(uint32_t, uint32_t, uint32_t)> visit = [&](uint32_t sw,
                                                                            uint32_t depth,
                                                                            uint32_t branch) {
            for (const auto [port, vc] : tree.ChildrenOf(sw))
            {
                const PortPeer& peer = ports.GetPeer(sw, port);
                const uint32_t first = sw == tree.root ? port : branch;
                depths[first] = std::max(depths[first], depth);
                if (peer.kind == PeerKind::HOST)
                {
                    test.Expect(found.insert(peer.index).second, "once");
                    const auto toward = tree.PortsToward(network.plan, peer.index);
                    test.ExpectEqual(toward[sw], port, "toward a member");
                    continue;
                }
                test.Expect(ports.GetPeer(peer.index, tree.up[peer.index].port).index == sw, "up");
                visit(peer.index, depth + 1, first);
            }
        };
        visit(tree.root, 0, 0);
        test.Expect(std::vector<uint32_t>(found.begin(), found.end()) == tree.group.members,
                    Text("seed ", seed, ": all members"));
        std::vector<uint32_t> sorted;
        for (const auto& [port, depth] : depths)
        {
            sorted.push_back(depth);
        }
        std::sort(sorted.rbegin(), sorted.rend());
        const uint32_t second = sorted.size() > 1 ? sorted[1] : 0;
        test.Expect(sorted[0] <= second + 1, Text("seed ", seed, ": the root is in the middle"));
    }
}

/// @return what is the same in all switches
ReductionDescriptor
Terms(ReductionOperation operation, uint32_t window)
{
    ReductionDescriptor terms;
    terms.operation = operation;
    terms.window = window;
    return terms;
}

/// @return payload that switches have combined
uint64_t
CombinedPayload(TestBed& bed)
{
    uint64_t bytes = 0;
    for (std::size_t i = 0; i < bed.Chips(); ++i)
    {
        bytes += bed.Chip(i).Counts().combinedPayload;
    }
    return bytes;
}

/// All begin together in an empty fabric: a result takes as long as a message from one member to
/// another by the root, and an engine's latency at each switch on the way up.
void
TestReductionAlone(FunctionCase& test)
{
    const GroupNetwork network = TreeNetwork(4);

    struct Case
    {
        std::vector<uint32_t> members; ///< Hosts.
        uint32_t switchesUp;           ///< With the root.
    };

    for (const Case& each : {Case{{0, 1}, 1}, Case{{0, 1, 2, 3}, 2}, Case{{3, 6, 9, 0, 15}, 3}})
    {
        for (const uint64_t bytes : {0, 100, 4096, 4097, 100'000})
        {
            for (const TimePs latency : {TimePs{0}, TimePs{100'000}, TimePs{777'777}})
            {
                SwitchConfig config;
                config.reductions.latency = latency;
                const auto bed = MakeGroupBed(network, config);
                bed->AddReduction(
                    Terms(ReductionOperation::SUM, 64),
                    MakeReductionTree(network.plan, network.routing, each.members, 0));
                uint64_t sum = 0;
                for (const uint32_t member : each.members)
                {
                    bed->Reduce(member, REDUCTION, bytes, member + 1, 0);
                    sum += member + 1;
                }
                bed->RunToEnd();
                bed->Check();
                test.Expect(bed->IsEmpty(), "nothing is left");
                const auto alone = MakeGroupBed(network, config);
                alone->Send(each.members.front(), each.members.back(), bytes, 0, 0);
                alone->RunToEnd();
                const TimePs expected = alone->Deliveries().front().at + each.switchesUp * latency;
                test.ExpectEqual(bed->Results().size(), each.members.size(), "one each");
                for (const TestBed::Reduced& result : bed->Results())
                {
                    test.ExpectEqual(result.at, expected, Text(bytes, " bytes, ", latency, " ps"));
                    test.ExpectEqual(result.operation.value, sum, "sum");
                }
                test.ExpectEqual(CombinedPayload(*bed),
                                 (each.members.size() - 1) * bytes,
                                 "all but one are combined");
            }
        }
    }
}

/// A reduction of a random scenario.
struct RandomReduction
{
    ReductionDescriptor terms;                 ///< What is the same in all switches.
    std::vector<uint32_t> members;             ///< Hosts.
    uint32_t target;                           ///< Who gets results, if not all.
    std::vector<std::vector<uint64_t>> values; ///< By operation.
    std::vector<uint64_t> sizes;               ///< By operation.
};

/// @return the settings of a random scenario
SwitchConfig
DrawReductionConfig(std::minstd_rand& random)
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
    config.reductions.latency = random() % 3 * 70'000;
    return config;
}

/// Reductions with all settings, several operations each, members that begin at any time, and other
/// traffic beside: each member is told each result once, with the right value, and look-ahead
/// changes nothing.
void
TestReductionsAtRandom(FunctionCase& test)
{
    const TestSeeds seeds(80);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::string told[2];
        for (const bool lookahead : {true, false})
        {
            std::minstd_rand random(seed);
            const GroupNetwork network =
                random() % 2 == 0 ? TreeNetwork(4)
                                  : ChainNetwork({2, static_cast<uint32_t>(1 + random() % 3), 3});
            const SwitchConfig config = DrawReductionConfig(random);
            const auto hosts = static_cast<uint32_t>(network.plan.hosts.size());
            NicConfig nic;
            nic.vcOfClass = config.buffer.vcOfClass;
            nic.mtu = random() % 2 == 0 ? 4096 : 1000;
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
            std::vector<GroupTree> trees{
                MakeGroupTree(network.plan, network.routing, {0, 1, 4}, 1)};
            bed.AddGroup(FIRST_GROUP, trees.front());
            std::vector<RandomReduction> reductions(1 + random() % 4);
            for (std::size_t i = 0; i < reductions.size(); ++i)
            {
                RandomReduction& each = reductions[i];
                each.terms =
                    Terms(ALL_OPERATIONS[random() % 8],
                          random() % 4 == 0 ? 1 : static_cast<uint32_t>(1 + random() % 40));
                each.terms.reduction = static_cast<LocationId>(FIRST_REDUCTION + i);
                each.terms.isToAll = random() % 3 != 0;
                each.members = DrawHosts(random, hosts);
                trees.push_back(
                    MakeReductionTree(network.plan, network.routing, each.members, i).group);
                if (!CheckRoutes(network.plan, network.routing, {}, trees).IsDeadlockFree())
                {
                    trees.pop_back();
                    each.members = {0}; // what FabricGroupHelper would not refuse
                }
                each.target = each.members[random() % each.members.size()];
                each.values.resize(1 + random() % 6);
                bed.AddReduction(each.terms,
                                 MakeReductionTree(network.plan, network.routing, each.members, i),
                                 each.target,
                                 random() % 2);
                for (std::vector<uint64_t>& values : each.values)
                {
                    each.sizes.push_back(random() % 4 == 0 ? 0 : random() % 60'000);
                    values.resize(each.members.size());
                }
                for (std::size_t member = 0; member < each.members.size(); ++member)
                {
                    TimePs at = random() % 4 == 0 ? random() % (40 * US) : random() % US;
                    for (std::size_t n = 0; n < each.values.size(); ++n)
                    {
                        each.values[n][member] = DrawValue(random, each.terms.operation);
                        bed.Reduce(each.members[member],
                                   each.terms.reduction,
                                   each.sizes[n],
                                   each.values[n][member],
                                   at);
                        at += random() % 3 == 0 ? random() % (5 * US) : 0;
                    }
                }
            }
            uint32_t messages = 0;
            for (uint32_t i = 0; i < 60; ++i)
            {
                const TimePs at = random() % (30 * US);
                const uint64_t bytes = random() % 30'000;
                if (random() % 4 == 0)
                {
                    bed.SendToGroup(random() % 2, FIRST_GROUP, bytes, random() % 2, at);
                    messages += 2;
                    continue;
                }
                const uint32_t from = random() % hosts;
                const uint32_t to = (from + 1 + random() % (hosts - 1)) % hosts;
                bed.Send(from, to, bytes, random() % 2, at);
                ++messages;
            }
            for (TimePs at = 3 * US; at < 30 * US; at += 9 * US)
            {
                bed.RunUntil(at);
                bed.Check();
            }
            bed.RunToEnd();
            bed.Check();
            const std::string what = "seed " + std::to_string(seed);
            test.Expect(bed.IsEmpty() && bed.MessagesUnderWay() == 0, what + ": something is left");
            test.ExpectEqual(bed.Deliveries().size(), messages, what + ": messages");
            std::vector<std::string> lines;
            std::map<std::pair<LocationId, uint32_t>, uint32_t> next;
            for (const TestBed::Reduced& each : bed.Results())
            {
                const ReducedOperation& operation = each.operation;
                const RandomReduction& of = reductions[operation.reduction - FIRST_REDUCTION];
                test.ExpectEqual(operation.number,
                                 next[std::pair(operation.reduction, each.host)]++,
                                 what + ": in order, once");
                const bool hasValue = of.terms.isToAll || each.host == of.target;
                test.ExpectEqual(operation.hasValue, hasValue, what + ": who gets results");
                test.ExpectEqual(
                    operation.value,
                    hasValue ? ExpectedOf(of.terms.operation, of.values[operation.number]) : 0,
                    what + ": the value");
                std::ostringstream line;
                line << each.at << " " << each.host << " " << operation.reduction << " "
                     << operation.number << "\n";
                lines.push_back(line.str());
            }
            for (const RandomReduction& each : reductions)
            {
                for (const uint32_t member : each.members)
                {
                    test.ExpectEqual(next[std::pair(each.terms.reduction, member)],
                                     each.values.size(),
                                     what + ": all operations");
                }
            }
            for (const TestBed::Delivery& each : bed.Deliveries())
            {
                std::ostringstream line;
                line << each.at << " " << each.src << " " << each.dst << " " << each.sequence
                     << "\n";
                lines.push_back(line.str());
            }
            std::sort(lines.begin(), lines.end());
            told[lookahead] = std::accumulate(lines.begin(), lines.end(), std::string());
        }
        test.ExpectSame(told[0], told[1], "seed " + std::to_string(seed));
    }
}

/// A member that is late holds up the others of its reduction, and nobody else.
void
TestLateMember(FunctionCase& test)
{
    const GroupNetwork network = ChainNetwork({3, 3});
    const auto run = [&](bool reduces) {
        const auto bed = MakeGroupBed(network, SwitchConfig());
        const ReductionTree all =
            MakeReductionTree(network.plan, network.routing, {0, 1, 3, 4, 5}, 0);
        bed->AddReduction(Terms(ReductionOperation::SUM, 4), all);
        ReductionDescriptor other = Terms(ReductionOperation::MAX, 4);
        other.reduction = REDUCTION + 1;
        bed->AddReduction(other, MakeReductionTree(network.plan, network.routing, {0, 3}, 1));
        if (reduces)
        {
            for (const uint32_t member : {0U, 1U, 3U, 4U})
            {
                bed->Reduce(member, REDUCTION, 1'000'000, member, 0);
            }
            bed->Reduce(5, REDUCTION, 1'000'000, 5, 500 * US);
        }
        bed->Send(0, 4, 1'000'000, 0, 50 * US);
        bed->Send(2, 5, 1'000'000, 0, 50 * US);
        bed->Reduce(0, REDUCTION + 1, 100'000, 7, 200 * US);
        bed->Reduce(3, REDUCTION + 1, 100'000, 9, 200 * US);
        bed->RunUntil(400 * US);
        bed->Check();
        test.Expect(bed->IsEmpty() != reduces, "slots are taken");
        const std::vector<TestBed::Reduced> early = bed->Results();
        const std::vector<TestBed::Delivery> deliveries = bed->Deliveries();
        bed->RunToEnd();
        bed->Check();
        test.Expect(bed->IsEmpty(), "all are done");
        test.ExpectEqual(bed->Results().size(), reduces ? 7 : 2, "results");
        for (const TestBed::Reduced& each : bed->Results())
        {
            const bool isLate = each.operation.reduction == REDUCTION;
            test.ExpectEqual(each.operation.value, isLate ? 13 : 9, "value");
            test.Expect(!isLate || each.at > 500 * US, "not before the last");
        }
        std::ostringstream text;
        for (const TestBed::Reduced& each : early)
        {
            text << each.at << " " << each.host << "\n";
        }
        for (const TestBed::Delivery& each : deliveries)
        {
            text << each.at << " " << each.dst << "\n";
        }
        return text.str();
    };
    const std::string without = run(false);
    test.Expect(std::count(without.begin(), without.end(), '\n') == 4, "others are done");
    test.ExpectSame(run(true), without, "others see nothing of it");
}

/// Two reductions that turn at both ends of a link could wait for each other: the proof says so.
void
TestReductionProof(FunctionCase& test)
{
    const GroupNetwork network = ChainNetwork({2, 2, 2});
    const auto treeOf = [&network](const std::vector<uint32_t>& members) {
        return MakeReductionTree(network.plan, network.routing, members, 0).group;
    };
    const GroupTree atFirst = treeOf({0, 1, 2});
    const GroupTree atSecond = treeOf({0, 2, 4});
    test.Expect(atFirst.turnsAt == 0U && atSecond.turnsAt == 1U, "the roots");
    const auto isFree = [&network](const std::vector<GroupTree>& trees) {
        return CheckRoutes(network.plan, network.routing, {}, trees).IsDeadlockFree();
    };
    test.Expect(isFree({atFirst}) && isFree({atSecond}), "each by itself");
    test.Expect(isFree({atSecond, treeOf({2, 5})}), "with one root");
    test.Expect(!isFree({atFirst, atSecond}), "both");
}

/// Few slots only cost time, and with as many as fit on the way a window costs none.
void
TestWindowSizes(FunctionCase& test)
{
    const GroupNetwork network = TreeNetwork(4);
    const std::vector<uint32_t> members{0, 1, 5, 10, 15};
    TimePs last = NEVER;
    TimePs shortest = 0;
    for (const uint32_t window : {1U, 2U, 3U, 8U, 32U, 64U, 1024U})
    {
        const auto bed = MakeGroupBed(network, SwitchConfig());
        bed->AddReduction(Terms(ReductionOperation::SUM, window),
                          MakeReductionTree(network.plan, network.routing, members, 0));
        for (const uint32_t member : members)
        {
            bed->Reduce(member, REDUCTION, 64 * 4096, 1, 0);
        }
        bed->RunToEnd();
        bed->Check();
        test.ExpectEqual(bed->Results().size(), members.size(), "results");
        const TimePs end = bed->Results().back().at;
        test.Expect(end <= last, Text("window ", window));
        last = end;
        if (window == 1)
        {
            const auto one = MakeGroupBed(network, SwitchConfig());
            one->AddReduction(Terms(ReductionOperation::SUM, 1),
                              MakeReductionTree(network.plan, network.routing, members, 0));
            for (const uint32_t member : members)
            {
                one->Reduce(member, REDUCTION, 4096, 1, 0);
            }
            one->RunToEnd();
            test.ExpectEqual(end, 64 * one->Results().back().at, "one frame after the other");
        }
        shortest = window == 64 ? end : shortest;
    }
    test.ExpectEqual(last, shortest, "more than the message has");
}

} // namespace

/// Reductions in switches.
class ReductionTestSuite : public TestSuite
{
  public:
    ReductionTestSuite()
        : TestSuite("fabric-reduction", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("SW-14 what values become", TestReductionOperations);
        add("SW-14 slots combine each contribution once", TestSlots);
        add("SW-14 slots refuse what can't be", TestSlotChecks);
        add("SW-14 members keep to their windows", TestWindows);
        add("SW-14 trees have their root in the middle", TestReductionTrees);
        add("SW-14 the time of an operation alone", TestReductionAlone);
        add("SW-14 DP-5 FC-17 each member gets each result once", TestReductionsAtRandom);
        add("SW-14 a late member holds up nobody else", TestLateMember);
        add("SW-14 FC-13 turns at both ends of a link are refused", TestReductionProof);
        add("SW-14 few slots cost only time", TestWindowSizes);
    }
};

static ReductionTestSuite g_reductionTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
