/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-subnet-manager.h"

#include "fabric-switch-chip.h"
#include "fabric-window-driver.h"

#include <algorithm>
#include <stdexcept>

namespace ns3::fabric
{

void
SubnetManager::MakeWays()
{
    if (m_ways)
    {
        return;
    }
    m_ways = std::make_shared<Reachability>();
    for (const WindowDriver* fabricSwitch : m_switches)
    {
        const SwitchChip& chip = fabricSwitch->Chip();
        m_ways->AddSwitch(chip.GetRouting(), chip.Config().ports);
    }
    for (const SwitchLink& link : m_links)
    {
        m_ways->AddLink(link[0].number, link[0].port, link[1].number, link[1].port);
    }
    for (const Host& host : m_hosts)
    {
        m_ways->AddHost(host.location, host.end.number, host.end.port);
    }
}

TimePs
SubnetManager::NotBehind(const std::vector<SwitchPort>& ends, TimePs at) const
{
    for (const SwitchPort& end : ends)
    {
        at = std::max(at, m_switches[end.number]->NextWindow());
    }
    return at;
}

std::vector<uint32_t>
SubnetManager::Hops(uint32_t from) const
{
    std::vector<std::vector<uint32_t>> neighbours(m_switches.size());
    for (const auto& [one, other] : m_links)
    {
        neighbours[one.number].push_back(other.number);
        neighbours[other.number].push_back(one.number);
    }
    std::vector<uint32_t> hops(m_switches.size());
    hops[from] = 1;
    std::vector<uint32_t> reached{from};
    for (std::size_t i = 0; i < reached.size(); ++i)
    {
        for (const uint32_t next : neighbours[reached[i]])
        {
            if (hops[next] == 0)
            {
                hops[next] = hops[reached[i]] + 1;
                reached.push_back(next);
            }
        }
    }
    return hops;
}

TimePs
SubnetManager::FailLink(const std::vector<SwitchPort>& ends, TimePs at)
{
    if (m_isFixed)
    {
        throw std::invalid_argument("a link can't fail while there are groups, whose trees do not "
                                    "go around it; allowed are failures of fabrics without groups");
    }
    MakeWays();
    const TimePs known = NotBehind(ends, 0);
    at = std::max(at, known);
    for (const SwitchPort& end : ends)
    {
        m_switches[end.number]->Chip().FailLinkAt(end.port, at, known);
    }
    m_ways->Fail(ends[0].number, ends[0].port, at + m_settings.routingUpdateDelay);
    UpdateWays(at);
    return at;
}

TimePs
SubnetManager::RepairLink(const std::vector<SwitchPort>& ends, TimePs at)
{
    at = NotBehind(ends, at);
    for (const SwitchPort& end : ends)
    {
        m_switches[end.number]->Chip().RepairLinkAt(end.port, at);
    }
    m_ways->Repair(ends[0].number, ends[0].port, at + m_settings.routingUpdateDelay);
    UpdateWays(at);
    return at;
}

void
SubnetManager::UpdateWays(TimePs at)
{
    at += m_settings.routingUpdateDelay;
    for (WindowDriver* fabricSwitch : m_switches)
    {
        fabricSwitch->Chip().UpdateWaysAt(std::max(at, fabricSwitch->NextWindow()),
                                          m_ways,
                                          fabricSwitch->Number());
    }
}

void
SubnetManager::SetLaneTable(const LaneTable& table)
{
    for (const WindowDriver* fabricSwitch : m_switches)
    {
        fabricSwitch->Chip().CheckLanes(table); // so that all change or none
    }
    for (WindowDriver* fabricSwitch : m_switches)
    {
        fabricSwitch->Chip().ChangeLanesAt(fabricSwitch->NextWindow(), table);
    }
}

void
SubnetManager::Clear()
{
    m_switches.clear();
    m_links.clear();
    m_hosts.clear();
}

} // namespace ns3::fabric
