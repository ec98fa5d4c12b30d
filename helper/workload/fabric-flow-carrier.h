/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_CARRIER_H
#define FABRIC_FLOW_CARRIER_H

#include <cstdint>
#include <functional>

namespace ns3::fabric
{

/// Carries the flows of a list over a fabric. When each starts is up to another.
class FlowCarrier
{
  public:
    /// Is told of a flow: its number, and the place that was told with it.
    using Listener = std::function<void(uint32_t flow, uint32_t place)>;

    FlowCarrier() = default;
    FlowCarrier(const FlowCarrier&) = delete;
    FlowCarrier& operator=(const FlowCarrier&) = delete;
    virtual ~FlowCarrier() = default;

    /// @return whether another rank of MPI runs a host, so that none of its flows starts here
    virtual bool IsElsewhere(uint32_t host) const = 0;

    /**
     * A flow starts now.
     *
     * @param flow its number, from a host of this rank
     * @param place is told with it, below 2^30
     */
    virtual void Start(uint32_t flow, uint32_t place) = 0;

    /**
     * Whom to tell from now on.
     *
     * @param sent is told when the host that sends knows that all has arrived
     * @param received is told when the host that receives knows it; both are in the present
     */
    virtual void Listen(Listener sent, Listener received) = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_CARRIER_H
