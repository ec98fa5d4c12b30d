/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pio-application.h"

#include "fabric-attributed-type.h"
#include "fabric-device-engines.h"
#include "fabric-network.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricPioApplication");

NS_OBJECT_ENSURE_REGISTERED(FabricPioApplication);

namespace
{

/// Messages that are given to a thread at a time. Chosen: their memory fits into a cache.
constexpr uint32_t BATCH = 512;

} // namespace

TypeId
FabricPioApplication::GetTypeId()
{
    static TypeId tid =
        fabric::AttributedType(TypeId("ns3::FabricPioApplication")
                                   .SetParent<Application>()
                                   .SetGroupName("Fabric")
                                   .AddConstructor<FabricPioApplication>())
            .Add("Device",
                 "The device whose ns3::FabricPio sends and receives; empty for that of the node.")
            .Uses(PointerValue(),
                  MakePointerAccessor(&FabricPioApplication::m_device),
                  MakePointerChecker<FabricNetDevice>())
            .Add("Remote", "Fabric address of the destination: its host number + 1.")
            .Sets(&FabricPioApplication::m_remote, 1, {fabric::FIRST_UNICAST, fabric::LAST_UNICAST})
            .Add("Bytes", "Size of each message.")
            .Sets(&FabricPioApplication::m_bytes, 64)
            .Add("Count", "Messages to send; 0 to receive only.")
            .Sets(&FabricPioApplication::m_count, 1)
            .Add("Interval",
                 "Time between messages; with 0 the thread sends them one after the other, and "
                 "each counts as sent when the thread begins with it.")
            .Sets(&FabricPioApplication::m_interval, Time(0), {Time(0)})
            .Add("Thread", "Thread of the node that sends, from 0.")
            .Sets(&FabricPioApplication::m_thread, 0)
            .Add("TrafficClass", "Traffic class tag, FTAG.")
            .Sets(&FabricPioApplication::m_trafficClass, 0, {0, fabric::TRAFFIC_CLASSES - 1})
            .Add("Vni", "Virtual network of the messages.")
            .Sets(&FabricPioApplication::m_vni, 0)
            .Add("Tag", "Any number; the receiver gets it with each message.")
            .Sets(&FabricPioApplication::m_tag, 0);
    return tid;
}

FabricPioApplication::FabricPioApplication() = default;

FabricPioApplication::~FabricPioApplication() = default;

void
FabricPioApplication::DoDispose()
{
    m_pio = nullptr;
    m_device = nullptr;
    Application::DoDispose();
}

uint64_t
FabricPioApplication::GetSent() const
{
    return m_sent;
}

uint64_t
FabricPioApplication::GetReceived() const
{
    return m_received;
}

uint64_t
FabricPioApplication::GetReceivedBytes() const
{
    return m_receivedBytes;
}

void
FabricPioApplication::StartApplication()
{
    if (FabricNetwork::IsElsewhere(GetNode()))
    {
        return; // the rank of the node does it
    }
    m_pio = m_device ? fabric::FindEngine<FabricPio>(m_device) : GetNode()->GetObject<FabricPio>();
    if (!m_pio)
    {
        throw std::invalid_argument(
            "ns3::FabricPioApplication on node " + std::to_string(GetNode()->GetId()) + ": the " +
            (m_device ? "device" : "node") + " has no ns3::FabricPio, which it needs");
    }
    m_pio->TraceConnectWithoutContext("Received",
                                      MakeCallback(&FabricPioApplication::Receive, this));
    NS_LOG_INFO("node " << GetNode()->GetId() << " sends " << m_count << " messages of " << m_bytes
                        << " bytes to location " << m_remote);
    SendNext();
}

void
FabricPioApplication::StopApplication()
{
    Simulator::Cancel(m_next);
    if (m_pio)
    {
        m_pio->TraceDisconnectWithoutContext("Received",
                                             MakeCallback(&FabricPioApplication::Receive, this));
    }
}

uint32_t
FabricPioApplication::Room()
{
    if (!m_interval.IsZero())
    {
        return 1;
    }
    // Only its own messages count, so that others of the same thread can't keep it from sending.
    const uint64_t written = m_pio->GetWritten(m_thread);
    while (!m_unwritten.IsEmpty() && m_unwritten.Front() <= written)
    {
        m_unwritten.Pop();
    }
    // A thread that is given twice as many as it can write until then never has to wait for more.
    return 2 * BATCH - m_unwritten.Size();
}

void
FabricPioApplication::SendNext()
{
    const bool isInTurn = m_interval.IsZero();
    for (uint32_t room = Room(); room != 0 && m_sent < m_count; --room)
    {
        const uint64_t number = m_pio->Send(m_thread,
                                            {m_remote, m_trafficClass, m_vni, m_thread},
                                            m_bytes,
                                            m_tag,
                                            isInTurn ? FabricPio::IN_TURN : FabricPio::NOW);
        if (isInTurn)
        {
            m_unwritten.Push(number);
        }
        ++m_sent;
    }
    if (m_sent < m_count)
    {
        const Time next =
            isInTurn ? PicoSeconds(BATCH * m_pio->GetSettings().LeastTime(m_bytes)) : m_interval;
        m_next = Simulator::Schedule(next, &FabricPioApplication::SendNext, this);
    }
}

void
FabricPioApplication::Receive(const fabric::Message& message)
{
    ++m_received;
    m_receivedBytes += message.bytes;
}

} // namespace ns3
