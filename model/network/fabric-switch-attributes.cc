/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-attributes.h"

#include "fabric-attributed-type.h"
#include "fabric-injection-texts.h"
#include "fabric-lane-table-file.h"
#include "fabric-shaping-table-file.h"
#include "fabric-transport-layout.h"

#include "ns3/string.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

TypeId
SwitchAttributes::AddAttributes(TypeId tid)
{
    tid = AddBufferAttributes(AddTimingAttributes(AddGeneralAttributes(tid)));
    tid = AddMemoryAttributes(tid);
    tid = AddCrossbarAttributes(tid);
    tid = AddLinkControlAttributes(AddHostControlAttributes(AddCongestionAttributes(tid)));
    tid = AddShapingAttributes(AddMarkAndLaneAttributes(AddTrimAttributes(tid)));
    tid = AddReductionAttributes(tid);
    return PreemptionAttributes::AddAttributes(VlArbiterAttributes::AddAttributes(tid, "Lane"),
                                               "Lane");
}

TypeId
SwitchAttributes::AddGeneralAttributes(TypeId tid)
{
    AttributedType(tid, BEFORE_INSTALL, &SwitchAttributes::m_config)
        .Add("Ports", "Number of ports.")
        .Sets(&SwitchConfig::ports, 64, {1, 4096})
        .Add("Arbitration",
             "What an output serves round-robin: `flow` (flow channels; without them virtual "
             "output queues) or `port` (input ports, and first come, first served inside a port).")
        .SetsOneOf(&SwitchConfig::arbitration, ARBITRATE_BY_FLOW, "flow", ARBITRATE_BY_PORT, "port")
        .Add("DetourBias",
             "Bytes that a detour has to be better by than a shortest path where adaptive routing "
             "of a dragonfly, torus or HyperX weighs both: what waits for the output, is on its "
             "link or in the "
             "buffer behind, and the frame itself, times the links of the path. Chosen by a sweep: "
             "with a quarter of it uniform traffic near the rate of the links takes so many "
             "detours that 1056 hosts get a fifth less; with less, too, adversarial traffic waits "
             "for a shorter time.")
        .Sets(&SwitchConfig::detourBias, 131072, {0, 1U << 30})
        .In(&SwitchConfig::turns)
        .Add("Turns",
             "What a turn of round-robin is: `frames` (one frame, so flows with larger frames get "
             "more) or `bytes` (deficit round robin, Shreedhar and Varghese, SIGCOMM'95).")
        .SetsOneOf(&TurnSettings::unit, TURNS_BY_FRAMES, "frames", TURNS_BY_BYTES, "bytes")
        .Add("TurnQuantum",
             "Quantum of deficit round robin (Turns=bytes), bytes on the wire. The default is a "
             "largest frame. With less a frame waits for several rounds, which takes time to "
             "simulate; with more, rounds are longer.")
        .Sets(&TurnSettings::quantum,
              TurnSettings().quantum,
              {TurnSettings::LEAST_QUANTUM, TurnSettings::MOST_QUANTUM});
    return AttributedType(tid, BEFORE_INSTALL, &SwitchAttributes::m_config)
        .In(&SwitchConfig::flowChannels)
        .Add("FlowChannels",
             "Whether frames are queued per flow. Without, it is a plain lossless switch with "
             "virtual output queues.")
        .Sets(&FlowChannelSettings::enabled, true)
        .Add("NoFlowClasses", "Bit mask of traffic classes without flow channels.")
        .Sets(&FlowChannelSettings::noFlowClasses, 0)
        .Add("UnorderedClasses",
             "Bit mask of traffic classes whose frames may each take another path, whatever is "
             "under way of their flow (packet spraying), with or without flow channels.")
        .Sets(&FlowChannelSettings::unorderedClasses, 0)
        .Add("FlowFields",
             "Header fields that identify a flow besides destination, class and VNI: sum of 1 "
             "(MAC), 2 (VLAN), 4 (IP pair), 8 (protocol), 16 (ports), 32 (flow label), 64 "
             "(process).")
        .Sets(&FlowChannelSettings::fields, FLOW_ALL, {0, FLOW_ALL})
        .Add("FlowRules",
             "Rules that identify flows of some frames by other fields than FlowFields. The first "
             "rule that matches counts: conditions -> fields, with ; between rules, as "
             "`ipv4.dst=10.1.0.0/16 protocol=6 -> ip,ports; dst=5 vni=7 -> none`. Conditions: dst, "
             "vni, class, vlan, protocol, port.src, port.dst, label, process, ipv4.src, ipv4.dst, "
             "ipv6.src, ipv6.dst, mac.src, mac.dst, each =value, =value/mask or =address/prefix. "
             "Fields: the same but for the first three, mac, ip, ports, all or none, with commas "
             "between; destination, class and VNI always count.")
        .Sets(&SwitchAttributes::m_flowRules, "")
        .Add("FlowStatistics",
             "Statistics per flow channel: `off`, `open` (frames, bytes and extents of open "
             "channels, which FlowClosed reports when they close) or `all` (closed ones are kept "
             "too, about 100 bytes each).")
        .SetsOneOf(&FlowChannelSettings::statistics,
                   NO_FLOW_STATISTICS,
                   "off",
                   OPEN_FLOW_STATISTICS,
                   "open",
                   CLOSED_FLOW_STATISTICS,
                   "all")
        .Add("FlowIds", "Flow channels that a link can have at a time.")
        .Sets(&FlowChannelSettings::ids, FLOW_IDS_PER_LINK - 1, {1, FLOW_IDS_PER_LINK - 1})
        .Add("FlowCheckInterval",
             "On links whose error models damage ACK frames: a flow channel from which nothing was "
             "heard for this time is asked for, since its last ACK may be lost. At least four "
             "times the transmission time of the largest frame.")
        .Sets(&FlowChannelSettings::checkInterval, MicroSeconds(100), {TimePs{1}, Seconds(10)});
}

