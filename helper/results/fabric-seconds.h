/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SECONDS_H
#define FABRIC_SECONDS_H

#include "fabric-types.h"

namespace ns3::fabric
{

/// @return seconds, the double nearest to the exact value
inline double
ToSeconds(TimePs time)
{
    return static_cast<double>(time) / 1e12;
}

} // namespace ns3::fabric

#endif // FABRIC_SECONDS_H
