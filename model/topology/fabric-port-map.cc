/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-port-map.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

PortMap::PortMap(const TopologyPlan& plan)
{
    if (plan.hosts.size() > MAX_HOSTS)
    {
        throw std::invalid_argument("topology: " + std::to_string(plan.hosts.size()) +
                                    " hosts; at most " + std::to_string(MAX_HOSTS) +
                                    " have a unicast location");
    }
    m_first.reserve(plan.switches.size() + 1);
    m_first.push_back(0);
    for (const auto& sw : plan.switches)
    {
        m_first.push_back(m_first.back() + sw.ports);
    }
    m_peers.resize(m_first.back());
    for (uint32_t host = 0; host < plan.hosts.size(); ++host)
    {
        Connect(plan.hosts[host].edgeSwitch, plan.hosts[host].port, {host, 0, PeerKind::HOST});
    }
    for (const auto& link : plan.links)
    {
        if (link.switchA == link.switchB)
        {
            throw std::invalid_argument("topology: switch " + std::to_string(link.switchA) +
                                        " is linked to itself; a link joins two switches");
        }
        Connect(link.switchA, link.portA, {link.switchB, link.portB, PeerKind::SWITCH});
        Connect(link.switchB, link.portB, {link.switchA, link.portA, PeerKind::SWITCH});
    }
}

void
PortMap::Connect(uint32_t sw, uint16_t port, PortPeer peer)
{
    const auto switches = m_first.size() - 1;
    if (sw >= switches)
    {
        throw std::invalid_argument("topology: there is no switch " + std::to_string(sw) +
                                    "; it has " + std::to_string(switches) +
                                    " switches, numbered from 0");
    }
    if (port >= GetPorts(sw))
    {
        throw std::invalid_argument("topology: switch " + std::to_string(sw) + " has no port " +
                                    std::to_string(port) + "; it has " +
                                    std::to_string(GetPorts(sw)) + " ports, numbered from 0");
    }
    auto& end = m_peers[GetIndex(sw, port)];
    if (end.kind != PeerKind::NONE)
    {
        throw std::invalid_argument("topology: port " + std::to_string(port) + " of switch " +
                                    std::to_string(sw) +
                                    " is connected twice; a port takes one link or host");
    }
    end = peer;
}

NeighbourLinks
PortMap::GetLinks() const
{
    NeighbourLinks links(m_first.size() - 1);
    for (uint32_t sw = 0; sw < links.size(); ++sw)
    {
        for (uint16_t port = 0; port < GetPorts(sw); ++port)
        {
            const PortPeer& peer = GetPeer(sw, port);
            if (peer.kind == PeerKind::SWITCH)
            {
                links[sw].push_back({port, peer.index});
            }
        }
    }
    return links;
}

std::vector<uint32_t>
PortMap::GetDistances(uint32_t target) const
{
    std::vector<uint32_t> distance(m_first.size() - 1, UNREACHED);
    std::vector<uint32_t> found{target};
    distance[target] = 0;
    for (std::size_t i = 0; i < found.size(); ++i) // breadth first
    {
        const uint32_t sw = found[i];
        for (uint16_t port = 0; port < GetPorts(sw); ++port)
        {
            const PortPeer& peer = GetPeer(sw, port);
            if (peer.kind == PeerKind::SWITCH && distance[peer.index] == UNREACHED)
            {
                distance[peer.index] = distance[sw] + 1;
                found.push_back(peer.index);
            }
        }
    }
    return distance;
}

} // namespace ns3::fabric
