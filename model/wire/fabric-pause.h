/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAUSE_H
#define FABRIC_PAUSE_H

#include "fabric-types.h"

namespace ns3::fabric
{

/// Bits of a pause quantum: IEEE Std 802.3-2018, 31B.2 (PAUSE) and 31D.2 (priority-based).
inline constexpr uint32_t PAUSE_QUANTUM_BITS = 512;

inline constexpr uint32_t PAUSE_PRIORITIES = 8;     ///< IEEE Std 802.1Qbb-2011.
inline constexpr uint32_t MAX_PAUSE_QUANTA = 65535; ///< A field of 16 bits.

/// Lowest rate of the conversions below, b/s: less would not fit into TimePs.
inline constexpr uint64_t MIN_PAUSE_RATE = 1'000'000;
/// Highest rate of the conversions below, b/s: more would not fit into 64-bit arithmetic.
inline constexpr uint64_t MAX_PAUSE_RATE = 9'000'000'000'000;

/**
 * How long a pause lasts.
 *
 * @param quanta units of 512 bit times
 * @param bitsPerSecond rate of the link, 1 Mb/s to 9 Tb/s
 * @return the time, rounded down to 1 ps
 * @throw std::invalid_argument if the rate is out of range
 */
TimePs QuantaToTime(uint16_t quanta, uint64_t bitsPerSecond);

/**
 * The shortest pause that lasts at least so long, give or take a picosecond: it is the inverse of
 * QuantaToTime. Longer times than 65535 quanta have to be refreshed by another frame, so they give
 * 65535.
 *
 * @param time the time, not negative
 * @param bitsPerSecond rate of the link, 1 Mb/s to 9 Tb/s
 * @return units of 512 bit times
 * @throw std::invalid_argument if the rate is out of range or the time negative
 */
uint16_t TimeToQuanta(TimePs time, uint64_t bitsPerSecond);

} // namespace ns3::fabric

#endif // FABRIC_PAUSE_H
