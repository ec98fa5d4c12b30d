/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-destination-groups.h"
#include "fabric-fat-tree.h"
#include "fabric-function-case.h"
#include "fabric-load-code.h"
#include "fabric-switch-units.h"
#include "fabric-test-bed.h"
#include "fabric-test-seeds.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr TimePs TELL_TIME = 1'000'000;         ///< Time between words, ps.
constexpr uint64_t TREE_RATE = 200'000'000'000; ///< Of links of trees, bit/s.
constexpr TimePs TREE_DELAY = 100'000;          ///< Of these, ps.

/// Codes have four bits of mantissa, go up with the load, and keep what they can say.
void
TestCodes(FunctionCase& test)
{
    for (uint32_t code = 0; code < 256; ++code)
    {
        const auto c = static_cast<uint8_t>(code);
        test.ExpectEqual(uint32_t{EncodeLoad(DecodeLoad(c))}, code, "a code is its own");
    }
    uint32_t last = 0;
    for (uint32_t load = 0; load < 600'000; load += 1 + load / 100)
    {
        const uint32_t code = EncodeLoad(load);
        test.Expect(code >= last, Text("less for ", load));
        last = code;
        const int64_t error = std::abs(int64_t{DecodeLoad(EncodeLoad(load))} - int64_t{load});
        test.Expect(error * 32 <= load || load > 500'000, Text(load, " is off by ", error));
    }
    test.ExpectEqual(last, 255U, "the largest says the most");
}

/// Hosts of a switch are a group, and numbers go by the switch.
void
TestGroups(FunctionCase& test)
{
    const DestinationGroups groups({7, 3, DestinationGroups::NOWHERE, 7, 5});
    test.ExpectEqual(groups.End(), 4U, "three groups, from 1");
    test.ExpectEqual(groups.Of(FIRST_UNICAST), FlowId{3}, "switch 7");
    test.ExpectEqual(groups.Of(FIRST_UNICAST + 1), FlowId{1}, "switch 3");
    test.ExpectEqual(groups.Of(FIRST_UNICAST + 2), NO_FLOW, "no switch");
    test.ExpectEqual(groups.Of(FIRST_UNICAST + 4), FlowId{2}, "switch 5");
    test.ExpectEqual(groups.Of(FIRST_UNICAST + 5), NO_FLOW, "no host");
    test.ExpectEqual(groups.HostOf(3), LocationId{FIRST_UNICAST}, "the first of switch 7");
    bool isRefused = false;
    std::vector<uint32_t> many(FLOW_IDS_PER_LINK);
    std::iota(many.begin(), many.end(), 0);
    try
    {
        const DestinationGroups tooMany(many);
    }
    catch (const std::invalid_argument&)
    {
        isRefused = true;
    }
    test.Expect(isRefused, "an ACK can't name so many");
}

/// A switch whose ports all lead to others, and what it tells them.
class Teller
{
  public:
    static constexpr uint32_t PORTS = 6; ///< Of the switch.

    explicit Teller(std::mt19937_64& random)
        : m_hosts(1 + random() % 120),
          m_fastest(random() % 2 == 0 ? 200'000'000'000 : 40'000ULL << random() % 34),
          m_peers(PORTS),
          m_agenda(),
          m_senders(PORTS)
    {
        SwitchConfig config;
        config.ports = PORTS;
        config.congestion.neighbourLoads = {true, TELL_TIME};
        m_units = std::make_unique<SwitchUnits>(config);
        m_agenda.Resize(PORTS);
        for (uint32_t port = 0; port < PORTS; ++port)
        {
            m_peers[port].Attach(&m_agenda, port);
            const LinkRate rate(m_fastest >> random() % 3);
            m_units->outputs[port].transmitter.Connect(rate, LinkTiming{}, &m_peers[port]);
            m_units->inputs[port].sender = &m_senders[port];
        }
        std::vector<PortRange> routes(FIRST_UNICAST + m_hosts);
        std::vector<uint32_t> switchOfHost;
        for (uint32_t host = 0; host < m_hosts; ++host)
        {
            const auto first = static_cast<uint16_t>(random() % PORTS);
            routes[FIRST_UNICAST + host] = {first,
                                            static_cast<uint16_t>(1 + random() % (PORTS - first))};
            switchOfHost.push_back(host);
        }
        m_units->routing.SetRoutes(Routing(routes));
        m_units->telling.Start(std::make_shared<const DestinationGroups>(switchOfHost),
                               LoadScale(m_fastest));
        m_heard.assign(PORTS, std::vector<uint8_t>(m_hosts + 1, 0));
        m_told = m_heard;
    }

    /// Flows begin and end, neighbours say something, a port fails.
    void Change(std::mt19937_64& random, TimePs now)
    {
        for (uint32_t i = 0; i < 20; ++i)
        {
            const uint32_t port = random() % PORTS;
            const auto group = static_cast<FlowId>(1 + random() % m_hosts);
            const auto code = static_cast<uint8_t>(random() % 200);
            m_units->telling.Hear(port, {group, AckType::LINK_CONGESTION, code}, now);
            m_heard[port][group] = code;
        }
        OutputFlowTable& flows = m_units->outputs[random() % PORTS].flows;
        for (uint64_t i = random() % 30; i > 0; --i)
        {
            flows.Allocate({0, 1}, now);
        }
        if (random() % 4 == 0)
        {
            const uint32_t port = random() % PORTS;
            m_units->telling.Forget(port);
            m_heard[port].assign(m_hosts + 1, 0);
            m_told[port].assign(m_hosts + 1, 0);
        }
    }

    /// @return all that a port is told at a time and right after it, by group
    std::map<FlowId, uint8_t> Tell(uint32_t port, TimePs now)
    {
        std::map<FlowId, uint8_t> words;
        constexpr uint32_t MOST = 10; // frames; three are enough for all groups
        for (uint32_t i = 0; i < MOST && m_units->telling.Send(port, now); ++i)
        {
            AckRing& ring = m_peers[port].Acks();
            for (; !ring.IsEmpty(); ring.Pop())
            {
                const AckBatch& batch = ring.Front();
                for (uint32_t ack = 0; ack < batch.count; ++ack)
                {
                    words[batch.acks[ack].flow] = batch.acks[ack].ackFlow;
                }
            }
        }
        return words;
    }

    /// @return the same, by the definition
    std::map<FlowId, uint8_t> Expected(uint32_t port)
    {
        std::map<FlowId, uint8_t> words;
        for (uint32_t group = 1; group <= m_hosts; ++group)
        {
            const PortRange ways =
                m_units->routing.Routes().Route(static_cast<LocationId>(FIRST_UNICAST + group - 1));
            uint64_t sum = 0;
            for (uint32_t way = ways.first; way < ways.first + ways.count; ++way)
            {
                const OutputPort& output = m_units->outputs[way];
                sum += output.flows.InUse() * 40 * m_fastest /
                           output.transmitter.Rate().BitsPerSecond() +
                       DecodeLoad(m_heard[way][group]);
            }
            const uint8_t code = EncodeLoad(static_cast<uint32_t>(sum / ways.count));
            const bool isWay = port >= ways.first && port < ways.first + ways.count;
            if (!isWay && code != m_told[port][group])
            {
                words[static_cast<FlowId>(group)] = code;
                m_told[port][group] = code;
            }
        }
        return words;
    }

    /// @return bytes of control frames on the wire to a port
    uint64_t BytesTo(uint32_t port) const
    {
        return m_units->outputs[port].transmitter.Counts().controlBytes;
    }

  private:
    uint32_t m_hosts;                          ///< Each at a switch of its own.
    uint64_t m_fastest;                        ///< Rate of the fastest link of the fabric, bit/s.
    std::vector<InputLink> m_peers;            ///< Where words come in.
    Agenda m_agenda;                           ///< Of the peers.
    std::vector<Transmitter> m_senders;        ///< Of neighbours, which send nothing.
    std::unique_ptr<SwitchUnits> m_units;      ///< The switch.
    std::vector<std::vector<uint8_t>> m_heard; ///< By port and group.
    std::vector<std::vector<uint8_t>> m_told;  ///< By port and group.
};

/// Whatever flows there are and whatever is heard, neighbours are told the mean of the ways by
/// which the switch goes, if they are none of them, and only what has changed.
void
TestWords(FunctionCase& test)
{
    const TestSeeds seeds(100);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        Teller teller(random);
        for (uint32_t round = 1; round <= 6; ++round)
        {
            const TimePs now = 10 * round * TELL_TIME;
            teller.Change(random, now - TELL_TIME);
            for (uint32_t port = 0; port < Teller::PORTS; ++port)
            {
                const uint64_t before = teller.BytesTo(port);
                const auto expected = teller.Expected(port);
                test.Expect(teller.Tell(port, now) == expected,
                            Text("seed ", seed, " round ", round, " port ", port));
                const uint64_t least = expected.size() * ACK_BITS / 8;
                test.Expect(teller.BytesTo(port) - before >= least, "words are on the wire");
                test.Expect((teller.BytesTo(port) == before) == expected.empty(),
                            "nothing else is");
            }
        }
    }
}

/// @return settings of switches
SwitchConfig
SettingsOf(bool reroutes, bool tells)
{
    SwitchConfig config;
    config.congestion.reroute.isOn = reroutes;
    config.congestion.neighbourLoads.isOn = tells;
    return config;
}

/// @return settings with which each frame chooses for itself
SwitchConfig
Sprayed()
{
    SwitchConfig config;
    config.flowChannels.noFlowClasses = 1;
    config.flowChannels.unorderedClasses = 1;
    return config;
}

/// @return hosts of a fat tree of three levels
constexpr uint32_t
HostsOf(uint32_t radix)
{
    return radix * radix * radix / 4;
}

/// @return a fat tree of three levels
TestBed
BuildTree(uint32_t radix, const SwitchConfig& config, uint32_t seed)
{
    FatTreeConfig shape;
    shape.radix = radix;
    shape.hosts = HostsOf(radix);
    const FatTree tree(shape);
    return TestBed(
        tree.GetPlan(),
        ToRouting(tree.GetRouting()),
        config,
        NicConfig{},
        [](std::size_t) { return std::pair(LinkRate(TREE_RATE), TREE_DELAY); },
        true,
        [seed](std::size_t i, SwitchConfig& own) {
            own.seed = static_cast<uint32_t>(1000 * seed + i + 1);
        });
}

/// @return when each host has sent a message to its receiver, ps
TimePs
SendAll(FunctionCase& test, TestBed& bed, const std::vector<uint32_t>& receivers, uint64_t bytes)
{
    for (uint32_t host = 0; host < receivers.size(); ++host)
    {
        bed.Send(host, receivers[host], bytes, 0, 0);
    }
    bed.RunToEnd();
    bed.Check();
    test.ExpectEqual(bed.Deliveries().size(), receivers.size(), "all arrive");
    return bed.Deliveries().back().at;
}

/// @return who receives from each host, so many hosts further on
std::vector<uint32_t>
ShiftedBy(uint32_t shift, uint32_t hosts)
{
    std::vector<uint32_t> receivers(hosts);
    for (uint32_t host = 0; host < hosts; ++host)
    {
        receivers[host] = (host + shift) % hosts;
    }
    return receivers;
}

/// @return who receives from each host, drawn
std::vector<uint32_t>
Permuted(uint64_t seed, uint32_t hosts)
{
    std::mt19937_64 random(seed);
    std::vector<uint32_t> receivers(hosts);
    std::iota(receivers.begin(), receivers.end(), 0);
    std::shuffle(receivers.begin(), receivers.end(), random);
    return receivers;
}

/// @param less bytes of the shorter messages
/// @return how much longer than by the wire alone it takes until all have so much more
double
SlopeOf(FunctionCase& test,
        uint32_t radix,
        const SwitchConfig& config,
        const std::vector<uint32_t>& receivers,
        uint64_t bytes,
        uint32_t seed,
        uint64_t less = 1 << 20)
{
    TestBed shorter = BuildTree(radix, config, seed);
    TestBed longer = BuildTree(radix, config, seed);
    const TimePs more =
        SendAll(test, longer, receivers, bytes + less) - SendAll(test, shorter, receivers, less);
    const uint64_t frames = bytes / MAX_PAYLOAD;
    const TimePs wire = LinkRate(TREE_RATE).TxTime(WireBytes(MAX_PAYLOAD));
    return static_cast<double>(more) / static_cast<double>(static_cast<TimePs>(frames) * wire);
}

/// Flows of hosts that send to the ones at a distance never share a link, whatever the distance:
/// all of them in a small tree, and some that are drawn in larger ones.
void
TestShifts(FunctionCase& test)
{
    const SwitchConfig config = SettingsOf(false, true);
    for (uint32_t shift = 1; shift < HostsOf(4); ++shift)
    {
        const double slope = SlopeOf(test, 4, config, ShiftedBy(shift, HostsOf(4)), 2 << 20, shift);
        test.Expect(slope < 1.01, Text("k = 4, shift ", shift, ": ", slope));
    }
    const TestSeeds seeds(1);
    for (const uint32_t radix : {6, 8})
    {
        const uint32_t hosts = HostsOf(radix);
        for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
        {
            std::minstd_rand random(seed);
            const uint32_t shift = 1 + (random(), random()) % (hosts - 1);
            const double slope =
                SlopeOf(test, radix, config, ShiftedBy(shift, hosts), 2 << 20, seed);
            test.Expect(slope < 1.01, Text("k = ", radix, ", shift ", shift, ": ", slope));
        }
    }
}

/// Frames that choose each for themselves fill a tree: shifts and permutations that are drawn.
void
TestSpraying(FunctionCase& test)
{
    const TestSeeds seeds(3);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const uint32_t radix = 4 + seed % 3 * 2;
        const uint32_t hosts = HostsOf(radix);
        const uint32_t shift = 1 + seed * 7919 % (hosts - 1);
        const double shifted =
            SlopeOf(test, radix, Sprayed(), ShiftedBy(shift, hosts), 8 << 20, seed);
        test.Expect(shifted < 1.06, Text("k = ", radix, ", shift ", shift, ": ", shifted));
        const double drawn = SlopeOf(test, radix, Sprayed(), Permuted(seed, hosts), 8 << 20, seed);
        test.Expect(drawn < 1.09, Text("k = ", radix, ", seed ", seed, ": ", drawn));
    }
}