TypeId
SwitchAttributes::AddTimingAttributes(TypeId tid)
{
    AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config, &SwitchConfig::timing)
        .Add("Forwarding",
             "When a frame may be forwarded: `cut-through` (its head has arrived) or "
             "`store-and-forward` (its tail has arrived).")
        .SetsOneOf(&SwitchTiming::forwarding,
                   CUT_THROUGH,
                   "cut-through",
                   STORE_AND_FORWARD,
                   "store-and-forward")
        .Add("Latency",
             "Time from the arrival of a frame's head to its earliest start at an idle output. 350 "
             "ns is the median of a Rosetta switch (De Sensi et al., SC'20).")
        .Sets(&SwitchTiming::latency, NanoSeconds(350), {Time(0), Seconds(1)})
        .Add("ControlLatency",
             "Time from the arrival of an ACK to its effect, and from a frame's departure to the "
             "return of its credit. Not published for any switch; chosen.")
        .Sets(&SwitchTiming::controlLatency, NanoSeconds(50), {Time(0), Seconds(1)});
    return AttributedType(tid, TypeId::ATTR_SGC, &SwitchAttributes::AckTimersChanged)
        .In(&SwitchAttributes::m_config, &SwitchConfig::ackTimers)
        .Add("AckIdleTimer",
             "Time after which waiting ACKs are sent on an idle link. May change in the run.")
        .Sets(&AckTimers::idle, NanoSeconds(30), {Time(0), Seconds(1)})
        .Add("AckBusyTimer",
             "Time after which waiting ACKs are sent on a busy link if their number frames "
             "efficiently. May change in the run.")
        .Sets(&AckTimers::busy, NanoSeconds(60), {Time(0), Seconds(1)})
        .Add("AckLongestTimer",
             "Time after which waiting ACKs are sent in any case. May change in the run.")
        .Sets(&AckTimers::longest, NanoSeconds(90), {Time(0), Seconds(1)});
}

TypeId
SwitchAttributes::AddBufferAttributes(TypeId tid)
{
    return AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config, &SwitchConfig::buffer, &BufferSettings::shares)
        .Add("BufferBytes", "Input buffer of each port, bytes. Sizes are not published; chosen.")
        .Sets(&BufferShares::totalBytes, 512 * 1024, {1, 1U << 30})
        .Add("ReservedBytes",
             "Bytes of the input buffer reserved for each virtual channel; at least one largest "
             "frame.")
        .Sets(&BufferShares::reservedBytesPerVc,
              4 * WireBytes(JUMBO_PAYLOAD),
              {WireBytes(MAX_PAYLOAD), 1U << 28})
        .Add("VirtualChannels", "Virtual channels of each link.")
        .Sets(&BufferShares::virtualChannels, 1, {1, VIRTUAL_CHANNELS})
        .Add("ClassToVc",
             "Virtual channel of each traffic class, from class 0 on, as `0,1,1`; further classes "
             "use channel 0. Hosts' devices need the same.")
        .Sets(&SwitchAttributes::m_classToVc, "")
        .Add("LossyClasses",
             "Bit mask of lossy traffic classes: their senders never wait for credits, and frames "
             "are dropped at LossyDropBytes. They need virtual channels of their own; 0 for none.")
        .Sets(&SwitchAttributes::m_lossyClasses, 0, {0, 0xFFFF})
        .Add("LossyDropBytes",
             "Bytes of an input buffer for each virtual channel of LossyClasses; a frame that "
             "would need more is dropped. Chosen.")
        .Sets(&SwitchAttributes::m_lossyBytes, 128 * 1024, {WireBytes(MAX_PAYLOAD), 1U << 28})
        .Add("MaxFrameBytes",
             "Largest frame on the wire, with header and check, bytes. A larger one is dropped and "
             "blocks what comes after it by its port, until ResetPort(). The default is the "
             "largest frame that there is.")
        .Sets(&SwitchAttributes::m_maxFrameBytes,
              WireBytes(JUMBO_PAYLOAD),
              {WireBytes(0), WireBytes(JUMBO_PAYLOAD)});
}

TypeId
SwitchAttributes::AddMemoryAttributes(TypeId tid)
{
    using Settings = SharedMemorySettings;
    return AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config, &SwitchConfig::buffer, &BufferSettings::shared)
        .Add("SharedBufferBytes",
             "Memory that all ports share instead of having BufferBytes each, bytes, divided by "
             "dynamic thresholds. It is for senders that are paused, each priority of which has "
             "its headroom beside it, and for LossyClasses without flow channels. 0 for none.")
        .Sets(&Settings::bytes, 0, {0, 1U << 30})
        .Add("SharedPauseAlpha",
             "Multiple of the free part of SharedBufferBytes that a priority of an input may have "
             "before its sender is paused (with `pause`, all of the input). 1 is that of DCQCN's "
             "authors (Zhu et al., SIGCOMM'15, beta = 8 for 8 priorities).")
        .Sets(&Settings::pauseAlpha, Settings().pauseAlpha, {1.0 / 1024, 1024})
        .Add("SharedLossyAlpha",
             "Multiple of the free part of SharedBufferBytes that may wait for an output on a "
             "lossy virtual channel; where so much waits, frames are dropped. 1 is what Choudhury "
             "and Hahne (1998) look at most.")
        .Sets(&Settings::lossyAlpha, Settings().lossyAlpha, {1.0 / 1024, 1024})
        .Add("SharedXonGap",
             "So many bytes below SharedPauseAlpha's limit a paused sender resumes, if it has left "
             "its headroom. The default is a largest frame, as Mellanox sets it (mlx5 of Linux).")
        .Sets(&Settings::xonGapBytes, Settings().xonGapBytes, {0, 1U << 30});
}

