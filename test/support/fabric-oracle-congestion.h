/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_CONGESTION_H
#define FABRIC_ORACLE_CONGESTION_H

#include "fabric-oracle-table.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * What a switch of FlowOracle does about congestion of endpoints: severities of flow channels,
 * their limits and their times.
 *
 * What the requirements leave open is a rule here:
 * - A frame that comes to wait for a congested host tells its flow channel the severity (CM-2),
 *   however it goes on: also if the channel has learnt of the same before. A switch tells it
 *   upstream, if that is a switch.
 * - A flow channel whose frame leaves for a host that is not congested forgets the severity, before
 *   its limit is looked at; so does one that hears a normal ACK, before that lowers its
 *   flow_extent.
 * - Whether a flow channel is over its limit (CM-6) is found out when a frame of it leaves, when
 *   ACKs lower its flow_extent, when a frame of it is neither kept nor sent on, and when a severity
 *   comes from downstream. One that has no severity has no limit.
 * - One that is over its limit no longer, and whose severity asks for a delay, is paced (CM-7), in
 *   whatever switch that is, unless it ends with that: it may go on a time later. A severity
 * without delay ends that when one of these things happens, but for a frame that leaves.
 * - With FirstFlight a flow of a host begins with the least severity whose limit is no larger. It
 *   begins at once if no other of its class that has begun at that switch still waits to hear from
 *   the destination, and is over its limit otherwise. One has heard when its flow_extent gets
 * lower. Before it goes on itself, the one that has waited longest begins then, and the next one if
 * no severity is known.
 * - Where what a host has in the fabric is limited, a flow needs a turn for each frame. It asks
 *   for one from when it could send a frame otherwise, and has a turn from when it gets one until
 *   its next frame has left, or until it is found that it can't send any more: when it would ask,
 *   or something of it is acknowledged. Turns are given as soon as they can
 *   be: round robin between limits, then between groups of a limit, then to who has asked first. A
 *   frame, the longest that a flow could send, must not pass the limit together with what its
 *   flows have under way and have turns for, if there is anything. What is under way is less before
 *   those who wait for others to their destination go on, and turns are given after a flow_id was.
 * - A flow without turn gives back the ids of paths by which nothing is under way and no credit is
 *   to come, and waits for none; that of the path that began last first.
 * - A flow that takes several ways could go if one of them could. If it is paced, the output looks
 *   for its time for which frames of it wait, of several such the one by which it has begun to go
 *   last.
 * - Frames of flows of classes that take several ways count at a host's link by their sources, not
 *   by their queues.
 * - Paced flows whose time has come begin to ask when their output looks, by their times, inputs
 *   and flow_ids, before anything is sent. It looks at each such time, or as soon as its wire is
 *   free, also if the flow has ended.
 */
class OracleCongestion : public OracleTable
{
  public:
    OracleCongestion(std::size_t number, const SwitchConfig& config, OracleAgenda& agenda)
        : OracleTable(number, config, agenda),
          m_severities(config.congestion),
          m_delays(config.congestion.pacingSpread, config.seed)
    {
    }

    // Endpoints refer to it.
    OracleCongestion(const OracleCongestion&) = delete;
    OracleCongestion& operator=(const OracleCongestion&) = delete;

    /// A frame waits no longer for an output, which may be the link to a host.
    void Unwait(const OracleFrame& frame, uint32_t output, TimePs now)
    {
        ports[output].waitingBytes -= frame.Bytes();
        LookAtEndpoint(output, nullptr, now);
    }

    /// A frame of a flow channel has left, which counts already as sent.
    void HaveSent(OracleQueue& queue)
    {
        if (HasEndpoint(queue.output))
        {
            queue.severity = std::min(queue.severity, m_endpoints.at(queue.output).Told());
        }
        queue.isOverLimit = IsOverLimit(queue);
        reach.overLimit += queue.isOverLimit ? 1 : 0;
    }

