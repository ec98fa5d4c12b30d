/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-buffer-settings.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

void
BufferSettings::Validate() const
{
    const uint64_t reserved = uint64_t{shares.reservedBytesPerVc} * shares.virtualChannels;
    if (reserved > shares.totalBytes)
    {
        throw std::invalid_argument("ReservedBytes: " + std::to_string(shares.reservedBytesPerVc) +
                                    " bytes for each of " + std::to_string(shares.virtualChannels) +
                                    " virtual channels are more than BufferBytes (" +
                                    std::to_string(shares.totalBytes) + ")");
    }
    for (uint32_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        if (vcOfClass[c] >= shares.virtualChannels)
        {
            throw std::invalid_argument("ClassToVc: class " + std::to_string(c) +
                                        " uses virtual channel " + std::to_string(vcOfClass[c]) +
                                        ", but VirtualChannels is " +
                                        std::to_string(shares.virtualChannels));
        }
    }
}

} // namespace ns3::fabric
