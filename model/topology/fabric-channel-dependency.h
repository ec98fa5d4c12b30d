/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CHANNEL_DEPENDENCY_H
#define FABRIC_CHANNEL_DEPENDENCY_H

#include "fabric-group-tree.h"
#include "fabric-interval-routing.h"
#include "fabric-port-map.h"
#include "fabric-route-turn.h"
#include "fabric-routing.h"
#include "fabric-topology.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// One thing that routing may do with a frame: leave by this port on this virtual channel.
struct RouteHop
{
    uint16_t port; ///< Output port.
    uint8_t vc;    ///< Virtual channel on the link that follows.
};

/**
 * Routing as the checker sees it: appends all that a switch may ever do with a frame, under any
 * load. Arguments: switch, input port, virtual channel on which the frame came, destination, list
 * to append to. Where the choice also depends on what is not among them, as the intermediate group
 * of a detour, it appends the choices for all values that are possible.
 */
using RouteFunction =
    std::function<void(uint32_t, uint16_t, uint8_t, LocationId, std::vector<RouteHop>&)>;

/**
 * @param routing a rule for each switch; must stay as long as the function is used
 * @return the route function of switches that keep a frame's virtual channel
 */
RouteFunction MakeRouteFunction(const std::vector<IntervalRouting>& routing);

/// @return the same of routing by rule, by table or by PathRule
RouteFunction MakeRouteFunction(const std::vector<Routing>& routing);

/// A mistake in routing that does not need a cycle.
enum class RouteFault : uint8_t
{
    NO_ROUTE,     ///< No output for a frame that got there.
    BAD_OUTPUT,   ///< Port or virtual channel that is not there, or port that is not connected.
    WRONG_HOST,   ///< Delivered to a host that is not the destination.
    DETOUR,       ///< The hop does not bring the frame nearer: the path is not a shortest one.
    DOWN_THEN_UP, ///< Leaves upward what came from above: not up*, then down*.
};

/// Where a fault was found.
struct RouteFaultAt
{
    RouteFault fault;   ///< What is wrong.
    uint32_t sw;        ///< Switch that does it.
    uint16_t inputPort; ///< Port that the frame came in by.
    uint8_t vc;         ///< Virtual channel that it came on.
    LocationId dst;     ///< Where it is to go.

    /// @return one sentence for people
    std::string Describe() const;
};

/// What routes must satisfy besides being complete and free of deadlock.
struct RouteDemands
{
    bool shortest = false; ///< Every path is a shortest one.
    bool upDown = false;   ///< No path goes to a higher tier after it went to a lower one.
    /// Check one destination of each edge switch only, and from other switches what one host sends.
    /// Enough where switches other than the destination's own do not tell its hosts apart, and a
    /// switch does not tell apart from which of its hosts a frame comes; that many times quicker.
    bool oneHostPerSwitch = false;
    /// Switches of each group, if the routes of groups are alike: for a destination so many groups
    /// further on, a switch does what its like in the first group does. Then destinations of the
    /// first group are enough, and channels of other groups stand for those of the first; what is
    /// found is the same. 0 for no groups. If the plan's groups are not alike, it counts as 0.
    uint32_t groupSwitches = 0;
    /// Destinations that are checked: the first so many.
    uint32_t mostDestinations = MAX_HOSTS;
};

/// One direction of a link between switches, on one virtual channel: what a frame holds while it
/// waits for the next.
struct Channel
{
    uint32_t from;     ///< Switch that sends.
    uint32_t to;       ///< Switch that receives.
    uint16_t fromPort; ///< Port of the sender.
    uint16_t toPort;   ///< Port of the receiver.
    uint8_t vc;        ///< Virtual channel.
};

/// What CheckRoutes() found.
struct RouteReport
{
    uint64_t channels = 0;      ///< Channels that some route uses.
    uint64_t dependencies = 0;  ///< Pairs of channels that some route uses one after the other.
    std::vector<Channel> cycle; ///< Channels that wait each for the next, the last for the first.
    std::optional<RouteFaultAt> fault; ///< First fault, in the order of destinations.

