/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GRID_PLAN_H
#define FABRIC_GRID_PLAN_H

#include "fabric-shape-check.h"
#include "fabric-switch-grid.h"
#include "fabric-topology.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * @param check of the topology, with whose name refusals begin
 * @param widths switches in each dimension
 * @return the grid
 * @throws std::invalid_argument with a sentence if there can't be such a grid
 */
SwitchGrid MakeGrid(const ShapeCheck& check,
                    uint32_t hostsPerSwitch,
                    const std::vector<uint32_t>& widths);

/// @param ports of each switch @return all switches of a grid and their hosts, without links
TopologyPlan MakeGridPlan(const SwitchGrid& grid, uint32_t ports);

} // namespace ns3::fabric

#endif // FABRIC_GRID_PLAN_H
