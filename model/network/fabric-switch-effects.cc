/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-dependent-attributes.h"
#include "fabric-switch-attributes.h"

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

// ---- combinations of attributes in which one would have no effect ----

namespace
{

/// Refuses settings of pauses that nobody is sent.
void
RequireEffectsOfPauses(const SwitchConfig& config)
{
    const PauseSettings& pause = config.hostControl.pause;
    const PauseSettings usual;
    const bool pausesHosts = config.hostControl.edgeFlowControl != LINK_CREDITS;
    const bool pausesSwitches = config.linkControl.flowControl != LINK_CREDITS;
    if (!pausesHosts)
    {
        RequireDefaults(
            {{"EiqPauseBytes", pause.eiqPauseBytes != usual.eiqPauseBytes},
             {"PauseResponseQuanta", pause.responseQuanta != usual.responseQuanta},
             {"PauseXoffBytes", pause.thresholds.xoffBytes != usual.thresholds.xoffBytes},
             {"PauseXonBytes", pause.thresholds.xonBytes != usual.thresholds.xonBytes}},
            "EdgeFlowControl is credits",
            "EdgeFlowControl=pause or priority-pause");
    }
    if (!config.flowChannels.HasChannels())
    {
        RequireDefaults({{"EiqPauseBytes", pause.eiqPauseBytes != usual.eiqPauseBytes}},
                        "no class has flow channels",
                        "flow channels (FlowChannels, NoFlowClasses)");
    }
    if (!pausesSwitches)
    {
        const PauseThresholds& thresholds = config.linkControl.thresholds;
        RequireDefaults({{"LinkPauseXoffBytes", thresholds.xoffBytes != 0},
                         {"LinkPauseXonBytes", thresholds.xonBytes != 0}},
                        "LinkFlowControl is credits",
                        "LinkFlowControl=pause or priority-pause");
    }
    if (!pausesHosts && !pausesSwitches)
    {
        RequireDefaults({{"PauseQuanta", pause.quanta != usual.quanta}},
                        "EdgeFlowControl and LinkFlowControl are credits",
                        "one of them pause or priority-pause");
    }
}

/// Refuses settings of lossy classes, and of those that are trimmed, where there are none.
void
RequireEffectsOfLoss(const BufferSettings& buffer)
{
    if (buffer.lossyClasses == 0)
    {
        RequireDefaults({{"LossyDropBytes", buffer.lossyBytes != BufferSettings().lossyBytes}},
                        "LossyClasses is 0",
                        "LossyClasses");
    }
    if (!buffer.trim.IsOn())
    {
        const TrimSettings usual;
        RequireDefaults({{"TrimHeaderClass", buffer.trim.headerClass != usual.headerClass},
                         {"TrimBytes", buffer.trim.thresholdBytes != usual.thresholdBytes},
                         {"TrimmedPayload", buffer.trim.keptBytes != usual.keptBytes}},
                        "TrimClasses is 0",
                        "TrimClasses");
    }
}

/// Refuses settings of tools that move flows, and are off.
void
RequireEffectsOfTools(const CongestionSettings& congestion)
{
    if (!congestion.reroute.isOn)
    {
        const RerouteSettings usual;
        RequireDefaults({{"RerouteBytes", congestion.reroute.bytes != usual.bytes},
                         {"RerouteTime", congestion.reroute.time != usual.time},
                         {"RerouteSpread", congestion.reroute.spread != usual.spread},
                         {"RerouteHold", congestion.reroute.hold != usual.hold}},
                        "Reroute is false",
                        "Reroute=true");
    }
    if (!congestion.slowPaths.isOn)
    {
        RequireDefaults({{"SlowPathTime", congestion.slowPaths.time != 0}},
                        "SlowPaths is false",
                        "SlowPaths=true");
    }
    if (!congestion.neighbourLoads.isOn)
    {
        RequireDefaults(
            {{"NeighbourLoadTime", congestion.neighbourLoads.time != NeighbourLoadSettings().time}},
            "NeighbourLoads is false",
            "NeighbourLoads=true");
    }
}

/// Refuses settings of congested endpoints that nobody looks for. @param lack why, @param needed
/// what is allowed
void
RequireNoEndpointSettings(const CongestionSettings& congestion,
                          const std::string& lack,
                          const std::string& needed)
{
    const EndpointSettings& endpoint = congestion.endpoint;
    const SeveritySettings& severity = congestion.severity;
    const EndpointSettings usual;
    const SeveritySettings usualSeverity;
    RequireDefaults(
        {{"EndpointBytes", endpoint.bytes != usual.bytes},
         {"EndpointFrames", endpoint.frames != usual.frames},
         {"EndpointGrowth", endpoint.growth != usual.growth},
         {"EndpointGrowthTime", endpoint.growthTime != usual.growthTime},
         {"EndpointTarget", endpoint.targetBytes != usual.targetBytes},
         {"EndpointRoundTrip", endpoint.roundTrip != usual.roundTrip},
         {"EndpointDecayTime", endpoint.decayTime != usual.decayTime},
         {"FirstFlowLimit", severity.firstLimit != usualSeverity.firstLimit},
         {"FlowLimitSteps", severity.limitSteps != usualSeverity.limitSteps},
         {"FirstPacingDelay", severity.firstDelay != usualSeverity.firstDelay},
         {"PacingSteps", severity.delaySteps != usualSeverity.delaySteps},
         {"PacingSpread", congestion.pacingSpread != CongestionSettings().pacingSpread}},
        lack,
        needed);
}

/// Refuses settings of frames to hosts that nobody sends. See above.
void
RequireNoFgfcSettings(const FgfcSettings& fgfc, const std::string& lack, const std::string& needed)
{
    const FgfcSettings usual;
    RequireDefaults({{"FgfcPauseTime", fgfc.pauseTime != usual.pauseTime},
                     {"FgfcResponseTime", fgfc.responseTime != usual.responseTime},
                     {"FgfcRepeats", fgfc.repeats != usual.repeats},
                     {"FgfcCredit", fgfc.creditUnits != usual.creditUnits}},
                    lack,
                    needed);
}

/// Refuses settings of tools that restrain flows, and are off or have no flows.
void
RequireEffectsOfRestraints(const SwitchConfig& config)
{
    const CongestionSettings& congestion = config.congestion;
    const CongestionSettings usual;
    if (!config.flowChannels.HasChannels())
    {
        const std::string lack = "no class has flow channels";
        const std::string needed = "flow channels (FlowChannels, NoFlowClasses)";
        RequireNoEndpointSettings(congestion, lack, needed);
        RequireNoFgfcSettings(congestion.fgfc, lack, needed);
        RequireDefaults(
            {{"Reroute", congestion.reroute.isOn},
             {"RoomDivisor", congestion.roomDivisor != usual.roomDivisor},
             {"HighWatermark", congestion.watermarks.high != usual.watermarks.high},
             {"TargetWatermark", congestion.watermarks.target != usual.watermarks.target},
             {"DropWatermark", congestion.watermarks.drop != usual.watermarks.drop}},
            lack,
            needed);
    }
    if (!congestion.endpoint.isOn)
    {
        RequireNoEndpointSettings(congestion,
                                  "EndpointCongestion is false",
                                  "EndpointCongestion=true");
    }
    if (!congestion.fgfc.isOn)
    {
        RequireNoFgfcSettings(congestion.fgfc, "Fgfc is false", "Fgfc=true");
    }
    if (!congestion.pacing)
    {
        RequireDefaults({{"PacingSpread", congestion.pacingSpread != usual.pacingSpread}},
                        "Pacing is false",
                        "Pacing=true");
    }
}

/// Refuses settings of flow channels, and of their acknowledgements, where there are none.
void
RequireEffectsOfChannels(const SwitchConfig& config)
{
    const FlowChannelSettings& flows = config.flowChannels;
    const FlowChannelSettings usual;
    if (!flows.enabled)
    {
        RequireDefaults({{"NoFlowClasses", flows.noFlowClasses != usual.noFlowClasses}},
                        "FlowChannels is false",
                        "FlowChannels=true");
    }
    if (!flows.HasChannels())
    {
        const AckTimers& timers = config.ackTimers;
        const AckTimers usualTimers;
        RequireDefaults({{"FlowIds", flows.ids != usual.ids},
                         {"FlowFields", flows.fields != usual.fields},
                         {"FlowCheckInterval", flows.checkInterval != usual.checkInterval},
                         {"AckIdleTimer", timers.idle != usualTimers.idle},
                         {"AckBusyTimer", timers.busy != usualTimers.busy},
                         {"AckLongestTimer", timers.longest != usualTimers.longest},
                         {"WatermarksCoverLinks", !config.congestion.coversLinks}},
                        "no class has flow channels",
                        "flow channels (FlowChannels, NoFlowClasses)");
    }
}

/// Refuses thresholds of marks that no class takes.
void
RequireEffectsOfMarks(const MarkRule& rule, bool isUsed)
{
    const MarkRule usual;
    if (!isUsed)
    {
        RequireDefaults({{"MarkMinBytes", rule.minBytes != usual.minBytes},
                         {"MarkMaxBytes", rule.maxBytes != usual.maxBytes},
                         {"MarkProbability", rule.probability != usual.probability}},
                        "MarkClasses is 0",
                        "MarkClasses");
    }
}

/// Refuses settings of preemption where there is none, and of pieces where frames go in one.
void
RequireEffectsOfPreemption(const PreemptionSettings& preemption, CheckTime checkTime)
{
    const PreemptionSettings usual;
    if (!preemption.preempt)
    {
        RequireDefaults(
            {{"LaneMostUrgentBytes", preemption.mostUrgentBytes != usual.mostUrgentBytes},
             {"LaneLeastVictimBytes", preemption.leastVictimBytes != usual.leastVictimBytes},
             {"LaneMostBytesPerVictim", preemption.mostBytesPerVictim != usual.mostBytesPerVictim},
             {"LaneLeastSentBytes", preemption.leastSentBytes != usual.leastSentBytes},
             {"LaneLeastLeftBytes", preemption.leastLeftBytes != usual.leastLeftBytes}},
            "LanePreemption is false",
            "LanePreemption=true");
    }
    if (!preemption.preempt && !preemption.interleave && checkTime == CHECK_AT_PACKETS)
    {
        RequireDefaults({{"LaneFlitBytes", preemption.flitBytes != usual.flitBytes},
                         {"LaneOpenFrames", preemption.levels != usual.levels}},
                        "frames go in one piece",
                        "LanePreemption=true, LaneInterleaving=true or LaneCheck=flit");
    }
}

/// Refuses settings of an arbiter between lanes where there are none.
void
RequireNoLaneSettings(const VlArbiterSettings& arbiter,
                      const PreemptionSettings& preemption,
                      CheckTime checkTime)
{
    const MeterSettings& meter = arbiter.meter;
    const VlArbiterSettings usual;
    const PreemptionSettings whole;
    RequireDefaults(
        {{"LaneMode", arbiter.mode != usual.mode},
         {"LaneOverBandwidth", arbiter.over != usual.over},
         {"LaneTurns", arbiter.turns != usual.turns},
         {"LaneChargeOverBandwidth", arbiter.chargeOver != usual.chargeOver},
         {"LaneMeter", meter.kind != usual.meter.kind},
         {"LaneBurst", meter.burst != usual.meter.burst},
         {"LaneTolerance", meter.tolerance != usual.meter.tolerance},
         {"LaneDebt", meter.debt != usual.meter.debt},
         {"LaneWindow", meter.window != usual.meter.window},
         {"LaneFlitBytes", preemption.flitBytes != whole.flitBytes},
         {"LaneMostUrgentBytes", preemption.mostUrgentBytes != whole.mostUrgentBytes},
         {"LaneLeastVictimBytes", preemption.leastVictimBytes != whole.leastVictimBytes},
         {"LaneMostBytesPerVictim", preemption.mostBytesPerVictim != whole.mostBytesPerVictim},
         {"LaneLeastSentBytes", preemption.leastSentBytes != whole.leastSentBytes},
         {"LaneLeastLeftBytes", preemption.leastLeftBytes != whole.leastLeftBytes},
         {"LaneOpenFrames", preemption.levels != whole.levels},
         {"LaneCheck", checkTime != CHECK_AT_PACKETS}},
        "the switch has no virtual lanes",
        "a lane table");
}

} // namespace

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
    if (config.lanes)
    {
        RequireEffectsOfMeter("Lane");
        RequireEffectsOfPreemption(preemption, GetCheckTime());
    }
    else
    {
        RequireNoLaneSettings(MakeArbiterSettings({}), preemption, GetCheckTime());
    }
    RequireEffectsOfPauses(config);
    RequireEffectsOfLoss(config.buffer);
    RequireEffectsOfTools(config.congestion);
    RequireEffectsOfChannels(config);
    RequireEffectsOfRestraints(config);
    RequireEffectsOfMarks(m_markRule, m_markClasses != 0);
    if (config.reductions.slots == 0)
    {
        RequireDefaults(
            {{"ReductionLatency", config.reductions.latency != ReductionSettings().latency}},
            "ReductionSlots is 0",
            "ReductionSlots above 0");
    }
    if (config.buffer.lossyClasses != 0 && (config.hostControl.edgeFlowControl != LINK_CREDITS ||
                                            config.linkControl.flowControl != LINK_CREDITS))
    {
        throw std::invalid_argument("LossyClasses is " +
                                    std::to_string(config.buffer.lossyClasses) +
                                    "; allowed is 0, or EdgeFlowControl=credits and "
                                    "LinkFlowControl=credits");
    }
    const FlowChannelSettings& flows = config.flowChannels;
    RequireEffectsOfTrimming(config);
    RequireEffectsOfMemory(config);
    if (flows.statistics != NO_FLOW_STATISTICS && !flows.HasChannels())
    {
        throw std::invalid_argument("FlowStatistics is on, and no class has flow channels; allowed "
                                    "is off, or flow channels (FlowChannels, NoFlowClasses)");
    }
    RequireEffectsOfRules(flows);
    RequireEffectsOfCongestion(config);
    if (const char* const idle = config.crossbar.IdleAttribute())
    {
        throw std::invalid_argument(std::string(idle) +
                                    " is of a crossbar of tiles, and Crossbar is ideal; allowed is "
                                    "its default, or Crossbar=tiled");
    }
    if (config.turns.HasIdleQuantum())
    {
        throw std::invalid_argument("TurnQuantum is " + std::to_string(config.turns.quantum) +
                                    ", and turns are by frames, which have none; allowed is " +
                                    std::to_string(TurnSettings().quantum) + ", or Turns=bytes");
    }
}

