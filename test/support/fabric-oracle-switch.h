/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_SWITCH_H
#define FABRIC_ORACLE_SWITCH_H

#include "fabric-oracle-failures.h"
#include "fabric-oracle-flows.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * A switch of FlowOracle: what comes in, and what its outputs send.
 *
 * What the requirements leave open is a rule here:
 * - An output looks what it can send when a queue begins to ask it, when a credit comes that it
 *   lacked, when its wire becomes free and somebody asks or ACKs wait, when the idle timer of its
 *   ACKs is over, when 48 ACKs wait, and when a paced flow may go on. Of several such times it
 * plans the earliest.
 * - Virtual channels of an output have turns; the turn passes on from the one that has sent. A
 *   channel is passed over if there is no room for the frame whose turn it is there; no smaller one
 *   goes instead.
 * - A flow channel gets its flow_id on the outgoing link when its turn comes, also if there is no
 *   room for its frame then. If there is no id it leaves its place and waits for one.
 * - Held back by hop credits, a queue leaves its place only when its turn comes; if it is free
 *   again before, it has kept its place.
 * - Ports tell what they owe flow by flow, who owed first, one ACK each; what is left of a flow, or
 *   is of another kind, goes in the next ACK frame, for which the timers start anew.
 * - What hosts are told of their flows goes before frames and ACKs, after credits. The switch looks
 *   when there is something to tell, and when it is time to repeat it.
 * - Credits go back when the tail of a frame has left the switch, in frames if the link has such:
 *   those that are due go before all else.
 */
class OracleSwitch
{
  public:
    /**
     * @param routing which ports lead where
     * @param watcher sees what is done
     */
    OracleSwitch(std::size_t number,
                 const SwitchConfig& config,
                 Routing routing,
                 OracleAgenda& agenda,
                 OracleWatcher watcher)
        : m_watcher(watcher),
          m_fgfc(config.congestion.fgfc),
          m_flows(number, config, std::move(routing), agenda, watcher),
          m_failures(number, m_flows, agenda)
    {
    }

    /// @return its ports, by number
    std::vector<OraclePort>& Ports()
    {
        return m_flows.ports;
    }

    /// @return all flow channels, and virtual output queues that were ever used
    const std::map<OracleQueueName, OracleQueue>& Queues() const
    {
        return m_flows.queues;
    }

    /// @return whether a flow channel has frames, if any, in queues of its ways only
    bool GoesByWays(const OracleQueueName& name) const
    {
        return m_flows.GoesByWays(name);
    }

    /// @return what it has met
    const OracleReach& Reach() const
    {
        return m_flows.reach;
    }

    /// New settings count. @param timers of ACKs; an output knows of them when it looks next
    void Change(const CongestionSettings& congestion, const AckTimers& timers)
    {
        m_flows.Change(congestion);
        m_flows.timers = timers;
    }

    /// @return what happens when links fail
    OracleFailures& Failures()
    {
        return m_failures;
    }

    /// The first frame on the link to a port takes effect.
    void TakeFrame(uint32_t port, TimePs now)
    {
        OraclePort& input = m_flows.ports[port];
        OracleFrame frame = input.incoming->Take();
        frame.arrivedAt = now;
        if (OracleFailures::IsCutOff(input, frame))
        {
            m_flows.Lose(OracleDeed::CUT_OFF, port, frame);
            m_flows.ReturnRoom(port, frame, now);
            return;
        }
        input.heldBytes += frame.Bytes();
        input.peakHeldBytes = std::max(input.peakHeldBytes, input.heldBytes);
        m_watcher({OracleDeed::ARRIVED, port, &frame});
        if (frame.corrupt)
        {
            Drop(OracleDeed::DAMAGED, port, frame, now);
        }
        else if (input.isEdge)
        {
            Enter(port, frame, now);
        }
        else if (!m_flows.Join(port, frame, now))
        {
            Drop(OracleDeed::NO_WAY, port, frame, now);
        }
    }

    /// The first ACK frame on the link to a port takes effect.
    void TakeAcks(uint32_t port, TimePs now)
    {
        const OracleWire::AckFrame acks = m_flows.ports[port].incoming->TakeAcks();
        if (m_flows.ports[port].isCut)
        {
            m_flows.reach.lostAcks += acks.size();
            return;
        }
        if (acks.empty())
        {
            m_failures.TakeGreeting(port, now);
        }
        m_flows.reach.pacesAtAck += m_flows.CountPacesDue(now);
        for (const OracleAck& ack : acks)
        {
            const OracleQueueName name = m_flows.ports[port].sources.at(ack.flow);
            TakeAck(name, ack, now);
        }
    }

    /// An output's neighbour has room again.
    void TakeCredit(uint32_t port, uint32_t vc, uint32_t bytes, TimePs now)
    {
        m_flows.ports[port].wire.used[vc] -= bytes;
        if (m_flows.ports[port].starves)
        {
            m_flows.PlanLook(port, now);
        }
    }

