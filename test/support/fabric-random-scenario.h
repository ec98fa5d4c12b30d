/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RANDOM_SCENARIO_H
#define FABRIC_RANDOM_SCENARIO_H

#include "fabric-chain.h"
#include "fabric-credit-settings.h"
#include "fabric-fat-tree.h"
#include "fabric-random-shaping.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-bed.h"

#include <array>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// Damages frames at random; what it does depends only on its seed and on how many frames it saw.
class RandomLoss : public LossModel
{
  public:
    /**
     * @param oneIn of how many frames one is damaged, on average
     * @param seed of the choice
     */
    RandomLoss(uint32_t oneIn, uint64_t seed)
        : m_oneIn(oneIn),
          m_random(seed)
    {
    }

    bool Corrupts(uint32_t) override
    {
        return m_random() % m_oneIn == 0;
    }

  private:
    uint32_t m_oneIn; ///< Of how many frames one is damaged.

    std::mt19937_64 m_random; ///< Choice.
};

/// What a scenario may have. What it may not have is left out; all else is drawn as ever.
struct ScenarioLimits
{
    bool lanes{true};   ///< Virtual lanes.
    bool shaping{true}; ///< Traffic shaping.
};

/**
 * A topology, settings, links and messages, all drawn from a seed: small buffers, few flow_ids, any
 * mixture of rates and delays, loss. Whatever it is, the data path must do it correctly.
 */
class RandomScenario
{
  public:
    /// Settings of a switch from some time on.
    struct ChangeOrder
    {
        std::size_t chip;              ///< Which switch.
        TimePs at;                     ///< When, ps.
        CongestionSettings congestion; ///< New settings.
        AckTimers ackTimers;           ///< New settings.
    };

    /// @param seed from which all is drawn
    explicit RandomScenario(uint64_t seed, const ScenarioLimits& limits = {})
        : m_random(seed)
    {
        m_text << "seed " << seed << ": ";
        DrawTopology();
        DrawClasses();
        DrawSwitch();
        DrawLinks();
        DrawMessages();
        DrawChanges();
        m_lossSeed = m_random();
        if (limits.lanes)
        {
            DrawLanes();
        }
        DrawTurns(seed);
        if (limits.shaping && !m_config.lanes)
        {
            DrawShaping(seed);
        }
    }

    /**
     * @param settings of the switches instead of those that were drawn; those of hop credits
     * change in the run as before, the others of congestion stay
     * @param text says so, for messages
     */
    void Replace(const SwitchConfig& settings, const std::string& text)
    {
        m_config = settings;
        for (ChangeOrder& order : m_changes)
        {
            const CongestionSettings drawn = order.congestion;
            order.congestion = settings.congestion;
            order.congestion.hopCredits = drawn.hopCredits;
            order.congestion.watermarks = drawn.watermarks;
            order.congestion.roomDivisor = drawn.roomDivisor;
        }
        m_text << ", " << text;
    }

    /**
     * Lets some hosts receive slowly.
     *
     * @param seed decides
     * @return how many
     */
    uint32_t SlowDownHosts(uint64_t seed)
    {
        std::mt19937_64 random(seed);
        const uint32_t least = m_channels * WireBytes(JUMBO_PAYLOAD);
        uint32_t slow = 0;
        m_text << ", receive";
        for (std::size_t host = 0; host < m_plan.hosts.size(); ++host)
        {
            ReceiveSettings receive;
            if (random() % 3 == 0)
            {
                const uint64_t rate = m_links[m_plan.links.size() + host].first.BitsPerSecond();
                receive.bitsPerSecond = random() % 4 == 0 ? 0 : rate / 8 * (1 + random() % 10);
                const uint64_t more = random();
                receive.bufferBytes = least + more % (random() % 2 == 0 ? 1'000 : 100'000);
            }
            slow += receive.HoldBack();
            m_receive.push_back(receive);
            m_text << " " << receive.bitsPerSecond << "/" << receive.bufferBytes;
        }
        return slow;
    }

