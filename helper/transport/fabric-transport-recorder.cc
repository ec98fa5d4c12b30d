/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-recorder.h"

#include "fabric-csv-writer.h"
#include "fabric-rank-link.h"
#include "fabric-summary.h"
#include "fabric-transport-names.h"

#include "ns3/inet-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

using fabric::RdmaEvent;
using fabric::TimePs;
using fabric::ToSeconds;
using fabric::TransportPacket;

void
FabricTransportRecorder::Add(uint32_t host, Ptr<FabricInitiatorApplication> initiator)
{
    initiator->TraceConnectWithoutContext(
        "Completed",
        Callback<void, const RdmaEvent&, Time>(
            [this, host](const RdmaEvent& event, Time) { Finished(host, event); }));
    initiator->TraceConnectWithoutContext(
        "Error",
        Callback<void, const RdmaEvent&>([this, host](const RdmaEvent& event) {
            if (event.type == fabric::RdmaEventType::COMPLETION)
            {
                Finished(host, event);
            }
        }));
}

void
FabricTransportRecorder::Add(uint32_t host, Ptr<FabricTransport> transport)
{
    const Ptr<Node> node = transport->GetNode();
    m_nodes[host] = node->GetId();
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        m_hosts[node->GetDevice(i)->GetAddress()] = host;
    }
    const auto ipv4 = node->GetObject<Ipv4>();
    for (uint32_t i = 0; ipv4 && i < ipv4->GetNInterfaces(); ++i)
    {
        for (uint32_t j = 0; j < ipv4->GetNAddresses(i); ++j)
        {
            m_hosts[ipv4->GetAddress(i, j).GetLocal()] = host;
        }
    }
    for (const bool isSent : {true, false})
    {
        transport->TraceConnectWithoutContext(
            isSent ? "TxTo" : "RxFrom",
            Callback<void, const TransportPacket&, const Address&, Time>(
                [this, host, isSent](const TransportPacket& packet,
                                     const Address& peer,
                                     Time time) {
                    m_packets.push_back({time.GetPicoSeconds(), host, peer, isSent, packet});
                }));
    }
}

std::optional<uint32_t>
FabricTransportRecorder::HostOf(const Address& peer) const
{
    const bool isIp = InetSocketAddress::IsMatchingType(peer);
    const auto found =
        m_hosts.find(isIp ? Address(InetSocketAddress::ConvertFrom(peer).GetIpv4()) : peer);
    return found == m_hosts.end() ? std::nullopt : std::optional<uint32_t>(found->second);
}

bool
FabricTransportRecorder::IsResend(const Seen& seen, uint32_t peer, FirstSent& first)
{
    const TransportPacket& packet = seen.packet;
    if (!packet.IsRequest() && !packet.IsData())
    {
        return false;
    }
    const uint32_t from = seen.isSent ? seen.host : peer;
    const uint32_t to = seen.isSent ? peer : seen.host;
    const auto key = std::make_tuple(from, to, packet.cid, packet.IsData(), packet.piece.psn);
    if (seen.isSent)
    {
        return !first.emplace(key, packet.piece.sentAt).second;
    }
    const auto found = first.find(key);
    return found != first.end() && found->second != packet.piece.sentAt;
}

void
FabricTransportRecorder::Finished(uint32_t host, const RdmaEvent& event)
{
    m_end = Simulator::Now().GetPicoSeconds();
    m_operations.push_back({host, event, m_end});
    m_pulls += event.operation == fabric::RdmaOperation::READ;
    if (m_callback)
    {
        m_callback();
    }
}

void
FabricTransportRecorder::AddRanks()
{
    m_operations = fabric::CollectFromRanks(m_operations);
    m_pulls = fabric::SumOverRanks({m_pulls}).front();
    const auto end = static_cast<uint64_t>(m_end);
    m_end = static_cast<TimePs>(fabric::MostOfRanks({end}).front());
}

const std::vector<FabricTransportRecorder::Operation>&
FabricTransportRecorder::GetOperations() const
{
    const auto key = [](const Operation& operation) {
        return std::make_tuple(operation.end, operation.host, operation.event.cookie);
    };
    std::stable_sort(m_operations.begin(),
                     m_operations.end(),
                     [&key](const Operation& a, const Operation& b) { return key(a) < key(b); });
    return m_operations;
}

const char*
FabricTransportRecorder::Operation::StatusName() const
{
    return fabric::NameOf(event.status);
}

std::map<std::string, uint64_t>
FabricTransportRecorder::CountStatuses() const
{
    std::map<std::string, uint64_t> counts{{fabric::NameOf(fabric::TransportStatus::OK), 0}};
    for (const Operation& operation : m_operations)
    {
        ++counts[operation.StatusName()];
    }
    return counts;
}

std::vector<double>
FabricTransportRecorder::GetLatencies() const
{
    std::vector<double> seconds;
    for (const Operation& operation : m_operations)
    {
        if (operation.IsOk())
        {
            seconds.push_back(ToSeconds(operation.Latency()));
        }
    }
    return seconds;
}

void
FabricTransportRecorder::WriteOperations(std::ostream& os) const
{
    fabric::CsvWriter csv(os,
                          {"host",
                           "operation",
                           "number",
                           "bytes",
                           "solicited",
                           "start_s",
                           "end_s",
                           "latency_s",
                           "status",
                           "fct_s"});
    for (const Operation& operation : GetOperations())
    {
        const RdmaEvent& event = operation.event;
        csv.Row(operation.host,
                fabric::NameOf(event.operation),
                event.cookie,
                event.bytes,
                static_cast<uint32_t>(event.isSolicited),
                ToSeconds(event.postedAt),
                ToSeconds(operation.end),
                ToSeconds(operation.Latency()),
                operation.StatusName(),
                operation.IsOk() ? std::make_optional(ToSeconds(operation.Latency()))
                                 : std::nullopt);
    }
}

void
FabricTransportRecorder::WritePackets(std::ostream& os) const
{
    fabric::CsvWriter csv(os,
                          {"time_s",
                           "host",
                           "direction",
                           "type",
                           "cid",
                           "psn",
                           "rsn",
                           "ssn",
                           "bytes",
                           "request_base",
                           "data_base",
                           "sent_s",
                           "node",
                           "peer",
                           "resend"});
    // Hosts trace in their own clocks, behind each other.
    std::vector<Seen> packets = m_packets;
    std::stable_sort(packets.begin(), packets.end(), [](const Seen& a, const Seen& b) {
        return std::tie(a.time, a.host) < std::tie(b.time, b.host);
    });
    FirstSent first;
    for (const Seen& seen : packets)
    {
        const std::optional<uint32_t> peer = HostOf(seen.peer);
        const TransportPacket& packet = seen.packet;
        const fabric::TransportPiece piece =
            packet.HasPiece() ? packet.piece : fabric::TransportPiece();
        csv.Row(ToSeconds(seen.time),
                seen.host,
                seen.isSent ? "tx" : "rx",
                fabric::NameOf(packet.type),
                packet.cid,
                piece.psn,
                piece.rsn,
                piece.ssn,
                packet.PayloadBytes(),
                packet.requestBase,
                packet.dataBase,
                ToSeconds(piece.sentAt),
                m_nodes.at(seen.host),
                peer,
                static_cast<uint32_t>(peer && IsResend(seen, *peer, first)));
    }
}

} // namespace ns3
