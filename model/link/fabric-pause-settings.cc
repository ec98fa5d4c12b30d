/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pause-settings.h"

#include <cmath>
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
RequireThresholds(const PauseSettings& settings, const PausedLink& link, uint64_t headroom)
{
    const PauseThresholds& thresholds = settings.thresholds;
    Require(thresholds.xonBytes <= thresholds.xoffBytes,
            "PauseXonBytes is " + std::to_string(thresholds.xonBytes) +
                ", allowed is at most PauseXoffBytes (" + std::to_string(thresholds.xoffBytes) +
                ")");
    Require(thresholds.xoffBytes + headroom <= link.bufferBytes,
            "PauseXoffBytes is " + std::to_string(thresholds.xoffBytes) + ", and up to " +
                std::to_string(headroom) +
                " bytes can arrive after it is passed; allowed is a sum of at most BufferBytes (" +
                std::to_string(link.bufferBytes) + ")");
}

} // namespace

uint64_t
PauseHeadroom(const PauseSettings& settings, const PausedLink& link)
{
    const uint64_t rate = link.rate.BitsPerSecond();
    const TimePs reaction =
        2 * link.delay + link.dataLatency + QuantaToTime(settings.responseQuanta, rate);
    const double onTheWay = static_cast<double>(reaction) * static_cast<double>(rate) / 8e12;
    return static_cast<uint64_t>(std::ceil(onTheWay)) + PAUSE_FRAME_BYTES +
           3 * uint64_t{link.largestFrame} + link.nestedBytes;
}

PauseController
MakePauseController(EdgeFlowControl mode, const PauseSettings& settings, const PausedLink& link)
{
    const uint64_t headroom = PauseHeadroom(settings, link);
    RequireThresholds(settings, link, headroom);

    PauseController::Config config;
    config.perPriority = mode == EDGE_PRIORITY_PAUSE;
    config.priority = settings.thresholds;
    config.port.xoffBytes = link.bufferBytes - static_cast<uint32_t>(headroom);
    config.port.xonBytes =
        config.port.xoffBytes - (settings.thresholds.xoffBytes - settings.thresholds.xonBytes);
    config.waiting = {settings.eiqPauseBytes, settings.eiqPauseBytes / 2};
    config.pauseTime = QuantaToTime(settings.quanta, link.rate.BitsPerSecond());
    // A repeated order may find a frame on the wire, and must be in effect before the last one
    // ends.
    const TimePs wait = link.rate.TxTime(link.largestFrame);
    config.refreshAfter = config.pauseTime - wait;
    Require(config.refreshAfter >= wait,
            "PauseQuanta is " + std::to_string(settings.quanta) + ", a pause of " +
                std::to_string(config.pauseTime) + " ps; allowed is at least " +
                std::to_string(2 * wait) +
                " ps, two of the largest frames, so that it can be repeated in time");
    return PauseController(config);
}

} // namespace ns3::fabric
