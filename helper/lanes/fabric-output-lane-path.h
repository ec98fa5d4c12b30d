/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OUTPUT_LANE_PATH_H
#define FABRIC_OUTPUT_LANE_PATH_H

#include "fabric-switch-lane-path.h"

namespace ns3::fabric
{

/**
 * Lanes over an output of a switch: each lane has a host of its own that sends, and one host
 * receives from all. The switch's port to that one arbitrates.
 */
class OutputLanePath : public SwitchLanePath
{
  public:
    /**
     * @param link with its lanes and arbiter
     * @param recorder is told what happens; must stay
     * @param helper installs the fabric
     */
    OutputLanePath(const LaneLinkSettings& link,
                   LaneRecorder& recorder,
                   FabricHelper helper = FabricHelper());

    void Settle() override;

  private:
    /// @return what installs hosts of one lane each
    static FabricHelper ForHostsOfOneLane(FabricHelper helper);
    /// The arbiter has chosen a frame.
    void Grant(uint32_t port, const Frame& frame, const fabric::Grant& grant, Time now);
};

} // namespace ns3::fabric

#endif // FABRIC_OUTPUT_LANE_PATH_H
