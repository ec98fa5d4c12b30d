/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-notices.h"

#include "ns3/simulator.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

Notices::Notices(Ptr<const FabricNetwork> network, Time delay)
    : m_network(network),
      m_delay(delay),
      m_way(PicoSeconds(delay.GetPicoSeconds() / 2)),
      m_gathering(RankCount())
{
    if (RankCount() == 1)
    {
        return;
    }
    if (delay.GetPicoSeconds() < SHORTEST)
    {
        throw std::invalid_argument("Notices: the delay on several ranks is " +
                                    std::to_string(delay.GetPicoSeconds()) +
                                    " ps; allowed is at least " + std::to_string(SHORTEST));
    }
    m_link =
        std::make_unique<RankLink>(network->FindDoors(), m_way, MakeCallback(&Notices::Take, this));
}

uint32_t
Notices::AddTopic(Receiver receiver)
{
    m_receivers.push_back(std::move(receiver));
    return static_cast<uint32_t>(m_receivers.size() - 1);
}

void
Notices::Tell(uint32_t rank, uint32_t topic, uint64_t word)
{
    if (m_delay.IsZero())
    {
        m_receivers[topic](word);
        return;
    }
    const Notice notice{(Simulator::Now() + m_delay).GetPicoSeconds(), word, topic};
    if (rank == OwnRank())
    {
        Plan(m_delay, notice);
        return;
    }
    if (m_gathering[rank].empty())
    {
        // So all come before the first of them is told.
        Simulator::Schedule(m_delay - m_way - PicoSeconds(1), &Notices::Send, this, rank);
    }
    m_gathering[rank].push_back(notice);
}

void
Notices::TellAll(uint32_t topic, uint64_t word)
{
    for (uint32_t rank = 0; rank < RankCount(); ++rank)
    {
        Tell(rank, topic, word);
    }
}

void
Notices::Plan(Time wait, const Notice& notice)
{
    Simulator::Schedule(wait, [this, notice] {
        // At the end itself ns-3's order of events would decide.
        if (notice.at < m_network->GetHorizon())
        {
            m_receivers[notice.topic](notice.word);
        }
    });
}

void
Notices::Send(uint32_t rank)
{
    ByteWriter writer;
    writer.PutAll(m_gathering[rank]);
    m_gathering[rank].clear();
    m_link->Send(rank, writer.Written());
}

void
Notices::Take(const RankBytes& bytes)
{
    for (const Notice& notice : ByteReader(bytes).GetAll<Notice>())
    {
        Plan(PicoSeconds(notice.at) - Simulator::Now(), notice);
    }
}

} // namespace ns3::fabric
