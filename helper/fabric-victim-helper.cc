/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-victim-helper.h"

#include "fabric-message-sender-helper.h"

#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{

namespace
{

/// @return some of these, evenly spread
std::vector<uint32_t>
SpreadOver(const std::vector<uint32_t>& hosts, uint32_t count, const char* what)
{
    if (count > hosts.size())
    {
        throw std::invalid_argument("victims is " + std::to_string(count) +
                                    ", and the fabric has " + std::to_string(hosts.size()) + ' ' +
                                    what +
                                    "; allowed are at most so many victims, or a larger fabric");
    }
    std::vector<uint32_t> chosen;
    for (uint64_t i = 0; i < count; ++i)
    {
        chosen.push_back(hosts[(2 * i + 1) * hosts.size() / (2 * count)]);
    }
    return chosen;
}

} // namespace

VictimHelper::VictimHelper(const FabricContainer& fabric,
                           uint32_t receiver,
                           const std::vector<uint32_t>& senders,
                           From from,
                           To to,
                           uint32_t victims)
    : m_fabric(fabric)
{
    const auto isAtReceiver = [&fabric, receiver](uint32_t host) {
        return fabric.GetDevice(host)->GetSwitch() == fabric.GetDevice(receiver)->GetSwitch();
    };
    std::vector<uint32_t> idle;       // hosts without a part in the incast, of other switches
    std::vector<uint32_t> neighbours; // and of the receiver's
    for (uint32_t host = 0; host < fabric.hosts.GetN(); ++host)
    {
        if (host != receiver && !std::binary_search(senders.begin(), senders.end(), host))
        {
            (isAtReceiver(host) ? neighbours : idle).push_back(host);
        }
    }
    std::vector<uint32_t> sources;
    std::copy_if(senders.begin(), senders.end(), std::back_inserter(sources), [&](uint32_t host) {
        return !isAtReceiver(host);
    });
    if (from == From::OWN_HOST)
    {
        // The later half, so that the others are there to be sent to.
        sources.assign(idle.begin() + static_cast<std::ptrdiff_t>(idle.size() / 2), idle.end());
        idle.resize(idle.size() / 2);
    }
    const std::vector<uint32_t> begins =
        SpreadOver(sources, victims, "hosts to send them from, outside of the receiver's switch");
    const std::vector<uint32_t> ends =
        to == To::ELSEWHERE
            ? SpreadOver(idle, victims, "hosts without a part in the incast to send them to")
            : SpreadOver(neighbours, victims, "hosts at the receiver's switch to send them to");
    for (uint32_t i = 0; i < victims; ++i)
    {
        // The one half of the fabric sends to the other.
        m_victims.emplace_back(begins[i], ends[(i + victims / 2) % victims]);
    }
}

const std::vector<std::pair<uint32_t, uint32_t>>&
VictimHelper::GetVictims() const
{
    return m_victims;
}

Time
VictimHelper::GetStart(std::size_t victim, Time interval) const
{
    const auto after = interval.GetPicoSeconds() * static_cast<int64_t>(victim);
    return PicoSeconds(after / static_cast<int64_t>(m_victims.size()));
}

ApplicationContainer
VictimHelper::Install(uint64_t bytes, Time interval) const
{
    ApplicationContainer applications;
    FabricMessageSenderHelper sender(bytes);
    sender.SetAttribute("Tag", UintegerValue(TAG));
    sender.SendOnEvery(interval);
    for (std::size_t i = 0; i < m_victims.size(); ++i)
    {
        const Ptr<Application> victim =
            sender.Install(m_fabric, m_victims[i].first, m_victims[i].second);
        victim->SetStartTime(GetStart(i, interval));
        applications.Add(victim);
    }
    return applications;
}

} // namespace ns3
