/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RDMA_FLOW_CARRIER_H
#define FABRIC_RDMA_FLOW_CARRIER_H

#include "fabric-flow-list.h"
#include "fabric-helper.h"
#include "fabric-logged-flow-carrier.h"
#include "fabric-nic-transport.h"
#include "fabric-transport-figures.h"
#include "fabric-transport-helper.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::fabric
{

/**
 * Each flow is a write (a push) of the reliable transport in the NICs of a fabric. Hosts between
 * which there are flows have connections for each traffic class, which are open from the start
 * (FabricNicTransport::ConnectAtOnce()) and unordered; flows take them in turn. A host knows what
 * has happened CompletionLatency later.
 *
 * @code
 * FabricTransportHelper helper;
 * helper.SetAttribute("CongestionControl", StringValue("delay"));
 * fabric::RdmaFlowCarrier carrier(fabric, list, helper);
 * FabricFlowTraffic traffic(carrier, list);
 * @endcode
 *
 * Its own figures are those of the transports, and connections; an operation that is `not-posted`
 * is one for which a connection was not there any more.
 */
class RdmaFlowCarrier : public LoggedFlowCarrier
{
  public:
    /**
     * Installs transports on all hosts, and opens the connections; on all ranks of MPI.
     *
     * @param fabric whose hosts send; stays as long as they do
     * @param list what they send; stays as long as they do
     * @param helper makes the transports, of which this sets ReportsOneSided and TrafficClass
     * @param connections of each two hosts and class, at most
     * @throws std::invalid_argument with a sentence if a flow is too long for an operation, or a
     * host has more connections than it can have
     */
    RdmaFlowCarrier(const FabricContainer& fabric,
                    const FlowList& list,
                    FabricTransportHelper helper,
                    uint32_t connections = 1);

    /**
     * @param list of flows
     * @throws std::invalid_argument with a sentence for the first that is longer than an operation
     * can be, 2 GiB
     */
    static void RequireSizes(const FlowList& list);

    bool IsElsewhere(uint32_t host) const override;

  private:
    /// A connection of two hosts.
    struct Link
    {
        uint32_t src;         ///< Host that sends.
        uint32_t dst;         ///< Host that receives.
        uint8_t trafficClass; ///< Of frames.
        uint32_t number;      ///< Among those of both hosts and this class.

        /// For maps.
        bool operator<(const Link& other) const;
    };

    void Send(uint32_t flow, uint32_t place) override;
    void CheckEnds() const override;
    RunTotals GetPayload() const override;
    void AddOwnFigures(Summary& summary) const override;
    IdealOfBytes IdealBetween(const FabricIdealPaths& paths,
                              uint32_t src,
                              uint32_t dst) const override;

    /// @return figures and checks of all hosts' transports
    FabricTransportFigures Figures() const;
    /// Opens the connections that flows need.
    void Open(uint32_t connections);
    /// Something has happened to a connection at the end that sends.
    void HandleSender(const RdmaEvent& event);
    /// Something has happened to a connection at the end that receives.
    void HandleReceiver(const RdmaEvent& event);

    std::vector<Ptr<FabricNicTransport>> m_hosts; ///< By number.
    std::map<Link, ConnectionId> m_connections;   ///< All.
    std::vector<ConnectionId> m_carriers;         ///< By flow: the connection that carries it.
};

} // namespace ns3::fabric

#endif // FABRIC_RDMA_FLOW_CARRIER_H
