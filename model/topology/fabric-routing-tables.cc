/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-routing-tables.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

/// @return ports to the next switches, or the lowest of them if others lie between
PortRange
PortsTo(const PortMap& ports, uint32_t sw, const NextSwitch& isNext)
{
    PortRange range;
    uint16_t last = 0;
    for (uint16_t port = 0; port < ports.GetPorts(sw); ++port)
    {
        const PortPeer& peer = ports.GetPeer(sw, port);
        if (peer.kind == PeerKind::SWITCH && isNext(sw, peer.index))
        {
            range.first = range.count == 0 ? port : range.first;
            last = port;
            ++range.count;
        }
    }
    const bool isConsecutive = last - range.first + 1 == range.count;
    return isConsecutive ? range : PortRange{range.first, 1};
}

} // namespace

std::vector<Routing>
MakeRoutingTables(const TopologyPlan& plan,
                  const PortMap& ports,
                  const std::function<NextSwitch(uint32_t)>& towards)
{
    const std::size_t switches = plan.switches.size();
    std::vector<std::vector<PortRange>> tables(
        switches,
        std::vector<PortRange>(plan.hosts.size() + FIRST_UNICAST));
    std::vector<std::vector<uint32_t>> hostsOf(switches);
    for (uint32_t host = 0; host < plan.hosts.size(); ++host)
    {
        const HostPlan& place = plan.hosts[host];
        tables[place.edgeSwitch][LocationOf(host)] = {place.port, 1};
        hostsOf[place.edgeSwitch].push_back(host);
    }
    for (uint32_t target = 0; target < switches; ++target)
    {
        if (hostsOf[target].empty())
        {
            continue;
        }
        const NextSwitch isNext = towards(target);
        for (uint32_t sw = 0; sw < switches; ++sw)
        {
            if (sw == target)
            {
                continue;
            }
            const PortRange next = PortsTo(ports, sw, isNext);
            for (const uint32_t host : hostsOf[target])
            {
                tables[sw][LocationOf(host)] = next;
            }
        }
    }
    return {tables.begin(), tables.end()};
}

void
RequireReached(const std::vector<uint32_t>& distance, uint32_t target)
{
    for (uint32_t sw = 0; sw < distance.size(); ++sw)
    {
        if (distance[sw] == PortMap::UNREACHED)
        {
            throw std::invalid_argument(
                "topology: there is no path from switch " + std::to_string(sw) + " to switch " +
                std::to_string(target) + "; all switches must reach all hosts");
        }
    }
}

} // namespace ns3::fabric
