/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LOGGED_FLOW_CARRIER_H
#define FABRIC_LOGGED_FLOW_CARRIER_H

#include "fabric-flow-carrier.h"
#include "fabric-flow-list.h"
#include "fabric-flow-log.h"
#include "fabric-flow-results.h"
#include "fabric-helper.h"
#include "fabric-ideal-paths.h"
#include "fabric-run-totals.h"
#include "fabric-summary.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * Carries flows as something else than native messages, of which the fabric knows nothing: so it
 * keeps itself what comes of them, and has their results.
 *
 * @code
 * FabricFlowTraffic traffic(carrier, list);
 * Simulator::Run();
 * carrier.AddRanks();
 * carrier.CheckComplete();
 * FabricFlowResults(list, carrier.GetTimes()).AddTo(summary);
 * carrier.AddFigures(summary);
 * @endcode
 */
class LoggedFlowCarrier : public FlowCarrier
{
  public:
    void Start(uint32_t flow, uint32_t place) final;
    void Listen(Listener sent, Listener received) final;

    /// @return part of the flows that are over, 0 to 1
    double GetDone() const
    {
        return m_log.GetDone();
    }

    /// Gets what has come of flows on other ranks; all ranks have to call it, when the simulation
    /// is over, and then all of the following.
    void AddRanks()
    {
        m_log.AddRanks();
    }

    /**
     * To be called when nothing happens any more.
     *
     * @throws InvariantError if flows are left though nothing has failed, or both ends of a flow do
     * not agree
     */
    void CheckComplete() const;

    /// @return when somebody was told of something last, ps
    TimePs GetEnd() const
    {
        return m_log.GetEnd();
    }

    /// @return payload of flows, and hops; until a time, ps
    RunTotals GetTotals(TimePs end) const;

    /// Flows that start before a time are not in latency, GetTimes() and WriteMessages().
    void LeaveOutBefore(TimePs start)
    {
        m_from = start;
    }

    /// @return bytes of the flows that have arrived from a time on, whenever they have started
    uint64_t GetBytesSince(TimePs time) const;

    /// @return what came of the flows that have arrived, in this order
    std::vector<FlowTimes> GetTimes() const;

    /// Adds latency, the carrier's own figures, marked_frames where switches mark, fabric_dropped
    /// where they may drop, and how many operations ended with each outcome.
    void AddFigures(Summary& summary) const;

    /// One row per flow that has arrived: messages.csv. @param os where to write
    void WriteMessages(std::ostream& os) const;

  protected:
    /// How long a flow takes in the empty fabric.
    struct Ideal
    {
        TimePs time;       ///< ps.
        TimePs standalone; ///< By HPCC's formula, ps.
    };

    /// Says it for flows of a size between two hosts.
    using IdealOfBytes = std::function<Ideal(uint64_t bytes)>;

    /**
     * @param fabric whose hosts send; stays as long as they do
     * @param list what they send; stays as long as they do
     * @param outcomes how flows may end, by number; the first one is success
     */
    LoggedFlowCarrier(const FabricContainer& fabric,
                      const FlowList& list,
                      std::vector<std::string> outcomes);

    /// @return the fabric
    const FabricContainer& Fabric() const
    {
        return m_fabric;
    }

    /// @return the flows
    const FlowList& List() const
    {
        return m_list;
    }

    /// @return what has come of them
    const FlowLog& Log() const
    {
        return m_log;
    }

    /// All of a flow is with who receives it, who is told now. @param at since when, ps
    void Arrive(uint32_t flow, uint32_t place, TimePs at);
    /// Who sends a flow is told now how it has ended.
    void End(uint32_t flow, uint32_t place, std::size_t outcome);

    /// A flow ends with its start.
    void EndAtStart(std::size_t outcome)
    {
        m_log.EndAtStart(outcome);
    }

    /// Sends a flow now, as Start() says.
    virtual void Send(uint32_t flow, uint32_t place) = 0;
    /// @throws InvariantError if both ends of a flow do not agree
    virtual void CheckEnds() const = 0;
    /// @return payload of flows
    virtual RunTotals GetPayload() const = 0;
    /// Adds what only this carrier has. @param summary gets it
    virtual void AddOwnFigures(Summary& summary) const = 0;
    /// @return how long flows from a host to another take in the empty fabric
    virtual IdealOfBytes IdealBetween(const FabricIdealPaths& paths,
                                      uint32_t src,
                                      uint32_t dst) const = 0;

  private:
    /// Adds how many flows have ended with each outcome.
    void AddOutcomes(Summary& summary) const;

    const FabricContainer& m_fabric;           ///< The fabric.
    const FlowList& m_list;                    ///< The flows.
    const std::vector<std::string> m_outcomes; ///< What they are called.
    FlowLog m_log;                             ///< What has come of flows.
    TimePs m_from{0};                          ///< See LeaveOutBefore().
    Listener m_sent;                           ///< Is told; perhaps empty.
    Listener m_received;                       ///< Is told; perhaps empty.
};

} // namespace ns3::fabric

#endif // FABRIC_LOGGED_FLOW_CARRIER_H
