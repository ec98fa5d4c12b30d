/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-target-application.h"

#include "fabric-attributed-type.h"
#include "fabric-network.h"
#include "fabric-transport-names.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricTargetApplication");

NS_OBJECT_ENSURE_REGISTERED(FabricTargetApplication);

using fabric::RdmaEvent;
using fabric::RdmaEventType;

TypeId
FabricTargetApplication::GetTypeId()
{
    static TypeId tid =
        fabric::AttributedType(TypeId("ns3::FabricTargetApplication")
                                   .SetParent<Application>()
                                   .SetGroupName("Fabric")
                                   .AddConstructor<FabricTargetApplication>())
            .Add("Transport", "The transport; empty for that of the node.")
            .Uses(PointerValue(),
                  MakePointerAccessor(&FabricTargetApplication::m_transport),
                  MakePointerChecker<FabricTransport>())
            .Add("Receives", "Receive buffers for sends. Chosen.")
            .Sets(&FabricTargetApplication::m_receives, 1024)
            .Add("ProcessingTime", "Time for which a send occupies its receive buffer.")
            .Sets(&FabricTargetApplication::m_processingTime, Time(0), {Time(0)})
            .AddTraceSource("Presented",
                            "A peer's operation was done here: sends, and with ReportsOneSided of "
                            "the transport writes and reads.",
                            MakeTraceSourceAccessor(&FabricTargetApplication::m_presentedTrace),
                            "ns3::FabricTargetApplication::EventTracedCallback")
            .AddTraceSource("Connection",
                            "A peer has opened a connection, or it was closed.",
                            MakeTraceSourceAccessor(&FabricTargetApplication::m_connectionTrace),
                            "ns3::FabricTargetApplication::EventTracedCallback")
            .AddTraceSource("Error",
                            "A connection has failed.",
                            MakeTraceSourceAccessor(&FabricTargetApplication::m_errorTrace),
                            "ns3::FabricTargetApplication::EventTracedCallback");
    return tid;
}

FabricTargetApplication::FabricTargetApplication() = default;

FabricTargetApplication::~FabricTargetApplication() = default;

void
FabricTargetApplication::DoDispose()
{
    m_transport = nullptr;
    Application::DoDispose();
}

uint64_t
FabricTargetApplication::GetAccepted() const
{
    return m_accepted;
}

uint64_t
FabricTargetApplication::GetPresented() const
{
    return m_presented;
}

uint64_t
FabricTargetApplication::GetReceivedBytes() const
{
    return m_receivedBytes;
}

void
FabricTargetApplication::StartApplication()
{
    if (FabricNetwork::IsElsewhere(GetNode()))
    {
        return; // the rank of the node does it
    }
    m_transport = m_transport ? m_transport : GetNode()->GetObject<FabricTransport>();
    if (!m_transport)
    {
        throw std::invalid_argument("ns3::FabricTargetApplication on node " +
                                    std::to_string(GetNode()->GetId()) +
                                    ": the node has no ns3::FabricTransport, which it needs");
    }
    NS_LOG_INFO("node " << GetNode()->GetId() << " has " << m_receives << " receive buffers");
    m_isActive = true;
    m_transport->SetListener(MakeCallback(&FabricTargetApplication::Handle, this));
    m_transport->PostReceives(m_receives);
}

void
FabricTargetApplication::StopApplication()
{
    m_isActive = false;
    if (m_transport)
    {
        m_transport->SetListener(FabricTransport::EventCallback());
    }
}

void
FabricTargetApplication::Handle(const RdmaEvent& event)
{
    switch (event.type)
    {
    case RdmaEventType::PRESENTED:
        ++m_presented;
        NS_LOG_LOGIC("node " << GetNode()->GetId() << " is told of "
                             << fabric::NameOf(event.operation) << " " << event.cookie << " of "
                             << event.bytes << " bytes");
        m_presentedTrace(event);
        if (event.operation == fabric::RdmaOperation::SEND)
        {
            m_receivedBytes += event.bytes;
            Simulator::Schedule(m_processingTime, &FabricTargetApplication::GiveBack, this);
        }
        break;
    case RdmaEventType::ACCEPTED:
        ++m_accepted;
        m_connectionTrace(event);
        break;
    case RdmaEventType::CLOSED:
        m_connectionTrace(event);
        break;
    case RdmaEventType::FAILED:
        m_errorTrace(event);
        break;
    case RdmaEventType::CONNECTED:
    case RdmaEventType::COMPLETION:
        break; // of the initiator's side
    }
}

void
FabricTargetApplication::GiveBack()
{
    if (m_isActive)
    {
        m_transport->PostReceives(1);
    }
}

} // namespace ns3