    /// An output looks what it can send.
    void Look(uint32_t number, TimePs now)
    {
        OraclePort& port = m_flows.ports[number];
        if (now != port.look)
        {
            return; // it was brought forward
        }
        port.look = NEVER;
        if (now < port.wire.freeAt)
        {
            m_flows.PlanLook(number, port.wire.freeAt);
            return;
        }
        m_flows.ReleasePaced(number, now);
        if (port.credits && SendCredits(number, now))
        {
            return;
        }
        if (SendOrder(number, now))
        {
            return;
        }
        port.starves = false;
        bool lacksRoom = false;
        const std::optional<OracleQueueName> next = Choose(port, lacksRoom, now);
        if (port.AreAcksDue(m_flows.timers, next.has_value(), now))
        {
            SendAcks(number, now);
        }
        else if (next)
        {
            SendFrame(number, *next, now);
        }
        else
        {
            port.starves = lacksRoom;
            m_flows.reach.waitsForRoom += lacksRoom ? 1 : 0;
            m_flows.PlanLook(number, port.owing.empty() ? NEVER : port.AcksDueAt(m_flows.timers));
            return;
        }
        if (port.IsAsked() || !port.owing.empty())
        {
            m_flows.PlanLook(number, port.wire.freeAt);
        }
    }

  private:
    /// A frame that has come in is dropped.
    void Drop(OracleDeed why, uint32_t port, const OracleFrame& frame, TimePs now)
    {
        m_flows.Lose(why, port, frame);
        m_flows.Leave(port, frame, now);
        m_flows.PassOver(port, frame, now);
    }

    /// A frame of a host joins its queue, or waits for a flow_id, first in, first out (FC-9).
    void Enter(uint32_t port, const OracleFrame& frame, TimePs now)
    {
        std::deque<OracleFrame>& waiting = m_flows.ports[port].waiting;
        if (m_flows.DropWithoutWay(port, frame, now))
        {
            return;
        }
        if (!waiting.empty() || !m_flows.Admit(port, frame, now))
        {
            ++m_flows.reach.waitsAtEdge;
            waiting.push_back(frame);
        }
    }

    /// An ACK takes effect. @param name of the queue whose frames it is about
    void TakeAck(const OracleQueueName& name, const OracleAck& ack, TimePs now)
    {
        switch (ack.type)
        {
        case AckType::HEADROOM:
            m_flows.PathOf(name).TakeCredit(ack.amount);
            m_flows.Ask(name, now);
            break;
        case AckType::NEW_ENDPOINT_CONGESTION:
            m_flows.TakeSeverity(name.OfFlow(), static_cast<Severity>(ack.amount), now);
            break;
        case AckType::NORMAL:
            m_flows.ClearSeverity(name.OfFlow());
            m_flows.Acknowledge(name, ack.amount, false, now);
            break;
        default:
            m_flows.Acknowledge(name, ack.amount, ack.type == AckType::LOST, now);
        }
    }

    /// @return the queue that may send its first frame now
    /// @param lacksRoom is set if one could not for want of room at the neighbour
    std::optional<OracleQueueName> Choose(OraclePort& port, bool& lacksRoom, TimePs now)
    {
        for (uint32_t i = 0; i < VIRTUAL_CHANNELS; ++i)
        {
            const uint32_t vc = (port.turn + i) % VIRTUAL_CHANNELS;
            const std::optional<OracleQueueName> name = ChooseIn(port, port.turns[vc], now);
            if (name && port.wire.HasRoom(vc, m_flows.PathOf(*name).frames.front().Bytes()))
            {
                return name;
            }
            lacksRoom = lacksRoom || name;
        }
        return std::nullopt;
    }

    /// @return the queue of a channel whose turn it is, of those that may send
    std::optional<OracleQueueName> ChooseIn(OraclePort& port, OracleTurns& turns, TimePs now)
    {
        while (!turns.IsEmpty())
        {
            const OracleQueueName name =
                turns.Next([this](const OracleQueueName& asking) -> const OracleFrame& {
                    return m_flows.PathOf(asking).frames.front();
                });
            OraclePath& path = m_flows.PathOf(name);
            const bool isHeld = m_flows.IsHeld(name);
            const bool needsId = name.flow != NO_FLOW && !port.isEdge; // hosts know no flow_ids
            if (!isHeld && (!needsId || port.HasId(name, path, now)))
            {
                return name;
            }
            turns.Remove(name);
            path.place = isHeld ? OraclePath::NOWHERE : OraclePath::LACKS_ID;
            if (path.place == OraclePath::LACKS_ID)
            {
                ++m_flows.reach.waitsForId;
                port.lackingId.push_back(name);
            }
        }
        return std::nullopt;
    }

