/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LOAD_CODE_H
#define FABRIC_LOAD_CODE_H

#include <cstdint>

namespace ns3::fabric
{

/**
 * A load in the 8 bits of an ACK's ack_flow: four bits of exponent, four of mantissa. Small loads
 * are exact, others within 1/32.
 *
 * @return the nearest code not above 255
 */
inline constexpr uint8_t
EncodeLoad(uint32_t load)
{
    uint32_t shift = 0;
    while (shift < 14 && ((load >> shift) + (shift == 0 ? 0 : load >> (shift - 1) & 1)) >= 32)
    {
        ++shift;
    }
    const uint32_t rounded = (load >> shift) + (shift == 0 ? 0 : load >> (shift - 1) & 1);
    const uint32_t code = 16 * shift + rounded;
    return static_cast<uint8_t>(code < 255 ? code : 255);
}

/// @return the load that EncodeLoad() has made a code of, as far as the code has it
inline constexpr uint32_t
DecodeLoad(uint8_t code)
{
    return code < 32 ? code : (16 + code % 16U) << (code / 16 - 1);
}

} // namespace ns3::fabric

#endif // FABRIC_LOAD_CODE_H
