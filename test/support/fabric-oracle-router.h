/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_ROUTER_H
#define FABRIC_ORACLE_ROUTER_H

#include "fabric-oracle-port.h"
#include "fabric-routing.h"

#include <random>
#include <utility>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * Chooses outputs in a switch of FlowOracle, of those that lead to a destination.
 *
 * - By hash, where frames of a flow have to take the same way though nothing is known of the flow:
 *   each switch mixes its number in, so that not all of a tier choose the same.
 * - Else the least loaded one, for which the fewest bytes on the wire wait in queues of this
 *   switch; frames that wait for a flow_id at the edge do not count. Among equals it is the first
 *   after a random one.
 */
class OracleRouter
{
  public:
    /**
     * @param routing which ports lead where
     * @param seed of the switch
     */
    OracleRouter(Routing routing, uint32_t seed)
        : m_routing(std::move(routing)),
          m_seed(seed),
          m_random(seed)
    {
    }

    /**
     * @param frame to be sent on
     * @param byHash whether its way follows from its flow
     * @param ports of the switch
     * @return its output
     */
    uint32_t Choose(const OracleFrame& frame, bool byHash, const std::vector<OraclePort>& ports)
    {
        const PortRange range = m_routing.Route(frame.dst);
        if (range.count == 1)
        {
            return range.first;
        }
        if (byHash)
        {
            const uint32_t hash = (frame.position ^ m_seed) * 0x9E3779B1U;
            return range.first + static_cast<uint32_t>((uint64_t{hash} * range.count) >> 32);
        }
        const uint32_t start = m_random() % range.count;
        uint32_t best = range.first + start;
        for (uint32_t i = 0; i < range.count; ++i)
        {
            const uint32_t port = range.first + (start + i) % range.count;
            best = ports[port].waitingBytes < ports[best].waitingBytes ? port : best;
        }
        return best;
    }

  private:
    Routing m_routing;         ///< Which ports lead where.
    uint32_t m_seed;           ///< Of the switch.
    std::minstd_rand m_random; ///< Chooses between equally loaded outputs.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_ORACLE_ROUTER_H
