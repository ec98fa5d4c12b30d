/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-graph-helper.h"

#include "fabric-graph-routing.h"

#include <stdexcept>

namespace ns3
{

GraphHelper::GraphHelper(const std::string& file)
    : m_graph(fabric::GraphFile::Read(file)),
      m_routing(MakeRouting(m_graph, file))
{
    SetLinks(*this, m_graph);
    SetRouteCheck(ROUTES_ARE_PROVEN);
}

void
GraphHelper::SetLinks(FabricHelper& helper, const fabric::GraphFile& graph)
{
    for (uint32_t i = 0; i < graph.links.size(); ++i)
    {
        helper.SetLinkAttribute(i, "DataRate", DataRateValue(graph.links[i].rate));
        helper.SetLinkAttribute(i, "Delay", TimeValue(graph.links[i].delay));
    }
    for (uint32_t i = 0; i < graph.hostLinks.size(); ++i)
    {
        helper.SetHostLinkAttribute(i, "DataRate", DataRateValue(graph.hostLinks[i].rate));
        helper.SetHostLinkAttribute(i, "Delay", TimeValue(graph.hostLinks[i].delay));
    }
}

std::vector<fabric::Routing>
GraphHelper::MakeRouting(const fabric::GraphFile& graph, const std::string& name)
{
    try
    {
        return fabric::MakeGraphRouting(graph.plan);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(name + ": " + error.what());
    }
}

} // namespace ns3
