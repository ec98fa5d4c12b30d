/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_FLOWS_H
#define FABRIC_ORACLE_FLOWS_H

#include "fabric-oracle-port.h"
#include "fabric-oracle-router.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{
namespace fabric
{

/// How often a switch of FlowOracle met what does not happen by itself, so that a test can tell
/// whether its scenarios reach it.
struct OracleReach
{
    uint64_t waitsAtEdge{0};   ///< Frames of hosts that waited for a flow_id (FC-9).
    uint64_t waitsForId{0};    ///< Times that a flow waited for one of an outgoing link.
    uint64_t waitsForRoom{0};  ///< Looks of outputs that nothing could go for want of room.
    uint64_t meteringBegun{0}; ///< Times that a flow passed its target watermark (CM-5).
    uint64_t holds{0};         ///< Frames after which a flow was out of headroom.
    uint64_t fullAckFrames{0}; ///< ACK frames with no room for more.
    uint64_t drops{0};         ///< Frames that were damaged.

    /// @param other is added
    void Add(const OracleReach& other)
    {
        waitsAtEdge += other.waitsAtEdge;
        waitsForId += other.waitsForId;
        waitsForRoom += other.waitsForRoom;
        meteringBegun += other.meteringBegun;
        holds += other.holds;
        fullAckFrames += other.fullAckFrames;
        drops += other.drops;
    }
};

/**
 * The flow channels and queues of a switch of FlowOracle: how frames join them, and how channels
 * begin and end.
 *
 * What the requirements leave open is a rule here:
 * - A queue that begins to ask its output has its turn last. It asks from when it has a frame and
 * is not held back.
 * - Of flow channels that lack a flow_id on the outgoing link the next that is freed is given to
 * who has waited longest, who then begins to ask.
 * - The room of a frame counts as taken until it has left, also when watermarks are lowered on its
 *   leaving.
 */
class OracleFlows
{
  public:
    /**
     * @param number of the switch
     * @param config settings
     * @param routing which ports lead where
     * @param agenda of the fabric
     */
    OracleFlows(std::size_t number,
                const SwitchConfig& config,
                Routing routing,
                OracleAgenda& agenda)
        : ports(config.ports, OraclePort(config)),
          timers(config.ackTimers),
          m_number(number),
          m_config(config),
          m_agenda(agenda),
          m_router(std::move(routing), config.seed),
          m_meter(config.congestion)
    {
    }

    std::vector<OraclePort> ports;                 ///< By number.
    std::map<OracleQueueName, OracleQueue> queues; ///< Where frames wait.
    AckTimers timers;                              ///< Of ACKs.
    OracleReach reach;                             ///< What it has met.

    /// @param settings of hop credits that count from now on
    void Change(const CongestionSettings& settings)
    {
        m_meter = OracleMeter(settings);
    }

    /// A frame of a host gets a flow_id, if its class has flow channels, and joins its queue.
    /// @return whether there was an id
    bool Admit(uint32_t port, OracleFrame frame, TimePs now)
    {
        const FlowChannelSettings& settings = m_config.flowChannels;
        if (settings.enabled && (settings.noFlowClasses >> frame.trafficClass & 1) == 0)
        {
            OraclePort& input = ports[port];
            const std::pair<LocationId, uint8_t> key{frame.dst, frame.trafficClass};
            if (input.idOf.count(key) == 0)
            {
                const FlowId id = input.edgeIds.Take();
                if (id == NO_FLOW)
                {
                    return false;
                }
                input.idOf[key] = id;
            }
            frame.flow = input.idOf[key];
            frame.position = input.positions[frame.flow];
            input.positions[frame.flow] += frame.Units();
        }
        Join(port, frame, now);
        return true;
    }

    /// Frames of a host that wait for a flow_id are admitted, as far as there are any.
    void AdmitWaiting(uint32_t port, TimePs now)
    {
        std::deque<OracleFrame>& waiting = ports[port].waiting;
        while (!waiting.empty() && Admit(port, waiting.front(), now))
        {
            waiting.pop_front();
        }
    }

