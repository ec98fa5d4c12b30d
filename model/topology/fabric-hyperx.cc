/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-hyperx.h"

#include "fabric-grid-plan.h"

#include <memory>
#include <string>

namespace ns3::fabric
{

namespace
{

constexpr ShapeCheck HYPERX_CHECK("HyperX"); ///< Refuses what can't be.

/// Refuses paths that have more links than virtual channels.
void
RequireChannels(const HyperXConfig& config)
{
    const bool counts = config.mode == HYPERX_MINIMAL || config.mode == HYPERX_ADAPTIVE;
    if (counts && config.widths.size() > HyperXRule::MOST_LINKS)
    {
        HYPERX_CHECK.Refuse("paths through " + std::to_string(config.widths.size()) +
                            " dimensions in any order need a virtual channel for each; allowed "
                            "are at most " +
                            std::to_string(HyperXRule::MOST_LINKS) +
                            " dimensions, or paths in the order of dimensions");
    }
}

/// @return parallel links by dimension
std::vector<uint32_t>
TrunksOf(const HyperXConfig& config)
{
    const std::size_t dimensions = config.widths.size();
    if (config.trunks.size() != 1 && config.trunks.size() != dimensions)
    {
        HYPERX_CHECK.Refuse(std::to_string(config.trunks.size()) +
                            " numbers of parallel links for " + std::to_string(dimensions) +
                            " dimensions; allowed is one for each, or one for all");
    }
    std::vector<uint32_t> trunks(dimensions, config.trunks.front());
    if (config.trunks.size() == dimensions)
    {
        trunks = config.trunks;
    }
    for (const uint32_t trunk : trunks)
    {
        HYPERX_CHECK.RequireRange("parallel links", trunk, 1, MAX_PORTS);
    }
    return trunks;
}

/// @return the switches and their ports
std::shared_ptr<const HyperXWiring>
MakeWiring(const HyperXConfig& config)
{
    RequireChannels(config);
    const SwitchGrid grid = MakeGrid(HYPERX_CHECK, config.hostsPerSwitch, config.widths);
    const std::vector<uint32_t> trunks = TrunksOf(config);
    uint64_t ports = config.hostsPerSwitch;
    for (uint32_t d = 0; d < grid.Dimensions(); ++d)
    {
        ports += uint64_t{grid.Width(d) - 1} * trunks[d];
    }
    HYPERX_CHECK.RequirePorts(ports);
    return std::make_shared<const HyperXWiring>(grid, trunks);
}

} // namespace

HyperX::HyperX(const HyperXConfig& config)
    : m_wiring(MakeWiring(config)),
      m_plan(MakeGridPlan(m_wiring->Grid(), m_wiring->Ports()))
{
    const SwitchGrid& grid = m_wiring->Grid();
    m_routing.reserve(grid.Switches());
    for (uint32_t number = 0; number < grid.Switches(); ++number)
    {
        m_routing.emplace_back(std::make_shared<const HyperXRule>(m_wiring, number, config.mode));
        for (uint32_t d = 0; d < grid.Dimensions(); ++d)
        {
            AddLinks(number, d);
        }
    }
}

void
HyperX::AddLinks(uint32_t number, uint32_t dimension)
{
    const SwitchGrid& grid = m_wiring->Grid();
    const uint32_t own = grid.PointOf(static_cast<uint16_t>(number))[dimension];
    for (uint32_t other = own + 1; other < grid.Width(dimension); ++other)
    {
        for (uint32_t n = 0; n < m_wiring->Trunk(dimension); ++n)
        {
            m_plan.links.push_back(
                {number,
                 grid.Along(number, dimension, other),
                 static_cast<uint16_t>(m_wiring->PortTo(dimension, own, other) + n),
                 static_cast<uint16_t>(m_wiring->PortTo(dimension, other, own) + n),
                 LinkClass::FABRIC});
        }
    }
}

} // namespace ns3::fabric
