/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-helper.h"

#include "fabric-attribute-value.h"
#include "fabric-channel-dependency.h"
#include "fabric-channel.h"
#include "fabric-ideal-paths.h"
#include "fabric-rank-plan.h"
#include "fabric-require.h"
#include "fabric-resolution.h"
#include "fabric-short-buffers.h"
#include "fabric-streams.h"
#include "fabric-switch-capture.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricHelper");

namespace
{

/// Warns of links that their buffers don't let go at their rate: once, however many ranks there
/// are.
void
TellShortBuffers(const FabricContainer& fabric, const fabric::TopologyPlan& plan)
{
    if (Simulator::GetSystemId() != 0)
    {
        return;
    }
    if (const std::string sentence = fabric::DescribeShortBuffers(fabric, plan); !sentence.empty())
    {
        std::cerr << "FabricHelper: " << sentence << std::endl;
    }
}

} // namespace

Ptr<FabricNetDevice>
FabricContainer::GetDevice(uint32_t host) const
{
    const auto& all = network->GetDevices();
    fabric::RequireIndex("FabricContainer::GetDevice()", "host", host, all.size());
    return all[host];
}

Ptr<FabricSwitch>
FabricContainer::GetSwitch(uint32_t i) const
{
    const auto& all = network->GetSwitches();
    fabric::RequireIndex("FabricContainer::GetSwitch()", "switch", i, all.size());
    return all[i];
}

Ptr<FabricChannel>
FabricContainer::GetLink(uint32_t a, uint32_t b, uint32_t n) const
{
    if (a < switches.GetN() && b < switches.GetN())
    {
        for (const Ptr<FabricChannel>& link : links)
        {
            const Ptr<Node> first = link->GetDevice(0)->GetNode();
            const Ptr<Node> second = link->GetDevice(1)->GetNode();
            const bool isIt = (first == switches.Get(a) && second == switches.Get(b)) ||
                              (first == switches.Get(b) && second == switches.Get(a));
            if (isIt && n-- == 0)
            {
                return link;
            }
        }
    }
    throw std::invalid_argument("FabricContainer: there is no such link between the switches " +
                                std::to_string(a) + " and " + std::to_string(b) +
                                "; allowed are two that are linked, from 0 to " +
                                std::to_string(switches.GetN() - 1));
}

void
FabricContainer::FailLink(uint32_t a, uint32_t b, Time from, Time to) const
{
    GetLink(a, b)->FailBetween(from, to);
}

void
FabricContainer::FailHostLink(uint32_t host, Time from, Time to) const
{
    fabric::RequireIndex("FabricContainer::FailHostLink()", "host", host, hostLinks.size());
    hostLinks[host]->FailBetween(from, to);
}

FabricHelper::FabricHelper()
{
    fabric::RequirePicoseconds();
    m_network.SetTypeId("ns3::FabricNetwork");
    m_switch.SetTypeId("ns3::FabricSwitch");
    m_device.SetTypeId("ns3::FabricNetDevice");
    m_channel.SetTypeId("ns3::FabricChannel");
    m_hostChannel.SetTypeId("ns3::FabricChannel");
}

void
FabricHelper::SetNetworkAttribute(const std::string& name, const AttributeValue& value)
{
    fabric::SetChecked(m_network, name, value);
}

void
FabricHelper::SetOptions(const fabric::ProgramOptions& options)
{
    m_network.Set("Lookahead", BooleanValue(options.Common().lookahead));
    m_network.Set("Threads", UintegerValue(options.Common().threads));
}

void
FabricHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    fabric::SetChecked(m_switch, name, value);
}

void
FabricHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    fabric::SetChecked(m_device, name, value);
}

void
FabricHelper::SetDeviceAttribute(uint32_t host,
                                 const std::string& name,
                                 const AttributeValue& value)
{
    fabric::CheckAttribute(m_device.GetTypeId(), name, value);
    m_own.push_back({host, name, value.Copy()});
}

