/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TOLD_LOADS_H
#define FABRIC_TOLD_LOADS_H

#include "fabric-ack.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// Loads that a switch tells its neighbours and hears from them, by number from 1 (FC-12).
class ToldLoads
{
  public:
    virtual ~ToldLoads() = default;

    /// @return one more than the last number
    virtual uint32_t End() const = 0;

    /// @return whether the neighbour at a port is told anything
    virtual bool IsTold(uint32_t port) const = 0;

    /// @return whether what is told may change when something happens at a port
    virtual bool DependsOn(uint32_t port) const = 0;

    /// @return what is told by number, as codes (EncodeLoad()); the first is of no meaning
    virtual const std::vector<uint8_t>& Look(TimePs now) = 0;

    /// @return whether a number is told at a port; after Look()
    virtual bool IsFor(uint32_t port, FlowId number) const = 0;

    /// A neighbour has told something. @return whether what is told here may change with it
    virtual bool Hear(uint32_t port, const Ack& ack) = 0;

    /// The link of a port has failed, or is up again: nothing is known of what is behind it.
    virtual void Forget(uint32_t port) = 0;

    /// A neighbour knows all. A port on which what is told depends has a decision when that may
    /// have changed.
    virtual void Watch(TimePs now) = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_TOLD_LOADS_H
