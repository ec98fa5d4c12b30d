/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MIXED_BITS_H
#define FABRIC_MIXED_BITS_H

#include <cstdint>

namespace ns3::fabric
{

/**
 * Numbers that look random, for draws of a part of the model that has a seed of its own.
 *
 * @param seed of the part
 * @param draw number of the draw; each has bits of its own
 * @return 64 bits (SplitMix64; Steele, Lea and Flood, OOPSLA 2014)
 */
inline uint64_t
MixedBits(uint64_t seed, uint64_t draw)
{
    uint64_t bits = seed + draw * 0x9E3779B97F4A7C15U;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBU;
    return bits ^ bits >> 31;
}

/// @return a number from 0 to less than 1, as MixedBits()
inline double
MixedShare(uint64_t seed, uint64_t draw)
{
    return static_cast<double>(MixedBits(seed, draw) >> 11) * 0x1p-53;
}

} // namespace ns3::fabric

#endif // FABRIC_MIXED_BITS_H
