/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-initiator-application.h"

#include "fabric-attributed-type.h"
#include "fabric-network.h"
#include "fabric-transport-names.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <sstream>
#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricInitiatorApplication");

NS_OBJECT_ENSURE_REGISTERED(FabricInitiatorApplication);

using fabric::RdmaEvent;
using fabric::RdmaEventType;
using fabric::RdmaOperation;

TypeId
FabricInitiatorApplication::GetTypeId()
{
    static TypeId tid =
        fabric::AttributedType(TypeId("ns3::FabricInitiatorApplication")
                                   .SetParent<Application>()
                                   .SetGroupName("Fabric")
                                   .AddConstructor<FabricInitiatorApplication>())
            .Add("Remote",
                 "The target: an InetSocketAddress or Inet6SocketAddress over IP, the address of "
                 "its FabricNetDevice in a fabric.")
            .Uses(AddressValue(),
                  MakeAddressAccessor(&FabricInitiatorApplication::m_remote),
                  MakeAddressChecker())
            .Add("Transport", "The transport; empty for that of the node.")
            .Uses(PointerValue(),
                  MakePointerAccessor(&FabricInitiatorApplication::m_transport),
                  MakePointerChecker<FabricTransport>())
            .Add("Operations",
                 "Operations to post in turn: any of write, read and send, with commas.")
            .Sets(&FabricInitiatorApplication::m_operationNames, "write")
            .Add("Bytes", "Size of each operation, bytes.")
            .Sets(&FabricInitiatorApplication::m_bytes, 65536, {0, 0x7FFFFFFF})
            .Add("Count", "Number of operations.")
            .Sets(&FabricInitiatorApplication::m_count, 1, {1})
            .Add("Outstanding", "Operations that are outstanding at a time.")
            .Sets(&FabricInitiatorApplication::m_most, 64, {1})
            .Add("Interval", "Smallest time between posts.")
            .Sets(&FabricInitiatorApplication::m_interval, Time(0), {Time(0)})
            .Add("Ordered", "Whether requests and completions keep their order.")
            .Sets(&FabricInitiatorApplication::m_isOrdered, true)
            .AddTraceSource("Posted",
                            "An operation was asked for.",
                            MakeTraceSourceAccessor(&FabricInitiatorApplication::m_postedTrace),
                            "ns3::FabricInitiatorApplication::PostedTracedCallback")
            .AddTraceSource("Completed",
                            "An operation is complete with status OK.",
                            MakeTraceSourceAccessor(&FabricInitiatorApplication::m_completedTrace),
                            "ns3::FabricInitiatorApplication::CompletedTracedCallback")
            .AddTraceSource("Error",
                            "An operation is complete with another status, or the connection has "
                            "failed; what was not posted then never is.",
                            MakeTraceSourceAccessor(&FabricInitiatorApplication::m_errorTrace),
                            "ns3::FabricInitiatorApplication::EventTracedCallback")
            .AddTraceSource("Connection",
                            "The connection is open, or was closed.",
                            MakeTraceSourceAccessor(&FabricInitiatorApplication::m_connectionTrace),
                            "ns3::FabricInitiatorApplication::EventTracedCallback");
    return tid;
}

FabricInitiatorApplication::FabricInitiatorApplication() = default;

FabricInitiatorApplication::~FabricInitiatorApplication() = default;

void
FabricInitiatorApplication::DoDispose()
{
    m_transport = nullptr;
    Application::DoDispose();
}

uint64_t
FabricInitiatorApplication::GetPosted() const
{
    return m_posted;
}

uint64_t
FabricInitiatorApplication::GetCompleted() const
{
    return m_completed;
}

uint64_t
FabricInitiatorApplication::GetFailed() const
{
    return m_failed;
}

uint64_t
FabricInitiatorApplication::GetCompletedBytes() const
{
    return m_completedBytes;
}

uint64_t
FabricInitiatorApplication::GetUnposted() const
{
    return m_isEnded ? m_count - m_posted : 0;
}

bool
FabricInitiatorApplication::IsDone() const
{
    return m_completed + m_failed + GetUnposted() == m_count;
}

std::optional<fabric::ConnectionView>
FabricInitiatorApplication::LookAtConnection()
{
    return m_transport ? m_transport->View(m_connection) : std::nullopt;
}