    /**
     * Lets some hosts receive slowly and pause their switches; some lose frames for that.
     *
     * @param seed decides
     * @return how many
     */
    uint32_t PauseByHosts(uint64_t seed)
    {
        const uint32_t slow = SlowDownHosts(seed);
        std::mt19937_64 random(seed);
        m_text << ", xoff";
        for (ReceiveSettings& receive : m_receive)
        {
            if (receive.HoldBack())
            {
                receive.bufferBytes += random() % 2 == 0 ? 400'000 : 0;
                receive.xoffBytes = 1 + random() % (receive.bufferBytes / 2);
                receive.xonBytes = random() % 2 == 0 ? 0 : 1 + random() % receive.xoffBytes;
                m_text << " " << receive.xoffBytes << "/" << receive.xonBytes;
            }
        }
        return slow;
    }

    /**
     * Lets links repeat what they damage, each direction in its own way.
     *
     * @param seed decides
     * @param oneIn of how many frames one is damaged
     */
    void RepeatOnLinks(uint64_t seed, uint32_t oneIn)
    {
        m_retrySeed = seed;
        m_lossOneIn = oneIn;
        m_text << ", retry, loss 1/" << oneIn;
    }

    /// Credits of most links go in frames, each direction in its own way. @param seed decides
    void TellCreditsInFrames(uint64_t seed)
    {
        m_creditSeed = seed;
        m_text << ", credit frames";
    }

    /// Control frames are damaged too. @param oneIn of how many frames one is damaged
    void LoseControl(uint32_t oneIn)
    {
        m_losesControl = true;
        m_lossOneIn = oneIn;
        m_config.flowChannels.checkInterval = Pick(1, 100'000'000);
        m_text << ", control too, loss 1/" << oneIn << ", check "
               << m_config.flowChannels.checkInterval << " ps";
    }

    /// Crossbars have tiles, unless frames go in pieces. @param seed decides
    void UseTiles(uint64_t seed)
    {
        if (m_config.lanes && m_config.lanes->HasWires())
        {
            return;
        }
        std::mt19937_64 random(seed);
        CrossbarSettings& tiles = m_config.crossbar;
        tiles.model = CROSSBAR_TILED;
        tiles.rows = 1 + random() % 5;
        tiles.portsPerTile = 1 + random() % 3;
        tiles.speedup = 1 + static_cast<double>(random() % 5) / 4;
        tiles.transit = static_cast<TimePs>(random() % (m_config.timing.latency + 1));
        tiles.tileBufferBytes = CrossbarSettings::LARGEST_FRAME + random() % 20'000;
        tiles.outputBufferBytes = CrossbarSettings::LARGEST_JUMBO + random() % 20'000;
        tiles.ageQueue.fixedPlaces = 1 + random() % 2;
        tiles.ageQueue.places = 8 * m_config.Lists() * tiles.ageQueue.fixedPlaces + random() % 20;
        m_text << ", tiles in " << tiles.rows << " rows, " << tiles.portsPerTile
               << " ports each, speed-up " << tiles.speedup << ", transit " << tiles.transit
               << " ps, buffers " << tiles.tileBufferBytes << " " << tiles.outputBufferBytes
               << ", places " << tiles.ageQueue.fixedPlaces << " of " << tiles.ageQueue.places;
    }

    /// Flows leave overloaded links, which mostly are so at once. @param seed decides
    void RerouteFlows(uint64_t seed)
    {
        std::mt19937_64 random(seed);
        RerouteSettings& reroute = m_config.congestion.reroute;
        reroute.isOn = m_config.flowChannels.enabled;
        const uint32_t mostBytes = random() % 2 == 0 ? 100 : 20'000;
        reroute.bytes = 1 + random() % mostBytes;
        reroute.time = 1 + static_cast<TimePs>(random() % 1'000'000);
        reroute.spread = 1 + random() % 3;
        reroute.hold = 1 + static_cast<TimePs>(random() % 10'000'000);
        NeighbourLoadSettings& loads = m_config.congestion.neighbourLoads;
        loads.isOn = reroute.isOn && random() % 2 == 0;
        loads.time = 1 + static_cast<TimePs>(random() % 1'000'000);
        SlowPathSettings& slow = m_config.congestion.slowPaths;
        slow.isOn = random() % 2 == 0;
        slow.time = slow.isOn && random() % 2 == 0 ? 1 + random() % 5'000'000 : 0;
        m_text << ", slow paths " << slow.isOn << " after " << slow.time;
        m_text << ", loads " << loads.isOn << " " << loads.time;
        m_text << ", reroute " << reroute.bytes << " " << reroute.time << " " << reroute.spread
               << " " << reroute.hold;
        for (ChangeOrder& order : m_changes)
        {
            order.congestion.reroute = reroute;
            order.congestion.neighbourLoads = loads;
            order.congestion.slowPaths = slow;
        }
    }

