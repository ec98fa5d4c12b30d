/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-dragonfly-helper.h"

#include "fabric-channel-dependency.h"

#include "ns3/uinteger.h"

namespace ns3
{

DragonflyHelper::DragonflyHelper(const fabric::DragonflyConfig& config)
    : m_dragonfly(config)
{
    SetSwitchAttribute("VirtualChannels", UintegerValue(fabric::VIRTUAL_CHANNELS));
    SetRouteCheck(ROUTES_ARE_PROVEN);
}

FabricContainer
DragonflyHelper::Install() const
{
    NodeContainer hosts;
    hosts.Create(m_dragonfly.GetShape().hosts);
    return Install(hosts);
}

FabricContainer
DragonflyHelper::Install(NodeContainer hosts) const
{
    return Install(hosts, m_dragonfly.GetPlan(), m_dragonfly.GetRouting());
}

void
DragonflyHelper::CheckRoutes(const fabric::Dragonfly& dragonfly)
{
    fabric::RouteDemands demands;
    demands.oneHostPerSwitch = true;
    fabric::CheckRoutes(dragonfly.GetPlan(), dragonfly.GetRouting(), demands).RequireGood();
}

const fabric::Dragonfly&
DragonflyHelper::GetDragonfly() const
{
    return m_dragonfly;
}

} // namespace ns3
