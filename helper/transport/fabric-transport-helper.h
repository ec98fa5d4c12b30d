/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_HELPER_H
#define FABRIC_TRANSPORT_HELPER_H

#include "fabric-transport.h"

#include "ns3/application-container.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <memory>
#include <string>

namespace ns3
{

class FabricNetDevice;
class FabricNicTransport;

/**
 * Puts the reliable transport on nodes, and its applications.
 *
 * @code
 * FabricTransportHelper transport;
 * transport.SetAttribute("DataWindow", UintegerValue(32));
 * transport.InstallUdp(nodes);
 * transport.InstallTarget(nodes.Get(1));
 * transport.SetInitiatorAttribute("Operations", StringValue("write,read,send"));
 * transport.InstallInitiator(nodes.Get(0), InetSocketAddress("10.0.0.2", 4792));
 * @endcode
 *
 * A host of several fabrics has a device of each, in whose NIC a transport may be: then say which
 * device, and not which node.
 */
class FabricTransportHelper
{
  public:
    FabricTransportHelper();

    /**
     * @param name attribute of the transport, see ns3::FabricTransport
     * @throws std::invalid_argument if there is none of that name, or it can't have the value; with
     * the name of the type that has it
     */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /// @param name attribute of ns3::FabricInitiatorApplication
    void SetInitiatorAttribute(const std::string& name, const AttributeValue& value);

    /// @param name attribute of ns3::FabricTargetApplication
    void SetTargetAttribute(const std::string& name, const AttributeValue& value);

    /// @param nodes get a transport over their IP stacks
    void InstallUdp(NodeContainer nodes) const;

    /// @param nodes get a transport in the NIC of their first FabricNetDevice
    void InstallNic(NodeContainer nodes) const;

    /**
     * @param devices of hosts, such as FabricContainer::devices, that get a transport in their NIC
     * @throw std::invalid_argument if one is no FabricNetDevice
     */
    void InstallNic(NetDeviceContainer devices) const;

    /// @param nodes get a target's application each
    ApplicationContainer InstallTarget(NodeContainer nodes) const;

    /**
     * @param devices whose nodes get a target's application each, of the transport in that NIC
     * @throw std::invalid_argument if one is no FabricNetDevice, or has no transport
     */
    ApplicationContainer InstallTarget(NetDeviceContainer devices) const;

    /**
     * @param node gets an initiator's application
     * @param remote the target, see FabricInitiatorApplication::Remote
     */
    ApplicationContainer InstallInitiator(Ptr<Node> node, const Address& remote) const;

    /**
     * @param device whose node gets an initiator's application, of the transport in that NIC
     * @param remote the target, a device of the same fabric
     * @throw std::invalid_argument if it has no transport
     */
    ApplicationContainer InstallInitiator(Ptr<FabricNetDevice> device, const Address& remote) const;

  private:
    struct FoundRtt;

    /// @return round trip of the longest way in the fabric of a device; 0 if there is none
    Time BaseRttOf(Ptr<FabricNetDevice> device, const FabricNicTransport& transport) const;

    /// @param device of the host; may be null @return a transport that is not installed yet
    Ptr<FabricNicTransport> MakeNic(Ptr<FabricNetDevice> device) const;

    ObjectFactory m_udp;       ///< Makes transports over UDP.
    ObjectFactory m_nic;       ///< Makes transports in NICs.
    ObjectFactory m_initiator; ///< Makes initiators.
    ObjectFactory m_target;    ///< Makes targets.
    /// The last one; null before the first. A fabric takes milliseconds to look through.
    mutable std::shared_ptr<const FoundRtt> m_found;
};

} // namespace ns3

#endif // FABRIC_TRANSPORT_HELPER_H
