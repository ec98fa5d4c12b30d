/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SECONDS_H
#define FABRIC_SECONDS_H

#include "fabric-types.h"

#include <algorithm>
#include <cmath>

namespace ns3::fabric
{

/// @return seconds, the double nearest to the exact value
inline double
ToSeconds(TimePs time)
{
    return static_cast<double>(time) / 1e12;
}

/**
 * @param gap time between two events that was drawn or computed, ps, of any length
 * @return it, or eleven days, which are longer than any run and leave room for sums
 */
inline TimePs
WholeGap(double gap)
{
    constexpr double LONGEST = 1e18;
    return std::llround(std::min(gap, LONGEST));
}

} // namespace ns3::fabric

#endif // FABRIC_SECONDS_H
