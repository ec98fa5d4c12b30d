/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_QUEUE_SAMPLER_H
#define FABRIC_QUEUE_SAMPLER_H

#include "fabric-switch-samples.h"
#include "fabric-waiting-queues.h"

#include <ostream>
#include <vector>

namespace ns3
{

/// Looks at the input queues of all switches at equal distances of time (SC-5).
class FabricQueueSampler
{
  public:
    /// What waits in a queue.
    struct Sample
    {
        fabric::TimePs at;          ///< When, ps.
        uint32_t switchIndex;       ///< Number of the switch.
        fabric::WaitingQueue queue; ///< What was seen.
    };

    /**
     * @param network whose switches are looked at
     * @param period between samples, above 0
     */
    FabricQueueSampler(Ptr<FabricNetwork> network, Time period);

    /**
     * Gets the samples of other ranks; all ranks have to call it, when the simulation is over.
     *
     * @param end of the run
     */
    void AddRanks(Time end);

    /**
     * Writes queues.csv: a row per sample and queue in which a frame waits.
     *
     * @param os where to write
     * @param end of the run; samples up to it, not included, are written
     */
    void Write(std::ostream& os, Time end);

    /**
     * @param end of the run
     * @return samples up to it, not included, by time, then switch; see
     * fabric::FindWaitingQueues()
     */
    std::vector<Sample> GetSamples(Time end);

  private:
    fabric::SwitchSamples<Sample> m_samples; ///< What was seen.
};

} // namespace ns3

#endif // FABRIC_QUEUE_SAMPLER_H