TypeId
SwitchAttributes::AddCrossbarAttributes(TypeId tid)
{
    using Settings = CrossbarSettings;
    AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config, &SwitchConfig::crossbar)
        .Add("Crossbar",
             "What is between inputs and outputs: `ideal` (an output takes a frame from any input "
             "whenever its wire is free) or `tiled` (tiles with buses and buffers, as in a Rosetta "
             "switch; frames are granted when the output's buffer has room). An idle switch takes "
             "the same time with both.")
        .SetsOneOf(&Settings::model, CROSSBAR_IDEAL, "ideal", CROSSBAR_TILED, "tiled")
        .Add("CrossbarRows",
             "Rows of tiles, with Crossbar=tiled. Each has a bus to each output. 4 is that of a "
             "Rosetta switch (De Sensi et al., SC'20).")
        .Sets(&Settings::rows, Settings().rows, {1, 64})
        .Add("CrossbarTilePorts",
             "Ports that share a tile, with Crossbar=tiled; columns follow from the number of "
             "ports. 2 is that of a Rosetta switch.")
        .Sets(&Settings::portsPerTile, Settings().portsPerTile, {1, 64})
        .Add("CrossbarSpeedup",
             "Rate of each bus of the tiles as a multiple of the switch's fastest link, with "
             "Crossbar=tiled. Not published; chosen.")
        .Sets(&Settings::speedup, Settings().speedup, {1, 64})
        .Add("CrossbarTransit",
             "Time of a frame's head through idle tiles, with Crossbar=tiled; a part of Latency. "
             "Not published; chosen.")
        .Sets(&Settings::transit, Settings().transit, {Time(0), Seconds(1)})
        .Add("CrossbarTileBuffer",
             "Buffer of an input in each tile of its row, bytes, with Crossbar=tiled. Not "
             "published; chosen: three jumbo frames.")
        .Sets(&Settings::tileBufferBytes,
              Settings().tileBufferBytes,
              {Settings::LARGEST_FRAME, Settings::MOST_BUFFER_BYTES})
        .Add("CrossbarOutputBuffer",
             "Buffer of each output, bytes, with Crossbar=tiled. A frame is granted when it has "
             "room there for all of it. Not published; chosen: three jumbo frames.")
        .Sets(&Settings::outputBufferBytes,
              Settings().outputBufferBytes,
              {Settings::LARGEST_JUMBO, Settings::MOST_BUFFER_BYTES});
    return AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config, &SwitchConfig::crossbar, &Settings::ageQueue)
        .Add("AgeQueuePlaces",
             "Queues that can ask an output at a time, with Crossbar=tiled; others wait at their "
             "inputs.")
        .Sets(&AgeQueueSettings::places, AgeQueueSettings().places, {1, 1U << 24})
        .Add("AgeQueueFixedPlaces",
             "Places of AgeQueuePlaces that each input has for itself, in each virtual channel or "
             "lane; the others are shared. Not published; chosen.")
        .Sets(&AgeQueueSettings::fixedPlaces, AgeQueueSettings().fixedPlaces, {1, 1U << 16})
        .Add("AgeQueueSharedFraction",
             "Fraction f of the shared places that one input may take. n active inputs may take "
             "1 - (1 - f)^n in all, and each the same part of it.")
        .Sets(&AgeQueueSettings::sharedFraction, AgeQueueSettings().sharedFraction, {1e-3, 1});
}

TypeId
SwitchAttributes::AddTrimAttributes(TypeId tid)
{
    static_assert(TrimSettings().keptBytes == TRANSPORT_MAX_HEADER_BYTES, "all of any header");
    static_assert(
        TrimSettings().thresholdBytes / WireBytes(MAX_PAYLOAD + TRANSPORT_DATA_HEADER_BYTES) == 8,
        "as the queues of NDP");
    return AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config, &SwitchConfig::buffer, &BufferSettings::trim)
        .Add("TrimClasses",
             "Bit mask of classes of LossyClasses whose packets of the reliable transport lose "
             "their payload where TrimBytes are full; their headers go on, so that the receiver "
             "asks for the packets again. 0 for none.")
        .Sets(&TrimSettings::classes, 0, {0, 0xFFFF})
        .Add("TrimHeaderClass",
             "Traffic class by which trimmed headers go on, one of LossyClasses with a virtual "
             "channel that TrimClasses have not. With a lane table it has the priority of its "
             "lane; without one, channels have turns, and a header waits for a frame at most.")
        .Sets(&TrimSettings::headerClass, 1, {0, TRAFFIC_CLASSES - 1})
        .Add("TrimBytes",
             "Bytes of an input buffer that frames of a virtual channel of TrimClasses may take; "
             "more are trimmed. Above it LossyDropBytes have room for headers, and for packets "
             "without payload. Default: 8 packets of 4 KiB, as NDP's queues (Handley et al., "
             "SIGCOMM'17).")
        .Sets(&TrimSettings::thresholdBytes,
              TrimSettings().thresholdBytes,
              {WireBytes(MAX_PAYLOAD), 1U << 28})
        .Add("TrimmedPayload",
             "Payload that a trimmed frame keeps, bytes: at least the longest header of the "
             "reliable transport.")
        .Sets(&TrimSettings::keptBytes,
              TRANSPORT_MAX_HEADER_BYTES,
              {TRANSPORT_MAX_HEADER_BYTES, 1024});
}