std::vector<RdmaOperation>
FabricInitiatorApplication::ParseOperations() const
{
    std::vector<RdmaOperation> operations;
    std::istringstream in(m_operationNames + ",");
    for (std::string name; std::getline(in, name, ',');)
    {
        if (name != "write" && name != "read" && name != "send")
        {
            throw std::invalid_argument("ns3::FabricInitiatorApplication on node " +
                                        std::to_string(GetNode()->GetId()) + ": Operations is '" +
                                        m_operationNames +
                                        "', allowed is any of write, read and send with commas");
        }
        operations.push_back(name == "write"  ? RdmaOperation::WRITE
                             : name == "read" ? RdmaOperation::READ
                                              : RdmaOperation::SEND);
    }
    return operations;
}

void
FabricInitiatorApplication::StartApplication()
{
    if (FabricNetwork::IsElsewhere(GetNode()))
    {
        return; // the rank of the node does it
    }
    m_operations = ParseOperations();
    m_transport = m_transport ? m_transport : GetNode()->GetObject<FabricTransport>();
    if (!m_transport)
    {
        throw std::invalid_argument("ns3::FabricInitiatorApplication on node " +
                                    std::to_string(GetNode()->GetId()) +
                                    ": the node has no ns3::FabricTransport, which it needs");
    }
    m_connection = m_transport->Connect(m_remote,
                                        m_isOrdered,
                                        MakeCallback(&FabricInitiatorApplication::Handle, this));
    if (m_connection == fabric::NO_CONNECTION)
    {
        throw std::invalid_argument("ns3::FabricInitiatorApplication on node " +
                                    std::to_string(GetNode()->GetId()) +
                                    ": the transport has as many connections as MaxConnections "
                                    "allows");
    }
    PostNext();
}

void
FabricInitiatorApplication::StopApplication()
{
    End();
    if (m_transport)
    {
        m_transport->Close(m_connection);
    }
}

void
FabricInitiatorApplication::End()
{
    m_isEnded = true;
    Simulator::Cancel(m_next);
}

void
FabricInitiatorApplication::PostNext()
{
    const auto mayPost = [this] {
        return !m_isEnded && m_posted < m_count && m_posted - m_completed - m_failed < m_most &&
               m_next.IsExpired();
    };
    while (mayPost())
    {
        const uint64_t number = m_posted;
        const RdmaOperation operation = m_operations[number % m_operations.size()];
        if (!m_transport->Post(m_connection, operation, m_bytes, number))
        {
            End(); // the connection has failed or is being closed
            return;
        }
        ++m_posted;
        NS_LOG_LOGIC("node " << GetNode()->GetId() << " posts " << fabric::NameOf(operation) << " "
                             << number << " of " << m_bytes << " bytes");
        m_postedTrace(operation, m_bytes, number);
        if (!m_interval.IsZero())
        {
            m_next = Simulator::Schedule(m_interval, &FabricInitiatorApplication::PostNext, this);
        }
    }
}

void
FabricInitiatorApplication::Handle(const RdmaEvent& event)
{
    switch (event.type)
    {
    case RdmaEventType::COMPLETION:
        HandleCompletion(event);
        break;
    case RdmaEventType::FAILED:
        End();
        m_errorTrace(event);
        break;
    case RdmaEventType::CLOSED:
        End();
        [[fallthrough]];
    case RdmaEventType::CONNECTED:
        m_connectionTrace(event);
        break;
    case RdmaEventType::ACCEPTED:
    case RdmaEventType::PRESENTED:
        break; // of the target's side
    }
}

void
FabricInitiatorApplication::HandleCompletion(const RdmaEvent& event)
{
    if (event.status == fabric::TransportStatus::OK)
    {
        ++m_completed;
        m_completedBytes += event.bytes;
        m_completedTrace(event, Simulator::Now() - PicoSeconds(event.postedAt));
    }
    else
    {
        ++m_failed;
        m_errorTrace(event);
    }
    if (IsDone())
    {
        m_transport->Close(m_connection);
        NS_LOG_INFO("node " << GetNode()->GetId() << " is done: " << m_completed
                            << " operations, and " << m_failed << " that failed");
        return;
    }
    PostNext();
}

} // namespace ns3