void
SwitchAttributes::RequireEffectsOfMemory(const SwitchConfig& config)
{
    const BufferSettings& buffer = config.buffer;
    if (const char* const idle = buffer.shared.IdleAttribute())
    {
        throw std::invalid_argument(std::string(idle) +
                                    " is of a memory that ports share, and SharedBufferBytes is 0; "
                                    "allowed is its default, or SharedBufferBytes");
    }
    if (!buffer.shared.IsOn())
    {
        return;
    }
    const std::string what =
        "SharedBufferBytes is " + std::to_string(buffer.shared.bytes) + ", and ";
    const bool isPaused = config.hostControl.edgeFlowControl != LINK_CREDITS &&
                          config.linkControl.flowControl != LINK_CREDITS;
    if (!isPaused && buffer.lossyClasses == 0)
    {
        throw std::invalid_argument(what +
                                    "senders have credits for buffers of their own; allowed is 0, "
                                    "or EdgeFlowControl and LinkFlowControl pause or "
                                    "priority-pause, or LossyClasses");
    }
    if ((buffer.lossyClasses & ~config.flowChannels.ClassesWithoutChannel()) != 0)
    {
        throw std::invalid_argument(what + "lossy classes have flow channels; allowed is 0, or "
                                           "NoFlowClasses with all LossyClasses");
    }
    if (buffer.trim.IsOn())
    {
        throw std::invalid_argument(what + "TrimClasses is " + std::to_string(buffer.trim.classes) +
                                    "; allowed is one of them");
    }
    RequireNoThresholds(config, what);
    const SharedMemorySettings usual;
    if (buffer.lossyClasses == 0)
    {
        RequireDefaults({{"SharedLossyAlpha", buffer.shared.lossyAlpha != usual.lossyAlpha}},
                        "LossyClasses is 0",
                        "LossyClasses");
    }
    if (!isPaused)
    {
        RequireDefaults({{"SharedPauseAlpha", buffer.shared.pauseAlpha != usual.pauseAlpha},
                         {"SharedXonGap", buffer.shared.xonGapBytes != usual.xonGapBytes}},
                        "nobody is paused",
                        "EdgeFlowControl and LinkFlowControl pause or priority-pause");
    }
}

