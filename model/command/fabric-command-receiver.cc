/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-receiver.h"

namespace ns3::fabric
{

void
CommandReceiver::Arrive(const Frame& frame)
{
    m_arriving.Push({frame.time, frame.handle, frame.src, frame.vni, frame.trafficClass});
}

void
CommandReceiver::Handle(TimePs now)
{
    while (m_arriving.Earliest() <= now)
    {
        const Arrival arrival = m_arriving.Front();
        m_arriving.Pop();
        const CommandPacket packet = m_network.Take(arrival.source, arrival.handle);
        if (!packet.isAck)
        {
            TakeData(packet, arrival);
            continue;
        }
        const OutstandingCommand own = m_sender.Complete(packet.id);
        ++m_counts.acknowledged;
        const TimePs seen = WriteEvent(m_events, now + m_settings.stages.complete);
        m_listener.Learn({seen, own.postedAt, own.bytes, true, own.queue, 0});
    }
}

void
CommandReceiver::TakeData(const CommandPacket& packet, const Arrival& arrival)
{
    const TimePs at = arrival.at + m_settings.stages.inbound;
    if (packet.bytes != 0)
    {
        m_pcie.Write(PcieSide::NIC, m_writes, packet.bytes, at);
    }
    if (!IsWhole(packet, arrival.source))
    {
        return;
    }
    m_counts.bytes += packet.length;
    const bool isSend = packet.op == CommandOp::SEND;
    ++(isSend ? m_counts.sends : m_counts.puts);
    m_sender.Acknowledge({arrival.source, arrival.trafficClass, arrival.vni}, packet.id, at);
    if (isSend)
    {
        m_listener.Learn(
            {WriteEvent(m_writes, at), packet.postedAt, packet.length, false, 0, arrival.source});
    }
}

bool
CommandReceiver::IsWhole(const CommandPacket& packet, LocationId source)
{
    if (packet.bytes == packet.length)
    {
        return true;
    }
    const auto place = m_got.emplace(uint64_t{source} << 32 | packet.id, 0).first;
    place->second += packet.bytes;
    if (place->second != packet.length)
    {
        return false;
    }
    m_got.erase(place);
    return true;
}

TimePs
CommandReceiver::WriteEvent(PcieStream& order, TimePs at)
{
    return m_pcie.Write(PcieSide::NIC, order, EVENT_BYTES, at) + m_settings.driver.look;
}

} // namespace ns3::fabric
