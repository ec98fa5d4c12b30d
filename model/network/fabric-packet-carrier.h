/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PACKET_CARRIER_H
#define FABRIC_PACKET_CARRIER_H

#include "fabric-flow-key.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// Carries packets of a node's network stack in another way than as frames of their own.
class PacketCarrier
{
  public:
    virtual ~PacketCarrier() = default;

    /// @param destination another endpoint @return whether packets can be carried there
    virtual bool Reaches(LocationId destination) = 0;

    /// @return bytes of packets that it has, and that are not acknowledged
    virtual uint64_t Backlog() const = 0;

    /// Takes a packet at the present time. @param flow of it @param handle in the packet table; it
    /// is the destination's from now on
    virtual void Carry(const FlowKey& flow, uint32_t bytes, uint32_t handle) = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_PACKET_CARRIER_H