TypeId
SwitchAttributes::AddCongestionAttributes(TypeId tid)
{
    AttributedType(tid, TypeId::ATTR_SGC, &SwitchAttributes::CongestionChanged)
        .In(&SwitchAttributes::m_config, &SwitchConfig::congestion)
        .Add("HopCredits",
             "Whether a flow whose queue exceeds TargetWatermark is sent hop-by-hop credits, so "
             "that it cannot fill the shared buffer. May change in the run.")
        .Sets(&CongestionSettings::hopCredits, true);
    AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config, &SwitchConfig::congestion)
        .In(&CongestionSettings::fgfc)
        .Add("Fgfc",
             "Whether a flow whose queue at an edge port exceeds TargetWatermark is restrained at "
             "its host, by frames of fine-grain flow control, so that other flows of the host do "
             "not wait behind it. Has no effect on classes without flow channels.")
        .Sets(&FgfcSettings::isOn, true)
        .Add("FgfcPauseTime",
             "Time for which a host restrains a flow after the first frame of fine-grain flow "
             "control, a whole number of ns; frames are repeated after half of it, and double it, "
             "up to eight times. Not published; chosen.")
        .Sets(&FgfcSettings::pauseTime, NanoSeconds(100000), {NanoSeconds(2), Seconds(1)})
        .Add("FgfcResponseTime",
             "Time from the arrival of a frame of fine-grain flow control until the host obeys. "
             "Not published; chosen.")
        .Sets(&FgfcSettings::responseTime, NanoSeconds(50), {Time(0), Seconds(1)})
        .Add("FgfcRepeats",
             "How often frames of fine-grain flow control for a flow are repeated while no frame "
             "of it goes on; then its host may send until one does. Chosen: 50 ms.")
        .Sets(&FgfcSettings::repeats, FgfcSettings().repeats, {1})
        .Add("FgfcCredit",
             "Credit of a restrained flow that is worth a frame of fine-grain flow control, in "
             "units of 256 bytes. Chosen: such frames take 1 % of the link.")
        .Sets(&FgfcSettings::creditUnits, FgfcSettings().creditUnits, {1, 254});
    AddEndpointAttributes(tid);
    AddRerouteAttributes(tid);
    AddSlowPathAttributes(tid);
    AddNeighbourLoadAttributes(tid);
    AddInjectionAttributes(tid);
    return AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config, &SwitchConfig::congestion)
        .Add("FlowLimits",
             "Whether the unacknowledged data of a flow to a congested host has a limit at every "
             "switch on its way, by the severity that EndpointCongestion tells.")
        .Sets(&CongestionSettings::flowLimits, true)
        .Add("FirstFlight",
             "Limit of a flow's unacknowledged data from its start to its first ACK, while nobody "
             "knows whether its destination is congested, in units of 256 bytes; 0 for none. It is "
             "rounded down to the limit of a severity, but for a single frame. Longer messages "
             "take a round trip more. Needs FlowLimits and EndpointCongestion.")
        .Sets(&CongestionSettings::firstFlight, 0, {0, 1U << 20})
        .Add("Pacing",
             "Whether a flow to a congested host whose limit is a single frame waits a time after "
             "its last ACK, by the severity that EndpointCongestion tells, before its edge switch "
             "sends the next.")
        .Sets(&CongestionSettings::pacing, true)
        .Add("PacingSpread",
             "Fraction by which the delays of pacing are longer or shorter at random, so that "
             "senders that have begun together do not send together. Chosen.")
        .Sets(&CongestionSettings::pacingSpread, CongestionSettings().pacingSpread, {0, 1})
        .Add("RoomDivisor",
             "A flow's watermarks are lowered so that it takes at most 1/RoomDivisor of the free "
             "input buffer; 0 for no lowering. Chosen: with 16 a victim keeps four fifths of its "
             "bandwidth beside an incast of 512.")
        .Sets(&CongestionSettings::roomDivisor, 16, {0, 1024})
        .Add("WayDivisor",
             "Watermarks of flows of UnorderedClasses are lower by this at inputs from switches: "
             "such a flow has a queue for each of its ways. Chosen by a sweep: victims of GPCNeT "
             "keep the same with 2 to 6, and a fifth less with 1.")
        .Sets(&CongestionSettings::wayDivisor, CongestionSettings().wayDivisor, {1, 64})
        .Add("WatermarksCoverLinks",
             "Whether HighWatermark is raised on links that carry more while credit is told and "
             "what it brings comes, as 800 Gb/s over 50 m: a flow would not fill them otherwise.")
        .Sets(&CongestionSettings::coversLinks, true)
        .In(&CongestionSettings::watermarks)
        .Add(
            "HighWatermark",
            "Queue length of a flow above which it gets no hop credits, in units of 256 bytes; see "
            "WatermarksCoverLinks. Not published; chosen.")
        .Sets(&Watermarks::high, Watermarks().high, {1, 1U << 20})
        .Add("TargetWatermark",
             "Queue length of a flow above which hop credits begin, in units of 256 bytes. Not "
             "published; chosen.")
        .Sets(&Watermarks::target, Watermarks().target, {1, 1U << 20})
        .Add("DropWatermark",
             "Queue length of a flow at which hop credits end, in units of 256 bytes. Not "
             "published; chosen.")
        .Sets(&Watermarks::drop, Watermarks().drop, {0, 1U << 20});
}

