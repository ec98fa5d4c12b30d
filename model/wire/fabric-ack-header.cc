/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ack-header.h"

#include "fabric-bit-reader.h"
#include "fabric-bit-writer.h"
#include "fabric-crc.h"
#include "fabric-frame-type.h"
#include "fabric-require.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricAckHeader);

namespace
{

constexpr const char* ACK_HEADER = "FabricAckHeader"; ///< Names the class in complaints.
constexpr uint32_t CONTROL_MARK = 0; ///< Stands where data frames have their source.
constexpr uint32_t LEAD_BYTES = fabric::ACK_FRAMING_BYTES - fabric::FCS_BYTES; ///< Before the ACKs.
constexpr uint32_t CHECKED_ACK_BITS = 22; ///< Bits of an ACK that its CRC protects.

/// @return its bits without the CRC
uint32_t
PackAck(const fabric::Ack& ack)
{
    return (static_cast<uint32_t>(ack.flow) << 11) | (static_cast<uint32_t>(ack.type) << 8) |
           ack.ackFlow;
}

/// @param bits an ACK without the CRC
fabric::Ack
UnpackAck(uint32_t bits)
{
    return {static_cast<fabric::FlowId>(bits >> 11),
            static_cast<fabric::AckType>((bits >> 8) & 0x7U),
            static_cast<uint8_t>(bits & 0xFFU)};
}

/**
 * @param ack an ACK that has been read
 * @return whether its fields are in range
 */
bool
IsInRange(const fabric::Ack& ack)
{
    return ack.flow != fabric::NO_FLOW && ack.type <= fabric::LAST_ACK_TYPE &&
           fabric::IsAckFlow(ack.type, ack.ackFlow);
}

} // namespace

TypeId
FabricAckHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricAckHeader")
                            .SetParent<Header>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricAckHeader>();
    return tid;
}

TypeId
FabricAckHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
FabricAckHeader::AddAck(const fabric::Ack& ack)
{
    fabric::RequireRange(ACK_HEADER,
                         "number of ACKs in a frame",
                         m_acks.size() + 1,
                         1,
                         fabric::MAX_ACKS_PER_FRAME);
    fabric::RequireRange(ACK_HEADER, "flow_id", ack.flow, 1, fabric::FLOW_IDS_PER_LINK - 1);
    fabric::RequireRange(ACK_HEADER,
                         "ACK type",
                         static_cast<uint64_t>(ack.type),
                         0,
                         static_cast<uint64_t>(fabric::LAST_ACK_TYPE));
    if (!fabric::IsAckFlow(ack.type, ack.ackFlow))
    {
        const uint8_t what = fabric::WhatOfCheck(ack.ackFlow);
        fabric::RequireRange(ACK_HEADER, "what a check says", what, 0, fabric::CHECK_GOES_ON);
    }
    m_acks.push_back(ack);
}

const std::vector<fabric::Ack>&
FabricAckHeader::GetAcks() const
{
    return m_acks;
}

bool
FabricAckHeader::IsCrcOk() const
{
    return m_crcOk;
}

bool
FabricAckHeader::IsValid() const
{
    return m_crcOk && !m_acks.empty() && std::all_of(m_acks.begin(), m_acks.end(), IsInRange);
}

uint32_t
FabricAckHeader::GetSerializedSize() const
{
    return fabric::AckFrameBytes(static_cast<uint32_t>(m_acks.size()));
}

void
FabricAckHeader::Serialize(Buffer::Iterator start) const
{
    fabric::BitWriter writer;
    writer.Put(CONTROL_MARK, 16);
    writer.Put(static_cast<uint32_t>(fabric::FrameType::ACK), fabric::FRAME_TYPE_BITS);
    writer.Put(static_cast<uint32_t>(m_acks.size()), 6);
    writer.Put(0, 14);
    for (const auto& ack : m_acks)
    {
        const uint32_t bits = PackAck(ack);
        writer.Put(bits, CHECKED_ACK_BITS);
        writer.Put(fabric::Crc3(bits, CHECKED_ACK_BITS), 3);
    }
    const auto& bytes = writer.GetBytes();
    const uint32_t fcs = fabric::Crc32c(bytes.data(), bytes.size());
    start.Write(bytes.data(), static_cast<uint32_t>(bytes.size()));
    // Damage has to stay visible to whoever reads the bytes, for example in a pcap file.
    start.WriteHtonU32(m_crcOk ? fcs : ~fcs);
}

uint32_t
FabricAckHeader::Deserialize(Buffer::Iterator start)
{
    m_acks.clear();
    m_crcOk = false;
    const uint32_t available = start.GetRemainingSize();
    if (available < LEAD_BYTES)
    {
        return 0;
    }
    std::vector<uint8_t> bytes(LEAD_BYTES);
    start.Read(bytes.data(), LEAD_BYTES);
    fabric::BitReader lead(bytes);
    const uint32_t mark = lead.Get(16);
    const uint32_t type = lead.Get(fabric::FRAME_TYPE_BITS);
    const uint32_t count = lead.Get(6);
    const uint32_t size = fabric::AckFrameBytes(count);
    if (mark != CONTROL_MARK || type != static_cast<uint32_t>(fabric::FrameType::ACK) ||
        count == 0 || count > fabric::MAX_ACKS_PER_FRAME || available < size)
    {
        return 0;
    }
    bytes.resize(size - fabric::FCS_BYTES);
    start.Read(bytes.data() + LEAD_BYTES, size - fabric::FCS_BYTES - LEAD_BYTES);
    m_crcOk = start.ReadNtohU32() == fabric::Crc32c(bytes.data(), bytes.size());

    fabric::BitReader reader(std::move(bytes));
    reader.Get(16);
    reader.Get(24); // the lead has been read above
    for (uint32_t i = 0; i < count; i++)
    {
        const uint32_t bits = reader.Get(CHECKED_ACK_BITS);
        const uint32_t crc = reader.Get(3);
        m_crcOk = m_crcOk && crc == fabric::Crc3(bits, CHECKED_ACK_BITS);
        m_acks.push_back(UnpackAck(bits));
    }
    return size;
}

void
FabricAckHeader::Print(std::ostream& os) const
{
    os << "acks=" << m_acks.size() << " check=" << (m_crcOk ? "ok" : "bad");
    for (const auto& ack : m_acks)
    {
        os << " (flow=" << ack.flow << " type=" << +static_cast<uint8_t>(ack.type)
           << " ack_flow=" << +ack.ackFlow << ")";
    }
}

} // namespace ns3
