/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTING_FUNCTION_H
#define FABRIC_ROUTING_FUNCTION_H

#include "fabric-class-map.h"
#include "fabric-dead-ends.h"
#include "fabric-frame.h"
#include "fabric-next-loads.h"
#include "fabric-output-loads.h"
#include "fabric-path-loads.h"
#include "fabric-routing-rule.h"
#include "fabric-routing.h"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// Where a frame goes next.
struct Hop
{
    static constexpr uint16_t NO_OUTPUT = 0xFFFF; ///< No port leads there.
    static constexpr uint16_t NO_ROOM = 0xFFFE;   ///< A port does, where too much waits.

    uint16_t output; ///< Output port, or NO_OUTPUT.
    uint8_t vc;      ///< Virtual channel on its link.

    /// @return whether it is a port
    static bool IsOutput(uint16_t output)
    {
        return output < NO_ROOM;
    }

    explicit operator bool() const
    {
        return IsOutput(output);
    }
};

/**
 * FRF, the fabric routing function of a switch: chooses output port and virtual channel of a frame
 * among those that lead to its destination.
 */
class RoutingFunction
{
  public:
    /**
     * @param loads bytes that wait for each output
     * @param vcOfClass virtual channel of each traffic class
     * @param detourBias bytes that a detour has to be better by
     * @param seed of random choices; not 0
     */
    RoutingFunction(const OutputLoads& loads,
                    const ClassMap& vcOfClass,
                    const uint32_t& detourBias,
                    uint32_t seed)
        : m_vcOfClass(vcOfClass),
          m_seed(seed),
          m_loads(loads),
          m_random(seed),
          m_detourBias(detourBias)
    {
    }

    /// @param routes which ports lead where when all links are up
    void SetRoutes(Routing routes);

    /// @param rates of links to other switches, by port, bit/s; 0 where there is none
    void SetRates(const std::vector<uint64_t>& rates);

    /// @return which ports lead where when all links are up
    const Routing& Routes() const
    {
        return m_routes;
    }

    /// @param loads of whole paths, which come before what waits here
    void SetPathLoads(const PathLoads* loads);

    /// @param loads of links of neighbours, which are added to what is ahead
    void SetNextLoads(NextLoads* loads)
    {
        m_nextLoads = loads;
    }

    /// @param rule which of these a frame may take; empty for any
    void SetRule(RoutingRule rule);

    /**
     * @param port whose link has failed, or may be used again
     * @param isDown whether it has failed
     */
    void SetDown(uint32_t port, bool isDown);

    /// @return whether its link has failed and may not be used again
    bool IsDown(uint32_t port) const
    {
        return port < m_isDown.size() && m_isDown[port];
    }

    /// @param deadEnds ports that lead nowhere; null for none
    void SetDeadEnds(std::shared_ptr<const DeadEnds> deadEnds);

    /**
     * @param vc virtual channel on its link
     * @param dst a destination
     * @return whether the port leads there, as far as this switch knows
     */
    bool LeadsTo(uint32_t port, uint8_t vc, LocationId dst) const
    {
        return !IsDown(port) && !(m_deadEnds && m_deadEnds->HasBeyond(dst, WayNumber(port, vc)));
    }

    /**
     * @param dst a destination
     * @return whether any port leads there, as far as this switch knows
     */
    bool IsReachable(LocationId dst) const
    {
        return m_goesAround ? IsReachableAround(dst) : m_routes.Route(dst).count != 0;
    }

    /**
     * @param input port where it came in
     * @param frame to be sent on
     * @param ordered whether frames of one flow have to take the same way though others of them are
     * under way
     * @return where it goes
     */
    Hop Choose(uint32_t input, const Frame& frame, bool ordered, TimePs now)
    {
        return m_goesAround ? ChooseAround(input, frame, ordered, now)
                            : Hop{ChooseOutput(frame, ordered), m_vcOfClass[frame.trafficClass]};
    }

    /// @return first virtual channel of a traffic class
    uint8_t FirstChannelOf(uint8_t trafficClass) const
    {
        const PathRule* paths = m_routes.Paths();
        const uint32_t channels = paths ? paths->VirtualChannels() : 1;
        return static_cast<uint8_t>(m_vcOfClass[trafficClass] * channels);
    }

    /**
     * @param input port where it came in
     * @param frame to be sent on
     * @param visit is called with each output that it may take: `void visit(uint16_t)`
     */
    template <typename Visit>
    void ForEachWay(uint32_t input, const Frame& frame, Visit&& visit) const
    {
        ForEachHop(input, frame, [&visit](Hop hop) { visit(hop.output); });
    }

    /**
     * As Choose() for a flow of which nothing is under way, by another load.
     *
     * @param input port where it came in
     * @param load of an output: `Load load(uint16_t)`
     * @return the least loaded output that the frame may take; among equals the first after a
     * random one
     */
    template <typename LoadOf>
    Hop ChooseBy(uint32_t input, const Frame& frame, LoadOf&& load)
    {
        std::vector<Hop>& hops = m_hops;
        hops.clear();
        ForEachHop(input, frame, [&hops](Hop hop) { hops.push_back(hop); });
        if (hops.empty())
        {
            return NOWHERE;
        }
        std::rotate(hops.begin(), hops.begin() + m_random() % hops.size(), hops.end());
        return *std::min_element(hops.begin(), hops.end(), [&load](const Hop& a, const Hop& b) {
            return load(a.output) < load(b.output);
        });
    }

    /// @return what a frame would have to wait for by an output until it has left: bytes, or
    /// seconds per 8 where links have different rates
    double WaitBy(uint16_t port, const Frame& frame) const
    {
        const auto bytes = static_cast<double>(m_loads.QueuedBytes(port));
        return m_rates.empty() ? bytes : (bytes + WireBytes(frame.payload)) / m_rates[port];
    }

