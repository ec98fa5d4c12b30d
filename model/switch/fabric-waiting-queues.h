/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WAITING_QUEUES_H
#define FABRIC_WAITING_QUEUES_H

#include "fabric-switch-ports.h"
#include "fabric-types.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// An input queue of a switch in which frames wait.
struct WaitingQueue
{
    /// What has a queue of its own.
    enum Kind : uint8_t
    {
        FLOW,   ///< A flow channel.
        WAY,    ///< One of several outputs of a flow whose frames may overtake each other.
        OUTPUT, ///< All frames of no flow channel to an output, by virtual channel or lane.
    };

    uint16_t port;        ///< Input port at which it is.
    uint16_t output;      ///< Port by which its frames are to leave.
    FlowId flow;          ///< Incoming flow_id, NO_FLOW for OUTPUT.
    LocationId src;       ///< Source of its first frame.
    LocationId dst;       ///< Destination of its first frame.
    Kind kind;            ///< What it is of.
    uint8_t vc;           ///< Virtual channel by which its frames are to leave.
    uint8_t trafficClass; ///< FTAG of its first frame.
    uint8_t holds;        ///< Why it may not be served, a sum of InputQueue::Hold.
    uint32_t frames;      ///< How many wait; one that has begun to leave does not.
    uint32_t bytes;       ///< Theirs on the wire.
};

/**
 * @param ports of a switch
 * @return all queues in which frames wait, by input port; there flow channels by flow_id, then
 * queues of outputs, then ways
 */
std::vector<WaitingQueue> FindWaitingQueues(const SwitchPorts& ports);

} // namespace ns3::fabric

#endif // FABRIC_WAITING_QUEUES_H
