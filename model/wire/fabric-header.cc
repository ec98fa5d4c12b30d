/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-header.h"

#include "fabric-bit-reader.h"
#include "fabric-bit-writer.h"
#include "fabric-crc.h"
#include "fabric-require.h"

#include <utility>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricHeader);

namespace
{

constexpr const char* FABRIC_HEADER = "FabricHeader"; ///< Names the class in complaints.
constexpr uint32_t CHECK_BYTES = 4;                   ///< Header check.
/// Types of data frames have a zero before these bits (fabric::FRAME_TYPE_BITS).
constexpr uint32_t DATA_TYPE_BITS = 3;

/// Bytes that the header check protects.
constexpr uint32_t CHECKED_BYTES = fabric::HEADER_BYTES - CHECK_BYTES;

/**
 * @param kind what a frame carries
 * @return its type on the wire
 */
fabric::FrameType
TypeOf(fabric::FrameKind kind)
{
    switch (kind)
    {
    case fabric::FrameKind::PACKET:
        return fabric::FrameType::ETHERNET;
    case fabric::FrameKind::TRANSPORT:
    case fabric::FrameKind::COMMAND:
        return fabric::FrameType::RELIABLE;
    default:
        return fabric::FrameType::NATIVE;
    }
}

/**
 * @param type of a data frame on the wire
 * @return what it carries
 */
fabric::FrameKind
KindOf(fabric::FrameType type)
{
    switch (type)
    {
    case fabric::FrameType::NATIVE:
        return fabric::FrameKind::MESSAGE;
    case fabric::FrameType::RELIABLE:
        return fabric::FrameKind::TRANSPORT;
    default:
        return fabric::FrameKind::PACKET;
    }
}

} // namespace

TypeId
FabricHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricHeader")
                            .SetParent<Header>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricHeader>();
    return tid;
}

TypeId
FabricHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

FabricHeader
FabricHeader::FromFrame(const fabric::Frame& frame)
{
    FabricHeader header;
    header.SetSource(frame.src);
    header.SetDestination(frame.dst);
    header.SetVirtualLane(frame.lane);
    header.SetVirtualChannel(frame.vc);
    header.SetTrafficClass(frame.trafficClass);
    header.SetFlow(frame.flow);
    header.SetDataFlow(frame.kind == fabric::FrameKind::GROUP ? 0 : frame.dataFlow);
    header.SetVni(frame.vni);
    header.SetPayloadBytes(frame.payload);
    header.SetFrameType(TypeOf(frame.kind));
    header.SetFlags((frame.last ? FLAG_LAST : 0) | (frame.marked ? FLAG_MARKED : 0));
    header.m_crcOk = !frame.corrupt;
    return header;
}

fabric::Frame
FabricHeader::ToFrame() const
{
    fabric::Frame frame{};
    frame.src = m_source;
    frame.dst = m_destination;
    frame.flow = m_flow;
    frame.payload = m_payloadBytes;
    frame.dataFlow = m_dataFlow;
    frame.kind = KindOf(m_frameType);
    frame.vc = m_virtualChannel & 0x3;
    frame.corrupt = !m_crcOk;
    frame.last = (m_flags & FLAG_LAST) != 0;
    frame.marked = (m_flags & FLAG_MARKED) != 0;
    frame.lane = m_virtualLane & 0xF;
    frame.trafficClass = m_trafficClass & 0xF;
    frame.vni = m_vni;
    frame.severity = m_severity;
    return frame;
}

void
FabricHeader::SetSource(fabric::LocationId source)
{
    fabric::RequireRange(FABRIC_HEADER,
                         "source",
                         source,
                         fabric::FIRST_UNICAST,
                         fabric::LAST_UNICAST);
    m_source = source;
}

void
FabricHeader::SetDestination(fabric::LocationId destination)
{
    fabric::RequireRange(FABRIC_HEADER, "destination", destination, fabric::FIRST_UNICAST, 0xFFFF);
    m_destination = destination;
}

void
FabricHeader::SetVirtualLane(uint32_t lane)
{
    fabric::RequireRange(FABRIC_HEADER, "virtual lane", lane, 0, 15);
    m_virtualLane = static_cast<uint8_t>(lane);
}

void
FabricHeader::SetVirtualChannel(uint32_t channel)
{
    fabric::RequireRange(FABRIC_HEADER,
                         "virtual channel",
                         channel,
                         0,
                         fabric::VIRTUAL_CHANNELS - 1);
    m_virtualChannel = static_cast<uint8_t>(channel);
}

void
FabricHeader::SetTrafficClass(uint32_t trafficClass)
{
    fabric::RequireRange(FABRIC_HEADER, "FTAG", trafficClass, 0, fabric::TRAFFIC_CLASSES - 1);
    m_trafficClass = static_cast<uint8_t>(trafficClass);
}

void
FabricHeader::SetFlow(fabric::FlowId flow)
{
    fabric::RequireRange(FABRIC_HEADER, "flow_id", flow, 0, fabric::FLOW_IDS_PER_LINK - 1);
    m_flow = flow;
}

void
FabricHeader::SetDataFlow(uint32_t units)
{
    m_dataFlow = units;
}

void
FabricHeader::SetVni(uint16_t vni)
{
    m_vni = vni;
}

void
FabricHeader::SetPayloadBytes(uint32_t bytes)
{
    fabric::RequireRange(FABRIC_HEADER, "payload length", bytes, 0, fabric::JUMBO_PAYLOAD);
    m_payloadBytes = static_cast<uint16_t>(bytes);
}

