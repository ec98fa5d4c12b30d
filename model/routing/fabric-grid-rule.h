/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GRID_RULE_H
#define FABRIC_GRID_RULE_H

#include "fabric-path-rule.h"
#include "fabric-switch-grid.h"

#include <memory>
#include <utility>

namespace ns3::fabric
{

/// Routing of a switch in a grid: what is the same in a torus and in a HyperX.
class GridRule : public PathRule
{
  public:
    /// @param grid which its switches share @param number of the switch
    GridRule(std::shared_ptr<const SwitchGrid> grid, uint32_t number)
        : m_grid(std::move(grid)),
          m_number(static_cast<uint16_t>(number)),
          m_own(m_grid->PointOf(m_number))
    {
    }

    bool Knows(LocationId dst) const override
    {
        return m_grid->Has(dst);
    }

    void FindWays(LocationId dst, CameBy at, Ways& ways) const override
    {
        if (!AddHost(dst, ways))
        {
            FindOn(m_grid->PointOf(m_grid->SwitchOf(dst)), at, ways);
        }
    }

    void DrawWays(LocationId dst, CameBy at, std::minstd_rand& random, Ways& ways) const override
    {
        if (!AddHost(dst, ways))
        {
            DrawOn(m_grid->PointOf(m_grid->SwitchOf(dst)), at, random, ways);
        }
    }

  protected:
    using Point = SwitchGrid::Point; ///< Coordinates.

    /// As FindWays(), to another switch.
    virtual void FindOn(const Point& dst, CameBy at, Ways& ways) const = 0;
    /// As DrawWays(), to another switch.
    virtual void DrawOn(const Point& dst,
                        CameBy at,
                        std::minstd_rand& random,
                        Ways& ways) const = 0;

    const SwitchGrid& Grid() const
    {
        return *m_grid;
    }

    /// @return coordinates of this switch
    const Point& Own() const
    {
        return m_own;
    }

    /// @return whether a destination has the coordinate of this switch
    bool IsAligned(const Point& dst, uint32_t dimension) const
    {
        return dst[dimension] == m_own[dimension];
    }

    /// @return the first dimension in which a destination, another switch, is not aligned
    uint32_t FirstUnaligned(const Point& dst) const
    {
        uint32_t dimension = 0;
        while (IsAligned(dst, dimension))
        {
            ++dimension;
        }
        return dimension;
    }

  private:
    /// Adds the port of a host of this switch. @return whether it is one
    bool AddHost(LocationId dst, Ways& ways) const
    {
        const bool isHere = m_grid->SwitchOf(dst) == m_number;
        if (isHere)
        {
            ways.push_back({m_grid->PortOf(dst), 0, 0, 0, false});
        }
        return isHere;
    }

    std::shared_ptr<const SwitchGrid> m_grid; ///< Of all switches.
    uint16_t m_number;                        ///< Of the switch.
    Point m_own;                              ///< Its coordinates.
};

} // namespace ns3::fabric

#endif // FABRIC_GRID_RULE_H
