/* SPDX-License-Identifier: GPL-2.0-only */

// Virtual lanes share a link by level and by the bandwidth of their groups (VA-13): shares,
// latency, and what each lane sends above its bandwidth.

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/fabric-chain.h"
#include "ns3/fabric-csv-writer.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-lane-table-file.h"
#include "ns3/fabric-option-text.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-progress-reporter.h"
#include "ns3/fabric-run-results.h"
#include "ns3/fabric-shortest-path-routing.h"
#include "ns3/fabric-vl-arbiter-queue-disc.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/object-factory.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/udp-header.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>

using namespace ns3;

namespace
{

using fabric::TimePs;

/// Stands for the table of VA-6, which is built in.
const std::string WORKED_EXAMPLE = "worked-example";

/// The value of --laterLoad for loads that do not change.
const std::string SAME = "same";

/// What the options ask for.
struct Settings
{
    std::string table{WORKED_EXAMPLE}; ///< File of the lane table, or WORKED_EXAMPLE.
    std::string mode{"lane"};          ///< Value of the attribute Mode.
    std::string meter{"token-bucket"}; ///< Value of the attribute Meter.
    std::string over{"demote"};        ///< Value of the attribute OverBandwidth.
    bool chargeOver{true};             ///< Value of the attribute ChargeOverBandwidth.
    std::string load{"0.5"};           ///< Loads of the lanes, with commas.
    std::string laterLoad{SAME};       ///< From the middle of the run on.
    std::string via{"queue-disc"};     ///< Which driver.
    uint64_t frameBytes{1024};         ///< On the link, all headers counted.
    DataRate linkRate{"100Gbps"};      ///< Of the link.
    Time linkDelay{NanoSeconds(100)};  ///< Of the link.
    Time samplePeriod{0};              ///< Of lanes.csv, 0 for none.
};

/// What became of the packets of one lane.
struct LaneCounts
{
    uint64_t offered{0};           ///< Packets that the source made.
    uint64_t dropped{0};           ///< Of those, packets that found the lane's queue full.
    uint64_t delivered{0};         ///< Of those, packets that came.
    uint64_t deliveredLate{0};     ///< Delivered in the part of the run that counts.
    uint64_t sent{0};              ///< Chosen by the arbiter in that part.
    uint64_t over{0};              ///< Of those, as Over-Bandwidth.
    uint64_t sampledConforming{0}; ///< Chosen since the last sample, conforming.
    uint64_t sampledOver{0};       ///< Chosen since the last sample, as Over-Bandwidth.
    std::deque<TimePs> underWay;   ///< When packets that wait or are on the link were made, ps.
    std::vector<double> latencies; ///< Of packets delivered in the part that counts, s.
};

/// Counts what the lanes do; drivers report to it.
class LaneMeasurement
{
  public:
    /**
     * @param table the lanes
     * @param countFrom beginning of the part of the run that counts
     */
    LaneMeasurement(const fabric::LaneTable& table, Time countFrom)
        : m_countFrom(countFrom)
    {
        for (const fabric::LaneSettings& lane : table.lanes)
        {
            m_lanes[lane.lane];
        }
    }

    /// A source of a lane has made a packet; `isQueued` tells whether there was room for it.
    void Made(uint32_t lane, bool isQueued)
    {
        LaneCounts& counts = m_lanes.at(lane);
        ++counts.offered;
        if (isQueued)
        {
            counts.underWay.push_back(Simulator::Now().GetPicoSeconds());
        }
        else
        {
            ++counts.dropped;
        }
    }

    /// The arbiter has chosen a packet of a lane.
    void Chosen(uint32_t lane, bool isConforming)
    {
        LaneCounts& counts = m_lanes.at(lane);
        counts.sampledConforming += isConforming;
        counts.sampledOver += !isConforming;
        if (Simulator::Now() >= m_countFrom)
        {
            ++counts.sent;
            counts.over += !isConforming;
        }
    }

    /// The oldest packet of a lane has come.
    void Delivered(uint32_t lane)
    {
        LaneCounts& counts = m_lanes.at(lane);
        ++counts.delivered;
        const TimePs made = counts.underWay.front();
        counts.underWay.pop_front();
        if (Simulator::Now() >= m_countFrom)
        {
            ++counts.deliveredLate;
            counts.latencies.push_back(fabric::ToSeconds(Simulator::Now().GetPicoSeconds() - made));
        }
    }

    /// @return lanes by number
    std::map<uint32_t, LaneCounts>& Lanes()
    {
        return m_lanes;
    }