    /// A frame joins its queue.
    void Join(uint32_t port, const OracleFrame& frame, TimePs now)
    {
        OracleQueueName name{port, frame.flow, 0, 0};
        uint32_t output = 0;
        if (frame.flow == NO_FLOW)
        {
            // FC-14, FC-11: a class that needs no order may use a new path at every frame.
            const bool isOrdered =
                (m_config.flowChannels.unorderedClasses >> frame.trafficClass & 1) == 0;
            output = m_router.Choose(frame, isOrdered, ports);
            name = {port, NO_FLOW, output, m_config.buffer.vcOfClass[frame.trafficClass]};
        }
        else
        {
            // FC-11: it follows what is under way; if nothing is, it may take any path.
            const OracleQueue& flow = queues[name];
            output = flow.Total() != 0 ? flow.output : m_router.Choose(frame, false, ports);
        }
        OracleQueue& queue = queues[name];
        queue.output = output;
        queue.vc = m_config.buffer.vcOfClass[frame.trafficClass];
        queue.src = frame.src;
        queue.dst = frame.dst;
        queue.frames.push_back(frame);
        ports[output].waitingBytes += frame.Bytes();
        if (frame.flow != NO_FLOW && !ports[port].isEdge && m_meter.Joined(queue, Room(port)))
        {
            ++reach.meteringBegun;
            queue.owesCredit = true;
            Owe(name, now);
        }
        Ask(name, now);
    }

    /// Units of a flow channel wait no longer, and are sent (FC-6, CM-5).
    void CountOut(const OracleQueueName& name, uint32_t units, TimePs now)
    {
        OracleQueue& queue = queues.at(name);
        queue.unacked += units;
        queue.headroom -= queue.isMetered ? units : 0;
        reach.holds += queue.IsHeld() ? 1 : 0;
        if (m_meter.Left(queue, units, Room(name.input)))
        {
            queue.owesCredit = true;
            Owe(name, now);
        }
    }

    /// Units of a flow that were sent on have left the fabric or were lost.
    void Acknowledge(const OracleQueueName& name, uint32_t units, bool lost, TimePs now)
    {
        OracleQueue& queue = queues.at(name);
        queue.unacked -= units;
        const bool isOver = queue.Total() == 0;
        if (isOver && queue.outgoing != NO_FLOW)
        {
            FreeId(queue, now);
        }
        if (!ports[name.input].isEdge)
        {
            (lost ? queue.lost : queue.acked) += units;
            Owe(name, now);
        }
        else if (isOver)
        {
            queues.erase(name);
            ports[name.input].EndFlow(name.flow);
            AdmitWaiting(name.input, now);
        }
    }

    /// A queue asks its output if it has something to send, may, and does not already.
    void Ask(const OracleQueueName& name, TimePs now)
    {
        OracleQueue& queue = queues.at(name);
        if (!queue.frames.empty() && !queue.IsHeld() && queue.place == OracleQueue::NOWHERE)
        {
            queue.place = OracleQueue::ASKS;
            ports[queue.output].turns[queue.vc].Add(name);
            PlanLook(queue.output, std::max(now, ports[queue.output].wire.freeAt));
        }
    }

    /// A flow owes its upstream something.
    void Owe(const OracleQueueName& name, TimePs now)
    {
        OraclePort& port = ports[name.input];
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

    /// An output looks at a time, unless it does so before.
    void PlanLook(uint32_t port, TimePs time)
    {
        if (time < ports[port].look)
        {
            ports[port].look = time;
            m_agenda.push({time, OracleTask::LOOK, m_number, port});
        }
    }

  private:
    /// Nothing of a flow is under way: its flow_id on the outgoing link is free.
    void FreeId(OracleQueue& queue, TimePs now)
    {
        OraclePort& port = ports[queue.output];
        port.sources.erase(queue.outgoing);
        port.ids.Free(queue.outgoing);
        queue.ForgetPath();
        if (!port.lackingId.empty())
        {
            const OracleQueueName heir = port.lackingId.front();
            port.lackingId.pop_front();
            port.HasId(heir, queues.at(heir));
            queues.at(heir).place = OracleQueue::NOWHERE;
            Ask(heir, now);
        }
    }

    /// @return bytes left in an input buffer
    uint32_t Room(uint32_t port) const
    {
        return m_config.buffer.shares.totalBytes - ports[port].heldBytes;
    }

    std::size_t m_number;   ///< Of the switch.
    SwitchConfig m_config;  ///< Settings.
    OracleAgenda& m_agenda; ///< Of the fabric.
    OracleRouter m_router;  ///< Chooses outputs.
    OracleMeter m_meter;    ///< When hop credits are given.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_ORACLE_FLOWS_H
