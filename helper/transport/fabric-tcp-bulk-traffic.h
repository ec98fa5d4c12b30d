/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TCP_BULK_TRAFFIC_H
#define FABRIC_TCP_BULK_TRAFFIC_H

#include "fabric-program-options.h"
#include "fabric-target-network.h"

#include "ns3/data-rate.h"
#include "ns3/packet.h"

#include <cstdint>

namespace ns3
{

/**
 * Every sender of a network sends bytes to the target over one TCP connection: a
 * BulkSendApplication each, and one PacketSink.
 *
 * @code
 * RoutedTargetNetwork::Settings settings;
 * settings.senders = 4;
 * RoutedTargetNetwork network(settings);
 * TcpBulkTraffic traffic(network, 1 << 20); // 1 MiB each
 * Simulator::Run();
 * traffic.CheckComplete();
 * network.AddCompletion(summary, traffic.GetCompletion());
 * @endcode
 */
class TcpBulkTraffic
{
  public:
    /**
     * Installs the applications.
     *
     * @param network with IP; must stay
     * @param bytes that each sender sends, above 0
     */
    TcpBulkTraffic(const TargetNetwork& network, uint64_t bytes);

    TcpBulkTraffic(const TcpBulkTraffic&) = delete;
    TcpBulkTraffic& operator=(const TcpBulkTraffic&) = delete;

    /**
     * Sets defaults of TCP for a data centre, where the command line does not say otherwise; ns-3's
     * own are of slow links. doc/transport-ns3.rst has the source of each. To be called before
     * hosts are made.
     *
     * @param options what the command line says
     * @param mtu largest packet of the devices, IP header counted, bytes
     * @param isDctcp whether it is DCTCP, as it should be where packets are marked
     * @param hostRate of the links of hosts: no time-out is less than 20 packets take there
     */
    static void SetDefaults(const fabric::ProgramOptions& options,
                            uint64_t mtu,
                            bool isDctcp,
                            DataRate hostRate);

    /// @return part of the bytes that the target has received, 0 to 1
    double GetDone() const;

    /**
     * To be called at the end.
     *
     * @throws fabric::InvariantError if the target has not received all
     */
    void CheckComplete() const;

    /// @return what was received until now
    TargetNetwork::Completion GetCompletion() const;

    /// @return payload and the network's hops
    fabric::RunTotals GetTotals() const;

  private:
    /// The target has received bytes.
    void Receive(Ptr<const Packet> packet, const Address& from);

    static constexpr uint16_t PORT = 5001; ///< Of the sink; any.

    const TargetNetwork& m_network;         ///< Senders and target.
    uint64_t m_bytes;                       ///< Of all senders.
    TargetNetwork::Completion m_completion; ///< Until now.
};

} // namespace ns3

#endif // FABRIC_TCP_BULK_TRAFFIC_H
