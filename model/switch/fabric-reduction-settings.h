/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REDUCTION_SETTINGS_H
#define FABRIC_REDUCTION_SETTINGS_H

#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// Of the reduction engine of a switch (SW-14).
struct ReductionSettings
{
    uint32_t slots{1024};    ///< Frames that it can be combining at a time.
    TimePs latency{100'000}; ///< From the last contribution to the request of the result, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_REDUCTION_SETTINGS_H