  private:
    Time m_countFrom;                       ///< Beginning of the part that counts.
    std::map<uint32_t, LaneCounts> m_lanes; ///< By number.
};

/// Packets of lanes over a link whose lanes are arbitrated: what `--via` chooses.
class LaneDriver
{
  public:
    virtual ~LaneDriver() = default;

    /// @throws std::invalid_argument with a sentence if settings do not fit each other
    virtual void CheckSettings() const = 0;
    /// A source of a lane makes a packet.
    virtual void Send(uint32_t lane) = 0;

    /// Reports what has been chosen until now.
    virtual void Settle()
    {
    }

    /// @return payload of each packet, bytes
    virtual uint32_t PayloadBytes() const = 0;
    /// @return packets that wait or are on the link
    virtual uint64_t PacketsInFlight() const = 0;
    /// @return packets that links have begun to carry
    virtual uint64_t Frames() const = 0;

    /// @param duration the run ends then
    virtual void StopAt(Time duration)
    {
        Simulator::Stop(duration);
    }
};

/// A VlArbiterQueueDisc between two nodes with IP, over a point-to-point link.
class QueueDiscDriver : public LaneDriver
{
  public:
    /**
     * @param settings what the options ask for
     * @param table the lanes
     * @param measurement is told what happens
     */
    QueueDiscDriver(const Settings& settings,
                    const fabric::LaneTable& table,
                    LaneMeasurement& measurement)
        : m_measurement(measurement),
          m_payload(static_cast<uint32_t>(settings.frameBytes - HEADERS))
    {
        InstallLink(settings);
        InstallQueueDisc(settings, table);
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        m_addresses = addresses.Assign(m_devices);
        for (const fabric::LaneSettings& lane : table.lanes)
        {
            InstallReceiver(lane.lane);
            InstallSender(lane);
        }
    }

    void CheckSettings() const override
    {
        m_disc->CheckSettings();
    }

    void Send(uint32_t lane) override
    {
        m_isDropped = false;
        m_senders.at(lane)->Send(Create<Packet>(m_payload));
        m_measurement.Made(lane, !m_isDropped);
    }

    uint32_t PayloadBytes() const override
    {
        return m_payload;
    }

    uint64_t PacketsInFlight() const override
    {
        const auto device = DynamicCast<PointToPointNetDevice>(m_devices.Get(0));
        return m_disc->GetNPackets() + device->GetQueue()->GetNPackets() + m_frames - m_arrived;
    }

    uint64_t Frames() const override
    {
        return m_frames;
    }

    static constexpr uint32_t HEADERS = 20 + 8 + 2; ///< IPv4, UDP, PPP; bytes.

  private:
    static constexpr uint16_t FIRST_PORT = 10'000;    ///< Of receivers, by lane; our choice.
    static constexpr uint16_t LARGEST_PACKET = 9'000; ///< MTU of the devices, bytes.

    /// Two nodes, and devices with a queue of one packet, so that the arbiter decides late.
    void InstallLink(const Settings& settings)
    {
        m_nodes.Create(2);
        InternetStackHelper().Install(m_nodes);
        PointToPointHelper helper;
        helper.SetDeviceAttribute("DataRate", DataRateValue(settings.linkRate));
        helper.SetDeviceAttribute("Mtu", UintegerValue(LARGEST_PACKET));
        helper.SetChannelAttribute("Delay", TimeValue(settings.linkDelay));
        helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1p"));
        m_devices = helper.Install(m_nodes);
        m_devices.Get(0)->TraceConnectWithoutContext(
            "PhyTxBegin",
            MakeCallback(&QueueDiscDriver::FrameBegins, this));
    }

    /// The queue disc at the first node.
    void InstallQueueDisc(const Settings& settings, const fabric::LaneTable& table)
    {
        ObjectFactory factory("ns3::VlArbiterQueueDisc");
        factory.Set("Mode", StringValue(settings.mode));
        factory.Set("Meter", StringValue(settings.meter));
        factory.Set("OverBandwidth", StringValue(settings.over));
        factory.Set("ChargeOverBandwidth", BooleanValue(settings.chargeOver));
        factory.Set("LinkRate", DataRateValue(settings.linkRate));
        factory.Set("LinkOverhead", UintegerValue(2));
        std::string classes;
        for (uint32_t i = 0; i < fabric::TRAFFIC_CLASSES; ++i)
        {
            const std::string number = std::to_string(i);
            classes.append(i == 0 ? "" : ",").append(number).append(":").append(number);
        }
        factory.Set("DscpToClass", StringValue(classes));
        m_disc = factory.Create<VlArbiterQueueDisc>();
        m_disc->SetLaneTable(table);
        m_disc->TraceConnectWithoutContext("Grant", MakeCallback(&QueueDiscDriver::Grant, this));
        m_disc->TraceConnectWithoutContext("Drop", MakeCallback(&QueueDiscDriver::Drop, this));
        m_nodes.Get(0)->GetObject<TrafficControlLayer>()->SetRootQueueDiscOnDevice(m_devices.Get(0),
                                                                                   m_disc);
    }