    /// The first frame of a queue is sent.
    void SendFrame(uint32_t number, const OracleQueueName& name, TimePs now)
    {
        OraclePort& port = m_flows.ports[number];
        OracleQueue& queue = m_flows.queues.at(name.OfFlow());
        OraclePath& path = m_flows.PathOf(name);
        const OracleFrame arrived = path.frames.front();
        const std::optional<bool> damaged = port.wire.Try(arrived.Bytes(), false, now);
        if (!damaged)
        {
            return;
        }
        path.frames.pop_front();
        m_flows.Unwait(arrived, number, now);
        OracleFrame frame = arrived;
        frame.vc = path.vc;
        frame.flow = path.outgoing;
        const bool isFlow = name.flow != NO_FLOW;
        if (isFlow)
        {
            m_flows.CountOut(name, frame.Units(), now);
        }
        frame.severity = isFlow ? queue.severity : 0;
        frame.corrupt = *damaged;
        m_watcher({OracleDeed::SENT,
                   number,
                   &frame,
                   isFlow ? &queue : nullptr,
                   name.isWay ? &path : nullptr});
        m_flows.Leave(name.input, arrived, port.wire.Send(frame, now));

        const bool stillAsks = !path.frames.empty() && !m_flows.IsHeld(name);
        path.place = stillAsks ? OraclePath::ASKS : OraclePath::NOWHERE;
        port.turns[path.vc].Serve(name, stillAsks, frame);
        port.turn = path.vc + 1;
        if (isFlow && port.isEdge)
        {
            m_flows.Acknowledge(name,
                                frame.Units(),
                                false,
                                now); // FC-7: the egress port makes the ACK
        }
    }

    /// @return whether a credit frame was due, and the wire is taken
    bool SendCredits(uint32_t number, TimePs now)
    {
        OraclePort& port = m_flows.ports[number];
        if (port.credits->DueAt() > now)
        {
            m_flows.PlanLook(number, port.credits->DueAt());
            return false;
        }
        if (const auto lost = port.wire.Try(port.wire.CreditFrameBytes(), true, now))
        {
            const TimePs sent = port.wire.SendCredits(now);
            for (const OracleCredits::Room& room : port.credits->Send(*lost, now))
            {
                m_flows.GiveCredit(port, room.vc, room.bytes, sent);
            }
        }
        m_flows.PlanLook(number, port.wire.freeAt);
        return true;
    }

    /// @return whether the host was to be told of a flow, and the wire is taken
    bool SendOrder(uint32_t number, TimePs now)
    {
        OraclePort& port = m_flows.ports[number];
        if (port.teller.DueAt() > now)
        {
            m_flows.PlanLook(number, port.teller.DueAt());
            return false;
        }
        if (port.wire.Try(OracleOrder::BYTES, true, now))
        {
            m_flows.reach.repeatedOrders += port.teller.Repeats() ? 1 : 0;
            const auto [flow, channel] = port.teller.Take(now);
            OracleOrder order{};
            order.flow = flow;
            order.turn = port.teller.TurnOf(flow);
            if (channel != NO_FLOW)
            {
                order.lasts = port.teller.PauseOf(flow);
                order.credit = m_flows.queues.at({number, channel, 0, 0}).TakeOwnCredit();
            }
            port.wire.Send(order, m_fgfc.responseTime, now);
            ++m_flows.reach.orders;
            m_flows.reach.creditOrders += order.credit != 0 ? 1 : 0;
            m_flows.reach.freeOrders += order.lasts == 0 ? 1 : 0;
            m_watcher({OracleDeed::ORDERED, number, nullptr, nullptr, nullptr, nullptr, &order});
        }
        m_flows.PlanLook(number, port.wire.freeAt);
        return true;
    }

    /// An ACK is sent.
    void Note(uint32_t port, const OracleAck& ack)
    {
        m_flows.reach.told += ack.type == AckType::NEW_ENDPOINT_CONGESTION ? 1 : 0;
        m_flows.reach.persistent += ack.type == AckType::PERSISTENT_ENDPOINT_CONGESTION ? 1 : 0;
        m_watcher({OracleDeed::TOLD, port, nullptr, nullptr, nullptr, &ack});
    }

    /// ACKs are sent.
    void SendAcks(uint32_t number, TimePs now)
    {
        OraclePort& port = m_flows.ports[number];
        OracleWire::AckFrame acks;
        const std::size_t count = std::min(port.owing.size(), OraclePort::MOST_ACKS);
        if (!port.wire.Try(OracleWire::AckFrameBytes(count), true, now))
        {
            return;
        }
        for (auto left = count; left != 0; --left)
        {
            const FlowId flow = port.owing.front();
            port.owing.pop_front();
            const auto queue = m_flows.queues.find({number, flow, 0, 0});
            acks.push_back(queue->second.TakeAck(flow));
            Note(number, acks.back());
            if (queue->second.Owes())
            {
                port.owing.push_back(flow);
            }
            else if (queue->second.Total() == 0)
            {
                m_flows.queues.erase(queue); // FC-8: its last ACK ends a channel
            }
        }
        m_flows.reach.fullAckFrames += acks.size() == OraclePort::MOST_ACKS ? 1 : 0;
        port.owingSince = now;
        port.wire.Send(acks, now);
    }

    OracleWatcher m_watcher;   ///< Sees what is done.
    FgfcSettings m_fgfc;       ///< Of restraints of hosts' flows.
    OracleFlows m_flows;       ///< Flow channels and queues, with the ports.
    OracleFailures m_failures; ///< Links that fail.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_SWITCH_H