  private:
    static constexpr Hop NOWHERE{Hop::NO_OUTPUT, 0}; ///< No way.

    /// As ForEachWay(), with the virtual channel: `void visit(Hop)`.
    template <typename Visit>
    void ForEachHop(uint32_t input, const Frame& frame, Visit&& visit) const
    {
        if (m_routes.Paths())
        {
            FindWays(input, frame);
            for (const Way& way : m_ways)
            {
                visit(HopBy(way, frame));
            }
            return;
        }
        const PortRange range = m_routes.Route(frame.dst);
        for (uint32_t port = range.first; port < range.first + range.count; ++port)
        {
            if (MayTake(frame, port))
            {
                visit(Hop{static_cast<uint16_t>(port), m_vcOfClass[frame.trafficClass]});
            }
        }
    }

    /// @return whether a port that leads to a frame's destination with all links up may be taken
    bool MayTake(const Frame& frame, uint32_t port, uint8_t vc = 0) const
    {
        return !m_goesAround || (LeadsTo(port, vc, frame.dst) && (!m_rule || m_rule(frame, port)));
    }

    /// @return what dead ends know a way by: see DeadEnds
    uint32_t WayNumber(uint32_t port, uint8_t vc) const
    {
        const PathRule* paths = m_routes.Paths();
        return paths ? DeadEnds::NumberOf(port, vc % paths->VirtualChannels()) : port;
    }

    /// @return output for a frame where all ports lead to their destinations, or NO_OUTPUT
    uint16_t ChooseOutput(const Frame& frame, bool ordered)
    {
        const PortRange range = m_routes.Route(frame.dst);
        if (range.count <= 1)
        {
            return range.count == 1 ? range.first : Hop::NO_OUTPUT;
        }
        if (ordered)
        {
            return static_cast<uint16_t>(range.first + HashOf(frame, range.count));
        }
        // The least loaded output; among equals the first after a random one.
        const uint32_t start = static_cast<uint32_t>(m_random() % range.count);
        uint32_t best = range.first + start;
        for (uint32_t i = 1; i < range.count; ++i)
        {
            const uint32_t candidate = range.first + (start + i) % range.count;
            best = m_loads.QueuedBytes(candidate) < m_loads.QueuedBytes(best) ? candidate : best;
        }
        return static_cast<uint16_t>(best);
    }

    /// What is known of ports that can't be taken has changed.
    void NoteExceptions();
    /// @return where a frame goes where not all ports may be taken, or ways depend on how it came
    Hop ChooseAround(uint32_t input, const Frame& frame, bool ordered, TimePs now);
    /// @return the same where ways do not depend on that
    uint16_t ChoosePort(const Frame& frame, bool ordered);
    /// @return the same where they do
    Hop ChooseWay(uint32_t input, const Frame& frame, bool ordered, TimePs now);
    /// @return whether a frame of a host may go anywhere
    bool LeadsAnywhere(LocationId dst) const;
    /// @return how it came
    CameBy CameByOf(uint32_t input, const Frame& frame) const;
    /// @return where a frame goes by a way
    Hop HopBy(const Way& way, const Frame& frame) const;
    /// m_ways become those that a frame may take, of the lowest rank.
    void FindWays(uint32_t input, const Frame& frame) const;
    /// m_ways become what is weighed for a frame.
    void DrawWays(uint32_t input, const Frame& frame, std::minstd_rand& random) const;
    /// @return what a frame costs by a way. @param ordered whether loads do not matter
    uint64_t CostOf(const Way& way, const Frame& frame, bool ordered, TimePs now) const;
    /// @return whether any port leads to a destination where not all do
    bool IsReachableAround(LocationId dst) const;

    /// @return which of `count` ports a frame takes by the hash of its flow. Each switch has its
    /// own salt: the same bits would choose the same output at every tier.
    uint32_t HashOf(const Frame& frame, uint32_t count) const
    {
        const uint32_t mixed = (frame.dataFlow ^ m_seed) * 0x9E3779B1U;
        return static_cast<uint32_t>(uint64_t{mixed} * count >> 32);
    }

    // What each hop touches comes first: see SwitchUnits.
    const ClassMap& m_vcOfClass;           ///< Virtual channels.
    const uint32_t m_seed;                 ///< Salt of hashes.
    bool m_hasExceptions{false};           ///< Whether any port leads nowhere, or for some.
    bool m_goesAround{false};              ///< Whether it has, or ways depend on more.
    Routing m_routes;                      ///< Which ports lead where.
    const OutputLoads& m_loads;            ///< What waits.
    std::minstd_rand m_random;             ///< Chooses between equally loaded outputs.
    const uint32_t& m_detourBias;          ///< Bytes that a detour has to be better by.
    const PathLoads* m_pathLoads{nullptr}; ///< Null if only what waits here is known.
    NextLoads* m_nextLoads{nullptr};       ///< Null if neighbours tell nothing of their links.
    std::vector<double> m_rates;           ///< By port, bit/s; empty if they are the same.
    double m_fastest{0};                   ///< The largest of them.
    mutable Ways m_ways;                   ///< Of the frame that is looked at.
    RoutingRule m_rule;                    ///< Which ports a frame may take; empty for any.

    // What is looked at when links have failed.

    std::shared_ptr<const DeadEnds> m_deadEnds; ///< Ports that lead nowhere; null for none.
    std::vector<bool> m_isDown;                 ///< By port, up to the last that ever failed.
    std::vector<Hop> m_hops;                    ///< As m_ways, for ChooseBy().
    std::vector<uint16_t> m_left;               ///< As m_ways, for ChoosePort().
};

} // namespace ns3::fabric

#endif // FABRIC_ROUTING_FUNCTION_H
