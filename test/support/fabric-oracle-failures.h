/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_FAILURES_H
#define FABRIC_ORACLE_FAILURES_H

#include "fabric-oracle-flows.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * What happens in a switch of FlowOracle when links fail and are repaired (WL-8).
 *
 * What the requirements leave open is a rule here:
 * - Flows of a failed link are handled by their inputs' numbers and flow_ids; so are queues that
 *   have to leave their outputs, in each input those of flow channels first. Ways of flows come
 *   between flow channels and virtual output queues, by their numbers.
 * - A flow that takes several ways has none to leave itself. But if it is paced, and the output
 *   that looks for its time leads nowhere any more, it goes on at once, unless it is held
 * otherwise.
 * - A word that a receiver is ready that could not be sent before its link failed again comes all
 *   the same, and says nothing while the link is down.
 * - An output which a queue has to leave is left by all that ask it or lack an id there; those that
 *   may stay ask again in their order, after the others have found other ways.
 */
class OracleFailures
{
  public:
    /// @param flows of the switch; must stay
    OracleFailures(std::size_t number, OracleFlows& flows, OracleAgenda& agenda)
        : m_number(number),
          m_flows(flows),
          m_agenda(agenda)
    {
    }

    /// A link fails.
    void Fail(uint32_t number, TimePs now)
    {
        OraclePort& port = m_flows.ports[number];
        port.isDown = port.isCut = true;
        port.isRepaired = port.starves = false;
        port.failedAt = now;
        port.wire.freeAt = NEVER;
        m_agenda.push({now + Quiet(port), OracleTask::END_CUT, m_number, number});
        if (!port.isEdge)
        {
            OrphanFlows(number, now);
            AbandonFlows(number, now);
        }
        LeaveDeadEnds(now);
    }

    /// A link is repaired: it comes up when all that was sent before the failure would be in.
    void Repair(uint32_t number, TimePs now)
    {
        m_flows.ports[number].isRepaired = true;
        if (!m_flows.ports[number].isCut)
        {
            BringUp(number, now);
        }
    }

    /// All that was sent before a failure would be in, unless the link has failed again.
    void EndCut(uint32_t number, TimePs now)
    {
        OraclePort& port = m_flows.ports[number];
        if (now < port.failedAt + Quiet(port))
        {
            return;
        }
        port.isCut = false;
        if (port.isRepaired)
        {
            BringUp(number, now);
        }
    }

    /// Routing learns which ports lead nowhere, by destination.
    void SetWays(std::set<std::pair<LocationId, uint32_t>> deadEnds, TimePs now)
    {
        m_flows.Router().SetDeadEnds(std::move(deadEnds));
        LeaveDeadEnds(now);
    }

    /// The receiver of a repaired link is ready for new flows.
    void TakeGreeting(uint32_t number, TimePs now)
    {
        OraclePort& port = m_flows.ports[number];
        if (port.isDown || port.isGreeted)
        {
            return; // it was to be sent when the link failed again
        }
        port.isGreeted = true;
        for (const OracleQueueName& name : std::exchange(port.lackingId, {}))
        {
            m_flows.PathOf(name).place = OraclePath::NOWHERE;
            m_flows.Ask(name, now);
        }
    }

    /// @return whether a frame that comes in was cut off, since its tail was not in when its link
    /// failed
    static bool IsCutOff(const OraclePort& port, const OracleFrame& frame)
    {
        return port.isCut && frame.tailAt > port.failedAt;
    }

    /// Both ends wait for the slower direction.
    /// @return how long after a failure something that was sent before may come in, ps
    static TimePs Quiet(const OraclePort& port)
    {
        return std::max(port.wire.Quiet(), port.incoming->Quiet());
    }

  private:
    /// The flows that came in by a link can tell nobody what they owe.
    void OrphanFlows(uint32_t number, TimePs now)
    {
        m_flows.ports[number].isOrphaned = true;
        m_flows.ports[number].owing.clear();
        for (const OracleQueueName& name : NamesOf(number, true))
        {
            m_flows.Orphan(name, now);
        }
    }

    /// What flows had under way by a link is lost, and its flow_ids are free; none is given until
    /// the receiver has greeted.
    void AbandonFlows(uint32_t number, TimePs now)
    {
        OraclePort& port = m_flows.ports[number];
        for (uint32_t input = 0; input < m_flows.ports.size(); ++input)
        {
            for (const bool ways : {false, true})
            {
                for (const OracleQueueName& name : ways ? WaysAt(input) : NamesOf(input, true))
                {
                    AbandonPath(name, number, now);
                }
            }
        }
        port.CountIds(now);
        port.sources.clear();
        port.ids = OracleIds(port.edgeIds.Most());
        port.isGreeted = false;
    }

    /// What has gone by a path is lost, if it leads to a failed link.
    void AbandonPath(const OracleQueueName& name, uint32_t number, TimePs now)
    {
        OraclePath& path = m_flows.PathOf(name);
        if (path.outgoing == NO_FLOW || path.output != number)
        {
            return;
        }
        path.outgoing = NO_FLOW;
        m_flows.reach.wayUnits += name.isWay ? path.sent : 0;
        if (path.sent != 0)
        {
            m_flows.Acknowledge(name, path.sent, true, now);
        }
    }

