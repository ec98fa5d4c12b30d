/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch.h"

#include "fabric-attribute-flags.h"
#include "fabric-channel.h"
#include "fabric-enum-attribute.h"
#include "fabric-lane-table-file.h"
#include "fabric-net-device.h"
#include "fabric-switch-port.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricSwitch");

NS_OBJECT_ENSURE_REGISTERED(FabricSwitch);

using fabric::BEFORE_INSTALL;
using fabric::TimePs;

TypeId
FabricSwitch::GetTypeId()
{
    static TypeId tid = fabric::PreemptionAttributes::AddAttributes(
        fabric::VlArbiterAttributes::AddAttributes(
            TypeId("ns3::FabricSwitch")
                .SetParent<Object>()
                .SetGroupName("Fabric")
                .AddConstructor<FabricSwitch>()
                .AddAttribute("Ports",
                              "Number of ports (SW-1).",
                              BEFORE_INSTALL,
                              UintegerValue(64),
                              MakeUintegerAccessor(&FabricSwitch::m_ports),
                              MakeUintegerChecker<uint32_t>(1, 4096))
                .AddAttribute(
                    "FlowChannels",
                    "Whether frames wait per flow (FC-10). Without flow channels it is a plain "
                    "lossless switch with virtual output queues.",
                    BEFORE_INSTALL,
                    BooleanValue(true),
                    MakeBooleanAccessor(&FabricSwitch::m_flowChannels),
                    MakeBooleanChecker())
                .AddAttribute(
                    "HopCredits",
                    "Whether a flow whose queue passes TargetWatermark gets credits hop by hop "
                    "(CM-5), so that it can't fill the shared buffer. May change in the run.",
                    BooleanValue(true),
                    MakeBooleanAccessor(&FabricSwitch::SetHopCredits, &FabricSwitch::GetHopCredits),
                    MakeBooleanChecker())
                .AddAttribute(
                    "Arbitration",
                    "Between what an output is shared fairly: `flow` (flow channels; without "
                    "them virtual output queues) or `port` (input ports, inside which who came "
                    "first is served first) (FC-18).",
                    BEFORE_INSTALL,
                    EnumValue(fabric::ARBITRATE_BY_FLOW),
                    fabric::MakeEnumAttributeAccessor<fabric::Arbitration>(
                        &FabricSwitch::m_arbitration),
                    MakeEnumChecker(fabric::ARBITRATE_BY_FLOW,
                                    "flow",
                                    fabric::ARBITRATE_BY_PORT,
                                    "port"))
                .AddAttribute("Forwarding",
                              "When a frame may be sent on: `cut-through` (its head is in) or "
                              "`store-and-forward` (its tail is in) (WL-4).",
                              BEFORE_INSTALL,
                              EnumValue(fabric::CUT_THROUGH),
                              fabric::MakeEnumAttributeAccessor<fabric::Forwarding>(
                                  &FabricSwitch::m_forwarding),
                              MakeEnumChecker(fabric::CUT_THROUGH,
                                              "cut-through",
                                              fabric::STORE_AND_FORWARD,
                                              "store-and-forward"))
                .AddAttribute(
                    "Latency",
                    "From a frame's head to its earliest start at an idle output. 350 ns is the "
                    "median of a Rosetta switch (De Sensi et al., SC'20).",
                    BEFORE_INSTALL,
                    TimeValue(NanoSeconds(350)),
                    MakeTimeAccessor(&FabricSwitch::m_latency),
                    MakeTimeChecker(Time(0), Seconds(1)))
                .AddAttribute(
                    "ControlLatency",
                    "From the arrival of an ACK to its effect, and from a frame's departure to "
                    "the return of its credit. Not published for any switch; chosen.",
                    BEFORE_INSTALL,
                    TimeValue(NanoSeconds(50)),
                    MakeTimeAccessor(&FabricSwitch::m_controlLatency),
                    MakeTimeChecker(Time(0), Seconds(1)))
                .AddAttribute(
                    "AckIdleTimer",
                    "On an idle link the ACKs that wait are sent after this (WL-3). May change "
                    "in the run.",
                    TimeValue(NanoSeconds(30)),
                    MakeTimeAccessor(&FabricSwitch::SetAckIdleTimer,
                                     &FabricSwitch::GetAckIdleTimer),
                    MakeTimeChecker(Time(0), Seconds(1)))
                .AddAttribute("AckBusyTimer",
                              "On a busy link ACKs are sent after this if their number frames "
                              "efficiently (WL-3). May change in the run.",
                              TimeValue(NanoSeconds(60)),
                              MakeTimeAccessor(&FabricSwitch::SetAckBusyTimer,
                                               &FabricSwitch::GetAckBusyTimer),
                              MakeTimeChecker(Time(0), Seconds(1)))
                .AddAttribute(
                    "AckLongestTimer",
                    "ACKs that wait are sent after this in any case (WL-3). May change in the "
                    "run.",
                    TimeValue(NanoSeconds(90)),
                    MakeTimeAccessor(&FabricSwitch::SetAckLongestTimer,
                                     &FabricSwitch::GetAckLongestTimer),
                    MakeTimeChecker(Time(0), Seconds(1)))
                .AddAttribute("BufferBytes",
                              "Input buffer of each port (WL-5). Sizes are not published; chosen.",
                              BEFORE_INSTALL,
                              UintegerValue(512 * 1024),
                              MakeUintegerAccessor(&FabricSwitch::m_bufferBytes),
                              MakeUintegerChecker<uint32_t>(1, 1U << 30))
                .AddAttribute(
                    "ReservedBytes",
                    "Part of the input buffer kept for each virtual channel (WL-5); at least "
                    "one largest frame.",
                    BEFORE_INSTALL,
                    UintegerValue(4 * fabric::WireBytes(fabric::JUMBO_PAYLOAD)),
                    MakeUintegerAccessor(&FabricSwitch::m_reservedBytes),
                    MakeUintegerChecker<uint32_t>(fabric::WireBytes(fabric::MAX_PAYLOAD), 1U << 28))
                .AddAttribute("VirtualChannels",
                              "Virtual channels of each link.",
                              BEFORE_INSTALL,
                              UintegerValue(1),
                              MakeUintegerAccessor(&FabricSwitch::m_virtualChannels),
                              MakeUintegerChecker<uint32_t>(1, fabric::VIRTUAL_CHANNELS))
                .AddAttribute(
                    "ClassToVc",
                    "Virtual channel of each traffic class, 0 first, as `0,1,1`; classes beyond "
                    "the list use channel 0. Hosts' devices have to have the same.",
                    BEFORE_INSTALL,
                    StringValue(""),
                    MakeStringAccessor(&FabricSwitch::m_classToVc),
                    MakeStringChecker())
                .AddAttribute("NoFlowClasses",
                              "Bit mask of traffic classes without flow channels (FC-14).",
                              BEFORE_INSTALL,
                              UintegerValue(0),
                              MakeUintegerAccessor(&FabricSwitch::m_noFlowClasses),
                              MakeUintegerChecker<uint16_t>())
                .AddAttribute(
                    "UnorderedClasses",
                    "Bit mask of traffic classes without flow channels whose frames may each "
                    "take another path (FC-11).",
                    BEFORE_INSTALL,
                    UintegerValue(0),
                    MakeUintegerAccessor(&FabricSwitch::m_unorderedClasses),
                    MakeUintegerChecker<uint16_t>())
                .AddAttribute(
                    "FlowFields",
                    "Header fields that tell flows apart besides destination, class and VNI: "
                    "sum of 1 (MAC), 2 (VLAN), 4 (IP pair), 8 (protocol), 16 (ports), 32 (flow "
                    "label), 64 (process) (FC-2).",
                    BEFORE_INSTALL,
                    UintegerValue(fabric::FLOW_ALL),
                    MakeUintegerAccessor(&FabricSwitch::m_flowFields),
                    MakeUintegerChecker<uint8_t>(0, fabric::FLOW_ALL))
                .AddAttribute("FlowIds",
                              "Flow channels of a link at a time (FC-9).",
                              BEFORE_INSTALL,
                              UintegerValue(fabric::FLOW_IDS_PER_LINK - 1),
                              MakeUintegerAccessor(&FabricSwitch::m_flowIds),
                              MakeUintegerChecker<uint32_t>(1, fabric::FLOW_IDS_PER_LINK - 1))
                .AddAttribute(
                    "HighWatermark",
                    "Depth of a flow's queue above which it gets no hop credit, in units of "
                    "256 bytes (CM-5). Not published; chosen.",
                    BEFORE_INSTALL,
                    UintegerValue(fabric::Watermarks().high),
                    MakeUintegerAccessor(&FabricSwitch::m_highWatermark),
                    MakeUintegerChecker<uint32_t>(1, 1U << 20))
                .AddAttribute(
                    "TargetWatermark",
                    "Depth of a flow's queue above which hop credits begin, in units of 256 "
                    "bytes (CM-5). Not published; chosen.",
                    BEFORE_INSTALL,
                    UintegerValue(fabric::Watermarks().target),
                    MakeUintegerAccessor(&FabricSwitch::m_targetWatermark),
                    MakeUintegerChecker<uint32_t>(1, 1U << 20))
                .AddAttribute(
                    "DropWatermark",
                    "Depth of a flow's queue at which hop credits end, in units of 256 bytes "
                    "(CM-5). Not published; chosen.",
                    BEFORE_INSTALL,
                    UintegerValue(fabric::Watermarks().drop),
                    MakeUintegerAccessor(&FabricSwitch::m_dropWatermark),
                    MakeUintegerChecker<uint32_t>(0, 1U << 20))
                .AddAttribute(
                    "EdgeFlowControl",
                    "How an edge port keeps its host from overrunning it: `credits` (as between "
                    "switches), `pause` (802.3x, the whole link) or `priority-pause` (802.1Qbb, "
                    "by traffic class modulo 8) (WL-5).",
                    BEFORE_INSTALL,
                    EnumValue(fabric::EDGE_CREDITS),
                    fabric::MakeEnumAttributeAccessor<fabric::EdgeFlowControl>(
                        &FabricSwitch::m_edgeFlowControl),
                    MakeEnumChecker(fabric::EDGE_CREDITS,
                                    "credits",
                                    fabric::EDGE_PAUSE,
                                    "pause",
                                    fabric::EDGE_PRIORITY_PAUSE,
                                    "priority-pause"))
                .AddAttribute(
                    "PauseXoffBytes",
                    "An edge port's input buffer pauses the host above this many bytes, for "
                    "each priority or, with `pause`, in all. Chosen.",
                    BEFORE_INSTALL,
                    UintegerValue(fabric::PauseSettings().thresholds.xoffBytes),
                    MakeUintegerAccessor(&FabricSwitch::m_pauseXoffBytes),
                    MakeUintegerChecker<uint32_t>(1))
                .AddAttribute("PauseXonBytes",
                              "A paused host goes on at or below this many bytes. Chosen.",
                              BEFORE_INSTALL,
                              UintegerValue(fabric::PauseSettings().thresholds.xonBytes),
                              MakeUintegerAccessor(&FabricSwitch::m_pauseXonBytes),
                              MakeUintegerChecker<uint32_t>())
                .AddAttribute(
                    "EiqPauseBytes",
                    "Frames that wait for a flow_id pause the host above this many bytes, with "
                    "`pause` and `priority-pause` (FC-9). Chosen.",
                    BEFORE_INSTALL,
                    UintegerValue(fabric::PauseSettings().eiqPauseBytes),
                    MakeUintegerAccessor(&FabricSwitch::m_eiqPauseBytes),
                    MakeUintegerChecker<uint32_t>(1))
                .AddAttribute(
                    "PauseQuanta",
                    "Length of a pause in 512 bit times; it is repeated or lifted in time.",
                    BEFORE_INSTALL,
                    UintegerValue(fabric::PauseSettings().quanta),
                    MakeUintegerAccessor(&FabricSwitch::m_pauseQuanta),
                    MakeUintegerChecker<uint16_t>(1))
                .AddAttribute(
                    "PauseResponseQuanta",
                    "What a host may take to obey a pause, in 512 bit times; 453 is IEEE 802.3's "
                    "(31B.3.7) for 200 Gb/s.",
                    BEFORE_INSTALL,
                    UintegerValue(fabric::PauseSettings().responseQuanta),
                    MakeUintegerAccessor(&FabricSwitch::m_pauseResponseQuanta),
                    MakeUintegerChecker<uint16_t>())
                .AddAttribute(
                    "RoomDivisor",
                    "A flow's watermarks are lowered so that it takes at most this part of the "
                    "free input buffer: 16 for a sixteenth, 0 for no lowering. Chosen: with 16 a "
                    "victim keeps "
                    "four fifths of its bandwidth beside an incast of 512.",
                    BEFORE_INSTALL,
                    UintegerValue(16),
                    MakeUintegerAccessor(&FabricSwitch::m_roomDivisor),
                    MakeUintegerChecker<uint32_t>(0, 1024))
                .AddAttribute(
                    "LaneTableFile",
                    "File of the lane table, in JSON or CSV (VA-11, PR-5): outputs, and "
                    "uplinks of hosts, arbitrate between its virtual lanes. Empty: the table "
                    "is set by SetLaneTable(), and without one virtual channels have turns. "
                    "May change in the run.",
                    StringValue(""),
                    MakeStringAccessor(&FabricSwitch::SetLaneTableFile,
                                       &FabricSwitch::GetLaneTableFile),
                    MakeStringChecker())
                .AddAttribute("MarkClasses",
                              "Bit mask of traffic classes whose frames are marked where they meet "
                              "congestion, for CongestionControl=marks of the transport (RT-14).",
                              BEFORE_INSTALL,
                              UintegerValue(0),
                              MakeUintegerAccessor(&FabricSwitch::m_markClasses),
                              MakeUintegerChecker<uint16_t>())
                .AddAttribute("MarkMinBytes",
                              "No frame is marked while at most so many bytes of its class wait "
                              "for its output. "
                              "Chosen: 2.6 us at 200 Gb/s, about the round trip through a switch.",
                              BEFORE_INSTALL,
                              UintegerValue(fabric::MarkRule().minBytes),
                              MakeUintegerAccessor(&FabricSwitch::m_markMinBytes),
                              MakeUintegerChecker<uint32_t>(0, 1U << 30))
                .AddAttribute(
                    "MarkMaxBytes",
                    "Every frame is marked while more bytes of its class wait for its output, at "
                    "least MarkMinBytes; if both are equal, they are DCTCP's threshold (RFC 8257).",
                    BEFORE_INSTALL,
                    UintegerValue(fabric::MarkRule().maxBytes),
                    MakeUintegerAccessor(&FabricSwitch::m_markMaxBytes),
                    MakeUintegerChecker<uint32_t>(0, 1U << 30))
                .AddAttribute("MarkProbability",
                              "Part of frames that are marked at MarkMaxBytes, above 0; from "
                              "MarkMinBytes on it rises from 0 to this.",
                              BEFORE_INSTALL,
                              DoubleValue(1),
                              MakeDoubleAccessor(&FabricSwitch::m_markProbability),
                              MakeDoubleChecker<double>(0, 1))
                .AddAttribute(
                    "MarkRules",
                    "Classes with rules of their own, which need not be in MarkClasses: class, "
                    "MarkMinBytes, MarkMaxBytes and MarkProbability, as "
                    "`0:65536:65536:1,3:20000:80000:0.1`.",
                    BEFORE_INSTALL,
                    StringValue(""),
                    MakeStringAccessor(&FabricSwitch::m_markRules),
                    MakeStringChecker())
                .AddTraceSource("Arrive",
                                "A frame takes effect at an input port.",
                                MakeTraceSourceAccessor(&FabricSwitch::m_arriveTrace),
                                "ns3::FabricSwitch::FrameTracedCallback")
                .AddTraceSource("Send",
                                "The first bit of a frame is put on the wire.",
                                MakeTraceSourceAccessor(&FabricSwitch::m_sendTrace),
                                "ns3::FabricSwitch::FrameTracedCallback")
                .AddTraceSource("Drop",
                                "A frame is dropped.",
                                MakeTraceSourceAccessor(&FabricSwitch::m_dropTrace),
                                "ns3::FabricSwitch::DropTracedCallback")
                .AddTraceSource(
                    "Grant",
                    "The arbiter of an output's virtual lanes has chosen a frame (VA-12).",
                    MakeTraceSourceAccessor(&FabricSwitch::m_grantTrace),
                    "ns3::FabricSwitch::GrantTracedCallback")
                .AddTraceSource(
                    "Segment",
                    "A frame leaves the wire of an output with LanePreemption, "
                    "LaneInterleaving or LaneCheck=flit: it has ended, was interrupted, or "
                    "its next flit is not there (VA-9, VA-10).",
                    MakeTraceSourceAccessor(&FabricSwitch::m_segmentTrace),
                    "ns3::FabricSwitch::SegmentTracedCallback"),
            "Lane"),
        "Lane");
    return tid;
}

