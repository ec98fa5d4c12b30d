/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WATERMARKS_H
#define FABRIC_WATERMARKS_H

#include "fabric-types.h"

#include <algorithm>

namespace ns3::fabric
{

/// Depths of a flow's input queue that steer its hop credits (CM-3, CM-5), units of 256 bytes.
struct Watermarks
{
    uint32_t high{192};  ///< Above it no credit is given.
    uint32_t target{96}; ///< Above it metering starts, and credit is given more slowly.
    uint32_t drop{16};   ///< At or below it metering ends.

    /// @param divisor at least 1 @return depths that are lower by it, still one below the other
    Watermarks Over(uint32_t divisor) const
    {
        const uint32_t least = std::max(1U, target / divisor);
        return {std::max(least + 1, high / divisor), least, std::min(drop / divisor, least - 1)};
    }

    /**
     * Lowers the depths to what the buffer has room for: N queues that each keep to a part 1/d of
     * the free room leave d/(N + d) of the buffer free (Choudhury and Hahne, Dynamic Queue Length
     * Thresholds for Shared-Memory Packet Switches, 1998). So flows that come later find room,
     * however many wait already.
     *
     * @param freeBytes room left in the input buffer
     * @param divisor d, the part of it that one flow may take; 0 for no lowering
     * @return the depths to use now
     */
    Watermarks Within(uint32_t freeBytes, uint32_t divisor) const
    {
        const uint32_t room = freeBytes / DATA_FLOW_UNIT;
        if (divisor == 0 || room >= divisor * target)
        {
            return *this;
        }
        const uint32_t lowered = room / divisor;
        return {std::min(high, 2 * lowered), lowered, std::min(drop, lowered / 2)};
    }
};

} // namespace ns3::fabric

#endif // FABRIC_WATERMARKS_H
