/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-header.h"

#include "fabric-bit-reader.h"
#include "fabric-bit-writer.h"
#include "fabric-crc.h"
#include "fabric-require.h"
#include "fabric-transport-layout.h"

#include <stdexcept>
#include <utility>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricTransportHeader);

using fabric::NackCode;
using fabric::PacketBitmap;
using fabric::TransportPacket;
using fabric::TransportPacketType;
using fabric::TransportStatus;

namespace
{

constexpr const char* WHERE = "FabricTransportHeader"; ///< Names the class in complaints.

constexpr uint32_t FLAG_ORDERED = 0x01;     ///< Ordered connection.
constexpr uint32_t FLAG_REQUEST_PSN = 0x02; ///< The PSN is of the request window.
constexpr uint32_t FLAG_MARKED = 0x04;      ///< Marked on its way.
constexpr uint32_t FLAG_ECHO = 0x08;        ///< The echo holds a time.
constexpr uint32_t FLAG_PROBE = 0x10;       ///< An ACK is wanted for the ACK.
constexpr uint32_t FLAG_CREDIT_LOW = 0x20;  ///< Of two bits, see CreditCode().
constexpr uint32_t FLAG_LONG_ECHO = 0x40;   ///< The echo is of a packet as long as any.
constexpr uint32_t FLAG_CREDIT_HIGH = 0x80; ///< The other one.

/// What the first two bytes of a header say, as numbers: a peer may write any.
struct Codes
{
    uint32_t version; ///< Of the format.
    uint32_t type;    ///< TransportPacketType.
    uint32_t nack;    ///< NackCode.
    uint32_t status;  ///< TransportStatus.

    /// @return whether a header of this form is known
    bool AreKnown() const
    {
        const bool isNack = type == static_cast<uint32_t>(TransportPacketType::NACK);
        const bool hasCode = nack != static_cast<uint32_t>(NackCode::NONE);
        return version == FabricTransportHeader::VERSION && type < fabric::TRANSPORT_PACKET_TYPES &&
               status < fabric::TRANSPORT_STATUSES && nack < fabric::NACK_CODES &&
               isNack == hasCode;
    }
};

/// @param packet that is to be written
Codes
CodesOf(const TransportPacket& packet)
{
    return {FabricTransportHeader::VERSION,
            static_cast<uint32_t>(packet.type),
            static_cast<uint32_t>(packet.nack),
            static_cast<uint32_t>(packet.status)};
}

/// @return the parts of its header
uint16_t
PartsOf(const TransportPacket& packet)
{
    return fabric::TransportParts(packet.type, packet.nack);
}

/// Writes fields; the other direction of FieldReader, so that the layout stands in one place.
class FieldWriter
{
  public:
    /// @param width its bits, at most 64
    template <typename T>
    void Field(const T& value, uint32_t width)
    {
        const auto bits = static_cast<uint64_t>(value);
        if (width > 32)
        {
            m_writer.Put(static_cast<uint32_t>(bits >> 32), width - 32);
        }
        m_writer.Put(static_cast<uint32_t>(bits), width < 32 ? width : 32);
    }

    /// @param bitmap 128 bits
    void Bitmap(const PacketBitmap& bitmap)
    {
        Field(bitmap.High(), 64);
        Field(bitmap.Low(), 64);
    }

    /// @return what was written
    const std::vector<uint8_t>& GetBytes() const
    {
        return m_writer.GetBytes();
    }

  private:
    fabric::BitWriter m_writer; ///< Puts bits together.
};

/// Reads fields.
class FieldReader
{
  public:
    explicit FieldReader(std::vector<uint8_t> bytes)
        : m_reader(std::move(bytes))
    {
    }

    /// @param value gets a field @param width its bits, at most 64
    template <typename T>
    void Field(T& value, uint32_t width)
    {
        const uint64_t high = width > 32 ? m_reader.Get(width - 32) : 0;
        value = static_cast<T>(high << 32 | m_reader.Get(width < 32 ? width : 32));
    }

    /// @param bitmap gets 128 bits
    void Bitmap(PacketBitmap& bitmap)
    {
        uint64_t high = 0;
        uint64_t low = 0;
        Field(high, 64);
        Field(low, 64);
        bitmap = PacketBitmap(low, high);
    }

