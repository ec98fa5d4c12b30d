/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RECEIVE_SETTINGS_H
#define FABRIC_RECEIVE_SETTINGS_H

#include <cstdint>

namespace ns3::fabric
{

/// How fast a host takes what arrives, and where the rest waits. A host with neither takes whatever
/// comes at once.
struct ReceiveSettings
{
    /// Size of a buffer for which only the rate is given. Sizes are not published; chosen: that of
    /// the input buffer of a switch's port.
    static constexpr uint32_t USUAL_BUFFER = 512 * 1024;

    uint64_t bitsPerSecond{0}; ///< Rate at which the buffer drains, 0 for that of the link.
    uint32_t bufferBytes{0};   ///< Room, bytes; 0 for USUAL_BUFFER.

    /// @return whether what arrives may have to wait
    bool HoldBack() const
    {
        return bitsPerSecond != 0 || bufferBytes != 0;
    }

    /// @throws std::invalid_argument if the rate is none
    void Validate() const;

    /// @return room, bytes
    uint32_t Room() const
    {
        return bufferBytes != 0 ? bufferBytes : USUAL_BUFFER;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_RECEIVE_SETTINGS_H