    /// @return whether control frames are damaged too
    bool LosesControl() const
    {
        return m_losesControl;
    }

    /// @param message is sent too, and not before the others
    void Add(const Message& message)
    {
        m_messages.push_back(message);
    }

    /**
     * @param lookahead whether switches run ahead
     * @return the scenario with its messages, not started
     */
    std::unique_ptr<TestBed> Build(bool lookahead) const
    {
        auto bed = std::make_unique<TestBed>(
            m_plan,
            m_routing,
            m_config,
            m_nicConfig,
            [this](std::size_t link) { return m_links[link]; },
            lookahead,
            [this](std::size_t chip, SwitchConfig& config) {
                if (config.lanes && (m_plainChips >> chip % 64 & 1) != 0)
                {
                    config.lanes->preemption = {};
                    config.lanes->arbiter.checkTime = CHECK_AT_PACKETS;
                }
            },
            [this](std::size_t host, NicConfig& own) {
                own.receive = m_receive.empty() ? ReceiveSettings{} : m_receive[host];
            });
        if (m_losesControl)
        {
            bed->LoseControl();
        }
        ForEachLoss(
            [this, &bed](std::size_t chip, uint32_t port, auto loss, RetrySettings retry) {
                RepeatUnits(retry, bed->Chip(chip).Wire(port) != nullptr);
                bed->SetLossModel(chip, port, std::move(loss), retry);
            },
            [this, &bed](std::size_t host, auto loss, RetrySettings retry) {
                RepeatUnits(retry, m_config.lanes && m_config.lanes->HasWires());
                bed->SetLossModel(host, std::move(loss), retry);
            });
        ForEachCredit([&bed](std::size_t chip, uint32_t port, const CreditSettings& credits) {
            bed->Chip(chip).SetCreditFrames(port, credits);
        });
        for (const ChangeOrder& order : m_changes)
        {
            bed->Chip(order.chip).ChangeCongestionAt(order.at, order.congestion);
            bed->Chip(order.chip).ChangeAckTimersAt(order.at, order.ackTimers);
        }
        for (const LaneOrder& order : m_laneOrders)
        {
            bed->Chip(order.chip).ChangeLanesAt(order.at, order.table);
        }
        for (const Message& m : m_messages)
        {
            bed->Send(HostOf(m.src), HostOf(m.dst), m.bytes, m.trafficClass, m.sentAt);
        }
        return bed;
    }

    const TopologyPlan& Plan() const
    {
        return m_plan;
    }

    /// @return the settings of the switches
    const SwitchConfig& Config() const
    {
        return m_config;
    }

    /// @return which ports lead where, by switch
    const std::vector<Routing>& Routes() const
    {
        return m_routing;
    }

    /// @return the settings of the NICs
    const NicConfig& HostConfig() const
    {
        return m_nicConfig;
    }

    /// @return rate and delay of links, then of hosts' links
    const std::vector<std::pair<LinkRate, TimePs>>& Links() const
    {
        return m_links;
    }

    const std::vector<ChangeOrder>& Changes() const
    {
        return m_changes;
    }

    /// @return the messages, by time
    const std::vector<Message>& Messages() const
    {
        return m_messages;
    }

    /// @return whether links damage frames
    bool HasLoss() const
    {
        return m_lossOneIn != 0;
    }

