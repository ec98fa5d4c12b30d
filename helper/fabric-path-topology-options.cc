/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-path-topology-options.h"

#include "fabric-graph-helper.h"
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

/// @return words of `--routing` for a HyperX
OptionType<HyperXMode>
HyperXModeType()
{
    return EnumType<HyperXMode>({{"dimension-order", HYPERX_DIMENSION_ORDER},
                                 {"by-dimension", HYPERX_BY_DIMENSION},
                                 {"minimal", HYPERX_MINIMAL},
                                 {"adaptive", HYPERX_ADAPTIVE}});
}

/// @return words of `--routing` for a graph from a file
OptionType<GraphMode>
GraphModeType()
{
    return EnumType<GraphMode>(
        {{"up-down", GRAPH_UP_DOWN}, {"minimal", GRAPH_MINIMAL}, {"adaptive", GRAPH_ADAPTIVE}});
}

/// @return widths of a grid
OptionType<std::vector<uint64_t>>
WidthsType()
{
    return CountsType(1, SwitchGrid::MOST_DIMENSIONS, 2, MAX_HOSTS);
}

/// @return parallel links of a HyperX
OptionType<std::vector<uint64_t>>
TrunksType()
{
    return CountsType(1, SwitchGrid::MOST_DIMENSIONS, 1, MAX_PORTS);
}

/// @return the topology that options ask for
template <typename Topology, typename Config>
Topology
Make(const Config& config, const std::string& options)
{
    try
    {
        return Topology(config);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(options + ": " + error.what());
    }
}

} // namespace

void
PathTopologyOptions::Add(ProgramOptions& options)
{
    options.Add("hostsPerSwitch",
                "hosts on each switch of a dragonfly, torus or HyperX",
                m_hostsPerSwitch,
                CountType(1U, MAX_PORTS));
    options.Add("widths",
                "switches in each dimension of a torus or HyperX",
                m_widths,
                WidthsType());
    options.Add("trunks",
                "parallel links between two switches of a HyperX, by dimension, or one for all",
                m_trunks,
                TrunksType());
    options.Add(
        "routing",
        "paths: adaptive (by load) or minimal; dimension-order in a torus or HyperX; "
        "by-dimension (adaptive in that order) in a HyperX; valiant or ugal-l (which is "
        "adaptive) in a dragonfly; up-down in a file's graph, for which the default is what is "
        "best of what can be",
        m_routing,
        ChoiceType({"adaptive",
                    "minimal",
                    "dimension-order",
                    "by-dimension",
                    "valiant",
                    "ugal-l",
                    "up-down"}));
    m_dragonfly.Add(options);
}

void
PathTopologyOptions::Check(const ProgramOptions& options,
                           const std::string& topology,
                           bool isFile) const
{
    const bool isDragonfly = topology == "dragonfly";
    const bool isHyperX = topology == "hyperx";
    const bool isGrid = isHyperX || topology == "torus";
    if (!isDragonfly)
    {
        DragonflyOptions::Refuse(options, "--topology=dragonfly");
    }
    if (!isHyperX)
    {
        options.RefuseGiven({"trunks"}, "--topology=hyperx");
    }
    if (!isGrid)
    {
        options.RefuseGiven({"widths"}, "--topology=torus or hyperx");
    }
    if (!isGrid && !isDragonfly)
    {
        options.RefuseGiven({"hostsPerSwitch"}, "--topology=dragonfly, torus or hyperx");
    }
    if (!isGrid && !isDragonfly && !isFile)
    {
        options.RefuseGiven({"routing"}, "--topology=dragonfly, torus, hyperx or a file");
    }
}

std::vector<Routing>
PathTopologyOptions::RouteGraph(const ProgramOptions& options,
                                const GraphFile& graph,
                                const std::string& name)
{
    std::string fallback;
    if (options.IsGiven("routing"))
    {
        const GraphMode mode = GraphModeType().Read("--routing", m_routing);
        return GraphHelper::MakeRouting(graph, name, mode, fallback);
    }
    std::vector<Routing> routing = GraphHelper::MakeRouting(graph, name, GRAPH_BEST, fallback);
    GraphHelper::TellFallback(fallback);
    m_routing = GraphModeType().show(routing.front().Paths() ? GRAPH_ADAPTIVE : GRAPH_UP_DOWN);
    return routing;
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
    return Make<Torus>(TorusConfig{Widths(), m_hostsPerSwitch, mode}, GridText());
}

HyperX
PathTopologyOptions::MakeHyperX() const
{
    const HyperXMode mode = HyperXModeType().Read("--routing", m_routing);
    return Make<HyperX>(
        HyperXConfig{Widths(), m_hostsPerSwitch, {m_trunks.begin(), m_trunks.end()}, mode},
        GridText() + " --trunks=" + TrunksType().show(m_trunks) + " --routing=" + m_routing);
}

} // namespace ns3::fabric