TypeId
SwitchAttributes::AddInjectionAttributes(TypeId tid)
{
    AttributedType(tid)
        .Add("AppGroups",
             "Application groups of flows of hosts: traffic class, first group, bits, and :hash or "
             "nothing, as `0:0:4,1:16:3:hash`. So many low bits are added to the first group of "
             "the VNI of native messages, the VLAN of bridged Ethernet, the flow label of IPv6, or "
             "a "
             "hash of what tells applications apart. Empty: all flows are in group 0. May change "
             "in the run for classes of DiscardClasses that have no flows.")
        .Uses(StringValue(""),
              MakeStringAccessor(&SwitchAttributes::SetAppGroups, &SwitchAttributes::GetAppGroups),
              MakeStringChecker());
    AttributedType(tid, TypeId::ATTR_SGC, &SwitchAttributes::HostDiscardsChanged)
        .In(&SwitchAttributes::m_config)
        .Add("DiscardClasses",
             "Bit mask of traffic classes whose frames are dropped where hosts enter the fabric, "
             "so that their flows end. May change in the run.")
        .Sets(&SwitchConfig::hostDiscards, 0);
    return AttributedType(tid, BEFORE_INSTALL)
        .Add("PortLimit",
             "Limit of what all flows of a host have in the fabric, in units of 256 bytes; 0 for "
             "none. Injection limits share it. At a limit flows go in turn, a frame each; a frame "
             "alone may be longer. Has no effect on classes without flow channels.")
        .Sets(&SwitchAttributes::m_portLimit, 0, {0, 1U << 24})
        .Add("GroupLimitIds",
             "Injection limit of application groups, 0 to 7, or 8 for none, as `1:0,2:1`; other "
             "groups have 0.")
        .Sets(&SwitchAttributes::m_groupLimitIds, "")
        .Add("LimitRatios",
             "How injection limits with data in the fabric share PortLimit, from limit 0 on, as "
             "`3,1`; others have 1. Who is alone has all of it.")
        .Sets(&SwitchAttributes::m_limitRatios, "")
        .Add("LimitUnits",
             "Absolute injection limits, from limit 0 on, in units of 256 bytes, as `0,64`; 0 for "
             "none. The lower of it and the share of PortLimit counts.")
        .Sets(&SwitchAttributes::m_limitUnits, "")
        .Add("ForceInjection",
             "Whether injection limit 0 holds nobody back, as for lossy Ethernet.")
        .Sets(&SwitchAttributes::m_forceInjection, false);
}

TypeId
SwitchAttributes::AddEndpointAttributes(TypeId tid)
{
    AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config, &SwitchConfig::congestion, &CongestionSettings::endpoint)
        .Add("EndpointCongestion",
             "Whether switches look for congestion of their links to hosts, and tell its severity "
             "to the switches on the way of the flows. Has no effect on classes without flow "
             "channels.")
        .Sets(&EndpointSettings::isOn, true)
        .Add("EndpointBytes",
             "Bytes that wait for a host above which its link is congested. 0 for that by the rate "
             "of the link: a quarter of the EndpointTarget of this rate, 64 KiB at 200 Gb/s and "
             "above, or EndpointTarget if that is less. Chosen: 2.6 us, the round trip through a "
             "fat tree of three levels.")
        .Sets(&EndpointSettings::bytes, EndpointSettings().bytes, {0, 1U << 30})
        .Add("EndpointFrames",
             "Frames that wait for a host above which its link is congested. 0 for that by the "
             "rate of the link: those of 256 bytes that its EndpointBytes are, 256 at 200 Gb/s and "
             "above.")
        .Sets(&EndpointSettings::frames, EndpointSettings().frames)
        .Add("EndpointGrowth",
             "Growth of the bytes that wait for a host above which its link is congested, as a "
             "fraction of what the link carries meanwhile. Chosen: three senders at full rate.")
        .Sets(&EndpointSettings::growth, EndpointSettings().growth, {0, 1000})
        .Add("EndpointGrowthTime",
             "Time over which EndpointGrowth is measured. Chosen: three frames of 4 KiB at 200 "
             "Gb/s.")
        .Sets(&EndpointSettings::growthTime, NanoSeconds(500), {NanoSeconds(1), Seconds(1)})
        .Add("EndpointTarget",
             "Bytes waiting for a congested host that severity aims at, at least EndpointBytes; it "
             "is raised above twice that. 0 for what the link carries in 10.5 us, from 64 KiB to "
             "256 KiB, and at least EndpointBytes. Chosen by a sweep from 25 to 800 Gb/s.")
        .Sets(&EndpointSettings::targetBytes, EndpointSettings().targetBytes, {0, 1U << 29})
        .Add("EndpointRoundTrip",
             "Time from the start of a frame at its edge switch to its ACK there, over the longest "
             "way without congestion; a step of severity takes twice that. 0 for that of the "
             "fabric, which FabricHelper tells its switches; 3.5 us without it.")
        .Sets(&EndpointSettings::roundTrip, NanoSeconds(0), {NanoSeconds(0), Seconds(1)})
        .Add("EndpointDecayTime",
             "Time in which severity falls by one when a link is congested no longer, then by two, "
             "and so on. Chosen: 0.34 ms from the severity of 1000 senders to none.")
        .Sets(&EndpointSettings::decayTime, NanoSeconds(20000), {NanoSeconds(1), Seconds(1)});
    return AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config, &SwitchConfig::congestion, &CongestionSettings::severity)
        .Add("FirstFlowLimit",
             "Limit of a flow's unacknowledged data at severity 2, in units of 256 bytes. Without "
             "FlowLimits, too, EndpointCongestion tells a severity by the limits, and watermarks "
             "of flows follow them. Chosen: 2.6 us of 200 Gb/s, the round trip through a fat tree "
             "of three levels.")
        .Sets(&SeveritySettings::firstLimit, SeveritySettings().firstLimit, {1, 1U << 20})
        .Add("FlowLimitSteps",
             "Steps of severity that halve the limit of a flow, down to a frame of 4 KiB; four do "
             "below. Read without FlowLimits, too, as FirstFlowLimit. Chosen: 16 steps from 64 KiB "
             "to 4 KiB.")
        .Sets(&SeveritySettings::limitSteps, SeveritySettings().limitSteps, {1, 32})
        .Add(
            "FirstPacingDelay",
            "Shortest delay of pacing. Without Pacing, too, EndpointCongestion tells a severity by "
            "the delays. Chosen: less than half of a round trip.")
        .Sets(&SeveritySettings::firstDelay, NanoSeconds(1000), {NanoSeconds(1), Seconds(1)})
        .Add(
            "PacingSteps",
            "Steps of severity that double the delay of pacing; read without Pacing, too, as "
            "FirstPacingDelay. Chosen: with 4 % each, thousands of senders hold the depth near its "
            "target.")
        .Sets(&SeveritySettings::delaySteps, SeveritySettings().delaySteps, {1, 128});
}

