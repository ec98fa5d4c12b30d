/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-sender.h"

#include <algorithm>

namespace ns3::fabric
{

CommandSender::CommandSender(const CommandSettings& settings,
                             PcieLink& pcie,
                             CommandNetwork& network,
                             const TargetMemory& memory)
    : m_settings(settings),
      m_pcie(pcie),
      m_memory(memory),
      m_network(network),
      m_table(settings.flowQueues, settings.flowCredits, settings.flowDepth),
      m_flows(settings.flowQueues)
{
}

CommandSender::Waiting
CommandSender::Prepare(uint32_t queue, const Command& command, const CommandArguments* arguments)
{
    Waiting made{{}, command.isInline, CarriesData(command.op) ? command.bytes : 0};
    CommandPacket& packet = made.packet;
    packet.kind = CarriesData(command.op) ? CommandPacketKind::DATA : CommandPacketKind::REQUEST;
    packet.op = command.op;
    packet.id = m_outstanding.Put({queue, command.postedAt, command.bytes, 0, 0});
    packet.length = command.bytes;
    packet.postedAt = command.postedAt;
    if (arguments)
    {
        packet.bits = arguments->entry.bits;
        packet.atomic = arguments->atomic;
        packet.counter = arguments->targetCounter;
        m_outstanding.At(packet.id).counter = arguments->counter;
    }
    const bool isLong = command.bytes > m_settings.matching.rendezvous;
    if (command.op == CommandOp::TAGGED && isLong)
    {
        made.left = m_settings.matching.eager;
    }
    packet.eager = made.left;
    return made;
}

bool
CommandSender::Enter(uint32_t queue,
                     const Command& command,
                     const CommandArguments* arguments,
                     TimePs now)
{
    const std::optional<uint32_t> place = m_table.Enter(command);
    if (!place)
    {
        return false;
    }
    FlowQueue& flow = m_flows[*place];
    if (m_table.Commands(*place) == 1)
    {
        flow.nicQueue = m_network.QueueOf({command.dst, command.trafficClass, command.vni});
    }
    flow.commands.Push(Prepare(queue, command, arguments));
    Cut(*place, now);
    return true;
}

void
CommandSender::Respond(const MessageFlow& to, const CommandPacket& request, TimePs now)
{
    const uint32_t nicQueue = m_network.QueueOf(to);
    const uint32_t place = m_settings.flowQueues + nicQueue;
    while (m_flows.size() <= place)
    {
        m_flows.emplace_back();
    }
    m_flows[place].nicQueue = nicQueue;
    CommandPacket reply;
    reply.kind = CommandPacketKind::REPLY;
    reply.op = request.op;
    reply.id = request.id;
    reply.length = request.length;
    m_flows[place].commands.Push({reply, false, request.length});
    Cut(place, now);
}

uint32_t
CommandSender::Fetches(Waiting& command, uint32_t cut) const
{
    AtomicRequest& atomic = command.packet.atomic;
    if (command.packet.kind != CommandPacketKind::REQUEST || !atomic.readsOperand)
    {
        return command.isInline ? 0 : cut;
    }
    atomic.operand = m_memory.Read(atomic.localAddress, atomic.Bytes());
    return atomic.Bytes();
}

void
CommandSender::Cut(uint32_t place, TimePs now)
{
    FlowQueue& flow = m_flows[place];
    while (!flow.commands.IsEmpty() && flow.ahead < m_settings.readAhead)
    {
        Waiting& command = flow.commands.Front();
        const auto bytes =
            static_cast<uint32_t>(std::min<uint64_t>(command.left, m_network.MostBytes()));
        const uint32_t fetched = Fetches(command, bytes);
        const TimePs there =
            fetched == 0 ? now : m_pcie.Read(fetched, now + m_settings.stages.read);
        const bool isReply = place >= m_settings.flowQueues;
        const TimePs pass = isReply ? m_settings.stages.respond : m_settings.stages.outbound;
        flow.lastReady = std::max(flow.lastReady, there + pass);
        command.left -= bytes;
        command.packet.bytes = bytes;
        ++flow.ahead;
        const bool isLast = command.left == 0;
        m_ready.Push({flow.lastReady, flow.nicQueue, place, isLast, command.packet});
        if (isLast)
        {
            flow.commands.Pop();
        }
    }
}

void
CommandSender::Send(const MessageFlow& flow, const CommandPacket& packet, TimePs at)
{
    m_ready.Push({at, m_network.QueueOf(flow), NO_FLOW_QUEUE, false, packet});
}

void
CommandSender::Handle(TimePs now)
{
    for (; m_ready.Earliest() <= now; m_ready.Pop())
    {
        m_offers.Push(m_ready.Front());
    }
}

std::optional<EnginePacket>
CommandSender::NextPacket()
{
    if (m_offers.IsEmpty())
    {
        return std::nullopt;
    }
    const Outgoing next = m_offers.Front();
    m_offers.Pop();
    if (next.nicQueue >= m_inQueues.size())
    {
        m_inQueues.resize(next.nicQueue + 1);
    }
    m_inQueues[next.nicQueue].Push({next.flowQueue, next.isLast});
    return EnginePacket{next.nicQueue,
                        m_network.FrameBytes(next.packet),
                        m_network.Put(next.packet),
                        FrameKind::COMMAND};
}

bool
CommandSender::PacketGoes(uint32_t queue, TimePs now)
{
    const Queued gone = m_inQueues[queue].Front();
    m_inQueues[queue].Pop();
    if (gone.flowQueue == NO_FLOW_QUEUE)
    {
        return false;
    }
    --m_flows[gone.flowQueue].ahead;
    const bool hasLeft = gone.isLast && gone.flowQueue < m_settings.flowQueues;
    if (hasLeft)
    {
        m_table.Leave(gone.flowQueue);
    }
    Cut(gone.flowQueue, now);
    return hasLeft;
}

} // namespace ns3::fabric
