/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TOPOLOGY_H
#define FABRIC_TOPOLOGY_H

#include "fabric-types.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// Hosts that the unicast locations suffice for (WL-1): 49,151.
inline constexpr uint32_t MAX_HOSTS = LAST_UNICAST - FIRST_UNICAST + 1;

/// Largest number of ports of a switch: that of FabricSwitch::Ports.
inline constexpr uint32_t MAX_PORTS = 4096;

/// Group of a switch that belongs to none, as the core of a fat tree.
inline constexpr uint32_t NO_GROUP = 0xFFFFFFFF;

/// Where a switch stands. The values rise with the distance from the hosts.
enum class Tier : uint8_t
{
    EDGE,        ///< Has hosts. Every switch of a dragonfly is one.
    AGGREGATION, ///< Between edge and core: the middle of a fat tree of three levels.
    CORE,        ///< Top of a tree.
};

/// @return name of a tier, as results have it
inline const char*
NameOf(Tier tier)
{
    return tier == Tier::EDGE ? "edge" : tier == Tier::AGGREGATION ? "aggregation" : "core";
}

/// Kind of a link between two switches, by which a helper gives it rate and delay.
enum class LinkClass : uint8_t
{
    FABRIC, ///< A link of a topology that has one kind only, as a fat tree.
    LOCAL,  ///< Inside a group of a dragonfly.
    GLOBAL, ///< Between groups of a dragonfly.
};

/// One switch of a plan. Its index in TopologyPlan::switches is its number.
struct SwitchPlan
{
    uint32_t group; ///< Pod or dragonfly group, NO_GROUP for none.
    uint16_t ports; ///< Ports that it has, numbered from 0; not all need be connected.
    Tier tier;      ///< Where it stands.
};

/// One link between two switches, both directions.
struct LinkPlan
{
    uint32_t switchA;    ///< One end.
    uint32_t switchB;    ///< The other end.
    uint16_t portA;      ///< Port on switchA.
    uint16_t portB;      ///< Port on switchB.
    LinkClass linkClass; ///< Kind of link.
};

/// Where one host hangs. Its index in TopologyPlan::hosts is its number, LocationOf() its address.
struct HostPlan
{
    uint32_t edgeSwitch; ///< Switch that it is connected to.
    uint16_t port;       ///< Port on that switch.
};

/**
 * Any topology as plain values: what there is and how it is connected, with no simulator objects.
 *
 * A helper makes nodes and links of it, a checker proves its routes (FC-13), a partitioner divides
 * it. A fat tree of 8192 hosts (1280 switches) is 0.3 MB.
 */
struct TopologyPlan
{
    std::vector<SwitchPlan> switches; ///< All switches.
    std::vector<LinkPlan> links;      ///< All links between switches.
    std::vector<HostPlan> hosts;      ///< All hosts, at most MAX_HOSTS.
};

/**
 * @param host number of a host, less than MAX_HOSTS
 * @return its address in the fabric: hosts have consecutive locations from FIRST_UNICAST
 */
inline constexpr LocationId
LocationOf(uint32_t host)
{
    return static_cast<LocationId>(host + FIRST_UNICAST);
}

/// @param location a unicast address
inline constexpr uint32_t
HostOf(LocationId location)
{
    return static_cast<uint32_t>(location) - FIRST_UNICAST;
}

} // namespace ns3::fabric

#endif // FABRIC_TOPOLOGY_H