    /// The receiver of a lane.
    void InstallReceiver(uint32_t lane)
    {
        const Ptr<Socket> socket =
            Socket::CreateSocket(m_nodes.Get(1), UdpSocketFactory::GetTypeId());
        socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), ReceiverPort(lane)));
        socket->SetRecvCallback(MakeCallback(&QueueDiscDriver::Receive, this));
        m_laneOf[socket] = lane;
    }

    /// The sender of a lane: its traffic class by DSCP, and of the class's lanes this one by a
    /// port.
    void InstallSender(const fabric::LaneSettings& lane)
    {
        uint16_t port = FIRST_PORT;
        while (m_disc->GetLane(MakeItem(lane, port)) != lane.lane)
        {
            ++port;
        }
        const Ptr<Socket> socket =
            Socket::CreateSocket(m_nodes.Get(0), UdpSocketFactory::GetTypeId());
        // A lane of another class may have taken the port.
        while (socket->Bind(InetSocketAddress(m_addresses.GetAddress(0), port)) != 0)
        {
            do
            {
                ++port;
            } while (m_disc->GetLane(MakeItem(lane, port)) != lane.lane);
        }
        socket->Connect(InetSocketAddress(m_addresses.GetAddress(1), ReceiverPort(lane.lane)));
        socket->SetIpTos(static_cast<uint8_t>(lane.trafficClass << 2));
        m_senders[lane.lane] = socket;
    }

    /// @return a packet as a sender with this port would send it
    Ptr<QueueDiscItem> MakeItem(const fabric::LaneSettings& lane, uint16_t port) const
    {
        const Ptr<Packet> packet = Create<Packet>(m_payload);
        UdpHeader udp;
        udp.SetSourcePort(port);
        udp.SetDestinationPort(ReceiverPort(lane.lane));
        packet->AddHeader(udp);
        Ipv4Header header;
        header.SetSource(m_addresses.GetAddress(0));
        header.SetDestination(m_addresses.GetAddress(1));
        header.SetProtocol(17);
        header.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
        header.SetTos(static_cast<uint8_t>(lane.trafficClass << 2));
        return Create<Ipv4QueueDiscItem>(packet, Address(), 0x0800, header);
    }

    /// @return port of a lane's receiver
    static uint16_t ReceiverPort(uint32_t lane)
    {
        return static_cast<uint16_t>(FIRST_PORT + lane);
    }

    /// The arbiter has chosen a packet.
    void Grant(Ptr<const QueueDiscItem>, uint32_t lane, uint32_t, bool isConforming)
    {
        m_measurement.Chosen(lane, isConforming);
    }

    /// The packet just sent has found no room.
    void Drop(Ptr<const QueueDiscItem>)
    {
        m_isDropped = true;
    }

    /// The link begins to carry a packet.
    void FrameBegins(Ptr<const Packet>)
    {
        ++m_frames;
    }

    /// A packet has come.
    void Receive(Ptr<Socket> socket)
    {
        while (socket->Recv())
        {
            ++m_arrived;
            m_measurement.Delivered(m_laneOf.at(socket));
        }
    }

    LaneMeasurement& m_measurement;            ///< Is told what happens.
    uint32_t m_payload;                        ///< Of packets, bytes.
    NodeContainer m_nodes;                     ///< Sender and receiver.
    NetDeviceContainer m_devices;              ///< Of the link.
    Ipv4InterfaceContainer m_addresses;        ///< Of the devices.
    Ptr<VlArbiterQueueDisc> m_disc;            ///< The arbiter.
    std::map<uint32_t, Ptr<Socket>> m_senders; ///< By lane.
    std::map<Ptr<Socket>, uint32_t> m_laneOf;  ///< Lanes of receivers.
    bool m_isDropped{false};                   ///< Whether the packet just sent was dropped.
    uint64_t m_frames{0};                      ///< Packets that the link began to carry.
    uint64_t m_arrived{0};                     ///< Packets that came.
};

/// Packets of lanes over a fabric switch.
class FabricDriver : public LaneDriver
{
  public:
    /// The switch's installation has checked them.
    void CheckSettings() const override
    {
    }

