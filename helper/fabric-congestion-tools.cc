/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-congestion-tools.h"

#include "fabric-option-type.h"

#include "ns3/string.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

/// What switches a tool on and off. One that takes several attributes has several lines.
struct ToolAttribute
{
    const char* tool; ///< Its name.
    const char* name; ///< Of the attribute.
    const char* on;   ///< The attribute's value with the tool.
    const char* off;  ///< The attribute's value without it.
};

/// Of all tools.
constexpr ToolAttribute TOOL_ATTRIBUTES[] = {
    {"endpoint", "ns3::FabricSwitch::EndpointCongestion", "true", "false"},
    {"fgfc", "ns3::FabricSwitch::Fgfc", "true", "false"},
    {"hop-credits", "ns3::FabricSwitch::HopCredits", "true", "false"},
    {"injection-limit", "ns3::FabricSwitch::FlowLimits", "true", "false"},
    {"pacing", "ns3::FabricSwitch::Pacing", "true", "false"},
    {"reroute", "ns3::FabricSwitch::Reroute", "true", "false"},
    {"slow-paths", "ns3::FabricSwitch::SlowPaths", "true", "false"},
};

/// @return the names of all tools
std::vector<std::string>
AllTools()
{
    std::vector<std::string> names;
    for (const ToolAttribute& attribute : TOOL_ATTRIBUTES)
    {
        if (names.empty() || names.back() != attribute.tool)
        {
            names.emplace_back(attribute.tool);
        }
    }
    return names;
}

} // namespace

CongestionTools::CongestionTools()
    : tools(AllTools())
{
    // As the switches have it by default: what moves flows is against overload inside the fabric,
    // where the others do nothing.
    tools.erase(std::find(tools.begin(), tools.end(), "reroute"));
}

void
CongestionTools::AddTo(ProgramOptions& options)
{
    options.Add("tools",
                "what manages congestion in flow channels",
                tools,
                ChoicesType(AllTools()));
    for (const ToolAttribute& attribute : TOOL_ATTRIBUTES)
    {
        options.ReserveAttributes({attribute.name}, "--tools");
    }
}

void
CongestionTools::SetAttributes(const ProgramOptions& options, bool hasFlowChannels) const
{
    if (!hasFlowChannels && options.IsGiven("tools") && !tools.empty())
    {
        ThrowNotAllowed("--tools", WordList(tools, ","), "none where --flowChannels is off");
    }
    if ((Has("injection-limit") || Has("pacing")) && !Has("endpoint"))
    {
        ThrowNotAllowed("--tools",
                        WordList(tools, ","),
                        "endpoint besides, whose severity injection-limit and pacing act by");
    }
    for (const ToolAttribute& attribute : TOOL_ATTRIBUTES)
    {
        const bool isOn = hasFlowChannels && Has(attribute.tool);
        options.SetDefault(attribute.name, StringValue(isOn ? attribute.on : attribute.off));
    }
}

bool
CongestionTools::Has(const std::string& tool) const
{
    return std::find(tools.begin(), tools.end(), tool) != tools.end();
}

} // namespace ns3::fabric
