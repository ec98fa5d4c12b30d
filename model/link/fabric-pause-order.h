/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAUSE_ORDER_H
#define FABRIC_PAUSE_ORDER_H

#include "fabric-pause.h"
#include "fabric-types.h"

namespace ns3::fabric
{

/**
 * Bytes that a pause frame takes on the wire: the shortest Ethernet frame of 64, preamble and start
 * delimiter of 8, inter-packet gap of 12 (IEEE Std 802.3-2018, 4.4.2 and 3.1.1).
 *
 * Unlike the data frames of the fabric it has no framing of its own, so preamble and gap count.
 */
inline constexpr uint32_t PAUSE_FRAME_BYTES = 64 + 8 + 12;

/// A bit for each priority.
inline constexpr uint8_t ALL_PRIORITIES = (1U << PAUSE_PRIORITIES) - 1;

/// What a pause frame tells the other end of a link (WL-5): the content of FabricPauseHeader.
struct PauseOrder
{
    TimePs time{0};  ///< When it takes effect there, ps.
    TimePs lasts{0}; ///< How long the priorities in `stop` pause, ps.
    uint8_t stop{0}; ///< Bit n: priority n pauses; all bits if it is the whole link.
    uint8_t go{0};   ///< Bit n: the pause of priority n is lifted; no bit is in both.
};

} // namespace ns3::fabric

#endif // FABRIC_PAUSE_ORDER_H