  private:
    fabric::BitReader m_reader; ///< Takes bits apart.
};

/**
 * The six bytes that every header begins with, without the flags' meaning.
 *
 * @param codes version, type, NACK code and status
 * @param packet the other fields
 */
template <typename Io, typename Packet>
void
FixedFields(Io& io, Codes& codes, uint32_t& flags, Packet& packet)
{
    io.Field(codes.version, 4);
    io.Field(codes.type, 4);
    io.Field(codes.nack, 4);
    io.Field(codes.status, 4);
    io.Field(flags, 8);
    io.Field(packet.cid, 24);
}

/// The parts up to the offsets.
template <typename Io, typename Packet>
void
RequestFields(Io& io, uint16_t parts, Packet& packet)
{
    if (parts & fabric::PART_SOURCE)
    {
        io.Field(packet.offer.sourceCid, 24);
    }
    if (parts & fabric::PART_PSN)
    {
        io.Field(packet.piece.psn, 32);
    }
    if (parts & fabric::PART_SENT)
    {
        io.Field(packet.piece.sentAt, 64);
    }
    if (parts & fabric::PART_RSN)
    {
        io.Field(packet.piece.rsn, 32);
    }
    if (parts & fabric::PART_SSN)
    {
        io.Field(packet.piece.ssn, 32);
    }
    if (parts & fabric::PART_LENGTH)
    {
        io.Field(packet.piece.length, 32);
        io.Field(packet.piece.tag, 64);
    }
    if (parts & fabric::PART_OFFSET)
    {
        io.Field(packet.piece.offset, 32);
    }
    if (parts & fabric::PART_AMOUNT)
    {
        io.Field(packet.piece.amount, 32);
    }
}

/// The parts from the bases on. @copydetails RequestFields()
template <typename Io, typename Packet>
void
WindowFields(Io& io, uint16_t parts, Packet& packet)
{
    if (parts & fabric::PART_BASES)
    {
        io.Field(packet.requestBase, 32);
        io.Field(packet.dataBase, 32);
    }
    if (parts & fabric::PART_ECHO)
    {
        io.Field(packet.marksSeen, 16);
        io.Field(packet.echo, 64);
    }
    if (parts & fabric::PART_BITMAPS)
    {
        io.Field(packet.bitmaps.requestAcked, 64);
        io.Bitmap(packet.bitmaps.dataAcked);
        io.Bitmap(packet.bitmaps.dataReceived);
    }
    if (parts & fabric::PART_SETTINGS)
    {
        io.Field(packet.offer.requestWindow, 16);
        io.Field(packet.offer.dataWindow, 16);
        io.Field(packet.offer.requestSpan, 16);
        io.Field(packet.offer.mtu, 16);
    }
}

/// @return whether requests need credits, and how many there are at first: 0 for no, or its place
uint32_t
CreditCode(const fabric::ConnectionOffer& offer)
{
    return offer.needsCredit ? 1U + offer.firstCredit : 0U;
}

uint32_t
FlagsOf(const TransportPacket& packet)
{
    const uint16_t parts = PartsOf(packet);
    const bool hasEcho = (parts & fabric::PART_ECHO) != 0 && packet.echo != fabric::NEVER;
    const uint32_t credit = (parts & fabric::PART_SETTINGS) != 0 ? CreditCode(packet.offer) : 0;
    const bool isOrdered = (parts & fabric::PART_SETTINGS) != 0 && packet.offer.isOrdered;
    return (isOrdered ? FLAG_ORDERED : 0) | (packet.isRequestPsn ? FLAG_REQUEST_PSN : 0) |
           (packet.isLongEcho ? FLAG_LONG_ECHO : 0) | (packet.isMarked ? FLAG_MARKED : 0) |
           (hasEcho ? FLAG_ECHO : 0) | (packet.isProbe ? FLAG_PROBE : 0) |
           ((credit & 1) != 0 ? FLAG_CREDIT_LOW : 0) | ((credit & 2) != 0 ? FLAG_CREDIT_HIGH : 0);
}

/// @param packet gets the flags
void
SetFlags(TransportPacket& packet, uint32_t flags)
{
    packet.isLongEcho = (flags & FLAG_LONG_ECHO) != 0;
    packet.isRequestPsn = (flags & FLAG_REQUEST_PSN) != 0;
    packet.isMarked = (flags & FLAG_MARKED) != 0;
    packet.isProbe = (flags & FLAG_PROBE) != 0;
    if ((PartsOf(packet) & fabric::PART_SETTINGS) != 0)
    {
        packet.offer.isOrdered = (flags & FLAG_ORDERED) != 0;
        const uint32_t credit = ((flags & FLAG_CREDIT_LOW) != 0 ? 1U : 0U) |
                                ((flags & FLAG_CREDIT_HIGH) != 0 ? 2U : 0U);
        packet.offer.needsCredit = credit > 0;
        packet.offer.firstCredit = static_cast<uint8_t>(credit > 0 ? credit - 1 : 0);
    }
    if ((flags & FLAG_ECHO) == 0)
    {
        packet.echo = fabric::NEVER;
    }
}

/// Bytes that are left of a header's check and whatever stands before it.
constexpr uint32_t SHORTEST = fabric::TRANSPORT_FIXED_BYTES + fabric::TRANSPORT_CHECK_BYTES;

} // namespace

TypeId
FabricTransportHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricTransportHeader")
                            .SetParent<Header>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricTransportHeader>();
    return tid;
}

TypeId
FabricTransportHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

FabricTransportHeader::FabricTransportHeader(const TransportPacket& packet)
    : m_packet(packet)
{
    fabric::RequireRange(WHERE, "CID", packet.cid, 0, fabric::MAX_CONNECTION_ID);
    if (packet.HasOffer())
    {
        fabric::RequireRange(WHERE,
                             "source CID",
                             packet.offer.sourceCid,
                             0,
                             fabric::MAX_CONNECTION_ID);
    }
    if (!CodesOf(packet).AreKnown())
    {
        throw std::invalid_argument(
            "FabricTransportHeader: the type " + std::to_string(static_cast<int>(packet.type)) +
            " with NACK code " + std::to_string(static_cast<int>(packet.nack)) + " and status " +
            std::to_string(static_cast<int>(packet.status)) +
            " can't be written; allowed are known codes, and a NACK code in a NACK alone.");
    }
}