TypeId
SwitchAttributes::AddRerouteAttributes(TypeId tid)
{
    return AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config, &SwitchConfig::congestion, &CongestionSettings::reroute)
        .Add("Reroute",
             "Whether flows leave overloaded links between switches, one at a time: where there is "
             "another way, a flow is held until all that is under way is acknowledged, and goes by "
             "the output with the fewest flows for its rate.")
        .Sets(&RerouteSettings::isOn, RerouteSettings().isOn)
        .Add("RerouteBytes",
             "Bytes that wait for a link to another switch above which it may be overloaded. "
             "Chosen by a sweep: more than what a single flow has with hop credits, less than what "
             "two have.")
        .Sets(&RerouteSettings::bytes, RerouteSettings().bytes, {1, 1U << 30})
        .Add("RerouteTime",
             "Time for which more than RerouteBytes wait and the link is busy until it counts as "
             "overloaded, and again after each such time. Chosen by a sweep.")
        .Sets(&RerouteSettings::time, NanoSeconds(1000), {NanoSeconds(1), Seconds(1)})
        .Add("RerouteSpread",
             "An overloaded link whose switch has no better way tells the switch before after 1 to "
             "so many times of RerouteTime, drawn at random, so that links which are overloaded "
             "together do not move flows together.")
        .Sets(&RerouteSettings::spread, RerouteSettings().spread, {1, 1024})
        .Add("RerouteHold",
             "Time for which a flow that was moved stays where it is, and in which the switch "
             "before is told of one flow of a link: what a move takes. 0 for 8 us and two round "
             "trips of the longest way, which FabricHelper tells its switches; 15 us without it. "
             "Chosen by a sweep.")
        .Sets(&RerouteSettings::hold, NanoSeconds(0), {NanoSeconds(0), Seconds(1)});
}

TypeId
SwitchAttributes::AddSlowPathAttributes(TypeId tid)
{
    return AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config, &SwitchConfig::congestion, &CongestionSettings::slowPaths)
        .Add("SlowPaths",
             "Whether flows of hosts leave slow paths, so that they do not gather there: a flow "
             "that has heard of nothing for SlowPathTime lets its next frame wait until nothing of "
             "it is under way, and chooses its path anew. Flows to congested hosts stay where they "
             "are, and so do those that have one way. Has no effect on classes without flow "
             "channels, or of UnorderedClasses.")
        .Sets(&SlowPathSettings::isOn, SlowPathSettings().isOn)
        .Add("SlowPathTime",
             "Time without an ACK after which a flow of a host is slow. 0 for the round trip of "
             "the longest way, which FabricHelper tells its switches; 3.5 us without it. Chosen by "
             "a sweep.")
        .Sets(&SlowPathSettings::time, NanoSeconds(0), {NanoSeconds(0), Seconds(1)});
}

TypeId
SwitchAttributes::AddNeighbourLoadAttributes(TypeId tid)
{
    return AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config,
            &SwitchConfig::congestion,
            &CongestionSettings::neighbourLoads)
        .Add(
            "NeighbourLoads",
            "Whether switches tell their neighbours of loads, by ACKs of type 5. Where ways depend "
            "on the destination alone, as in fat trees, how many flows share the ways by them to "
            "the hosts of each switch: a flow that begins, or that Reroute moves, goes where the "
            "fewest share the links of its whole way. In a dragonfly, the bytes ahead on each "
            "global link to the others of the group: who chooses a way adds them to what is ahead "
            "of the link to that switch, and expects their mean further on where it takes a "
            "detour. "
            "A DetourBias of 32768 is best there.")
        .Sets(&NeighbourLoadSettings::isOn, NeighbourLoadSettings().isOn)
        .Add("NeighbourLoadTime",
             "Least time between two frames that tell a neighbour what has changed.")
        .Sets(&NeighbourLoadSettings::time, NanoSeconds(1000), {NanoSeconds(1), Seconds(1)});
}

