/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-ideal.h"

#include "fabric-frame.h"
#include "fabric-ideal-path.h"
#include "fabric-transport-layout.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

/// @return the same path with other full frames. @param payload of them, bytes
EmptyPath
WithPayload(const EmptyPath& path, uint32_t payload)
{
    return EmptyPath(path.Links(), payload);
}

} // namespace

TransportIdeal::TransportIdeal(const EmptyPath& there,
                               const EmptyPath& back,
                               const ConnectionSettings& settings,
                               uint32_t telemetry)
    : m_there(there),
      m_back(back),
      m_settings(settings),
      m_telemetry(telemetry)
{
}

TimePs
TransportIdeal::RoundTrip() const
{
    const uint32_t data = m_settings.mtu + HeaderBytes(m_settings.mtu);
    const uint32_t ack = TransportHeaderBytes(TransportPacketType::ACK) + m_telemetry;
    return WithPayload(m_there, data).CompletionTime(data) +
           WithPayload(m_back, ack).CompletionTime(ack);
}

bool
TransportIdeal::IsSolicited(uint32_t bytes) const
{
    return bytes > 0 && m_settings.Solicits(bytes, m_settings.dataWindow, m_settings.dataWindow);
}

uint32_t
TransportIdeal::HeaderBytes(uint32_t bytes) const
{
    return TransportHeaderBytes(IsSolicited(bytes) ? TransportPacketType::PUSH_SOLICITED_DATA
                                                   : TransportPacketType::PUSH_UNSOLICITED_DATA) +
           m_telemetry;
}

TimePs
TransportIdeal::CompletionTime(uint32_t bytes) const
{
    const uint32_t header = HeaderBytes(bytes);
    const uint64_t packets =
        std::max<uint64_t>(1, (uint64_t{bytes} + m_settings.mtu - 1) / m_settings.mtu);
    const EmptyPath path = WithPayload(m_there, m_settings.mtu + header);
    const TimePs data = path.CompletionTime(bytes + packets * header);
    if (!IsSolicited(bytes))
    {
        return data;
    }
    constexpr uint32_t REQUEST = TransportHeaderBytes(TransportPacketType::PUSH_SOLICITED_REQUEST);
    constexpr uint32_t GRANT = TransportHeaderBytes(TransportPacketType::PUSH_GRANT);
    return WithPayload(m_there, REQUEST).CompletionTime(REQUEST) +
           WithPayload(m_back, GRANT).CompletionTime(GRANT) + data;
}

TimePs
TransportIdeal::HpccIdeal(uint32_t bytes) const
{
    const IdealPath path(m_there);
    return fabric::HpccIdeal(path.hops, bytes, m_settings.mtu, WireBytes(0) + HeaderBytes(bytes));
}

} // namespace ns3::fabric
