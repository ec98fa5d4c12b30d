/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_ORACLE_H
#define FABRIC_FLOW_ORACLE_H

#include "fabric-oracle-host.h"
#include "fabric-oracle-switch.h"
#include "fabric-oracle-ways.h"
#include "fabric-topology.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * Flow channels once more: switches and hosts of a topology that make an event of every frame, ACK
 * frame, credit and look, in one row by time. Slow, and written from the requirements; it shares no
 * mechanism with the switches that run ahead.
 *
 * It has no virtual lanes, pauses, marks or rules of routing.
 */
class FlowOracle
{
  public:
    /// Something that a switch did: `void (time, switch, what)`.
    using Watcher = std::function<void(TimePs, std::size_t, const OracleSight&)>;

    /// A message that was delivered: when, source, destination, number at the source, bytes, class.
    using Delivery = std::tuple<TimePs, LocationId, LocationId, uint32_t, uint64_t, uint8_t>;

    /// Rate and delay of a link; `link` counts the plan's links, then its hosts.
    using LinkOf = std::function<std::pair<LinkRate, TimePs>(std::size_t link)>;

    /**
     * @param plan switches, links, hosts
     * @param routes which ports lead where, by switch
     * @param config of all switches; ports and seed are set for each
     * @param linkOf gives rate and delay
     * @param watcher sees what switches do
     */
    FlowOracle(const TopologyPlan& plan,
               const std::vector<Routing>& routes,
               SwitchConfig config,
               const NicConfig& hostConfig,
               const LinkOf& linkOf,
               Watcher watcher)
        : m_config(config),
          m_plan(plan),
          m_ways(plan, routes)
    {
        for (std::size_t i = 0; i < plan.switches.size(); ++i)
        {
            config.ports = plan.switches[i].ports;
            config.seed = static_cast<uint32_t>(i + 1);
            const auto watch = [this, i, watcher](const OracleSight& sight) {
                watcher(m_now, i, sight);
            };
            m_switches.push_back(
                std::make_unique<OracleSwitch>(i, config, routes[i], m_agenda, watch));
        }
        for (std::size_t i = 0; i < plan.links.size(); ++i)
        {
            const LinkPlan& link = plan.links[i];
            const auto [rate, delay] = linkOf(i);
            Connect(Switch(link.switchA).Ports()[link.portA].wire, rate, delay, link.switchB);
            Connect(Switch(link.switchB).Ports()[link.portB].wire, rate, delay, link.switchA);
            ConnectSwitch(link.switchA, link.portA, link.switchB, link.portB);
            ConnectSwitch(link.switchB, link.portB, link.switchA, link.portA);
        }
        for (std::size_t i = 0; i < plan.hosts.size(); ++i)
        {
            const HostPlan& host = plan.hosts[i];
            const auto [rate, delay] = linkOf(plan.links.size() + i);
            m_hosts.push_back(std::make_unique<OracleHost>(i, LocationOf(i), hostConfig, m_agenda));
            OraclePort& port = Switch(host.edgeSwitch).Ports()[host.port];
            OracleWire& uplink = m_hosts[i]->uplink;
            Connect(uplink, rate, delay, host.edgeSwitch);
            uplink.peerPort = host.port;
            Connect(port.wire, rate, delay, i);
            port.wire.toHost = true;
            port.isEdge = true;
            port.incoming = &uplink;
            port.creditTask = OracleTask::HOST_CREDIT;
            port.sender = i;
            m_portOfHost.push_back(&port);
        }
        m_sentBy.resize(plan.hosts.size(), 0);
        for (const auto& own : m_switches)
        {
            StoreSlowInputs(own->Ports());
        }
    }

    // What will happen points into it.
    FlowOracle(const FlowOracle&) = delete;
    FlowOracle& operator=(const FlowOracle&) = delete;

    /**
     * @param src host, from 0
     * @param dst host, from 0
     * @param bytes size of a message
     * @param trafficClass FTAG
     * @param at time of sending, ps
     */
    void Send(std::size_t src, std::size_t dst, uint64_t bytes, uint8_t trafficClass, TimePs at)
    {
        m_agenda.push({at, OracleTask::SEND, src, m_messages.size()});
        m_messages.push_back({LocationOf(src), LocationOf(dst), bytes, trafficClass, bytes});
    }

    /// @param at from when on settings count, ps
    void ChangeAt(std::size_t number,
                  TimePs at,
                  const CongestionSettings& congestion,
                  const AckTimers& timers)
    {
        m_agenda.push({at, OracleTask::CHANGE, number, m_changes.size()});
        m_changes.push_back({congestion, timers});
    }