    void Send(uint32_t lane) override
    {
        Settle();
        Lane& sender = m_lanes.at(lane);
        const bool hasRoom = sender.waiting < LANE_QUEUE;
        if (hasRoom)
        {
            ++sender.waiting;
            sender.device->SendMessage(sender.receiver, m_payload, sender.trafficClass, lane);
        }
        m_measurement.Made(lane, hasRoom);
    }

    uint32_t PayloadBytes() const override
    {
        return m_payload;
    }

    uint64_t PacketsInFlight() const override
    {
        return m_fabric.network->GetTotals().inFlight / m_payload;
    }

    uint64_t Frames() const override
    {
        return m_fabric.network->GetTotals().dataHops;
    }

    void StopAt(Time duration) override
    {
        m_fabric.network->StopAt(duration);
    }

    static constexpr uint32_t HEADERS = fabric::WireBytes(0); ///< Header and FCS, bytes.

  protected:
    /// Packets of a lane that may wait, as VlArbiterQueueDisc has it.
    static constexpr uint32_t LANE_QUEUE = 1000;

    /// What sends the packets of a lane.
    struct Lane
    {
        Ptr<FabricNetDevice> device; ///< Of the host.
        fabric::LocationId receiver; ///< Of its packets.
        uint8_t trafficClass;        ///< The lane's.
        uint32_t waiting;            ///< Packets that the arbiter has not chosen yet.
    };

    /**
     * @param settings what the options ask for
     * @param measurement is told what happens
     */
    FabricDriver(const Settings& settings, LaneMeasurement& measurement)
        : m_measurement(measurement),
          m_payload(static_cast<uint32_t>(settings.frameBytes - HEADERS))
    {
    }

    /// Makes the switch and one host more than so many; host n is the last one.
    void Install(FabricHelper& helper,
                 const Settings& settings,
                 const fabric::LaneTable& table,
                 uint32_t hosts)
    {
        helper.SetChannelAttribute("DataRate", DataRateValue(settings.linkRate));
        helper.SetChannelAttribute("Delay", TimeValue(settings.linkDelay));
        helper.SetDeviceAttribute("Mtu", UintegerValue(fabric::JUMBO_PAYLOAD));
        helper.SetSwitchAttribute("LaneMode", StringValue(settings.mode));
        helper.SetSwitchAttribute("LaneMeter", StringValue(settings.meter));
        helper.SetSwitchAttribute("LaneOverBandwidth", StringValue(settings.over));
        helper.SetSwitchAttribute("LaneChargeOverBandwidth", BooleanValue(settings.chargeOver));
        helper.SetLaneTable(table);
        const fabric::TopologyPlan plan = fabric::MakeChainPlan({hosts});
        m_fabric = helper.Install(plan, fabric::MakeShortestPathRouting(plan));
    }

    /// A host receives packets.
    void Listen(uint32_t host)
    {
        m_fabric.GetDevice(host)->SetMessageCallback(MakeCallback(&FabricDriver::Receive, this));
    }

    /**
     * @param table the lanes
     * @return hosts that have all lanes between them: where lanes share a class, which of them a
     * pair of hosts has is up to their locations
     */
    static uint32_t HostsFor(const fabric::LaneTable& table)
    {
        const bool sharesClasses =
            std::any_of(table.lanes.begin(), table.lanes.end(), [&table](const auto& lane) {
                const fabric::LaneMask lanes = table.LanesOfClass(lane.trafficClass);
                return (lanes & (lanes - 1)) != 0;
            });
        return static_cast<uint32_t>(table.lanes.size()) * (sharesClasses ? 16 : 1);
    }

    /// @return whether the switch puts packets of a lane's class between these on that lane
    bool HasLane(const fabric::LaneSettings& lane,
                 fabric::LocationId src,
                 fabric::LocationId dst) const
    {
        const fabric::SwitchChip& chip = m_fabric.GetSwitch(0)->GetChip();
        return chip.LaneOfFlow(lane.trafficClass, src, dst) == lane.lane;
    }

    /// The arbiter has chosen a packet of a lane.
    void Choose(uint32_t lane, bool isConforming)
    {
        --m_lanes.at(lane).waiting;
        m_measurement.Chosen(lane, isConforming);
    }

    FabricContainer m_fabric;         ///< The switch and its hosts.
    std::map<uint32_t, Lane> m_lanes; ///< By number.

  private:
    /// A packet has come.
    void Receive(const fabric::Message& message)
    {
        m_measurement.Delivered(static_cast<uint32_t>(message.tag));
    }

    LaneMeasurement& m_measurement; ///< Is told what happens.
    uint32_t m_payload;             ///< Of packets, bytes.
};

/**
 * Each lane has a host of its own that sends, and one host receives from all. The switch's port to
 * that one arbitrates.
 */
