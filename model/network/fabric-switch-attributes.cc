/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-attributes.h"

#include "fabric-attribute-flags.h"
#include "fabric-field-attribute.h"
#include "fabric-lane-table-file.h"

#include "ns3/string.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace ns3
{
namespace fabric
{

TypeId
SwitchAttributes::AddAttributes(TypeId tid)
{
    tid = AddGeneralAttributes(tid);
    tid = AddTimingAttributes(tid);
    tid = AddBufferAttributes(tid);
    tid = AddFlowChannelAttributes(tid);
    tid = AddWatermarkAttributes(tid);
    tid = AddHostControlAttributes(tid);
    tid = AddRoomAndLaneAttributes(tid);
    tid = AddMarkAttributes(tid);
    return PreemptionAttributes::AddAttributes(VlArbiterAttributes::AddAttributes(tid, "Lane"),
                                               "Lane");
}

TypeId
SwitchAttributes::AddGeneralAttributes(TypeId tid)
{
    return tid
        .AddAttribute("Ports",
                      "Number of ports.",
                      BEFORE_INSTALL,
                      UintegerValue(64),
                      MakeFieldAccessor(&SwitchAttributes::m_config, &SwitchConfig::ports),
                      MakeUintegerChecker<uint32_t>(1, 4096))
        .AddAttribute("FlowChannels",
                      "Whether frames wait per flow. Without flow channels it is a plain "
                      "lossless switch with virtual output queues.",
                      BEFORE_INSTALL,
                      BooleanValue(true),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::flowChannels,
                                        &FlowChannelSettings::enabled),
                      MakeBooleanChecker())
        .AddAttribute("HopCredits",
                      "Whether a flow whose queue passes TargetWatermark gets credits hop by hop, "
                      "so that it can't fill the shared buffer. May change in the run.",
                      BooleanValue(true),
                      MakeFieldAccessor(&SwitchAttributes::CongestionChanged,
                                        &SwitchAttributes::m_config,
                                        &SwitchConfig::congestion,
                                        &CongestionSettings::hopCredits),
                      MakeBooleanChecker())
        .AddAttribute("Arbitration",
                      "Between what an output is shared fairly: `flow` (flow channels; without "
                      "them virtual output queues) or `port` (input ports, inside which who came "
                      "first is served first).",
                      BEFORE_INSTALL,
                      EnumValue(ARBITRATE_BY_FLOW),
                      MakeFieldAccessor(&SwitchAttributes::m_config, &SwitchConfig::arbitration),
                      MakeEnumChecker(ARBITRATE_BY_FLOW, "flow", ARBITRATE_BY_PORT, "port"));
}

TypeId
SwitchAttributes::AddTimingAttributes(TypeId tid)
{
    return tid
        .AddAttribute(
            "Forwarding",
            "When a frame may be sent on: `cut-through` (its head is in) or "
            "`store-and-forward` (its tail is in).",
            BEFORE_INSTALL,
            EnumValue(CUT_THROUGH),
            MakeFieldAccessor(&SwitchAttributes::m_config,
                              &SwitchConfig::timing,
                              &SwitchTiming::forwarding),
            MakeEnumChecker(CUT_THROUGH, "cut-through", STORE_AND_FORWARD, "store-and-forward"))
        .AddAttribute("Latency",
                      "From a frame's head to its earliest start at an idle output. 350 ns is the "
                      "median of a Rosetta switch (De Sensi et al., SC'20).",
                      BEFORE_INSTALL,
                      TimeValue(NanoSeconds(350)),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::timing,
                                        &SwitchTiming::latency),
                      MakeTimeChecker(Time(0), Seconds(1)))
        .AddAttribute("ControlLatency",
                      "From the arrival of an ACK to its effect, and from a frame's departure to "
                      "the return of its credit. Not published for any switch; chosen.",
                      BEFORE_INSTALL,
                      TimeValue(NanoSeconds(50)),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::timing,
                                        &SwitchTiming::controlLatency),
                      MakeTimeChecker(Time(0), Seconds(1)))
        .AddAttribute("AckIdleTimer",
                      "On an idle link the ACKs that wait are sent after this. May change "
                      "in the run.",
                      TimeValue(NanoSeconds(30)),
                      MakeFieldAccessor(&SwitchAttributes::AckTimersChanged,
                                        &SwitchAttributes::m_config,
                                        &SwitchConfig::ackTimers,
                                        &AckTimers::idle),
                      MakeTimeChecker(Time(0), Seconds(1)))
        .AddAttribute("AckBusyTimer",
                      "On a busy link ACKs are sent after this if their number frames "
                      "efficiently. May change in the run.",
                      TimeValue(NanoSeconds(60)),
                      MakeFieldAccessor(&SwitchAttributes::AckTimersChanged,
                                        &SwitchAttributes::m_config,
                                        &SwitchConfig::ackTimers,
                                        &AckTimers::busy),
                      MakeTimeChecker(Time(0), Seconds(1)))
        .AddAttribute("AckLongestTimer",
                      "ACKs that wait are sent after this in any case. May change in the "
                      "run.",
                      TimeValue(NanoSeconds(90)),
                      MakeFieldAccessor(&SwitchAttributes::AckTimersChanged,
                                        &SwitchAttributes::m_config,
                                        &SwitchConfig::ackTimers,
                                        &AckTimers::longest),
                      MakeTimeChecker(Time(0), Seconds(1)));
}

