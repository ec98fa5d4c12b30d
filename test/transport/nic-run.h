/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NIC_RUN_H
#define NIC_RUN_H

#include "fabric-chain.h"
#include "fabric-channel.h"
#include "fabric-initiator-application.h"
#include "fabric-message-sender.h"
#include "fabric-nic-transport.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-target-application.h"
#include "fabric-transport-helper.h"
#include "network/fabric-network-scenario.h"
#include "support/fabric-early-restraints.h"

#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// What differs between runs that must have the same results, or not.
struct NicScenario
{
    uint32_t threads{1};                       ///< DP-15.
    bool lookahead{true};                      ///< DP-2.
    Time completionLatency;                    ///< 0 for the default.
    double loss{0};                            ///< Of packets.
    double corrupt{0};                         ///< Of packets.
    double duplicate{0};                       ///< Of packets.
    double reorder{0};                         ///< Of packets.
    double frameErrors{0};                     ///< Of frames on links (WL-4).
    std::string solicitation{"length"};        ///< RT-3.
    std::string operations{"write,read,send"}; ///< In turn.
    bool isOrdered{true};                      ///< RT-10.
    bool flowChannels{true};                   ///< FC.
    uint32_t bytes{20000};                     ///< Of each operation.
    uint64_t count{40};                        ///< Of each initiator.
    bool messages{false};                      ///< Whether native messages are sent beside.
    bool marks{false};                         ///< Whether switches mark, and senders obey.
    bool cnps{false};                          ///< They obey by DCQCN, and not as DCTCP.
    bool telemetry{false};                     ///< Switches write on packets, and senders obey.
    bool trims{false};        ///< Whether switches trim, instead of waiting (FC-15).
    bool isTargetSlow{false}; ///< Whether the target receives slowly.
    bool tools{false}; ///< Flows are restrained and paced; hosts write to each other as well.
};

