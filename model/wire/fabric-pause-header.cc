/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pause-header.h"

#include "fabric-require.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricPauseHeader);

namespace
{

constexpr const char* PAUSE_HEADER = "FabricPauseHeader"; ///< Names the class in complaints.

} // namespace

TypeId
FabricPauseHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricPauseHeader")
                            .SetParent<Header>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricPauseHeader>();
    return tid;
}

TypeId
FabricPauseHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

FabricPauseHeader
FabricPauseHeader::ForLink(uint16_t quanta)
{
    FabricPauseHeader header;
    header.m_opcode = LINK_PAUSE;
    header.m_classEnable = 0xFF;
    header.m_quanta.fill(quanta);
    return header;
}

void
FabricPauseHeader::SetQuanta(uint32_t priority, uint16_t quanta)
{
    if (m_opcode != PRIORITY_PAUSE)
    {
        throw std::invalid_argument("FabricPauseHeader: a link pause has no classes, allowed is a "
                                    "priority-based pause.");
    }
    fabric::RequireRange(PAUSE_HEADER, "class", priority, 0, fabric::PAUSE_PRIORITIES - 1);
    m_classEnable |= static_cast<uint8_t>(1U << priority);
    m_quanta[priority] = quanta;
}

uint16_t
FabricPauseHeader::GetOpcode() const
{
    return m_opcode;
}

uint8_t
FabricPauseHeader::GetClassEnable() const
{
    return m_classEnable;
}

uint16_t
FabricPauseHeader::GetQuanta(uint32_t priority) const
{
    fabric::RequireRange(PAUSE_HEADER, "class", priority, 0, fabric::PAUSE_PRIORITIES - 1);
    return m_quanta[priority];
}

bool
FabricPauseHeader::IsValid() const
{
    return m_opcode == LINK_PAUSE || m_opcode == PRIORITY_PAUSE;
}

uint32_t
FabricPauseHeader::GetSerializedSize() const
{
    return BYTES;
}

void
FabricPauseHeader::Serialize(Buffer::Iterator start) const
{
    uint32_t written = 4;
    start.WriteHtonU16(m_opcode);
    if (m_opcode == LINK_PAUSE)
    {
        start.WriteHtonU16(m_quanta[0]);
    }
    else
    {
        start.WriteHtonU16(m_classEnable);
        for (const uint16_t quanta : m_quanta)
        {
            start.WriteHtonU16(quanta);
            written += 2;
        }
    }
    start.WriteU8(0, BYTES - written);
}

uint32_t
FabricPauseHeader::Deserialize(Buffer::Iterator start)
{
    constexpr uint16_t NO_OPCODE = 0;
    *this = FabricPauseHeader();
    m_opcode = NO_OPCODE;
    if (start.GetRemainingSize() < BYTES)
    {
        return 0;
    }
    m_opcode = start.ReadNtohU16();
    if (m_opcode == LINK_PAUSE)
    {
        *this = ForLink(start.ReadNtohU16());
    }
    else if (m_opcode == PRIORITY_PAUSE)
    {
        m_classEnable = static_cast<uint8_t>(start.ReadNtohU16() & 0xFFU);
        for (uint16_t& quanta : m_quanta)
        {
            quanta = start.ReadNtohU16();
        }
    }
    return IsValid() ? BYTES : 0;
}

void
FabricPauseHeader::Print(std::ostream& os) const
{
    os << "opcode=" << m_opcode;
    for (uint32_t priority = 0; priority < fabric::PAUSE_PRIORITIES; priority++)
    {
        if ((m_classEnable >> priority & 1U) != 0)
        {
            os << " class" << priority << "=" << m_quanta[priority];
        }
    }
}

} // namespace ns3
