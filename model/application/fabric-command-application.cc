/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-application.h"

#include "fabric-attributed-type.h"
#include "fabric-device-engines.h"
#include "fabric-network.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"

#include <array>
#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricCommandApplication");

NS_OBJECT_ENSURE_REGISTERED(FabricCommandApplication);

TypeId
FabricCommandApplication::GetTypeId()
{
    using Self = FabricCommandApplication;
    static TypeId tid =
        fabric::AttributedType(TypeId("ns3::FabricCommandApplication")
                                   .SetParent<Application>()
                                   .SetGroupName("Fabric")
                                   .AddConstructor<Self>())
            .Add("Device",
                 "The device whose ns3::FabricCommandQueues take the commands; empty for that of "
                 "the node.")
            .Uses(PointerValue(),
                  MakePointerAccessor(&Self::m_device),
                  MakePointerChecker<FabricNetDevice>())
            .Add("Remote", "Fabric address of the target: its host number + 1.")
            .Sets(&Self::m_remote, 1, {fabric::FIRST_UNICAST, fabric::LAST_UNICAST})
            .Add("Operation",
                 "`put`: data is written into the target's memory; `send`: and software there "
                 "learns of it; `tagged`: and the NIC there matches it with an entry of a list; "
                 "`get`: data is read from the target's memory.")
            .SetsOneOf(&Self::m_operation, PUT, "put", SEND, "send", TAGGED, "tagged", GET, "get")
            .Add("MatchBits", "Match bits of tagged messages.")
            .Sets(&Self::m_matchBits, 0)
            .Add("Bytes", "Data of each command.")
            .Sets(&Self::m_bytes, 64)
            .Add("Count", "Commands to issue, at least one.")
            .Sets(&Self::m_count, 1, {1})
            .Add("Interval",
                 "Time between commands, in the mean; with 0 the driver writes one after the "
                 "other, and each counts as asked for when it begins with it.")
            .Sets(&Self::m_interval, Time(0), {Time(0)})
            .Add("Poisson", "Whether times between commands are exponentially distributed.")
            .Sets(&Self::m_isPoisson, false)
            .Add("Outstanding", "Commands without acknowledgement, at most; 0 for any number.")
            .Sets(&Self::m_outstanding, 0)
            .Add("Queue", "Command queue of the node, from 0.")
            .Sets(&Self::m_queue, 0)
            .Add("TrafficClass", "Traffic class tag, FTAG.")
            .Sets(&Self::m_trafficClass, 0, {0, fabric::TRAFFIC_CLASSES - 1})
            .Add("Vni", "Virtual network of the commands.")
            .Sets(&Self::m_vni, 0);
    return tid;
}

FabricCommandApplication::FabricCommandApplication()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

FabricCommandApplication::~FabricCommandApplication() = default;

void
FabricCommandApplication::DoDispose()
{
    m_random = nullptr;
    m_device = nullptr;
    Application::DoDispose();
}

int64_t
FabricCommandApplication::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
FabricCommandApplication::StartApplication()
{
    if (FabricNetwork::IsElsewhere(GetNode()))
    {
        return; // the rank of the node does it
    }
    const Ptr<FabricCommandQueues> queues = m_device
                                                ? fabric::FindEngine<FabricCommandQueues>(m_device)
                                                : GetNode()->GetObject<FabricCommandQueues>();
    if (!queues)
    {
        throw std::invalid_argument("ns3::FabricCommandApplication on node " +
                                    std::to_string(GetNode()->GetId()) + ": the " +
                                    (m_device ? "device" : "node") +
                                    " has no ns3::FabricCommandQueues, which it needs");
    }
    fabric::CommandStream stream;
    constexpr std::array OPS{fabric::CommandOp::PUT,
                             fabric::CommandOp::SEND,
                             fabric::CommandOp::TAGGED,
                             fabric::CommandOp::GET};
    stream.op = OPS[m_operation];
    stream.arguments.entry.bits = m_matchBits;
    stream.flow = {m_remote, m_trafficClass, m_vni, m_queue};
    stream.bytes = m_bytes;
    stream.count = m_count;
    stream.gap = m_interval.GetPicoSeconds();
    stream.isRandom = m_isPoisson;
    stream.outstanding = m_outstanding;
    if (m_isPoisson)
    {
        stream.seed = m_random->GetInteger(1, 0x7FFFFFFF);
    }
    NS_LOG_INFO("node " << GetNode()->GetId() << " posts " << m_count << " commands of " << m_bytes
                        << " bytes to location " << m_remote);
    queues->Post(m_queue, stream);
}

} // namespace ns3
