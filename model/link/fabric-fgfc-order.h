/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FGFC_ORDER_H
#define FABRIC_FGFC_ORDER_H

#include "fabric-types.h"

namespace ns3::fabric
{

/// What a frame of fine-grain flow control tells a host of one of its flows (CM-4): the content of
/// FabricFgfcHeader.
struct FgfcOrder
{
    TimePs time{0};     ///< When the host obeys, ps.
    TimePs lasts{0};    ///< How long the flow is restrained, ps; 0: not any more.
    uint32_t flow{0};   ///< Number that the host's NIC has given to the flow.
    uint32_t credit{0}; ///< It may send so much more meanwhile, units of 256 bytes.
    TimePs told{0};     ///< When its first bit was on the wire, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_FGFC_ORDER_H