    /**
     * A link fails (WL-8).
     *
     * @param from when, after the end of any earlier outage of the link, ps
     * @param until when it is repaired, NEVER for not at all, ps
     * @param delay until routing knows, ps
     */
    void FailLink(std::size_t link, TimePs from, TimePs until, TimePs delay)
    {
        std::vector<std::pair<std::size_t, uint32_t>> ends;
        if (link < m_plan.links.size())
        {
            const LinkPlan& l = m_plan.links[link];
            ends = {{l.switchA, l.portA}, {l.switchB, l.portB}};
        }
        else
        {
            const std::size_t number = link - m_plan.links.size();
            const HostPlan& host = m_plan.hosts[number];
            ends = {{host.edgeSwitch, host.port}};
            const TimePs quiet = OracleFailures::Quiet(*m_portOfHost[number]);
            Host(number).FailLinkAt(from, std::max(until, from + quiet));
        }
        PlanChange(from, OracleTask::FAIL, ends, link, delay);
        if (until != NEVER)
        {
            PlanChange(until, OracleTask::REPAIR, ends, link, delay);
        }
    }

    /// @param loss damages frames that are sent there
    void SetLoss(OracleWire& wire, std::unique_ptr<LossModel> loss, const RetrySettings& retry)
    {
        wire.loss = loss.get();
        wire.retry = retry;
        m_losses.push_back(std::move(loss));
    }

    /// @param horizon all before it happens, nothing at or after it, ps
    void RunUntil(TimePs horizon)
    {
        while (!m_agenda.empty() && m_agenda.top().time < horizon)
        {
            const OracleEvent event = m_agenda.top();
            m_agenda.pop();
            m_now = event.time;
            Handle(event);
        }
    }

    OracleSwitch& Switch(std::size_t number)
    {
        return *m_switches[number];
    }

    /// @return number of switches
    std::size_t Switches() const
    {
        return m_switches.size();
    }

    OracleHost& Host(std::size_t number)
    {
        return *m_hosts[number];
    }

    /// @return the host at a port of a switch
    const OracleHost& HostAt(std::size_t number, uint32_t port)
    {
        return Host(Switch(number).Ports()[port].wire.peer);
    }

    /// @return messages that were delivered, by time, source and so on
    std::vector<Delivery> Deliveries() const
    {
        std::vector<Delivery> deliveries;
        for (const Message& m : m_messages)
        {
            if (m.arrivedAt != NEVER)
            {
                deliveries
                    .emplace_back(m.arrivedAt, m.src, m.dst, m.sequence, m.bytes, m.trafficClass);
            }
        }
        std::sort(deliveries.begin(), deliveries.end());
        return deliveries;
    }

    /// @return which link is at which port
    const OracleWays& Ways() const
    {
        return m_ways;
    }

    /// @return what the switches have met
    OracleReach Reach() const
    {
        OracleReach reach;
        for (const auto& own : m_switches)
        {
            reach.Add(own->Reach());
            for (const OraclePort& port : own->Ports())
            {
                AddWire(port.wire, reach);
            }
        }
        for (const auto& host : m_hosts)
        {
            AddWire(host->uplink, reach);
            reach.expiredOrders += host->Expired();
        }
        return reach;
    }

  private:
    /// A message.
    struct Message
    {
        LocationId src;          ///< Source.
        LocationId dst;          ///< Destination.
        uint64_t bytes;          ///< Size.
        uint8_t trafficClass;    ///< FTAG.
        uint64_t missing;        ///< Bytes that have not arrived.
        uint32_t sequence{0};    ///< Number at its source.
        TimePs arrivedAt{NEVER}; ///< When its last byte was there, ps.
    };

    /// New settings of a switch.
    struct Change
    {
        CongestionSettings congestion; ///< Of hop credits.
        AckTimers timers;              ///< Of ACKs.
    };

    /// Adds what a link has repeated, and sent of credits.
    static void AddWire(const OracleWire& wire, OracleReach& reach)
    {
        OracleReach own;
        own.retry = wire.retried;
        own.replayWaits = wire.replayWaits;
        own.creditFrames = wire.sentCredits;
        reach.Add(own);
    }

    /// A link fails or is repaired, and all switches learn of it later.
    void PlanChange(TimePs at,
                    OracleTask task,
                    const std::vector<std::pair<std::size_t, uint32_t>>& ends,
                    std::size_t link,
                    TimePs delay)
    {
        for (const auto& [number, port] : ends)
        {
            m_agenda.push({at, task, number, port});
        }
        for (std::size_t i = 0; i < m_switches.size(); ++i)
        {
            m_agenda.push({at + delay, OracleTask::WAYS, i, 0});
        }
        m_ways.Learn(at + delay, link, task == OracleTask::FAIL);
    }