/// Hosts on two switches, all of which have the transport in their NICs; all but one are
/// initiators.
class NicRun
{
  public:
    explicit NicRun(const NicScenario& scenario)
        : m_simulation()
    {
        FabricHelper helper;
        helper.SetStream(1);
        helper.SetNetworkAttribute("Lookahead", BooleanValue(scenario.lookahead));
        helper.SetNetworkAttribute("Threads", UintegerValue(scenario.threads));
        helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
        helper.SetSwitchAttribute("FlowChannels", BooleanValue(scenario.flowChannels));
        if (scenario.marks)
        {
            helper.SetSwitchAttribute("MarkClasses", UintegerValue(1));
            helper.SetSwitchAttribute("MarkMinBytes", UintegerValue(4000));
            helper.SetSwitchAttribute("MarkMaxBytes", UintegerValue(60000));
            helper.SetSwitchAttribute("MarkProbability", DoubleValue(0.5));
        }
        helper.SetSwitchAttribute("Telemetry", BooleanValue(scenario.telemetry));
        if (scenario.trims)
        {
            UseTrimming(helper, scenario.flowChannels);
        }
        if (scenario.tools)
        {
            UseEarlyRestraints(helper);
            helper.SetSwitchAttribute("Pacing", BooleanValue(true));
        }
        if (scenario.frameErrors > 0)
        {
            ObjectFactory errors("ns3::RateErrorModel");
            errors.Set("ErrorRate", DoubleValue(scenario.frameErrors));
            errors.Set("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
            helper.SetErrorModel(errors);
        }
        const TopologyPlan plan = MakeChainPlan({3, 2});
        if (scenario.isTargetSlow)
        {
            const auto last = static_cast<uint32_t>(plan.hosts.size() - 1);
            helper.SetDeviceAttribute(last, "ReceiveRate", StringValue("30Gbps"));
            helper.SetDeviceAttribute(last, "ReceiveBuffer", UintegerValue(20'000));
        }
        m_fabric = helper.Install(plan, MakeShortestPathRouting(plan));
        AssignErrorStreams();
        FabricTransportHelper transport;
        if (!scenario.completionLatency.IsZero())
        {
            transport.SetAttribute("CompletionLatency", TimeValue(scenario.completionLatency));
        }
        transport.SetAttribute("Loss", DoubleValue(scenario.loss));
        transport.SetAttribute("Corrupt", DoubleValue(scenario.corrupt));
        transport.SetAttribute("Duplicate", DoubleValue(scenario.duplicate));
        transport.SetAttribute("Reorder", DoubleValue(scenario.reorder));
        transport.SetAttribute("Solicitation", StringValue(scenario.solicitation));
        transport.SetAttribute("CongestionControl",
                               StringValue(scenario.telemetry ? "hpcc"
                                           : !scenario.marks  ? "fixed"
                                           : scenario.cnps    ? "dcqcn"
                                                              : "marks"));
        transport.SetInitiatorAttribute("Operations", StringValue(scenario.operations));
        transport.SetInitiatorAttribute("Ordered", BooleanValue(scenario.isOrdered));
        transport.SetInitiatorAttribute("Bytes", UintegerValue(scenario.bytes));
        transport.SetInitiatorAttribute("Count", UintegerValue(scenario.count));
        transport.SetInitiatorAttribute("Outstanding", UintegerValue(8));
        transport.InstallNic(m_fabric.hosts);
        transport.InstallTarget(m_fabric.hosts);
        const uint32_t target = m_fabric.hosts.GetN() - 1;
        for (uint32_t i = 0; i < target; ++i)
        {
            Connect(transport, i, target);
            if (scenario.tools)
            {
                Connect(transport, i, (i + 1) % target);
            }
        }
        if (scenario.messages)
        {
            AddMessages();
        }
        Simulator::Run();
    }

    /// @return what applications were told, line by line
    std::string GetJournal() const
    {
        return m_journal.str();
    }

    /// @return whether an application was told of each event when it should
    bool IsPunctual() const
    {
        return m_isPunctual;
    }

    const FabricContainer& GetFabric() const
    {
        return m_fabric;
    }

    const std::vector<Ptr<FabricInitiatorApplication>>& GetInitiators() const
    {
        return m_initiators;
    }

    Ptr<FabricNicTransport> GetTransport(uint32_t host) const
    {
        return DynamicCast<FabricNicTransport>(
            m_fabric.hosts.Get(host)->GetObject<FabricTransport>());
    }

    /// @return frames of fine-grain flow control that switches have sent
    uint64_t GetRestraints() const
    {
        uint64_t restraints = 0;
        for (const Ptr<FabricSwitch>& fabricSwitch : m_fabric.network->GetSwitches())
        {
            const SwitchChip& chip = fabricSwitch->GetChip();
            for (uint32_t port = 0; port < chip.Config().ports; ++port)
            {
                restraints += chip.FgfcFramesTo(port);
            }
        }
        return restraints;
    }

    /// @return frames that switches have trimmed
    uint64_t GetTrimmedFrames() const
    {
        uint64_t trimmed = 0;
        for (const Ptr<FabricSwitch>& fabricSwitch : m_fabric.network->GetSwitches())
        {
            trimmed += fabricSwitch->GetChip().Counts().trimmedFrames;
        }
        return trimmed;
    }

    /// @return frames that switches have marked
    uint64_t GetMarkedFrames() const
    {
        uint64_t marked = 0;
        for (const Ptr<FabricSwitch>& fabricSwitch : m_fabric.network->GetSwitches())
        {
            const CongestionMarker* marker = fabricSwitch->GetChip().Marker();
            marked += marker ? marker->MarkedFrames() : 0;
        }
        return marked;
    }

    /// @return CNPs that hosts have taken
    uint64_t GetCnps() const
    {
        uint64_t cnps = 0;
        for (uint32_t i = 0; i < m_fabric.hosts.GetN(); ++i)
        {
            cnps += GetTransport(i)->GetEndpoint().GetTransport().Counters().cnpsTaken;
        }
        return cnps;
    }

    /// @return resends of all hosts
    uint64_t GetResends() const
    {
        uint64_t resends = 0;
        for (uint32_t i = 0; i < m_fabric.hosts.GetN(); ++i)
        {
            resends += GetTransport(i)->GetEndpoint().GetTransport().Counters().resends;
        }
        return resends;
    }

  private:
    /// Class 0 is lossy and trimmed, class 1 carries the headers, on a channel of its own. @param
    /// hasFlows whether switches have flow channels, which headers have not
    static void UseTrimming(FabricHelper& helper, bool hasFlows)
    {
        helper.SetSwitchAttribute("VirtualChannels", UintegerValue(2));
        helper.SetSwitchAttribute("ClassToVc", StringValue("0,1"));
        helper.SetDeviceAttribute("ClassToVc", StringValue("0,1"));
        helper.SetSwitchAttribute("NoFlowClasses", UintegerValue(hasFlows ? 0b10 : 0));
        // All that has the data's channel is lossy.
        helper.SetSwitchAttribute("LossyClasses", UintegerValue(0xFFFF));
        helper.SetSwitchAttribute("LossyDropBytes", UintegerValue(20'000));
        helper.SetSwitchAttribute("TrimClasses", UintegerValue(0b01));
        helper.SetSwitchAttribute("TrimBytes", UintegerValue(10'000));
        LaneTable table; // headers first
        table.lanes = {{0, 2, 0, 0}, {1, 0, 1, 1}};
        table.groups = {{0, GroupSettings::FULL_SHARE}, {1, GroupSettings::FULL_SHARE}};
        helper.SetLaneTable(table);
    }

    /// Random streams that do not depend on what ran before in this process.
    void AssignErrorStreams()
    {
        int64_t stream = 1'000'000;
        for (uint32_t i = 0; i < m_fabric.switches.GetN(); ++i)
        {
            const Ptr<Node> node = m_fabric.switches.Get(i);
            for (uint32_t d = 0; d < node->GetNDevices(); ++d)
            {
                const auto channel = DynamicCast<FabricChannel>(node->GetDevice(d)->GetChannel());
                for (const Ptr<ErrorModel>& model : channel->GetErrorModels())
                {
                    if (model)
                    {
                        DynamicCast<RateErrorModel>(model)->AssignStreams(stream++);
                    }
                }
            }
        }
    }

    /// An initiator on one host for a target on another.
    void Connect(FabricTransportHelper& transport, uint32_t from, uint32_t to)
    {
        auto initiator = DynamicCast<FabricInitiatorApplication>(
            transport
                .InstallInitiator(m_fabric.hosts.Get(from), m_fabric.GetDevice(to)->GetAddress())
                .Get(0));
        initiator->TraceConnectWithoutContext(
            "Completed",
            Callback<void, const RdmaEvent&, Time>(
                [this, from](const RdmaEvent& event, Time) { Note("completed", from, event); }));
        initiator->TraceConnectWithoutContext(
            "Error",
            Callback<void, const RdmaEvent&>(
                [this, from](const RdmaEvent& event) { Note("error", from, event); }));
        m_initiators.push_back(initiator);
        if (from == 0)
        {
            auto target =
                DynamicCast<FabricTargetApplication>(m_fabric.hosts.Get(to)->GetApplication(0));
            target->TraceConnectWithoutContext(
                "Presented",
                Callback<void, const RdmaEvent&>(
                    [this, to](const RdmaEvent& event) { Note("presented", to, event); }));
        }
    }

    /// Native messages between the hosts, in the same NICs.
    void AddMessages()
    {
        for (uint32_t i = 0; i < m_fabric.hosts.GetN(); ++i)
        {
            auto sender = CreateObject<FabricMessageSender>();
            const uint32_t remote = (i + 1) % m_fabric.hosts.GetN();
            sender->SetAttribute("Remote", UintegerValue(LocationOf(remote)));
            sender->SetAttribute("Bytes", UintegerValue(30000));
            sender->SetAttribute("Count", UintegerValue(10));
            sender->SetAttribute("Interval", TimeValue(NanoSeconds(1300)));
            m_fabric.hosts.Get(i)->AddApplication(sender);
        }
        m_fabric.network->TraceConnectWithoutContext(
            "MessageDelivered",
            Callback<void, const Message&, Time>([this](const Message& message, Time now) {
                m_journal << now.GetPicoSeconds() << " message " << message.src << " to "
                          << message.dst << "\n";
            }));
    }

    /// Writes down what an application was told.
    void Note(const char* what, uint32_t host, const RdmaEvent& event)
    {
        m_journal << Simulator::Now().GetPicoSeconds() << " host " << host << " " << what << " "
                  << event.cookie << " from " << event.cid << " status "
                  << static_cast<int>(event.status) << " at " << event.at << "\n";
        m_isPunctual = m_isPunctual && Simulator::Now().GetPicoSeconds() > event.at &&
                       Simulator::GetContext() == m_fabric.hosts.Get(host)->GetId();
    }

    Simulation m_simulation;                                   ///< Ends with the run.
    FabricContainer m_fabric;                                  ///< The fabric.
    std::vector<Ptr<FabricInitiatorApplication>> m_initiators; ///< By host.
    std::ostringstream m_journal;                              ///< What applications were told.
    bool m_isPunctual{true};                                   ///< When they should.
};

} // namespace ns3::fabric

#endif // NIC_RUN_H
