/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INJECTED_DATA_H
#define FABRIC_INJECTED_DATA_H

#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// What a host has in the fabric, and whether that is too much (CM-8).
struct InjectedData
{
    uint64_t units{0}; ///< Sum of flow_extent of its flows, units of 256 bytes.
    FlowId last{
        NO_FLOW};       ///< The flow that had the last turn; the next one is that of the one after.
    bool isFull{false}; ///< Whether its flows need turns.
};

} // namespace ns3::fabric

#endif // FABRIC_INJECTED_DATA_H