    /// @return whether there is no cycle, and so no frames that can wait for each other for ever
    bool IsDeadlockFree() const
    {
        return cycle.empty();
    }

    /**
     * @return whether all is well. Any walk from any host to any other then ends at that host,
     *         whatever is chosen on the way: there is always a next hop, it cannot go round, and no
     *         frame is delivered elsewhere.
     */
    bool IsGood() const
    {
        return cycle.empty() && !fault;
    }

    /// @throws std::logic_error with Describe() if all is not well
    void RequireGood() const;

    /// @return the cycle, which there is, as part of a sentence
    std::string DescribeCycle() const;

    /// @return what was found, a line for each channel of a cycle
    std::string Describe() const;
};

/**
 * Proves that routing on a topology is free of deadlock and complete (FC-13).
 *
 * It follows the frames for every destination from every host through all choices, and notes which
 * channel is wanted by a frame that holds which other: the channel dependency graph. Without a
 * cycle in it there is no deadlock, whatever the load (Dally and Seitz, "Deadlock-free message
 * routing in multiprocessor interconnection networks", 1987). Only dependencies that a route really
 * makes are in the graph: a turn counts if a frame that makes it can get there.
 *
 * Injection channels (host to switch) are where frames start. No frame in a switch waits for one,
 * so none is on a cycle, and they are not counted. Hosts are taken to accept all that is delivered.
 *
 * The work is destinations x channels that lead there x choices: on one core 2 ms for a fat tree
 * with k = 8, 0.2 s with k = 16, and with RouteDemands::oneHostPerSwitch 1.7 s with k = 32.
 *
 * @param virtualChannels of each link, 1 to VIRTUAL_CHANNELS
 * @param route what the switches do; hosts send on virtual channel 0
 * @param demands what else the routes must satisfy
 * @param groups whose frames are copied on their trees: a frame that holds the room of a link waits
 * for all others of its tree at that switch; and reductions, likewise
 * @return what was found
 * @throws std::invalid_argument if the plan is not sound (PortMap) or a number is out of range
 */
RouteReport CheckRoutes(const TopologyPlan& plan,
                        uint32_t virtualChannels,
                        const RouteFunction& route,
                        const RouteDemands& demands = {},
                        const std::vector<GroupTree>& groups = {});

/**
 * The same for the switches that FabricHelper installs: they keep the virtual channel of a frame's
 * class, or a PathRule tells which of those that the class has for itself.
 *
 * Where rules say that groups are alike (PathRule::IsAlike()), one group's destinations are
 * followed: 37,888 hosts of a dragonfly take seconds.
 *
 * @param routing of each switch, in the plan's order
 * @param groups see above; they may take more virtual channels than routes
 */
RouteReport CheckRoutes(const TopologyPlan& plan,
                        const std::vector<Routing>& routing,
                        const RouteDemands& demands = {},
                        const std::vector<GroupTree>& groups = {});

/**
 * @param routing of each switch, by destination alone
 * @return all turns of frames from host to host, each once: what trees of groups have to agree with
 */
std::vector<RouteTurn> FindTurns(const TopologyPlan& plan, const std::vector<Routing>& routing);

/**
 * The proof for trees on one virtual channel, from turns that are known.
 *
 * @param turns see FindTurns()
 * @return what CheckRoutes() finds, but for channels that frames take once and faults of routes
 */
RouteReport CheckTurns(const TopologyPlan& plan,
                       const std::vector<RouteTurn>& turns,
                       const std::vector<GroupTree>& groups);

/// @return turns of copies of a group's frames, whoever sends them
std::vector<RouteTurn> TurnsOf(const PortMap& ports, const GroupTree& group);

/**
 * CheckRoutes() of one destination of each switch.
 *
 * @throws std::logic_error with what is wrong if routes do not reach everybody or can deadlock
 */
void ProveRoutes(const TopologyPlan& plan, const std::vector<Routing>& routing);

} // namespace ns3::fabric

#endif // FABRIC_CHANNEL_DEPENDENCY_H
