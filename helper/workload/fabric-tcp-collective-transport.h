/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TCP_COLLECTIVE_TRANSPORT_H
#define FABRIC_TCP_COLLECTIVE_TRANSPORT_H

#include "fabric-collective-transport.h"
#include "fabric-exchange-plan.h"
#include "fabric-helper.h"
#include "fabric-rank-placement.h"
#include "fabric-run-totals.h"
#include "fabric-tcp-hosts.h"
#include "fabric-tcp-stream.h"

#include "ns3/socket.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * ns-3's TCP over the devices of hosts of a fabric: a connection for each pair that sends, whose
 * messages are bytes of its stream, one after the other. Hosts know each other's addresses, so that
 * nobody asks for them (ARP).
 */
class TcpCollectiveTransport : public CollectiveTransport
{
  public:
    /**
     * @param plan that will be carried out
     * @param hosts by rank, another one each; they have no IP yet
     */
    TcpCollectiveTransport(const FabricContainer& fabric,
                           const ExchangePlan& plan,
                           std::vector<uint32_t> hosts);

    /// The same with rank r at host r. @param plan that will be carried out
    TcpCollectiveTransport(const FabricContainer& fabric, const ExchangePlan& plan)
        : TcpCollectiveTransport(fabric, plan, FirstHosts(plan.front().Ranks()))
    {
    }

    ~TcpCollectiveTransport() override;

    void Open(const std::function<void()>& ready) override;
    void Send(const Message& message) override;

    /// @return payload of messages: given to TCP, received, and neither; time and hops are not
    /// counted
    RunTotals GetTotals() const;

    /// @return what has failed first, as a sentence; empty if nothing has
    const std::string& GetFailure() const
    {
        return m_failure;
    }

  private:
    using Pair = std::pair<uint32_t, uint32_t>; ///< Of ranks: the sender and the receiver.

    /// A message in a stream.
    struct Piece
    {
        uint64_t end; ///< Where it ends, in bytes of the stream.
        uint64_t tag; ///< Of the message.
    };

    /// The connection of a pair.
    struct Stream
    {
        TcpStream bytes;            ///< Of messages.
        std::deque<Piece> messages; ///< That have not come.
    };

    /// A host takes connections.
    void Listen(uint32_t rank);
    /// A host has accepted a connection. @param from address of its other end
    void Accept(uint32_t rank, const Ptr<Socket>& socket, const Address& from);
    /// Begins when all connections are open at both ends.
    void CheckReady();
    /// Tells of the messages that are there, whole.
    void TellArrivals(Stream& stream);

    const std::vector<uint32_t> m_numbers; ///< Of hosts, by rank.
    TcpHosts m_hosts;                      ///< By rank.
    std::map<Pair, Stream> m_streams;      ///< Of pairs.
    std::vector<Ptr<Socket>> m_listeners;  ///< By rank.
    std::size_t m_opened{0};               ///< Ends of connections that are open.
    std::function<void()> m_ready;         ///< Is called when all are.
    std::string m_failure;                 ///< See GetFailure().
};

} // namespace ns3::fabric

#endif // FABRIC_TCP_COLLECTIVE_TRANSPORT_H
