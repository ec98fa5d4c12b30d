/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RANDOM_NETWORK_H
#define FABRIC_RANDOM_NETWORK_H

#include "fabric-flow-channel-table.h"
#include "fabric-network-scenario.h"
#include "support/fabric-delivery-journal.h"
#include "support/fabric-function-case.h"

#include <functional>
#include <initializer_list>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

/// Sinks of all trace sources of switches.
class SwitchTraces
{
  public:
    /**
     * @param connect whether to connect or to disconnect
     * @param node path of the switches' nodes
     */
    void Connect(bool connect, const std::string& node = "/NodeList/*")
    {
        const auto frame = MakeCallback(&SwitchTraces::Frame, this);
        const auto drop = MakeCallback(&SwitchTraces::Drop, this);
        const std::string path = node + "/$ns3::FabricSwitch/";
        if (connect)
        {
            Config::Connect(path + "Arrive", frame);
            Config::Connect(path + "Send", frame);
            Config::Connect(path + "Drop", drop);
        }
        else
        {
            Config::Disconnect(path + "Arrive", frame);
            Config::Disconnect(path + "Send", frame);
            Config::Disconnect(path + "Drop", drop);
        }
    }

    uint64_t calls{0};                      ///< Calls of the sinks.
    uint64_t drops{0};                      ///< Frames dropped.
    bool punctual{true};                    ///< Whether Now() was right in all.
    std::map<std::string, std::string> log; ///< What was told, by path.

  private:
    /// A sink.
    void Frame(std::string path, uint32_t port, const fabric::Frame& frame, Time now)
    {
        ++calls;
        punctual = punctual && now == Simulator::Now();
        std::ostringstream line;
        line << now.GetPicoSeconds() << " " << port << " " << frame.src << " " << frame.dst << " "
             << frame.flow << " " << frame.payload << " " << frame.dataFlow << "\n";
        log[path] += line.str();
    }

    /// A sink.
    void Drop(std::string path,
              uint32_t port,
              const fabric::Frame& frame,
              DropCause cause,
              Time now)
    {
        ++drops;
        Frame(path + NameOf(cause), port, frame, now);
    }
};

/// What a run of RunRandom() is.
struct RandomRun
{
    uint32_t seed;        ///< Decides everything.
    bool lookahead{true}; ///< Whether switches run ahead.
    bool traced{false};   ///< Whether some switches are traced at times.
    uint32_t threads{1};  ///< Threads that run switches, however few windows there are.
    bool outages{false};  ///< Whether links fail (WL-8).
    bool lanes{false}; ///< Whether frames are sent in pieces (VA-9, VA-10), lanes change (VA-11).
    bool statistics{false};   ///< Whether flow channels, which there are, are counted (FC-3).
    bool slowHosts{false};    ///< Whether some hosts receive slowly.
    bool creditFrames{false}; ///< Whether credits are frames.
    bool tools{false};        ///< Whether switches have all tools against congestion.
    bool linkPauses{false};   ///< Whether switches pause each other.
    bool oversize{false};     ///< Whether full frames block their ports, which are reset at times.
    bool tiles{false};        ///< Whether crossbars have tiles, unless frames go in pieces.
    std::string scheduler{"ns3::MapScheduler"}; ///< Of events.
    uint64_t* preemptions{nullptr}; ///< Gets how often frames were interrupted; may be null.
    std::function<void(const FabricContainer&)> installed{}; ///< Called then; may be empty.
    std::function<void(const FabricContainer&)> ended{};     ///< Called then; may be empty.
};

