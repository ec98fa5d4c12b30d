/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_TABLE_H
#define FABRIC_ORACLE_TABLE_H

#include "fabric-oracle-port.h"
#include "fabric-oracle-reach.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

namespace ns3::fabric
{

/**
 * The ports and queues of a switch of FlowOracle: which queues ask their outputs, what flow
 * channels owe upstream, and when outputs look what they can send.
 */
class OracleTable
{
  public:
    OracleTable(std::size_t number, const SwitchConfig& config, OracleAgenda& agenda)
        : ports(config.ports, OraclePort(config)),
          timers(config.ackTimers),
          m_number(number),
          m_config(config),
          m_agenda(agenda)
    {
    }

    std::vector<OraclePort> ports;                 ///< By number.
    std::map<OracleQueueName, OracleQueue> queues; ///< Where frames wait.
    AckTimers timers;                              ///< Of ACKs.
    OracleReach reach;                             ///< What it has met.

    /// @return whether flows of a class take several ways at a time: if they have channels, and
    /// their frames may overtake each other (FC-11)
    bool TakesWays(uint8_t trafficClass) const
    {
        const FlowChannelSettings& settings = m_config.flowChannels;
        return settings.enabled && (settings.noFlowClasses >> trafficClass & 1) == 0 &&
               (settings.unorderedClasses >> trafficClass & 1) != 0;
    }

    /// @return whether there is such a queue or way
    bool Has(const OracleQueueName& name) const
    {
        const auto found = queues.find(name.OfFlow());
        return found != queues.end() &&
               (!name.isWay || found->second.ways.count({name.output, name.vc}) != 0);
    }

    /// @return the frames and path of a queue, or of a flow's way
    OraclePath& PathOf(const OracleQueueName& name)
    {
        OracleQueue& queue = queues.at(name.OfFlow());
        return name.isWay ? queue.ways.at({name.output, name.vc}) : queue;
    }

    /// @return whether a queue or way may not send
    bool IsHeld(const OracleQueueName& name)
    {
        return queues.at(name.OfFlow()).IsHeld(PathOf(name));
    }

    /// @return names of a flow's ways
    std::vector<OracleQueueName> WaysOf(const OracleQueueName& name) const
    {
        std::vector<OracleQueueName> names;
        for (const auto& [hop, way] : queues.at(name).ways)
        {
            names.push_back({name.input, name.flow, hop.first, hop.second, true});
        }
        return names;
    }

    /// A queue asks its output if it has something to send, may, and does not already. What lets a
    /// flow go on lets all its ways.
    void Ask(const OracleQueueName& name, TimePs now)
    {
        AskPaths(name, now);
        LookAtTurn(name.OfFlow(), now);
    }

    /// A flow owes its upstream something.
    void Owe(const OracleQueueName& name, TimePs now)
    {
        OraclePort& port = ports[name.input];
        if (port.isOrphaned)
        {
            Orphan(name, now);
            return;
        }
        if (std::find(port.owing.begin(), port.owing.end(), name.flow) != port.owing.end())
        {
            return;
        }
        port.owingSince = port.owing.empty() ? now : port.owingSince;
        port.owing.push_back(name.flow);
        const bool isFull = port.owing.size() >= OraclePort::MOST_ACKS;
        const TimePs due = isFull ? now : port.AcksDueAt(timers);
        PlanLook(name.input, std::max({now, due, port.wire.freeAt}));
    }

    /// The link of an input has failed: what its flows owe can't be told, and they meter nobody. A
    /// flow of which nothing is left is over.
    void Orphan(const OracleQueueName& name, TimePs now)
    {
        OracleQueue& queue = queues.at(name);
        queue.acked = queue.lost = queue.credit = 0;
        queue.owesCredit = queue.owesSeverity = queue.metersUpstream = false;
        if (queue.Total() == 0)
        {
            queues.erase(name);
            GreetWhenReady(name.input, now);
        }
    }

    /// The receiver of a repaired link says that it is ready for new flows, by an ACK frame without
    /// ACKs, when the flows of before the failure are over: the flow_ids may be the same.
    void GreetWhenReady(uint32_t number, TimePs now)
    {
        OraclePort& port = ports[number];
        const bool hasFlows = std::any_of(queues.begin(), queues.end(), [number](const auto& q) {
            return q.first.input == number && q.first.flow != NO_FLOW;
        });
        if (port.isOrphaned && port.isRepaired && !port.isCut && !hasFlows)
        {
            ++reach.greetings;
            port.isOrphaned = false;
            port.wire.Send(OracleWire::AckFrame{}, std::max(now, port.wire.freeAt));
        }
    }

    /// An output looks at a time, unless it does so before.
    void PlanLook(uint32_t port, TimePs time)
    {
        if (time < ports[port].look)
        {
            ports[port].look = time;
            m_agenda.push({time, OracleTask::LOOK, m_number, port});
        }
    }

  protected:
    /// Whether a flow asks for a turn, or gives it back, may have changed (CM-8).
    virtual void LookAtTurn(const OracleQueueName& name, TimePs now) = 0;

    /// As Ask(), without a look at turns.
    void AskPaths(const OracleQueueName& name, TimePs now)
    {
        AskByPath(name, now);
        if (name.isWay || name.flow == NO_FLOW)
        {
            return;
        }
        for (const OracleQueueName& way : WaysOf(name))
        {
            AskByPath(way, now);
        }
    }

    /// As AskPaths(), of one queue or way.
    void AskByPath(const OracleQueueName& name, TimePs now)
    {
        OraclePath& path = PathOf(name);
        if (!path.frames.empty() && !IsHeld(name) && path.place == OraclePath::NOWHERE)
        {
            path.place = OraclePath::ASKS;
            ports[path.output].turns[path.vc].Add(name);
            PlanLook(path.output, std::max(now, ports[path.output].wire.freeAt));
        }
    }

    std::size_t m_number;   ///< Of the switch.
    SwitchConfig m_config;  ///< Settings.
    OracleAgenda& m_agenda; ///< Of the fabric.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_TABLE_H
