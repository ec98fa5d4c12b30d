/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-message-sender.h"

#include "fabric-attributed-type.h"
#include "fabric-find-device.h"
#include "fabric-net-device.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricMessageSender");

NS_OBJECT_ENSURE_REGISTERED(FabricMessageSender);

TypeId
FabricMessageSender::GetTypeId()
{
    static TypeId tid =
        fabric::AttributedType(TypeId("ns3::FabricMessageSender")
                                   .SetParent<Application>()
                                   .SetGroupName("Fabric")
                                   .AddConstructor<FabricMessageSender>())
            .Add("Device", "The device that sends; empty for the first of the node.")
            .Uses(PointerValue(),
                  MakePointerAccessor(&FabricMessageSender::m_device),
                  MakePointerChecker<FabricNetDevice>())
            .Add("Remote",
                 "Fabric address of the destination: its host number + 1; or location of a group, "
                 "from 49152 "
                 "on.")
            .Sets(&FabricMessageSender::m_remote, 1, {fabric::FIRST_UNICAST, 0xFFFF})
            .Add("Bytes", "Size of each message.")
            .Sets(&FabricMessageSender::m_bytes, 1 << 20)
            .Add("Count", "Messages to send.")
            .Sets(&FabricMessageSender::m_count, 1)
            .Add("Interval", "Time between messages; with 0 all are queued at once.")
            .Sets(&FabricMessageSender::m_interval, Time(0), {Time(0)})
            .Add("TrafficClass", "Traffic class tag, FTAG.")
            .Sets(&FabricMessageSender::m_trafficClass, 0, {0, fabric::TRAFFIC_CLASSES - 1})
            .Add("Vni",
                 "Virtual network of the messages; messages of other networks are other flows.")
            .Sets(&FabricMessageSender::m_vni, 0)
            .Add("Process",
                 "Process of the host that sends; messages of other processes to the same "
                 "destination are other flows.")
            .Sets(&FabricMessageSender::m_process, 0)
            .Add("Tag", "Any number; the receiver gets it with each message.")
            .Sets(&FabricMessageSender::m_tag, 0);
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
FabricMessageSender::DoDispose()
{
    m_device = nullptr;
    Application::DoDispose();
}

void
FabricMessageSender::StartApplication()
{
    NS_LOG_INFO("node " << GetNode()->GetId() << " sends " << m_count << " messages of " << m_bytes
                        << " bytes to location " << m_remote);
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
    const Ptr<FabricNetDevice> device = m_device ? m_device : fabric::FindDevice(GetNode());
    if (!device)
    {
        NS_FATAL_ERROR("node " << GetNode()->GetId()
                               << " has no ns3::FabricNetDevice, which ns3::FabricMessageSender "
                                  "needs");
    }
    if (device->IsElsewhere())
    {
        return; // the rank of the host sends
    }
    while (m_sent < m_count)
    {
        device->SendMessage({m_remote, m_trafficClass, m_vni, m_process}, m_bytes, m_tag);
        ++m_sent;
        if (!m_interval.IsZero())
        {
            m_next = Simulator::Schedule(m_interval, &FabricMessageSender::SendNext, this);
            return;
        }
    }
}

} // namespace ns3
