/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-route-report.h"

#include <stdexcept>

namespace ns3::fabric
{

namespace
{

/// @return it in words, to follow the description of the frame
const char*
GetText(RouteFault fault)
{
    switch (fault)
    {
    case RouteFault::NO_ROUTE:
        return "has no route";
    case RouteFault::BAD_OUTPUT:
        return "is routed to a port or virtual channel that is not there";
    case RouteFault::WRONG_HOST:
        return "is delivered to another host";
    case RouteFault::DETOUR:
        return "takes a hop that is on no shortest path";
    case RouteFault::DOWN_THEN_UP:
        return "came down and is routed up again";
    }
    return "";
}

} // namespace

std::string
RouteFaultAt::Describe() const
{
    return "a frame to location " + std::to_string(dst) + " that came in by port " +
           std::to_string(inputPort) + ", VC " + std::to_string(vc) + " of switch " +
           std::to_string(sw) + " " + GetText(fault);
}

std::string
RouteReport::DescribeCycle() const
{
    std::string text = "frames that go";
    for (const Channel& channel : cycle)
    {
        text += " from switch " + std::to_string(channel.from) + " port " +
                std::to_string(channel.fromPort) + " (VC " + std::to_string(channel.vc) + ")";
    }
    return text + " can wait each for the next in a circle";
}

void
RouteReport::RequireGood() const
{
    if (!IsGood())
    {
        throw std::logic_error(Describe());
    }
}

std::string
RouteReport::Describe() const
{
    auto text = std::to_string(channels) + " channels, " + std::to_string(dependencies) +
                " dependencies, " + (cycle.empty() ? "free of deadlock" : "a cycle:") + "\n";
    for (const auto& channel : cycle)
    {
        text += "  switch " + std::to_string(channel.from) + " port " +
                std::to_string(channel.fromPort) + " -> switch " + std::to_string(channel.to) +
                " port " + std::to_string(channel.toPort) + ", VC " + std::to_string(channel.vc) +
                "\n";
    }
    return fault ? text + fault->Describe() + "\n" : text;
}

} // namespace ns3::fabric
