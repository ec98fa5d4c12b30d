/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_FLOWS_H
#define FABRIC_ORACLE_FLOWS_H

#include "fabric-oracle-router.h"
#include "fabric-oracle-table.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * The flow channels of a switch of FlowOracle: how frames join and leave them, how channels begin
 * and end, and what they do about congestion of their endpoints.
 *
 * What the requirements leave open is a rule here:
 * - A queue asks its output from when it has a frame and is not held back. Its turn comes last
 *   then.
 * - A flow_id of the outgoing link that is freed is given at once to the flow channel that has
 *   waited longest for one, which then begins to ask.
 * - The room of a frame counts as taken until it has left, also when watermarks are lowered on its
 *   leaving.
 * - A frame that comes to wait for a congested host tells its flow channel the severity (CM-2),
 *   however it goes on: also if the channel has learnt of the same before. A switch tells it
 *   upstream, if that is a switch.
 * - A flow channel whose frame leaves for a host that is not congested forgets the severity, before
 *   its limit is looked at; so does one that hears a normal ACK, before that lowers its
 *   flow_extent.
 * - Whether a flow channel is over its limit (CM-6) is found out when a frame of it leaves, when
 *   ACKs lower its flow_extent, and when a severity comes from downstream. One that has no severity
 *   has no limit.
 */
class OracleFlows : public OracleTable
{
  public:
    /**
     * @param routing which ports lead where
     * @param watcher sees what is done with frames
     */
    OracleFlows(std::size_t number,
                const SwitchConfig& config,
                Routing routing,
                OracleAgenda& agenda,
                OracleWatcher watcher)
        : OracleTable(number, config, agenda),
          m_watcher(std::move(watcher)),
          m_router(std::move(routing), config.seed),
          m_severities(config.congestion),
          m_meter(config.congestion, m_severities)
    {
    }

    // What is done about congestion refers to it.
    OracleFlows(const OracleFlows&) = delete;
    OracleFlows& operator=(const OracleFlows&) = delete;

    /// @param settings of hop credits that count from now on
    void Change(const CongestionSettings& settings)
    {
        m_meter.Change(settings);
    }

    /// @return which ports lead where
    OracleRouter& Router()
    {
        return m_router;
    }

    /// A frame does not go on.
    void Lose(OracleDeed why, uint32_t port, const OracleFrame& frame)
    {
        ++reach.lostFrames;
        reach.lostBytes[why] += frame.payload;
        m_watcher({why, port, &frame});
    }

    /// A frame leaves an input buffer. @param end when its tail does, ps
    void Leave(uint32_t port, const OracleFrame& frame, TimePs end)
    {
        ports[port].heldBytes -= frame.Bytes();
        ReturnRoom(port, frame, end);
    }

    /// The sender of a frame learns that there is room again.
    void ReturnRoom(uint32_t port, const OracleFrame& frame, TimePs end)
    {
        OraclePort& input = ports[port];
        if (!input.credits)
        {
            GiveCredit(input, frame.vc, frame.Bytes(), end);
            return;
        }
        input.credits->Leave({end, frame.vc, frame.Bytes()});
        if (const TimePs due = input.credits->DueAt(); due >= end)
        {
            PlanLook(port, std::max(due, input.wire.freeAt));
        }
    }

    /// The sender at an input has room again. @param sent when it was told, ps
    void GiveCredit(const OraclePort& input, uint32_t vc, uint32_t bytes, TimePs sent)
    {
        m_agenda.push({sent + input.wire.delay + m_config.timing.controlLatency,
                       input.creditTask,
                       input.sender,
                       input.senderPort,
                       vc,
                       bytes});
    }