    /**
     * @param atSwitch is called with a switch, a port, what damages the frames that it sends, and
     * how the link repeats them: `void (std::size_t, uint32_t, std::unique_ptr<LossModel>, const
     * RetrySettings&)`
     * @param atHost is called with a host and as above: `void (std::size_t,
     * std::unique_ptr<LossModel>, const RetrySettings&)`
     */
    template <typename AtSwitch, typename AtHost>
    void ForEachLoss(AtSwitch&& atSwitch, AtHost&& atHost) const
    {
        if (!HasLoss() && !m_retrySeed)
        {
            return;
        }
        uint64_t seed = m_lossSeed;
        std::mt19937_64 random(m_retrySeed.value_or(0));
        const auto loss = [this, &seed] {
            return HasLoss() ? std::make_unique<RandomLoss>(m_lossOneIn, ++seed) : nullptr;
        };
        for (std::size_t i = 0; i < m_plan.switches.size(); ++i)
        {
            for (uint32_t port = 0; port < m_plan.switches[i].ports; ++port)
            {
                atSwitch(i, port, loss(), DrawRetry(random));
            }
        }
        for (std::size_t i = 0; i < m_plan.hosts.size(); ++i)
        {
            atHost(i, loss(), DrawRetry(random));
        }
    }

    /// @param atPort is called with a switch, a port, and how its input tells of room in frames:
    /// `void (std::size_t, uint32_t, const CreditSettings&)`
    template <typename AtPort>
    void ForEachCredit(AtPort&& atPort) const
    {
        if (!m_creditSeed)
        {
            return;
        }
        std::mt19937_64 random(*m_creditSeed);
        for (std::size_t i = 0; i < m_plan.switches.size(); ++i)
        {
            for (uint32_t port = 0; port < m_plan.switches[i].ports; ++port)
            {
                CreditSettings credits;
                credits.inFrames = random() % 4 != 0;
                const uint32_t most = random() % 2 == 0 ? 100 : 20'000;
                credits.thresholdBytes = 1 + random() % most;
                credits.longest = static_cast<TimePs>(random() % 1'000'000) / 40 * 40;
                credits.refresh = 1 + static_cast<TimePs>(random() % 10'000'000);
                if (credits.inFrames)
                {
                    atPort(i, port, credits);
                }
            }
        }
    }

    /// @return a time while frames are under way, ps
    TimePs SomeTime()
    {
        return m_messages.back().sentAt + static_cast<TimePs>(m_random() % 20'000'000);
    }

    /// @return what was drawn, for messages
    std::string Describe() const
    {
        return m_text.str();
    }

  private:
    /// Makes settings of a retry fit to a link. @param inPieces whether it sends frames in pieces
    void RepeatUnits(RetrySettings& retry, bool inPieces) const
    {
        const uint32_t flits = 1 + static_cast<uint32_t>(retry.latency % 40);
        retry.unitBytes =
            inPieces ? flits * m_config.lanes->preemption.flitBytes : RetrySettings().unitBytes;
        retry.bufferBytes = inPieces ? 0 : retry.bufferBytes;
    }

