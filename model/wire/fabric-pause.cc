/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pause.h"

#include "fabric-require.h"

namespace ns3::fabric
{

namespace
{

// 65535 quanta times the picoseconds of a second do not fit into 64 bits, so both conversions go in
// two steps of a million: picoseconds to microseconds to seconds.
constexpr uint64_t MILLION = 1'000'000;

/**
 * @param where function that was given the rate
 * @param bitsPerSecond the rate
 */
void
RequireRate(const char* where, uint64_t bitsPerSecond)
{
    RequireRange(where, "rate in b/s", bitsPerSecond, MIN_PAUSE_RATE, MAX_PAUSE_RATE);
}

} // namespace

TimePs
QuantaToTime(uint16_t quanta, uint64_t bitsPerSecond)
{
    RequireRate("QuantaToTime", bitsPerSecond);
    const uint64_t bitsInMillionths = uint64_t{quanta} * PAUSE_QUANTUM_BITS * MILLION;
    const uint64_t microseconds = bitsInMillionths / bitsPerSecond;
    const uint64_t rest = bitsInMillionths % bitsPerSecond;
    return static_cast<TimePs>(microseconds * MILLION + rest * MILLION / bitsPerSecond);
}

uint16_t
TimeToQuanta(TimePs time, uint64_t bitsPerSecond)
{
    RequireRate("TimeToQuanta", bitsPerSecond);
    if (time < 0)
    {
        throw std::invalid_argument("TimeToQuanta: time is " + std::to_string(time) +
                                    " ps, allowed is 0 or more.");
    }
    if (time >= QuantaToTime(MAX_PAUSE_QUANTA, bitsPerSecond))
    {
        return MAX_PAUSE_QUANTA;
    }
    const auto picoseconds = static_cast<uint64_t>(time);
    const uint64_t whole = picoseconds / MILLION * bitsPerSecond;
    const uint64_t part = picoseconds % MILLION * bitsPerSecond / MILLION;
    constexpr uint64_t QUANTUM_IN_MILLIONTHS = PAUSE_QUANTUM_BITS * MILLION;
    return static_cast<uint16_t>((whole + part + QUANTUM_IN_MILLIONTHS - 1) /
                                 QUANTUM_IN_MILLIONTHS);
}

} // namespace ns3::fabric