FabricSwitch::FabricSwitch()
    : m_instant([this] { RunInstant(); })
{
}

FabricSwitch::~FabricSwitch() = default;

void
FabricSwitch::DoDispose()
{
    m_instant.Stop();
    m_network = nullptr;
    m_portDevices.clear();
    Object::DoDispose();
}

fabric::SwitchConfig
FabricSwitch::MakeConfig() const
{
    fabric::SwitchConfig config = m_config;
    config.ports = m_ports;
    config.flowChannels.enabled = m_flowChannels;
    config.arbitration = m_arbitration;
    config.timing.forwarding = m_forwarding;
    config.timing.latency = m_latency.GetPicoSeconds();
    config.timing.controlLatency = m_controlLatency.GetPicoSeconds();
    config.buffer.shares = {m_bufferBytes, m_reservedBytes, m_virtualChannels};
    config.congestion.watermarks = {m_highWatermark, m_targetWatermark, m_dropWatermark};
    config.congestion.roomDivisor = m_roomDivisor;
    config.hostControl.edgeFlowControl = m_edgeFlowControl;
    config.hostControl.pause.thresholds = {m_pauseXoffBytes, m_pauseXonBytes};
    config.hostControl.pause.eiqPauseBytes = m_eiqPauseBytes;
    config.hostControl.pause.quanta = m_pauseQuanta;
    config.hostControl.pause.responseQuanta = m_pauseResponseQuanta;
    config.buffer.vcOfClass = fabric::ParseClassToVc(m_classToVc);
    config.flowChannels.noFlowClasses = m_noFlowClasses;
    config.flowChannels.unorderedClasses = m_unorderedClasses;
    config.flowChannels.fields = m_flowFields;
    config.flowChannels.ids = m_flowIds;
    for (uint32_t c = 0; c < fabric::TRAFFIC_CLASSES; ++c)
    {
        config.marks[c] = {(m_markClasses >> c & 1) != 0,
                           m_markMinBytes,
                           m_markMaxBytes,
                           m_markProbability};
    }
    fabric::ParseMarkRules(m_markRules, config.marks);
    if (!m_laneTableFile.empty())
    {
        config.lanes = fabric::LaneArbitration{fabric::ReadLaneTable(m_laneTableFile), {}};
    }
    if (config.lanes)
    {
        config.lanes->arbiter = MakeArbiterSettings({}); // each output has its rate
        config.lanes->arbiter.checkTime = GetCheckTime();
        config.lanes->preemption = MakePreemptionSettings();
    }
    return config;
}