    /// A severity has come from downstream (CM-3).
    void TakeSeverity(const OracleQueueName& name, Severity severity, TimePs now)
    {
        queues.at(name).severity = severity;
        Tell(name, now);
        Reconsider(name, now);
    }

    /// An output looks: paced flows whose time has come begin to ask it.
    void ReleasePaced(uint32_t number, TimePs now)
    {
        std::set<std::pair<TimePs, OracleQueueName>> due;
        for (const auto& [name, queue] : queues)
        {
            if (queue.isPaced && queue.pacedBy == number && queue.pacedUntil <= now)
            {
                due.emplace(queue.pacedUntil, name);
            }
        }
        for (const auto& [time, name] : due)
        {
            queues.at(name).isPaced = false;
            Ask(name, now);
        }
        std::multiset<TimePs>& times = ports[number].paceTimes;
        times.erase(times.begin(), times.upper_bound(now));
        PlanLook(number, times.empty() ? NEVER : *times.begin());
    }

    /// @return how many paced flows may go on at this very time
    uint64_t CountPacesDue(TimePs now) const
    {
        return std::count_if(queues.begin(), queues.end(), [now](const auto& entry) {
            return entry.second.isPaced && entry.second.pacedUntil == now;
        });
    }

    /// A normal ACK has come from downstream, which clears what others have told.
    void ClearSeverity(const OracleQueueName& name)
    {
        reach.cleared += queues.at(name).severity != 0 ? 1 : 0;
        queues.at(name).severity = 0;
    }

  protected:
    /// A flow of a host has its first frame. @param frame that is it
    void Start(const OracleQueueName& name, const OracleFrame& frame)
    {
        OracleQueue& queue = queues.at(name);
        queue.severity = m_severities.ForLimit(m_config.congestion.firstFlight);
        queue.group = {frame.dst, frame.trafficClass};
        bool isFirst = true;
        for (const auto& [other, started] : queues)
        {
            isFirst = isFirst && !(started.isFirstFlight && started.group == queue.group);
        }
        queue.isFirstFlight = isFirst;
        queue.awaitsStart = queue.isOverLimit = !isFirst;
        if (!isFirst)
        {
            ++reach.startsLater;
            m_waiting.push_back(name);
        }
    }

    /// The flow_extent of a flow is lower.
    void EndStart(const OracleQueueName& name, TimePs now)
    {
        OracleQueue& queue = queues.at(name);
        if (queue.awaitsStart && queue.Total() == 0)
        {
            ++reach.startsNever;
            queue.awaitsStart = false;
            m_waiting.erase(std::find(m_waiting.begin(), m_waiting.end(), name));
        }
        if (!queue.isFirstFlight)
        {
            return;
        }
        queue.isFirstFlight = false;
        std::vector<OracleQueueName> next;
        for (const OracleQueueName& other : m_waiting)
        {
            if (queues.at(other).group == queue.group && next.size() < (queue.severity ? 1 : 2))
            {
                next.push_back(other);
            }
        }
        for (const OracleQueueName& other : next)
        {
            m_waiting.erase(std::find(m_waiting.begin(), m_waiting.end(), other));
            queues.at(other).awaitsStart = false;
            queues.at(other).isFirstFlight = true;
            Reconsider(other, now);
        }
    }

    /// Upstream is to be told of the severity of a flow's endpoint, if it is a switch.
    void Tell(const OracleQueueName& name, TimePs now)
    {
        if (!ports[name.input].isEdge)
        {
            queues.at(name).owesSeverity = true;
            Owe(name, now);
        }
    }

