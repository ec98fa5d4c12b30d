/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_MAP_H
#define FABRIC_LANE_MAP_H

#include "fabric-lane-table.h"

#include <array>

namespace ns3
{
namespace fabric
{

/// Which lanes of a table carry which traffic class (VA-1).
class LaneMap
{
  public:
    /// No lane carries anything.
    LaneMap() = default;

    /// @param table valid
    explicit LaneMap(const LaneTable& table)
    {
        for (const LaneSettings& lane : table.lanes)
        {
            m_lanesOfClass[lane.trafficClass] |= LaneMask{1} << lane.lane;
        }
    }

    /// Classes that no lane carries use the lanes of class 0.
    void LetOthersUseClass0()
    {
        for (LaneMask& lanes : m_lanesOfClass)
        {
            lanes = lanes == 0 ? m_lanesOfClass[0] : lanes;
        }
    }

    /**
     * @param trafficClass any number
     * @return the lanes that carry it; none if there is no such class
     */
    LaneMask LanesOf(uint32_t trafficClass) const
    {
        return trafficClass < TRAFFIC_CLASSES ? m_lanesOfClass[trafficClass] : 0;
    }

    /**
     * Where several lanes carry a class, what belongs together stays on one.
     *
     * @param lanes that carry a class, at least one
     * @param hash gives a number that is the same for what belongs together: `uint32_t hash()`
     * @return one of them
     */
    template <typename Hash>
    static uint8_t Choose(LaneMask lanes, Hash&& hash)
    {
        if ((lanes & (lanes - 1)) != 0)
        {
            const auto count = static_cast<uint32_t>(__builtin_popcount(lanes));
            for (uint32_t skip = hash() % count; skip != 0; --skip)
            {
                lanes &= lanes - 1;
            }
        }
        return static_cast<uint8_t>(__builtin_ctz(lanes));
    }

  private:
    std::array<LaneMask, TRAFFIC_CLASSES> m_lanesOfClass{}; ///< By class.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_LANE_MAP_H
