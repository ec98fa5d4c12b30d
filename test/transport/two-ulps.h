/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWO_ULPS_H
#define TWO_ULPS_H

#include "fabric-transport-bed.h"
#include "fabric-transport-endpoint.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// Records what two ULPs are told; targets answer OK at once.
class TwoUlps
{
  public:
    TwoUlps(const TransportSettings& settings,
            const ConnectionSettings& accepted,
            const NetworkFaults& faults = NetworkFaults(),
            uint32_t nodes = 2)
        : bed(nodes, settings, accepted, faults, 1)
    {
        bed.onEvent = [this](uint32_t node, const UlpEvent& event) {
            events.emplace_back(node, event);
            if (event.type == UlpEventType::REQUEST && answers)
            {
                Answer(node, event);
            }
        };
    }

    void Answer(uint32_t node, const UlpEvent& event)
    {
        event.operation == UlpOperation::PULL
            ? bed.Node(node).Respond(event.cid, event.rsn, bed.Now())
            : bed.Node(node).AckRequest(event.cid, event.rsn, UlpAnswer::OK, bed.Now());
    }

    /// @return the events of a type at a node as "rsn:status" with blanks
    std::string Text(uint32_t node, UlpEventType type) const
    {
        std::string text;
        for (const auto& [who, event] : events)
        {
            if (who == node && event.type == type)
            {
                text += (text.empty() ? "" : " ") + std::to_string(event.rsn) + ":" +
                        std::to_string(static_cast<int>(event.status));
            }
        }
        return text;
    }

    uint64_t Used(uint32_t node)
    {
        const TransportOccupancy o = bed.Node(node).Occupancy();
        return o.initiatorEntries.used + o.targetEntries.used + o.packetEntries.used +
               o.sendPayload.used + o.receivePayload.used + o.granted.used;
    }

    bool answers{true};
    TransportBed bed;
    std::vector<std::pair<uint32_t, UlpEvent>> events;
};

} // namespace ns3::fabric

#endif // TWO_ULPS_H
