/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRACKING_SETTINGS_H
#define FABRIC_TRACKING_SETTINGS_H

#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

inline constexpr uint32_t MOST_TRACKED = 64; ///< Packets of a window: the bits of PacketAcks.

/// How a NIC keeps track of packets and connections (NQ-11).
struct TrackingSettings
{
    TimePs timeout{0};           ///< Without an answer for so long a packet is lost; 0: none is
                                 ///< tracked, ps.
    uint32_t limit{7};           ///< Times that a packet is sent again, at most; chosen.
    uint32_t window{64};         ///< Packets of a connection under way, of each class; chosen.
    uint32_t ackEvery{8};        ///< Packets that one acknowledgement is for; chosen.
    TimePs ackDelay{500'000};    ///< No packet waits longer for it; chosen, ps.
    bool hasFlowControl{false};  ///< Whether messages without room wait at their initiator.
    TimePs notReady{20'000'000}; ///< After so long they are tried again; chosen, ps.

    /// @return whether packets are tracked
    bool IsOn() const
    {
        return timeout != 0;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_TRACKING_SETTINGS_H
