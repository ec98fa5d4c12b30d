/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-arp-jitter.h"

#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"

namespace ns3::fabric
{

namespace
{

constexpr double NS3_MAX_JITTER = 10; ///< ms, of ArpL3Protocol and Icmpv6L4Protocol.

/// @param protocol its type @param attribute its jitter
void
RemoveJitter(const Ptr<Node>& node, TypeId protocol, const char* attribute)
{
    const auto found = node->GetObject<Object>(protocol);
    if (!found)
    {
        return;
    }
    PointerValue value;
    found->GetAttribute(attribute, value);
    const auto jitter = value.Get<UniformRandomVariable>();
    // It is changed, and not replaced: a new one would take a random stream from the user's.
    if (jitter && jitter->GetMin() == 0 && jitter->GetMax() == NS3_MAX_JITTER)
    {
        jitter->SetAttribute("Max", DoubleValue(0));
    }
}

} // namespace

void
RemoveArpJitter(const Ptr<Node>& node)
{
    static const TypeId ARP = TypeId::LookupByName("ns3::ArpL3Protocol");
    static const TypeId ICMPV6 = TypeId::LookupByName("ns3::Icmpv6L4Protocol");
    RemoveJitter(node, ARP, "RequestJitter");
    RemoveJitter(node, ICMPV6, "SolicitationJitter");
}

} // namespace ns3::fabric