    /// @return how a direction of a link repeats frames; as ever without RepeatOnLinks()
    RetrySettings DrawRetry(std::mt19937_64& random) const
    {
        RetrySettings retry;
        if (m_retrySeed)
        {
            // A few of them do not, a few give up soon.
            retry.enabled = random() % 8 != 0;
            retry.latency = 1 + static_cast<TimePs>(random() % 300'000);
            retry.limit = random() % 4 == 0 ? 1 : 100;
            retry.bufferBytes = random() % 2 == 0 ? 0
                                                  : WireBytes(JUMBO_PAYLOAD) +
                                                        static_cast<uint32_t>(random() % 10'000);
            retry.timeout =
                random() % 2 == 0 ? 0 : 10'000'000 + static_cast<TimePs>(random() % 1000);
        }
        return retry;
    }

    /**
     * @param low lowest
     * @param high highest
     * @return a number between them, both included
     */
    uint32_t Pick(uint32_t low, uint32_t high)
    {
        return low + static_cast<uint32_t>(m_random() % (uint64_t{high} - low + 1));
    }

    /// @return true or false, alike often
    bool Toss()
    {
        return Pick(0, 1) == 1;
    }

    /// @return an element of the list
    template <typename T>
    T OneOf(std::initializer_list<T> list)
    {
        return list.begin()[Pick(0, static_cast<uint32_t>(list.size()) - 1)];
    }

    /// A chain or a fat tree.
    void DrawTopology()
    {
        if (Pick(0, 3) == 0)
        {
            ChainSources sources{Pick(1, 4)};
            m_text << "chain " << sources[0];
            while (sources.size() < 6 && Pick(0, 3) != 0)
            {
                sources.push_back(Pick(0, 3));
                m_text << "," << sources.back();
            }
            m_plan = MakeChainPlan(sources);
            m_routing = MakeShortestPathRouting(m_plan);
            return;
        }
        FatTreeConfig config;
        config.levels = Pick(2, 3);
        config.radix = Pick(2, 8);
        config.oversubscription.down = Pick(1, config.radix - 1);
        config.oversubscription.up = Pick(1, config.radix - config.oversubscription.down);
        config.hosts = std::min(FatTreeShape::Of(config).hosts, Pick(2, 40));
        const FatTree tree(config);
        m_plan = tree.GetPlan();
        m_text << "fat tree levels " << config.levels << " radix " << config.radix << " "
               << config.oversubscription.down << ":" << config.oversubscription.up << " hosts "
               << config.hosts;
        // Both ways of routing have to do.
        m_routing = Toss() ? ToRouting(tree.GetRouting()) : MakeShortestPathRouting(m_plan);
    }

    /// Traffic classes: their virtual channels, and which have no flow channels.
    void DrawClasses()
    {
        m_channels = Pick(1, VIRTUAL_CHANNELS);
        m_classes = Pick(1, 4);
        for (uint32_t i = 0; i < TRAFFIC_CLASSES; ++i)
        {
            m_config.buffer.vcOfClass[i] = static_cast<uint8_t>(Pick(0, m_channels - 1));
        }
        m_nicConfig.vcOfClass = m_config.buffer.vcOfClass;
        m_config.flowChannels.noFlowClasses =
            static_cast<uint16_t>(Pick(0, 3) == 0 ? Pick(0, 15) : 0);
        m_config.flowChannels.unorderedClasses = static_cast<uint16_t>(Pick(0, 15));
        m_text << ", VCs " << m_channels << ", classes " << m_classes << " no flow "
               << m_config.flowChannels.noFlowClasses << " unordered "
               << m_config.flowChannels.unorderedClasses;
    }

    /// Settings of the switches.
    void DrawSwitch()
    {
        m_nicConfig.mtu = OneOf<uint32_t>({200, 1000, 1500, MAX_PAYLOAD, JUMBO_PAYLOAD});
        m_config.flowChannels.enabled = Pick(0, 4) != 0;
        m_config.congestion.hopCredits = Toss();
        m_config.arbitration = Toss() ? ARBITRATE_BY_FLOW : ARBITRATE_BY_PORT;
        m_config.timing.forwarding = Toss() ? CUT_THROUGH : STORE_AND_FORWARD;
        m_config.timing.latency = Pick(0, 500'000);
        m_config.timing.controlLatency = Pick(0, 100'000);
        const uint32_t frame = WireBytes(m_nicConfig.mtu);
        const uint32_t frames = Pick(1, 3);
        const uint32_t reserved = frame * frames + Pick(0, 500);
        m_config.buffer.shares = {reserved * m_channels + frame * Pick(0, 8),
                                  reserved,
                                  static_cast<uint16_t>(m_channels)};
        m_config.congestion.watermarks = DrawWatermarks();
        m_config.flowChannels.ids = OneOf<uint32_t>({1, 2, 4, 10, 100, FLOW_IDS_PER_LINK - 1});
        m_lossOneIn = Pick(0, 3) == 0 ? Pick(2, 200) : 0;
        m_text << ", mtu " << m_nicConfig.mtu
               << (m_config.flowChannels.enabled ? ", flow channels" : "")
               << (m_config.congestion.hopCredits ? ", hop credits" : "")
               << (m_config.arbitration == ARBITRATE_BY_FLOW ? ", by flow" : ", by port")
               << (m_config.timing.forwarding == CUT_THROUGH ? ", cut-through"
                                                             : ", store and forward")
               << ", latency " << m_config.timing.latency << " " << m_config.timing.controlLatency
               << " ps, buffer " << m_config.buffer.shares.totalBytes << " reserved " << reserved
               << ", watermarks " << m_config.congestion.watermarks.high << " "
               << m_config.congestion.watermarks.target << " "
               << m_config.congestion.watermarks.drop << ", flow_ids " << m_config.flowChannels.ids
               << ", loss 1/" << m_lossOneIn;
    }

    /// Rate and delay of each link.
    void DrawLinks()
    {
        const bool alike = Toss(); // equal frames on equal links tie all the time (DP-7)
        const uint64_t rate = OneOf<uint64_t>({25, 100, 200, 400}) * 1'000'000'000;
        const TimePs delay = Pick(1, 2000) * TimePs{1000};
        for (std::size_t i = 0; i < m_plan.links.size() + m_plan.hosts.size(); ++i)
        {
            // Each draw in a statement of its own: compilers differ in their order.
            const uint64_t ownRate = OneOf<uint64_t>({25, 50, 100, 200, 400}) * 1'000'000'000;
            const TimePs ownDelay = Pick(1, OneOf<uint32_t>({10, 200, 2000})) * TimePs{1000};
            m_links.emplace_back(LinkRate(alike ? rate : ownRate), alike ? delay : ownDelay);
        }
        m_text << (alike ? ", links alike" : ", links mixed");
    }

    /// Messages of all sizes from 0 to 1 MB, more small ones; some hosts get more than others.
    void DrawMessages()
    {
        const auto hosts = static_cast<uint32_t>(m_plan.hosts.size());
        // So many frames take some milliseconds of processor time.
        uint64_t left = OneOf<uint64_t>({500, 500, 5000}) * m_nicConfig.mtu;
        const uint32_t count = Pick(1, 200);
        const uint32_t favourite = Pick(0, hosts - 1);
        const bool isIncast = Toss();
        const bool inTurn = Toss();
        TimePs at = 0;
        for (uint32_t i = 0; i < count; ++i)
        {
            Message m;
            m.src = LocationOf(Pick(0, hosts - 1));
            m.dst = LocationOf(isIncast && Pick(0, 3) != 0 ? favourite : Pick(0, hosts - 1));
            if (m.src == m.dst)
            {
                continue;
            }
            const uint64_t bytes =
                OneOf<uint64_t>({0, 1, 8, 256, 257, 4096, 20'000, 100'000, 1'000'000});
            m.bytes =
                std::min(left, bytes == 0 ? 0 : bytes - Pick(0, static_cast<uint32_t>(bytes) / 2));
            left -= m.bytes;
            m.trafficClass = static_cast<uint8_t>(Pick(0, m_classes - 1));
            at += inTurn ? Pick(0, 1'000'000) : 0;
            m.sentAt = at;
            m_messages.push_back(m);
        }
        if (m_messages.empty())
        {
            Message m;
            m.src = LocationOf(0);
            m.dst = LocationOf(1);
            m.bytes = 1;
            m_messages.push_back(m);
        }
        m_text << ", messages " << m_messages.size() << (isIncast ? " incast" : "")
               << (inTurn ? "" : " at once");
    }

    /// Settings that change while frames are under way (DP-6).
    void DrawChanges()
    {
        for (uint32_t left = Pick(0, 3); left != 0; --left)
        {
            ChangeOrder order;
            order.chip = Pick(0, static_cast<uint32_t>(m_plan.switches.size()) - 1);
            order.at = SomeTime();
            order.congestion = m_config.congestion;
            order.congestion.hopCredits = Toss();
            order.congestion.watermarks = DrawWatermarks();
            order.ackTimers.idle = Pick(0, 50'000);
            order.ackTimers.busy = Pick(0, 100'000);
            order.ackTimers.longest = Pick(0, 200'000);
            m_changes.push_back(order);
        }
        m_text << ", changes " << m_changes.size();
    }

    /// Virtual lanes in two of five scenarios, some with tables that change (VA-11).
    void DrawLanes()
    {
        if (Pick(0, 4) > 1)
        {
            return;
        }
        m_config.lanes = LaneArbitration{};
        LaneArbitration& lanes = *m_config.lanes;
        lanes.arbiter.meter.kind = OneOf({TOKEN_BUCKET, LEAKY_BUCKET, SLIDING_WINDOW});
        lanes.arbiter.meter.burst = Pick(1, 50'000);
        lanes.arbiter.meter.tolerance = Pick(0, 20'000);
        lanes.arbiter.meter.debt = Pick(0, 50'000);
        lanes.arbiter.mode = Toss() ? CHECK_LANES : CHECK_GROUPS;
        lanes.arbiter.over = Toss() ? OVER_DEMOTE : OVER_DISQUALIFY;
        lanes.arbiter.turns = Toss() ? LEAST_RECENTLY_USED : ROUND_ROBIN;
        lanes.arbiter.chargeOver = Toss();
        // Classes without a lane use those of class 0, and have to use its virtual channel.
        std::fill(m_config.buffer.vcOfClass.begin() + m_classes,
                  m_config.buffer.vcOfClass.end(),
                  m_config.buffer.vcOfClass[0]);
        m_nicConfig.vcOfClass = m_config.buffer.vcOfClass;
        lanes.table = DrawTable();
        DrawPreemption(lanes);
        FlowChannelSettings& flows = m_config.flowChannels;
        if (lanes.HasWires() && flows.ClassesWithWays() != 0)
        {
            flows.unorderedClasses &= flows.ClassesWithoutChannel(); // ways are for whole frames
            m_text << ", unordered " << flows.unorderedClasses;
        }
        for (uint32_t left = Pick(0, 3); left != 0; --left)
        {
            const uint32_t chip = Pick(0, static_cast<uint32_t>(m_plan.switches.size()) - 1);
            m_laneOrders.push_back({chip, SomeTime(), DrawTable()});
        }
        m_text << ", lanes " << lanes.table.lanes.size() << " meter " << lanes.arbiter.meter.kind
               << (lanes.arbiter.mode == CHECK_LANES ? " by lane" : " by group")
               << (lanes.arbiter.over == OVER_DEMOTE ? " demoted" : " disqualified")
               << (lanes.arbiter.chargeOver ? " charged" : "") << ", tables "
               << m_laneOrders.size() + 1;
    }

    /// Turns by bytes in one of three scenarios, drawn apart so that the others stay as they are.
    void DrawTurns(uint64_t seed)
    {
        std::mt19937_64 random(~seed);
        if (random() % 3 != 0)
        {
            return;
        }
        const TurnSettings usual;
        constexpr uint32_t LEAST = TurnSettings::LEAST_QUANTUM;
        constexpr uint32_t MOST = TurnSettings::MOST_QUANTUM;
        const std::array<uint32_t, 5> quanta{usual.quantum, LEAST, 1000, WireBytes(1000), MOST};
        m_config.turns = {TURNS_BY_BYTES, quanta[random() % quanta.size()]};
        m_text << ", turns of " << m_config.turns.quantum << " bytes";
    }

    /// Traffic is shaped in half of the scenarios without lanes, drawn apart so that the others
    /// stay as they are.
    void DrawShaping(uint64_t seed)
    {
        std::mt19937_64 random(seed + 77);
        const uint64_t which = random() % 6;
        if (which < 3)
        {
            return;
        }
        const auto draw = [&](uint32_t queues) {
            return std::make_shared<ShapingTable>(RandomShapingTable(random, queues, m_classes));
        };
        m_config.linkShaping = which != 3 ? draw(LINK_SHAPING_QUEUES) : nullptr;
        m_config.hostShaping = which != 4 ? draw(HOST_SHAPING_QUEUES) : nullptr;
        m_text << (m_config.linkShaping ? ", links shaped" : "")
               << (m_config.hostShaping ? ", hosts shaped" : "");
    }

    /// Frames are sent in pieces in two of three scenarios with lanes, in some not by all switches.
    void DrawPreemption(LaneArbitration& lanes)
    {
        PreemptionSettings& settings = lanes.preemption;
        settings.preempt = Toss();
        settings.interleave = OneOf({settings.preempt, false, true});
        m_plainChips = Pick(0, 2) == 0 ? m_random() : 0;
        lanes.arbiter.checkTime = Pick(0, 2) == 0 ? CHECK_AT_FLITS : CHECK_AT_PACKETS;
        if (Pick(0, 2) != 0)
        {
            settings.flitBytes = OneOf<uint32_t>({4, 8, 8, 16, 64});
            settings.mostUrgentBytes = Pick(64, 5000);
            settings.leastVictimBytes = Pick(0, 1000);
            settings.mostBytesPerVictim = Pick(100, 20'000);
            settings.leastSentBytes = Pick(0, 200);
            settings.leastLeftBytes = Pick(0, 200);
            settings.levels = Pick(0, 4);
        }
        m_text << (settings.preempt ? ", preempt" : "")
               << (settings.interleave ? ", interleave" : "")
               << (m_plainChips != 0 ? " by some" : "")
               << (lanes.arbiter.checkTime == CHECK_AT_FLITS ? ", flits checked" : "") << " flit "
               << settings.flitBytes << " urgent " << settings.mostUrgentBytes << " victim "
               << settings.leastVictimBytes << " levels " << settings.levels;
    }

    /// @return one to three lanes for each class that sends, in any groups and levels
    LaneTable DrawTable()
    {
        LaneTable table;
        const uint32_t groups = Pick(1, 4);
        for (uint8_t group = 0; group < groups; ++group)
        {
            // Above 0: whoever is disqualified has to return.
            table.groups.push_back({group, Pick(100, GroupSettings::FULL_SHARE)});
        }
        auto lane = static_cast<uint8_t>(Pick(0, 3));
        for (uint8_t trafficClass = 0; trafficClass < m_classes; ++trafficClass)
        {
            for (uint32_t left = OneOf<uint32_t>({1, 1, 2, 3}); left != 0; --left)
            {
                table.lanes.push_back({lane++,
                                       static_cast<uint8_t>(Pick(0, 2)),
                                       trafficClass,
                                       static_cast<uint8_t>(Pick(0, groups - 1)),
                                       Toss()});
            }
        }
        return table;
    }

    /// @return depths that steer hop credits, in their order
    Watermarks DrawWatermarks()
    {
        Watermarks marks;
        marks.drop = Pick(0, OneOf<uint32_t>({2, 30}));
        marks.target = marks.drop + Pick(1, OneOf<uint32_t>({3, 60}));
        marks.high = marks.target + Pick(1, 60);
        return marks;
    }

    /// A lane table of a switch from some time on.
    struct LaneOrder
    {
        std::size_t chip; ///< Which switch.
        TimePs at;        ///< When, ps.
        LaneTable table;  ///< The new table.
    };

    std::vector<ChangeOrder> m_changes;               ///< In any order.
    std::vector<LaneOrder> m_laneOrders;              ///< In any order.
    std::mt19937_64 m_random;                         ///< Everything is drawn from it.
    std::ostringstream m_text;                        ///< What was drawn.
    TopologyPlan m_plan;                              ///< Topology.
    std::vector<Routing> m_routing;                   ///< Of its switches.
    SwitchConfig m_config;                            ///< Of its switches.
    NicConfig m_nicConfig;                            ///< Of its NICs.
    std::vector<ReceiveSettings> m_receive;           ///< Of each, or empty.
    std::vector<std::pair<LinkRate, TimePs>> m_links; ///< Links, then hosts.
    std::vector<Message> m_messages;                  ///< By time.
    uint32_t m_channels{1};                           ///< Virtual channels.
    uint32_t m_classes{1};                            ///< Traffic classes that send.
    uint32_t m_lossOneIn{0};              ///< Of how many frames a link damages one; 0 for none.
    bool m_losesControl{false};           ///< Whether control frames are damaged too.
    uint64_t m_lossSeed{0};               ///< Of the loss models.
    std::optional<uint64_t> m_retrySeed;  ///< Of the links' retry; none for none.
    std::optional<uint64_t> m_creditSeed; ///< Of credits in frames; none for none.
    uint64_t m_plainChips{0}; ///< Bit mask of switches, modulo 64, that send frames in one piece.
};

} // namespace ns3::fabric

#endif // FABRIC_RANDOM_SCENARIO_H
