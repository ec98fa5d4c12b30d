/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pause-settings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

/**
 * @param ok what must be true of the settings
 * @param sentence says what, where and what is allowed
 */
void
Require(bool ok, const std::string& sentence)
{
    if (!ok)
    {
        throw std::invalid_argument(sentence);
    }
}

/// Refuses thresholds in the wrong order or with too little above them.
void
RequireThresholds(const PauseThresholds& thresholds,
                  const PausedLink& link,
                  uint64_t headroom,
                  const std::string& what)
{
    Require(thresholds.xonBytes <= thresholds.xoffBytes,
            what + "XonBytes is " + std::to_string(thresholds.xonBytes) + ", allowed is at most " +
                what + "XoffBytes (" + std::to_string(thresholds.xoffBytes) + ")");
    Require(thresholds.xoffBytes + headroom <= link.bufferBytes,
            what + "XoffBytes is " + std::to_string(thresholds.xoffBytes) + ", and up to " +
                std::to_string(headroom) +
                " bytes can arrive after it is passed; allowed is a sum of at most BufferBytes (" +
                std::to_string(link.bufferBytes) + ")");
}

} // namespace

uint64_t
PauseHeadroom(const PausedLink& link)
{
    const auto rate = static_cast<double>(link.rate.BitsPerSecond());
    const TimePs reaction = 2 * link.delay + link.dataLatency + link.response;
    const double onTheWay = static_cast<double>(reaction) * rate / 8e12;
    return static_cast<uint64_t>(std::ceil(onTheWay)) + PAUSE_FRAME_BYTES +
           3 * uint64_t{link.largestFrame} + link.nestedBytes + link.grantedBytes;
}

PauseThresholds
LinkThresholds(LinkFlowControl mode, const PauseThresholds& chosen, const PausedLink& link)
{
    const uint64_t headroom = std::min<uint64_t>(PauseHeadroom(link), link.bufferBytes);
    const uint32_t room = link.bufferBytes - static_cast<uint32_t>(headroom);
    PauseThresholds thresholds = chosen;
    if (chosen.xoffBytes == 0)
    {
        thresholds.xoffBytes = mode == LINK_PRIORITY_PAUSE ? room / 2 : room;
    }
    if (chosen.xonBytes == 0)
    {
        thresholds.xonBytes =
            thresholds.xoffBytes - std::min(thresholds.xoffBytes, link.largestFrame);
    }
    return thresholds;
}

PauseConfig
MakePauseConfig(LinkFlowControl mode, const PauseSettings& settings, const PausedLink& link)
{
    const PauseThresholds& thresholds = settings.thresholds;
    const uint64_t headroom = std::min<uint64_t>(PauseHeadroom(link), link.bufferBytes);
    PauseConfig config;
    config.perPriority = mode == LINK_PRIORITY_PAUSE;
    config.priority = thresholds;
    config.port.xoffBytes =
        std::max(link.bufferBytes - static_cast<uint32_t>(headroom), thresholds.xoffBytes);
    config.port.xonBytes = config.port.xoffBytes - (thresholds.xoffBytes - thresholds.xonBytes);
    config.waiting = {settings.eiqPauseBytes, settings.eiqPauseBytes / 2};
    config.pauseTime = QuantaToTime(settings.quanta, link.rate.BitsPerSecond());
    // A repeated order may find frames on the wire, and must be in effect before the last one
    // ends.
    const TimePs wait = link.rate.TxTime(link.largestFrame + link.nestedBytes);
    config.refreshAfter = config.pauseTime - wait;
    Require(config.refreshAfter >= wait,
            "PauseQuanta is " + std::to_string(settings.quanta) + ", a pause of " +
                std::to_string(config.pauseTime) + " ps; allowed is at least " +
                std::to_string(2 * wait) +
                " ps, twice the time that it may wait for the wire, so that it can be repeated "
                "in time");
    return config;
}

PauseController
MakePauseController(LinkFlowControl mode,
                    const PauseSettings& settings,
                    const PausedLink& link,
                    const std::string& what,
                    SharedMemory* memory)
{
    const uint64_t headroom = PauseHeadroom(link);
    if (!memory)
    {
        RequireThresholds(settings.thresholds, link, headroom, what);
    }
    PauseConfig config = MakePauseConfig(mode, settings, link);
    if (memory)
    {
        constexpr uint32_t NO_LIMIT = std::numeric_limits<uint32_t>::max();
        config.port = {NO_LIMIT, NO_LIMIT};
        config.headroomBytes = static_cast<uint32_t>(headroom);
    }
    return PauseController(config, memory);
}

} // namespace ns3::fabric