void
FabricHeader::SetFrameType(fabric::FrameType type)
{
    fabric::RequireRange(FABRIC_HEADER,
                         "frame type",
                         static_cast<uint64_t>(type),
                         static_cast<uint64_t>(fabric::FrameType::NATIVE),
                         static_cast<uint64_t>(fabric::FrameType::RELIABLE));
    m_frameType = type;
}

void
FabricHeader::SetFlags(uint32_t flags)
{
    fabric::RequireRange(FABRIC_HEADER, "flags", flags, 0, FLAG_LAST | FLAG_MARKED);
    m_flags = static_cast<uint8_t>(flags);
}

void
FabricHeader::SetSeverity(uint32_t severity)
{
    fabric::RequireRange(FABRIC_HEADER, "severity", severity, 0, 255);
    m_severity = static_cast<uint8_t>(severity);
}

fabric::LocationId
FabricHeader::GetSource() const
{
    return m_source;
}

fabric::LocationId
FabricHeader::GetDestination() const
{
    return m_destination;
}

uint8_t
FabricHeader::GetVirtualLane() const
{
    return m_virtualLane;
}

uint8_t
FabricHeader::GetVirtualChannel() const
{
    return m_virtualChannel;
}

uint8_t
FabricHeader::GetTrafficClass() const
{
    return m_trafficClass;
}

fabric::FlowId
FabricHeader::GetFlow() const
{
    return m_flow;
}

uint32_t
FabricHeader::GetDataFlow() const
{
    return m_dataFlow;
}

uint16_t
FabricHeader::GetVni() const
{
    return m_vni;
}

uint32_t
FabricHeader::GetPayloadBytes() const
{
    return m_payloadBytes;
}

fabric::FrameType
FabricHeader::GetFrameType() const
{
    return m_frameType;
}

uint8_t
FabricHeader::GetFlags() const
{
    return m_flags;
}

uint8_t
FabricHeader::GetSeverity() const
{
    return m_severity;
}

bool
FabricHeader::IsCrcOk() const
{
    return m_crcOk;
}

bool
FabricHeader::IsValid() const
{
    // The other fields cannot be out of range, whatever came in: all codes of their bits are legal.
    return m_crcOk && m_source >= fabric::FIRST_UNICAST && m_source <= fabric::LAST_UNICAST &&
           m_destination >= fabric::FIRST_UNICAST && m_payloadBytes <= fabric::JUMBO_PAYLOAD &&
           fabric::IsDataFrame(m_frameType);
}

uint32_t
FabricHeader::GetSerializedSize() const
{
    return fabric::HEADER_BYTES;
}

void
FabricHeader::Serialize(Buffer::Iterator start) const
{
    fabric::BitWriter writer;
    writer.Put(m_source, 16);
    writer.Put(m_destination, 16);
    writer.Put(m_virtualLane, 4);
    writer.Put(m_virtualChannel, 2);
    writer.Put(m_trafficClass, 4);
    writer.Put(m_flow, 11);
    writer.Put(m_dataFlow, 32);
    writer.Put(m_vni, 16);
    writer.Put(m_payloadBytes, 14);
    writer.Put(static_cast<uint32_t>(m_frameType), DATA_TYPE_BITS);
    writer.Put(m_flags, 2);
    writer.Put(m_severity, 8);
    const uint32_t check = fabric::Crc32c(writer.GetBytes().data(), CHECKED_BYTES);
    // Damage has to stay visible to whoever reads the bytes, for example in a pcap file.
    writer.Put(m_crcOk ? check : ~check, 32);
    start.Write(writer.GetBytes().data(), fabric::HEADER_BYTES);
}

uint32_t
FabricHeader::Deserialize(Buffer::Iterator start)
{
    *this = FabricHeader();
    if (start.GetRemainingSize() < fabric::HEADER_BYTES)
    {
        m_crcOk = false;
        return 0;
    }
    std::vector<uint8_t> bytes(fabric::HEADER_BYTES);
    start.Read(bytes.data(), fabric::HEADER_BYTES);
    const uint32_t check = fabric::Crc32c(bytes.data(), CHECKED_BYTES);

    fabric::BitReader reader(std::move(bytes));
    m_source = static_cast<uint16_t>(reader.Get(16));
    m_destination = static_cast<uint16_t>(reader.Get(16));
    m_virtualLane = static_cast<uint8_t>(reader.Get(4));
    m_virtualChannel = static_cast<uint8_t>(reader.Get(2));
    m_trafficClass = static_cast<uint8_t>(reader.Get(4));
    m_flow = static_cast<uint16_t>(reader.Get(11));
    m_dataFlow = reader.Get(32);
    m_vni = static_cast<uint16_t>(reader.Get(16));
    m_payloadBytes = static_cast<uint16_t>(reader.Get(14));
    m_frameType = static_cast<fabric::FrameType>(reader.Get(DATA_TYPE_BITS));
    m_flags = static_cast<uint8_t>(reader.Get(2));
    m_severity = static_cast<uint8_t>(reader.Get(8));
    m_crcOk = reader.Get(32) == check;
    return fabric::HEADER_BYTES;
}

void
FabricHeader::Print(std::ostream& os) const
{
    os << "src=" << m_source << " dst=" << m_destination << " lane=" << +m_virtualLane
       << " vc=" << +m_virtualChannel << " ftag=" << +m_trafficClass << " flow=" << m_flow
       << " data_flow=" << m_dataFlow << " vni=" << m_vni << " payload=" << m_payloadBytes
       << " type=" << +static_cast<uint8_t>(m_frameType) << " flags=" << +m_flags
       << " severity=" << +m_severity << " check=" << (m_crcOk ? "ok" : "bad");
}

} // namespace ns3
