/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-config.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace fabric
{

void
SwitchConfig::Validate() const
{
    const uint64_t reserved = uint64_t{buffer.reservedBytesPerVc} * buffer.virtualChannels;
    if (reserved > buffer.totalBytes)
    {
        throw std::invalid_argument("ReservedBytes: " + std::to_string(buffer.reservedBytesPerVc) +
                                    " bytes for each of " + std::to_string(buffer.virtualChannels) +
                                    " virtual channels are more than BufferBytes (" +
                                    std::to_string(buffer.totalBytes) + ")");
    }
    for (uint32_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        if (vcOfClass[c] >= buffer.virtualChannels)
        {
            throw std::invalid_argument("ClassToVc: class " + std::to_string(c) +
                                        " uses virtual channel " + std::to_string(vcOfClass[c]) +
                                        ", but VirtualChannels is " +
                                        std::to_string(buffer.virtualChannels));
        }
    }
    if (watermarks.drop >= watermarks.target || watermarks.target >= watermarks.high)
    {
        throw std::invalid_argument(
            "watermarks of hop credits: DropWatermark (" + std::to_string(watermarks.drop) +
            ") must be below TargetWatermark (" + std::to_string(watermarks.target) +
            "), and that below HighWatermark (" + std::to_string(watermarks.high) + ")");
    }
}

} // namespace fabric
} // namespace ns3
