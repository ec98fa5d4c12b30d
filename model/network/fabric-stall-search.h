/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_STALL_SEARCH_H
#define FABRIC_STALL_SEARCH_H

#include "fabric-stall.h"
#include "fabric-subnet-manager.h"
#include "fabric-types.h"

#include "ns3/ptr.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

class FabricSwitch;

namespace fabric
{

/// Looks for what holds up the frames of a fabric in which nothing moves any more.
class StallSearch
{
  public:
    /**
     * Looks at the switches and hosts of this rank.
     *
     * @param switches by number
     * @param backlog payload that waits in the hosts, bytes
     */
    StallSearch(const std::vector<Ptr<FabricSwitch>>& switches, uint64_t backlog);

    /**
     * Adds what other ranks have found; all of them have to call it, when the simulation is over.
     *
     * @param sent payload that was sent to other ranks, less what came from them, bytes
     */
    void AddRanks(int64_t sent);

    /**
     * @param links between the switches
     * @return what holds frames up; nothing if a frame moves or all have arrived
     */
    std::optional<Stall> Find(const std::vector<SwitchLink>& links) const;

  private:
    /// What holds up frames at a switch.
    struct Holdup
    {
        uint32_t number; ///< Of the switch.
        LocationId
            downHost;    ///< Host whose link is down and which has something to send; 0 for none.
        SwitchWait wait; ///< Else what a buffer of the switch waits for.
    };

    /// Adds what holds up frames at a switch.
    void LookAt(const FabricSwitch& fabricSwitch);

    bool m_isAtRest{true};         ///< Whether nothing moves by itself.
    uint64_t m_bytes{0};           ///< Payload that has not arrived.
    std::vector<Holdup> m_holdups; ///< By switch.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_STALL_SEARCH_H