TypeId
SwitchAttributes::AddBufferAttributes(TypeId tid)
{
    return tid
        .AddAttribute("BufferBytes",
                      "Input buffer of each port. Sizes are not published; chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(512 * 1024),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::buffer,
                                        &BufferSettings::shares,
                                        &BufferShares::totalBytes),
                      MakeUintegerChecker<uint32_t>(1, 1U << 30))
        .AddAttribute("ReservedBytes",
                      "Part of the input buffer kept for each virtual channel; at least "
                      "one largest frame.",
                      BEFORE_INSTALL,
                      UintegerValue(4 * WireBytes(JUMBO_PAYLOAD)),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::buffer,
                                        &BufferSettings::shares,
                                        &BufferShares::reservedBytesPerVc),
                      MakeUintegerChecker<uint32_t>(WireBytes(MAX_PAYLOAD), 1U << 28))
        .AddAttribute("VirtualChannels",
                      "Virtual channels of each link.",
                      BEFORE_INSTALL,
                      UintegerValue(1),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::buffer,
                                        &BufferSettings::shares,
                                        &BufferShares::virtualChannels),
                      MakeUintegerChecker<uint32_t>(1, VIRTUAL_CHANNELS))
        .AddAttribute("ClassToVc",
                      "Virtual channel of each traffic class, 0 first, as `0,1,1`; classes beyond "
                      "the list use channel 0. Hosts' devices have to have the same.",
                      BEFORE_INSTALL,
                      StringValue(""),
                      MakeStringAccessor(&SwitchAttributes::m_classToVc),
                      MakeStringChecker());
}

TypeId
SwitchAttributes::AddFlowChannelAttributes(TypeId tid)
{
    return tid
        .AddAttribute("NoFlowClasses",
                      "Bit mask of traffic classes without flow channels.",
                      BEFORE_INSTALL,
                      UintegerValue(0),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::flowChannels,
                                        &FlowChannelSettings::noFlowClasses),
                      MakeUintegerChecker<uint16_t>())
        .AddAttribute("UnorderedClasses",
                      "Bit mask of traffic classes without flow channels whose frames may each "
                      "take another path.",
                      BEFORE_INSTALL,
                      UintegerValue(0),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::flowChannels,
                                        &FlowChannelSettings::unorderedClasses),
                      MakeUintegerChecker<uint16_t>())
        .AddAttribute("FlowFields",
                      "Header fields that tell flows apart besides destination, class and VNI: "
                      "sum of 1 (MAC), 2 (VLAN), 4 (IP pair), 8 (protocol), 16 (ports), 32 (flow "
                      "label), 64 (process).",
                      BEFORE_INSTALL,
                      UintegerValue(FLOW_ALL),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::flowChannels,
                                        &FlowChannelSettings::fields),
                      MakeUintegerChecker<uint8_t>(0, FLOW_ALL))
        .AddAttribute("FlowIds",
                      "Flow channels of a link at a time.",
                      BEFORE_INSTALL,
                      UintegerValue(FLOW_IDS_PER_LINK - 1),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::flowChannels,
                                        &FlowChannelSettings::ids),
                      MakeUintegerChecker<uint32_t>(1, FLOW_IDS_PER_LINK - 1));
}

