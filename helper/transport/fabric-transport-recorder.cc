/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-recorder.h"

#include "fabric-csv-writer.h"
#include "fabric-summary.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace ns3
{

using fabric::RdmaEvent;
using fabric::TimePs;
using fabric::ToSeconds;
using fabric::TransportPacket;

namespace
{

/// Names of operations, by value.
constexpr std::array<const char*, fabric::RDMA_OPERATIONS> OPERATIONS{"write", "read", "send"};

/// Names of statuses, by value.
constexpr std::array<const char*, fabric::TRANSPORT_STATUSES> STATUSES{"ok",
                                                                       "retry-limit",
                                                                       "target-not-ready",
                                                                       "bad-cid",
                                                                       "connection-reset",
                                                                       "remote-error",
                                                                       "refused",
                                                                       "flushed"};

/// Names of packets, by value: Falcon's where it has one.
constexpr std::array<const char*, fabric::TRANSPORT_PACKET_TYPES> PACKET_NAMES{"pullReq",
                                                                               "pushSlctdReq",
                                                                               "pullData",
                                                                               "pushGrnt",
                                                                               "pushSlctdData",
                                                                               "pushUnslctdData",
                                                                               "errorResp",
                                                                               "ack",
                                                                               "nack",
                                                                               "connect",
                                                                               "accept",
                                                                               "refuse",
                                                                               "close",
                                                                               "closed",
                                                                               "reset"};

} // namespace

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
    for (const bool isSent : {true, false})
    {
        transport->TraceConnectWithoutContext(
            isSent ? "Tx" : "Rx",
            Callback<void, const TransportPacket&, Time>(
                [this, host, isSent](const TransportPacket& packet, Time time) {
                    m_packets.push_back({time.GetPicoSeconds(), host, isSent, packet});
                }));
    }
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

std::vector<double>
FabricTransportRecorder::GetLatencies() const
{
    std::vector<double> seconds;
    for (const Operation& operation : m_operations)
    {
        if (operation.event.status == fabric::TransportStatus::OK)
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
                OPERATIONS[static_cast<std::size_t>(event.operation)],
                event.cookie,
                event.bytes,
                static_cast<uint32_t>(event.isSolicited),
                ToSeconds(event.postedAt),
                ToSeconds(operation.end),
                ToSeconds(operation.Latency()),
                STATUSES[static_cast<std::size_t>(event.status)],
                ToSeconds(operation.Latency()));
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
                           "sent_s"});
    // Hosts trace in their own clocks, behind each other.
    std::vector<Seen> packets = m_packets;
    std::stable_sort(packets.begin(), packets.end(), [](const Seen& a, const Seen& b) {
        return std::tie(a.time, a.host) < std::tie(b.time, b.host);
    });
    for (const Seen& seen : packets)
    {
        const TransportPacket& packet = seen.packet;
        const fabric::TransportPiece piece =
            packet.HasPiece() ? packet.piece : fabric::TransportPiece();
        csv.Row(ToSeconds(seen.time),
                seen.host,
                seen.isSent ? "tx" : "rx",
                PACKET_NAMES[static_cast<std::size_t>(packet.type)],
                packet.cid,
                piece.psn,
                piece.rsn,
                piece.ssn,
                packet.PayloadBytes(),
                packet.requestBase,
                packet.dataBase,
                ToSeconds(piece.sentAt));
    }
}

} // namespace ns3