void
FabricSwitch::Install(Ptr<Node> node, Ptr<FabricNetwork> network)
{
    fabric::SwitchConfig config;
    try
    {
        config = MakeConfig();
        config.Validate();
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument("ns3::FabricSwitch on node " + std::to_string(node->GetId()) +
                                    ": " + error.what());
    }
    m_network = network;
    m_chip = std::make_unique<fabric::SwitchChip>(config);
    m_chip->SetDropHandler(
        [this](const fabric::Frame& frame) { m_network->ForgetFrame(frame, GetPart()); });
    m_instant.SetContext(node->GetId());
    for (uint32_t port = 0; port < m_ports; ++port)
    {
        m_portDevices.push_back(CreateObject<FabricSwitchPort>());
        node->AddDevice(m_portDevices.back());
    }
    node->AggregateObject(this);
    m_driver = std::make_unique<fabric::WindowDriver>(
        *m_chip,
        network->Add(this),
        network->GetRunLimits(),
        network->GetWindows(),
        network->GetCrew(),
        m_instant,
        [this] { return IsTraced() ? static_cast<fabric::SwitchObserver*>(this) : nullptr; });
    network->GetSubnetManager().Add(*m_driver);
}

void
FabricSwitch::Connect(uint32_t port,
                      Ptr<FabricSwitch> peer,
                      uint32_t peerPort,
                      Ptr<FabricChannel> channel)
{
    const Ptr<FabricSwitchPort> here = FreePort(port);
    const Ptr<FabricSwitchPort> there = peer->FreePort(peerPort);
    if (here == there)
    {
        throw std::invalid_argument(Name() + ": port " + std::to_string(port) +
                                    " can't be linked with itself");
    }
    const fabric::SwitchConfig& config = m_chip->Config();
    const fabric::SwitchConfig& peerConfig = peer->m_chip->Config();
    if (config.buffer.vcOfClass != peerConfig.buffer.vcOfClass ||
        config.buffer.shares.virtualChannels != peerConfig.buffer.shares.virtualChannels)
    {
        throw std::invalid_argument(
            Name() + " and " + peer->Name() +
            " differ in VirtualChannels or ClassToVc; the two ends of a link must have the same");
    }
    m_network->Add(channel,
                   fabric::SwitchLink{{{GetNumber(), port}, {peer->GetNumber(), peerPort}}});
    channel->Attach(here, there);
    m_chip->ConnectSwitch(port, *peer->m_chip, peerPort, channel->GetRate(), channel->GetDelay());
    peer->m_chip->ConnectSwitch(peerPort, *m_chip, port, channel->GetRate(), channel->GetDelay());
    m_chip->SetLossModel(port, channel->GetLossModel(here));
    peer->m_chip->SetLossModel(peerPort, channel->GetLossModel(there));
    m_usesErrorModels = m_usesErrorModels || channel->GetLossModel(here);
    peer->m_usesErrorModels = peer->m_usesErrorModels || channel->GetLossModel(there);
}