const TransportPacket&
FabricTransportHeader::GetPacket() const
{
    return m_packet;
}

bool
FabricTransportHeader::IsValid() const
{
    return m_isKnown && !m_packet.isCorrupt;
}

uint32_t
FabricTransportHeader::GetSerializedSize() const
{
    return m_isKnown ? fabric::TransportHeaderBytes(m_packet.type, m_packet.nack) : 0;
}

void
FabricTransportHeader::Serialize(Buffer::Iterator start) const
{
    if (!m_isKnown)
    {
        return; // nothing was read, so there is nothing to write
    }
    FieldWriter writer;
    Codes codes = CodesOf(m_packet);
    uint32_t flags = FlagsOf(m_packet);
    FixedFields(writer, codes, flags, m_packet);
    RequestFields(writer, PartsOf(m_packet), m_packet);
    TransportPacket packet = m_packet;
    packet.echo = packet.echo == fabric::NEVER ? 0 : packet.echo; // the flag tells
    WindowFields(writer, PartsOf(packet), packet);
    const std::vector<uint8_t>& bytes = writer.GetBytes();
    const uint32_t check = fabric::Crc32c(bytes.data(), bytes.size());
    start.Write(bytes.data(), static_cast<uint32_t>(bytes.size()));
    // Damage has to stay visible to whoever reads the bytes, for example in a pcap file.
    start.WriteHtonU32(m_packet.isCorrupt ? ~check : check);
}

uint32_t
FabricTransportHeader::Deserialize(Buffer::Iterator start)
{
    *this = FabricTransportHeader();
    m_isKnown = false;
    if (start.GetRemainingSize() < SHORTEST)
    {
        return 0;
    }
    // Type and NACK code, which tell the length, stand in the first two bytes.
    Buffer::Iterator ahead = start;
    const uint32_t bits = ahead.ReadNtohU16();
    Codes codes{bits >> 12, bits >> 8 & 0xF, bits >> 4 & 0xF, bits & 0xF};
    if (!codes.AreKnown())
    {
        return 0;
    }
    TransportPacket packet(static_cast<TransportPacketType>(codes.type),
                           static_cast<NackCode>(codes.nack));
    packet.status = static_cast<TransportStatus>(codes.status);
    const uint32_t size = fabric::TransportHeaderBytes(packet.type, packet.nack);
    if (start.GetRemainingSize() < size)
    {
        return 0;
    }
    std::vector<uint8_t> bytes(size - fabric::TRANSPORT_CHECK_BYTES);
    start.Read(bytes.data(), static_cast<uint32_t>(bytes.size()));
    packet.isCorrupt = start.ReadNtohU32() != fabric::Crc32c(bytes.data(), bytes.size());

    FieldReader reader(std::move(bytes));
    uint32_t flags = 0;
    FixedFields(reader, codes, flags, packet);
    RequestFields(reader, PartsOf(packet), packet);
    WindowFields(reader, PartsOf(packet), packet);
    SetFlags(packet, flags);
    m_packet = packet;
    m_isKnown = true;
    return size;
}

void
FabricTransportHeader::Print(std::ostream& os) const
{
    const uint16_t parts = PartsOf(m_packet);
    os << "type=" << static_cast<int>(m_packet.type) << " cid=" << m_packet.cid;
    const auto print = [&os, parts](uint16_t part, const char* name, auto value) {
        if ((parts & part) != 0)
        {
            os << " " << name << "=" << value;
        }
    };
    print(fabric::PART_SOURCE, "source_cid", m_packet.offer.sourceCid);
    print(fabric::PART_PSN, "psn", m_packet.piece.psn);
    print(fabric::PART_RSN, "rsn", m_packet.piece.rsn);
    print(fabric::PART_SSN, "ssn", m_packet.piece.ssn);
    print(fabric::PART_LENGTH, "length", m_packet.piece.length);
    print(fabric::PART_LENGTH, "tag", m_packet.piece.tag);
    print(fabric::PART_OFFSET, "offset", m_packet.piece.offset);
    print(fabric::PART_AMOUNT, "amount", m_packet.piece.amount);
    print(fabric::PART_BASES, "request_base", m_packet.requestBase);
    print(fabric::PART_BASES, "data_base", m_packet.dataBase);
    print(fabric::PART_SETTINGS, "mtu", m_packet.offer.mtu);
    if (m_packet.nack != NackCode::NONE)
    {
        os << " nack=" << static_cast<int>(m_packet.nack);
    }
    if (m_packet.status != TransportStatus::OK)
    {
        os << " status=" << static_cast<int>(m_packet.status);
    }
    os << " check=" << (IsValid() ? "ok" : "bad");
}

} // namespace ns3
