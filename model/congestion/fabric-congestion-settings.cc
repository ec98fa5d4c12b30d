/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-congestion-settings.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

void
CongestionSettings::Validate() const
{
    if (watermarks.drop >= watermarks.target || watermarks.target >= watermarks.high)
    {
        throw std::invalid_argument(
            "watermarks of hop credits: DropWatermark (" + std::to_string(watermarks.drop) +
            ") must be below TargetWatermark (" + std::to_string(watermarks.target) +
            "), and that below HighWatermark (" + std::to_string(watermarks.high) + ")");
    }
    fgfc.Validate();
    endpoint.Validate();
    severity.Validate();
}

} // namespace ns3::fabric
