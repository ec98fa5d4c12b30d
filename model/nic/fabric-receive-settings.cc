/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-receive-settings.h"

#include "fabric-link-rate.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

void
ReceiveSettings::Validate() const
{
    if (bitsPerSecond != 0 &&
        (bitsPerSecond < LinkRate::LOWEST || bitsPerSecond > LinkRate::HIGHEST))
    {
        throw std::invalid_argument("ReceiveRate is " + std::to_string(bitsPerSecond) +
                                    " bit/s; allowed are 0, for the rate of the link, and " +
                                    std::to_string(LinkRate::LOWEST) + " to " +
                                    std::to_string(LinkRate::HIGHEST));
    }
}

} // namespace ns3::fabric
