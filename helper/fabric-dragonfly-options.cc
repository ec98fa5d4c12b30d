/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-dragonfly-options.h"

#include "fabric-option-type.h"

#include <stdexcept>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return words of `--routing` for a dragonfly
OptionType<DragonflyMode>
DragonflyModeType()
{
    return EnumType<DragonflyMode>({{"minimal", DRAGONFLY_MINIMAL},
                                    {"valiant", DRAGONFLY_VALIANT},
                                    {"ugal-l", DRAGONFLY_UGAL},
                                    {"adaptive", DRAGONFLY_UGAL}});
}

} // namespace

void
DragonflyOptions::Add(ProgramOptions& options)
{
    const auto count = CountType(1U, 4096U);
    options.Add("switchesPerGroup",
                "switches in each group of a dragonfly, all linked with each other",
                m_config.switchesPerGroup,
                count);
    options.Add("globalPorts",
                "ports of each switch of a dragonfly to other groups",
                m_config.globalPorts,
                count);
    options.Add("groups",
                "groups of a dragonfly, 0 for as many as can all be linked",
                m_config.groups,
                CountType(0U, MAX_HOSTS));
    options.Add("globalLinks",
                "links between each two groups of a dragonfly, 0 for as many as the ports allow",
                m_config.globalLinks,
                CountType(0U, MAX_HOSTS));
    options.Add("globalDelay",
                "propagation delay of links between groups of a dragonfly, 0 for linkDelay",
                m_globalDelay,
                TimeType(Time(0), MilliSeconds(10)));
}

void
DragonflyOptions::Refuse(const ProgramOptions& options, const std::string& needed)
{
    options.RefuseGiven({"switchesPerGroup", "globalPorts", "groups", "globalLinks", "globalDelay"},
                        needed);
}

Dragonfly
DragonflyOptions::Make(uint32_t hostsPerSwitch, const std::string& routing) const
{
    DragonflyConfig config = m_config;
    config.hostsPerSwitch = hostsPerSwitch;
    config.mode = DragonflyModeType().Read("--routing", routing);
    try
    {
        return Dragonfly(config);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(
            "--hostsPerSwitch=" + std::to_string(config.hostsPerSwitch) +
            " --switchesPerGroup=" + std::to_string(config.switchesPerGroup) + " --globalPorts=" +
            std::to_string(config.globalPorts) + " --groups=" + std::to_string(config.groups) +
            " --globalLinks=" + std::to_string(config.globalLinks) + ": " + error.what());
    }
}

} // namespace ns3::fabric