TypeId
SwitchAttributes::AddWatermarkAttributes(TypeId tid)
{
    return tid
        .AddAttribute("HighWatermark",
                      "Depth of a flow's queue above which it gets no hop credit, in units of "
                      "256 bytes. Not published; chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(Watermarks().high),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::congestion,
                                        &CongestionSettings::watermarks,
                                        &Watermarks::high),
                      MakeUintegerChecker<uint32_t>(1, 1U << 20))
        .AddAttribute("TargetWatermark",
                      "Depth of a flow's queue above which hop credits begin, in units of 256 "
                      "bytes. Not published; chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(Watermarks().target),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::congestion,
                                        &CongestionSettings::watermarks,
                                        &Watermarks::target),
                      MakeUintegerChecker<uint32_t>(1, 1U << 20))
        .AddAttribute("DropWatermark",
                      "Depth of a flow's queue at which hop credits end, in units of 256 bytes "
                      ". Not published; chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(Watermarks().drop),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::congestion,
                                        &CongestionSettings::watermarks,
                                        &Watermarks::drop),
                      MakeUintegerChecker<uint32_t>(0, 1U << 20));
}

TypeId
SwitchAttributes::AddHostControlAttributes(TypeId tid)
{
    return tid
        .AddAttribute("EdgeFlowControl",
                      "How an edge port keeps its host from overrunning it: `credits` (as between "
                      "switches), `pause` (802.3x, the whole link) or `priority-pause` (802.1Qbb, "
                      "by traffic class modulo 8).",
                      BEFORE_INSTALL,
                      EnumValue(EDGE_CREDITS),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::hostControl,
                                        &HostControlSettings::edgeFlowControl),
                      MakeEnumChecker(EDGE_CREDITS,
                                      "credits",
                                      EDGE_PAUSE,
                                      "pause",
                                      EDGE_PRIORITY_PAUSE,
                                      "priority-pause"))
        .AddAttribute("PauseXoffBytes",
                      "An edge port's input buffer pauses the host above this many bytes, for "
                      "each priority or, with `pause`, in all. Chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(PauseSettings().thresholds.xoffBytes),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::hostControl,
                                        &HostControlSettings::pause,
                                        &PauseSettings::thresholds,
                                        &PauseThresholds::xoffBytes),
                      MakeUintegerChecker<uint32_t>(1))
        .AddAttribute("PauseXonBytes",
                      "A paused host goes on at or below this many bytes. Chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(PauseSettings().thresholds.xonBytes),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::hostControl,
                                        &HostControlSettings::pause,
                                        &PauseSettings::thresholds,
                                        &PauseThresholds::xonBytes),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("EiqPauseBytes",
                      "Frames that wait for a flow_id pause the host above this many bytes, with "
                      "`pause` and `priority-pause`. Chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(PauseSettings().eiqPauseBytes),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::hostControl,
                                        &HostControlSettings::pause,
                                        &PauseSettings::eiqPauseBytes),
                      MakeUintegerChecker<uint32_t>(1))
        .AddAttribute("PauseQuanta",
                      "Length of a pause in 512 bit times; it is repeated or lifted in time.",
                      BEFORE_INSTALL,
                      UintegerValue(PauseSettings().quanta),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::hostControl,
                                        &HostControlSettings::pause,
                                        &PauseSettings::quanta),
                      MakeUintegerChecker<uint16_t>(1))
        .AddAttribute("PauseResponseQuanta",
                      "What a host may take to obey a pause, in 512 bit times; 453 is IEEE 802.3's "
                      "(31B.3.7) for 200 Gb/s.",
                      BEFORE_INSTALL,
                      UintegerValue(PauseSettings().responseQuanta),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::hostControl,
                                        &HostControlSettings::pause,
                                        &PauseSettings::responseQuanta),
                      MakeUintegerChecker<uint16_t>());
}

TypeId
SwitchAttributes::AddRoomAndLaneAttributes(TypeId tid)
{
    return tid
        .AddAttribute("RoomDivisor",
                      "A flow's watermarks are lowered so that it takes at most this part of the "
                      "free input buffer: 16 for a sixteenth, 0 for no lowering. Chosen: with 16 a "
                      "victim keeps "
                      "four fifths of its bandwidth beside an incast of 512.",
                      BEFORE_INSTALL,
                      UintegerValue(16),
                      MakeFieldAccessor(&SwitchAttributes::m_config,
                                        &SwitchConfig::congestion,
                                        &CongestionSettings::roomDivisor),
                      MakeUintegerChecker<uint32_t>(0, 1024))
        .AddAttribute("LaneTableFile",
                      "File of the lane table, in JSON or CSV: outputs, and "
                      "uplinks of hosts, arbitrate between its virtual lanes. Empty: the table "
                      "is set by SetLaneTable(), and without one virtual channels have turns. "
                      "May change in the run.",
                      StringValue(""),
                      MakeStringAccessor(&SwitchAttributes::SetLaneTableFile,
                                         &SwitchAttributes::GetLaneTableFile),
                      MakeStringChecker());
}

