/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_FLOW_WAYS_H
#define FABRIC_ORACLE_FLOW_WAYS_H

#include "fabric-oracle-congestion.h"
#include "fabric-oracle-router.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * By which outputs frames of flow channels leave a switch of FlowOracle, and the flow_ids that they
 * have there: those whose frames may overtake each other take several ways at a time.
 *
 * What the requirements leave open is a rule here:
 * - A flow_id of the outgoing link that is freed is given at once to the flow channel that has
 *   waited longest for one, which then begins to ask.
 * - A frame that may overtake others of its flow goes by the output that any frame would go by.
 *   If a way of the flow by that lacks headroom, an output is chosen anew: of those by which none
 *   does, or of all, if all do.
 * - A way is by an output and a virtual channel of it. It begins when a frame is to wait there, and
 *   ends, with its flow_id, when none waits and nothing is under way by it. Limits, times and turns
 *   hold all ways of a flow alike.
 * - A flow goes by the way that it began last until something is acknowledged of it, or a round
 * trip has passed since it had none, if that way still leads there.
 * - Ways at an input have numbers like flow_ids: the one that became free last is given first.
 */
class OracleFlowWays : public OracleCongestion
{
  public:
    /// @param routing which ports lead where
    OracleFlowWays(std::size_t number,
                   const SwitchConfig& config,
                   Routing routing,
                   OracleAgenda& agenda)
        : OracleCongestion(number, config, agenda),
          m_router(std::move(routing), config.seed)
    {
    }

    /// @return which ports lead where
    OracleRouter& Router()
    {
        return m_router;
    }

    /// @return whether a flow has nothing but ways, if anything: no frames in a queue of its own
    bool GoesByWays(const OracleQueueName& name) const
    {
        const OracleQueue& queue = queues.at(name.OfFlow());
        return name.flow != NO_FLOW && !name.isWay && TakesWays(queue.trafficClass) &&
               queue.frames.empty();
    }

  protected:
    /// @return the output by which a frame goes that may overtake others of its flow
    std::optional<uint32_t> ChooseWay(const OracleQueueName& name,
                                      const OracleFrame& frame,
                                      TimePs now)
    {
        if (const OraclePath* only = LatestWay(name); only && now < queues[name].spreadsAt)
        {
            const std::vector<uint32_t> all = m_router.WaysTo(frame.dst, ports);
            if (std::find(all.begin(), all.end(), only->output) != all.end())
            {
                return only->output;
            }
        }
        const auto isDry = [this, &name](uint32_t output) {
            const OracleQueue& queue = queues[name];
            return std::any_of(queue.ways.begin(), queue.ways.end(), [output](const auto& way) {
                return way.first.first == output && way.second.LacksHeadroom();
            });
        };
        const std::optional<uint32_t> first = m_router.Choose(frame, false, ports);
        if (!first || !isDry(*first))
        {
            return first;
        }
        const std::optional<uint32_t> wet = m_router.ChooseWet(frame, ports, isDry);
        reach.dryWays += isDry(*wet) ? 0 : 1;
        return wet;
    }

    /// @return where frames of a queue go that are to leave by an output: a way of their flow,
    /// which begins if need be, or the queue itself, if it has no ways, or a host is there
    OracleQueueName PathBy(const OracleQueueName& name, uint32_t output, TimePs now)
    {
        OracleQueue& queue = queues.at(name);
        if (name.flow == NO_FLOW || !TakesWays(queue.trafficClass) || ports[output].isEdge)
        {
            return name;
        }
        const uint32_t vc = m_config.buffer.vcOfClass[queue.trafficClass];
        const OracleQueueName path{name.input, name.flow, output, vc, true};
        if (!Has(path))
        {
            if (queue.ways.empty())
            {
                queue.spreadsAt = now + RoundTrip();
            }
            OraclePath& way = queue.ways[{output, vc}];
            way.output = output;
            way.vc = vc;
            way.number = ports[name.input].wayNumbers.Take();
            way.begunAs = ++m_waysBegun;
            reach.waysAgain += queue.pastOutputs.count(output);
        }
        reach.waysBeside += queue.ways.size() > 1 ? 1 : 0;
        return path;
    }

    /// A way ends if nothing waits for it, and nothing has gone by it that is under way.
    void EndIdleWay(const OracleQueueName& name, TimePs now)
    {
        if (!name.isWay || PathOf(name).sent != 0 || !PathOf(name).frames.empty())
        {
            return;
        }
        if (PathOf(name).outgoing != NO_FLOW)
        {
            FreeId(PathOf(name), now);
        }
        OracleQueue& queue = queues.at(name.OfFlow());
        ports[name.input].wayNumbers.Free(PathOf(name).number);
        queue.ways.erase({name.output, name.vc});
        queue.pastOutputs.insert(name.output);
    }

    /// @return the first frame of a queue, which waits there no longer, and is not sent
    OracleFrame TakeFirst(OraclePath& queue, TimePs now)
    {
        const OracleFrame frame = queue.frames.front();
        queue.frames.pop_front();
        Unwait(frame, queue.output, now);
        return frame;
    }

    /// Nothing of a flow or way is under way: its flow_id on the outgoing link is free.
    void FreeId(OraclePath& path, TimePs now)
    {
        OraclePort& port = ports[path.output];
        port.CountIds(now);
        port.sources.erase(path.outgoing);
        port.ids.Free(path.outgoing);
        path.outgoing = NO_FLOW;
        if (!port.lackingId.empty())
        {
            const OracleQueueName heir = port.lackingId.front();
            port.lackingId.pop_front();
            port.HasId(heir, PathOf(heir), now);
            PathOf(heir).place = OraclePath::NOWHERE;
            Ask(heir, now);
        }
    }

    OracleRouter m_router; ///< Chooses outputs.

  private:
    /// @return the way of a flow that began last; null for none
    const OraclePath* LatestWay(const OracleQueueName& name)
    {
        const OraclePath* latest = nullptr;
        for (const auto& [key, way] : queues[name].ways)
        {
            latest = latest && latest->begunAs > way.begunAs ? latest : &way;
        }
        return latest;
    }

    /// @return what counts as the round trip, ps
    TimePs RoundTrip() const
    {
        const TimePs set = m_config.congestion.endpoint.roundTrip;
        return set != 0 ? set : EndpointSettings::USUAL_ROUND_TRIP;
    }

    uint64_t m_waysBegun{0}; ///< Ways of flows so far.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_FLOW_WAYS_H