/// Crossbars have tiles, with small buffers and few places among them, and a latency of 40 ns.
inline void
AddTiles(FatTreeHelper& helper, uint32_t seed)
{
    std::minstd_rand random(seed);
    const auto draw = [&random](std::initializer_list<uint64_t> values) {
        return *(values.begin() + random() % values.size());
    };
    helper.SetSwitchAttribute("Crossbar", StringValue("tiled"));
    helper.SetSwitchAttribute("CrossbarRows", UintegerValue(draw({1, 2, 4})));
    helper.SetSwitchAttribute("CrossbarTilePorts", UintegerValue(draw({1, 2, 3})));
    helper.SetSwitchAttribute("CrossbarSpeedup", DoubleValue(static_cast<double>(draw({1, 2}))));
    helper.SetSwitchAttribute("CrossbarTransit", TimeValue(PicoSeconds(draw({0, 7'001, 40'000}))));
    helper.SetSwitchAttribute("CrossbarTileBuffer", UintegerValue(draw({4'120, 9'000, 30'000})));
    helper.SetSwitchAttribute("CrossbarOutputBuffer", UintegerValue(draw({9'024, 30'000})));
    helper.SetSwitchAttribute("AgeQueueFixedPlaces", UintegerValue(1));
    helper.SetSwitchAttribute("AgeQueuePlaces", UintegerValue(draw({12, 20, 8'192})));
    helper.SetSwitchAttribute("AgeQueueSharedFraction", DoubleValue(draw({1, 10}) / 10.0));
}

/**
 * Lets random links of a fabric fail for random times, some of them announced in the run.
 *
 * @param random decides
 */
inline void
AddOutages(const FabricContainer& fabric, std::minstd_rand& random)
{
    std::vector<Ptr<FabricChannel>> links = fabric.links;
    links.insert(links.end(), fabric.hostLinks.begin(), fabric.hostLinks.end());
    for (uint32_t i = 0; i < 6; ++i)
    {
        const Ptr<FabricChannel> link = links[random() % links.size()];
        const Time from = NanoSeconds(random() % 8'000);
        const Time lasts = NanoSeconds(1 + random() % (i % 2 == 0 ? 300 : 30'000));
        const Time ahead = i % 3 == 0 ? Time(0) : NanoSeconds(random() % 2'000);
        Simulator::Schedule(from, [link, from, ahead, lasts] {
            try
            {
                link->FailAt(from + ahead);
                link->RepairAt(from + ahead + MicroSeconds(2) + lasts);
            }
            catch (const std::invalid_argument&)
            {
                // It has failed already, or will.
            }
        });
    }
}

/**
 * @param random decides
 * @return a table of four lanes, of which one or two are latency-sensitive
 */
inline LaneTable
RandomLanes(std::minstd_rand& random)
{
    LaneTable table;
    for (uint8_t lane = 0; lane < 4; ++lane)
    {
        const auto level = static_cast<uint8_t>(random() % 3);
        const auto trafficClass = static_cast<uint8_t>(lane % 2);
        const auto group = static_cast<uint8_t>(random() % 2);
        table.lanes.push_back({lane, level, trafficClass, group, false});
    }
    // Who is sensitive is above others, so that somebody is interrupted.
    const std::size_t sensitive = random() % 4;
    table.lanes[sensitive].latencySensitive = true;
    table.lanes[sensitive].level = 0;
    table.lanes[(sensitive + 1) % 4].level = 2;
    for (uint8_t group = 0; group < 2; ++group)
    {
        table.groups.push_back({group, static_cast<uint32_t>(1'000 + random() % 9'000)});
    }
    return table;
}

/**
 * Lets a fabric that is made arbitrate between virtual lanes whose frames interrupt each other.
 *
 * @param random decides
 */
inline void
AddLanes(FatTreeHelper& helper, std::minstd_rand& random)
{
    helper.SetLaneTable(RandomLanes(random));
    helper.SetSwitchAttribute("LanePreemption", BooleanValue(random() % 4 != 0));
    helper.SetSwitchAttribute("LaneInterleaving", BooleanValue(random() % 2 == 0));
    helper.SetSwitchAttribute("LaneCheck", StringValue(random() % 2 == 0 ? "packet" : "flit"));
    helper.SetSwitchAttribute("LaneMode", StringValue(random() % 2 == 0 ? "lane" : "group"));
    helper.SetSwitchAttribute("LaneOverBandwidth",
                              StringValue(random() % 2 == 0 ? "demote" : "disqualify"));
}

/**
 * Lets some hosts of a fabric that is made receive slowly.
 *
 * @param hosts how many there are
 * @param random decides
 */
inline void
AddSlowHosts(FatTreeHelper& helper, uint32_t hosts, std::minstd_rand& random)
{
    for (uint32_t host = 0; host < hosts; ++host)
    {
        if (host == 0 || random() % 3 == 0)
        {
            const uint64_t rate = (5 + random() % 200) * 1'000'000'000;
            const uint32_t room = 18'048 + random() % 50'000;
            helper.SetDeviceAttribute(host, "ReceiveRate", DataRateValue(DataRate(rate)));
            helper.SetDeviceAttribute(host, "ReceiveBuffer", UintegerValue(room));
        }
    }
}

/**
 * Lets the switches of a fabric that is made have all tools against congestion, with random
 * thresholds, mostly so low that they act.
 *
 * @param random decides
 */
inline void
AddCongestionTools(FatTreeHelper& helper, std::minstd_rand& random)
{
    bool isRead = true; // by a tool that is on; what is not must not be set
    const auto set = [&](const std::string& name, const AttributeValue& value) {
        if (isRead)
        {
            helper.SetSwitchAttribute(name, value);
        }
    };
    const auto count = [&](const std::string& name, uint64_t least, uint64_t most) {
        set(name, UintegerValue(least + random() % (most - least + 1)));
    };
    const auto time = [&](const std::string& name, uint64_t least, uint64_t most) {
        const uint64_t ns = least + random() % (most - least + 1);
        set(name, TimeValue(NanoSeconds(ns)));
    };
    helper.SetSwitchAttribute("FlowChannels", BooleanValue(true));
    isRead = random() % 4 != 0;
    helper.SetSwitchAttribute("Fgfc", BooleanValue(isRead));
    time("FgfcPauseTime", 100, 20'000);
    time("FgfcResponseTime", 0, 300);
    count("FgfcCredit", 1, 40);
    isRead = true;
    helper.SetSwitchAttribute("HopCredits", BooleanValue(random() % 4 != 0));
    count("DropWatermark", 0, 8);
    count("TargetWatermark", 9, 40);
    count("HighWatermark", 41, 90);
    const bool isWatched = random() % 4 != 0;
    helper.SetSwitchAttribute("EndpointCongestion", BooleanValue(isWatched));
    const bool isLimited = isWatched && random() % 3 != 0;
    helper.SetSwitchAttribute("FlowLimits", BooleanValue(isLimited));
    if (random() % 3 == 0)
    {
        count("PortLimit", 1, 100);
        const auto text = [&](const char* name, const char* value) {
            helper.SetSwitchAttribute(name, StringValue(random() % 2 == 0 ? "" : value));
        };
        text("AppGroups", "0:0:2,1:5:0,2:9:1:hash,3:126:0");
        text("GroupLimitIds", "5:1,9:2,10:8,126:7");
        text("LimitRatios", "1,2,3");
        text("LimitUnits", "0,20,40");
    }
    if (isLimited && random() % 2 == 0)
    {
        count("FirstFlight", 1, 16);
    }
    const bool isPaced = isWatched && random() % 3 != 0;
    helper.SetSwitchAttribute("Pacing", BooleanValue(isPaced));
    isRead = isPaced;
    set("PacingSpread", DoubleValue(random() % 3 * 0.5));
    isRead = isWatched;
    count("EndpointBytes", 1, 8'000);
    count("EndpointFrames", 1, 10);
    count("EndpointTarget", 8'000, 40'000);
    time("EndpointRoundTrip", 100, 5'000);
    time("EndpointDecayTime", 100, 20'000);
    count("FirstFlowLimit", 16, 64);
    count("FlowLimitSteps", 1, 4);
    isRead = isPaced;
    time("FirstPacingDelay", 50, 2'000);
    count("PacingSteps", 1, 16);
    isRead = true;
    const bool isMoved = random() % 4 != 0;
    helper.SetSwitchAttribute("Reroute", BooleanValue(isMoved));
    const bool leavesSlow = random() % 2 == 0;
    helper.SetSwitchAttribute("SlowPaths", BooleanValue(leavesSlow));
    if (leavesSlow && random() % 2 == 0)
    {
        time("SlowPathTime", 1, 10'000);
    }
    if (isMoved)
    {
        count("RerouteBytes", 1, 5'000);
        time("RerouteTime", 10, 300);
        count("RerouteSpread", 1, 2);
        time("RerouteHold", 1, 10'000);
    }
    const bool isTold = random() % 2 == 0;
    helper.SetSwitchAttribute("NeighbourLoads", BooleanValue(isTold));
    if (isTold)
    {
        time("NeighbourLoadTime", 1, 2'000);
    }
}

/**
 * Lets the switches of a fabric that is made pause each other.
 *
 * @param atEdge whether they pause their hosts too, of which none receives slowly
 */
inline void
AddLinkPauses(FatTreeHelper& helper, uint32_t seed, bool atEdge)
{
    const StringValue mode(seed % 2 == 0 ? "pause" : "priority-pause");
    helper.SetSwitchAttribute("LinkFlowControl", mode);
    helper.SetSwitchAttribute("LinkPauseXoffBytes", UintegerValue(seed % 5 * 7'000));
    helper.SetSwitchAttribute("BufferBytes", UintegerValue(400'000));
    helper.SetSwitchAttribute("PauseQuanta", UintegerValue(seed % 3 == 0 ? 900 : 65'535));
    if (atEdge)
    {
        helper.SetSwitchAttribute("EdgeFlowControl", mode);
        helper.SetSwitchAttribute("PauseXoffBytes", UintegerValue(20'000));
        helper.SetSwitchAttribute("PauseXonBytes", UintegerValue(10'000));
    }
}

/**
 * Resets all ports of a fabric from time to time, until long after all has been sent.
 *
 * @param fabric whose switches have a largest frame
 */
inline void
AddResets(const FabricContainer& fabric)
{
    for (uint32_t i = 1; i <= 500; ++i)
    {
        Simulator::Schedule(NanoSeconds(7'010 * i), [&fabric] {
            for (uint32_t number = 0; number < fabric.switches.GetN(); ++number)
            {
                const Ptr<FabricSwitch> fabricSwitch = fabric.GetSwitch(number);
                for (uint32_t port = 0; port < fabricSwitch->GetChip().Config().ports; ++port)
                {
                    fabricSwitch->ResetPort(port);
                }
            }
        });
    }
}

/// @return what the wires of its switches did, in words, and how often a frame was interrupted
inline std::pair<std::string, uint64_t>
WireCountsOf(const FabricContainer& fabric)
{
    std::ostringstream text;
    uint64_t preemptions = 0;
    for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
    {
        const SwitchChip& chip = fabric.GetSwitch(i)->GetChip();
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            if (const PortWire* wire = chip.Wire(port))
            {
                const WireCounts& counts = wire->wire.Counts();
                text << counts.preemptions << " " << counts.fills << " " << counts.gaps << " "
                     << counts.wastedFlits << "\n";
                preemptions += counts.preemptions;
            }
        }
    }
    return {text.str(), preemptions};
}

/**
 * Runs a random fabric with random messages.
 *
 * @param test fails if something is left, or lost without a word
 * @return what was delivered when, and the counters
 */
inline std::string
RunRandom(FunctionCase& test, const RandomRun& run)
{
    const uint32_t seed = run.seed;
    std::minstd_rand random(seed);
    const auto draw = [&random](std::initializer_list<uint64_t> values) {
        return *(values.begin() + random() % values.size());
    };
    Simulation simulation(run.scheduler);
    FatTreeConfig config;
    config.levels = static_cast<uint32_t>(draw({2, 3}));
    config.radix = static_cast<uint32_t>(draw({4, 6}));
    config.hosts = static_cast<uint32_t>(draw({6, 7, 8}));
    FatTreeHelper helper(config);
    helper.SetStream(seed);
    helper.SetNetworkAttribute("Lookahead", BooleanValue(run.lookahead));
    helper.SetNetworkAttribute("Threads", UintegerValue(run.threads));
    helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
    helper.SetChannelAttribute("Delay", TimeValue(PicoSeconds(draw({2, 30'000, 777'777}))));
    helper.SetChannelAttribute("DataRate",
                               DataRateValue(DataRate(draw({100, 200, 400}) * 1'000'000'000)));
    // Switches at the edge have another lookahead than the others.
    helper.SetHostChannelAttribute("Delay", TimeValue(PicoSeconds(draw({2, 11'000, 30'000}))));
    helper.SetHostChannelAttribute("DataRate",
                                   DataRateValue(DataRate(draw({25, 200, 400}) * 1'000'000'000)));
    const bool hasFlows = draw({0, 1, 1}) != 0;
    helper.SetSwitchAttribute("FlowChannels", BooleanValue(hasFlows));
    const uint64_t ids = draw({1, 2, 2047});
    if (hasFlows || run.tools || run.statistics)
    {
        helper.SetSwitchAttribute("FlowIds", UintegerValue(ids));
    }
    helper.SetSwitchAttribute("Forwarding",
                              StringValue(draw({0, 1}) ? "cut-through" : "store-and-forward"));
    const uint64_t latency = draw({0, 40'000, 350'000});
    helper.SetSwitchAttribute("Latency", TimeValue(PicoSeconds(run.tiles ? 40'000 : latency)));
    helper.SetSwitchAttribute("ControlLatency", TimeValue(PicoSeconds(draw({0, 50'000}))));
    helper.SetSwitchAttribute("BufferBytes", UintegerValue(draw({20'000, 128'000})));
    helper.SetSwitchAttribute("ReservedBytes", UintegerValue(draw({4'120, 10'000})));
    helper.SetSwitchAttribute("VirtualChannels", UintegerValue(2));
    helper.SetSwitchAttribute("ClassToVc", StringValue("0,1"));
    helper.SetDeviceAttribute("ClassToVc", StringValue("0,1"));
    helper.SetNetworkAttribute("RoutingUpdateDelay",
                               TimeValue(NanoSeconds(run.outages ? draw({0, 1'000, 5'000}) : 0)));
    if (seed % 4 == 0)
    {
        helper.SetSwitchAttribute("Turns", StringValue("bytes"));
        helper.SetSwitchAttribute("TurnQuantum", UintegerValue(seed % 8 == 0 ? 1'000 : 9'024));
    }
    std::minstd_rand laneRandom(seed);
    if (run.lanes)
    {
        AddLanes(helper, laneRandom);
    }
    if (run.slowHosts)
    {
        std::minstd_rand slowRandom(seed);
        AddSlowHosts(helper, config.hosts, slowRandom);
    }
    if (run.creditFrames)
    {
        const auto set = [&](const std::string& name, const AttributeValue& value) {
            helper.SetChannelAttribute(name, value);
            helper.SetHostChannelAttribute(name, value);
        };
        set("CreditFrames", BooleanValue(true));
        set("CreditThreshold", UintegerValue(1 + seed * 977 % 6'000));
        set("CreditTimer", TimeValue(NanoSeconds(seed * 131 % 400)));
    }
    if (run.tools)
    {
        std::minstd_rand toolRandom(seed);
        AddCongestionTools(helper, toolRandom);
    }
    if (run.linkPauses)
    {
        AddLinkPauses(helper, seed, seed % 4 == 2 && !run.slowHosts);
        if (run.tiles)
        {
            // Little more than the headroom, so that a class that is not held back finds no room.
            helper.SetSwitchAttribute("BufferBytes", UintegerValue(200'000));
        }
    }
    if (run.oversize)
    {
        helper.SetSwitchAttribute("MaxFrameBytes", UintegerValue(WireBytes(seed % 2 ? 64 : 4'095)));
    }
    if (run.tiles && !run.lanes)
    {
        AddTiles(helper, seed);
    }
    if (run.statistics)
    {
        helper.SetSwitchAttribute("FlowChannels", BooleanValue(true));
        helper.SetSwitchAttribute("FlowStatistics", StringValue("all"));
    }
    const FabricContainer fabric = helper.Install();
    if (run.oversize)
    {
        AddResets(fabric);
    }
    if (run.installed)
    {
        run.installed(fabric);
    }
    if (run.lanes)
    {
        Simulator::Schedule(NanoSeconds(3'001),
                            &FabricNetwork::SetLaneTable,
                            fabric.network,
                            RandomLanes(laneRandom));
    }
    if (run.outages)
    {
        AddOutages(fabric, random);
    }

    std::ostringstream journal;
    JournalDeliveries(fabric.network, journal);
    for (uint32_t i = 0; i < 150; ++i)
    {
        const uint32_t from = random() % config.hosts;
        // Half of the messages meet at one host.
        const uint32_t other = random() % 2 == 0 ? 0 : random() % config.hosts;
        const uint32_t to = other == from ? (from + 1) % config.hosts : other;
        const uint64_t bytes = draw({0, 1, 64, 4'096, 9'000, 100'000});
        const auto trafficClass = static_cast<uint8_t>(random() % 2);
        Simulator::Schedule(NanoSeconds(100 * (random() % 60)), [=] {
            fabric.GetDevice(from)->SendMessage(LocationOf(to), bytes, trafficClass);
        });
    }
    SwitchTraces traces;
    for (uint32_t i = 0; run.traced && i < 40; ++i)
    {
        const std::string path =
            "/NodeList/" +
            std::to_string(fabric.switches.Get(random() % fabric.switches.GetN())->GetId());
        Simulator::Schedule(NanoSeconds(150 * (i + 1)),
                            [&traces, path, i] { traces.Connect(i % 2 == 0, path); });
    }
    Simulator::Run();
    if (run.ended)
    {
        run.ended(fabric);
    }
    fabric.network->CheckInvariants();
    test.Expect(fabric.network->IsEmpty(), "something is left, seed " + std::to_string(seed));
    test.Expect(traces.punctual, "Now() is wrong in a sink, seed " + std::to_string(seed));
    const FabricTotals totals = fabric.network->GetTotals();
    test.ExpectEqual(totals.inFlight, 0, "in flight at the end, seed " + std::to_string(seed));
    journal << totals.delivered << " " << totals.dataHops << " " << totals.controlHops << "\n";
    for (const auto& [cause, bytes] : totals.dropped)
    {
        journal << cause << " " << bytes << "\n";
    }
    test.Expect(totals.delivered == totals.offered || run.outages || run.oversize,
                "bytes are lost, seed " + std::to_string(seed));
    const auto [counts, preemptions] = WireCountsOf(fabric);
    if (run.preemptions)
    {
        *run.preemptions += preemptions;
    }
    if (run.statistics)
    {
        WriteFlowChannels(journal, *fabric.network);
    }
    return journal.str() + counts;
}

} // namespace ns3::fabric

#endif // FABRIC_RANDOM_NETWORK_H
