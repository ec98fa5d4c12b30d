/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HOP_COUNTER_H
#define FABRIC_HOP_COUNTER_H

#include "fabric-transport-packet.h"

#include <cstdint>

namespace ns3::fabric
{

/// What knows how far away peers are.
class HopCounter
{
  public:
    virtual ~HopCounter() = default;

    /// @param peer address of it @return switches on a shortest way to it
    virtual uint32_t HopsTo(PeerAddress peer) const = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_HOP_COUNTER_H
