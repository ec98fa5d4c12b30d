/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_FLOWS_H
#define FABRIC_ORACLE_FLOWS_H

#include "fabric-oracle-flow-ways.h"
#include "fabric-oracle-meter.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * The flow channels of a switch of FlowOracle: how frames join and leave them, how channels begin
 * and end.
 *
 * What the requirements leave open is a rule here:
 * - A queue asks its output from when it has a frame and is not held back. Its turn comes last
 *   then.
 * - A flow channel that begins knows of its endpoint what the switch before it knows, as its frame
 *   says. Whoever knows another severity than the frame that comes to wait says, but for none,
 *   tells upstream.
 * - Slow paths are not looked for where a flow takes several ways.
 * - The room of a frame counts as taken until it has left, also when watermarks are lowered on its
 *   leaving.
 */
class OracleFlows : public OracleFlowWays
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
        : OracleFlowWays(number, config, std::move(routing), agenda),
          m_watcher(std::move(watcher)),
          m_meter(config.congestion, m_severities)
    {
    }

    /// @param settings of hop credits that count from now on
    void Change(const CongestionSettings& settings)
    {
        m_meter.Change(settings);
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
        Reconsider(name, now);
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
            if (!TakesWays(frame.trafficClass))
            {
                LeaveIfSlow({port, frame.flow, 0, 0}, frame.dst, now);
            }
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
        else if (TakesWays(frame.trafficClass))
        {
            output = ChooseWay(name, frame, now);
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
        const bool isEdge = ports[port].isEdge;
        if (frame.flow != NO_FLOW && queue.Total() == 0)
        {
            queue.severity = static_cast<Severity>(isEdge ? 0 : frame.severity);
            queue.awaitsTurn = isEdge && m_config.injection;
            if (isEdge && m_config.congestion.firstFlight != 0)
            {
                Start(name, frame);
            }
        }
        queue.output = *output;
        queue.vc = m_config.buffer.vcOfClass[frame.trafficClass];
        queue.src = frame.src;
        queue.dst = frame.dst;
        queue.trafficClass = frame.trafficClass;
        queue.hostFlow = frame.hostFlow;
        const OracleQueueName path = PathBy(name, *output, now);
        PathOf(path).frames.push_back(frame);
        ports[*output].waitingBytes += frame.Bytes();
        if (frame.flow != NO_FLOW && m_meter.Joined(queue, isEdge, IsPart(name), Room(port)))
        {
            ++reach.meteringBegun;
            isEdge ? BeginRestraint(name, now) : OweCredit(name, now);
        }
        const Severity severity = LookAtEndpoint(*output, &frame, now);
        Ask(path, now);
        if (frame.flow != NO_FLOW)
        {
            queue.severity = severity != 0 ? severity : queue.severity;
            if (queue.severity != 0 && queue.severity != frame.severity)
            {
                Tell(name, now);
            }
            m_watcher({OracleDeed::JOINED, port, &frame, &queue});
        }
        return true;
    }

    /// Units of a flow channel wait no longer, and are sent (FC-6, CM-5).
    /// @param name of the channel, or of the way by which they go
    void CountOut(const OracleQueueName& name, uint32_t units, TimePs now)
    {
        const OracleQueueName flow = name.OfFlow();
        OraclePath& path = PathOf(name);
        path.sent += units;
        path.headroom -= path.isMetered ? units : 0;
        reach.holds += path.LacksHeadroom() ? 1 : 0;
        queues.at(flow).output = path.output;
        GiveCredit(flow, units, now);
        HaveSent(queues.at(flow));
        queues.at(flow).turnUnits = 0;
        LookAtTurn(flow, now);
    }

    /// Units of a flow that were sent on have left the fabric or were lost. A flow whose path leads
    /// nowhere may take another when nothing is under way.
    /// @param name of the channel, or of the way by which they went
    void Acknowledge(const OracleQueueName& name, uint32_t units, bool lost, TimePs now)
    {
        const OracleQueueName flow = name.OfFlow();
        OracleQueue& queue = queues.at(flow);
        PathOf(name).sent -= units;
        queue.spreadsAt = name.isWay ? 0 : queue.spreadsAt;
        EndIdleWay(name, now);
        const bool leaves = queue.changesPath && queue.sent == 0 && !queue.frames.empty();
        EndStart(flow, now);
        if (queue.Total() != 0)
        {
            Reconsider(flow, now);
        }
        Settle(flow, units, lost, now);
        if (leaves)
        {
            LeavePath(flow, now);
        }
    }

    /// The frames of a queue, which does not ask its output, go by another, or are dropped if there
    /// is none (WL-8). A flow that has frames under way waits until it has not (FC-11).
    void LeavePath(const OracleQueueName& name, TimePs now)
    {
        if (!Has(name))
        {
            return;
        }
        if (name.flow == NO_FLOW)
        {
            JoinAgain(name, now);
            return;
        }
        if (name.isWay)
        {
            LeaveWay(name, now);
            return;
        }
        OracleQueue& queue = queues.at(name);
        if (GoesByWays(name))
        {
            reach.strandedPaces += queue.isPaced ? 1 : 0;
            queue.isPaced = queue.changesPath = false;
            Ask(name, now);
            return;
        }
        if (queue.sent != 0)
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
        GiveCredit(name, 0, now);
        EndStart(name, now);
        Settle(name, units, true, now);
    }

  private:
    /// A frame of a host's flow is about to join. If all frames before it were sent, and nothing
    /// was heard of them for longer than SlowPathTime, it waits until all are acknowledged, and
    /// goes by a path that is chosen anew; but not if severity tells why they are slow, or there is
    /// one way only.
    void LeaveIfSlow(const OracleQueueName& name, LocationId dst, TimePs now)
    {
        OracleQueue& queue = queues[name];
        if (queue.Total() == 0)
        {
            queue.heardAt = now;
        }
        const SlowPathSettings& settings = m_config.congestion.slowPaths;
        const TimePs limit = settings.time != 0 ? settings.time : settings.roundTrip;
        if (settings.isOn && queue.sent != 0 && queue.frames.empty() && queue.severity == 0 &&
            now - queue.heardAt > limit && m_router.WaysTo(dst, ports).size() > 1)
        {
            ++reach.slowPaths;
            queue.changesPath = true;
        }
    }

    /// A queue is shorter now: its upstream may get credit for what was sent (CM-5).
    void GiveCredit(const OracleQueueName& name, uint32_t units, TimePs now)
    {
        if (m_meter.Left(queues.at(name), units, IsPart(name), Room(name.input)))
        {
            ports[name.input].isEdge ? ChangeRestraint(name, now) : OweCredit(name, now);
        }
    }

    /// A flow owes its upstream hop credit.
    void OweCredit(const OracleQueueName& name, TimePs now)
    {
        queues.at(name).owesCredit = true;
        Owe(name, now);
    }

    /// A flow of a host is restrained from now on (CM-4).
    void BeginRestraint(const OracleQueueName& name, TimePs now)
    {
        ports[name.input].teller.Begin(queues.at(name).hostFlow, name.flow);
        PlanLook(name.input, std::max(now, ports[name.input].wire.freeAt));
    }

    /// A restrained flow has sent a frame: it is free again, or there may be something to tell.
    void ChangeRestraint(const OracleQueueName& name, TimePs now)
    {
        OracleQueue& queue = queues.at(name);
        if (!queue.metersUpstream)
        {
            queue.credit = 0;
            EndRestraint(name, now);
            return;
        }
        OracleTeller& teller = ports[name.input].teller;
        teller.GoesOn(queue.hostFlow);
        if (queue.credit >= m_config.congestion.fgfc.creditUnits)
        {
            teller.Tell(queue.hostFlow);
        }
        if (teller.DueAt() == 0)
        {
            PlanLook(name.input, std::max(now, ports[name.input].wire.freeAt));
        }
    }

    /// A flow of a host is not restrained any more.
    void EndRestraint(const OracleQueueName& name, TimePs now)
    {
        ports[name.input].teller.End(queues.at(name).hostFlow);
        PlanLook(name.input, std::max(now, ports[name.input].wire.freeAt));
    }

    /// Units of a flow are neither here nor beyond any more: upstream is told, and if they were the
    /// last the channel is over (FC-8).
    void Settle(const OracleQueueName& name, uint32_t units, bool lost, TimePs now)
    {
        OracleQueue& queue = queues.at(name);
        const bool isOver = queue.Total() == 0;
        queue.heardAt = now;
        if (isOver && queue.outgoing != NO_FLOW)
        {
            FreeId(queue, now);
        }
        if (isOver)
        {
            queue.ForgetPath();
        }
        LookAtTurn(name, now);
        if (!ports[name.input].isEdge)
        {
            (lost ? queue.lost : queue.acked) += units;
            Owe(name, now);
        }
        else if (isOver)
        {
            if (queue.metersUpstream)
            {
                EndRestraint(name, now);
            }
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

    /// The frames of a way go by others, or are dropped if there is none.
    void LeaveWay(const OracleQueueName& name, TimePs now)
    {
        const OracleQueueName flow = name.OfFlow();
        std::deque<OracleFrame> frames;
        while (!PathOf(name).frames.empty())
        {
            frames.push_back(TakeFirst(PathOf(name), now));
        }
        PathOf(name).changesPath = false;
        EndIdleWay(name, now);
        uint32_t lost = 0;
        for (const OracleFrame& frame : frames)
        {
            const std::optional<uint32_t> output = ChooseWay(flow, frame, now);
            if (!output)
            {
                Lose(OracleDeed::NO_WAY, name.input, frame);
                Leave(name.input, frame, now);
                lost += frame.Units();
                continue;
            }
            const OracleQueueName path = PathBy(flow, *output, now);
            PathOf(path).frames.push_back(frame);
            ports[*output].waitingBytes += frame.Bytes();
            Ask(path, now);
        }
        if (lost != 0)
        {
            GiveCredit(flow, 0, now);
            EndStart(flow, now);
            if (queues.at(flow).Total() != 0)
            {
                Reconsider(flow, now);
            }
            Settle(flow, lost, true, now);
        }
    }

    /// @return whether other frames of a flow may come in elsewhere: a switch sends them by several
    /// ways, and a host to one input
    bool IsPart(const OracleQueueName& name) const
    {
        return TakesWays(queues.at(name).trafficClass) && !ports[name.input].isEdge;
    }

    /// @return bytes left in an input buffer
    uint32_t Room(uint32_t port) const
    {
        return m_config.buffer.shares.totalBytes - ports[port].heldBytes;
    }

    OracleWatcher m_watcher; ///< Sees what is done.
    OracleMeter m_meter;     ///< When hop credits are given.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_FLOWS_H
