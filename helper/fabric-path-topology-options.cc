/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-path-topology-options.h"

#include "fabric-option-type.h"

#include <stdexcept>

namespace ns3::fabric
{

namespace
{

/// @return words of `--routing` for a torus
OptionType<TorusMode>
TorusModeType()
{
    return EnumType<TorusMode>({{"dimension-order", TORUS_DIMENSION_ORDER},
                                {"minimal", TORUS_MINIMAL},
                                {"adaptive", TORUS_ADAPTIVE}});
}

/// @return widths of a grid
OptionType<std::vector<uint64_t>>
WidthsType()
{
    return CountsType(1, SwitchGrid::MOST_DIMENSIONS, 2, MAX_HOSTS);
}

} // namespace

void
PathTopologyOptions::Add(ProgramOptions& options)
{
    options.Add("hostsPerSwitch",
                "hosts on each switch of a dragonfly or torus",
                m_hostsPerSwitch,
                CountType(1U, MAX_PORTS));
    options.Add("widths", "switches in each dimension of a torus", m_widths, WidthsType());
    options.Add("routing",
                "paths: adaptive (by load) or minimal; dimension-order in a torus; valiant or "
                "ugal-l (which is adaptive) in a dragonfly",
                m_routing,
                ChoiceType({"adaptive", "minimal", "dimension-order", "valiant", "ugal-l"}));
    m_dragonfly.Add(options);
}

void
PathTopologyOptions::Check(const ProgramOptions& options, const std::string& topology) const
{
    const bool isTorus = topology == "torus";
    const bool isDragonfly = topology == "dragonfly";
    if (!isDragonfly)
    {
        DragonflyOptions::Refuse(options, "--topology=dragonfly");
    }
    if (!isTorus)
    {
        options.RefuseGiven({"widths"}, "--topology=torus");
    }
    if (!isTorus && !isDragonfly)
    {
        options.RefuseGiven({"hostsPerSwitch", "routing"}, "--topology=dragonfly or torus");
    }
}

std::vector<uint32_t>
PathTopologyOptions::Widths() const
{
    return {m_widths.begin(), m_widths.end()};
}

std::string
PathTopologyOptions::GridText() const
{
    return "--hostsPerSwitch=" + std::to_string(m_hostsPerSwitch) +
           " --widths=" + WidthsType().show(m_widths);
}

Torus
PathTopologyOptions::MakeTorus() const
{
    const TorusMode mode = TorusModeType().Read("--routing", m_routing);
    try
    {
        return Torus({Widths(), m_hostsPerSwitch, mode});
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(GridText() + ": " + error.what());
    }
}

} // namespace ns3::fabric
