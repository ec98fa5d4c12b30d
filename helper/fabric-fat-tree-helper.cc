/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree-helper.h"

#include "fabric-channel-dependency.h"

#include <stdexcept>

namespace ns3
{

namespace
{

/// @return a full tree of three levels
fabric::FatTreeConfig
FullTree(uint32_t radix)
{
    fabric::FatTreeConfig config;
    config.radix = radix;
    return config;
}

} // namespace

FatTreeHelper::FatTreeHelper(uint32_t radix)
    : FatTreeHelper(FullTree(radix))
{
}

FatTreeHelper::FatTreeHelper(const fabric::FatTreeConfig& config)
    : m_tree(config)
{
    SetRouteCheck(ROUTES_ARE_PROVEN);
}

FabricContainer
FatTreeHelper::Install() const
{
    NodeContainer hosts;
    hosts.Create(m_tree.GetShape().hosts);
    return Install(hosts);
}

FabricContainer
FatTreeHelper::Install(NodeContainer hosts) const
{
    const auto& rules = m_tree.GetRouting();
    return Install(hosts, m_tree.GetPlan(), {rules.begin(), rules.end()});
}

void
FatTreeHelper::CheckRoutes() const
{
    fabric::RouteDemands demands;
    demands.shortest = true;
    demands.upDown = true;
    demands.oneHostPerSwitch = true;
    const std::vector<fabric::Routing> routing(m_tree.GetRouting().begin(),
                                               m_tree.GetRouting().end());
    fabric::CheckRoutes(m_tree.GetPlan(), routing, demands).RequireGood();
}

const fabric::FatTree&
FatTreeHelper::GetTree() const
{
    return m_tree;
}

} // namespace ns3
