/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_FLOW_WAYS_H
#define FABRIC_ORACLE_FLOW_WAYS_H

#include "fabric-oracle-congestion.h"
#include "fabric-oracle-router.h"

#include <algorithm>
#include <array>
#include <map>
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
            AskByPath(heir, now);
        }
    }

    /// A flow of a host may ask for a turn now, or give its own back; and who asks gets one if
    /// there is room.
    void LookAtTurn(const OracleQueueName& name, TimePs now) override
    {
        if (name.flow == NO_FLOW || !ports[name.input].isEdge || !m_config.injection)
        {
            return;
        }
        OracleQueue& queue = queues.at(name);
        const bool couldGo = queue.CouldGo();
        reach.turnsBack += !couldGo && queue.turnUnits != 0 ? 1 : 0;
        queue.turnUnits = couldGo ? queue.turnUnits : 0;
        const bool asks = couldGo && queue.turnUnits == 0;
        queue.askedAs = !asks ? 0 : (queue.askedAs != 0 ? queue.askedAs : ++m_askedForTurns);
        while (GiveTurn(name.input, now))
        {
        }
        queue.awaitsTurn = queue.turnUnits == 0;
        if (queue.awaitsTurn)
        {
            Rest(name, now);
        }
    }

    OracleRouter m_router; ///< Chooses outputs.

  private:
    /// @return the application group of a flow; all have VNI 0
    uint32_t GroupOf(const OracleQueue& queue) const
    {
        return std::min<uint32_t>(m_config.injection->groups[queue.trafficClass].base, 126);
    }

    /// @return the injection limit of a flow
    uint32_t LimitIdOf(const OracleQueue& queue) const
    {
        return m_config.injection->limitIds[GroupOf(queue)];
    }

    /// @return units of a host's flows that are under way or have turns, by injection limit
    std::map<uint32_t, uint64_t> InjectedBy(uint32_t input) const
    {
        std::map<uint32_t, uint64_t> injected;
        for (const auto& [name, queue] : queues)
        {
            if (name.input == input && name.flow != NO_FLOW)
            {
                injected[LimitIdOf(queue)] += queue.Unacked() + queue.turnUnits;
            }
        }
        return injected;
    }

    /// @return whether a frame may go, beside what the host's flows have in the fabric
    bool HasRoom(uint32_t limitId, uint32_t units, std::map<uint32_t, uint64_t> injected) const
    {
        const InjectionSettings& settings = *m_config.injection;
        if (limitId == UNLIMITED_ID || (limitId == 0 && settings.forcesFirst) ||
            injected[limitId] == 0)
        {
            return true;
        }
        const uint64_t after = injected[limitId] + units;
        uint64_t ratios = 0;
        for (uint32_t other = 0; other < INJECTION_LIMITS; ++other)
        {
            ratios += injected[other] != 0 ? settings.ratios[other] : 0;
        }
        const uint64_t share = uint64_t{settings.portLimit} * settings.ratios[limitId] / ratios;
        const bool isInShare = settings.portLimit == 0 || after <= share;
        const uint32_t absolute = settings.limits[limitId];
        return isInShare && (absolute == 0 || after <= absolute);
    }

    /// A flow of a host gets a turn. @return whether one did
    bool GiveTurn(uint32_t input, TimePs now)
    {
        OraclePort& port = ports[input];
        const std::map<uint32_t, uint64_t> injected = InjectedBy(input);
        // By turn of the limit and of the group, and the order of asking.
        std::map<std::array<uint64_t, 3>, OracleQueueName> asking;
        for (const auto& [name, queue] : queues)
        {
            if (name.input == input && queue.askedAs != 0)
            {
                const uint32_t id = LimitIdOf(queue);
                const uint32_t byLimit = (id + 8 - port.lastLimit) % 9;
                const auto last = port.lastGroupOf.find(id);
                const uint32_t lastGroup = last == port.lastGroupOf.end() ? 127 : last->second;
                const uint32_t byGroup = (GroupOf(queue) + 127 - lastGroup) % 128;
                asking[{byLimit, byGroup, queue.askedAs}] = name;
            }
        }
        uint64_t seen = 9;
        for (const auto& [turn, name] : asking)
        {
            OracleQueue& queue = queues.at(name);
            const bool isFirst = turn[0] != seen;
            seen = turn[0];
            if (!isFirst)
            {
                continue; // its limit's first has no room
            }
            const uint32_t units = queue.NextUnits();
            if (!HasRoom(LimitIdOf(queue), units, injected))
            {
                ++reach.fullHosts;
                continue;
            }
            queue.turnUnits = units;
            queue.askedAs = 0;
            queue.awaitsTurn = false;
            port.lastLimit = LimitIdOf(queue);
            port.lastGroupOf[port.lastLimit] = GroupOf(queue);
            AskPaths(name, now);
            return true;
        }
        return false;
    }

    /// A flow has no turn: it needs no flow_ids of paths by which nothing is under way.
    void Rest(const OracleQueueName& name, TimePs now)
    {
        std::vector<std::pair<uint64_t, OracleQueueName>> paths{{UINT64_MAX, name}};
        for (const OracleQueueName& way : WaysOf(name))
        {
            paths.emplace_back(PathOf(way).begunAs, way);
        }
        std::sort(paths.begin(), paths.end(), [](const auto& a, const auto& b) {
            return a.first > b.first;
        });
        for (const auto& [begunAs, path] : paths)
        {
            RestPath(path, now);
        }
    }

    /// The same, of one path.
    void RestPath(const OracleQueueName& name, TimePs now)
    {
        OraclePath& path = PathOf(name);
        if (path.place == OraclePath::LACKS_ID)
        {
            ++reach.lackedIds;
            auto& lacking = ports[path.output].lackingId;
            lacking.erase(std::find(lacking.begin(), lacking.end(), name));
            path.place = OraclePath::NOWHERE;
        }
        if (path.outgoing != NO_FLOW && path.sent == 0 && !path.isMetered)
        {
            ++reach.restedIds;
            FreeId(path, now);
        }
    }

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

    uint64_t m_waysBegun{0};     ///< Ways of flows so far.
    uint64_t m_askedForTurns{0}; ///< How often flows have asked for turns.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_FLOW_WAYS_H