/// Of random permutations most are done sooner if rerouting knows what is free further on.
void
TestRandomPermutations(FunctionCase& test)
{
    const TestSeeds seeds(6);
    TimePs with = 0;
    TimePs without = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const std::vector<uint32_t> receivers = Permuted(seed, HostsOf(4));
        for (const bool tells : {false, true})
        {
            TestBed bed = BuildTree(4, SettingsOf(true, tells), static_cast<uint32_t>(seed));
            (tells ? with : without) += SendAll(test, bed, receivers, 8 << 20);
        }
    }
    // Not each of them: of a few one may take longer.
    const double most = static_cast<double>(without) * (seeds.count >= 6 ? 1 : 1.3);
    test.Expect(static_cast<double>(with) < most, Text("with: ", with, ", without: ", without));
}

/// Chains of exchanges find a way for each flow of a permutation: most of them soon.
void
TestChainsOfExchanges(FunctionCase& test)
{
    const TestSeeds seeds(9);
    for (const uint32_t radix : {4, 6})
    {
        std::vector<double> slopes;
        const uint32_t count = radix == 4 ? seeds.count : std::max(1U, seeds.count / 3);
        for (uint32_t seed = seeds.first; seed < seeds.first + count; ++seed)
        {
            slopes.push_back(SlopeOf(test,
                                     radix,
                                     SettingsOf(true, true),
                                     Permuted(seed, HostsOf(radix)),
                                     15 << 20,
                                     seed));
        }
        std::nth_element(slopes.begin(), slopes.begin() + count / 2, slopes.end());
        const double median = slopes[count / 2];
        // Where chance plays with a few only, one may be far from the median.
        test.Expect(median < (count >= 3 ? 1.15 : 1.5), Text("k = ", radix, ": ", median));
    }
}

