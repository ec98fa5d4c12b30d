/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NETWORK_SCENARIO_H
#define FABRIC_NETWORK_SCENARIO_H

#include "fabric-fat-tree-helper.h"
#include "support/fabric-function-case.h"

#include "ns3/boolean.h"
#include "ns3/bulk-send-application.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/hash.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4.h"
#include "ns3/packet-sink.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * Ends the simulation and forgets defaults when a test case is over, however it is left.
 *
 * The scheduler is set before anything is made.
 */
class Simulation
{
  public:
    /// @param scheduler TypeId of the scheduler of events
    explicit Simulation(const std::string& scheduler = "ns3::MapScheduler")
    {
        ObjectFactory factory;
        factory.SetTypeId(scheduler);
        Simulator::SetScheduler(factory);
    }

    ~Simulation()
    {
        Simulator::Destroy();
        Config::Reset();
    }

    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;
};

/**
 * Hosts of a fabric with IP stacks and a journal: what each host received when, byte for byte.
 */
class IpHosts
{
  public:
    /// @param fabric whose hosts get IPv4 and IPv6 stacks, if they have none, and the
    /// addresses 10.0.0.1, ...
    explicit IpHosts(const FabricContainer& fabric)
        : m_fabric(fabric),
          m_journal(fabric.hosts.GetN())
    {
        InternetStackHelper stack;
        if (!fabric.hosts.Get(0)->GetObject<Ipv4>())
        {
            stack.Install(fabric.hosts);
        }
        stack.AssignStreams(fabric.hosts, 1000);
        Ipv4AddressHelper address;
        address.SetBase("10.0.0.0", "255.255.0.0");
        m_interfaces = address.Assign(fabric.devices);
        for (uint32_t i = 0; i < m_journal.size(); ++i)
        {
            fabric.GetDevice(i)->TraceConnectWithoutContext(
                "MacRx",
                Callback<void, Ptr<const Packet>>(
                    [this, i](Ptr<const Packet> packet) { NotePacket(i, packet); }));
        }
        fabric.network->TraceConnectWithoutContext(
            "MessageDelivered",
            Callback<void, const Message&, Time>(
                [this](const Message& message, Time now) { NoteMessage(message, now); }));
    }

    Ipv4Address GetAddress(uint32_t host) const
    {
        return m_interfaces.GetAddress(host);
    }

    /// @param port TCP port
    Ptr<PacketSink> AddSink(uint32_t host, uint16_t port)
    {
        auto sink = CreateObject<PacketSink>();
        sink->SetAttribute("Protocol", TypeIdValue(TcpSocketFactory::GetTypeId()));
        sink->SetAttribute("Local", AddressValue(InetSocketAddress(Ipv4Address::GetAny(), port)));
        m_fabric.hosts.Get(host)->AddApplication(sink);
        return sink;
    }

    /**
     * @param from sending host
     * @param to receiving host
     * @param port TCP port there
     * @param bytes to send
     */
    void AddBulkSend(uint32_t from, uint32_t to, uint16_t port, uint64_t bytes)
    {
        auto sender = CreateObject<BulkSendApplication>();
        sender->SetAttribute("Protocol", TypeIdValue(TcpSocketFactory::GetTypeId()));
        sender->SetAttribute("Remote", AddressValue(InetSocketAddress(GetAddress(to), port)));
        sender->SetAttribute("MaxBytes", UintegerValue(bytes));
        m_fabric.hosts.Get(from)->AddApplication(sender);
    }

    /// @return what the hosts received, by host and time
    std::string GetJournal() const
    {
        std::string all;
        for (uint32_t i = 0; i < m_journal.size(); ++i)
        {
            all += "host " + std::to_string(i) + "\n" + m_journal[i].str();
        }
        return all;
    }

    /// @return messages and packets received
    uint64_t GetReceptions() const
    {
        return m_receptions;
    }

    /// @return whether each entry was made when Simulator::Now() was the time that it was told
    bool IsPunctual() const
    {
        return m_punctual;
    }

  private:
    /// A host has received a packet.
    void NotePacket(uint32_t host, Ptr<const Packet> packet)
    {
        std::string bytes(packet->GetSize(), '\0');
        packet->CopyData(reinterpret_cast<uint8_t*>(bytes.data()), packet->GetSize());
        m_journal[host] << Simulator::Now().GetPicoSeconds() << " packet of " << bytes.size()
                        << " hash " << Hash64(bytes) << "\n";
        ++m_receptions;
    }