TypeId
SwitchAttributes::AddMarkAttributes(TypeId tid)
{
    return tid
        .AddAttribute("MarkClasses",
                      "Bit mask of traffic classes whose frames are marked where they meet "
                      "congestion, for CongestionControl=marks of the transport.",
                      BEFORE_INSTALL,
                      UintegerValue(0),
                      MakeFieldAccessor(&SwitchAttributes::m_markClasses),
                      MakeUintegerChecker<uint16_t>())
        .AddAttribute("MarkMinBytes",
                      "No frame is marked while at most so many bytes of its class wait "
                      "for its output. "
                      "Chosen: 2.6 us at 200 Gb/s, about the round trip through a switch.",
                      BEFORE_INSTALL,
                      UintegerValue(MarkRule().minBytes),
                      MakeFieldAccessor(&SwitchAttributes::m_markRule, &MarkRule::minBytes),
                      MakeUintegerChecker<uint32_t>(0, 1U << 30))
        .AddAttribute(
            "MarkMaxBytes",
            "Every frame is marked while more bytes of its class wait for its output, at "
            "least MarkMinBytes; if both are equal, they are DCTCP's threshold (RFC 8257).",
            BEFORE_INSTALL,
            UintegerValue(MarkRule().maxBytes),
            MakeFieldAccessor(&SwitchAttributes::m_markRule, &MarkRule::maxBytes),
            MakeUintegerChecker<uint32_t>(0, 1U << 30))
        .AddAttribute("MarkProbability",
                      "Part of frames that are marked at MarkMaxBytes, above 0; from "
                      "MarkMinBytes on it rises from 0 to this.",
                      BEFORE_INSTALL,
                      DoubleValue(1),
                      MakeFieldAccessor(&SwitchAttributes::m_markRule, &MarkRule::probability),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("MarkRules",
                      "Classes with rules of their own, which need not be in MarkClasses: class, "
                      "MarkMinBytes, MarkMaxBytes and MarkProbability, as "
                      "`0:65536:65536:1,3:20000:80000:0.1`.",
                      BEFORE_INSTALL,
                      StringValue(""),
                      MakeStringAccessor(&SwitchAttributes::m_markRules),
                      MakeStringChecker());
}

SwitchConfig
SwitchAttributes::ReadConfig() const
{
    SwitchConfig config = m_config;
    config.buffer.vcOfClass = ParseClassToVc(m_classToVc);
    for (uint32_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        config.marks[c] = m_markRule;
        config.marks[c].isOn = (m_markClasses >> c & 1) != 0;
    }
    ParseMarkRules(m_markRules, config.marks);
    if (!m_laneTableFile.empty())
    {
        config.lanes = LaneArbitration{ReadLaneTable(m_laneTableFile), {}};
    }
    if (config.lanes)
    {
        config.lanes->arbiter = MakeArbiterSettings({}); // each output has its rate
        config.lanes->arbiter.checkTime = GetCheckTime();
        config.lanes->preemption = GetPreemptionSettings();
    }
    RequireEffects(config);
    return config;
}

void
SwitchAttributes::RequireEffects(const SwitchConfig& config) const
{
    const PreemptionSettings& preemption = GetPreemptionSettings();
    if (!config.lanes && (preemption.preempt || preemption.interleave))
    {
        throw std::invalid_argument(
            std::string(preemption.preempt ? "LanePreemption" : "LaneInterleaving") +
            " is true, and the switch has no virtual lanes; allowed is false, or a lane table");
    }
    const FlowChannelSettings& flows = config.flowChannels;
    const uint16_t withoutChannels = flows.enabled ? flows.noFlowClasses : 0xFFFF;
    if (flows.unorderedClasses != 0 && (flows.unorderedClasses & withoutChannels) == 0)
    {
        throw std::invalid_argument("UnorderedClasses is " +
                                    std::to_string(flows.unorderedClasses) +
                                    ", and all these classes have flow channels, which keep their "
                                    "order; allowed are classes of NoFlowClasses (" +
                                    std::to_string(flows.noFlowClasses) + ")");
    }
}

void
SwitchAttributes::KeepLaneTable(const LaneTable& table)
{
    table.Validate();
    m_config.lanes = LaneArbitration{table, {}};
    m_laneTableFile.clear();
}

void
SwitchAttributes::SetLaneTableFile(std::string file)
{
    LaneTableFileChanges(file);
    m_laneTableFile = std::move(file); // ReadConfig() reads it
}

std::string
SwitchAttributes::GetLaneTableFile() const
{
    return m_laneTableFile;
}

} // namespace fabric
} // namespace ns3
