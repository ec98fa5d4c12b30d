/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RECEIVE_SETTINGS_H
#define FABRIC_RECEIVE_SETTINGS_H

#include "fabric-pause-fill.h"

#include <cstdint>

namespace ns3::fabric
{

/// How fast a host takes what arrives, and where the rest waits. A host with none of these takes
/// whatever comes at once.
struct ReceiveSettings
{
    /// Size of a buffer for which only the rate is given. Sizes are not published; chosen: that of
    /// the input buffer of a switch's port.
    static constexpr uint32_t USUAL_BUFFER = 512 * 1024;

    uint64_t bitsPerSecond{0}; ///< Rate at which the buffer drains, 0 for that of the link.
    uint32_t bufferBytes{0};   ///< Room, bytes; 0 for USUAL_BUFFER.
    uint32_t xoffBytes{0};     ///< The switch is paused above it; 0 for Thresholds() to choose.
    uint32_t xonBytes{0};      ///< A paused switch goes on at or below it; 0 as above.

    /// @return whether what arrives may have to wait
    bool HoldBack() const
    {
        return bitsPerSecond != 0 || bufferBytes != 0 || ChoosesThresholds();
    }

    /// @return whether the user has chosen when the switch is paused
    bool ChoosesThresholds() const
    {
        return xoffBytes != 0 || xonBytes != 0;
    }

    /// @throws std::invalid_argument if the rate is none
    void Validate() const;

    /// @return room, bytes
    uint32_t Room() const
    {
        return bufferBytes != 0 ? bufferBytes : USUAL_BUFFER;
    }

    /**
     * When a host that pauses its switch does so. What the user does not say is chosen: XOFF at a
     * quarter of the room, as switches do, or lower if the headroom needs more, and XON at three
     * quarters of that.
     *
     * @param headroom what can come after XOFF; only a threshold of the user may leave less
     * @param largestFrame on the wire, bytes
     * @throws std::invalid_argument if that is impossible
     */
    PauseThresholds Thresholds(uint64_t headroom, uint32_t largestFrame) const;
};

} // namespace ns3::fabric

#endif // FABRIC_RECEIVE_SETTINGS_H