void
FabricHelper::EnablePcapInternal(std::string prefix,
                                 Ptr<NetDevice> device,
                                 bool /* promiscuous */,
                                 bool explicitFilename)
{
    const auto port = DynamicCast<FabricDevice>(device);
    if (!port || !port->GetChannel())
    {
        NS_LOG_INFO(device << " has no link of a fabric");
        return;
    }
    FabricSwitchCapture::Start(
        port,
        explicitFilename ? prefix : PcapHelper().GetFilenameFromDevice(prefix, device));
}

template <typename Owner>
ObjectFactory
FabricHelper::WithOwn(ObjectFactory factory,
                      const std::vector<OwnAttribute<Owner>>& attributes,
                      Owner owner)
{
    for (const OwnAttribute<Owner>& own : attributes)
    {
        if (own.owner == owner)
        {
            factory.Set(own.name, *own.value);
        }
    }
    return factory;
}

ObjectFactory
FabricHelper::WithOwn(ObjectFactory factory, const AttributesOfLinks& attributes, uint32_t link)
{
    if (const auto own = attributes.find(link); own != attributes.end())
    {
        for (const auto& [name, value] : own->second)
        {
            factory.Set(name, *value);
        }
    }
    return factory;
}

Ptr<FabricNetDevice>
FabricHelper::MakeDevice(uint32_t host) const
{
    return WithOwn(m_device, m_own, host).Create<FabricNetDevice>();
}

void
FabricHelper::SetChannelAttribute(const std::string& name, const AttributeValue& value)
{
    fabric::SetChecked(m_channel, name, value);
    fabric::SetChecked(m_hostChannel, name, value);
}

void
FabricHelper::SetHostChannelAttribute(const std::string& name, const AttributeValue& value)
{
    fabric::SetChecked(m_hostChannel, name, value);
}

void
FabricHelper::SetChannelAttribute(fabric::LinkClass kind,
                                  const std::string& name,
                                  const AttributeValue& value)
{
    fabric::CheckAttribute(m_channel.GetTypeId(), name, value);
    m_ofClass.push_back({kind, name, value.Copy()});
}

void
FabricHelper::SetLinkAttribute(uint32_t link, const std::string& name, const AttributeValue& value)
{
    fabric::CheckAttribute(m_channel.GetTypeId(), name, value);
    m_ofLink[link].emplace_back(name, value.Copy());
}

void
FabricHelper::SetHostLinkAttribute(uint32_t host,
                                   const std::string& name,
                                   const AttributeValue& value)
{
    fabric::CheckAttribute(m_hostChannel.GetTypeId(), name, value);
    m_ofHostLink[host].emplace_back(name, value.Copy());
}

void
FabricHelper::SetErrorModel(const ObjectFactory& model)
{
    m_errorModel = model;
}

void
FabricHelper::SetLaneTable(const fabric::LaneTable& table)
{
    table.Validate();
    m_lanes = table;
}

void
FabricHelper::SetLinkShapingTable(const fabric::ShapingTable& table)
{
    table.Validate(fabric::LINK_SHAPING_QUEUES);
    m_linkShaping = table;
}

void
FabricHelper::SetHostShapingTable(const fabric::ShapingTable& table)
{
    table.Validate(fabric::HOST_SHAPING_QUEUES);
    m_hostShaping = table;
}

void
FabricHelper::SetStream(int64_t stream)
{
    m_stream = stream;
}

namespace
{

/// Refuses an attribute of what a plan does not have. @param what of which it is @param all what
/// the plan has
void
RequireOwner(const std::string& what, uint32_t number, std::size_t size, const std::string& all)
{
    if (number < size)
    {
        return;
    }
    const std::string allowed =
        size == 0 ? "the plan has no " + all
                  : "allowed are the " + all + " 0 to " + std::to_string(size - 1);
    throw std::invalid_argument("FabricHelper: " + what + " " + std::to_string(number) +
                                " is set; " + allowed);
}

/// @return name of a kind of links, for sentences
std::string
NameOf(fabric::LinkClass kind)
{
    switch (kind)
    {
    case fabric::LinkClass::LOCAL:
        return "local";
    case fabric::LinkClass::GLOBAL:
        return "global";
    case fabric::LinkClass::FABRIC:
        break;
    }
    return "other";
}

} // namespace

