/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-dragonfly.h"

#include "fabric-shape-check.h"

#include <memory>
#include <string>

namespace ns3::fabric
{

namespace
{

constexpr ShapeCheck DRAGONFLY_CHECK("dragonfly"); ///< Refuses what can't be.

/// @return number of groups
uint32_t
GroupsOf(const DragonflyConfig& config)
{
    const uint32_t ports = config.switchesPerGroup * config.globalPorts;
    if (config.groups > ports + 1)
    {
        DRAGONFLY_CHECK.Refuse(std::to_string(config.groups) + " groups can't all be linked; " +
                               std::to_string(config.switchesPerGroup) + " switches with " +
                               std::to_string(config.globalPorts) + " global ports allow at most " +
                               std::to_string(ports + 1));
    }
    return config.groups == 0 ? ports + 1 : config.groups;
}

/// @return links between two groups
uint32_t
GlobalLinksOf(const DragonflyConfig& config, uint32_t groups)
{
    if (groups == 1)
    {
        return 0;
    }
    const uint32_t most = config.switchesPerGroup * config.globalPorts / (groups - 1);
    if (config.globalLinks > most)
    {
        DRAGONFLY_CHECK.Refuse(std::to_string(config.globalLinks) + " links between each two of " +
                               std::to_string(groups) +
                               " groups need more global ports than there are; " +
                               "allowed are at most " + std::to_string(most));
    }
    return config.globalLinks == 0 ? most : config.globalLinks;
}

} // namespace

DragonflyShape
DragonflyShape::Of(const DragonflyConfig& config)
{
    const auto require = [](const char* what, uint32_t number, uint32_t least) {
        DRAGONFLY_CHECK.RequireRange(what, number, least, MAX_PORTS);
    };
    require("hosts per switch", config.hostsPerSwitch, 1);
    require("switches per group", config.switchesPerGroup, 1);
    require("global ports per switch", config.globalPorts, 0);
    require("links between two switches of a group", config.localLinks, 1);
    const uint32_t p = config.hostsPerSwitch;
    const uint32_t a = config.switchesPerGroup;
    const uint32_t g = GroupsOf(config);
    const uint64_t ports = uint64_t{a - 1} * config.localLinks + p + config.globalPorts;
    DRAGONFLY_CHECK.RequirePorts(ports);
    const uint64_t hosts = uint64_t{p} * a * g;
    DRAGONFLY_CHECK.RequireHosts(hosts);
    DragonflyShape shape{};
    shape.wiring = {p, a, g, GlobalLinksOf(config, g), config.localLinks};
    shape.hosts = static_cast<uint32_t>(hosts);
    shape.switches = a * g;
    shape.ports = static_cast<uint32_t>(ports);
    shape.localLinks = g * (a * (a - 1) / 2) * config.localLinks;
    shape.globalLinks = g * (g - 1) / 2 * shape.wiring.globalLinks;
    return shape;
}

Dragonfly::Dragonfly(const DragonflyConfig& config)
    : m_shape(DragonflyShape::Of(config))
{
    m_plan.switches.reserve(m_shape.switches);
    m_plan.links.reserve(m_shape.localLinks + m_shape.globalLinks);
    m_plan.hosts.reserve(m_shape.hosts);
    m_routing.reserve(m_shape.switches);
    AddSwitches(config.mode);
    for (uint32_t group = 0; group < m_shape.wiring.groups; ++group)
    {
        AddLocalLinks(group);
    }
    for (uint32_t group = 0; group < m_shape.wiring.groups; ++group)
    {
        AddGlobalLinks(group);
    }
}

void
Dragonfly::AddSwitches(DragonflyMode mode)
{
    const auto wiring = std::make_shared<const DragonflyWiring>(m_shape.wiring);
    for (uint32_t number = 0; number < m_shape.switches; ++number)
    {
        m_plan.switches.push_back(
            {number / wiring->switchesPerGroup, static_cast<uint16_t>(m_shape.ports), Tier::EDGE});
        m_routing.emplace_back(std::make_shared<const DragonflyRule>(wiring, number, mode));
        for (uint32_t port = 0; port < wiring->hostsPerSwitch; ++port)
        {
            m_plan.hosts.push_back({number, static_cast<uint16_t>(port)});
        }
    }
}

void
Dragonfly::AddLocalLinks(uint32_t group)
{
    const DragonflyWiring& wiring = m_shape.wiring;
    const uint32_t first = group * wiring.switchesPerGroup;
    for (uint32_t a = 0; a < wiring.switchesPerGroup; ++a)
    {
        for (uint32_t b = a + 1; b < wiring.switchesPerGroup; ++b)
        {
            for (uint32_t n = 0; n < wiring.localLinks; ++n)
            {
                m_plan.links.push_back({first + a,
                                        first + b,
                                        static_cast<uint16_t>(wiring.LocalPort(a, b) + n),
                                        static_cast<uint16_t>(wiring.LocalPort(b, a) + n),
                                        LinkClass::LOCAL});
            }
        }
    }
}

void
Dragonfly::AddGlobalLinks(uint32_t group)
{
    const DragonflyWiring& wiring = m_shape.wiring;
    for (uint32_t other = group + 1; other < wiring.groups; ++other)
    {
        for (uint32_t n = 0; n < wiring.globalLinks; ++n)
        {
            const uint32_t link = wiring.LinkTo(other - group, n);
            const uint32_t end = wiring.FarEnd(link);
            m_plan.links.push_back({group * wiring.switchesPerGroup + wiring.SwitchOf(link),
                                    other * wiring.switchesPerGroup + wiring.SwitchOf(end),
                                    wiring.GlobalPort(link),
                                    wiring.GlobalPort(end),
                                    LinkClass::GLOBAL});
        }
    }
}

} // namespace ns3::fabric
