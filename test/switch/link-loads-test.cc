/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ack-batch.h"
#include "fabric-bed-state.h"
#include "fabric-function-case.h"
#include "fabric-load-code.h"
#include "fabric-port-map.h"
#include "fabric-random-scenario.h"
#include "fabric-refusal.h"
#include "fabric-small-dragonfly.h"
#include "fabric-switch-units.h"
#include "fabric-test-seeds.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// A switch of a dragonfly with links to all its neighbours, and what it should know and tell.
class LoadedSwitch
{
  public:
    /// Of any dragonfly with at least three groups.
    explicit LoadedSwitch(std::minstd_rand& random)
        : LoadedSwitch(Shape(random), random)
    {
    }

    LoadedSwitch(const DragonflyConfig& shape, std::minstd_rand& random)
        : m_dragonfly(shape),
          m_map(m_dragonfly.GetPlan()),
          m_number(static_cast<uint32_t>(random() % m_dragonfly.GetShape().switches)),
          m_ports(m_dragonfly.GetShape().ports),
          m_peers(m_ports),
          m_senders(m_ports)
    {
        SwitchConfig config;
        config.ports = static_cast<uint16_t>(m_ports);
        config.buffer.shares.virtualChannels = VIRTUAL_CHANNELS;
        config.congestion.neighbourLoads = {true, TELL_TIME};
        m_units = std::make_unique<SwitchUnits>(config);
        m_agenda.Resize(m_ports);
        for (const LinkPlan& link : m_dragonfly.GetPlan().links)
        {
            if (link.linkClass == LinkClass::GLOBAL)
            {
                m_globalOf[link.switchA].push_back(link.portA);
                m_globalOf[link.switchB].push_back(link.portB);
            }
            Connect(link.switchA, link.portA, link.linkClass);
            Connect(link.switchB, link.portB, link.linkClass);
        }
        m_units->routing.SetRoutes(m_dragonfly.GetRouting()[m_number]);
        m_units->telling.Start(nullptr, LoadScale());
    }

