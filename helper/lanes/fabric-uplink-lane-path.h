/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_UPLINK_LANE_PATH_H
#define FABRIC_UPLINK_LANE_PATH_H

#include "fabric-switch-lane-path.h"

#include <array>
#include <cstdint>
#include <map>

namespace ns3::fabric
{

/**
 * Lanes over the uplink of a host: it sends the packets of all lanes, those of each to a host of
 * its own. Its network interface arbitrates.
 */
class UplinkLanePath : public SwitchLanePath
{
  public:
    /**
     * @param link with its lanes and arbiter
     * @param recorder is told what happens; must stay
     * @param helper installs the fabric
     */
    UplinkLanePath(const LaneLinkSettings& link,
                   LaneRecorder& recorder,
                   FabricHelper helper = FabricHelper());

    /// @throws std::invalid_argument if the network interface has no lanes
    void CheckSettings() const override;

    void Settle() override;

  private:
    /// Packets chosen as far as told, by lane and whether they conformed.
    std::map<uint32_t, std::array<uint64_t, 2>> m_known;
};

} // namespace ns3::fabric

#endif // FABRIC_UPLINK_LANE_PATH_H
