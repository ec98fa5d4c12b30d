/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTE_REPORT_H
#define FABRIC_ROUTE_REPORT_H

#include "fabric-types.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::fabric
{

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

} // namespace ns3::fabric

#endif // FABRIC_ROUTE_REPORT_H
