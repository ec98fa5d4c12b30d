/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-helper.h"

#include "fabric-attribute-value.h"
#include "fabric-find-device.h"
#include "fabric-ideal-paths.h"
#include "fabric-net-device.h"
#include "fabric-nic-transport.h"
#include "fabric-transport-ideal.h"
#include "fabric-udp-transport.h"

#include "ns3/address.h"
#include "ns3/log.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricTransportHelper");

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

Time
FabricTransportHelper::BaseRttOf(Ptr<Node> node, const FabricNicTransport& transport)
{
    const Ptr<FabricNetDevice> device = fabric::FindDevice(node);
    if (!device || !device->GetNetwork())
    {
        return Time(0); // Install() says what it needs
    }
    const FabricIdealPaths paths(device->GetNetwork());
    const auto [from, to] = paths.Farthest();
    if (from == to)
    {
        return Time(0);
    }
    return PicoSeconds(fabric::TransportIdeal(paths.Find(from, to),
                                              paths.Find(to, from),
                                              transport.ConnectionSettingsFor(device->GetMtu()),
                                              transport.TelemetryInHeaders())
                           .RoundTrip());
}

void
FabricTransportHelper::InstallNic(NodeContainer nodes) const
{
    Time baseRtt;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        const auto transport = m_nic.Create<FabricNicTransport>();
        if (transport->UsesBaseRtt())
        {
            baseRtt = baseRtt.IsZero() ? BaseRttOf(nodes.Get(i), *transport) : baseRtt;
            transport->SetBaseRtt(baseRtt.GetPicoSeconds());
        }
        transport->Install(nodes.Get(i));
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
FabricTransportHelper::InstallInitiator(Ptr<Node> node, const Address& remote) const
{
    auto application = m_initiator.Create<Application>();
    application->SetAttribute("Remote", AddressValue(remote));
    node->AddApplication(application);
    return ApplicationContainer(application);
}

} // namespace ns3
