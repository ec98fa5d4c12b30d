/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-run.h"

#include "fabric-chain.h"
#include "fabric-channel-dependency.h"
#include "fabric-file-warnings.h"
#include "fabric-flow-channel-table.h"
#include "fabric-graph-helper.h"
#include "fabric-network-totals.h"
#include "fabric-program.h"
#include "fabric-shortest-path-routing.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace ns3
{

namespace
{

/// @return words of `--topology`. @param orSwitch whether one switch is among them
std::vector<std::string>
TopologyWords(bool orSwitch)
{
    std::vector<std::string> words{"fat-tree", "dragonfly", "torus", "hyperx"};
    if (orSwitch)
    {
        words.emplace_back("switch");
    }
    return words;
}

} // namespace

FabricRun::FabricRun(const std::string& file, const std::string& usage)
    : ProgramRun(file, usage),
      m_topology("fat-tree"),
      m_oversubscription("1:1"),
      m_linkRate("200Gbps"),
      m_hostRate(0),
      m_linkDelay(NanoSeconds(100)),
      m_flowChannels(true),
      m_channels(false)
{
    fabric::ProgramOptions& options = GetOptions();
    options.Add("linkRate", "rate of all links", m_linkRate);
    options.Add("linkDelay",
                "propagation delay of all links",
                m_linkDelay,
                fabric::TimeType(NanoSeconds(1), MilliSeconds(10)));
    options.Add("flowChannels", "switches keep a queue per flow", m_flowChannels);
    options.Add("channels",
                "write statistics of each flow channel at each switch to channels.csv",
                m_channels);
    options.Add("pcap",
                "how the names of pcap files begin, one for each port of the first switch; empty "
                "for none",
                m_pcap);
    options.Add("samplePeriod",
                "time between samples of the ports in ports.csv, 0 for none",
                m_samplePeriod,
                fabric::TimeType(Time(0), Seconds(1)));
    options.Add("sampleQueues",
                "write what waits in each queue at these times to queues.csv",
                m_hasQueues);
    options.ReserveAttributes({"ns3::FabricChannel::DataRate"}, "--linkRate");
    options.ReserveAttributes({"ns3::FabricChannel::Delay"}, "--linkDelay");
    options.ReserveAttributes({"ns3::FabricSwitch::FlowChannels"}, "--flowChannels");
    options.ReserveAttributes({"ns3::FabricSwitch::FlowStatistics"}, "--channels");
    options.ReserveAttributes({"ns3::FabricSwitch::Ports"}, "a choice of the topology");
    options.ReserveAttributes({"ns3::FabricMessageSender::Remote",
                               "ns3::FabricMessageSender::Bytes",
                               "ns3::FabricMessageSender::Count",
                               "ns3::FabricMessageSender::Interval",
                               "ns3::FabricMessageSender::Tag"},
                              "what its own options say of the messages");
}

void
FabricRun::AddTreeOptions(bool orSwitch)
{
    fabric::ProgramOptions& options = GetOptions();
    options.Add("topology",
                "topology",
                m_topology,
                fabric::ChoiceOrFileType(TopologyWords(orSwitch), "a topology"));
    options.Add("k",
                orSwitch ? "ports of each switch of a fat tree, or of the one switch, all to hosts"
                         : "ports of each switch of a fat tree",
                m_tree.radix,
                fabric::CountType(2U, fabric::MAX_RADIX));
    options.Add("levels",
                "levels of switches of a fat tree",
                m_tree.levels,
                fabric::CountType(2U, 3U));
    options.Add("oversubscription",
                "ports of an edge switch to hosts : to other switches",
                m_oversubscription);
    options.Add("hostRate",
                "rate of the links of hosts, 0 for linkRate",
                m_hostRate,
                fabric::OptionalRateType());
    m_paths.Add(options);
    m_hasTree = true;
}

void
FabricRun::CheckTopology() const
{
    if (!m_hasTree)
    {
        return;
    }
    if (m_topology != "fat-tree")
    {
        GetOptions().RefuseGiven({"levels", "oversubscription"}, "--topology=fat-tree");
    }
    if (m_topology != "fat-tree" && m_topology != "switch")
    {
        GetOptions().RefuseGiven({"k"}, "--topology=fat-tree");
    }
    m_paths.Check(GetOptions(), m_topology, m_graph.has_value());
}

bool
FabricRun::HasChannelsByHop() const
{
    return m_topology == "dragonfly" || m_topology == "torus" || m_topology == "hyperx";
}

void
FabricRun::ReadGraph()
{
    const std::vector<std::string> words = TopologyWords(true);
    if (m_hasTree && std::find(words.begin(), words.end(), m_topology) == words.end())
    {
        GetOptions().RefuseGiven({"linkRate", "hostRate", "linkDelay"},
                                 "a --topology that is no file");
        m_graph = fabric::GraphFile::Read(m_topology);
        const fabric::GraphLink& link = m_graph->hostLinks.at(0);
        m_linkRate = link.rate;
        m_linkDelay = link.delay;
    }
}

void
FabricRun::Parse(int argc, char* argv[], const std::function<void()>& check)
{
    ProgramRun::Parse(argc, argv, [this, &check] {
        ReadOversubscription();
        ReadGraph();
        CheckTopology();
        if (m_channels && !m_flowChannels)
        {
            fabric::ThrowNotAllowed("--channels", "true", "false where --flowChannels is off");
        }
        if (m_hasQueues && m_samplePeriod.IsZero())
        {
            fabric::ThrowNotAllowed("--sampleQueues", "true", "false without --samplePeriod");
        }
        if (check)
        {
            check();
        }
    });
    m_helper.SetOptions(GetOptions());
    m_helper.SetSwitchAttribute("FlowChannels", BooleanValue(m_flowChannels));
    m_helper.SetSwitchAttribute("FlowStatistics", StringValue(m_channels ? "all" : "off"));
    m_helper.SetChannelAttribute("DataRate", DataRateValue(m_linkRate));
    m_helper.SetHostChannelAttribute("DataRate", DataRateValue(GetHostRate()));
    m_helper.SetChannelAttribute("Delay", TimeValue(m_linkDelay));
}

void
FabricRun::ReadOversubscription()
{
    try
    {
        m_tree.oversubscription = fabric::DownUpRatio::Parse(m_oversubscription);
    }
    catch (const std::invalid_argument&)
    {
        fabric::ThrowNotAllowed("--oversubscription",
                                m_oversubscription,
                                "down:up or down, whole numbers from 1, such as 3:1 or 3");
    }
}

FatTreeHelper
FabricRun::MakeTree(const fabric::FatTreeConfig& config, const std::string& options)
{
    try
    {
        return FatTreeHelper(config);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(options + ": " + error.what());
    }
}

const FabricContainer&
FabricRun::InstallTree()
{
    if (m_topology == "switch")
    {
        // A chain has one host more than are said, on its last switch.
        const fabric::TopologyPlan plan = fabric::MakeChainPlan({m_tree.radix - 1});
        return Install(plan, fabric::MakeShortestPathRouting(plan));
    }
    m_helper.SetRouteCheck(ROUTES_ARE_PROVEN); // for all of their kind, and those of a file now
    if (m_graph)
    {
        return InstallGraph();
    }
    if (m_topology == "dragonfly")
    {
        return InstallDragonfly();
    }
    if (m_topology == "torus")
    {
        return InstallTorus();
    }
    return m_topology == "hyperx" ? InstallHyperX() : InstallFatTree();
}

const FabricContainer&
FabricRun::InstallPaths(const fabric::TopologyPlan& plan,
                        const std::vector<fabric::Routing>& routing)
{
    if (GetOptions().Common().check)
    {
        fabric::ProveRoutes(plan, routing);
    }
    GetOptions().SetDefault("ns3::FabricSwitch::VirtualChannels",
                            UintegerValue(fabric::VIRTUAL_CHANNELS));
    return Install(plan, routing);
}

const FabricContainer&
FabricRun::InstallDragonfly()
{
    const fabric::Dragonfly dragonfly = m_paths.MakeDragonfly();
    const fabric::DragonflyShape& shape = dragonfly.GetShape();
    m_groupHosts = shape.hosts / shape.wiring.groups;
    if (!m_paths.GetGlobalDelay().IsZero())
    {
        m_helper.SetChannelAttribute(fabric::LinkClass::GLOBAL,
                                     "Delay",
                                     TimeValue(m_paths.GetGlobalDelay()));
    }
    return InstallPaths(dragonfly.GetPlan(), dragonfly.GetRouting());
}

const FabricContainer&
FabricRun::InstallTorus()
{
    const fabric::Torus torus = m_paths.MakeTorus();
    m_groupHosts = torus.GetGrid().HostsPerSwitch();
    m_rings = torus.GetGrid().Widths();
    return InstallPaths(torus.GetPlan(), torus.GetRouting());
}

const FabricContainer&
FabricRun::InstallHyperX()
{
    const fabric::HyperX hyperX = m_paths.MakeHyperX();
    m_groupHosts = hyperX.GetWiring().Grid().HostsPerSwitch();
    return InstallPaths(hyperX.GetPlan(), hyperX.GetRouting());
}

const FabricContainer&
FabricRun::InstallGraph()
{
    const auto routing = m_paths.RouteGraph(GetOptions(), *m_graph, m_topology);
    fabric::TellWarnings(m_graph->warnings);
    GraphHelper::SetLinks(m_helper, *m_graph);
    return routing.front().Paths() ? InstallPaths(m_graph->plan, routing)
                                   : Install(m_graph->plan, routing);
}

void
FabricRun::RequireFlowIds(const FabricContainer& fabric,
                          const std::string& keepers,
                          const std::string& others,
                          const std::string& otherwise)
{
    const fabric::FlowChannelSettings& channels =
        fabric.GetSwitch(0)->GetChip().Config().flowChannels;
    if (fabric.switches.GetN() > 1 && channels.HasChannels() && channels.ids < 2)
    {
        throw fabric::BadInput("--ns3::FabricSwitch::FlowIds=1: " + keepers +
                               " the only flow channel of links that " + others +
                               " too; allowed is at least 2" + otherwise);
    }
}

std::string
FabricRun::SizeOptions() const
{
    if (m_graph)
    {
        return "--topology=" + m_topology;
    }
    if (m_topology == "dragonfly")
    {
        return "--hostsPerSwitch, --switchesPerGroup, --globalPorts or --groups";
    }
    const bool isGrid = m_topology == "torus" || m_topology == "hyperx";
    return isGrid ? "--hostsPerSwitch or --widths" : "--k";
}

fabric::NodeNumbers
FabricRun::GetNodes() const
{
    return m_graph
               ? m_graph->nodes
               : fabric::NodeNumbers::HostsFirst(m_fabric.hosts.GetN(), m_fabric.switches.GetN());
}

const FabricContainer&
FabricRun::InstallFatTree()
{
    const FatTreeHelper tree = MakeTree(m_tree,
                                        "--k=" + std::to_string(m_tree.radix) +
                                            " --levels=" + std::to_string(m_tree.levels) +
                                            " --oversubscription=" + m_oversubscription);
    if (GetOptions().Common().check)
    {
        tree.CheckRoutes();
    }
    return Install(tree.GetTree());
}

const FabricContainer&
FabricRun::Install(const fabric::FatTree& tree)
{
    const auto& rules = tree.GetRouting();
    return Install(tree.GetPlan(), {rules.begin(), rules.end()});
}

const FabricContainer&
FabricRun::Install(const fabric::TopologyPlan& plan, const std::vector<fabric::Routing>& routing)
{
    m_fabric = m_helper.Install(plan, routing);
    if (!m_pcap.empty())
    {
        try
        {
            m_helper.EnablePcap(m_pcap, NodeContainer(m_fabric.switches.Get(0)));
        }
        catch (const std::invalid_argument& error)
        {
            throw std::invalid_argument("--pcap=" + m_pcap + ": " + error.what());
        }
    }
    m_recorder = std::make_unique<FabricMessageRecorder>(m_fabric.network);
    if (!m_samplePeriod.IsZero())
    {
        m_sampler = std::make_unique<FabricPortSampler>(m_fabric.network, m_samplePeriod);
    }
    if (m_hasQueues)
    {
        m_queues = std::make_unique<FabricQueueSampler>(m_fabric.network, m_samplePeriod);
    }
    return m_fabric;
}

void
FabricRun::RunUntilDelivered(uint64_t tag, uint64_t messages, const std::function<void()>& then)
{
    const bool isAlone = fabric::RankCount() == 1;
    if (then && !isAlone)
    {
        throw std::invalid_argument("on several ranks nothing can be done when messages are "
                                    "delivered, since other ranks are ahead then; allowed is one");
    }
    uint64_t delivered = 0;
    uint64_t lost = 0;
    const auto endWithoutLost = [&] {
        if (lost != 0 && delivered + lost == messages)
        {
            // Others may send without end.
            Simulator::ScheduleNow([this] { m_fabric.network->StopAt(Simulator::Now()); });
        }
    };
    m_recorder->SetCallback([&](const FabricMessageRecorder::Record& record) {
        const bool counts = tag == 0 || record.message.tag == tag;
        delivered += counts;
        if (counts && delivered <= messages)
        {
            m_lastDelivery = Simulator::Now();
        }
        if (counts && delivered == messages && then)
        {
            then();
        }
        endWithoutLost();
    });
    m_recorder->SetLossCallback([&](const fabric::Message& message) {
        lost += tag == 0 || message.tag == tag;
        endWithoutLost();
    });
    if (!fabric::IsRank() &&
        m_fabric.GetSwitch(0)->GetChip().Config().linkControl.flowControl != fabric::LINK_CREDITS)
    {
        // Where nothing happens any more, a deadlock ends the run; pauses are repeated for ever.
        ScheduleWatch();
    }
    RunUntilIdle([&] { return static_cast<double>(delivered) / static_cast<double>(messages); });
    if (!isAlone)
    {
        AddRanks(delivered, lost);
    }
    if (delivered != messages)
    {
        throw fabric::InvariantError("the run ended with " + std::to_string(delivered) + " of " +
                                     std::to_string(messages) + " messages delivered" +
                                     WhatHoldsUp(lost));
    }
}

void
FabricRun::AddRanks(uint64_t& delivered, uint64_t& lost)
{
    m_recorder->AddRanks();
    const std::vector<uint64_t> sums = fabric::SumOverRanks({delivered, lost});
    delivered = sums[0];
    lost = sums[1];
    const auto last = static_cast<uint64_t>(m_lastDelivery.GetPicoSeconds());
    m_lastDelivery = PicoSeconds(static_cast<int64_t>(fabric::MostOfRanks({last}).front()));
}

void
FabricRun::ScheduleWatch()
{
    // Seldom in a long run, which may be idle for hours: each look is at all switches.
    const Time wait = std::max(MilliSeconds(1), PicoSeconds(Simulator::Now().GetPicoSeconds() / 8));
    Simulator::Schedule(wait, &FabricRun::WatchForDeadlock, this);
}

void
FabricRun::WatchForDeadlock()
{
    const auto stall = m_fabric.network->FindStall();
    if (stall && stall->IsDeadlock())
    {
        m_fabric.network->StopAt(Simulator::Now());
    }
    else if (!Simulator::IsFinished())
    {
        ScheduleWatch();
    }
}

std::string
FabricRun::WhatHoldsUp(uint64_t lost) const
{
    if (const auto stall = m_fabric.network->FindStall())
    {
        return "; " + stall->Describe();
    }
    return lost == 0 ? "" : "; " + std::to_string(lost) + " lost frames for good";
}

void
FabricRun::RunFor(Time duration)
{
    const Time end = Simulator::Now() + duration;
    m_fabric.network->StopAt(end);
    RunTo(end);
    m_recorder->AddRanks();
}

void
FabricRun::WriteMessages(fabric::RunDirectory& directory)
{
    m_recorder->WriteMessages(directory.Open("messages.csv"));
    m_recorder->WriteFlows(directory.Open("flows.csv"));
}

void
FabricRun::Finish(const WriteFiles& write)
{
    const fabric::TimePs end = GetEnd().GetPicoSeconds();
    Finish(fabric::TotalsOf(*m_fabric.network, end),
           [this, &write](fabric::RunDirectory& directory) {
               WriteMessages(directory);
               if (write)
               {
                   write(directory);
               }
           });
}

fabric::RunTotals
FabricRun::Conclude() const
{
    const fabric::RunTotals totals = fabric::TotalsOf(*m_fabric.network, GetEnd().GetPicoSeconds());
    CheckEnd();
    totals.CheckConservation();
    return totals;
}

void
FabricRun::WritePorts(std::ostream& os)
{
    if (!m_sampler)
    {
        throw std::invalid_argument("there are no samples of ports without --samplePeriod");
    }
    m_sampler->Write(os, GetEnd());
}

void
FabricRun::WriteQueues(std::ostream& os)
{
    if (!m_queues)
    {
        throw std::invalid_argument("there are no samples of queues without --sampleQueues");
    }
    m_queues->Write(os, GetEnd());
}

void
FabricRun::CheckEnd() const
{
    if (GetOptions().Common().check && m_fabric.network)
    {
        m_fabric.network->CheckInvariants();
    }
    if (const auto stall = m_fabric.network ? m_fabric.network->FindStall() : std::nullopt;
        stall && stall->IsDeadlock())
    {
        throw fabric::InvariantError(stall->Describe());
    }
}

void
FabricRun::Finish(const fabric::RunTotals& totals, const WriteFiles& write)
{
    CheckEnd();
    const Time end = PicoSeconds(totals.simulatedTime);
    if (m_sampler)
    {
        m_sampler->AddRanks(end);
    }
    if (m_queues)
    {
        m_queues->AddRanks(end);
    }
    ProgramRun::Finish(totals, [this, end, &write](fabric::RunDirectory& directory) {
        if (write)
        {
            write(directory);
        }
        WriteChosen(directory, end);
    });
}

void
FabricRun::WriteTables(fabric::RunDirectory& directory)
{
    WriteMessages(directory);
    WriteChosen(directory, GetEnd());
}

void
FabricRun::WriteChosen(fabric::RunDirectory& directory, Time end)
{
    if (m_sampler)
    {
        m_sampler->Write(directory.Open("ports.csv"), end);
    }
    if (m_queues)
    {
        m_queues->Write(directory.Open("queues.csv"), end);
    }
    if (m_channels && m_fabric.network)
    {
        WriteFlowChannels(directory.Open("channels.csv"), *m_fabric.network);
    }
}

Time
FabricRun::GetEnd() const
{
    // Where nobody ends the run, ns-3's last event is the start of a window: its time depends on
    // look-ahead (DP-5).
    const bool isStopped = m_fabric.network->GetHorizon() != fabric::NEVER;
    return isStopped ? Simulator::Now() : m_lastDelivery;
}

std::vector<double>
FabricRun::GetCompletionTimes(uint64_t tag) const
{
    std::vector<double> seconds;
    for (const FabricMessageRecorder::Record& record : m_recorder->GetRecords())
    {
        if (tag == 0 || record.message.tag == tag)
        {
            seconds.push_back(fabric::ToSeconds(record.CompletionTime()));
        }
    }
    return seconds;
}

} // namespace ns3
