/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-credit-header.h"

#include "fabric-bit-reader.h"
#include "fabric-bit-writer.h"
#include "fabric-crc.h"
#include "fabric-frame-type.h"
#include "fabric-require.h"

#include <utility>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricCreditHeader);

namespace
{

constexpr const char* CREDIT_HEADER = "FabricCreditHeader"; ///< Names the class in complaints.
constexpr uint32_t CREDIT_MARK = 0; ///< Stands where data frames have their source.
constexpr uint32_t CREDIT_LEAD_BYTES =
    fabric::CREDIT_FRAMING_BYTES - fabric::FCS_BYTES; ///< Before the counts.

} // namespace

TypeId
FabricCreditHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricCreditHeader")
                            .SetParent<Header>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricCreditHeader>();
    return tid;
}

TypeId
FabricCreditHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

FabricCreditHeader::FabricCreditHeader(const fabric::CreditOrder& order)
    : m_order(order)
{
    fabric::RequireRange(CREDIT_HEADER,
                         "number of virtual channels",
                         order.channels,
                         1,
                         fabric::VIRTUAL_CHANNELS);
}

const fabric::CreditOrder&
FabricCreditHeader::GetOrder() const
{
    return m_order;
}

bool
FabricCreditHeader::IsValid() const
{
    return !m_order.damaged;
}

uint32_t
FabricCreditHeader::GetSerializedSize() const
{
    return fabric::CreditFrameBytes(m_order.channels);
}

void
FabricCreditHeader::Serialize(Buffer::Iterator start) const
{
    fabric::BitWriter writer;
    writer.Put(CREDIT_MARK, 16);
    writer.Put(static_cast<uint32_t>(fabric::FrameType::CREDIT), fabric::FRAME_TYPE_BITS);
    writer.Put(m_order.channels, 6);
    writer.Put(0, 14);
    for (uint32_t channel = 0; channel < m_order.channels; ++channel)
    {
        writer.Put(m_order.freed[channel], 32);
    }
    const auto& bytes = writer.GetBytes();
    const uint32_t fcs = fabric::Crc32c(bytes.data(), bytes.size());
    start.Write(bytes.data(), static_cast<uint32_t>(bytes.size()));
    // Damage has to stay visible to whoever reads the bytes, for example in a pcap file.
    start.WriteHtonU32(m_order.damaged ? ~fcs : fcs);
}

uint32_t
FabricCreditHeader::Deserialize(Buffer::Iterator start)
{
    m_order = {};
    m_order.damaged = true;
    const uint32_t available = start.GetRemainingSize();
    if (available < CREDIT_LEAD_BYTES)
    {
        return 0;
    }
    std::vector<uint8_t> bytes(CREDIT_LEAD_BYTES);
    start.Read(bytes.data(), CREDIT_LEAD_BYTES);
    fabric::BitReader lead(bytes);
    const uint32_t mark = lead.Get(16);
    const uint32_t type = lead.Get(fabric::FRAME_TYPE_BITS);
    const uint32_t channels = lead.Get(6);
    const uint32_t size = fabric::CreditFrameBytes(channels);
    if (mark != CREDIT_MARK || type != static_cast<uint32_t>(fabric::FrameType::CREDIT) ||
        channels == 0 || channels > fabric::VIRTUAL_CHANNELS || available < size)
    {
        return 0;
    }
    bytes.resize(size - fabric::FCS_BYTES);
    start.Read(bytes.data() + CREDIT_LEAD_BYTES, size - fabric::FCS_BYTES - CREDIT_LEAD_BYTES);
    m_order.damaged = start.ReadNtohU32() != fabric::Crc32c(bytes.data(), bytes.size());
    m_order.channels = channels;
    fabric::BitReader reader(std::move(bytes));
    reader.Get(16);
    reader.Get(24); // the lead has been read above
    for (uint32_t channel = 0; channel < channels; ++channel)
    {
        m_order.freed[channel] = reader.Get(32);
    }
    return size;
}

void
FabricCreditHeader::Print(std::ostream& os) const
{
    os << "check=" << (m_order.damaged ? "bad" : "ok") << " freed=";
    for (uint32_t channel = 0; channel < m_order.channels; ++channel)
    {
        os << (channel == 0 ? "" : ",") << m_order.freed[channel];
    }
}

} // namespace ns3
