/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_PLAN_H
#define FABRIC_LANE_PLAN_H

#include "fabric-bandwidth-meter.h"
#include "fabric-fetch.h"
#include "fabric-lane-table.h"
#include "fabric-vl-arbiter-settings.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/**
 * What follows from a lane table for arbiters with some settings (VA-11): where each lane belongs,
 * and how each group is measured. It never changes, so all ports of a switch whose links have the
 * same rate share one.
 */
class alignas(CACHE_LINE) LanePlan
{
  public:
    /// Where a lane belongs.
    struct LanePlace
    {
        uint8_t level{0}; ///< Its level.
        uint8_t group{0}; ///< Its group.
    };

    /// A bandwidth group; what every charge reads is in one line of the cache.
    struct alignas(CACHE_LINE) GroupPlan
    {
        LaneMask lanes{0};  ///< Its lanes.
        bool isUsed{false}; ///< Whether the table has such a group.
        uint32_t share{0};  ///< Its share of the link, 1/100 %.
        MeterRule rule;     ///< How it is measured.
    };

    /**
     * @param table of lanes and groups
     * @throws std::invalid_argument with a sentence if either is wrong (VA-14)
     */
    LanePlan(const VlArbiterSettings& settings, const LaneTable& table);

    const VlArbiterSettings& Settings() const
    {
        return m_settings;
    }

    const LaneTable& Table() const
    {
        return m_table;
    }

    /// @return the level of what does not conform
    uint8_t OverLevel() const
    {
        return m_overLevel;
    }

    /// @return whether lanes have turns and packets are charged when they start, the default
    bool IsSimple() const
    {
        return m_isSimple;
    }

    /// @return whether groups have turns, and inside them lanes
    bool ChoosesGroups() const
    {
        return m_settings.mode == CHECK_GROUPS;
    }

    /// @return how many may have turns at a level
    uint32_t TurnRoom() const
    {
        return ChoosesGroups() ? GroupRoom() : LaneRoom();
    }

    /// @return whether what does not conform has to wait
    bool Disqualifies() const
    {
        return m_disqualifies;
    }

    /// @return whether what does not conform is charged
    bool ChargesOver() const
    {
        return m_chargesOver;
    }

    /// @return the lanes in use
    LaneMask Lanes() const
    {
        return m_lanes;
    }

    /// @return the highest number of a lane in use and 1
    uint32_t LaneRoom() const
    {
        return m_laneRoom;
    }

    /// @return the highest number of a group and 1
    uint32_t GroupRoom() const
    {
        return static_cast<uint32_t>(m_groups.size());
    }

    /**
     * @param lane number of a lane in use
     * @return where it belongs
     */
    const LanePlace& Place(uint32_t lane) const
    {
        return m_places[lane];
    }

    /// @param group number, less than GroupRoom()
    const GroupPlan& Group(uint32_t group) const
    {
        return m_groups[group];
    }

    /// @return its share of the link, 1/100 %; nothing if the table has no such group
    std::optional<uint32_t> ShareOf(uint32_t group) const
    {
        const bool isUsed = group < m_groups.size() && m_groups[group].isUsed;
        return isUsed ? std::optional<uint32_t>(m_groups[group].share) : std::nullopt;
    }

    /**
     * @param lanes in use, at least one
     * @return the highest level that one of them has
     */
    uint8_t HighestLevel(LaneMask lanes) const
    {
        uint8_t level = 0;
        while ((lanes & m_lanesOfLevel[level]) == 0)
        {
            ++level;
        }
        return level;
    }

    /// @param level of the table
    LaneMask LanesOfLevel(uint8_t level) const
    {
        return m_lanesOfLevel[level];
    }

  private:
    // What every frame reads comes first, in two lines of the cache.

    LaneMask m_lanes{0};                               ///< See Lanes().
    uint8_t m_laneRoom{0};                             ///< See LaneRoom().
    uint8_t m_overLevel{0};                            ///< See OverLevel().
    bool m_isSimple;                                   ///< See IsSimple().
    bool m_disqualifies;                               ///< See Disqualifies().
    bool m_chargesOver;                                ///< See ChargesOver().
    std::vector<GroupPlan> m_groups;                   ///< By number.
    std::array<LanePlace, MAX_LANES> m_places{};       ///< By lane.
    std::array<LaneMask, MAX_LEVELS> m_lanesOfLevel{}; ///< By level.
    VlArbiterSettings m_settings;                      ///< Settings.
    LaneTable m_table;                                 ///< The table.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_PLAN_H
