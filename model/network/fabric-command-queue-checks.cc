/* SPDX-License-Identifier: GPL-2.0-only */

// What FabricCommandQueues refuses.

#include "fabric-command-queues.h"
#include "fabric-device-engines.h"
#include "fabric-net-device.h"
#include "fabric-rank-link.h"

#include <stdexcept>
#include <string>

namespace ns3
{

using fabric::AtomicRequest;
using fabric::CommandArguments;
using fabric::CommandOp;
using fabric::CommandQueueKind;

namespace
{

constexpr uint64_t MOST_COMMAND_BYTES = uint64_t{1} << 30; ///< Chosen.

} // namespace

std::invalid_argument
FabricCommandQueues::Complaint(const std::string& sentence) const
{
    const std::string node = m_node ? "node " + std::to_string(m_node->GetId()) : "no node";
    return std::invalid_argument("ns3::FabricCommandQueues on " + node + ": " + sentence);
}

void
FabricCommandQueues::RequireDevice() const
{
    if (const std::string why = fabric::WhyNoEngine<FabricCommandQueues>(m_device); !why.empty())
    {
        throw Complaint(why);
    }
    if (m_carriesPackets && fabric::RankCount() > 1)
    {
        throw Complaint("CarriesPackets is true on several ranks; allowed is false, since a packet "
                        "of a command does not go from rank to rank");
    }
    const uint32_t header = FrameBytes({});
    if (m_device->GetMtu() <= header)
    {
        throw Complaint("the MTU is " + std::to_string(m_device->GetMtu()) +
                        " bytes; allowed is more than " + std::to_string(header) +
                        ", the header of a packet");
    }
}

void
FabricCommandQueues::RequireReports(const std::string& what) const
{
    if (m_needsAlarm && m_network->GetThreads() > 1)
    {
        throw Complaint(what + ", PcieLatency is " + std::to_string(m_pcie.latency) +
                        " ps, and there are " + std::to_string(m_network->GetThreads()) +
                        " threads; allowed is 1, or more than " +
                        std::to_string(m_device->GetNic().LongestWindow()) + " ps");
    }
}

void
FabricCommandQueues::RequireInstalled() const
{
    if (!m_device)
    {
        throw Complaint("they are not installed; allowed is a call after Install(), until "
                        "Simulator::Destroy()");
    }
}

void
FabricCommandQueues::RequireQueue(uint32_t queue) const
{
    RequireInstalled();
    if (queue >= m_settings.AllQueues())
    {
        throw Complaint("there is no queue " + std::to_string(queue) + "; allowed is 0 to " +
                        std::to_string(m_settings.AllQueues() - 1));
    }
}

bool
FabricCommandQueues::HasQueues(fabric::LocationId location) const
{
    if (!m_network->HasEndpoint(location))
    {
        return false;
    }
    const auto& device = m_network->GetDevices()[location - fabric::FIRST_UNICAST];
    return device->GetNic().HasEngineFor(fabric::FrameKind::COMMAND);
}

void
FabricCommandQueues::RequireStream(uint32_t queue, const fabric::CommandStream& stream)
{
    const CommandQueueKind kind = m_settings.KindOf(queue);
    if (stream.op == CommandOp::NOOP || !fabric::IsOpOf(kind, stream.op))
    {
        throw Complaint("operation " + std::to_string(static_cast<uint32_t>(stream.op)) +
                        " can't be posted to queue " + std::to_string(queue) + "; allowed are " +
                        (kind == CommandQueueKind::INITIATOR
                             ? "PUT, SEND, TAGGED, GET and ATOMIC"
                             : "APPEND, SEARCH, UNLINK and ENABLE"));
    }
    if (kind == CommandQueueKind::INITIATOR)
    {
        RequireFlow(stream.flow);
    }
    RequireArguments(stream);
    if (stream.bytes > MOST_COMMAND_BYTES)
    {
        throw Complaint("a command of " + std::to_string(stream.bytes) +
                        " bytes; allowed is 0 to " + std::to_string(MOST_COMMAND_BYTES));
    }
    if (stream.count == 0 || stream.gap < 0)
    {
        throw Complaint(std::to_string(stream.count) + " commands every " +
                        std::to_string(stream.gap) +
                        " ps; allowed is at least one, and no negative time");
    }
}

void
FabricCommandQueues::RequireArguments(const fabric::CommandStream& stream)
{
    const CommandArguments& arguments = stream.arguments;
    const AtomicRequest& atomic = arguments.atomic;
    for (const uint16_t counter : {arguments.counter,
                                   arguments.targetCounter,
                                   arguments.trigger.counter,
                                   arguments.entry.counter})
    {
        if (counter > m_settings.atomics.counters)
        {
            throw Complaint("counter " + std::to_string(counter) + "; allowed is 1 to " +
                            std::to_string(m_settings.atomics.counters) + ", or 0 for none");
        }
    }
    const bool isKnown = static_cast<uint8_t>(atomic.op) < fabric::ATOMIC_OPS;
    if (!isKnown || !m_engine->Memory().Has(atomic.localAddress, atomic.Bytes()))
    {
        throw Complaint("atomic operation " + std::to_string(static_cast<uint32_t>(atomic.op)) +
                        " with an operand at " + std::to_string(atomic.localAddress) +
                        "; allowed are 0 to " + std::to_string(fabric::ATOMIC_OPS - 1) +
                        " and multiples of " + std::to_string(atomic.Bytes()) + " below " +
                        std::to_string(m_settings.atomics.memory));
    }
}

void
FabricCommandQueues::RequireFlow(const fabric::MessageFlow& flow)
{
    if (flow.dst == m_device->GetLocation() || !HasQueues(flow.dst) ||
        flow.trafficClass >= fabric::TRAFFIC_CLASSES)
    {
        throw Complaint("a command to location " + std::to_string(flow.dst) + " in class " +
                        std::to_string(flow.trafficClass) +
                        " can't be posted; allowed are other hosts with command queues and classes "
                        "0 to " +
                        std::to_string(fabric::TRAFFIC_CLASSES - 1));
    }
}

} // namespace ns3
