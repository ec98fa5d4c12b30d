/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-config.h"

#include "fabric-input-flow-table.h"
#include "fabric-lane-map.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

void
SwitchConfig::Validate() const
{
    buffer.Validate();
    turns.Validate();
    congestion.Validate();
    ValidateMarkRules(marks);
    crossbar.Validate(timing.latency, ports, Lists());
    if (crossbar.IsTiled() && lanes && lanes->HasWires())
    {
        throw std::invalid_argument(
            "Crossbar is tiled, and frames go in pieces (LanePreemption, LaneInterleaving, checks "
            "at flits), which its buses don't carry; allowed is ideal, or frames in one piece");
    }
    if (crossbar.IsTiled() && hasTelemetry)
    {
        throw std::invalid_argument("Crossbar is tiled, and Telemetry is true, which does not see "
                                    "what waits behind the tiles; allowed is ideal, or false");
    }
    if (lanes)
    {
        ValidateLanes(lanes->table);
        const PreemptionRules rules(lanes->preemption.For(lanes->table)); // throws
    }
    if (lanes && lanes->HasWires() && buffer.LimitsFrames())
    {
        throw std::invalid_argument(
            "MaxFrameBytes is " + std::to_string(buffer.maxFrameBytes) +
            ", and frames go in pieces (LanePreemption, LaneInterleaving, checks at flits); "
            "allowed is " +
            std::to_string(WireBytes(JUMBO_PAYLOAD)) + ", or frames in one piece");
    }
    if (lanes && lanes->HasWires() && flowChannels.ClassesWithWays() != 0)
    {
        throw std::invalid_argument(
            "UnorderedClasses is " + std::to_string(flowChannels.unorderedClasses) +
            ", of which some have flow channels, and frames go in pieces (LanePreemption, "
            "LaneInterleaving, checks at flits); allowed are classes of NoFlowClasses (" +
            std::to_string(flowChannels.noFlowClasses) + "), or frames in one piece");
    }
    ValidateShaping();
}

uint32_t
SwitchConfig::ShapedKinds() const
{
    uint32_t queues = 0;
    for (const ShapingTable* table : {linkShaping.get(), hostShaping.get()})
    {
        queues = table ? std::max(queues, table->LastQueue() + 1) : queues;
    }
    return queues * VIRTUAL_CHANNELS;
}

void
SwitchConfig::ValidateShaping() const
{
    if (linkShaping)
    {
        linkShaping->Validate(LINK_SHAPING_QUEUES);
    }
    if (hostShaping)
    {
        hostShaping->Validate(HOST_SHAPING_QUEUES);
    }
    const uint32_t kinds = ShapedKinds();
    if (kinds != 0 && lanes)
    {
        throw std::invalid_argument(
            std::string(linkShaping ? "LinkShapingTableFile" : "HostShapingTableFile") +
            " is set, and there is a lane table: both would decide whose frame goes next; allowed "
            "is one of them");
    }
    const uint32_t mostPorts =
        kinds == 0 ? ports : (FIRST_WAY_QUEUE - InputFlowTable::FIRST_VOQ) / kinds;
    if (ports > mostPorts)
    {
        throw std::invalid_argument("shaping table: the switch has " + std::to_string(ports) +
                                    " ports, allowed with queues up to " +
                                    std::to_string(kinds / VIRTUAL_CHANNELS - 1) + " are at most " +
                                    std::to_string(mostPorts));
    }
}