    /// A host has received a message.
    void NoteMessage(const Message& message, Time now)
    {
        m_journal[HostOf(message.dst)] << now.GetPicoSeconds() << " message " << message.src << "/"
                                       << message.sequence << " of " << message.bytes << " tag "
                                       << message.tag << "\n";
        ++m_receptions;
        m_punctual = m_punctual && now == Simulator::Now() &&
                     Simulator::GetContext() == m_fabric.hosts.Get(HostOf(message.dst))->GetId();
    }

    FabricContainer m_fabric;                  ///< The fabric.
    Ipv4InterfaceContainer m_interfaces;       ///< By host.
    std::vector<std::ostringstream> m_journal; ///< By host.
    uint64_t m_receptions{0};                  ///< Entries of the journal.
    bool m_punctual{true};                     ///< Whether all times were the present.
};

/// What a run of CongestedTree is.
struct CongestedRun
{
    bool lookahead{true};                       ///< Whether switches run ahead.
    bool flowChannels{true};                    ///< Whether there are flow channels.
    std::string scheduler{"ns3::MapScheduler"}; ///< Of events.
    uint64_t tcpBytes{100'000};                 ///< Of each connection.
    uint64_t queueBytes{16 << 20};              ///< Room for packets in a host's device.
    double errorRate{0};                        ///< Of damaged frames.
    uint32_t threads{1};                        ///< Threads that run switches.
};

/**
 * A fat tree of 16 hosts in which 5 TCP connections and an incast of messages meet at host 0, and
 * messages bounce between other hosts.
 */
class CongestedTree
{
  public:
    static constexpr uint32_t CONNECTIONS = 5; ///< Of TCP.
    static constexpr uint64_t BURST = 60'000;  ///< Bytes of each message of the incast.
    static constexpr uint32_t BURST_COUNT = 6; ///< Messages of each sender of the incast.

