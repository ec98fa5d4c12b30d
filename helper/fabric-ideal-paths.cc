/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ideal-paths.h"

#include "fabric-net-device.h"
#include "fabric-path-link.h"
#include "fabric-switch.h"
#include "fabric-topology.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{

using fabric::Handover;
using fabric::LocationId;
using fabric::PathLink;
using fabric::SwitchChip;
using fabric::SwitchPort;
using fabric::Transmitter;

namespace
{

/// @param link from the switch to which the ACK goes @param timers of the one that sends it
/// @return how long an ACK alone takes to have an effect there, ps
fabric::TimePs
AckTime(const Transmitter& link, const fabric::AckTimers& timers)
{
    const fabric::LinkTiming& timing = link.Timing();
    return std::min(timers.idle, timers.longest) + link.Rate().TxTime(fabric::AckFrameBytes(1)) +
           timing.delay + timing.controlLatency;
}

} // namespace

FabricIdealPaths::FabricIdealPaths(Ptr<FabricNetwork> network)
    : m_network(network),
      m_hosts(network->GetDevices().size())
{
    for (const Ptr<FabricSwitch>& fabricSwitch : network->GetSwitches())
    {
        m_peers.emplace_back(fabricSwitch->GetChip().Config().ports);
    }
    for (const fabric::SwitchLink& link : network->GetSubnetManager().Links())
    {
        m_peers[link[0].number][link[0].port] = link[1];
        m_peers[link[1].number][link[1].port] = link[0];
    }
    for (uint32_t number = 0; number < m_peers.size(); ++number)
    {
        const SwitchChip& chip = network->GetSwitches()[number]->GetChip();
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            if (const fabric::Nic* nic = chip.Host(port))
            {
                m_hosts[fabric::HostOf(nic->Location())] = {number, port};
            }
        }
    }
}

fabric::EmptyPath
FabricIdealPaths::Find(LocationId src, LocationId dst) const
{
    std::vector<PathLink> links = LinksTo(src, dst).there;
    if (links.empty())
    {
        throw std::invalid_argument("there is no path from the host " +
                                    std::to_string(fabric::HostOf(src)) + " to the host " +
                                    std::to_string(fabric::HostOf(dst)));
    }
    return fabric::EmptyPath(std::move(links), MtuOf(src));
}

Time
FabricIdealPaths::LongestRoundTrip() const
{
    const Candidates candidates = FindEnd();
    return PicoSeconds(FindLongest(candidates.end, candidates.hosts).duration);
}

std::pair<LocationId, LocationId>
FabricIdealPaths::Farthest() const
{
    const Candidates candidates = FindEnd();
    const Longest longest = FindLongest(candidates.end, candidates.hosts);
    const uint32_t other = longest.duration > 0 ? longest.host : candidates.end;
    return {fabric::LocationOf(candidates.end), fabric::LocationOf(other)};
}

FabricIdealPaths::Candidates
FabricIdealPaths::FindEnd() const
{
    // Hosts of one switch have the same ways: one of them does.
    std::vector<bool> isTaken(m_peers.size(), false);
    std::vector<uint32_t> hosts;
    for (uint32_t host = 0; host < m_hosts.size(); ++host)
    {
        if (const uint32_t edge = m_hosts[host].number; !isTaken[edge])
        {
            isTaken[edge] = true;
            hosts.push_back(host);
        }
    }
    if (hosts.size() == 1)
    {
        hosts.push_back(static_cast<uint32_t>(m_hosts.size() - 1));
    }
    const uint32_t end = hosts.empty() ? 0 : FindLongest(0, hosts).host;
    return {end, std::move(hosts)};
}

Time
FabricIdealPaths::RoundTrip(LocationId src, LocationId dst) const
{
    Links links = LinksTo(src, dst);
    if (links.there.empty())
    {
        return Time(0);
    }
    fabric::TimePs begin = 0;
    if (links.there.front().handover == Handover::PACED)
    {
        begin = links.there.front().delay; // it joins with its head, and comes in slowly
    }
    else
    {
        links.there.erase(links.there.begin());
    }
    const fabric::EmptyPath path(std::move(links.there), MtuOf(src));
    return PicoSeconds(path.CompletionTime(path.Payload()) - begin + links.back);
}

FabricIdealPaths::Longest
FabricIdealPaths::FindLongest(uint32_t host, const std::vector<uint32_t>& others) const
{
    Longest longest;
    for (const uint32_t other : others)
    {
        const fabric::TimePs duration =
            other == host
                ? 0
                : RoundTrip(fabric::LocationOf(host), fabric::LocationOf(other)).GetPicoSeconds();
        longest = duration > longest.duration ? Longest{other, duration} : longest;
    }
    return longest;
}

uint32_t
FabricIdealPaths::MtuOf(LocationId host) const
{
    return m_network->GetDevices()[fabric::HostOf(host)]->GetNic().Config().mtu;
}

FabricIdealPaths::Links
FabricIdealPaths::LinksTo(LocationId src, LocationId dst) const
{
    const fabric::Nic& nic = m_network->GetDevices()[fabric::HostOf(src)]->GetNic();
    const Transmitter* sender = &nic.Uplink();
    Links links;
    SwitchPort at = m_hosts[fabric::HostOf(src)];
    uint8_t vc = 0;
    for (bool isThere = false; !isThere;)
    {
        const SwitchChip& chip = m_network->GetSwitches()[at.number]->GetChip();
        const std::optional<fabric::Way> way =
            chip.GetRouting().ShortestWay(dst, {static_cast<uint16_t>(at.port), vc});
        if (!way || links.there.size() > m_peers.size())
        {
            return {};
        }
        const PathLink link = MakePathLink(*sender, chip, at.port, way->port);
        const fabric::TimePs ack = AckTime(*sender, chip.Config().ackTimers);
        links.back += links.there.empty() ? 0 : std::max(link.delay, ack);
        links.there.push_back(link);
        sender = &chip.Output(way->port);
        isThere = chip.Host(way->port) != nullptr;
        at = m_peers[at.number][way->port];
        vc = way->vc;
    }
    links.there.push_back(MakePathLink(*sender));
    return links;
}

} // namespace ns3