class LinkDriver : public FabricDriver
{
  public:
    /**
     * @param settings what the options ask for
     * @param table the lanes
     * @param measurement is told what happens
     */
    LinkDriver(const Settings& settings,
               const fabric::LaneTable& table,
               LaneMeasurement& measurement)
        : FabricDriver(settings, measurement)
    {
        const uint32_t hosts = HostsFor(table);
        FabricHelper helper;
        helper.SetDeviceAttribute("ArbitrateLanes", BooleanValue(false)); // each host has one lane
        Install(helper, settings, table, hosts);
        for (const fabric::LaneSettings& lane : table.lanes)
        {
            m_lanes[lane.lane] = {FindHost(lane, hosts),
                                  fabric::LocationOf(hosts),
                                  lane.trafficClass,
                                  0};
        }
        Listen(hosts);
        m_fabric.GetSwitch(0)->TraceConnectWithoutContext("Grant",
                                                          MakeCallback(&LinkDriver::Grant, this));
    }

  private:
    /// @return device of a host that sends on this lane and no other
    Ptr<FabricNetDevice> FindHost(const fabric::LaneSettings& lane, uint32_t hosts) const
    {
        for (uint32_t host = 0; host < hosts; ++host)
        {
            const Ptr<FabricNetDevice> device = m_fabric.GetDevice(host);
            const bool isTaken =
                std::any_of(m_lanes.begin(), m_lanes.end(), [&device](const auto& other) {
                    return other.second.device == device;
                });
            if (!isTaken && HasLane(lane, fabric::LocationOf(host), fabric::LocationOf(hosts)))
            {
                return device;
            }
        }
        throw std::logic_error("no host has lane " + std::to_string(lane.lane));
    }

    /// The arbiter has chosen a frame.
    void Grant(uint32_t, const fabric::Frame& frame, const fabric::Grant& grant, Time)
    {
        Choose(frame.lane, grant.conforming);
    }
};

/// One host sends the packets of all lanes, each to a host of its own. Its uplink arbitrates.
class UplinkDriver : public FabricDriver
{
  public:
    /**
     * @param settings what the options ask for
     * @param table the lanes
     * @param measurement is told what happens
     */
    UplinkDriver(const Settings& settings,
                 const fabric::LaneTable& table,
                 LaneMeasurement& measurement)
        : FabricDriver(settings, measurement)
    {
        const uint32_t hosts = HostsFor(table);
        FabricHelper helper;
        Install(helper, settings, table, hosts);
        m_sender = m_fabric.GetDevice(hosts);
        for (const fabric::LaneSettings& lane : table.lanes)
        {
            const uint32_t host = FindHost(lane, hosts);
            m_lanes[lane.lane] = {m_sender, fabric::LocationOf(host), lane.trafficClass, 0};
            Listen(host);
        }
    }

    void Settle() override
    {
        fabric::Nic& nic = m_sender->GetNic();
        nic.RunUntil(Simulator::Now().GetPicoSeconds());
        for (auto& [lane, sender] : m_lanes)
        {
            for (const bool isConforming : {false, true})
            {
                uint64_t& known = m_known[lane][isConforming];
                for (; known < nic.Lanes()->Totals(lane)[isConforming].frames; ++known)
                {
                    Choose(lane, isConforming);
                }
            }
        }
    }

  private:
    /// @return host that receives packets of this lane and no other
    uint32_t FindHost(const fabric::LaneSettings& lane, uint32_t hosts) const
    {
        for (uint32_t host = 0; host < hosts; ++host)
        {
            const fabric::LocationId location = fabric::LocationOf(host);
            const bool isTaken =
                std::any_of(m_lanes.begin(), m_lanes.end(), [location](const auto& other) {
                    return other.second.receiver == location;
                });
            if (!isTaken && HasLane(lane, fabric::LocationOf(hosts), location))
            {
                return host;
            }
        }
        throw std::logic_error("no host has lane " + std::to_string(lane.lane));
    }

    Ptr<FabricNetDevice> m_sender; ///< Of all packets.
    /// Packets chosen as far as reported, by lane and whether they conformed.
    std::map<uint32_t, std::array<uint64_t, 2>> m_known;
};

/// @return what `--via` chooses
std::unique_ptr<LaneDriver>
MakeDriver(const Settings& settings, const fabric::LaneTable& table, LaneMeasurement& measurement)
{
    if (settings.via == "link")
    {
        return std::make_unique<LinkDriver>(settings, table, measurement);
    }
    if (settings.via == "uplink")
    {
        return std::make_unique<UplinkDriver>(settings, table, measurement);
    }
    return std::make_unique<QueueDiscDriver>(settings, table, measurement);
}

