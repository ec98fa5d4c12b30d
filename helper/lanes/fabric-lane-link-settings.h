/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_LINK_SETTINGS_H
#define FABRIC_LANE_LINK_SETTINGS_H

#include "fabric-lane-table.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// A link that virtual lanes share, and their packets.
struct LaneLinkSettings
{
    LaneTable table;             ///< The lanes.
    DataRate rate{"100Gbps"};    ///< Of the link.
    Time delay{"100ns"};         ///< Propagation delay of the link.
    uint64_t packetBytes{1'024}; ///< Of each packet on the link, headers counted; 64 to 9000.
    /**
     * Attributes of the arbiter and their values, by the names that ns3::VlArbiterQueueDisc gives
     * them, such as Mode and group.
     */
    std::vector<std::pair<std::string, std::string>> arbiter;

    double PacketTime() const
    {
        return 8e12 * static_cast<double>(packetBytes) / static_cast<double>(rate.GetBitRate());
    }
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_LINK_SETTINGS_H
