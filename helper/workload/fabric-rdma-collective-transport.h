/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RDMA_COLLECTIVE_TRANSPORT_H
#define FABRIC_RDMA_COLLECTIVE_TRANSPORT_H

#include "fabric-collective-transport.h"
#include "fabric-exchange-plan.h"
#include "fabric-helper.h"
#include "fabric-nic-transport.h"
#include "fabric-rank-placement.h"
#include "fabric-run-totals.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * The reliable transport in the NICs of hosts of a fabric: an ordered connection for each pair that
 * sends, open from the start (FabricNicTransport::ConnectAtOnce()), and a SEND for each message,
 * into receive buffers that were posted before. Its cookie is the tag.
 */
class RdmaCollectiveTransport : public CollectiveTransport
{
  public:
    /**
     * This has to stay as long as the simulation runs.
     *
     * @param plan that will be carried out
     * @param hosts by rank, another one each; they have no transport yet
     */
    RdmaCollectiveTransport(const FabricContainer& fabric,
                            const ExchangePlan& plan,
                            std::vector<uint32_t> hosts);

    /// The same with rank r at host r. @param plan that will be carried out
    RdmaCollectiveTransport(const FabricContainer& fabric, const ExchangePlan& plan)
        : RdmaCollectiveTransport(fabric, plan, FirstHosts(plan.front().Ranks()))
    {
    }

    void Open(const std::function<void()>& ready) override;
    bool IsElsewhere(uint32_t rank) const override;
    /// @throws std::invalid_argument for 2 GiB or more, which no operation can have
    void Send(const Message& message) override;

    /**
     * @return payload of operations: posted, complete, failed and under way; time and hops are not
     * counted. All ranks of MPI have to call it, when the simulation is over
     */
    RunTotals GetTotals() const;

    /// @return what has failed first, as a sentence; empty if nothing has
    const std::string& GetFailure() const
    {
        return m_failure;
    }

  private:
    using Pair = std::pair<uint32_t, uint32_t>; ///< Of ranks: the sender and the receiver.

    /// Posts receive buffers, and listens, at the hosts of this rank of MPI.
    void AwaitMessages();
    /// A receiver is told something.
    void HandleReceiver(uint32_t rank, const RdmaEvent& event);
    /// Keeps what has failed first. @param event something that a rank's host is told
    void NoteFailure(uint32_t rank, const RdmaEvent& event);

    const std::vector<uint32_t> m_numbers;        ///< Of hosts, by rank.
    std::vector<Ptr<FabricNicTransport>> m_hosts; ///< By rank.
    std::vector<uint64_t> m_receives;             ///< Messages to come, by rank.
    std::map<Pair, ConnectionId> m_connections;   ///< Of pairs.
    std::string m_failure;                        ///< See GetFailure().
};

} // namespace ns3::fabric

#endif // FABRIC_RDMA_COLLECTIVE_TRANSPORT_H
