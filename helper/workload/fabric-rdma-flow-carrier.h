/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RDMA_FLOW_CARRIER_H
#define FABRIC_RDMA_FLOW_CARRIER_H

#include "fabric-flow-carrier.h"
#include "fabric-flow-list.h"
#include "fabric-flow-results.h"
#include "fabric-helper.h"
#include "fabric-nic-transport.h"
#include "fabric-run-totals.h"
#include "fabric-summary.h"
#include "fabric-transport-figures.h"
#include "fabric-transport-helper.h"

#include <cstdint>
#include <map>
#include <ostream>
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
 * Simulator::Run();
 * carrier.AddRanks();
 * carrier.CheckComplete();
 * FabricFlowResults(list, carrier.GetTimes()).AddTo(summary);
 * carrier.AddFigures(summary);
 * @endcode
 */
class RdmaFlowCarrier : public FlowCarrier
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
    void Start(uint32_t flow, uint32_t place) override;
    void Listen(Listener sent, Listener received) override;

    /// @return part of the flows that are over, 0 to 1
    double GetDone() const;

    /// Gets what has come of flows on other ranks; all ranks have to call it, when the simulation
    /// is over, and then all of the following.
    void AddRanks();

    /**
     * To be called when nothing happens any more.
     *
     * @throws InvariantError if flows are left though nothing has failed, or initiators and targets
     * do not agree
     */
    void CheckComplete() const;

    /// @return when the last was told of something, ps
    TimePs GetEnd() const
    {
        return m_end;
    }

    /// @return payload of flows, and hops; until a time, ps
    RunTotals GetTotals(TimePs end) const;

    /// @return what came of the flows that have arrived, in this order
    std::vector<FlowTimes> GetTimes() const;

    /// Adds latency, what the transports have counted, connections, marked_frames where switches
    /// mark, fabric_dropped where they may drop, and how many operations ended with each status;
    /// `not-posted` are those for which a connection was not there any more.
    void AddFigures(Summary& summary) const;

    /// One row per flow that has arrived: messages.csv. @param os where to write
    void WriteMessages(std::ostream& os) const;

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

    /// What has come of a flow.
    struct State
    {
        TimePs start{NEVER};    ///< ps.
        TimePs received{NEVER}; ///< Its last byte was at the target, ps.
        TimePs told{NEVER};     ///< The initiator's host knows that, ps.
    };

    /// Of flows: one for each status, and one for those that were not posted.
    using Outcomes = std::vector<uint64_t>;

    /// @return flows that are over: complete, failed or not posted
    uint64_t CountOver() const;
    /// @return figures and checks of all hosts' transports
    FabricTransportFigures Figures() const;
    /// Opens the connections that flows need.
    void Open(uint32_t connections);
    /// Something has happened to a connection at the end that sends.
    void HandleSender(const RdmaEvent& event);
    /// Something has happened to a connection at the end that receives.
    void HandleReceiver(const RdmaEvent& event);

    const FabricContainer& m_fabric;              ///< The fabric.
    const FlowList& m_list;                       ///< The flows.
    std::vector<Ptr<FabricNicTransport>> m_hosts; ///< By number.
    std::vector<State> m_states;                  ///< By flow.
    std::map<Link, ConnectionId> m_connections;   ///< All.
    std::vector<ConnectionId> m_carriers;         ///< By flow: the connection that carries it.
    Outcomes m_outcomes;                          ///< Of flows that are over.
    uint64_t m_started{0};                        ///< Flows that were to start so far.
    Listener m_sent;                              ///< Is told; perhaps empty.
    Listener m_received;                          ///< Is told; perhaps empty.
    TimePs m_end{0};                              ///< See GetEnd().
};

} // namespace ns3::fabric

#endif // FABRIC_RDMA_FLOW_CARRIER_H