void
FabricSwitch::Connect(uint32_t port, Ptr<FabricNetDevice> device, Ptr<FabricChannel> channel)
{
    const Ptr<FabricSwitchPort> here = FreePort(port);
    if (device->GetChannel())
    {
        throw std::invalid_argument(Name() + ": the device with location " +
                                    std::to_string(device->GetLocation()) +
                                    " is linked already; a device has one link");
    }
    if (m_chip->Config().buffer.vcOfClass != device->GetNic().Config().vcOfClass)
    {
        throw std::invalid_argument(
            Name() + " and the device with location " + std::to_string(device->GetLocation()) +
            " differ in ClassToVc; the two ends of a link must have the same");
    }
    m_network->Add(channel, fabric::SwitchPort{GetNumber(), port}, PeekPointer(device));
    channel->Attach(here, device);
    m_chip->ConnectNic(port, device->GetNic(), channel->GetRate(), channel->GetDelay());
    m_chip->SetLossModel(port, channel->GetLossModel(here));
    device->GetNic().Uplink().SetLossModel(channel->GetLossModel(device));
    m_usesErrorModels =
        m_usesErrorModels || channel->GetLossModel(here) || channel->GetLossModel(device);
}

std::string
FabricSwitch::Name() const
{
    return "ns3::FabricSwitch on node " + std::to_string(GetPort(0)->GetNode()->GetId());
}

