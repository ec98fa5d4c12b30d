/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-stall-search.h"

#include "fabric-nic.h"
#include "fabric-rank-link.h"
#include "fabric-switch.h"

#include <algorithm>
#include <map>
#include <string>

namespace ns3::fabric
{

namespace
{

/// An end of a link by the other one.
using Peers = std::map<WaitForGraph::Buffer, WaitForGraph::Buffer>;

/// @return the ends of links between switches, each by the other one
Peers
PeersOf(const std::vector<SwitchLink>& links)
{
    Peers peers;
    for (const SwitchLink& link : links)
    {
        peers[{link[0].number, link[0].port}] = {link[1].number, link[1].port};
        peers[{link[1].number, link[1].port}] = {link[0].number, link[0].port};
    }
    return peers;
}

} // namespace

StallSearch::StallSearch(const std::vector<Ptr<FabricSwitch>>& switches, uint64_t backlog)
    : m_bytes(backlog)
{
    m_isAtRest = std::all_of(switches.begin(), switches.end(), [](const Ptr<FabricSwitch>& s) {
        return s->GetChip().IsAtRest();
    });
    if (!m_isAtRest)
    {
        return; // the rest need not be known
    }
    for (const Ptr<FabricSwitch>& fabricSwitch : switches)
    {
        m_bytes += fabricSwitch->GetChip().InFlightPayload();
    }
    for (const Ptr<FabricSwitch>& fabricSwitch : switches)
    {
        LookAt(*fabricSwitch);
    }
}

void
StallSearch::LookAt(const FabricSwitch& fabricSwitch)
{
    const SwitchChip& chip = fabricSwitch.GetChip();
    const uint32_t number = fabricSwitch.GetNumber();
    for (const SwitchWait& wait : chip.FindWaits())
    {
        m_holdups.push_back({number, 0, wait});
    }
    for (uint32_t port = 0; port < chip.Config().ports; ++port)
    {
        const Nic* nic = chip.Host(port);
        if (nic && nic->Backlog() > 0 && chip.IsDown(port))
        {
            m_holdups.push_back({number, nic->Location(), {}});
        }
    }
}

void
StallSearch::AddRanks(int64_t sent)
{
    const std::vector<uint64_t> sums =
        SumOverRanks({m_isAtRest ? 0U : 1U, m_bytes, static_cast<uint64_t>(sent)});
    m_isAtRest = sums[0] == 0 && sums[2] == 0;
    m_bytes = sums[1];
    m_holdups = CollectFromRanks(m_holdups);
    std::stable_sort(m_holdups.begin(), m_holdups.end(), [](const Holdup& a, const Holdup& b) {
        return a.number < b.number;
    });
}

std::optional<Stall>
StallSearch::Find(const std::vector<SwitchLink>& links) const
{
    if (!m_isAtRest || m_bytes == 0)
    {
        return std::nullopt;
    }
    const Peers peers = PeersOf(links);
    Stall stall;
    stall.bytes = m_bytes;
    WaitForGraph graph;
    for (const auto& [number, downHost, wait] : m_holdups)
    {
        const auto peer = peers.find({number, wait.output});
        if (downHost != 0)
        {
            stall.reasons.push_back("the link of host " + std::to_string(downHost - FIRST_UNICAST) +
                                    " is down");
        }
        else if (wait.cause == WaitCause::RESET)
        {
            stall.reasons.push_back("a frame over MaxFrameBytes blocks port " +
                                    std::to_string(wait.input) + " of switch " +
                                    std::to_string(number) + " until its reset");
        }
        else if (wait.cause == WaitCause::LINK || peer == peers.end())
        {
            const bool isLink = wait.cause == WaitCause::LINK;
            stall.reasons.push_back("switch " + std::to_string(number) + " waits at port " +
                                    std::to_string(wait.output) +
                                    (isLink ? ", whose link is down" : " for its host"));
        }
        else
        {
            graph.Add({number, wait.input}, wait.output, wait.cause, peer->second);
        }
    }
    stall.cycle = graph.FindCycle();
    return stall;
}

} // namespace ns3::fabric
