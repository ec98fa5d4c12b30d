/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SEQUENCE_NUMBER_H
#define FABRIC_SEQUENCE_NUMBER_H

#include <cstdint>

namespace ns3::fabric
{

/**
 * PSNs, RSNs and SSNs are 32 bits and wrap (RT-5). They are compared as in RFC 1982 with
 * SERIAL_BITS of 32: a comes before b if b is reached from a in fewer than 2^31 steps up.
 *
 * @param to another
 * @return steps from the one to the other, -2^31 to 2^31 - 1; negative if `to` comes before `from`
 */
inline constexpr int32_t
SequenceDistance(uint32_t from, uint32_t to)
{
    return static_cast<int32_t>(to - from);
}

/**
 * @param b another, fewer than 2^31 steps away
 * @return whether a comes before b
 */
inline constexpr bool
SequenceBefore(uint32_t a, uint32_t b)
{
    return SequenceDistance(a, b) > 0;
}

} // namespace ns3::fabric

#endif // FABRIC_SEQUENCE_NUMBER_H