Ptr<FabricSwitchPort>
FabricSwitch::FreePort(uint32_t port) const
{
    if (port >= m_ports || GetPort(port)->GetChannel())
    {
        throw std::invalid_argument(Name() + ": port " + std::to_string(port) +
                                    " can't be linked; allowed are those of the ports 0 to " +
                                    std::to_string(m_ports - 1) + " that have no link yet");
    }
    return GetPort(port);
}

Ptr<FabricSwitchPort>
FabricSwitch::GetPort(uint32_t port) const
{
    return m_portDevices.at(port);
}

fabric::SwitchChip&
FabricSwitch::GetChip()
{
    return *m_chip;
}

const fabric::SwitchChip&
FabricSwitch::GetChip() const
{
    return *m_chip;
}

Time
FabricSwitch::GetLookahead() const
{
    return PicoSeconds(m_chip->Lookahead());
}

fabric::WindowDriver&
FabricSwitch::GetDriver()
{
    return *m_driver;
}

uint32_t
FabricSwitch::GetNumber() const
{
    return m_driver->Number();
}

bool
FabricSwitch::UsesErrorModels() const
{
    return m_usesErrorModels;
}

uint32_t
FabricSwitch::GetPart() const
{
    return m_driver->GetPart();
}

void
FabricSwitch::SetSeed(uint32_t seed)
{
    m_config.seed = seed;
}