void
SwitchAttributes::RequireNoThresholds(const SwitchConfig& config, const std::string& what)
{
    const PauseThresholds& ofLinks = config.linkControl.thresholds;
    const PauseThresholds& ofHosts = config.hostControl.pause.thresholds;
    const PauseThresholds usual = PauseSettings().thresholds;
    const std::array<std::pair<const char*, bool>, 5> thresholds{
        {{"LinkPauseXoffBytes", ofLinks.xoffBytes != 0},
         {"LinkPauseXonBytes", ofLinks.xonBytes != 0},
         {"PauseXoffBytes", ofHosts.xoffBytes != usual.xoffBytes},
         {"PauseXonBytes", ofHosts.xonBytes != usual.xonBytes},
         {"LossyDropBytes", config.buffer.lossyBytes != BufferSettings().lossyBytes}}};
    for (const auto& [name, isSet] : thresholds)
    {
        if (isSet)
        {
            throw std::invalid_argument(what + "its limits are dynamic; allowed is " + name +
                                        " with its default, or SharedBufferBytes 0");
        }
    }
}

void
SwitchAttributes::RequireEffectsOfTrimming(const SwitchConfig& config) const
{
    const TrimSettings& trim = config.buffer.trim;
    if (!trim.IsOn())
    {
        return;
    }
    const std::string where = "TrimClasses is " + std::to_string(trim.classes) + ", and ";
    if (config.flowChannels.HasChannel(trim.headerClass))
    {
        throw std::invalid_argument(where + "TrimHeaderClass (" + std::to_string(trim.headerClass) +
                                    ") has flow channels, which headers have not; allowed is 0, or "
                                    "a class of NoFlowClasses, or FlowChannels=false");
    }
    const PreemptionSettings& preemption = GetPreemptionSettings();
    if (preemption.preempt || preemption.interleave)
    {
        throw std::invalid_argument(where + "frames may come in pieces (LanePreemption, "
                                            "LaneInterleaving); allowed is 0, or frames in one "
                                            "piece");
    }
}

