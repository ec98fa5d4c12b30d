/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-message-sender.h"

#include "fabric-find-device.h"
#include "fabric-net-device.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricMessageSender");

NS_OBJECT_ENSURE_REGISTERED(FabricMessageSender);

TypeId
FabricMessageSender::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricMessageSender")
            .SetParent<Application>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricMessageSender>()
            .AddAttribute(
                "Remote",
                "Location of the destination, from 1 on in the order of installation.",
                UintegerValue(1),
                MakeUintegerAccessor(&FabricMessageSender::m_remote),
                MakeUintegerChecker<uint16_t>(fabric::FIRST_UNICAST, fabric::LAST_UNICAST))
            .AddAttribute("Bytes",
                          "Size of each message.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&FabricMessageSender::m_bytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Count",
                          "Messages to send.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&FabricMessageSender::m_count),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Interval",
                          "Time between messages; with 0 all are queued at once.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricMessageSender::m_interval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TrafficClass",
                          "Traffic class tag, FTAG.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricMessageSender::m_trafficClass),
                          MakeUintegerChecker<uint8_t>(0, fabric::TRAFFIC_CLASSES - 1))
            .AddAttribute("Tag",
                          "Any number, given to the receiver with each message.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricMessageSender::m_tag),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

FabricMessageSender::FabricMessageSender()
    : m_sent(0)
{
}

FabricMessageSender::~FabricMessageSender() = default;

uint64_t
FabricMessageSender::GetSent() const
{
    return m_sent;
}

void
FabricMessageSender::StartApplication()
{
    SendNext();
}

void
FabricMessageSender::StopApplication()
{
    Simulator::Cancel(m_next);
}

void
FabricMessageSender::SendNext()
{
    const Ptr<FabricNetDevice> device = fabric::FindDevice(GetNode());
    if (!device)
    {
        NS_FATAL_ERROR("node " << GetNode()->GetId()
                               << " has no ns3::FabricNetDevice, which ns3::FabricMessageSender "
                                  "needs");
    }
    while (m_sent < m_count)
    {
        device->SendMessage(m_remote, m_bytes, m_trafficClass, m_tag);
        ++m_sent;
        if (!m_interval.IsZero())
        {
            m_next = Simulator::Schedule(m_interval, &FabricMessageSender::SendNext, this);
            return;
        }
    }
}

} // namespace ns3