    explicit CongestedTree(const CongestedRun& run)
        : m_simulation(run.scheduler),
          m_run(run)
    {
        FatTreeHelper helper(4);
        helper.SetStream(1);
        helper.SetNetworkAttribute("Lookahead", BooleanValue(run.lookahead));
        helper.SetNetworkAttribute("Threads", UintegerValue(run.threads));
        helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
        helper.SetSwitchAttribute("FlowChannels", BooleanValue(run.flowChannels));
        // Small enough for credits of links and hops to matter.
        helper.SetSwitchAttribute("BufferBytes", UintegerValue(128 * 1024));
        helper.SetDeviceAttribute("QueueBytes", UintegerValue(run.queueBytes));
        if (run.errorRate > 0)
        {
            ObjectFactory model;
            model.SetTypeId("ns3::RateErrorModel");
            model.Set("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
            model.Set("ErrorRate", DoubleValue(run.errorRate));
            helper.SetErrorModel(model);
        }
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
        // Else ARP lets TCP begin milliseconds after the messages.
        Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                           StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        fabric = helper.Install();
        hosts = std::make_unique<IpHosts>(fabric);
        AssignErrorStreams();
        AddTraffic();
    }

    /**
     * @param at time from the start
     * @param what is done then
     */
    void At(Time at, std::function<void()> what)
    {
        Simulator::Schedule(at, [what = std::move(what)] { what(); });
    }

    /// @return bytes that TCP has brought to host 0
    uint64_t GetTcpBytes() const
    {
        return m_sink->GetTotalRx();
    }

    /// @return bytes that TCP has to bring to host 0
    uint64_t GetTcpGoal() const
    {
        return CONNECTIONS * m_run.tcpBytes;
    }

    /// @return counters of the fabric as text
    std::string GetTotals() const
    {
        const FabricTotals totals = fabric.network->GetTotals();
        std::ostringstream text;
        text << "offered " << totals.offered << " delivered " << totals.delivered << " inFlight "
             << totals.inFlight << " dataHops " << totals.dataHops << " controlHops "
             << totals.controlHops;
        for (const auto& [cause, bytes] : totals.dropped)
        {
            text << " " << cause << " " << bytes;
        }
        return text.str();
    }

    /// @return the journal of the hosts and the counters
    std::string GetResult() const
    {
        return hosts->GetJournal() + GetTotals() + " tcp " + std::to_string(GetTcpBytes()) + "\n";
    }

  private:
    Simulation m_simulation; ///< Destroyed last.
    CongestedRun m_run;      ///< What it is.

  public:
    FabricContainer fabric;         ///< The fabric.
    std::unique_ptr<IpHosts> hosts; ///< Its hosts.

  private:
    /// Random streams that do not depend on what ran before in this process.
    void AssignErrorStreams()
    {
        int64_t stream = 1'000'000;
        for (uint32_t i = 0; i < fabric.network->GetSwitches().size(); ++i)
        {
            const Ptr<Node> node = fabric.switches.Get(i);
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

    /// TCP connections, an incast, and messages that bounce.
    void AddTraffic()
    {
        m_sink = hosts->AddSink(0, 5000);
        for (const uint32_t from : {4, 4, 8, 12, 15}) // two of one pair of hosts
        {
            hosts->AddBulkSend(from, 0, 5000, m_run.tcpBytes);
        }
        for (const uint32_t from : {1, 5, 9, 13})
        {
            // At the times of round figures many things happen at once.
            for (uint32_t i = 0; i < BURST_COUNT; ++i)
            {
                At(MicroSeconds(2 + 4 * i), [this, from, i] {
                    fabric.GetDevice(from)->SendMessage(LocationOf(0), BURST, 0, i);
                });
            }
        }
        for (uint32_t i = 0; i < fabric.hosts.GetN(); ++i)
        {
            fabric.GetDevice(i)->SetMessageCallback(Callback<void, const Message&>(
                [this, i](const Message& message) { Bounce(i, message); }));
        }
        for (const uint32_t from : {2, 6, 10})
        {
            At(MicroSeconds(1), [this, from] {
                fabric.GetDevice(from)->SendMessage(LocationOf(14), 3000, 1, 1000 + from);
            });
        }
    }

    /// A message with a large tag goes on to another host until it is too small.
    void Bounce(uint32_t host, const Message& message)
    {
        if (message.tag >= 1000 && message.bytes > 50)
        {
            const uint32_t next = (host * 5 + 3) % fabric.hosts.GetN();
            const uint32_t to = next == host ? (host + 1) % fabric.hosts.GetN() : next;
            fabric.GetDevice(host)->SendMessage(LocationOf(to), message.bytes - 50, 1, message.tag);
        }
    }

    Ptr<PacketSink> m_sink; ///< Of the TCP connections.
};

/**
 * Runs the congested tree to its end and checks what has to be true of every run.
 *
 * @param test fails if it is not
 * @param prepare is called before the run
 * @return what the hosts received, and the counters
 */
inline std::string
RunToEnd(FunctionCase& test,
         const CongestedRun& run,
         const std::function<void(CongestedTree&)>& prepare = {})
{
    CongestedTree tree(run);
    if (prepare)
    {
        prepare(tree);
    }
    Simulator::Run();
    test.Expect(tree.GetTcpBytes() == tree.GetTcpGoal(),
                "TCP brought " + std::to_string(tree.GetTcpBytes()) + " bytes of " +
                    std::to_string(tree.GetTcpGoal()));
    tree.fabric.network->CheckInvariants();
    test.Expect(tree.fabric.network->IsEmpty(), "something is left in the fabric");
    test.Expect(tree.hosts->IsPunctual(), "Now() is wrong in a message callback");
    return tree.GetResult();
}

/// @return the four runs with and without lookahead and flow channels
inline std::vector<CongestedRun>
BothModes()
{
    CongestedRun ahead;
    CongestedRun exact;
    exact.lookahead = false;
    return {ahead, exact};
}

/**
 * Sends a message between two hosts and runs to the end.
 *
 * @param lookahead whether switches run ahead
 * @param prepare is called before the run with the fabric
 * @param arrived is called when the message arrives
 */
inline void
RunMessage(bool lookahead,
           const std::function<void(const FabricContainer&)>& prepare,
           const std::function<void()>& arrived)
{
    Simulation simulation;
    FatTreeHelper helper(2);
    helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
    const FabricContainer fabric = helper.Install();
    fabric.GetDevice(1)->SetMessageCallback(
        Callback<void, const Message&>([&arrived](const Message&) { arrived(); }));
    fabric.GetDevice(0)->SendMessage(LocationOf(1), 4000);
    prepare(fabric);
    Simulator::Run();
}

} // namespace ns3::fabric

#endif // FABRIC_NETWORK_SCENARIO_H