void
SwitchAttributes::RequireEffectsOfCongestion(const SwitchConfig& config)
{
    const CongestionSettings& congestion = config.congestion;
    const bool hasNoFlows = !config.flowChannels.HasChannels();
    if (congestion.slowPaths.time != 0 && hasNoFlows)
    {
        throw std::invalid_argument(
            "SlowPathTime is " + std::to_string(congestion.slowPaths.time / 1000) +
            " ns, and no class has flow channels; allowed is 0, or flow channels (FlowChannels, "
            "NoFlowClasses)");
    }
    const bool hasTime = congestion.slowPaths.time != 0;
    if ((hasTime || congestion.reroute.isOn) && config.flowChannels.HasOnlyWays())
    {
        throw std::invalid_argument(
            std::string(hasTime ? "SlowPathTime" : "Reroute") +
            " is set, and all flow channels are of UnorderedClasses, which take several ways at a "
            "time; allowed is " +
            (hasTime ? "0" : "false") + ", or a class with flow channels that keeps its order");
    }
    if (congestion.wayDivisor != CongestionSettings().wayDivisor &&
        config.flowChannels.ClassesWithWays() == 0)
    {
        throw std::invalid_argument(
            "WayDivisor is " + std::to_string(congestion.wayDivisor) +
            ", and no class of UnorderedClasses has flow channels; allowed is " +
            std::to_string(CongestionSettings().wayDivisor) + ", or such a class");
    }
    if (congestion.firstFlight != 0 &&
        (hasNoFlows || !congestion.flowLimits || !congestion.endpoint.isOn))
    {
        throw std::invalid_argument(
            "FirstFlight is " + std::to_string(congestion.firstFlight) + ", and " +
            (hasNoFlows ? "no class has flow channels; allowed is 0, or flow channels "
                          "(FlowChannels, NoFlowClasses)"
                        : "FlowLimits or EndpointCongestion is false; allowed is 0, or both true"));
    }
}

