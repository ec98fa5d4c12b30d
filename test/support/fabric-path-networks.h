/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PATH_NETWORKS_H
#define FABRIC_PATH_NETWORKS_H

#include "fabric-dragonfly.h"
#include "fabric-graph-routing.h"
#include "fabric-group-network.h"
#include "fabric-hyperx.h"
#include "fabric-port-map.h"
#include "fabric-torus.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// A topology whose switches route by a PathRule.
struct PathNetwork
{
    GroupNetwork network; ///< Plan and routes.
    std::string name;     ///< In words, for messages.
};

/// @return a dragonfly in words
inline PathNetwork
MakePathNetwork(const DragonflyConfig& c)
{
    const Dragonfly dragonfly(c);
    return {{dragonfly.GetPlan(), dragonfly.GetRouting()},
            "dragonfly p=" + std::to_string(c.hostsPerSwitch) +
                " a=" + std::to_string(c.switchesPerGroup) + " h=" + std::to_string(c.globalPorts) +
                " g=" + std::to_string(c.groups) + " m=" + std::to_string(c.globalLinks) +
                " l=" + std::to_string(c.localLinks) + " mode=" + std::to_string(c.mode)};
}

/// @return the name of a grid
template <typename Config>
std::string
NameOfGrid(const std::string& kind, const Config& config)
{
    std::string name = kind;
    for (const uint32_t width : config.widths)
    {
        name += " " + std::to_string(width);
    }
    return name + " p=" + std::to_string(config.hostsPerSwitch) +
           " mode=" + std::to_string(config.mode);
}

/// The same of a torus.
inline PathNetwork
MakePathNetwork(const TorusConfig& config)
{
    const Torus torus(config);
    return {{torus.GetPlan(), torus.GetRouting()}, NameOfGrid("torus", config)};
}

/// The same of a HyperX.
inline PathNetwork
MakePathNetwork(const HyperXConfig& config)
{
    const HyperX hyperX(config);
    return {{hyperX.GetPlan(), hyperX.GetRouting()}, NameOfGrid("HyperX", config)};
}

/// @return a small dragonfly of any shape, with parallel links and without @param most switches
inline PathNetwork
DrawDragonflyNetwork(std::minstd_rand& random, uint32_t most)
{
    DragonflyConfig config;
    do
    {
        config = {};
        config.hostsPerSwitch = 1 + random() % 2;
        config.switchesPerGroup = 1 + random() % 5;
        config.globalPorts = 1 + random() % 3;
        const uint32_t ports = config.switchesPerGroup * config.globalPorts;
        config.groups = 2 + random() % std::min(ports, 7U);
        config.localLinks = 1 + random() % 2;
        config.mode = static_cast<DragonflyMode>(random() % 3);
        config.globalLinks = random() % 2 == 0 ? 1 + random() % (ports / (config.groups - 1)) : 0;
    } while (config.switchesPerGroup * config.groups > most);
    return MakePathNetwork(config);
}

/// @return widths of a small grid @param dimensions at most
inline std::vector<uint32_t>
DrawWidths(std::minstd_rand& random, uint32_t dimensions, uint32_t most)
{
    std::vector<uint32_t> widths;
    uint32_t switches = 1;
    for (uint32_t d = 1 + random() % dimensions; d > 0 && 2 * switches <= most; --d)
    {
        const auto width = static_cast<uint32_t>(2 + random() % 4);
        widths.push_back(std::min(width, most / switches));
        switches *= widths.back();
    }
    return widths;
}

/// @return a connected graph of no kind, with parallel links and switches without hosts @param most
/// switches, at least 2
inline TopologyPlan
DrawGraph(std::minstd_rand& random, uint32_t most)
{
    TopologyPlan plan;
    const auto switches = static_cast<uint32_t>(2 + random() % (most - 1));
    plan.switches.resize(switches, {NO_GROUP, 0, Tier::CORE});
    const auto link = [&plan](uint32_t a, uint32_t b) {
        plan.links.push_back(
            {a, b, plan.switches[a].ports++, plan.switches[b].ports++, LinkClass::FABRIC});
    };
    for (uint32_t sw = 1; sw < switches; ++sw)
    {
        link(sw, random() % sw);
    }
    for (uint32_t n = random() % (2 * switches); n > 0; --n)
    {
        const auto a = static_cast<uint32_t>(random() % switches);
        link(a, (a + 1 + random() % (switches - 1)) % switches);
    }
    const uint32_t mostHosts = 1 + random() % 2;
    for (uint32_t sw = 0; sw < switches; ++sw)
    {
        for (uint32_t n = sw < 2 ? 1 : random() % (mostHosts + 1); n > 0; --n)
        {
            plan.hosts.push_back({sw, plan.switches[sw].ports++});
            plan.switches[sw].tier = Tier::EDGE;
        }
    }
    return plan;
}

/// The same, whose hosts are four links between switches apart at most.
inline TopologyPlan
DrawShortGraph(std::minstd_rand& random, uint32_t most)
{
    for (;;)
    {
        const TopologyPlan plan = DrawGraph(random, most);
        const PortMap ports(plan);
        uint32_t farthest = 0;
        for (const HostPlan& a : plan.hosts)
        {
            const std::vector<uint32_t> distances = ports.GetDistances(a.edgeSwitch);
            for (const HostPlan& b : plan.hosts)
            {
                farthest = std::max(farthest, distances[b.edgeSwitch]);
            }
        }
        if (farthest <= 4)
        {
            return plan;
        }
    }
}

/// @return a small topology of any kind, with any paths @param most switches
inline PathNetwork
DrawPathNetwork(std::minstd_rand& random, uint32_t most = 64)
{
    const auto kind = random() % 4;
    if (kind == 3)
    {
        const TopologyPlan plan = DrawShortGraph(random, most);
        const GraphMode mode = random() % 2 == 0 ? GRAPH_MINIMAL : GRAPH_ADAPTIVE;
        return {{plan, MakeGraphRouting(plan, mode)}, "graph mode=" + std::to_string(mode)};
    }
    if (kind == 0)
    {
        return DrawDragonflyNetwork(random, most);
    }
    if (kind == 1)
    {
        TorusConfig config;
        config.mode = static_cast<TorusMode>(random() % 3);
        config.hostsPerSwitch = 1 + random() % 2;
        config.widths = DrawWidths(random, 4, most);
        return MakePathNetwork(config);
    }
    HyperXConfig config;
    config.mode = static_cast<HyperXMode>(random() % 4);
    config.hostsPerSwitch = 1 + random() % 2;
    config.widths = DrawWidths(random, 4, most);
    config.trunks = {static_cast<uint32_t>(1 + random() % 2)};
    return MakePathNetwork(config);
}

/// @return some hosts of so many @param least of them
inline std::vector<uint32_t>
DrawSome(std::minstd_rand& random, uint32_t hosts, uint32_t least)
{
    std::vector<uint32_t> all(hosts);
    for (uint32_t i = 0; i < hosts; ++i)
    {
        all[i] = i;
    }
    std::shuffle(all.begin(), all.end(), random);
    all.resize(least + random() % (hosts - least + 1));
    return all;
}

} // namespace ns3::fabric

#endif // FABRIC_PATH_NETWORKS_H
