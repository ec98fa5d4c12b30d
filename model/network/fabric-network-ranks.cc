/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-net-device.h"
#include "fabric-network.h"
#include "fabric-rank-post.h"
#include "fabric-switch-port.h"
#include "fabric-switch.h"

#include "ns3/node.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace ns3
{

// ---- a fabric that is divided among ranks of MPI ----

bool
FabricNetwork::IsElsewhere(Ptr<const Node> node)
{
    return fabric::RankCount() > 1 && node->GetSystemId() != fabric::OwnRank();
}

std::string
FabricNetwork::DescribeElsewhere(Ptr<const Node> node)
{
    return "rank " + std::to_string(fabric::OwnRank()) + " calls it, but rank " +
           std::to_string(node->GetSystemId()) +
           " runs the node; allowed are calls on the rank of the node (Node::GetSystemId())";
}

void
FabricNetwork::JoinRanks()
{
    RequireWayForRanks();
    fabric::TimePs window = fabric::NEVER;
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        window = std::min(window, fabricSwitch->GetChip().Lookahead());
    }
    // What is sent takes effect a look-ahead later at the earliest. Half of that is for the way to
    // the other rank, and with windows of the other half it is there before the one that needs it,
    // whenever it was sent.
    m_limits.longest = window / 2;
    m_post = std::make_unique<fabric::RankPost>(m_payloads,
                                                m_reductions,
                                                FindDoors(),
                                                FindRanksOfHosts(),
                                                m_limits.longest);
    m_post->SetEnds([this](const fabric::RankCrossing& crossing) {
        fabric::SwitchChip& sender = m_switches[crossing.number]->GetChip();
        return sender.EndsBeyond(crossing.port, crossing.peerPort);
    });
    for (const std::vector<fabric::LocationId>& members : m_groups)
    {
        m_post->AddGroup(members);
    }
    m_payloads.Join(*m_post);
    m_crew.SetPost([this] { m_post->Send(); });
    DivertToRanks();
}

void
FabricNetwork::RequireWayForRanks() const
{
    const std::string where = "ns3::FabricNetwork on several ranks: ";
    if (m_threads > 1)
    {
        throw std::invalid_argument(where + "Threads is " + std::to_string(m_threads) +
                                    "; allowed is 1");
    }
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        const uint32_t rank = fabricSwitch->GetPort(0)->GetNode()->GetSystemId();
        if (rank >= fabric::RankCount())
        {
            throw std::invalid_argument(where + "the system id of a switch is " +
                                        std::to_string(rank) + "; allowed are the ranks 0 to " +
                                        std::to_string(fabric::RankCount() - 1));
        }
    }
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        const FabricSwitch* edge = device->GetSwitch();
        const uint32_t rank = device->GetNode()->GetSystemId();
        if (edge && edge->GetPort(0)->GetNode()->GetSystemId() != rank)
        {
            throw std::invalid_argument(
                where + "the host with location " + std::to_string(device->GetLocation()) +
                " is on rank " + std::to_string(rank) +
                "; allowed is that of its switch, since links to hosts do not cross ranks");
        }
    }
}

std::vector<Ptr<Node>>
FabricNetwork::FindDoors() const
{
    std::vector<Ptr<Node>> doors(fabric::RankCount());
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        const Ptr<Node> node = fabricSwitch->GetPort(0)->GetNode();
        Ptr<Node>& door = doors[node->GetSystemId()];
        door = door ? door : node;
    }
    for (uint32_t rank = 0; rank < doors.size(); ++rank)
    {
        if (!doors[rank])
        {
            throw std::invalid_argument("ns3::FabricNetwork on several ranks: rank " +
                                        std::to_string(rank) +
                                        " has no switch; allowed are no more ranks than there are "
                                        "switches with hosts, each with a switch");
        }
    }
    return doors;
}

std::vector<uint32_t>
FabricNetwork::FindRanksOfHosts() const
{
    std::vector<uint32_t> ranks(fabric::FIRST_UNICAST, 0);
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        ranks.push_back(device->GetNode()->GetSystemId());
    }
    return ranks;
}

fabric::MemberRanks
FabricNetwork::FindRanksOf(const std::vector<fabric::LocationId>& members) const
{
    fabric::MemberRanks ranks;
    std::set<uint32_t> others;
    for (const fabric::LocationId member : members)
    {
        const Ptr<FabricNetDevice>& device = m_devices[member - fabric::FIRST_UNICAST];
        if (device->IsElsewhere())
        {
            others.insert(device->GetNode()->GetSystemId());
        }
        else
        {
            ++ranks.here;
        }
    }
    ranks.others.assign(others.begin(), others.end());
    return ranks;
}

void
FabricNetwork::DivertToRanks()
{
    const auto rankOf = [this](const fabric::SwitchPort& end) {
        return m_switches[end.number]->GetPort(0)->GetNode()->GetSystemId();
    };
    for (const fabric::SwitchLink& link : m_manager.Links())
    {
        for (uint32_t end = 0; end < 2; ++end)
        {
            const fabric::SwitchPort& from = link[end];
            const fabric::SwitchPort& to = link[1 - end];
            if (rankOf(from) == fabric::OwnRank() && rankOf(to) != fabric::OwnRank())
            {
                m_switches[from.number]->GetChip().Divert(
                    from.port,
                    m_post->Open({from.number, from.port, to.port, rankOf(to)}));
            }
        }
    }
}

} // namespace ns3