void
SwitchAttributes::RequireEffectsOfInjection(const InjectionSettings& injection, bool hasFlows) const
{
    if (injection.IsOn() && !hasFlows)
    {
        throw std::invalid_argument(
            (injection.portLimit != 0 ? "PortLimit is " + std::to_string(injection.portLimit)
                                      : "LimitUnits is " + m_limitUnits) +
            ", and no class has flow channels; allowed is 0, or flow channels (FlowChannels, "
            "NoFlowClasses)");
    }
    const auto require = [](bool isAllowed, const char* name, const std::string& value) {
        if (!isAllowed)
        {
            throw std::invalid_argument(
                std::string(name) + " is " + value +
                ", and nothing is limited; allowed is the default, or an injection limit "
                "(PortLimit, LimitUnits)");
        }
    };
    require(injection.IsOn() || m_appGroups.empty(), "AppGroups", m_appGroups);
    require(injection.IsOn() || m_groupLimitIds.empty(), "GroupLimitIds", m_groupLimitIds);
    require(injection.IsOn() || !injection.forcesFirst, "ForceInjection", "true");
    if (injection.portLimit == 0 && !m_limitRatios.empty())
    {
        throw std::invalid_argument("LimitRatios is " + m_limitRatios +
                                    ", and PortLimit is 0; allowed is none, or a PortLimit");
    }
}

