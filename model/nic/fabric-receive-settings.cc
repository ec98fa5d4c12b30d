/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-receive-settings.h"

#include "fabric-link-rate.h"

#include <algorithm>
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

PauseThresholds
ReceiveSettings::Thresholds(uint64_t headroom, uint32_t largestFrame) const
{
    const uint32_t room = Room();
    const std::string sentence = "ReceiveBuffer is " + std::to_string(room);
    if (room < largestFrame)
    {
        throw std::invalid_argument(sentence + "; allowed is at least " +
                                    std::to_string(largestFrame) + " bytes, the largest frame");
    }
    if (xoffBytes == 0 && room < headroom)
    {
        throw std::invalid_argument(sentence + ", and up to " + std::to_string(headroom) +
                                    " bytes can arrive after the host has paused the switch; "
                                    "allowed are at least these, or a ReceiveXoffBytes, with which "
                                    "frames may be lost");
    }
    PauseThresholds thresholds;
    thresholds.xoffBytes =
        xoffBytes != 0 ? xoffBytes : std::min(room / 4, room - static_cast<uint32_t>(headroom));
    thresholds.xonBytes = xonBytes != 0 ? xonBytes : thresholds.xoffBytes / 4 * 3;
    if (thresholds.xoffBytes > room)
    {
        throw std::invalid_argument("ReceiveXoffBytes is " + std::to_string(xoffBytes) +
                                    "; allowed is at most ReceiveBuffer (" + std::to_string(room) +
                                    ")");
    }
    if (thresholds.xonBytes > thresholds.xoffBytes)
    {
        throw std::invalid_argument("ReceiveXonBytes is " + std::to_string(xonBytes) +
                                    "; allowed is at most ReceiveXoffBytes (" +
                                    std::to_string(thresholds.xoffBytes) + ")");
    }
    return thresholds;
}

} // namespace ns3::fabric