/// Makes packets of a lane at random times.
class LaneSource
{
  public:
    /**
     * @param driver sends
     * @param lane number of the lane
     * @param meanGap between packets, 0 for none, ps
     */
    LaneSource(LaneDriver& driver, uint32_t lane, double meanGap)
        : m_driver(driver),
          m_lane(lane),
          m_meanGap(meanGap),
          m_gap(CreateObject<ExponentialRandomVariable>())
    {
        m_gap->SetStream(lane); // so that all drivers get the same packets
        Plan();
    }

    /**
     * @param at time from which on the gap is another one
     * @param meanGap between packets, 0 for none, ps
     */
    void ChangeAt(Time at, double meanGap)
    {
        Simulator::Schedule(at, &LaneSource::Change, this, meanGap);
    }

  private:
    /// Plans the next packet.
    void Plan()
    {
        if (m_meanGap > 0)
        {
            const double gap = std::min(m_gap->GetValue(m_meanGap, 0), 1e18);
            m_next = Simulator::Schedule(PicoSeconds(std::llround(gap)), &LaneSource::Send, this);
        }
    }

    /// The gap changes; since gaps have no memory, the next one begins now.
    void Change(double meanGap)
    {
        m_meanGap = meanGap;
        Simulator::Cancel(m_next);
        Plan();
    }

    /// Makes a packet.
    void Send()
    {
        m_driver.Send(m_lane);
        Plan();
    }

    LaneDriver& m_driver;                 ///< Sends.
    uint32_t m_lane;                      ///< Number of the lane.
    double m_meanGap;                     ///< Between packets, 0 for none, ps.
    Ptr<ExponentialRandomVariable> m_gap; ///< Between packets.
    EventId m_next;                       ///< The next packet.
};

/// Writes lanes.csv: what the arbiter has chosen of each lane in each period.
class LaneSampler
{
  public:
    /**
     * @param driver reports
     * @param measurement has the figures
     * @param file where to write
     * @param period between samples
     * @param frameBytes of each packet
     */
    LaneSampler(LaneDriver& driver,
                LaneMeasurement& measurement,
                std::ostream& file,
                Time period,
                uint64_t frameBytes)
        : m_driver(driver),
          m_measurement(measurement),
          m_csv(file, {"time_s", "lane", "conforming_bytes", "over_bandwidth_bytes"}),
          m_period(period),
          m_frameBytes(frameBytes)
    {
        Simulator::Schedule(m_period, &LaneSampler::Sample, this);
    }

    /// Writes what was chosen since the last sample, if any time has passed.
    void Write()
    {
        if (Simulator::Now() == m_last)
        {
            return;
        }
        m_last = Simulator::Now();
        m_driver.Settle();
        for (auto& [lane, counts] : m_measurement.Lanes())
        {
            m_csv.Row(fabric::ToSeconds(Simulator::Now().GetPicoSeconds()),
                      lane,
                      counts.sampledConforming * m_frameBytes,
                      counts.sampledOver * m_frameBytes);
            counts.sampledConforming = 0;
            counts.sampledOver = 0;
        }
    }

  private:
    /// A period has passed.
    void Sample()
    {
        Write();
        Simulator::Schedule(m_period, &LaneSampler::Sample, this);
    }

    LaneDriver& m_driver;           ///< Reports.
    LaneMeasurement& m_measurement; ///< Has the figures.
    fabric::CsvWriter m_csv;        ///< The file.
    Time m_period;                  ///< Between samples.
    Time m_last{0};                 ///< Of the last sample.
    uint64_t m_frameBytes;          ///< Of each packet.
};

/// @return the lanes of VA-6: 0 to 3 in group 0, 4 and 5 in group 1, 10 % for each lane
fabric::LaneTable
MakeWorkedExample()
{
    fabric::LaneTable table;
    for (uint8_t lane = 0; lane < 6; ++lane)
    {
        const auto group = static_cast<uint8_t>(lane < 4 ? 0 : 1);
        table.lanes.push_back({lane, 0, lane, group, false});
    }
    table.groups = {{0, 4000}, {1, 2000}};
    return table;
}

/// @return the lanes that the option asks for
fabric::LaneTable
ReadTable(const std::string& file)
{
    if (file == WORKED_EXAMPLE)
    {
        return MakeWorkedExample();
    }
    try
    {
        return fabric::ReadLaneTable(file);
    }
    catch (const std::invalid_argument& error)
    {
        throw fabric::BadInput(std::string("--table=") + error.what()); // it begins with the file
    }
}

