/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-endpoint-detector.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

void
EndpointSettings::Validate() const
{
    if (targetBytes < bytes)
    {
        throw std::invalid_argument("EndpointTarget is " + std::to_string(targetBytes) +
                                    "; allowed is at least EndpointBytes (" +
                                    std::to_string(bytes) +
                                    "), else there is no congestion at the depth that is aimed at");
    }
}

} // namespace ns3::fabric