void
FabricSwitch::ChangeAckTimers()
{
    if (m_chip)
    {
        // Not the present: if it is the start of a window, it may have been handled already. Before
        // the run that is soon enough, since nothing happens in a switch before its first window is
        // over.
        m_chip->ChangeAckTimersAt(m_driver->NextWindow(), m_config.ackTimers);
    }
}

void
FabricSwitch::SetLaneTable(const fabric::LaneTable& table)
{
    if (m_chip)
    {
        m_chip->ChangeLanesAt(m_driver->NextWindow(), table);
        return;
    }
    table.Validate();
    m_config.lanes = fabric::LaneArbitration{table, {}};
    m_laneTableFile.clear();
}

void
FabricSwitch::SetLaneTableFile(std::string file)
{
    if (m_chip)
    {
        SetLaneTable(fabric::ReadLaneTable(file));
    }
    m_laneTableFile = std::move(file); // Install() reads it
}

std::string
FabricSwitch::GetLaneTableFile() const
{
    return m_laneTableFile;
}

void
FabricSwitch::SetAckIdleTimer(Time time)
{
    m_config.ackTimers.idle = time.GetPicoSeconds();
    ChangeAckTimers();
}

Time
FabricSwitch::GetAckIdleTimer() const
{
    return PicoSeconds(m_config.ackTimers.idle);
}