FabricContainer
FabricHelper::Install(const fabric::TopologyPlan& plan,
                      const std::vector<fabric::Routing>& routing) const
{
    return Install(fabric::RankPlan(plan).MakeHosts(), plan, routing);
}

FabricContainer
FabricHelper::Install(NodeContainer hosts,
                      const fabric::TopologyPlan& plan,
                      const std::vector<fabric::Routing>& routing) const
{
    if (hosts.GetN() != plan.hosts.size() || routing.size() != plan.switches.size())
    {
        throw std::invalid_argument("FabricHelper: the plan has " +
                                    std::to_string(plan.hosts.size()) + " hosts and " +
                                    std::to_string(plan.switches.size()) + " switches, but " +
                                    std::to_string(hosts.GetN()) + " nodes and routing for " +
                                    std::to_string(routing.size()) + " switches were given");
    }
    CheckOwners(plan);
    CheckRoutes(plan, routing);
    FabricContainer fabric;
    fabric.network = m_network.Create<FabricNetwork>();
    fabric.network->ExpectSize(plan.hosts.size(), plan.links.size());
    fabric.hosts = hosts;
    fabric.switches = fabric::RankPlan(plan, hosts).MakeSwitches();
    InstallSwitches(fabric, plan, routing);
    for (uint32_t i = 0; i < hosts.GetN(); ++i)
    {
        const Ptr<FabricNetDevice> device = MakeDevice(i);
        device->Install(hosts.Get(i), fabric.network);
        fabric.devices.Add(device);
    }
    InstallLinks(fabric, plan);
    AssignErrorStreams(fabric);
    TellRoundTrip(fabric);
    TellShortBuffers(fabric, plan);
    return fabric;
}

void
FabricHelper::CheckOwners(const fabric::TopologyPlan& plan) const
{
    for (const auto& own : m_own)
    {
        RequireOwner(own.name + " of host", own.owner, plan.hosts.size(), "hosts");
    }
    for (const auto& [link, attributes] : m_ofLink)
    {
        RequireOwner(attributes.front().first + " of link", link, plan.links.size(), "links");
    }
    for (const auto& [host, attributes] : m_ofHostLink)
    {
        RequireOwner(attributes.front().first + " of the link of host",
                     host,
                     plan.hosts.size(),
                     "hosts");
    }
    for (const auto& own : m_ofClass)
    {
        const auto isOfClass = [&own](const fabric::LinkPlan& link) {
            return link.linkClass == own.owner;
        };
        if (std::none_of(plan.links.begin(), plan.links.end(), isOfClass))
        {
            throw std::invalid_argument("FabricHelper: " + own.name + " of " + NameOf(own.owner) +
                                        " links is set; allowed are kinds of links that the plan "
                                        "has");
        }
    }
}

void
FabricHelper::CheckRoutes(const fabric::TopologyPlan& plan,
                          const std::vector<fabric::Routing>& routing) const
{
    if (m_routeCheck == ROUTES_ARE_PROVEN)
    {
        return;
    }
    fabric::RouteDemands demands;
    demands.oneHostPerSwitch = true;
    const fabric::RouteReport report = fabric::CheckRoutes(plan, routing, demands);
    if (report.IsDeadlockFree())
    {
        return;
    }
    const std::string sentence =
        "FabricHelper: the routes can deadlock: " + report.DescribeCycle() +
        "; allowed are routes without such a circle, or SetRouteCheck()";
    if (m_routeCheck == ROUTES_ARE_CHECKED)
    {
        throw std::invalid_argument(sentence);
    }
    std::cerr << sentence << std::endl;
}

