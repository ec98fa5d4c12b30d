/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-sender.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t OUTBOUND_SIDE = 1; ///< Of address translation.

} // namespace

CommandSender::CommandSender(const CommandSettings& settings,
                             PcieLink& pcie,
                             CommandNetwork& network,
                             const TargetMemory& memory,
                             const CommandSteps& steps)
    : m_settings(settings),
      m_pcie(pcie),
      m_memory(memory),
      m_network(network),
      m_steps(steps),
      m_table(settings.flowQueues, settings.flowCredits, settings.flowDepth),
      m_units(settings.chopping),
      m_translation(settings.translation, OUTBOUND_SIDE),
      m_shaper(settings.shaper),
      m_flows(settings.flowQueues),
      m_tracker(settings.tracking, *this)
{
}

CommandSender::Waiting
CommandSender::Prepare(uint32_t queue, const Command& command, const CommandArguments* arguments)
{
    Waiting made{{}, command.isInline, CarriesData(command.op) ? command.bytes : 0};
    CommandPacket& packet = made.packet;
    packet.kind = CarriesData(command.op) ? CommandPacketKind::DATA : CommandPacketKind::REQUEST;
    packet.op = command.op;
    packet.turn = ++m_turn;
    packet.id = m_outstanding.Put({queue,
                                   command.postedAt,
                                   command.bytes,
                                   0,
                                   0,
                                   packet.turn,
                                   true,
                                   false,
                                   NO_CONNECTION_YET});
    m_mostId = std::max(m_mostId, packet.id);
    packet.length = command.bytes;
    packet.postedAt = command.postedAt;
    if (arguments)
    {
        packet.bits = arguments->entry.bits;
        packet.isPacket = arguments->isPacket;
        m_outstanding.At(packet.id).isPacket = arguments->isPacket;
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
        flow.trafficClass = command.trafficClass;
    }
    const Waiting waiting = Prepare(queue, command, arguments);
    flow.commands.Push(waiting);
    if (m_steps.IsOn())
    {
        const bool wasHeld = arguments && arguments->trigger.counter != 0;
        m_steps.Entered(wasHeld ? CommandStage::TRIGGER : CommandStage::PARSER,
                        queue,
                        command,
                        {0, waiting.packet.turn, waiting.packet.id, false},
                        now);
    }
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
    m_flows[place].trafficClass = to.trafficClass;
    CommandPacket reply;
    reply.kind = CommandPacketKind::REPLY;
    reply.op = request.op;
    reply.id = request.id;
    reply.turn = request.turn;
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

bool
CommandSender::HasUnit(uint32_t place)
{
    FlowQueue& flow = m_flows[place];
    if (flow.unit == ChoppingUnits::NO_UNIT && !flow.isWaiting)
    {
        flow.unit = m_units.Take(place);
        flow.isWaiting = flow.unit == ChoppingUnits::NO_UNIT;
    }
    return !flow.isWaiting;
}

CommandSender::Passage
CommandSender::Pass(FlowQueue& flow, bool isReply, uint32_t cut, TimePs now)
{
    const CommandStageTimes& stages = m_settings.stages;
    Waiting& command = flow.commands.Front();
    Passage way{};
    way.cut = m_units.Cut(flow.unit, command.packet.op, isReply, cut, now, flow.cutAt);
    way.fetched = Fetches(command, cut);
    way.read = way.fetched == 0
                   ? way.cut
                   : m_pcie.Read(way.fetched, way.cut + stages.read + m_translation.Look());
    flow.lastReady =
        std::max(flow.lastReady, way.read + (isReply ? stages.respond : stages.outbound));
    way.ready = flow.lastReady;
    return way;
}

void
CommandSender::Tell(const FlowQueue& flow,
                    const CommandPacket& packet,
                    const Passage& passage) const
{
    const LocationId peer = m_network.DestinationOf(flow.nicQueue);
    m_steps.Goes(CommandStage::CUT, packet, peer, passage.cut);
    if (passage.fetched != 0)
    {
        m_steps.Goes(CommandStage::DATA, packet, peer, passage.read);
    }
    m_steps.Goes(CommandStage::OUTBOUND, packet, peer, passage.ready);
}

bool
CommandSender::CutFirst(uint32_t place, TimePs now)
{
    FlowQueue& flow = m_flows[place];
    Waiting& command = flow.commands.Front();
    bool isLast = false;
    while (!isLast && flow.ahead < m_settings.readAhead)
    {
        const auto bytes =
            static_cast<uint32_t>(std::min<uint64_t>(command.left, m_network.MostBytes()));
        const bool isReply = place >= m_settings.flowQueues;
        const Passage passage = Pass(flow, isReply, bytes, now);
        command.left -= bytes;
        command.packet.bytes = bytes;
        if (m_steps.IsOn())
        {
            Tell(flow, command.packet, passage);
        }
        ++flow.ahead;
        isLast = command.left == 0;
        m_ready.Push({passage.ready,
                      flow.nicQueue,
                      place,
                      passage.fetched,
                      flow.trafficClass,
                      isLast,
                      true,
                      command.packet});
        command.packet.offset += bytes;
    }
    return isLast;
}

std::optional<uint32_t>
CommandSender::CutCommands(uint32_t place, TimePs now)
{
    FlowQueue& flow = m_flows[place];
    while (MayCut(flow) && HasUnit(place) && CutFirst(place, now))
    {
        flow.commands.Pop();
        const std::optional<uint32_t> next = m_units.Release(flow.unit);
        if (next)
        {
            m_flows[*next].unit = flow.unit;
            m_flows[*next].isWaiting = false;
        }
        flow.unit = ChoppingUnits::NO_UNIT;
        if (next)
        {
            if (MayCut(flow))
            {
                HasUnit(place); // it waits behind the others
            }
            return next;
        }
    }
    return std::nullopt;
}

void
CommandSender::Cut(uint32_t place, TimePs now)
{
    std::optional<uint32_t> next = place;
    while (next)
    {
        next = CutCommands(*next, now);
    }
}

void
CommandSender::Send(const MessageFlow& flow, const CommandPacket& packet, TimePs at)
{
    m_ready.Push(
        {at, m_network.QueueOf(flow), NO_FLOW_QUEUE, 0, flow.trafficClass, false, false, packet});
}

OutstandingCommand
CommandSender::Complete(uint32_t id)
{
    const OutstandingCommand command = m_outstanding.Take(id);
    if (command.connection != NO_CONNECTION_YET)
    {
        m_tracker.Close(command.connection);
    }
    return command;
}

std::optional<uint32_t>
CommandSender::TakeFailed()
{
    if (m_failed.IsEmpty())
    {
        return std::nullopt;
    }
    const uint32_t connection = m_failed.Front();
    m_failed.Pop();
    return connection;
}

std::vector<OutstandingCommand>
CommandSender::TakeCommands(uint32_t connection)
{
    std::vector<OutstandingCommand> taken;
    for (uint32_t id = 0; id <= m_mostId && !m_outstanding.IsUnused(); ++id)
    {
        const OutstandingCommand& command = m_outstanding.At(id);
        if (command.isOpen && command.connection == connection)
        {
            taken.push_back(m_outstanding.Take(id));
        }
    }
    return taken;
}

void
CommandSender::Offer(const DepartingPacket& packet)
{
    m_offers.Push(packet);
}

void
CommandSender::SendAgain(const DepartingPacket& packet, TimePs now)
{
    DepartingPacket again = packet;
    again.flowQueue = NO_FLOW_QUEUE; // its command has left there
    TimePs at = now + m_settings.stages.read;
    if (packet.fetched != 0)
    {
        at = m_pcie.Read(packet.fetched, at + m_translation.Look());
    }
    m_againAt = again.at = std::max(m_againAt, at);
    m_ready.Push(again);
    m_network.Resent(packet.nicQueue, packet.packet, now);
}

void
CommandSender::Discard(const DepartingPacket& packet, TimePs now)
{
    if (packet.flowQueue != NO_FLOW_QUEUE)
    {
        m_hasLeft = Leave(packet.flowQueue, packet.isLast, now) || m_hasLeft;
    }
}

void
CommandSender::Fail(uint32_t connection)
{
    m_failed.Push(connection);
}

bool
CommandSender::IsAbandoned(const DepartingPacket& packet)
{
    const bool isRest =
        packet.packet.kind == CommandPacketKind::REQUEST && packet.packet.op == CommandOp::TAGGED;
    const bool isOwn = packet.packet.kind == CommandPacketKind::DATA ||
                       (packet.packet.kind == CommandPacketKind::REQUEST && !isRest);
    if (!isOwn)
    {
        return false;
    }
    if (!IsUnder(packet.packet.id, packet.packet.turn))
    {
        return true;
    }
    OutstandingCommand& command = m_outstanding.At(packet.packet.id);
    if (command.connection == NO_CONNECTION_YET)
    {
        command.connection = packet.nicQueue;
        m_tracker.Open(packet.nicQueue);
    }
    return false;
}

void
CommandSender::Enter(const DepartingPacket& packet, TimePs now)
{
    if (!m_tracker.IsOn() || packet.packet.track.epoch != 0)
    {
        m_offers.Push(packet); // not tracked, or sent again
    }
    else if (IsAbandoned(packet))
    {
        Discard(packet, now);
    }
    else
    {
        m_tracker.Admit(packet);
    }
}

void
CommandSender::Handle(TimePs now)
{
    if (m_tracker.NextTime() <= now)
    {
        m_tracker.Handle(now);
    }
    for (; m_ready.Earliest() <= now; m_ready.Pop())
    {
        DepartingPacket packet = m_ready.Front();
        if (packet.isShaped)
        {
            const uint32_t bytes = WireBytes(m_network.FrameBytes(packet.packet));
            packet.at = m_shaper.Admit(packet.trafficClass, bytes, packet.at);
        }
        if (packet.at > now)
        {
            m_shaped.Push(packet);
            continue;
        }
        Enter(packet, now);
    }
    for (; m_shaped.Earliest() <= now; m_shaped.Pop())
    {
        Enter(m_shaped.Front(), now);
    }
}

std::optional<EnginePacket>
CommandSender::NextPacket()
{
    if (m_offers.IsEmpty())
    {
        return std::nullopt;
    }
    const DepartingPacket next = m_offers.Front();
    m_offers.Pop();
    if (next.nicQueue >= m_inQueues.size())
    {
        m_inQueues.resize(next.nicQueue + 1);
    }
    const uint32_t handle = m_network.Put(next.packet);
    m_inQueues[next.nicQueue].Push({next.flowQueue, next.isLast, next.packet.track, handle});
    return EnginePacket{next.nicQueue,
                        m_network.FrameBytes(next.packet),
                        handle,
                        FrameKind::COMMAND};
}

void
CommandSender::TellGone(const CommandPacket& packet, LocationId peer, TimePs now, TimePs end) const
{
    if (packet.kind != CommandPacketKind::TRACK)
    {
        m_steps.Goes(CommandStage::QUEUE, packet, peer, now);
        m_steps.Goes(CommandStage::LINK, packet, peer, end);
    }
}

bool
CommandSender::PacketGoes(uint32_t queue, TimePs now, TimePs end)
{
    const Queued gone = m_inQueues[queue].Front();
    m_inQueues[queue].Pop();
    if (m_steps.IsOn())
    {
        TellGone(m_network.At(gone.handle), m_network.DestinationOf(queue), now, end);
    }
    if (gone.track.epoch != 0)
    {
        m_tracker.Gone(queue, gone.track, now);
    }
    return gone.flowQueue != NO_FLOW_QUEUE && Leave(gone.flowQueue, gone.isLast, now);
}

bool
CommandSender::Leave(uint32_t place, bool isLast, TimePs now)
{
    --m_flows[place].ahead;
    const bool hasLeft = isLast && place < m_settings.flowQueues;
    if (hasLeft)
    {
        m_table.Leave(place);
    }
    Cut(place, now);
    return hasLeft;
}

} // namespace ns3::fabric
