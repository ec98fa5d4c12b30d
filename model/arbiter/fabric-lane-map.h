/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_MAP_H
#define FABRIC_LANE_MAP_H

#include "fabric-lane-table.h"

#include <array>
#include <cstddef>

namespace ns3::fabric
{

/// Which lane of a table carries what (VA-1).
class LaneMap
{
  public:
    static constexpr uint8_t NO_LANE = 255; ///< No lane carries the class.

    /// No lane carries anything.
    LaneMap()
    {
        for (Row& row : m_rows)
        {
            row.fill(NO_LANE);
        }
    }

    /// @param table valid
    explicit LaneMap(const LaneTable& table)
        : LaneMap()
    {
        for (uint8_t trafficClass = 0; trafficClass < TRAFFIC_CLASSES; ++trafficClass)
        {
            Fill(m_rows[trafficClass], table.LanesOfClass(trafficClass));
        }
    }

    /// Classes that no lane carries use the lanes of class 0.
    void LetOthersUseClass0()
    {
        for (Row& row : m_rows)
        {
            row = row[0] == NO_LANE ? m_rows[0] : row;
        }
    }

    /**
     * Where several lanes carry a class, what has the same hash stays on one.
     *
     * @param hash any number; its low bits count
     */
    uint8_t LaneOf(uint32_t trafficClass, uint32_t hash = 0) const
    {
        return trafficClass < TRAFFIC_CLASSES ? m_rows[trafficClass][hash % ROW] : NO_LANE;
    }

    /**
     * @param trafficClass of a flow
     * @param src its source
     * @param dst its destination
     * @return the lane of its frames, the same at all transmitters; or NO_LANE
     */
    uint8_t LaneOfFlow(uint8_t trafficClass, LocationId src, LocationId dst) const
    {
        const uint32_t mixed = (src * 0x10001U + dst) * 0x9E3779B1U; // Fibonacci hashing
        return LaneOf(trafficClass, mixed >> 26);
    }

  private:
    static constexpr uint32_t ROW = 64; ///< A cache line; lanes of a class differ by 1/64 at most.

    using Row = std::array<uint8_t, ROW>; ///< Lanes of a class in turn.

    /// Puts lanes into a row in turn.
    static void Fill(Row& row, LaneMask lanes)
    {
        LaneMask left = lanes;
        for (uint32_t i = 0; i < ROW && lanes != 0; ++i)
        {
            row[i] = static_cast<uint8_t>(__builtin_ctz(left));
            left &= left - 1;
            left = left == 0 ? lanes : left;
        }
    }

    std::array<Row, TRAFFIC_CLASSES> m_rows; ///< By class.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_MAP_H