void
FabricSwitch::SetAckBusyTimer(Time time)
{
    m_config.ackTimers.busy = time.GetPicoSeconds();
    ChangeAckTimers();
}

Time
FabricSwitch::GetAckBusyTimer() const
{
    return PicoSeconds(m_config.ackTimers.busy);
}

void
FabricSwitch::SetAckLongestTimer(Time time)
{
    m_config.ackTimers.longest = time.GetPicoSeconds();
    ChangeAckTimers();
}

Time
FabricSwitch::GetAckLongestTimer() const
{
    return PicoSeconds(m_config.ackTimers.longest);
}

void
FabricSwitch::SetHopCredits(bool hopCredits)
{
    m_config.congestion.hopCredits = hopCredits;
    if (m_chip)
    {
        fabric::CongestionSettings congestion = m_chip->Config().congestion;
        congestion.hopCredits = hopCredits;
        m_chip->ChangeCongestionAt(m_driver->NextWindow(), congestion);
    }
}

bool
FabricSwitch::GetHopCredits() const
{
    return m_config.congestion.hopCredits;
}

bool
FabricSwitch::IsTraced() const
{
    return !m_arriveTrace.IsEmpty() || !m_sendTrace.IsEmpty() || !m_dropTrace.IsEmpty() ||
           !m_grantTrace.IsEmpty() || !m_segmentTrace.IsEmpty();
}

void
FabricSwitch::RunInstant()
{
    const TimePs now = Simulator::Now().GetPicoSeconds();
    const Ptr<FabricNetwork> network = m_network; // a trace sink may dispose of all
    m_driver->Tick(now);
    network->GetCrew().DeliverMail(now);
}

void
FabricSwitch::Arrived(uint32_t port, const fabric::Frame& frame, TimePs now)
{
    m_arriveTrace(port, frame, PicoSeconds(now));
}

void
FabricSwitch::Sent(uint32_t port, const fabric::Frame& frame, TimePs now)
{
    m_sendTrace(port, frame, PicoSeconds(now));
}

void
FabricSwitch::Dropped(uint32_t port,
                      const fabric::Frame& frame,
                      fabric::DropCause cause,
                      TimePs now)
{
    m_dropTrace(port, frame, cause, PicoSeconds(now));
}

void
FabricSwitch::Granted(uint32_t port,
                      const fabric::Frame& frame,
                      const fabric::Grant& grant,
                      TimePs now)
{
    m_grantTrace(port, frame, grant, PicoSeconds(now));
}

void
FabricSwitch::SegmentSent(uint32_t port,
                          const fabric::Frame& frame,
                          const fabric::WireSegment& segment,
                          TimePs now)
{
    m_segmentTrace(port, frame, segment, PicoSeconds(now));
}

} // namespace ns3
