/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-graph-helper.h"

#include "fabric-graph-routing.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/pointer.h"

#include <stdexcept>

namespace ns3
{

namespace
{

/// @return what damages a part of the frames
Ptr<ErrorModel>
MakeErrors(double part)
{
    const auto errors = CreateObject<RateErrorModel>();
    errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    errors->SetRate(part);
    return errors;
}

/// Sets the attributes of a link. @param set is called with the name and value of each
template <typename Set>
void
SetLink(const fabric::GraphLink& link, const Set& set)
{
    set("DataRate", DataRateValue(link.rate));
    set("Delay", TimeValue(link.delay));
    if (link.errors > 0)
    {
        set("ErrorModel", PointerValue(MakeErrors(link.errors)));
        set("ReverseErrorModel", PointerValue(MakeErrors(link.errors)));
        set("Retry", BooleanValue(true));
    }
}

} // namespace

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
        SetLink(graph.links[i], [&helper, i](const std::string& name, const AttributeValue& value) {
            helper.SetLinkAttribute(i, name, value);
        });
    }
    for (uint32_t i = 0; i < graph.hostLinks.size(); ++i)
    {
        SetLink(graph.hostLinks[i],
                [&helper, i](const std::string& name, const AttributeValue& value) {
                    helper.SetHostLinkAttribute(i, name, value);
                });
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