/**
 * @param option that says it
 * @param text numbers with commas, one for all lanes or one for each
 * @param lanes how many there are
 * @return the load of each lane
 */
std::vector<double>
ParseLoads(const std::string& option, const std::string& text, std::size_t lanes)
{
    std::vector<double> loads;
    for (const std::string& item : fabric::SplitList(text))
    {
        loads.push_back(fabric::ParseNumber(option, item, {0, 1}));
    }
    if (loads.size() == 1)
    {
        loads.resize(lanes, loads[0]);
    }
    if (loads.size() != lanes)
    {
        fabric::ThrowNotAllowed(option,
                                text,
                                "one number for all lanes, or " + std::to_string(lanes) +
                                    " with commas, one for each lane of the table");
    }
    return loads;
}

/// Adds the program's options.
void
AddOptions(fabric::ProgramOptions& options, Settings& settings)
{
    options.AddText(
        "table",
        "file of the lane table, in JSON or CSV; worked-example for six lanes of 10 % each",
        settings.table);
    options.AddChoice("mode", "what a meter checks", settings.mode, {"lane", "group"});
    options.AddChoice("meter",
                      "how the bandwidth of groups is measured",
                      settings.meter,
                      {"token-bucket", "leaky-bucket", "sliding-window"});
    options.AddChoice("over",
                      "what happens to packets above the bandwidth of their group",
                      settings.over,
                      {"demote", "disqualify"});
    options.AddBoolean("chargeOver",
                       "whether such packets are charged to the meter",
                       settings.chargeOver);
    options.AddText("load",
                    "of the link, of all lanes or of each with commas, 0 to 1",
                    settings.load);
    options.AddText("laterLoad",
                    "that of the middle of the run on; same for no change",
                    settings.laterLoad);
    options.AddChoice("via", "what arbitrates", settings.via, {"queue-disc", "link", "uplink"});
    options.AddSize("frameBytes",
                    "of each packet on the link, headers counted",
                    settings.frameBytes,
                    {64, 9000});
    options.AddRate("linkRate", "rate of the link", settings.linkRate);
    options.AddTime("linkDelay",
                    "propagation delay of the link",
                    settings.linkDelay,
                    NanoSeconds(1),
                    MilliSeconds(10));
    options.AddTime("samplePeriod",
                    "time between samples of the lanes in lanes.csv, 0 for none",
                    settings.samplePeriod,
                    Time(0),
                    Seconds(1));
    options.AddDuration(MilliSeconds(3));
    const std::string disc = "ns3::VlArbiterQueueDisc::";
    const std::string lane = "ns3::FabricSwitch::Lane";
    options.ReserveAttributes({disc + "TableFile", lane + "TableFile"}, "--table");
    options.ReserveAttributes({disc + "Mode", lane + "Mode"}, "--mode");
    options.ReserveAttributes({disc + "Meter", lane + "Meter"}, "--meter");
    options.ReserveAttributes({disc + "OverBandwidth", lane + "OverBandwidth"}, "--over");
    options.ReserveAttributes({disc + "ChargeOverBandwidth", lane + "ChargeOverBandwidth"},
                              "--chargeOver");
    options.ReserveAttributes(
        {disc + "LinkRate", "ns3::PointToPointNetDevice::DataRate", "ns3::FabricChannel::DataRate"},
        "--linkRate");
    options.ReserveAttributes({"ns3::PointToPointChannel::Delay", "ns3::FabricChannel::Delay"},
                              "--linkDelay");
    options.ReserveAttributes({"ns3::PointToPointNetDevice::Mtu", "ns3::FabricDevice::Mtu"},
                              "what frames of any size need");
    options.ReserveAttributes(
        {"ns3::VlArbiterQueueDisc::LinkOverhead", "ns3::VlArbiterQueueDisc::DscpToClass"},
        "what the program's link and lanes need");
}

/// @return time of a packet on the link, ps
double
FrameTime(const Settings& settings)
{
    return 8e12 * static_cast<double>(settings.frameBytes) /
           static_cast<double>(settings.linkRate.GetBitRate());
}

/// Refuses a run in which shares would mean nothing.
void
CheckDuration(const Settings& settings, Time duration)
{
    const auto shortest = static_cast<TimePs>(std::ceil(100 * FrameTime(settings)));
    if (duration.GetPicoSeconds() < shortest)
    {
        fabric::ThrowNotAllowed("--duration",
                                fabric::TimeText(duration.GetPicoSeconds()),
                                "at least " + fabric::TimeText(shortest) +
                                    ", in which the link carries 100 packets");
    }
}