    /// One direction of a link between two wires' owners.
    void Connect(OracleWire& wire, const LinkRate& rate, TimePs delay, std::size_t peer)
    {
        wire.bitsPerSecond = rate.BitsPerSecond();
        wire.delay = delay;
        wire.latency = m_config.timing.latency;
        wire.controlLatency = m_config.timing.controlLatency;
        wire.storeAndForward = m_config.timing.forwarding == STORE_AND_FORWARD;
        wire.peer = peer;
        wire.shares = m_config.buffer.shares;
        wire.agenda = &m_agenda;
    }

    /// The link of a port to a switch.
    void ConnectSwitch(std::size_t number, uint32_t port, std::size_t peer, uint32_t peerPort)
    {
        OraclePort& own = Switch(number).Ports()[port];
        own.wire.peerPort = peerPort;
        own.incoming = &Switch(peer).Ports()[peerPort].wire;
        own.creditTask = OracleTask::CREDIT;
        own.sender = peer;
        own.senderPort = peerPort;
    }

    /// Inputs that are slower than the fastest output of their switch store and forward: an output
    /// would run dry in the middle of a frame (WL-4).
    static void StoreSlowInputs(std::vector<OraclePort>& ports)
    {
        uint64_t fastest = 0;
        for (const OraclePort& port : ports)
        {
            fastest = std::max(fastest, port.wire.bitsPerSecond);
        }
        for (OraclePort& port : ports)
        {
            if (port.incoming != nullptr && port.incoming->bitsPerSecond < fastest)
            {
                port.incoming->storeAndForward = true;
            }
        }
    }

    /// Something happens.
    void Handle(const OracleEvent& event)
    {
        const auto port = static_cast<uint32_t>(event.number);
        switch (event.task)
        {
        case OracleTask::CHANGE:
            Switch(event.at).Change(m_changes[event.number].congestion,
                                    m_changes[event.number].timers);
            break;
        case OracleTask::END_CUT:
            Switch(event.at).Failures().EndCut(port, m_now);
            break;
        case OracleTask::REPAIR:
            Switch(event.at).Failures().Repair(port, m_now);
            break;
        case OracleTask::FAIL:
            Switch(event.at).Failures().Fail(port, m_now);
            break;
        case OracleTask::WAYS:
            Switch(event.at).Failures().SetWays(m_ways.Of(event.at, m_now), m_now);
            break;
        case OracleTask::SEND: {
            Message& message = m_messages[event.number];
            message.sequence = m_sentBy[event.at]++;
            Host(event.at).Send(message.dst,
                                message.trafficClass,
                                message.bytes,
                                event.number,
                                m_now);
            break;
        }
        case OracleTask::HOST_CREDIT:
            Host(event.at).TakeCredit(event.vc, event.bytes, m_now);
            break;
        case OracleTask::CREDIT:
            Switch(event.at).TakeCredit(port, event.vc, event.bytes, m_now);
            break;
        case OracleTask::ACKS:
            Switch(event.at).TakeAcks(port, m_now);
            break;
        case OracleTask::FRAME:
            Switch(event.at).TakeFrame(port, m_now);
            break;
        case OracleTask::DELIVERY:
            Deliver(event.at);
            break;
        case OracleTask::ORDER: {
            std::deque<OracleOrder>& orders = m_portOfHost[event.at]->wire.orders;
            Host(event.at).TakeOrder(orders.front());
            orders.pop_front();
            break;
        }
        case OracleTask::LOOK:
            Switch(event.at).Look(port, m_now);
            break;
        case OracleTask::HOST_LOOK:
            Host(event.at).Look(m_now);
            break;
        }
    }

    /// The tail of a frame is in at a host.
    void Deliver(std::size_t host)
    {
        const OracleFrame frame = m_portOfHost[host]->wire.Take();
        if (!Host(host).Take(frame))
        {
            return; // so its message is never complete
        }
        Message& message = m_messages[frame.message];
        message.missing -= frame.payload;
        if (message.missing == 0)
        {
            message.arrivedAt = m_now;
        }
    }

    SwitchConfig m_config;                                 ///< Of all switches.
    TopologyPlan m_plan;                                   ///< Switches, links, hosts.
    OracleWays m_ways;                                     ///< What routing knows of links.
    TimePs m_now{0};                                       ///< Time, ps.
    OracleAgenda m_agenda;                                 ///< What will happen.
    std::vector<std::unique_ptr<OracleSwitch>> m_switches; ///< By number.
    std::vector<std::unique_ptr<OracleHost>> m_hosts;      ///< By number.
    std::vector<OraclePort*> m_portOfHost;                 ///< The switch's end of its link.
    std::vector<Message> m_messages;                       ///< By number.
    std::vector<uint32_t> m_sentBy;                        ///< Messages of each host so far.
    std::vector<Change> m_changes;                         ///< By number.
    std::vector<std::unique_ptr<LossModel>> m_losses;      ///< Of wires.
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_ORACLE_H
