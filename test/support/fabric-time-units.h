/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TIME_UNITS_H
#define FABRIC_TIME_UNITS_H

#include "fabric-types.h"

namespace ns3::fabric
{

constexpr TimePs NS = 1000;      ///< A nanosecond.
constexpr TimePs US = 1000 * NS; ///< A microsecond.
constexpr TimePs MS = 1000 * US; ///< A millisecond.

} // namespace ns3::fabric

#endif // FABRIC_TIME_UNITS_H
