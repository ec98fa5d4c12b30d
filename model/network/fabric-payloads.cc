/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-payloads.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ns3::fabric
{

Payloads::Payloads(Listener lost, Listener ended)
    : m_lost(std::move(lost)),
      m_ended(std::move(ended))
{
    m_transport.push_back(std::make_unique<TransportTable>());
}

void
Payloads::Divide(uint32_t parts)
{
    m_partOf.resize(LAST_UNICAST + 1); // who never had a link is in part 0
    while (m_transport.size() < parts)
    {
        m_transport.push_back(std::make_unique<TransportTable>());
    }
    if (!m_hops.empty())
    {
        AddTelemetry();
    }
}

void
Payloads::AddTelemetry()
{
    while (m_hops.size() < m_transport.size())
    {
        m_hops.push_back(std::make_unique<HopTable>());
    }
}

void
Payloads::SetPart(LocationId sender, uint32_t part)
{
    m_partOf[sender] = part;
}

void
Payloads::Free(const Frame& frame)
{
    if (frame.kind == FrameKind::PACKET)
    {
        m_packets.Take(frame.handle);
    }
    else if (frame.kind == FrameKind::GROUP)
    {
        throw std::logic_error("a frame to a group is lost, where nothing may be");
    }
    else if (frame.kind >= FrameKind::TRANSPORT)
    {
        TransportOf(frame.src).Free(frame.handle);
    }
    else if (m_post && m_post->IsElsewhere(frame.dst))
    {
        m_post->Lose(frame);
    }
    else
    {
        LosePart(frame.handle, frame.payload);
    }
}

void
Payloads::LosePart(uint32_t handle, uint32_t bytes)
{
    if (m_messages.At(handle).Lose(bytes))
    {
        FreeLost(handle);
    }
}

void
Payloads::FreeLost(uint32_t handle)
{
    m_lost(m_messages.At(handle));
    FreeMessage(handle);
}

void
Payloads::FreeMessage(uint32_t handle)
{
    if (!m_post || m_post->EndMessage(handle))
    {
        EndMessage(handle);
    }
}

void
Payloads::EndMessage(uint32_t handle)
{
    m_ended(m_messages.At(handle));
    m_messages.Free(handle);
}

bool
Payloads::IsEmpty() const
{
    return m_messages.UnderWay() == 0 && m_packets.UnderWay() == 0 &&
           std::all_of(m_transport.begin(), m_transport.end(), [](const auto& table) {
               return table->UnderWay() == 0;
           });
}

} // namespace ns3::fabric
