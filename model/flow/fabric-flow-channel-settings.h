/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_CHANNEL_SETTINGS_H
#define FABRIC_FLOW_CHANNEL_SETTINGS_H

#include "fabric-flow-key.h"
#include "fabric-flow-rules.h"
#include "fabric-types.h"

namespace ns3::fabric
{

/// What is counted of flow channels one by one (FC-3).
enum FlowStatisticsMode : uint8_t
{
    NO_FLOW_STATISTICS,     ///< Nothing.
    OPEN_FLOW_STATISTICS,   ///< Of channels that are open.
    CLOSED_FLOW_STATISTICS, ///< What channels that have ended did is kept, too.
};

/// Which frames have flow channels, and how many there are.
struct FlowChannelSettings
{
    bool enabled{true};          ///< Off: a plain lossless switch with virtual output queues.
    FlowFields fields{FLOW_ALL}; ///< Header fields that tell flows apart (FC-2).
    uint16_t noFlowClasses{0};   ///< Bit mask of classes without flow channels (FC-14).
    uint32_t ids{FLOW_IDS_PER_LINK - 1}; ///< Flow channels of a link at a time (FC-9).
    /// Bit mask of classes whose frames may overtake others of their flow (FC-11).
    uint16_t unorderedClasses{0};
    /// A flow channel that is silent for so long is asked for, on links that may lose ACKs (WL-2),
    /// ps. Chosen: a hundred times the round trip in a fat tree, so that few live ones are.
    TimePs checkInterval{100'000'000};
    FlowStatisticsMode statistics{NO_FLOW_STATISTICS}; ///< What is counted of each.
    FlowRules rules{}; ///< For the frames that they match, instead of the fields (FC-2).

    /// @return bit mask of the classes without flow channels
    uint16_t ClassesWithoutChannel() const
    {
        return enabled ? noFlowClasses : 0xFFFF;
    }

    /// @return whether any class has flow channels
    bool HasChannels() const
    {
        return ClassesWithoutChannel() != 0xFFFF;
    }

    /// @return whether it gets a flow channel
    bool HasChannel(uint8_t trafficClass) const
    {
        return (ClassesWithoutChannel() >> trafficClass & 1) == 0;
    }

    /// @return bit mask of the classes with flow channels whose flows take several ways at a time
    uint16_t ClassesWithWays() const
    {
        return unorderedClasses & ~ClassesWithoutChannel();
    }

    /// @return whether there are flow channels, and all of them take several ways at a time
    bool HasOnlyWays() const
    {
        return ClassesWithWays() != 0 && (unorderedClasses | ClassesWithoutChannel()) == 0xFFFF;
    }

    /// @return whether frames of the class must not overtake others of their flow
    bool IsOrdered(uint8_t trafficClass) const
    {
        return (unorderedClasses >> trafficClass & 1) == 0;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_CHANNEL_SETTINGS_H
