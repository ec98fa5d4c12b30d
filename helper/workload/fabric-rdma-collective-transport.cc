/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rdma-collective-transport.h"

#include "fabric-device-engines.h"
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
    : m_numbers(std::move(hosts)),
      m_receives(m_numbers.size(), 0)
{
    const FabricTransportHelper helper;
    for (const uint32_t host : m_numbers)
    {
        const Ptr<FabricNetDevice> device = fabric.GetDevice(host);
        helper.InstallNic(NetDeviceContainer(device));
        m_hosts.push_back(FindEngine<FabricNicTransport>(device));
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
RdmaCollectiveTransport::AwaitMessages()
{
    for (uint32_t rank = 0; rank < m_hosts.size(); ++rank)
    {
        if (!IsElsewhere(rank))
        {
            m_hosts[rank]->PostReceives(m_receives[rank]);
            m_hosts[rank]->SetListener(Callback<void, const RdmaEvent&>(
                [this, rank](const RdmaEvent& event) { HandleReceiver(rank, event); }));
        }
    }
}

void
RdmaCollectiveTransport::Open(const std::function<void()>& ready)
{
    AwaitMessages();
    for (auto& [pair, connection] : m_connections)
    {
        connection = m_hosts[pair.first]->ConnectAtOnce(
            *m_hosts[pair.second],
            true,
            m_hosts[pair.first]->GetTrafficClass(),
            Callback<void, const RdmaEvent&>(
                [this, from = pair.first](const RdmaEvent& event) { NoteFailure(from, event); }));
        if (connection == NO_CONNECTION)
        {
            throw std::invalid_argument(
                "host " + std::to_string(m_numbers[pair.first]) + " can't connect to host " +
                std::to_string(m_numbers[pair.second]) +
                "; allowed are as many connections of a host as "
                "ns3::FabricTransport::MaxConnections says, and AcceptsConnections");
        }
    }
    ready();
}

bool
RdmaCollectiveTransport::IsElsewhere(uint32_t rank) const
{
    return m_hosts[rank]->IsElsewhere();
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
RdmaCollectiveTransport::HandleReceiver(uint32_t rank, const RdmaEvent& event)
{
    NoteFailure(rank, event);
    if (event.status == TransportStatus::OK && event.type == RdmaEventType::PRESENTED)
    {
        Arrive(event.cookie);
    }
}

void
RdmaCollectiveTransport::NoteFailure(uint32_t rank, const RdmaEvent& event)
{
    if (m_failure.empty() && event.status != TransportStatus::OK)
    {
        m_failure =
            std::string(event.type == RdmaEventType::FAILED ? "a connection" : "an operation") +
            " of host " + std::to_string(m_numbers[rank]) + " has failed";
    }
}

RunTotals
RdmaCollectiveTransport::GetTotals() const
{
    return FabricTransportFigures({m_hosts.begin(), m_hosts.end()}).GetTotals();
}

} // namespace ns3::fabric
