/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SMALL_TREE_H
#define FABRIC_SMALL_TREE_H

#include "fabric-fat-tree-helper.h"
#include "fabric-network.h"
#include "support/fabric-function-case.h"

#include "ns3/boolean.h"
#include "ns3/callback.h"
#include "ns3/packet.h"

#include <cstdint>

namespace ns3::fabric
{

/// @return a tree of 8 hosts
inline FatTreeHelper
SmallTree(bool flowChannels = true)
{
    FatTreeConfig config;
    config.levels = 2;
    config.radix = 4;
    FatTreeHelper helper(config);
    helper.SetStream(1);
    helper.SetSwitchAttribute("FlowChannels", BooleanValue(flowChannels));
    return helper;
}

/// Counts calls.
struct Counter
{
    uint64_t calls{0}; ///< How many.
    uint64_t bytes{0}; ///< In them.

    Callback<void, Ptr<const Packet>> Sink()
    {
        return Callback<void, Ptr<const Packet>>([this](Ptr<const Packet> packet) {
            ++calls;
            bytes += packet->GetSize();
        });
    }
};

/// Nothing is left, and the books balance.
inline void
ExpectEmpty(FunctionCase& test, const FabricContainer& fabric)
{
    fabric.network->CheckInvariants();
    test.Expect(fabric.network->IsEmpty(), "something is left in the fabric");
    test.Expect(fabric.network->GetTotals().inFlight == 0, "bytes are left in the fabric");
}

} // namespace ns3::fabric

#endif // FABRIC_SMALL_TREE_H