    /// A frame that came in from a switch is neither kept nor sent on: upstream, which counts it as
    /// under way, learns of it.
    void PassOver(uint32_t port, const OracleFrame& frame, TimePs now)
    {
        if (frame.flow == NO_FLOW)
        {
            return;
        }
        const OracleQueueName name{port, frame.flow, 0, 0};
        OracleQueue& queue = queues[name];
        queue.src = frame.src;
        queue.dst = frame.dst;
        queue.lost += frame.Units();
        Owe(name, now);
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

    /// A frame of a host for which there is no way is dropped.
    /// @return whether it was
    bool DropWithoutWay(uint32_t port, const OracleFrame& frame, TimePs now)
    {
        const bool isLost = m_router.WaysTo(frame.dst, ports).empty();
        if (isLost)
        {
            Lose(OracleDeed::NO_WAY, port, frame);
            Leave(port, frame, now);
        }
        return isLost;
    }

    /// A frame joins its queue.
    /// @return whether there was a way
    bool Join(uint32_t port, const OracleFrame& frame, TimePs now)
    {
        OracleQueueName name{port, frame.flow, 0, 0};
        std::optional<uint32_t> output;
        if (frame.flow == NO_FLOW)
        {
            // FC-14, FC-11: a class that needs no order may use a new path at every frame.
            const bool isOrdered =
                (m_config.flowChannels.unorderedClasses >> frame.trafficClass & 1) == 0;
            output = m_router.Choose(frame, isOrdered, ports);
        }
        else if (const OracleQueue& flow = queues[name]; flow.Total() != 0)
        {
            output = flow.output; // FC-11: it follows what is under way
        }
        else
        {
            output = m_router.Choose(frame, false, ports);
        }
        if (!output)
        {
            return false;
        }
        if (frame.flow == NO_FLOW)
        {
            name = {port, NO_FLOW, *output, m_config.buffer.vcOfClass[frame.trafficClass]};
        }
        OracleQueue& queue = queues[name];
        queue.output = *output;
        queue.vc = m_config.buffer.vcOfClass[frame.trafficClass];
        queue.src = frame.src;
        queue.dst = frame.dst;
        queue.frames.push_back(frame);
        ports[*output].waitingBytes += frame.Bytes();
        if (frame.flow != NO_FLOW && !ports[port].isEdge && m_meter.Joined(queue, Room(port)))
        {
            ++reach.meteringBegun;
            queue.owesCredit = true;
            Owe(name, now);
        }
        Ask(name, now);
        const Severity severity = LookAtEndpoint(*output, now);
        if (frame.flow != NO_FLOW)
        {
            if (severity != 0)
            {
                Tell(name, severity, now);
            }
            m_watcher({OracleDeed::JOINED, port, &frame, &queue});
        }
        return true;
    }

    /// A frame waits no longer for an output, which may be the link to a host.
    void Unwait(const OracleFrame& frame, uint32_t output, TimePs now)
    {
        ports[output].waitingBytes -= frame.Bytes();
        LookAtEndpoint(output, now);
    }

    /// Units of a flow channel wait no longer, and are sent (FC-6, CM-5).
    void CountOut(const OracleQueueName& name, uint32_t units, TimePs now)
    {
        OracleQueue& queue = queues.at(name);
        queue.unacked += units;
        queue.headroom -= queue.isMetered ? units : 0;
        reach.holds += queue.LacksHeadroom() ? 1 : 0;
        if (m_meter.Left(queue, units, Room(name.input)))
        {
            queue.owesCredit = true;
            Owe(name, now);
        }
        if (HasEndpoint(queue.output) && m_endpoints.at(queue.output).Present() == 0)
        {
            queue.severity = 0;
        }
        queue.isOverLimit = IsOverLimit(queue);
        reach.overLimit += queue.isOverLimit ? 1 : 0;
    }

    /// A severity has come from downstream (CM-3).
    void TakeSeverity(const OracleQueueName& name, Severity severity, TimePs now)
    {
        Tell(name, severity, now);
        Reconsider(name, now);
    }

    /// A normal ACK has come from downstream, which clears what others have told.
    void ClearSeverity(const OracleQueueName& name)
    {
        reach.cleared += queues.at(name).severity != 0 ? 1 : 0;
        queues.at(name).severity = 0;
    }

    /// Units of a flow that were sent on have left the fabric or were lost. A flow whose path leads
    /// nowhere may take another when nothing is under way.
    void Acknowledge(const OracleQueueName& name, uint32_t units, bool lost, TimePs now)
    {
        OracleQueue& queue = queues.at(name);
        queue.unacked -= units;
        const bool leaves = queue.changesPath && queue.unacked == 0 && !queue.frames.empty();
        Reconsider(name, now);
        Settle(name, units, lost, now);
        if (leaves)
        {
            LeavePath(name, now);
        }
    }

    /// The frames of a queue, which does not ask its output, go by another, or are dropped if there
    /// is none (WL-8). A flow that has frames under way waits until it has not (FC-11).
    void LeavePath(const OracleQueueName& name, TimePs now)
    {
        const auto found = queues.find(name);
        if (found == queues.end())
        {
            return;
        }
        if (name.flow == NO_FLOW)
        {
            JoinAgain(name, now);
            return;
        }
        OracleQueue& queue = found->second;
        if (queue.unacked != 0)
        {
            ++reach.pathsLeft;
            queue.changesPath = true;
            return;
        }
        if (queue.outgoing != NO_FLOW)
        {
            FreeId(queue, now);
        }
        queue.ForgetPath();
        if (queue.frames.empty())
        {
            return;
        }
        if (const auto output = m_router.Choose(queue.frames.front(), false, ports))
        {
            for (const OracleFrame& frame : queue.frames)
            {
                ports[queue.output].waitingBytes -= frame.Bytes();
                ports[*output].waitingBytes += frame.Bytes();
            }
            queue.output = *output;
            Ask(name, now);
            return;
        }
        const uint32_t units = queue.Queued();
        while (!queue.frames.empty())
        {
            const OracleFrame frame = TakeFirst(queue, now);
            Lose(OracleDeed::NO_WAY, name.input, frame);
            Leave(name.input, frame, now);
        }
        Settle(name, units, true, now);
    }

  private:
    /// Units of a flow are neither here nor beyond any more: upstream is told, and if they were the
    /// last the channel is over (FC-8).
    void Settle(const OracleQueueName& name, uint32_t units, bool lost, TimePs now)
    {
        OracleQueue& queue = queues.at(name);
        const bool isOver = queue.Total() == 0;
        if (isOver && queue.outgoing != NO_FLOW)
        {
            FreeId(queue, now);
        }
        else if (isOver)
        {
            queue.ForgetPath();
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

    /// Frames of a host that wait for a flow_id are admitted, as far as there are any.
    void AdmitWaiting(uint32_t port, TimePs now)
    {
        std::deque<OracleFrame>& waiting = ports[port].waiting;
        while (!waiting.empty() &&
               (DropWithoutWay(port, waiting.front(), now) || Admit(port, waiting.front(), now)))
        {
            waiting.pop_front();
        }
    }

    /// The frames of a virtual output queue join the queues of outputs that lead on.
    void JoinAgain(const OracleQueueName& name, TimePs now)
    {
        std::deque<OracleFrame> frames;
        while (!queues.at(name).frames.empty())
        {
            frames.push_back(TakeFirst(queues.at(name), now));
        }
        for (const OracleFrame& frame : frames)
        {
            if (!Join(name.input, frame, now))
            {
                Lose(OracleDeed::NO_WAY, name.input, frame);
                Leave(name.input, frame, now);
            }
        }
    }

    /// @return the first frame of a queue, which waits there no longer, and is not sent
    OracleFrame TakeFirst(OracleQueue& queue, TimePs now)
    {
        const OracleFrame frame = queue.frames.front();
        queue.frames.pop_front();
        Unwait(frame, queue.output, now);
        return frame;
    }

    /// The switch learns of the severity of a flow's endpoint, and tells upstream if that is a
    /// switch.
    void Tell(const OracleQueueName& name, Severity severity, TimePs now)
    {
        OracleQueue& queue = queues.at(name);
        queue.severity = severity;
        if (!ports[name.input].isEdge)
        {
            queue.owesSeverity = true;
            Owe(name, now);
        }
    }

    /// The severity of a flow or what it has under way may have changed: it may go on, or may not.
    void Reconsider(const OracleQueueName& name, TimePs now)
    {
        OracleQueue& queue = queues.at(name);
        queue.isOverLimit = IsOverLimit(queue);
        Ask(name, now);
    }

    /// @return whether a flow has so much under way that it may send no more (CM-6)
    bool IsOverLimit(const OracleQueue& queue) const
    {
        return m_config.congestion.flowLimits &&
               queue.unacked >= m_severities.At(queue.severity).limit;
    }

    /// @return whether a port leads to a host whose link may be congested
    bool HasEndpoint(uint32_t port) const
    {
        return m_config.congestion.endpoint.isOn && ports[port].isEdge;
    }

    /// What waits for an output has changed. @return the severity there, 0 if it leads to a switch
    Severity LookAtEndpoint(uint32_t port, TimePs now)
    {
        if (!HasEndpoint(port))
        {
            return 0;
        }
        OracleWaiting waiting;
        for (const auto& [name, queue] : queues)
        {
            if (queue.output == port && !queue.frames.empty())
            {
                waiting.frames += queue.frames.size();
                ++waiting.flows;
            }
        }
        waiting.bytes = ports[port].waitingBytes;
        const auto endpoint = m_endpoints.try_emplace(port,
                                                      m_config.congestion.endpoint,
                                                      m_severities,
                                                      ports[port].wire.bitsPerSecond);
        return endpoint.first->second.Look(waiting, now);
    }

    /// Nothing of a flow is under way: its flow_id on the outgoing link is free.
    void FreeId(OracleQueue& queue, TimePs now)
    {
        OraclePort& port = ports[queue.output];
        port.CountIds(now);
        port.sources.erase(queue.outgoing);
        port.ids.Free(queue.outgoing);
        queue.ForgetPath();
        if (!port.lackingId.empty())
        {
            const OracleQueueName heir = port.lackingId.front();
            port.lackingId.pop_front();
            port.HasId(heir, queues.at(heir), now);
            queues.at(heir).place = OracleQueue::NOWHERE;
            Ask(heir, now);
        }
    }

    /// @return bytes left in an input buffer
    uint32_t Room(uint32_t port) const
    {
        return m_config.buffer.shares.totalBytes - ports[port].heldBytes;
    }

    OracleWatcher m_watcher;                        ///< Sees what is done.
    OracleRouter m_router;                          ///< Chooses outputs.
    OracleSeverities m_severities;                  ///< What is asked of flows.
    OracleMeter m_meter;                            ///< When hop credits are given.
    std::map<uint32_t, OracleEndpoint> m_endpoints; ///< Links to hosts, by port.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_FLOWS_H
