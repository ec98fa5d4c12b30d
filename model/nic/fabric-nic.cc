/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-nic.h"

#include <algorithm>

namespace ns3
{
namespace fabric
{

Nic::Nic(LocationId location, const NicConfig& config, MessageTable& messages)
    : m_location(location),
      m_messages(messages),
      m_config(config)
{
}

void
Nic::Connect(LinkRate rate, const LinkTiming& timing, InputLink* peer, Agenda* agenda)
{
    m_transmitter.Connect(rate, timing, peer);
    m_effectDelay = timing.delay + timing.dataLatency;
    m_agenda = agenda;
}

uint32_t
Nic::SendMessage(LocationId dst, uint64_t bytes, uint8_t trafficClass, uint64_t tag, TimePs now)
{
    Message message;
    message.bytes = message.underWay = bytes;
    message.tag = tag;
    message.sentAt = now;
    message.sequence = m_messagesSent++;
    message.src = m_location;
    message.dst = dst;
    message.trafficClass = trafficClass;
    const uint32_t handle = m_messages.Put(message);

    FlowKey key;
    key.destination = dst;
    key.trafficClass = trafficClass;
    Enqueue(key, {bytes, handle, FrameKind::MESSAGE}, now);
    return handle;
}

void
Nic::SendPacket(const FlowKey& key, uint32_t bytes, uint32_t handle, TimePs now)
{
    m_packetBacklog += bytes;
    Enqueue(key, {bytes, handle, FrameKind::PACKET}, now);
}

uint32_t
Nic::QueueOf(const FlowKey& key)
{
    const auto [place, isNew] =
        m_queueOf.try_emplace(key, static_cast<uint32_t>(m_queues.size()));
    if (isNew)
    {
        const uint64_t hash = FlowKeyHash()(key) + m_location * uint64_t{0x9e3779b97f4a7c15};
        m_queues.push_back({key, static_cast<uint32_t>(hash >> 32), {}});
    }
    return place->second;
}

void
Nic::Enqueue(const FlowKey& key, const Job& job, TimePs now)
{
    RunUntil(now);
    const uint32_t number = QueueOf(key);
    SendQueue& queue = m_queues[number];
    if (queue.jobs.IsEmpty())
    {
        m_turns.Push(number);
    }
    queue.jobs.Push(job);
    m_counts.offered += job.left;
    if (m_decision == NEVER && !m_starves)
    {
        m_decision = std::max(now, m_transmitter.FreeAt());
        m_agenda->Wake(NextEffect());
    }
}

Frame
Nic::MakeFrame(uint32_t number) const
{
    const SendQueue& queue = m_queues[number];
    const Job& job = queue.jobs.Front();
    Frame frame{};
    frame.src = m_location;
    frame.dst = queue.key.destination;
    frame.payload = static_cast<uint16_t>(std::min<uint64_t>(job.left, m_config.mtu));
    frame.dataFlow = queue.label;
    frame.handle = job.handle;
    frame.next = number;
    frame.kind = job.kind;
    frame.vc = m_config.vcOfClass[queue.key.trafficClass] & 3;
    frame.last = job.left == frame.payload;
    frame.trafficClass = queue.key.trafficClass & 0xF;
    frame.vni = queue.key.vni;
    return frame;
}

void
Nic::Decide(TimePs now)
{
    m_decision = NEVER;
    m_starves = false;
    if (m_turns.IsEmpty())
    {
        return;
    }
    LinkCredits& credits = m_transmitter.Credits();
    credits.Collect(now);
    const uint32_t number = m_turns.Front();
    Frame frame = MakeFrame(number);
    if (!credits.CanSend(frame.vc, WireBytes(frame.payload)))
    {
        m_decision = credits.NextReturn();
        m_starves = true;
        return;
    }
    m_turns.Pop();
    frame.corrupt = m_transmitter.Corrupts(frame);
    const TimePs free = m_transmitter.SendData(frame, now);
    m_counts.sent += frame.payload;
    m_packetBacklog -= frame.kind == FrameKind::PACKET ? frame.payload : 0;

    Ring<Job>& jobs = m_queues[number].jobs;
    jobs.Front().left -= frame.payload;
    if (frame.last)
    {
        jobs.Pop();
    }
    if (!jobs.IsEmpty())
    {
        m_turns.Push(number);
    }
    m_decision = m_turns.IsEmpty() ? NEVER : free;
}

void
Nic::Expect(const Frame& frame, TimePs known)
{
    while (!m_arriving.IsEmpty() && m_arriving.Front().time <= known)
    {
        m_arriving.Pop();
    }
    if (frame.corrupt)
    {
        m_counts.corrupt += frame.payload;
        m_listener->FrameDamaged(frame);
        return;
    }
    m_arriving.Push({frame.time, frame.payload});
    m_counts.arrived += frame.payload;
    ++m_counts.framesArrived;
    if (frame.kind == FrameKind::PACKET)
    {
        m_listener->PacketComplete(frame, frame.time);
        return;
    }
    Message& message = m_messages.At(frame.handle);
    if (!message.Arrive(frame.payload))
    {
        return;
    }
    if (message.isDamaged)
    {
        m_messages.Free(frame.handle);
        return;
    }
    m_listener->MessageComplete(frame.handle, frame.time);
}

uint64_t
Nic::DeliveredBy(TimePs at) const
{
    uint64_t delivered = m_counts.arrived;
    for (uint32_t i = m_arriving.Size(); i-- > 0 && m_arriving.At(i).time > at;)
    {
        delivered -= m_arriving.At(i).bytes;
    }
    return delivered;
}

std::size_t
Nic::MemoryBytes() const
{
    std::size_t bytes = m_transmitter.MemoryBytes() + m_turns.MemoryBytes() +
                        m_arriving.MemoryBytes() + m_queues.capacity() * sizeof(SendQueue);
    for (const SendQueue& queue : m_queues)
    {
        bytes += queue.jobs.MemoryBytes();
    }
    return bytes;
}

} // namespace fabric
} // namespace ns3
