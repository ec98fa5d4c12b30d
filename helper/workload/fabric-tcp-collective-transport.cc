/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-tcp-collective-transport.h"

#include "ns3/inet-socket-address.h"

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
    : m_numbers(std::move(hosts)),
      m_hosts(fabric, m_numbers)
{
    for (const Pair& pair : PairsOf(plan))
    {
        m_streams[pair];
        m_hosts.Introduce(pair.first, pair.second);
    }
}

TcpCollectiveTransport::~TcpCollectiveTransport()
{
    for (const Ptr<Socket>& listener : m_listeners)
    {
        listener->SetAcceptCallback({}, {});
    }
}

void
TcpCollectiveTransport::Listen(uint32_t rank)
{
    const Ptr<Socket> listener = m_hosts.MakeSocket(rank);
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
    for (uint32_t rank = 0; rank < m_hosts.GetN(); ++rank)
    {
        Listen(rank);
    }
    for (auto& [key, stream] : m_streams)
    {
        const Pair pair = key;
        const Ptr<Socket> sender = m_hosts.MakeSocket(pair.first);
        sender->Bind();
        sender->SetConnectCallback(
            Callback<void, Ptr<Socket>>([this](const Ptr<Socket>&) { CheckReady(); }),
            Callback<void, Ptr<Socket>>([this, pair](const Ptr<Socket>&) {
                m_failure = "host " + std::to_string(m_numbers[pair.first]) +
                            " can't connect to host " + std::to_string(m_numbers[pair.second]);
            }));
        stream.bytes.SetSender(sender);
        sender->Connect(InetSocketAddress(m_hosts.AddressOf(pair.second), COLLECTIVE_PORT));
    }
    if (m_streams.empty())
    {
        ready();
    }
}

void
TcpCollectiveTransport::Accept(uint32_t rank, const Ptr<Socket>& socket, const Address& from)
{
    const Ipv4Address sender = InetSocketAddress::ConvertFrom(from).GetIpv4();
    Stream& stream = m_streams.at({m_hosts.PlaceOf(sender), rank});
    stream.bytes.SetReceiver(socket, [this, &stream] { TellArrivals(stream); });
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
    stream.messages.push_back({stream.bytes.GetOffered() + message.bytes, message.tag});
    stream.bytes.Offer(message.bytes);
}

void
TcpCollectiveTransport::TellArrivals(Stream& stream)
{
    while (!stream.messages.empty() && stream.messages.front().end <= stream.bytes.GetReceived())
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
        const TcpStream& bytes = stream.bytes;
        totals.bytesOffered += bytes.GetOffered();
        totals.bytesDelivered += bytes.GetReceived();
        totals.bytesInFlight += bytes.GetOffered() - bytes.GetReceived();
    }
    return totals;
}

} // namespace ns3::fabric
