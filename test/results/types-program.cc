/* SPDX-License-Identifier: GPL-2.0-only */

// Prints what the types of the module tell users, as JSON: attributes, trace sources and the Config
// path of each type that a path leads to. utils/make-reference.py makes pages of the manual of it.

#include "fabric-chain.h"
#include "fabric-command-helper.h"
#include "fabric-helper.h"
#include "fabric-lane-table-file.h"
#include "fabric-message-sender-helper.h"
#include "fabric-pio-helper.h"
#include "fabric-program.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-transport-helper.h"

#include "ns3/config.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/traffic-control-helper.h"

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

using namespace ns3;
using Json = nlohmann::ordered_json;

namespace
{

/// Paths to objects of a type, for Config::Connect() and Config::Set().
const std::map<std::string, std::string> PATHS{
    {"ns3::FabricNetDevice", "/NodeList/*/DeviceList/*/$ns3::FabricNetDevice"},
    {"ns3::FabricNetwork", "/NodeList/0/DeviceList/0/$ns3::FabricNetDevice/Network"},
    {"ns3::FabricSwitch", "/NodeList/*/$ns3::FabricSwitch"},
    {"ns3::FabricTransport", "/NodeList/*/$ns3::FabricTransport"},
    {"ns3::FabricMessageSender", "/NodeList/*/ApplicationList/*/$ns3::FabricMessageSender"},
    {"ns3::FabricInitiatorApplication",
     "/NodeList/*/ApplicationList/*/$ns3::FabricInitiatorApplication"},
    {"ns3::FabricTargetApplication", "/NodeList/*/ApplicationList/*/$ns3::FabricTargetApplication"},
    {"ns3::FabricCommandQueues", "/NodeList/*/$ns3::FabricCommandQueues"},
    {"ns3::FabricCommandApplication",
     "/NodeList/*/ApplicationList/*/$ns3::FabricCommandApplication"},
    {"ns3::FabricPio", "/NodeList/*/$ns3::FabricPio"},
    {"ns3::FabricPioApplication", "/NodeList/*/ApplicationList/*/$ns3::FabricPioApplication"},
    {"ns3::VlArbiterQueueDisc",
     "/NodeList/*/$ns3::TrafficControlLayer/RootQueueDiscList/*/$ns3::VlArbiterQueueDisc"},
};

/// Builds a fabric with an object of every type that a path leads to.
void
BuildAll()
{
    const fabric::TopologyPlan plan = fabric::MakeChainPlan({3});
    const FabricContainer fabric =
        FabricHelper().Install(plan, fabric::MakeShortestPathRouting(plan));
    FabricMessageSenderHelper(1).Install(fabric, 0, 1);
    InternetStackHelper().Install(fabric.hosts);
    TrafficControlHelper lanes;
    lanes.SetRootQueueDisc("ns3::VlArbiterQueueDisc");
    lanes.Install(fabric.devices);
    Ipv4AddressHelper("10.0.0.0", "255.0.0.0").Assign(fabric.devices);
    const FabricTransportHelper transport;
    transport.InstallNic(NodeContainer(fabric.hosts.Get(0), fabric.hosts.Get(1)));
    transport.InstallTarget(fabric.hosts.Get(1));
    transport.InstallInitiator(fabric.hosts.Get(0), fabric.GetDevice(1)->GetAddress());
    const FabricPioHelper pio;
    pio.Install(fabric, 2); // a NIC has a transport or PIO
    pio.InstallSender(fabric, 2, 0);
    const FabricCommandHelper commands;
    commands.Install(fabric, 3); // nor both of these
    commands.InstallInitiator(fabric, 3, 0);
}

/// @return the path to a type, null if there is none
Json
PathOf(const std::string& type)
{
    const auto path = PATHS.find(type);
    if (path == PATHS.end())
    {
        return nullptr;
    }
    if (Config::LookupMatches(path->second).GetN() == 0)
    {
        throw std::logic_error(path->second + " leads nowhere");
    }
    return path->second;
}

/// @return what users may know of a type
Json
Describe(TypeId type)
{
    Json found{{"name", type.GetName()},
               {"parent", type.GetParent().GetName()},
               {"path", PathOf(type.GetName())},
               {"attributes", Json::array()},
               {"traces", Json::array()}};
    for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
    {
        const TypeId::AttributeInformation attribute = type.GetAttribute(i);
        found["attributes"].push_back(
            {{"name", attribute.name},
             {"help", attribute.help},
             {"type", attribute.checker->GetValueTypeName()},
             {"bounds",
              attribute.checker->HasUnderlyingTypeInformation()
                  ? attribute.checker->GetUnderlyingTypeInformation()
                  : ""},
             {"initial", attribute.originalInitialValue->SerializeToString(attribute.checker)},
             {"settable", (attribute.flags & TypeId::ATTR_SET) != 0}});
    }
    for (std::size_t i = 0; i < type.GetTraceSourceN(); ++i)
    {
        const TypeId::TraceSourceInformation trace = type.GetTraceSource(i);
        found["traces"].push_back(
            {{"name", trace.name}, {"help", trace.help}, {"callback", trace.callback}});
    }
    return found;
}

} // namespace

int
main()
{
    return fabric::RunProgram([] {
        BuildAll();
        Json types = Json::array();
        for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
        {
            const TypeId type = TypeId::GetRegistered(i);
            if (type.GetGroupName() == "Fabric")
            {
                types.push_back(Describe(type));
            }
        }
        std::cout << types.dump(1) << std::endl;
        Simulator::Destroy();
        return fabric::EXIT_DONE;
    });
}
