/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_ROUTER_H
#define FABRIC_ORACLE_ROUTER_H

#include "fabric-oracle-port.h"
#include "fabric-routing.h"
#include "fabric-wide-integer.h"

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * Chooses outputs in a switch of FlowOracle, of those that lead to a destination.
 *
 * - By hash, where frames of a flow have to take the same way though nothing is known of the flow:
 *   each switch mixes its number in, so that not all of a tier choose the same.
 * - Else the least loaded one, whose link needs the least time for the bytes on the wire that wait
 *   for it in queues of this switch and for the frame; frames that wait for a flow_id at the edge
 * do not count. Among equals it is the first after a random one.
 */
class OracleRouter
{
  public:
    /// @param routing which ports lead where
    OracleRouter(Routing routing, uint32_t seed)
        : m_routing(std::move(routing)),
          m_seed(seed),
          m_random(seed)
    {
    }

    /// @param deadEnds ports that lead nowhere any more, by destination
    void SetDeadEnds(std::set<std::pair<LocationId, uint32_t>> deadEnds)
    {
        m_deadEnds = std::move(deadEnds);
    }

    /// @return ports that lead to a destination, in order
    std::vector<uint32_t> WaysTo(LocationId dst, const std::vector<OraclePort>& ports) const
    {
        const PortRange range = m_routing.Route(dst);
        std::vector<uint32_t> ways;
        for (uint32_t port = range.first; port < uint32_t{range.first} + range.count; ++port)
        {
            if (!ports[port].isDown && m_deadEnds.count({dst, port}) == 0)
            {
                ways.push_back(port);
            }
        }
        return ways;
    }

    /// @return whether a port, by which frames for a destination go, still leads there
    bool LeadsTo(uint32_t port, LocationId dst, const std::vector<OraclePort>& ports) const
    {
        return !ports[port].isDown && m_deadEnds.count({dst, port}) == 0;
    }

    /**
     * @param frame to be sent on
     * @param byHash whether its way follows from its flow
     * @return its output, nothing if there is none
     */
    std::optional<uint32_t> Choose(const OracleFrame& frame,
                                   bool byHash,
                                   const std::vector<OraclePort>& ports)
    {
        std::vector<uint32_t> ways = WaysTo(frame.dst, ports);
        if (ways.empty())
        {
            return std::nullopt;
        }
        if (ways.size() == 1)
        {
            return ways.front();
        }
        if (byHash)
        {
            const uint32_t hash = (frame.position ^ m_seed) * 0x9E3779B1U;
            return ways[(uint64_t{hash} * ways.size()) >> 32];
        }
        std::rotate(ways.begin(), ways.begin() + m_random() % ways.size(), ways.end());
        return *std::min_element(ways.begin(), ways.end(), [&](uint32_t a, uint32_t b) {
            return IsSooner(frame, ports[a], ports[b]);
        });
    }

    /**
     * @param frame to be sent on
     * @param isDry whether a way has no headroom for it: `bool isDry(uint32_t output)`
     * @return of the outputs that are not dry, or of all if each is, the least loaded one, among
     * equals the first after a random one, which is drawn also if there is one output; nothing if
     * there is none
     */
    template <typename IsDry>
    std::optional<uint32_t> ChooseWet(const OracleFrame& frame,
                                      const std::vector<OraclePort>& ports,
                                      IsDry&& isDry)
    {
        std::vector<uint32_t> ways = WaysTo(frame.dst, ports);
        if (ways.empty())
        {
            return std::nullopt;
        }
        std::rotate(ways.begin(), ways.begin() + m_random() % ways.size(), ways.end());
        std::stable_sort(ways.begin(), ways.end(), [&](uint32_t a, uint32_t b) {
            return IsSooner(frame, ports[a], ports[b]);
        });
        const auto wet =
            std::find_if(ways.begin(), ways.end(), [&isDry](uint32_t way) { return !isDry(way); });
        return wet == ways.end() ? ways.front() : *wet;
    }

  private:
    /// @return whether a frame after all that wait has left by one output before by another
    static bool IsSooner(const OracleFrame& frame, const OraclePort& one, const OraclePort& other)
    {
        // Bytes by rates, compared as fractions.
        const uint64_t before = uint64_t{one.waitingBytes} + frame.Bytes();
        const uint64_t otherBefore = uint64_t{other.waitingBytes} + frame.Bytes();
        return WideUint{before} * other.wire.bitsPerSecond <
               WideUint{otherBefore} * one.wire.bitsPerSecond;
    }

    Routing m_routing;                                    ///< Which ports lead where.
    uint32_t m_seed;                                      ///< Of the switch.
    std::set<std::pair<LocationId, uint32_t>> m_deadEnds; ///< By destination and port.
    std::minstd_rand m_random; ///< Chooses between equally loaded outputs.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_ROUTER_H
