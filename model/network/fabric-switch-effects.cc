/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-attributes.h"

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

// ---- combinations of attributes in which one would have no effect ----

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
    if (congestion.slowPathTime != 0 && hasNoFlows)
    {
        throw std::invalid_argument(
            "SlowPathTime is " + std::to_string(congestion.slowPathTime / 1000) +
            " ns, and no class has flow channels; allowed is 0, or flow channels (FlowChannels, "
            "NoFlowClasses)");
    }
    const bool movesFlows = congestion.slowPathTime != 0 || congestion.reroute.isOn;
    if (movesFlows && config.flowChannels.HasOnlyWays())
    {
        throw std::invalid_argument(
            std::string(congestion.slowPathTime != 0 ? "SlowPathTime" : "Reroute") +
            " is set, and all flow channels are of UnorderedClasses, which take several ways at a "
            "time; allowed is " +
            (congestion.slowPathTime != 0 ? "0" : "false") +
            ", or a class with flow channels that keeps its order");
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
