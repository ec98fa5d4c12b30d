/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-endpoint-detector.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

EndpointSettings
EndpointSettings::For(LinkRate rate) const
{
    constexpr TimePs TARGET_TIME = 10'485'760; // 256 KiB of 200 Gb/s
    constexpr uint32_t LEAST_TARGET = 64 * 1024;
    constexpr uint32_t MOST_TARGET = 256 * 1024;
    constexpr uint32_t TARGET_PARTS = 4;
    constexpr uint32_t SMALL_FRAME = 256; // bytes
    const uint32_t target = std::max(rate.BytesBy(TARGET_TIME, MOST_TARGET), LEAST_TARGET);
    const uint32_t threshold = target / TARGET_PARTS;
    EndpointSettings settings = *this;
    if (targetBytes == 0)
    {
        settings.targetBytes = std::max(target, bytes);
    }
    if (bytes == 0)
    {
        settings.bytes = std::min(threshold, settings.targetBytes);
    }
    if (frames == 0)
    {
        settings.frames = threshold / SMALL_FRAME;
    }
    return settings;
}

void
EndpointSettings::Validate() const
{
    if (targetBytes != 0 && targetBytes < bytes)
    {
        throw std::invalid_argument("EndpointTarget is " + std::to_string(targetBytes) +
                                    "; allowed is at least EndpointBytes (" +
                                    std::to_string(bytes) +
                                    "), else there is no congestion at the depth that is aimed at");
    }
}

} // namespace ns3::fabric
