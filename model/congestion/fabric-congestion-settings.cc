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
    if (firstFlight > severity.firstLimit)
    {
        throw std::invalid_argument("FirstFlight is " + std::to_string(firstFlight) +
                                    "; allowed is at most FirstFlowLimit (" +
                                    std::to_string(severity.firstLimit) + "), or 0 for no limit");
    }
}

} // namespace ns3::fabric
