/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-helper.h"

#include "fabric-attribute-value.h"
#include "fabric-device-engines.h"
#include "fabric-find-device.h"
#include "fabric-ideal-paths.h"
#include "fabric-net-device.h"
#include "fabric-network.h"
#include "fabric-nic-transport.h"
#include "fabric-transport-ideal.h"
#include "fabric-udp-transport.h"

#include "ns3/address.h"
#include "ns3/pointer.h"

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

namespace
{

/// @return the device as a host's @throw std::invalid_argument if it is none
Ptr<FabricNetDevice>
HostDevice(const Ptr<NetDevice>& device)
{
    const auto found = DynamicCast<FabricNetDevice>(device);
    if (!found)
    {
        throw std::invalid_argument("FabricTransportHelper: a device is of type " +
                                    device->GetInstanceTypeId().GetName() +
                                    "; allowed is ns3::FabricNetDevice");
    }
    return found;
}

/// Adds an application of the transport in the NIC of a device to the node of that.
void
AddTo(const Ptr<FabricNetDevice>& device, const Ptr<Application>& application)
{
    const auto transport = fabric::FindEngine<FabricNicTransport>(device);
    if (!transport)
    {
        throw std::invalid_argument("FabricTransportHelper: a device of node " +
                                    std::to_string(device->GetNode()->GetId()) +
                                    " has no ns3::FabricNicTransport; allowed are devices after "
                                    "InstallNic()");
    }
    application->SetAttribute("Transport", PointerValue(transport));
    device->GetNode()->AddApplication(application);
}

} // namespace

FabricTransportHelper::FabricTransportHelper()
{
    m_udp.SetTypeId("ns3::FabricUdpTransport");
    m_nic.SetTypeId("ns3::FabricNicTransport");
    m_initiator.SetTypeId("ns3::FabricInitiatorApplication");
    m_target.SetTypeId("ns3::FabricTargetApplication");
}

void
FabricTransportHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    // An attribute of one of the two types alone is set there.
    struct TypeId::AttributeInformation information;
    std::vector<ObjectFactory*> owners;
    for (ObjectFactory* factory : {&m_udp, &m_nic})
    {
        if (factory->GetTypeId().LookupAttributeByName(name, &information))
        {
            owners.push_back(factory);
        }
    }
    if (owners.empty())
    {
        throw std::invalid_argument("FabricTransportHelper: there is no attribute " + name +
                                    "; allowed are those of ns3::FabricUdpTransport and "
                                    "ns3::FabricNicTransport");
    }
    const TypeId owner =
        owners.size() == 1 ? owners.front()->GetTypeId() : FabricTransport::GetTypeId();
    fabric::CheckAttribute(owner.GetName() + "::" + name, value, *information.checker);
    for (ObjectFactory* factory : owners)
    {
        factory->Set(name, value);
    }
}

void
FabricTransportHelper::SetInitiatorAttribute(const std::string& name, const AttributeValue& value)
{
    fabric::SetChecked(m_initiator, name, value);
}

void
FabricTransportHelper::SetTargetAttribute(const std::string& name, const AttributeValue& value)
{
    fabric::SetChecked(m_target, name, value);
}

void
FabricTransportHelper::InstallUdp(NodeContainer nodes) const
{
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        m_udp.Create<FabricUdpTransport>()->Install(nodes.Get(i));
    }
}

/// What a round trip was found of, and how long it takes.
struct FabricTransportHelper::FoundRtt
{
    Ptr<FabricNetwork> network; ///< The fabric; held, so that no other one has its address.
    std::size_t links;          ///< Between its switches.
    std::size_t devices;        ///< Of its hosts.
    uint32_t mtu;               ///< Of packets.
    uint32_t telemetry;         ///< Bytes in headers.
    Time roundTrip;             ///< Of the longest way.

    /// @return whether it is the same fabric, with packets of the same size
    bool IsOf(const FoundRtt& other) const
    {
        return std::tie(network, links, devices, mtu, telemetry) ==
               std::tie(other.network, other.links, other.devices, other.mtu, other.telemetry);
    }
};

Time
FabricTransportHelper::BaseRttOf(Ptr<FabricNetDevice> device,
                                 const FabricNicTransport& transport) const
{
    if (!device || !device->GetNetwork())
    {
        return Time(0); // Install() says what it needs
    }
    const Ptr<FabricNetwork> network = device->GetNetwork();
    const fabric::ConnectionSettings settings = transport.ConnectionSettingsFor(device->GetMtu());
    FoundRtt found{network,
                   network->GetSubnetManager().Links().size(),
                   network->GetDevices().size(),
                   settings.mtu,
                   transport.TelemetryInHeaders(),
                   Time(0)};
    if (m_found && m_found->IsOf(found))
    {
        return m_found->roundTrip;
    }
    const FabricIdealPaths paths(network);
    const auto [from, to] = paths.Farthest();
    if (from != to)
    {
        const fabric::TransportIdeal ideal(paths.Find(from, to),
                                           paths.Find(to, from),
                                           settings,
                                           found.telemetry);
        found.roundTrip = PicoSeconds(ideal.RoundTrip());
    }
    m_found = std::make_shared<const FoundRtt>(found);
    return found.roundTrip;
}

Ptr<FabricNicTransport>
FabricTransportHelper::MakeNic(Ptr<FabricNetDevice> device) const
{
    const auto transport = m_nic.Create<FabricNicTransport>();
    transport->SetBaseRtt(BaseRttOf(device, *transport).GetPicoSeconds());
    return transport;
}

void
FabricTransportHelper::InstallNic(NodeContainer nodes) const
{
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        MakeNic(fabric::FindDevice(nodes.Get(i)))->Install(nodes.Get(i));
    }
}

void
FabricTransportHelper::InstallNic(NetDeviceContainer devices) const
{
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        const Ptr<FabricNetDevice> device = HostDevice(devices.Get(i));
        MakeNic(device)->Install(device);
    }
}

ApplicationContainer
FabricTransportHelper::InstallTarget(NodeContainer nodes) const
{
    ApplicationContainer applications;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        auto application = m_target.Create<Application>();
        nodes.Get(i)->AddApplication(application);
        applications.Add(application);
    }
    return applications;
}

ApplicationContainer
FabricTransportHelper::InstallTarget(NetDeviceContainer devices) const
{
    ApplicationContainer applications;
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        const auto application = m_target.Create<Application>();
        AddTo(HostDevice(devices.Get(i)), application);
        applications.Add(application);
    }
    return applications;
}

ApplicationContainer
FabricTransportHelper::InstallInitiator(Ptr<FabricNetDevice> device, const Address& remote) const
{
    const auto application = m_initiator.Create<Application>();
    application->SetAttribute("Remote", AddressValue(remote));
    AddTo(device, application);
    return ApplicationContainer(application);
}

ApplicationContainer
FabricTransportHelper::InstallInitiator(Ptr<Node> node, const Address& remote) const
{
    auto application = m_initiator.Create<Application>();
    application->SetAttribute("Remote", AddressValue(remote));
    node->AddApplication(application);
    return ApplicationContainer(application);
}

} // namespace ns3
