/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-tcp-bulk-traffic.h"

#include "fabric-program.h"

#include "ns3/boolean.h"
#include "ns3/bulk-send-application.h"
#include "ns3/inet-socket-address.h"
#include "ns3/packet-sink.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>

namespace ns3
{

TcpBulkTraffic::TcpBulkTraffic(const TargetNetwork& network, uint64_t bytes)
    : m_network(network),
      m_bytes(bytes * network.GetSenders())
{
    const TypeIdValue tcp(TcpSocketFactory::GetTypeId());
    auto sink = CreateObject<PacketSink>();
    sink->SetAttribute("Protocol", tcp);
    sink->SetAttribute("Local", AddressValue(InetSocketAddress(Ipv4Address::GetAny(), PORT)));
    sink->TraceConnectWithoutContext("Rx", MakeCallback(&TcpBulkTraffic::Receive, this));
    network.GetTarget()->AddApplication(sink);
    const InetSocketAddress target(network.GetIpAddress(), PORT);
    for (uint32_t i = 0; i < network.GetSenders(); ++i)
    {
        auto sender = CreateObject<BulkSendApplication>();
        sender->SetAttribute("Protocol", tcp);
        sender->SetAttribute("Remote", AddressValue(target));
        sender->SetAttribute("MaxBytes", UintegerValue(bytes));
        network.GetHosts().Get(i)->AddApplication(sender);
    }
}

void
TcpBulkTraffic::SetDefaults(const fabric::ProgramOptions& options,
                            uint64_t mtu,
                            bool isDctcp,
                            DataRate hostRate)
{
    // A window of slow start and its successor, which double the round trip of slow links.
    constexpr uint32_t PACKETS = 20;
    const Time wait = std::max(MilliSeconds(1), hostRate.CalculateBytesTxTime(PACKETS * mtu));
    constexpr uint64_t HEADERS = 60;           // IP, TCP and its options
    constexpr uint64_t BUFFER_BYTES = 4 << 20; // as much as SendPayloadBytes of the transport
    options.SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(mtu - HEADERS));
    options.SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(BUFFER_BYTES));
    options.SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(BUFFER_BYTES));
    if (isDctcp)
    {
        options.SetDefault("ns3::TcpL4Protocol::SocketType",
                           TypeIdValue(TypeId::LookupByName("ns3::TcpDctcp")));
    }
    options.SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(wait));
    options.SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MicroSeconds(1)));
    options.SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    options.SetDefault("ns3::RttEstimator::InitialEstimation", TimeValue(wait));
    options.SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(wait));
    options.SetDefault("ns3::TcpSocket::ConnCount", UintegerValue(10)); // 1 s in all, or more
    // As Linux (tcp_retries2): twice as long each, a minute in all. By default 6, which are for a
    // time-out of a second, would end with a connection whose link is down for 0.1 s.
    options.SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(15));
    // As long as by default in all: three requests, each after a second.
    constexpr int64_t ADDRESS_TIME = 3;
    options.SetDefault("ns3::ArpCache::WaitReplyTimeout", TimeValue(wait));
    options.SetDefault("ns3::ArpCache::MaxRetries",
                       UintegerValue(std::max<int64_t>(Seconds(ADDRESS_TIME).GetPicoSeconds() /
                                                           wait.GetPicoSeconds(),
                                                       ADDRESS_TIME)));
    options.SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    options.SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    options.SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MicroSeconds(20)));
    options.SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
}

void
TcpBulkTraffic::Receive(Ptr<const Packet> packet, const Address&)
{
    m_completion.bytes += packet->GetSize();
    m_completion.end = Simulator::Now().GetPicoSeconds();
    m_completion.bytesToTarget = m_network.GetBytesToTarget(m_completion.end);
}

double
TcpBulkTraffic::GetDone() const
{
    return static_cast<double>(m_completion.bytes) / static_cast<double>(m_bytes);
}

void
TcpBulkTraffic::CheckComplete() const
{
    if (m_completion.bytes != m_bytes)
    {
        throw fabric::InvariantError("the run ended with " + std::to_string(m_completion.bytes) +
                                     " of " + std::to_string(m_bytes) + " bytes received");
    }
}

TargetNetwork::Completion
TcpBulkTraffic::GetCompletion() const
{
    return m_completion;
}

fabric::RunTotals
TcpBulkTraffic::GetTotals() const
{
    fabric::RunTotals totals;
    totals.bytesOffered = m_bytes;
    totals.bytesDelivered = m_completion.bytes;
    totals.bytesInFlight = m_bytes - m_completion.bytes;
    totals.simulatedTime = m_completion.end;
    m_network.AddHops(totals);
    return totals;
}

} // namespace ns3
