/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-tcp-collective-transport.h"

#include "ns3/arp-cache.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-factory.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3::fabric
{

namespace
{

constexpr uint16_t COLLECTIVE_PORT = 5002; ///< Of hosts that receive; any.

} // namespace

TcpCollectiveTransport::TcpCollectiveTransport(const FabricContainer& fabric,
                                               const ExchangePlan& plan,
                                               std::vector<uint32_t> hosts)
    : m_fabric(fabric),
      m_hosts(std::move(hosts))
{
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.0.0");
    for (uint32_t rank = 0; rank < m_hosts.size(); ++rank)
    {
        stack.Install(DeviceOf(rank)->GetNode());
        m_interfaces.Add(addresses.Assign(NetDeviceContainer(DeviceOf(rank))));
        m_ranks[m_interfaces.GetAddress(rank)] = rank;
    }
    for (const Pair& pair : PairsOf(plan))
    {
        m_streams[pair];
        Introduce(pair);
    }
}

TcpCollectiveTransport::~TcpCollectiveTransport()
{
    for (auto& [pair, stream] : m_streams)
    {
        for (const Ptr<Socket>& socket : {stream.sender, stream.receiver})
        {
            if (socket)
            {
                socket->SetConnectCallback({}, {});
                socket->SetSendCallback({});
                socket->SetRecvCallback({});
            }
        }
    }
    for (const Ptr<Socket>& listener : m_listeners)
    {
        listener->SetAcceptCallback({}, {});
    }
}

void
TcpCollectiveTransport::Introduce(const Pair& pair) const
{
    for (const auto& [here, there] : {pair, Pair(pair.second, pair.first)})
    {
        const auto [ip, interface] = m_interfaces.Get(here);
        const auto layer = DynamicCast<Ipv4L3Protocol>(ip);
        const Ptr<ArpCache> cache = layer->GetInterface(interface)->GetArpCache();
        const Ipv4Address address = m_interfaces.GetAddress(there);
        if (!cache->Lookup(address))
        {
            ArpCache::Entry* entry = cache->Add(address);
            entry->SetMacAddress(DeviceOf(there)->GetAddress());
            entry->MarkPermanent();
        }
    }
}

void
TcpCollectiveTransport::Listen(uint32_t rank)
{
    const Ptr<Socket> listener =
        Socket::CreateSocket(DeviceOf(rank)->GetNode(), TcpSocketFactory::GetTypeId());
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), COLLECTIVE_PORT));
    listener->Listen();
    listener->SetAcceptCallback({},
                                Callback<void, Ptr<Socket>, const Address&>(
                                    [this, rank](const Ptr<Socket>& socket, const Address& from) {
                                        Accept(rank, socket, from);
                                    }));
    m_listeners.push_back(listener);
}

void
TcpCollectiveTransport::Open(const std::function<void()>& ready)
{
    m_ready = ready;
    for (uint32_t rank = 0; rank < m_interfaces.GetN(); ++rank)
    {
        Listen(rank);
    }
    for (auto& [key, stream] : m_streams)
    {
        const Pair pair = key;
        stream.sender =
            Socket::CreateSocket(DeviceOf(pair.first)->GetNode(), TcpSocketFactory::GetTypeId());
        stream.sender->Bind();
        stream.sender->SetConnectCallback(
            Callback<void, Ptr<Socket>>([this](const Ptr<Socket>&) { CheckReady(); }),
            Callback<void, Ptr<Socket>>([this, pair](const Ptr<Socket>&) {
                m_failure = "host " + std::to_string(m_hosts[pair.first]) +
                            " can't connect to host " + std::to_string(m_hosts[pair.second]);
            }));
        stream.sender->SetSendCallback(Callback<void, Ptr<Socket>, uint32_t>(
            [&stream = stream](const Ptr<Socket>&, uint32_t) { Write(stream); }));
        stream.sender->Connect(
            InetSocketAddress(m_interfaces.GetAddress(pair.second), COLLECTIVE_PORT));
    }
    if (m_streams.empty())
    {
        ready();
    }
}

void
TcpCollectiveTransport::Accept(uint32_t rank, const Ptr<Socket>& socket, const Address& from)
{
    const Pair pair{m_ranks.at(InetSocketAddress::ConvertFrom(from).GetIpv4()), rank};
    m_streams.at(pair).receiver = socket;
    socket->SetRecvCallback(
        Callback<void, Ptr<Socket>>([this, pair](const Ptr<Socket>&) { Read(pair); }));
    CheckReady();
}

void
TcpCollectiveTransport::CheckReady()
{
    if (++m_opened == 2 * m_streams.size())
    {
        m_ready();
    }
}

void
TcpCollectiveTransport::Send(const Message& message)
{
    Stream& stream = m_streams.at({message.from, message.to});
    stream.offered += message.bytes;
    stream.messages.push_back({stream.offered, message.tag});
    Write(stream);
}

void
TcpCollectiveTransport::Write(Stream& stream)
{
    while (stream.written < stream.offered)
    {
        const uint64_t most =
            std::min<uint64_t>(stream.sender->GetTxAvailable(), stream.offered - stream.written);
        const int sent =
            most == 0 ? 0 : stream.sender->Send(Create<Packet>(static_cast<uint32_t>(most)));
        if (sent <= 0)
        {
            return; // the socket tells when there is room
        }
        stream.written += static_cast<uint64_t>(sent);
    }
}

void
TcpCollectiveTransport::Read(const Pair& pair)
{
    Stream& stream = m_streams.at(pair);
    while (const Ptr<Packet> packet = stream.receiver->Recv())
    {
        if (packet->GetSize() == 0)
        {
            break;
        }
        stream.received += packet->GetSize();
    }
    while (!stream.messages.empty() && stream.messages.front().end <= stream.received)
    {
        const uint64_t tag = stream.messages.front().tag;
        stream.messages.pop_front();
        Arrive(tag);
    }
}

RunTotals
TcpCollectiveTransport::GetTotals() const
{
    RunTotals totals;
    for (const auto& [pair, stream] : m_streams)
    {
        totals.bytesOffered += stream.offered;
        totals.bytesDelivered += stream.received;
        totals.bytesInFlight += stream.offered - stream.received;
    }
    return totals;
}

} // namespace ns3::fabric