void
FabricHelper::InstallSwitches(FabricContainer& fabric,
                              const fabric::TopologyPlan& plan,
                              const std::vector<fabric::Routing>& routing) const
{
    auto seeds = CreateObject<UniformRandomVariable>();
    seeds->SetStream(m_stream);
    ObjectFactory factory = m_switch;
    for (uint32_t i = 0; i < plan.switches.size(); ++i)
    {
        factory.Set("Ports", UintegerValue(plan.switches[i].ports));
        auto fabricSwitch = factory.Create<FabricSwitch>();
        fabricSwitch->SetSeed(seeds->GetInteger(1, 0x7FFFFFFE));
        if (m_lanes)
        {
            fabricSwitch->SetLaneTable(*m_lanes);
        }
        if (m_linkShaping)
        {
            fabricSwitch->SetLinkShapingTable(*m_linkShaping);
        }
        if (m_hostShaping)
        {
            fabricSwitch->SetHostShapingTable(*m_hostShaping);
        }
        fabricSwitch->Install(fabric.switches.Get(i), fabric.network);
        fabricSwitch->GetChip().SetRouting(routing[i]);
        fabric.tiers.push_back(plan.switches[i].tier);
        fabric.groups.push_back(plan.switches[i].group);
    }
}

Ptr<FabricChannel>
FabricHelper::MakeChannel(ObjectFactory factory) const
{
    if (m_errorModel.IsTypeIdSet())
    {
        factory.Set("ErrorModel", PointerValue(m_errorModel.Create<ErrorModel>()));
        factory.Set("ReverseErrorModel", PointerValue(m_errorModel.Create<ErrorModel>()));
    }
    return factory.Create<FabricChannel>();
}

void
FabricHelper::AssignErrorStreams(const FabricContainer& fabric) const
{
    if (m_stream < 0)
    {
        return;
    }
    int64_t next = m_stream + 1;
    for (const auto* links : {&fabric.links, &fabric.hostLinks})
    {
        for (const Ptr<FabricChannel>& link : *links)
        {
            for (const Ptr<ErrorModel>& model : link->GetErrorModels())
            {
                next += model ? fabric::AssignStreams(*model, next) : 0;
            }
        }
    }
}

void
FabricHelper::InstallLinks(FabricContainer& fabric, const fabric::TopologyPlan& plan) const
{
    for (uint32_t i = 0; i < plan.links.size(); ++i)
    {
        const fabric::LinkPlan& link = plan.links[i];
        const ObjectFactory ofClass = WithOwn(m_channel, m_ofClass, link.linkClass);
        fabric.links.push_back(MakeChannel(WithOwn(ofClass, m_ofLink, i)));
        fabric.GetSwitch(link.switchA)
            ->Connect(link.portA, fabric.GetSwitch(link.switchB), link.portB, fabric.links.back());
    }
    for (uint32_t i = 0; i < plan.hosts.size(); ++i)
    {
        fabric.hostLinks.push_back(MakeChannel(WithOwn(m_hostChannel, m_ofHostLink, i)));
        fabric.edgeSwitches.push_back(plan.hosts[i].edgeSwitch);
        fabric.GetSwitch(plan.hosts[i].edgeSwitch)
            ->Connect(plan.hosts[i].port, fabric.GetDevice(i), fabric.hostLinks.back());
    }
    fabric.network->FinishLinks();
}

void
FabricHelper::TellRoundTrip(const FabricContainer& fabric)
{
    const std::vector<Ptr<FabricSwitch>>& switches = fabric.network->GetSwitches();
    const auto asks = [](const Ptr<FabricSwitch>& fabricSwitch) {
        const fabric::CongestionSettings& congestion = fabricSwitch->GetChip().Config().congestion;
        return (congestion.endpoint.isOn && congestion.endpoint.roundTrip == 0) ||
               congestion.reroute.isOn || congestion.slowPaths.isOn;
    };
    if (std::none_of(switches.begin(), switches.end(), asks))
    {
        return; // it takes a while in a large fabric
    }
    Time roundTrip = FabricIdealPaths(fabric.network).LongestRoundTrip();
    if (roundTrip.IsZero())
    {
        return; // no two hosts have a way between them
    }
    // A flow whose host is restrained has no frame more often than that.
    for (const Ptr<FabricSwitch>& fabricSwitch : switches)
    {
        roundTrip = Max(roundTrip, PicoSeconds(fabricSwitch->GetChip().HostLoop()));
    }
    for (const Ptr<FabricSwitch>& fabricSwitch : switches)
    {
        fabricSwitch->GetChip().SetRoundTrip(roundTrip.GetPicoSeconds());
    }
}

} // namespace ns3
