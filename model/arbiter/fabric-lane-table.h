/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_TABLE_H
#define FABRIC_LANE_TABLE_H

#include "fabric-types.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// One bit for each virtual lane; bit 0 is lane 0.
using LaneMask = uint32_t;

inline constexpr uint32_t MAX_LANES = 32;     ///< Lanes that a mask has room for.
inline constexpr uint32_t DEFAULT_LANES = 16; ///< 4 bits of the header (VA-1).
inline constexpr uint32_t MAX_GROUPS = 32;    ///< One for each lane is the most that makes sense.
inline constexpr uint32_t MAX_LEVELS = 16;    ///< Without the Over-Bandwidth level; our choice.
inline constexpr uint8_t NO_BANDWIDTH_GROUP = 255; ///< The lane is in no bandwidth group yet.

/// What the fabric manager says of one virtual lane (VA-1, VA-11).
struct LaneSettings
{
    uint8_t lane{0};                   ///< Number of the lane.
    uint8_t level{0};                  ///< Its level, 0 is the highest.
    uint8_t trafficClass{0};           ///< Class whose packets it carries; lanes may share a class.
    uint8_t group{NO_BANDWIDTH_GROUP}; ///< Bandwidth group, exactly one.
    bool latencySensitive{false};      ///< Whether its packets may preempt others (VA-9).

    /// @return whether all is equal
    bool operator==(const LaneSettings& other) const;
};

/// What the fabric manager says of one bandwidth group (VA-2).
struct GroupSettings
{
    /// 100 % of the link; shares are held in hundredths of a percent, so that meters are exact.
    static constexpr uint32_t FULL_SHARE = 10'000;

    uint8_t group{0};  ///< Number of the group.
    uint32_t share{0}; ///< Share of the link, 1/100 %, 0 to FULL_SHARE. Shares may add up to more.

    /// @return whether all is equal
    bool operator==(const GroupSettings& other) const;
};

/**
 * Priority, share and latency sensitivity of every lane, as the fabric manager hands it to every
 * port (VA-1, VA-11). Lanes that are not in the table are not in use.
 */
struct LaneTable
{
    uint32_t laneCount{DEFAULT_LANES};                        ///< K: lanes are 0 to K - 1.
    std::vector<std::string> levels{"high", "medium", "low"}; ///< Names, highest first.
    std::vector<LaneSettings> lanes;                          ///< Each lane in use once.
    std::vector<GroupSettings> groups;                        ///< Each group once.

    /// @return whether all is equal
    bool operator==(const LaneTable& other) const;

    /**
     * @throws std::invalid_argument with one sentence that names the lane, group or level that is
     * wrong and says what is allowed (VA-14)
     */
    void Validate() const;

    /// @return the lanes in use
    LaneMask Lanes() const;

    /// @param level 0 is the highest
    LaneMask LanesOfLevel(uint8_t level) const;

    /**
     * @param group number of a bandwidth group
     * @return the lanes that it holds
     */
    LaneMask LanesOfGroup(uint8_t group) const;

    /// @return the lanes that carry it
    LaneMask LanesOfClass(uint8_t trafficClass) const;

    /// @return the lanes whose packets may preempt others (VA-9)
    LaneMask LatencySensitiveLanes() const;

    /// @return the Over-Bandwidth level, below all others (VA-4)
    uint8_t OverLevel() const
    {
        return static_cast<uint8_t>(levels.size());
    }
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_TABLE_H
