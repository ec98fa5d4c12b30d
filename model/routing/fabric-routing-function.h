/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTING_FUNCTION_H
#define FABRIC_ROUTING_FUNCTION_H

#include "fabric-class-map.h"
#include "fabric-dead-ends.h"
#include "fabric-frame.h"
#include "fabric-output-loads.h"
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

    uint16_t output; ///< Output port, or NO_OUTPUT.
    uint8_t vc;      ///< Virtual channel on its link.

    explicit operator bool() const
    {
        return output != NO_OUTPUT;
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
     * @param seed of random choices; not 0
     */
    RoutingFunction(const OutputLoads& loads, const ClassMap& vcOfClass, uint32_t seed)
        : m_loads(loads),
          m_vcOfClass(vcOfClass),
          m_seed(seed),
          m_random(seed)
    {
    }

    /// @param routes which ports lead where when all links are up
    void SetRoutes(Routing routes)
    {
        m_routes = std::move(routes);
    }

    /// @return which ports lead where when all links are up
    const Routing& Routes() const
    {
        return m_routes;
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
     * @param dst a destination
     * @return whether the port leads there, as far as this switch knows
     */
    bool LeadsTo(uint32_t port, LocationId dst) const
    {
        return !IsDown(port) && !(m_deadEnds && m_deadEnds->Has(dst, port));
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
     * @param frame to be sent on
     * @param ordered whether frames of one flow have to take the same way though others of them are
     * under way
     * @return where it goes
     */
    Hop Choose(const Frame& frame, bool ordered)
    {
        return {m_goesAround ? ChooseAround(frame, ordered) : ChooseOutput(frame, ordered),
                m_vcOfClass[frame.trafficClass]};
    }

    /**
     * @param frame to be sent on
     * @param visit is called with each output that it may take: `void visit(uint16_t)`
     */
    template <typename Visit>
    void ForEachWay(const Frame& frame, Visit&& visit) const
    {
        const PortRange range = m_routes.Route(frame.dst);
        for (uint32_t port = range.first; port < range.first + range.count; ++port)
        {
            if (MayTake(frame, port))
            {
                visit(static_cast<uint16_t>(port));
            }
        }
    }

    /**
     * As Choose() for a flow of which nothing is under way, by another load.
     *
     * @param load of an output: `Load load(uint16_t)`
     * @return the least loaded output that the frame may take; among equals the first after a
     * random one
     */
    template <typename LoadOf>
    Hop ChooseBy(const Frame& frame, LoadOf&& load)
    {
        const PortRange range = m_routes.Route(frame.dst);
        const auto start = static_cast<uint32_t>(m_random() % std::max<uint32_t>(range.count, 1));
        uint16_t best = Hop::NO_OUTPUT;
        for (uint32_t i = 0; i < range.count; ++i)
        {
            const auto port = static_cast<uint16_t>(range.first + (start + i) % range.count);
            if (MayTake(frame, port) && (best == Hop::NO_OUTPUT || load(port) < load(best)))
            {
                best = port;
            }
        }
        return {best, m_vcOfClass[frame.trafficClass]};
    }

  private:
    /// @return whether a port that leads to a frame's destination with all links up may be taken
    bool MayTake(const Frame& frame, uint32_t port) const
    {
        return !m_goesAround || (LeadsTo(port, frame.dst) && (!m_rule || m_rule(frame, port)));
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
    /// @return the same where not all ports may be taken
    uint16_t ChooseAround(const Frame& frame, bool ordered);
    /// @return whether any port leads to a destination where not all do
    bool IsReachableAround(LocationId dst) const;

    /// @return which of `count` ports a frame takes by the hash of its flow. Each switch has its
    /// own salt: the same bits would choose the same output at every tier.
    uint32_t HashOf(const Frame& frame, uint32_t count) const
    {
        const uint32_t mixed = (frame.dataFlow ^ m_seed) * 0x9E3779B1U;
        return static_cast<uint32_t>(uint64_t{mixed} * count >> 32);
    }

    const OutputLoads& m_loads;                 ///< What waits.
    const ClassMap& m_vcOfClass;                ///< Virtual channels.
    const uint32_t m_seed;                      ///< Salt of hashes.
    std::minstd_rand m_random;                  ///< Chooses between equally loaded outputs.
    Routing m_routes;                           ///< Which ports lead where.
    std::shared_ptr<const DeadEnds> m_deadEnds; ///< Ports that lead nowhere; null for none.
    std::vector<bool> m_isDown;                 ///< By port, up to the last that ever failed.
    RoutingRule m_rule;                         ///< Which ports a frame may take; empty for any.
    bool m_goesAround{false};                   ///< Whether any port leads nowhere, or for some.
};

} // namespace ns3::fabric

#endif // FABRIC_ROUTING_FUNCTION_H