void
SwitchConfig::ValidateLanes(const LaneTable& table) const
{
    table.Validate();
    constexpr uint32_t MOST_PORTS = (0xFFFF - FLOW_IDS_PER_LINK) / TRAFFIC_CLASSES;
    if (ports > MOST_PORTS)
    {
        throw std::invalid_argument("lane table: the switch has " + std::to_string(ports) +
                                    " ports, allowed with virtual lanes are at most " +
                                    std::to_string(MOST_PORTS));
    }
    for (const LaneSettings& lane : table.lanes)
    {
        if (lane.lane >= DEFAULT_LANES)
        {
            throw std::invalid_argument("lane table: lane " + std::to_string(lane.lane) +
                                        " does not fit into the header of a frame, allowed are "
                                        "lanes 0 to " +
                                        std::to_string(DEFAULT_LANES - 1));
        }
    }
    const LaneMap map(table);
    if (map.LaneOf(0) == LaneMap::NO_LANE)
    {
        throw std::invalid_argument("lane table: no lane carries class 0, allowed in a switch are "
                                    "tables with such a lane; it carries all classes that have "
                                    "none");
    }
    for (uint32_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        if (map.LaneOf(c) == LaneMap::NO_LANE && buffer.vcOfClass[c] != buffer.vcOfClass[0])
        {
            throw std::invalid_argument(
                "lane table: no lane carries class " + std::to_string(c) +
                ", which would use those of class 0, but its virtual channel is " +
                std::to_string(buffer.vcOfClass[c]) + " and that of class 0 is " +
                std::to_string(buffer.vcOfClass[0]) +
                "; allowed is a lane for it, or the same channel");
        }
    }
}

void
SwitchConfig::ValidateRouting(const Routing& routing) const
{
    ValidateNeighbourLoads(routing);
    if (!routing.Paths())
    {
        RequireNoDetourBias();
        return;
    }
    const uint32_t channels = routing.Paths()->VirtualChannels();
    const std::string needs =
        "routing: each hop of a path needs a virtual channel of its own, with its own credits; ";
    for (uint32_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        if ((buffer.vcOfClass[c] + 1) * channels > buffer.shares.virtualChannels)
        {
            throw std::invalid_argument(
                needs + std::to_string(channels) + " for each of the " +
                std::to_string(buffer.vcOfClass[c] + 1) +
                " that ClassToVc gives to classes are more than VirtualChannels (" +
                std::to_string(buffer.shares.virtualChannels) + "), of which there are at most " +
                std::to_string(VIRTUAL_CHANNELS));
        }
    }
    if (lanes || buffer.lossyClasses != 0 || linkControl.flowControl != LINK_CREDITS)
    {
        throw std::invalid_argument(
            needs + "allowed are no lane table, no LossyClasses and LinkFlowControl=credits");
    }
}

void
SwitchConfig::RequireNoDetourBias() const
{
    const uint32_t usual = SwitchConfig().detourBias;
    if (detourBias != usual)
    {
        throw std::invalid_argument("DetourBias is " + std::to_string(detourBias) +
                                    ", and no way by the routes is a detour; allowed is " +
                                    std::to_string(usual) +
                                    ", or routes by load, as in a dragonfly");
    }
}

void
SwitchConfig::ValidateTree(const Routing& routing, uint32_t needed) const
{
    const uint32_t ofRoutes = routing.Paths() ? routing.Paths()->VirtualChannels() : 1;
    const bool haveOneChannel = std::all_of(buffer.vcOfClass.begin(),
                                            buffer.vcOfClass.end(),
                                            [](uint8_t vc) { return vc == 0; });
    if (needed > ofRoutes && (!haveOneChannel || needed > buffer.shares.virtualChannels))
    {
        throw std::invalid_argument(
            "groups: frames on the way to the root of a tree and from it take " +
            std::to_string(needed) + " virtual channels, and routes of a class " +
            std::to_string(ofRoutes) +
            "; allowed are as many VirtualChannels and ClassToVc=0 for all classes, or adaptive "
            "routes, which have as many for themselves");
    }
}

void
SwitchConfig::ValidateNeighbourLoads(const Routing& routing) const
{
    if (!congestion.neighbourLoads.isOn)
    {
        return;
    }
    const PathRule* paths = routing.Paths();
    const bool choosesEach = paths && flowChannels.unorderedClasses != 0;
    if (!flowChannels.HasChannels() && !choosesEach)
    {
        throw std::invalid_argument(std::string("NeighbourLoads is true, and no class has flow "
                                                "channels; allowed is false, or flow channels "
                                                "(FlowChannels, NoFlowClasses)") +
                                    (paths ? ", or UnorderedClasses" : ""));
    }
    if (paths && !paths->WeighsLinksOfNeighbours())
    {
        throw std::invalid_argument("NeighbourLoads is true, and no way depends on the links of "
                                    "neighbours; allowed is false, or routes by destination "
                                    "alone, or a dragonfly with a choice of global links");
    }
}

} // namespace ns3::fabric