/// Adds the figures of all lanes.
void
AddFigures(fabric::Summary& summary, LaneMeasurement& measurement, double framesOfLink)
{
    for (const auto& [lane, counts] : measurement.Lanes())
    {
        const auto delivered = static_cast<double>(counts.deliveredLate);
        summary.Add("share", {{"lane", std::to_string(lane)}}, delivered / framesOfLink, "1");
    }
    for (const auto& [lane, counts] : measurement.Lanes())
    {
        const fabric::Summary::Subject subject{{"lane", std::to_string(lane)}};
        summary.AddDistribution("latency", subject, counts.latencies, "s");
    }
    for (const auto& [lane, counts] : measurement.Lanes())
    {
        if (counts.sent != 0)
        {
            summary.Add("over_bandwidth_share",
                        {{"lane", std::to_string(lane)}},
                        static_cast<double>(counts.over) / static_cast<double>(counts.sent),
                        "1");
        }
    }
}

/// @return the common figures
fabric::RunTotals
MakeTotals(LaneMeasurement& measurement, const LaneDriver& driver)
{
    fabric::RunTotals totals;
    const uint64_t payload = driver.PayloadBytes();
    for (const auto& [lane, counts] : measurement.Lanes())
    {
        totals.bytesOffered += counts.offered * payload;
        totals.bytesDelivered += counts.delivered * payload;
        totals.bytesDropped["lane-queue"] += counts.dropped * payload;
    }
    totals.bytesInFlight = driver.PacketsInFlight() * payload;
    totals.simulatedTime = Simulator::Now().GetPicoSeconds();
    totals.dataHops = driver.Frames();
    return totals;
}

/// Runs for a time, showing progress.
void
RunFor(const fabric::ProgramOptions& options, LaneDriver& driver)
{
    bool isActive = true;
    const Time duration = options.GetDuration();
    fabric::ProgressReporter progress(
        options.GetProgress(),
        {[&isActive] { return isActive; },
         [duration] { return Simulator::Now().GetSeconds() / duration.GetSeconds(); }});
    progress.Start();
    driver.StopAt(duration);
    Simulator::Run();
    isActive = false;
    progress.Stop();
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Settings settings;
        fabric::ProgramOptions options("fabric-vl-arbitration.cc",
                                       "Virtual lanes share a link by level and by the bandwidth "
                                       "of their groups.");
        AddOptions(options, settings);
        options.Parse(argc, argv);
        const Time duration = options.GetDuration();
        CheckDuration(settings, duration);
        const fabric::LaneTable table = ReadTable(settings.table);
        const std::size_t lanes = table.lanes.size();
        const std::vector<double> loads = ParseLoads("--load", settings.load, lanes);
        const std::vector<double> laterLoads =
            settings.laterLoad == SAME ? loads
                                       : ParseLoads("--laterLoad", settings.laterLoad, lanes);
        fabric::RunResults results(options);

        // The first third fills queues and uses up bursts.
        const Time countFrom = PicoSeconds(duration.GetPicoSeconds() / 3);
        LaneMeasurement measurement(table, countFrom);
        const std::unique_ptr<LaneDriver> driver = MakeDriver(settings, table, measurement);
        driver->CheckSettings();
        std::vector<std::unique_ptr<LaneSource>> sources;
        const auto gapOf = [&settings](double load) {
            return load > 0 ? FrameTime(settings) / load : 0;
        };
        for (std::size_t i = 0; i < lanes; ++i)
        {
            sources.push_back(
                std::make_unique<LaneSource>(*driver, table.lanes[i].lane, gapOf(loads[i])));
            if (settings.laterLoad != SAME)
            {
                sources.back()->ChangeAt(PicoSeconds(duration.GetPicoSeconds() / 2),
                                         gapOf(laterLoads[i]));
            }
        }
        std::unique_ptr<LaneSampler> sampler;
        if (results.GetDirectory() && !settings.samplePeriod.IsZero())
        {
            sampler = std::make_unique<LaneSampler>(*driver,
                                                    measurement,
                                                    results.GetDirectory()->Open("lanes.csv"),
                                                    settings.samplePeriod,
                                                    settings.frameBytes);
        }
        RunFor(options, *driver);
        driver->Settle();
        if (sampler)
        {
            sampler->Write();
        }

        const double counted = static_cast<double>((duration - countFrom).GetPicoSeconds());
        AddFigures(results.GetSummary(), measurement, counted / FrameTime(settings));
        const fabric::RunTotals totals = MakeTotals(measurement, *driver);
        totals.CheckConservation();
        results.Finish(totals, Simulator::GetEventCount(), std::cout);
        Simulator::Destroy();
        return fabric::EXIT_DONE;
    });
}