TypeId
SwitchAttributes::AddHostControlAttributes(TypeId tid)
{
    return AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config, &SwitchConfig::hostControl)
        .Add("EdgeFlowControl",
             "Backpressure of an edge port on its host: `credits`, `pause` "
             "(802.3x, the whole link) or `priority-pause` (802.1Qbb, by traffic class modulo 8).")
        .SetsOneOf(&HostControlSettings::edgeFlowControl,
                   LINK_CREDITS,
                   "credits",
                   LINK_PAUSE,
                   "pause",
                   LINK_PRIORITY_PAUSE,
                   "priority-pause")
        .In(&HostControlSettings::pause)
        .Add("EiqPauseBytes",
             "Bytes of frames waiting for a flow_id above which the host is paused, with `pause` "
             "and `priority-pause`. Chosen.")
        .Sets(&PauseSettings::eiqPauseBytes, PauseSettings().eiqPauseBytes, {1})
        .Add("PauseQuanta",
             "Length of a pause, of a host or of a switch, in 512 bit times; it is renewed or "
             "lifted in time.")
        .Sets(&PauseSettings::quanta, PauseSettings().quanta, {1})
        .Add("PauseResponseQuanta",
             "Time in which a host obeys a pause, in 512 bit times; 453 is that of IEEE 802.3 "
             "(31B.3.7) for 200 Gb/s.")
        .Sets(&PauseSettings::responseQuanta, PauseSettings().responseQuanta)
        .In(&PauseSettings::thresholds)
        .Add("PauseXoffBytes",
             "Occupancy of an edge port's input buffer above which the host is paused, bytes, per "
             "priority or, with `pause`, in all. Chosen.")
        .Sets(&PauseThresholds::xoffBytes, PauseSettings().thresholds.xoffBytes, {1})
        .Add("PauseXonBytes", "Occupancy at or below which a paused host resumes, bytes. Chosen.")
        .Sets(&PauseThresholds::xonBytes, PauseSettings().thresholds.xonBytes);
}

TypeId
SwitchAttributes::AddLinkControlAttributes(TypeId tid)
{
    return AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config, &SwitchConfig::linkControl)
        .Add("LinkFlowControl",
             "Backpressure of the switch on the switches that send to it: `credits`, `pause` "
             "(802.3x, the whole link) or `priority-pause` (802.1Qbb, by traffic class modulo 8). "
             "A switch obeys a pause within its ControlLatency.")
        .SetsOneOf(&LinkControlSettings::flowControl,
                   LINK_CREDITS,
                   "credits",
                   LINK_PAUSE,
                   "pause",
                   LINK_PRIORITY_PAUSE,
                   "priority-pause")
        .In(&LinkControlSettings::thresholds)
        .Add("LinkPauseXoffBytes",
             "Occupancy of an input buffer above which a sending switch is paused, bytes, per "
             "priority or, with `pause`, in all. What can still arrive after it must fit into "
             "BufferBytes. 0 for all that this leaves, or half of it with `priority-pause`, as one "
             "congested priority gets by dynamic thresholds with alpha = 1 (Choudhury and Hahne, "
             "1998).")
        .Sets(&PauseThresholds::xoffBytes, 0)
        .Add("LinkPauseXonBytes",
             "Occupancy at or below which a paused switch resumes, bytes; 0 for a largest frame "
             "less than XOFF, as Mellanox sets it (mlx5 of Linux).")
        .Sets(&PauseThresholds::xonBytes, 0);
}

TypeId
SwitchAttributes::AddReductionAttributes(TypeId tid)
{
    return AttributedType(tid, BEFORE_INSTALL)
        .In(&SwitchAttributes::m_config, &SwitchConfig::reductions)
        .Add("ReductionSlots",
             "Slots of the reduction engine: frames that the switch can be combining at a time. "
             "Each reduction in whose tree the switch is has as many of them as its window. "
             "Chosen: 4 MiB of full frames, 16 reductions with the default window.")
        .Sets(&ReductionSettings::slots, ReductionSettings().slots, {0, 1U << 20})
        .Add("ReductionLatency",
             "Time from the arrival of the last contribution to a result until the result may be "
             "sent, beside Latency. Not published for any switch; chosen: about a hundred cycles.")
        .Sets(&ReductionSettings::latency, NanoSeconds(100), {Time(0), Seconds(1)});
}

