/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CREDIT_ORDER_H
#define FABRIC_CREDIT_ORDER_H

#include "fabric-types.h"

#include <array>

namespace ns3::fabric
{

/// Of a credit frame: control mark, type and number of channels as an ACK frame, and the FCS.
inline constexpr uint32_t CREDIT_FRAMING_BYTES = 9;

/// @return bytes of a credit frame on the wire: a count of 32 bits for each virtual channel
inline constexpr uint32_t
CreditFrameBytes(uint32_t channels)
{
    return CREDIT_FRAMING_BYTES + 4 * channels;
}

/// What a credit frame tells the other end of a link (WL-5): the content of FabricCreditHeader.
struct CreditOrder
{
    uint32_t channels{1}; ///< Virtual channels of which it speaks: the first so many.
    bool damaged{false};  ///< Whether the link damages it.
    /// By channel: bytes of room that became free since the start, modulo 2^32. So what a lost
    /// frame said is said by the next one too.
    std::array<uint32_t, VIRTUAL_CHANNELS> freed{};
};

} // namespace ns3::fabric

#endif // FABRIC_CREDIT_ORDER_H
