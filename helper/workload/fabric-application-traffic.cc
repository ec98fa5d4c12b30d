/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-application-traffic.h"

#include "fabric-net-device.h"
#include "fabric-network.h"

#include "ns3/callback.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ns3
{

FabricApplicationTraffic::FabricApplicationTraffic(const FabricContainer& fabric,
                                                   uint32_t host,
                                                   std::vector<uint64_t> flows)
    : m_fabric(fabric),
      m_host(host),
      m_flows(std::move(flows)),
      m_hasStopped(m_flows.size(), false)
{
    if (m_flows.empty() || host >= m_fabric.hosts.GetN() / 2)
    {
        throw std::invalid_argument(std::to_string(m_flows.size()) + " applications share host " +
                                    std::to_string(host) + " of " +
                                    std::to_string(m_fabric.hosts.GetN()) +
                                    "; allowed are one or more, and a host of the first half");
    }
    m_fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        MakeCallback(&FabricApplicationTraffic::Deliver, this));
}

uint32_t
FabricApplicationTraffic::MessageBytes()
{
    return fabric::MAX_PAYLOAD;
}

void
FabricApplicationTraffic::Start()
{
    for (uint32_t application = 0; application < m_flows.size(); ++application)
    {
        const uint64_t flows = m_flows[application];
        for (uint64_t message = 0; message < MessagesUnderWay(flows); ++message)
        {
            Send(application, static_cast<uint32_t>(message % flows));
        }
    }
}

void
FabricApplicationTraffic::Send(uint32_t application, uint32_t flow)
{
    const uint32_t hosts = m_fabric.hosts.GetN();
    const uint32_t receivers = hosts - hosts / 2;
    fabric::MessageFlow to;
    to.dst = m_fabric.GetDevice(hosts / 2 + flow % receivers)->GetLocation();
    to.vni = VniOf(application);
    to.process = flow / receivers; // flows of an application to a host are of its processes
    m_fabric.GetDevice(m_host)->SendMessage(to, MessageBytes(), flow);
}

void
FabricApplicationTraffic::Deliver(const fabric::Message& message, Time at)
{
    if (message.vni == 0 || message.vni > m_flows.size())
    {
        return; // somebody else's
    }
    const uint32_t application = message.vni - 1;
    m_deliveries.push_back({at, application});
    if (!m_hasStopped[application])
    {
        Send(application, static_cast<uint32_t>(message.tag));
    }
}

} // namespace ns3