void
SwitchAttributes::LeaveOutIdleTools(SwitchConfig& config)
{
    CongestionSettings& congestion = config.congestion;
    if (!config.flowChannels.HasChannels())
    {
        congestion.fgfc.isOn = congestion.endpoint.isOn = congestion.reroute.isOn = false;
        congestion.flowLimits = congestion.pacing = false;
    }
}

void
SwitchAttributes::RequireEffectsOfRules(const FlowChannelSettings& flows)
{
    for (std::size_t i = 0; i < flows.rules.size(); ++i)
    {
        const FlowRule& rule = flows.rules[i];
        bool isUsed = false;
        for (uint8_t c = 0; c < TRAFFIC_CLASSES; ++c)
        {
            const bool isForClass = (c & rule.mask.trafficClass) == rule.value.trafficClass;
            isUsed = isUsed || (isForClass && flows.HasChannel(c));
        }
        if (!isUsed)
        {
            throw std::invalid_argument(
                "FlowRules: rule " + std::to_string(i + 1) +
                " is for frames of classes without flow channels; allowed are rules for classes "
                "that have some (FlowChannels, NoFlowClasses)");
        }
        if (rule.mask == FlowKey{} && flows.fields != FLOW_ALL)
        {
            throw std::invalid_argument("FlowFields is " + std::to_string(flows.fields) +
                                        ", and rule " + std::to_string(i + 1) +
                                        " of FlowRules is for all frames; allowed is " +
                                        std::to_string(FLOW_ALL) + ", or no such rule");
        }
    }
}

} // namespace ns3::fabric
