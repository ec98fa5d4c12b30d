/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRIM_SETTINGS_H
#define FABRIC_TRIM_SETTINGS_H

#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * When a frame of a lossy class loses its payload instead of being dropped, and how its header goes
 * on (FC-15), as in NDP (Handley et al., SIGCOMM'17) and Ultra Ethernet.
 */
struct TrimSettings
{
    uint16_t classes{0};    ///< Traffic classes whose frames are trimmed, bit i is class i.
    uint8_t headerClass{1}; ///< Traffic class by which headers go on.
    uint32_t keptBytes{68}; ///< Payload that is kept: the longest header of the transport.
    /// Bytes of a virtual channel in an input buffer above which its frames are trimmed. Chosen: 8
    /// packets of 4 KiB with their headers, as the queues of NDP.
    uint32_t thresholdBytes{8 * WireBytes(MAX_PAYLOAD + keptBytes)};

    /// @return whether any frame is trimmed
    bool IsOn() const
    {
        return classes != 0;
    }

    /// @return whether frames of a class are trimmed
    bool Trims(uint8_t trafficClass) const
    {
        return (classes >> trafficClass & 1) != 0;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_TRIM_SETTINGS_H