TypeId
SwitchAttributes::AddMarkAndLaneAttributes(TypeId tid)
{
    AttributedType(tid)
        .Add("LaneTableFile",
             "File of the lane table, in JSON or CSV: outputs, and uplinks of hosts, arbitrate "
             "between its virtual lanes. Empty: the table is set by SetLaneTable(), and without "
             "one virtual channels are served round-robin. May change in the run, and not become "
             "empty.")
        .Uses(StringValue(""),
              MakeStringAccessor(&SwitchAttributes::SetLaneTableFile,
                                 &SwitchAttributes::GetLaneTableFile),
              MakeStringChecker());
    return AttributedType(tid, BEFORE_INSTALL, &SwitchAttributes::m_markRule)
        .Add("MarkClasses",
             "Bit mask of traffic classes whose frames are marked where they meet congestion, for "
             "CongestionControl=marks or dcqcn of the transport.")
        .Sets(&SwitchAttributes::m_markClasses, 0)
        .Add("MarkMinBytes",
             "Queue length up to which no frame is marked, bytes of its class that wait for its "
             "output. Chosen: 2.6 us at 200 Gb/s, about the round trip through a switch.")
        .Sets(&MarkRule::minBytes, MarkRule().minBytes, {0, 1U << 30})
        .Add("MarkMaxBytes",
             "Queue length above which every frame is marked, bytes, at least MarkMinBytes. If "
             "both are equal, they are DCTCP's threshold (RFC 8257).")
        .Sets(&MarkRule::maxBytes, MarkRule().maxBytes, {0, 1U << 30})
        .Add("MarkProbability",
             "Fraction of frames marked at MarkMaxBytes, above 0; it rises linearly from 0 at "
             "MarkMinBytes.")
        .Sets(&MarkRule::probability, 1, {0, 1})
        .Add("MarkRules",
             "Classes with rules of their own, which need not be in MarkClasses: class, "
             "MarkMinBytes, MarkMaxBytes and MarkProbability, as "
             "`0:65536:65536:1,3:20000:80000:0.1`.")
        .Sets(&SwitchAttributes::m_markRules, "")
        .Add("Telemetry",
             "Whether outputs write their queue length, sent bytes, rate and the time on packets "
             "of the reliable transport (INT), for CongestionControl=hpcc of the transport.")
        .Sets(&SwitchAttributes::m_hasTelemetry, false);
}

TypeId
SwitchAttributes::AddShapingAttributes(TypeId tid)
{
    return AttributedType(tid, BEFORE_INSTALL)
        .Add("LinkShapingTableFile",
             "File of the shaping table of outputs to other switches, in JSON or CSV: token "
             "buckets decide whose frames go next (minimum, maximum and shared bandwidth of up to "
             "8 shaping queues). Empty for none. Not with virtual lanes.")
        .Sets(&SwitchAttributes::m_linkShapingFile, "")
        .Add("HostShapingTableFile",
             "The same for outputs to hosts, which have up to 32 shaping queues. It may be the "
             "same file. Empty for none.")
        .Sets(&SwitchAttributes::m_hostShapingFile, "");
}

SwitchConfig
SwitchAttributes::ReadConfig() const
{
    SwitchConfig config = m_config;
    config.flowChannels.rules = ParseFlowRules(m_flowRules);
    config.buffer.vcOfClass = ParseClassToVc(m_classToVc);
    config.buffer.lossyClasses = m_lossyClasses;
    config.buffer.lossyBytes = m_lossyBytes;
    config.buffer.maxFrameBytes = m_maxFrameBytes;
    config.buffer.SetLossyChannels();
    for (uint32_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        config.marks[c] = m_markRule;
        config.marks[c].isOn = (m_markClasses >> c & 1) != 0;
    }
    ParseMarkRules(m_markRules, config.marks);
    config.hasTelemetry = m_hasTelemetry;
    const InjectionSettings injection = ReadInjection();
    RequireEffectsOfInjection(injection, config.flowChannels.HasChannels());
    if (injection.IsOn())
    {
        config.injection = std::make_shared<InjectionSettings>(injection);
    }
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
    if (!m_linkShapingFile.empty())
    {
        config.linkShaping = std::make_shared<ShapingTable>(
            ReadShapingTable(m_linkShapingFile, LINK_SHAPING_QUEUES));
    }
    if (!m_hostShapingFile.empty())
    {
        config.hostShaping = std::make_shared<ShapingTable>(
            ReadShapingTable(m_hostShapingFile, HOST_SHAPING_QUEUES));
    }
    RequireEffects(config);
    LeaveOutIdleTools(config);
    return config;
}

void
SwitchAttributes::KeepLaneTable(const LaneTable& table)
{
    table.Validate();
    m_config.lanes = LaneArbitration{table, {}};
    ForgetLaneTableFile();
}

void
SwitchAttributes::ForgetLaneTableFile()
{
    m_laneTableFile.clear();
}

void
SwitchAttributes::SetLinkShapingTable(const ShapingTable& table)
{
    table.Validate(LINK_SHAPING_QUEUES);
    m_config.linkShaping = std::make_shared<ShapingTable>(table);
}

void
SwitchAttributes::SetHostShapingTable(const ShapingTable& table)
{
    table.Validate(HOST_SHAPING_QUEUES);
    m_config.hostShaping = std::make_shared<ShapingTable>(table);
}

InjectionSettings
SwitchAttributes::ReadInjection() const
{
    InjectionSettings settings;
    settings.portLimit = m_portLimit;
    settings.forcesFirst = m_forceInjection;
    settings.groups = ParseGroupRules(m_appGroups);
    settings.limitIds = ParseLimitIds(m_groupLimitIds);
    ParseLimits("LimitRatios", m_limitRatios, {1, 1U << 16}, settings.ratios);
    ParseLimits("LimitUnits", m_limitUnits, {0, 1U << 24}, settings.limits);
    return settings;
}

void
SwitchAttributes::SetAppGroups(std::string text)
{
    GroupsChange(text);
    m_appGroups = std::move(text);
}

std::string
SwitchAttributes::GetAppGroups() const
{
    return m_appGroups;
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

} // namespace ns3::fabric
