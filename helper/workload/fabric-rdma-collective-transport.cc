/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rdma-collective-transport.h"

#include "fabric-require.h"
#include "fabric-transport-figures.h"
#include "fabric-transport-helper.h"

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

RdmaCollectiveTransport::RdmaCollectiveTransport(const FabricContainer& fabric,
                                                 const ExchangePlan& plan,
                                                 std::vector<uint32_t> hosts)
    : m_fabric(fabric),
      m_numbers(std::move(hosts)),
      m_receives(m_numbers.size(), 0)
{
    const FabricTransportHelper helper;
    for (const uint32_t host : m_numbers)
    {
        const Ptr<Node> node = fabric.GetDevice(host)->GetNode();
        helper.InstallNic(NodeContainer(node));
        m_hosts.push_back(node->GetObject<FabricTransport>());
    }
    for (const ExchangeRound& round : plan)
    {
        const std::vector<uint32_t> arrivals = round.Arrivals();
        for (uint32_t strand = 0; strand < arrivals.size(); ++strand)
        {
            m_receives[strand % round.Ranks()] += arrivals[strand];
        }
    }
    for (const Pair& pair : PairsOf(plan))
    {
        m_connections.emplace(pair, NO_CONNECTION);
    }
}

void
RdmaCollectiveTransport::Open(const std::function<void()>& ready)
{
    for (uint32_t rank = 0; rank < m_hosts.size(); ++rank)
    {
        m_hosts[rank]->PostReceives(m_receives[rank]);
        m_hosts[rank]->SetListener(Callback<void, const RdmaEvent&>(
            [this, rank](const RdmaEvent& event) { HandleReceiver(rank, event); }));
    }
    m_ready = ready;
    for (auto& [pair, connection] : m_connections)
    {
        connection = m_hosts[pair.first]->Connect(
            m_fabric.GetDevice(m_numbers[pair.second])->GetAddress(),
            true,
            Callback<void, const RdmaEvent&>(
                [this, pair = pair](const RdmaEvent& event) { HandleSender(pair, event); }));
        if (connection == NO_CONNECTION)
        {
            throw std::invalid_argument(
                "host " + std::to_string(m_numbers[pair.first]) +
                " can't connect to all hosts to which it sends; allowed are as many as "
                "ns3::FabricTransport::MaxConnections says");
        }
    }
    if (m_connections.empty())
    {
        ready();
    }
}

void
RdmaCollectiveTransport::Send(const Message& message)
{
    RequireRange("RdmaCollectiveTransport",
                 "the size of a message",
                 message.bytes,
                 1,
                 std::numeric_limits<int32_t>::max());
    // A connection that has failed takes no more; its failure was told.
    m_hosts[message.from]->Post(m_connections.at({message.from, message.to}),
                                RdmaOperation::SEND,
                                static_cast<uint32_t>(message.bytes),
                                message.tag);
}

void
RdmaCollectiveTransport::HandleSender(const Pair& pair, const RdmaEvent& event)
{
    if (event.status != TransportStatus::OK)
    {
        Fail(pair.first, event);
    }
    else if (event.type == RdmaEventType::CONNECTED && ++m_opened == m_connections.size())
    {
        m_ready();
    }
}

void
RdmaCollectiveTransport::HandleReceiver(uint32_t rank, const RdmaEvent& event)
{
    if (event.status != TransportStatus::OK)
    {
        Fail(rank, event);
    }
    else if (event.type == RdmaEventType::PRESENTED)
    {
        Arrive(event.cookie);
    }
}

void
RdmaCollectiveTransport::Fail(uint32_t rank, const RdmaEvent& event)
{
    if (m_failure.empty())
    {
        m_failure =
            std::string(event.type == RdmaEventType::FAILED ? "a connection" : "an operation") +
            " of host " + std::to_string(m_numbers[rank]) + " has failed";
    }
}

RunTotals
RdmaCollectiveTransport::GetTotals() const
{
    return FabricTransportFigures(m_hosts).GetTotals();
}

} // namespace ns3::fabric