    /// What waits for ports that lead nowhere goes by others, or is dropped.
    void LeaveDeadEnds(TimePs now)
    {
        std::vector<OracleQueueName> stranded;
        std::vector<OracleQueueName> withdrawn;
        for (uint32_t input = 0; input < m_flows.ports.size(); ++input)
        {
            for (const auto& names : {NamesOf(input, true), WaysAt(input), NamesOf(input, false)})
            {
                std::copy_if(names.begin(),
                             names.end(),
                             std::back_inserter(stranded),
                             [this](const OracleQueueName& name) { return IsStranded(name); });
            }
        }
        for (const OracleQueueName& name : stranded)
        {
            OraclePath& path = m_flows.PathOf(name);
            const bool isDown = m_flows.ports[OutputOf(name)].isDown;
            m_flows.reach.cutWays += name.isWay && isDown ? 1 : 0;
            m_flows.reach.strandedWays += name.isWay && !isDown ? 1 : 0;
            Withdraw(OutputOf(name), withdrawn);
            path.changesPath = name.flow != NO_FLOW;
        }
        for (const OracleQueueName& name : stranded)
        {
            m_flows.LeavePath(name, now);
        }
        for (const OracleQueueName& name : withdrawn)
        {
            if (m_flows.Has(name))
            {
                m_flows.Ask(name, now);
            }
        }
    }

    /// @return whether frames of a queue, or what is under way of its flow, go by a port that leads
    /// nowhere; not if it is known already
    bool IsStranded(const OracleQueueName& name)
    {
        const OracleQueue& queue = m_flows.queues.at(name.OfFlow());
        const auto leads = [this, output = OutputOf(name)](LocationId dst) {
            return m_flows.Router().LeadsTo(output, dst, m_flows.ports);
        };
        if (name.isWay)
        {
            return !m_flows.PathOf(name).frames.empty() && !leads(queue.dst);
        }
        if (m_flows.GoesByWays(name))
        {
            return queue.isPaced && !leads(queue.dst);
        }
        if (name.flow != NO_FLOW)
        {
            return queue.Total() != 0 && !queue.changesPath && !leads(queue.dst);
        }
        return std::any_of(queue.frames.begin(), queue.frames.end(), [&leads](const auto& frame) {
            return !leads(frame.dst);
        });
    }

    /// @return output of a queue or way, or that which looks for the time of a flow with ways
    uint32_t OutputOf(const OracleQueueName& name)
    {
        return m_flows.GoesByWays(name) ? m_flows.queues.at(name).pacedBy
                                        : m_flows.PathOf(name).output;
    }

    /// Nobody asks an output any more, or waits for an id there. @param names gets who did
    void Withdraw(uint32_t number, std::vector<OracleQueueName>& names)
    {
        OraclePort& port = m_flows.ports[number];
        const std::size_t first = names.size();
        for (OracleTurns& turns : port.turns)
        {
            const std::vector<OracleQueueName> asking = turns.TakeAll();
            names.insert(names.end(), asking.begin(), asking.end());
        }
        names.insert(names.end(), port.lackingId.begin(), port.lackingId.end());
        port.lackingId.clear();
        for (std::size_t i = first; i < names.size(); ++i)
        {
            m_flows.PathOf(names[i]).place = OraclePath::NOWHERE;
        }
    }

    /// A link may be used again, but for flow channels.
    void BringUp(uint32_t number, TimePs now)
    {
        m_flows.ports[number].isDown = false;
        m_flows.ports[number].wire.Restart(now);
        m_flows.ports[number].teller.TellAll();
        m_flows.PlanLook(number, now);
        m_flows.GreetWhenReady(number, now);
    }

    /// @return flow channels, or virtual output queues, of an input
    std::vector<OracleQueueName> NamesOf(uint32_t input, bool flows) const
    {
        std::vector<OracleQueueName> names;
        for (const auto& [name, queue] : m_flows.queues)
        {
            if (name.input == input && (name.flow != NO_FLOW) == flows)
            {
                names.push_back(name);
            }
        }
        return names;
    }

    /// @return ways of all flows of an input, by their numbers
    std::vector<OracleQueueName> WaysAt(uint32_t input) const
    {
        std::map<FlowId, OracleQueueName> names;
        for (const OracleQueueName& flow : NamesOf(input, true))
        {
            for (const OracleQueueName& name : m_flows.WaysOf(flow))
            {
                names[m_flows.PathOf(name).number] = name;
            }
        }
        std::vector<OracleQueueName> inOrder;
        for (const auto& [number, name] : names)
        {
            inOrder.push_back(name);
        }
        return inOrder;
    }

    std::size_t m_number;   ///< Of the switch.
    OracleFlows& m_flows;   ///< Of the switch.
    OracleAgenda& m_agenda; ///< Of the fabric.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_FAILURES_H
