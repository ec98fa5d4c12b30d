/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-sender.h"

#include <algorithm>

namespace ns3::fabric
{

CommandSender::CommandSender(const CommandSettings& settings,
                             PcieLink& pcie,
                             CommandNetwork& network)
    : m_settings(settings),
      m_pcie(pcie),
      m_network(network),
      m_table(settings.flowQueues, settings.flowCredits, settings.flowDepth),
      m_flows(settings.flowQueues)
{
}

bool
CommandSender::Enter(uint32_t queue, const Command& command, TimePs now)
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
    const uint32_t id = m_outstanding.Put({queue, command.postedAt, command.bytes});
    flow.commands.Push(
        {command.op, command.isInline, id, command.bytes, command.bytes, command.postedAt});
    Cut(*place, now);
    return true;
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
        const TimePs there =
            command.isInline || bytes == 0 ? now : m_pcie.Read(bytes, now + m_settings.stages.read);
        flow.lastReady = std::max(flow.lastReady, there + m_settings.stages.outbound);
        command.left -= bytes;
        ++flow.ahead;
        const bool isLast = command.left == 0;
        m_ready.Push({flow.lastReady,
                      flow.nicQueue,
                      place,
                      isLast,
                      {false, command.op, command.id, bytes, command.length, command.postedAt}});
        if (isLast)
        {
            flow.commands.Pop();
        }
    }
}

void
CommandSender::Acknowledge(const MessageFlow& flow, uint32_t id, TimePs at)
{
    CommandPacket packet;
    packet.isAck = true;
    packet.id = id;
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
    if (gone.isLast)
    {
        m_table.Leave(gone.flowQueue);
    }
    Cut(gone.flowQueue, now);
    return gone.isLast;
}

} // namespace ns3::fabric