    /// The severity of a flow or what it has under way may have changed: it may go on, or may not.
    void Reconsider(const OracleQueueName& name, TimePs now)
    {
        OracleQueue& queue = queues.at(name);
        const TimePs delay = m_severities.At(queue.severity).delay;
        const bool wasOver = queue.isOverLimit;
        queue.isOverLimit = IsOverLimit(queue);
        queue.isPaced = queue.isPaced && delay != 0;
        const bool mayGo = wasOver && !queue.isOverLimit && queue.Total() != 0;
        if (m_config.congestion.pacing && delay != 0 && mayGo)
        {
            ++reach.paced;
            queue.isPaced = true;
            reach.pacedWays += queue.ways.size() > 1 ? 1 : 0;
            queue.pacedUntil = now + m_delays.Draw(delay);
            queue.pacedBy = PacingOutput(queue);
            OraclePort& port = ports[queue.pacedBy];
            port.paceTimes.insert(queue.pacedUntil);
            PlanLook(queue.pacedBy, std::max(queue.pacedUntil, port.wire.freeAt));
        }
        Ask(name, now);
    }

    /// What waits for an output has changed. @param frame that has come; null if one has gone
    /// @return the severity that flows are told there, 0 if it leads to a switch
    Severity LookAtEndpoint(uint32_t port, const OracleFrame* frame, TimePs now)
    {
        if (!HasEndpoint(port))
        {
            return 0;
        }
        OracleWaiting waiting;
        std::set<LocationId> sources;
        for (const auto& [name, queue] : queues)
        {
            if (queue.output == port && !queue.frames.empty())
            {
                const bool isHeld = queue.isOverLimit || queue.isPaced || queue.awaitsTurn;
                (isHeld ? waiting.heldFrames : waiting.frames) += queue.frames.size();
                const bool isBySource = name.flow != NO_FLOW && TakesWays(queue.trafficClass);
                const bool isNew = !isBySource || sources.insert(queue.src).second;
                waiting.flows += isNew ? 1 : 0;
                reach.sharedSources += isNew ? 0 : 1;
                for (const OracleFrame& frame : queue.frames)
                {
                    waiting.heldBytes += isHeld ? frame.Bytes() : 0;
                }
            }
        }
        waiting.bytes = ports[port].waitingBytes - waiting.heldBytes;
        const auto endpoint = m_endpoints.try_emplace(port,
                                                      m_config.congestion.endpoint,
                                                      m_severities,
                                                      ports[port].wire.bitsPerSecond);
        OracleEndpoint& link = endpoint.first->second;
        if (frame != nullptr)
        {
            link.Come(frame->src, now);
        }
        link.Look(waiting, now);
        return link.Told();
    }

    OracleSeverities m_severities; ///< What is asked of flows.

  private:
    /// @return whether a flow has so much under way that it may send no more: by its limit (CM-6),
    /// or since it waits for its last ACK (CM-7)
    bool IsOverLimit(const OracleQueue& queue) const
    {
        const OracleSeverities::Row& row = m_severities.At(queue.severity);
        const CongestionSettings& settings = m_config.congestion;
        const bool hasLimit = settings.flowLimits || (settings.pacing && row.delay != 0);
        return queue.awaitsStart || (hasLimit && queue.Unacked() >= row.limit);
    }

    /// @return the output that looks when the time of a paced flow, of which frames wait, has come
    static uint32_t PacingOutput(const OracleQueue& queue)
    {
        const OraclePath* last = nullptr;
        for (const auto& [hop, way] : queue.ways)
        {
            const bool isLater = last == nullptr || way.begunAs > last->begunAs;
            last = !way.frames.empty() && isLater ? &way : last;
        }
        return last != nullptr ? last->output : queue.output;
    }

    /// @return whether a port leads to a host whose link may be congested
    bool HasEndpoint(uint32_t port) const
    {
        return m_config.congestion.endpoint.isOn && ports[port].isEdge;
    }

    std::vector<OracleQueueName> m_waiting;         ///< For others to their destination.
    OracleDelays m_delays;                          ///< Of paced flows.
    std::map<uint32_t, OracleEndpoint> m_endpoints; ///< Links to hosts, by port.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_CONGESTION_H