    /// Frames wait for its global links, and credits are away.
    void Change(std::minstd_rand& random)
    {
        for (const uint16_t port : m_global)
        {
            const auto vc = static_cast<uint32_t>(random() % VIRTUAL_CHANNELS);
            const auto bytes = static_cast<uint32_t>(random() % 60'000);
            m_units->outputs[port].transmitter.Credits().Consume(vc, bytes);
            InputQueue queue;
            queue.output = port;
            Frame frame{};
            frame.payload = static_cast<uint16_t>(1 + random() % MAX_PAYLOAD);
            m_units->loads.BeginWait(queue, frame, false, 0);
            m_bytes[port] += bytes + WireBytes(frame.payload);
        }
    }

    /// @return all that a port is told at a time, by number
    std::map<uint32_t, uint8_t> Tell(uint16_t port, TimePs now)
    {
        std::map<uint32_t, uint8_t> words;
        if (m_units->telling.Send(port, now))
        {
            for (AckRing& ring = m_peers[port].Acks(); !ring.IsEmpty(); ring.Pop())
            {
                const AckBatch& batch = ring.Front();
                for (uint32_t i = 0; i < batch.count; ++i)
                {
                    words[batch.acks[i].flow] = batch.acks[i].ackFlow;
                }
            }
        }
        return words;
    }

    /// @return what all neighbours in the group should know now, by number, if it is not nothing
    std::map<uint32_t, uint8_t> Known() const
    {
        std::map<uint32_t, uint8_t> words;
        for (const auto& [port, bytes] : m_bytes)
        {
            words[NumberOf(port)] = EncodeLoad((bytes + 128) / 256);
        }
        return words;
    }

    /// All neighbours in the group say something of their global links.
    void Hear(std::minstd_rand& random)
    {
        for (const uint16_t port : m_local)
        {
            for (const uint16_t global : m_globalOf[m_map.GetPeer(m_number, port).index])
            {
                const auto code = static_cast<uint8_t>(random() % 256);
                const auto number = static_cast<FlowId>(NumberOf(global));
                m_units->telling.Hear(port, {number, AckType::LINK_CONGESTION, code}, 0);
                m_heard[{port, number}] = code;
            }
        }
    }

    /// A neighbour says that all its global links are loaded as much as can be told, or not at all.
    void Hear(uint16_t port, bool areLoaded)
    {
        for (const uint16_t global : m_globalOf[m_map.GetPeer(m_number, port).index])
        {
            const auto number = static_cast<FlowId>(NumberOf(global));
            const auto code = static_cast<uint8_t>(areLoaded ? 255 : 0);
            m_units->telling.Hear(port, {number, AckType::LINK_CONGESTION, code}, 0);
        }
    }

    /// @return destinations to which the shortest way begins with a neighbour in the group, with
    /// the port to it
    std::map<LocationId, uint16_t> BehindNeighbours() const
    {
        std::map<LocationId, uint16_t> found;
        for (uint32_t host = 0; host < m_dragonfly.GetShape().hosts; ++host)
        {
            Ways ways;
            m_dragonfly.GetRouting()[m_number].Paths()->FindWays(LocationOf(host), {0, 0}, ways);
            for (const Way& way : ways)
            {
                if (!way.isDetour && IsLocal(way.port) && IsOut(LocationOf(host)))
                {
                    found[LocationOf(host)] = way.port;
                }
            }
        }
        return found;
    }

    /// @return where a frame of a host goes
    uint16_t Choose(LocationId dst)
    {
        Frame frame{};
        frame.dst = dst;
        frame.payload = MAX_PAYLOAD;
        return m_units->routing.Choose(0, frame, false, 0).output;
    }

    /// The link to a neighbour fails.
    void FailOne(std::minstd_rand& random)
    {
        const uint16_t failed = m_local[random() % m_local.size()];
        m_units->telling.Forget(failed);
        for (auto& [key, code] : m_heard)
        {
            code = key.first == failed ? 0 : code;
        }
    }

    /// @return bytes of all links that were heard of, on average
    uint64_t Mean() const
    {
        uint64_t sum = 0;
        for (const auto& [key, code] : m_heard)
        {
            sum += 256ULL * DecodeLoad(code);
        }
        return m_heard.empty() ? 0 : sum / m_heard.size();
    }

    /// @return bytes behind a way by the definition: the neighbour takes the least loaded of its
    /// global links by which it may go on, and a detour to another group has one more further on
    uint64_t Behind(LocationId dst, const Way& way) const
    {
        return (way.isDetour && IsOut(dst) ? Mean() : 0) + BehindNeighbour(dst, way);
    }

    /// @return the same of the neighbour's links alone
    uint64_t BehindNeighbour(LocationId dst, const Way& way) const
    {
        const PortPeer& peer = m_map.GetPeer(m_number, way.port);
        if (!IsLocal(way.port))
        {
            return 0;
        }
        Ways next;
        m_dragonfly.GetRouting()[peer.index].Paths()->FindWays(dst, {peer.port, way.vc}, next);
        std::optional<uint64_t> least;
        for (const Way& one : next)
        {
            if (one.port >= FirstGlobal())
            {
                const uint64_t bytes =
                    256ULL * DecodeLoad(m_heard.at({way.port, NumberOf(one.port)}));
                least = std::min(least.value_or(bytes), bytes);
            }
        }
        return least.value_or(0);
    }

    /// @return ways of a frame to any destination that comes in anywhere @param [out] dst of it
    Ways DrawWays(std::minstd_rand& random, LocationId& dst) const
    {
        const PathRule& paths = *m_dragonfly.GetRouting()[m_number].Paths();
        dst = LocationOf(random() % m_dragonfly.GetShape().hosts);
        const auto port = static_cast<uint16_t>(random() % m_ports);
        const auto vc = static_cast<uint8_t>(random() % paths.VirtualChannels());
        Ways ways;
        paths.FindWays(dst, {port, port >= FirstGlobal() ? uint8_t{0} : vc}, ways);
        return ways;
    }

    LinkLoads& Links()
    {
        return *m_units->telling.Links();
    }

    const std::vector<uint16_t>& Local() const
    {
        return m_local;
    }

    const std::vector<uint16_t>& Global() const
    {
        return m_global;
    }

    static constexpr TimePs TELL_TIME = 1'000'000; ///< Between words, ps.

  private:
    /// @return a dragonfly of at least three groups with more than one switch
    static DragonflyConfig Shape(std::minstd_rand& random)
    {
        DragonflyConfig config;
        config.hostsPerSwitch = 1 + random() % 3;
        config.switchesPerGroup = 2 + random() % 4;
        config.globalPorts = 1 + random() % 3;
        const uint32_t ports = config.switchesPerGroup * config.globalPorts;
        config.groups = 3 + random() % (ports - 1);
        config.groups = std::min(config.groups, ports + 1);
        config.localLinks = 1 + random() % 2;
        config.mode = random() % 2 == 0 ? DRAGONFLY_UGAL : DRAGONFLY_VALIANT;
        return config;
    }

    /// A port is linked, if it is one of this switch.
    void Connect(uint32_t number, uint16_t port, LinkClass linkClass)
    {
        if (number != m_number)
        {
            return;
        }
        (linkClass == LinkClass::LOCAL ? m_local : m_global).push_back(port);
        m_peers[port].Attach(&m_agenda, port);
        Transmitter& link = m_units->outputs[port].transmitter;
        link.Connect(LinkRate(200'000'000'000), LinkTiming{}, &m_peers[port]);
        link.Credits().Configure({1'000'000, 10'000, VIRTUAL_CHANNELS});
        m_units->loads.SetCredits(port, link.Credits());
        m_units->inputs[port].sender = &m_senders[port];
    }

    /// @return whether a port leads to another switch of the group
    bool IsLocal(uint16_t port) const
    {
        return std::find(m_local.begin(), m_local.end(), port) != m_local.end();
    }

    /// @return whether a destination is in another group
    bool IsOut(LocationId dst) const
    {
        const DragonflyShape& shape = m_dragonfly.GetShape();
        const uint32_t ofGroup = shape.hosts / shape.wiring.groups;
        return (dst - FIRST_UNICAST) / ofGroup != m_number / shape.wiring.switchesPerGroup;
    }

    /// @return the first port of any switch that leads to another group
    uint32_t FirstGlobal() const
    {
        return m_dragonfly.GetShape().wiring.FirstGlobalPort();
    }

    /// @return number of an output in words
    uint32_t NumberOf(uint16_t port) const
    {
        return port - FirstGlobal() + 1;
    }

    Dragonfly m_dragonfly;                                ///< Of which it is one switch.
    PortMap m_map;                                        ///< Who is where.
    uint32_t m_number;                                    ///< Of the switch.
    uint32_t m_ports;                                     ///< It has.
    std::vector<InputLink> m_peers;                       ///< Where words come in.
    Agenda m_agenda;                                      ///< Of the peers.
    std::vector<Transmitter> m_senders;                   ///< Of neighbours, which send nothing.
    std::unique_ptr<SwitchUnits> m_units;                 ///< The switch.
    std::vector<uint16_t> m_local;                        ///< Ports to others of the group.
    std::vector<uint16_t> m_global;                       ///< Ports to other groups.
    std::map<uint32_t, std::vector<uint16_t>> m_globalOf; ///< The same of any switch.
    std::map<uint16_t, uint32_t> m_bytes;                 ///< Ahead of a port.
    std::map<std::pair<uint16_t, uint32_t>, uint8_t> m_heard; ///< By port and number.
};

/// @param check is called with a switch of a dragonfly, random numbers, and a name for texts
template <typename Check>
void
ForDrawnSwitches(Check&& check)
{
    const TestSeeds seeds(60);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        LoadedSwitch one(random);
        check(one, random, "seed " + std::to_string(seed));
    }
}

/// All others of the group are told of all links to other groups, as far as these have changed;
/// nobody else is told anything.
void
TestLinkWords(FunctionCase& test)
{
    ForDrawnSwitches([&](LoadedSwitch& one, std::minstd_rand& random, const std::string& name) {
        std::map<uint32_t, uint8_t> known;
        for (uint32_t round = 1; round <= 4; ++round)
        {
            one.Change(random);
            std::map<uint32_t, uint8_t> expected = one.Known();
            for (const auto& [number, code] : known)
            {
                if (expected[number] == code)
                {
                    expected.erase(number);
                }
            }
            known = one.Known();
            const TimePs now = 10 * round * LoadedSwitch::TELL_TIME;
            for (const uint16_t port : one.Global())
            {
                test.Expect(one.Tell(port, now - 2 * LoadedSwitch::TELL_TIME).empty(),
                            name + ": other groups are told nothing");
            }
            for (const uint16_t port : one.Local())
            {
                test.Expect(one.Tell(port, now - 2 * LoadedSwitch::TELL_TIME).empty(),
                            Text(name, " round ", round, " port ", port, ": not yet"));
                test.Expect(one.Tell(port, now) == expected,
                            Text(name, " round ", round, " port ", port));
                // Asked after it has come to rest, a switch would begin to count the time anew.
                test.Expect(expected.empty() ||
                                one.Tell(port, now + 2 * LoadedSwitch::TELL_TIME).empty(),
                            Text(name, " round ", round, " port ", port, ": once"));
            }
        }
    });
}

/// What is added to a way is what the neighbour has told of the links by which it goes on, and for
/// a detour what all have told on average.
void
TestBytesBehind(FunctionCase& test)
{
    uint32_t weighed = 0;
    ForDrawnSwitches([&](LoadedSwitch& one, std::minstd_rand& random, const std::string& name) {
        one.Hear(random);
        for (uint32_t n = 0; n < 100; ++n)
        {
            LocationId dst = 0;
            for (const Way& way : one.DrawWays(random, dst))
            {
                const uint64_t expected = one.Behind(dst, way);
                weighed += expected == 0 ? 0 : 1;
                test.ExpectEqual(one.Links().BytesBehind(dst, way),
                                 expected,
                                 Text(name, ": to ", dst, " by ", way.port));
            }
        }
        one.FailOne(random);
        for (uint32_t n = 0; n < 100; ++n)
        {
            LocationId dst = 0;
            for (const Way& way : one.DrawWays(random, dst))
            {
                test.ExpectEqual(one.Links().BytesBehind(dst, way),
                                 one.Behind(dst, way),
                                 name + ": nothing is known behind a failed link");
            }
        }
    });
    test.Expect(weighed > 0, "some ways are weighed");
}

/// A frame leaves the shortest way if the neighbour there has told that its links are loaded, and
/// goes it if not.
void
TestHeeds(FunctionCase& test)
{
    std::minstd_rand random(1);
    LoadedSwitch one({2, 4, 2, 9, 1, 1, DRAGONFLY_UGAL}, random);
    const std::map<LocationId, uint16_t> behind = one.BehindNeighbours();
    test.Expect(!behind.empty(), "some ways begin with a neighbour");
    for (const auto& [dst, port] : behind)
    {
        for (const bool areLoaded : {false, true, false})
        {
            one.Hear(port, areLoaded);
            uint32_t shortest = 0;
            for (uint32_t n = 0; n < 100; ++n)
            {
                shortest += one.Choose(dst) == port;
            }
            // A detour that is drawn may begin with the same neighbour.
            test.Expect(areLoaded ? shortest <= 40 : shortest == 100,
                        Text("to ", dst, " by ", port, ", loaded ", areLoaded, ": ", shortest));
        }
    }
}

/// What a switch has heard of its neighbours' links.
class LoadEar : public SwitchObserver
{
  public:
    void Arrived(uint32_t, const Frame&, TimePs) override
    {
    }

    void Sent(uint32_t, const Frame&, TimePs) override
    {
    }

    void Dropped(uint32_t, const Frame&, DropCause, TimePs) override
    {
    }

    void Acknowledged(uint32_t port, const AckBatch& acks, TimePs now) override
    {
        for (uint32_t i = 0; i < acks.count; ++i)
        {
            if (acks.acks[i].type == AckType::LINK_CONGESTION)
            {
                m_heard[{port, acks.acks[i].flow}] = {acks.acks[i].ackFlow, now};
                ++m_words;
            }
        }
    }

    /// @return words that have come
    uint64_t Words() const
    {
        return m_words;
    }

    /// @param failed port of a link that has failed, after which nothing that came before is known
    /// @param since when it was up again, ps
    /// @return whether all that is known is that there is no load
    bool IsAtRest(uint32_t failed, TimePs since) const
    {
        return std::all_of(m_heard.begin(), m_heard.end(), [failed, since](const auto& heard) {
            const auto& [code, at] = heard.second;
            return code == 0 || (heard.first.first == failed && at < since);
        });
    }

  private:
    /// Code, and when it came, by port and number.
    std::map<std::pair<uint32_t, FlowId>, std::pair<uint8_t, TimePs>> m_heard;
    uint64_t m_words{0}; ///< See Words().
};

/// Any messages, any time between words, damaged frames or a failed link: the run ends, all is the
/// same with look-ahead and without, and all know in the end that nothing waits anywhere.
void
TestRest(FunctionCase& test)
{
    constexpr TimePs REPAIR = 2'500'000;
    const TestSeeds seeds(8);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed * 7919);
        SmallDragonfly dragonfly(random() % 3 == 0 ? DRAGONFLY_VALIANT : DRAGONFLY_UGAL);
        dragonfly.TellLoads(1 + static_cast<TimePs>(random() % 3'000'000));
        if (random() % 2 == 0)
        {
            dragonfly.Spray();
        }
        const uint32_t oneIn = random() % 2 == 0 ? 20 + random() % 200 : 0;
        const std::size_t failed = oneIn == 0 && random() % 2 == 0 ? random() % 54 : 54;
        const std::string name = "seed " + std::to_string(seed) + ", one damaged of " +
                                 std::to_string(oneIn) + ", failed " + std::to_string(failed);
        const LinkPlan link = Dragonfly(dragonfly.shape).GetPlan().links[failed];
        std::vector<std::vector<std::string>> states;
        for (const bool lookahead : {true, false})
        {
            TestBed bed = dragonfly.Build(lookahead);
            std::vector<LoadEar> ears(bed.Chips());
            if (oneIn != 0)
            {
                bed.LoseControl();
            }
            for (std::size_t chip = 0; chip < bed.Chips(); ++chip)
            {
                bed.Chip(chip).SetObserver(&ears[chip]);
                for (uint32_t port = 0; oneIn != 0 && port < bed.Chip(chip).Config().ports; ++port)
                {
                    const uint64_t own = 100 * seed + 10 * chip + port;
                    bed.SetLossModel(chip, port, std::make_unique<RandomLoss>(oneIn, own));
                }
            }
            if (failed < 54) // links inside groups
            {
                bed.FailLink(failed, 1'500'000, REPAIR, 100'000);
            }
            SendAnything(bed, seed);
            bed.RunToEnd();
            bed.Check();
            test.Expect(bed.IsEmpty(), name + ": nothing is left");
            uint64_t words = 0;
            for (std::size_t chip = 0; chip < bed.Chips(); ++chip)
            {
                words += ears[chip].Words();
                const uint32_t port = chip == link.switchA ? link.portA : link.portB;
                const bool isEnd = failed < 54 && (chip == link.switchA || chip == link.switchB);
                test.Expect(ears[chip].IsAtRest(isEnd ? port : 1000, REPAIR),
                            Text(name, ": switch ", chip, " knows that nothing waits"));
            }
            test.Expect(words > 100, Text(name, ": words ", words));
            states.push_back(StateOf(bed));
        }
        test.ExpectEqual(Difference(states[0], states[1]), std::string(), name);
    }
}

/// Where a choice can't depend on what neighbours tell, it is refused that they do.
void
TestNoEffect(FunctionCase& test)
{
    const auto refusal = [](const DragonflyConfig& shape, bool hasFlows, bool isSprayed) {
        SmallDragonfly dragonfly(shape.mode);
        dragonfly.shape = shape;
        dragonfly.config.flowChannels.enabled = hasFlows;
        dragonfly.config.flowChannels.unorderedClasses = isSprayed ? 1 : 0;
        dragonfly.TellLoads();
        return Refusal([&dragonfly] { dragonfly.Build(); });
    };
    const std::string links = "NeighbourLoads is true, and no way depends on the links of";
    const std::string flows = "NeighbourLoads is true, and no class has flow channels";
    const auto begins = [&test](const std::string& text, const std::string& with) {
        test.ExpectEqual(text.substr(0, with.size()), with, "refusal");
    };
    begins(refusal({2, 4, 2, 9, 1, 1, DRAGONFLY_MINIMAL}, true, false), links);
    begins(refusal({2, 1, 4, 5, 1, 1, DRAGONFLY_UGAL}, true, false), links);
    begins(refusal({2, 4, 2, 1, 0, 1, DRAGONFLY_UGAL}, true, false), links);
    begins(refusal({2, 4, 2, 2, 1, 1, DRAGONFLY_UGAL}, true, false), links);
    begins(refusal({2, 4, 2, 9, 1, 1, DRAGONFLY_UGAL}, false, false), flows);
    test.ExpectEqual(refusal({2, 4, 2, 3, 4, 1, DRAGONFLY_MINIMAL}, true, false),
                     std::string(),
                     "parallel links are a choice");
    test.ExpectEqual(refusal({2, 4, 2, 9, 1, 1, DRAGONFLY_UGAL}, false, true),
                     std::string(),
                     "frames without order choose each");
}

/// The suite.
class LinkLoadsSuite : public FunctionSuite
{
  public:
    LinkLoadsSuite()
        : FunctionSuite("fabric-link-loads", kUnit)
    {
        Add("FC-12 what switches of a group are told of links", TestLinkWords);
        Add("FC-12 what is known behind a way", TestBytesBehind);
        Add("FC-12 what neighbours tell is heeded", TestHeeds);
        Add("FC-12 DP-5 words of links end, whatever is lost", TestRest);
        Add("FC-12 words of links that nobody would use", TestNoEffect);
    }
};

LinkLoadsSuite g_linkLoadsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
