/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-graph-helper.h"

#include "fabric-graph-rule.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <iostream>
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

/// @return a link as it stands in a file. @param a one end @param b the other end
fabric::TopologyFile::Link
MakeFileLink(uint32_t a, uint32_t b, const Ptr<FabricChannel>& channel)
{
    DataRateValue rate;
    TimeValue delay;
    channel->GetAttribute("DataRate", rate);
    channel->GetAttribute("Delay", delay);
    const auto errors = DynamicCast<RateErrorModel>(channel->GetErrorModels()[0]);
    return {a, b, rate.Get(), delay.Get(), errors ? errors->GetRate() : 0};
}

} // namespace

GraphHelper::GraphHelper(const std::string& file, fabric::GraphMode mode)
    : m_graph(fabric::GraphFile::Read(file)),
      m_routing(MakeRouting(m_graph, file, mode, m_fallback))
{
    if (m_routing.front().Paths())
    {
        SetSwitchAttribute("VirtualChannels", UintegerValue(fabric::VIRTUAL_CHANNELS));
    }
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

fabric::TopologyFile
GraphHelper::MakeFile(const FabricContainer& fabric, const fabric::NodeNumbers& nodes)
{
    fabric::TopologyFile file;
    file.nodes = static_cast<uint32_t>(nodes.hosts.size() + nodes.switches.size());
    file.switches = nodes.switches;
    for (uint32_t host = 0; host < fabric.hostLinks.size(); ++host)
    {
        const uint32_t edge = fabric.GetDevice(host)->GetSwitch()->GetNumber();
        file.links.push_back(
            MakeFileLink(nodes.hosts[host], nodes.switches[edge], fabric.hostLinks[host]));
    }
    const std::vector<fabric::SwitchLink>& links = fabric.network->GetSubnetManager().Links();
    for (uint32_t i = 0; i < links.size(); ++i)
    {
        file.links.push_back(MakeFileLink(nodes.switches[links[i][0].number],
                                          nodes.switches[links[i][1].number],
                                          fabric.links[i]));
    }
    return file;
}

std::vector<fabric::Routing>
GraphHelper::MakeRouting(const fabric::GraphFile& graph,
                         const std::string& name,
                         fabric::GraphMode mode,
                         std::string& fallback)
{
    try
    {
        uint32_t tooFar = 0;
        std::vector<fabric::Routing> routing = fabric::MakeGraphRouting(graph.plan, mode, &tooFar);
        fallback = tooFar == 0 ? ""
                               : name + ": hosts are " + std::to_string(tooFar) +
                                     " links between switches apart, and paths by load have at "
                                     "most " +
                                     std::to_string(fabric::GraphRule::MOST_LINKS) +
                                     ": frames go up and then down, as with up-down routing";
        return routing;
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(name + ": " + error.what());
    }
}

void
GraphHelper::TellFallback(const std::string& fallback)
{
    if (!fallback.empty() && Simulator::GetSystemId() == 0)
    {
        std::cerr << fallback << std::endl;
    }
}

} // namespace ns3
