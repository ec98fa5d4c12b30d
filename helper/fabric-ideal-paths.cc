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

/// Of so many all are looked at for the longest way, which takes a millisecond.
constexpr size_t FEW_ENDS = 12;

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
    const auto roundTrip = [this](uint32_t src, uint32_t dst) {
        return RoundTrip(fabric::LocationOf(src), fabric::LocationOf(dst)).GetPicoSeconds();
    };
    return PicoSeconds(FindLongest(roundTrip).duration);
}

Time
FabricIdealPaths::LongestHostRoundTrip() const
{
    const auto [from, to] = Farthest();
    if (from == to)
    {
        return Time(0);
    }
    const fabric::EmptyPath path = Find(from, to);
    return PicoSeconds(2 * path.CompletionTime(path.Payload()));
}

std::pair<LocationId, LocationId>
FabricIdealPaths::Farthest() const
{
    const auto frameTime = [this](uint32_t src, uint32_t dst) -> fabric::TimePs {
        const LocationId from = fabric::LocationOf(src);
        std::vector<PathLink> links = LinksTo(from, fabric::LocationOf(dst)).there;
        if (links.empty())
        {
            return 0;
        }
        const fabric::EmptyPath path(std::move(links), MtuOf(from));
        return path.CompletionTime(path.Payload());
    };
    const Longest longest = FindLongest(frameTime);
    return {fabric::LocationOf(longest.src), fabric::LocationOf(longest.dst)};
}

std::vector<uint32_t>
FabricIdealPaths::Ends() const
{
    // Hosts of one switch differ by their links alone.
    std::vector<std::vector<uint32_t>> slowest(m_peers.size());
    for (uint32_t host = 0; host < m_hosts.size(); ++host)
    {
        std::vector<uint32_t>& ends = slowest[m_hosts[host].number];
        ends.push_back(host);
        for (size_t i = ends.size() - 1; i > 0 && LinkTime(ends[i]) > LinkTime(ends[i - 1]); --i)
        {
            std::swap(ends[i], ends[i - 1]);
        }
        ends.resize(std::min<size_t>(ends.size(), 2)); // the longest way may be between both
    }
    std::vector<uint32_t> hosts;
    for (const std::vector<uint32_t>& ends : slowest)
    {
        hosts.insert(hosts.end(), ends.begin(), ends.end());
    }
    return hosts;
}

fabric::TimePs
FabricIdealPaths::LinkTime(uint32_t host) const
{
    const SwitchPort& at = m_hosts[host];
    const Transmitter& link = m_network->GetSwitches()[at.number]->GetChip().Output(at.port);
    return link.Timing().delay +
           link.Rate().TxTime(fabric::WireBytes(MtuOf(fabric::LocationOf(host))));
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
FabricIdealPaths::FindLongest(const WayTime& time) const
{
    const std::vector<uint32_t> ends = Ends();
    Longest longest;
    const auto look = [&](uint32_t src, uint32_t dst) {
        const fabric::TimePs duration = src == dst ? 0 : time(src, dst);
        const bool isLonger = duration > longest.duration;
        longest = isLonger ? Longest{src, dst, duration} : longest;
        return isLonger;
    };
    // Looks from a host, and says which one is farther than any before: itself if none is.
    const auto lookFrom = [&](uint32_t host) {
        uint32_t farther = host;
        for (const uint32_t other : ends)
        {
            farther = look(host, other) ? other : farther;
            farther = look(other, host) ? other : farther;
        }
        return farther;
    };
    if (ends.size() <= FEW_ENDS)
    {
        std::for_each(ends.begin(), ends.end(), lookFrom);
        return longest;
    }
    for (uint32_t host = ends.front(), next = lookFrom(host); next != host; next = lookFrom(host))
    {
        host = next;
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
