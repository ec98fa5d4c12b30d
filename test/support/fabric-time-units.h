/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TIME_UNITS_H
#define FABRIC_TIME_UNITS_H

#include "fabric-types.h"

namespace ns3
{
namespace fabric
{

constexpr TimePs NS = 1000;      ///< A nanosecond.
constexpr TimePs US = 1000 * NS; ///< A microsecond.
constexpr TimePs MS = 1000 * US; ///< A millisecond.

} // namespace fabric
} // namespace ns3

#endif // FABRIC_TIME_UNITS_H
