/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_QUEUE_SAMPLER_H
#define FABRIC_QUEUE_SAMPLER_H

#include "fabric-switch-sampler.h"
#include "fabric-waiting-queues.h"

#include <ostream>

namespace ns3
{

namespace fabric
{

/// What waits in a queue of an input.
struct QueueSample
{
    TimePs at;            ///< When, ps.
    uint32_t switchIndex; ///< Number of the switch.
    WaitingQueue queue;   ///< What was seen; see FindWaitingQueues() for the order.
};

} // namespace fabric

/// Looks at the input queues of all switches at equal distances of time (SC-5).
class FabricQueueSampler : public fabric::SwitchSampler<fabric::QueueSample>
{
  public:
    /**
     * @param network whose switches are looked at
     * @param period between samples, above 0
     */
    FabricQueueSampler(Ptr<FabricNetwork> network, Time period);

    /**
     * Writes queues.csv: a row per sample and queue in which a frame waits.
     *
     * @param os where to write
     * @param end of the run; samples up to it, not included, are written
     */
    void Write(std::ostream& os, Time end);
};

} // namespace ns3

#endif // FABRIC_QUEUE_SAMPLER_H
