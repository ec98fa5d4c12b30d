/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OWN_QUEUES_H
#define FABRIC_OWN_QUEUES_H

#include "fabric-nic.h"

#include <algorithm>
#include <unordered_map>

namespace ns3::fabric
{

/**
 * Queues of a NIC that one engine has for itself, one for each flow. Its packets have turns with
 * those of other engines, and do not wait behind them, also where they go to the same host.
 */
class OwnQueues
{
  public:
    /// @return number of the queue of a flow, made if need be
    uint32_t Open(Nic& nic, const MessageFlow& flow)
    {
        const FlowKey key = Nic::KeyOf(flow);
        const auto place = m_numberOf.find(key);
        return place != m_numberOf.end()
                   ? place->second
                   : m_numberOf.emplace(key, nic.AddQueue(flow)).first->second;
    }

    /// @param queue number of one of them @return where its flow goes; for what is rare
    LocationId DestinationOf(uint32_t queue) const
    {
        const auto place = std::find_if(m_numberOf.begin(),
                                        m_numberOf.end(),
                                        [queue](const auto& each) { return each.second == queue; });
        return place->first.destination;
    }

  private:
    std::unordered_map<FlowKey, uint32_t, FlowKeyHash> m_numberOf; ///< By flow.
};

} // namespace ns3::fabric

#endif // FABRIC_OWN_QUEUES_H