/// Each random permutation finds ways without collisions sooner or later, and then goes on as fast
/// as the wire.
void
TestPermutationsSettle(FunctionCase& test)
{
    constexpr uint64_t SETTLED = 24 << 20;
    const TestSeeds seeds(3);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const uint32_t radix = 4 + seed % 3 * 2;
        const double slope = SlopeOf(test,
                                     radix,
                                     SettingsOf(true, true),
                                     Permuted(seed, HostsOf(radix)),
                                     SETTLED,
                                     seed,
                                     SETTLED);
        test.Expect(slope < 1.15, Text("k = ", radix, ", seed ", seed, ": ", slope));
    }
}

/// The suite.
class LoadTellingSuite : public FunctionSuite
{
  public:
    LoadTellingSuite()
        : FunctionSuite("fabric-load-telling", kUnit)
    {
        Add("FC-12 codes of loads", TestCodes);
        Add("FC-12 groups of destinations", TestGroups);
        Add("FC-12 what neighbours are told", TestWords);
        Add("FC-12 shifts share no link", TestShifts);
        Add("FC-12 frames without order fill the tree", TestSpraying);
        Add("FC-12 CM-9 random permutations", TestRandomPermutations);
        Add("FC-12 CM-9 chains of exchanges", TestChainsOfExchanges);
        Add("FC-12 CM-9 permutations settle", TestPermutationsSettle);
    }
};

LoadTellingSuite g_loadTellingSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
