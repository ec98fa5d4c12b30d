/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fgfc-settings.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

void
FgfcSettings::Validate() const
{
    constexpr TimePs NANOSECOND = 1000;
    if (pauseTime % NANOSECOND != 0)
    {
        throw std::invalid_argument("FgfcPauseTime is " + std::to_string(pauseTime) +
                                    " ps; allowed is a whole number of ns, in which frames tell "
                                    "it");
    }
}

} // namespace ns3::fabric
