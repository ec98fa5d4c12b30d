/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-crc.h"
#include "fabric-test-compat.h"
#include "fabric-transport-header.h"
#include "fabric-transport-layout.h"
#include "support/fabric-function-case.h"
#include "transport-packet-cases.h"

#include "ns3/buffer.h"
#include "ns3/packet.h"

#include <stdexcept>

namespace ns3::fabric
{

namespace
{

using Bytes = std::vector<uint8_t>; ///< Of a header.
using Type = TransportPacketType;   ///< Short.
constexpr uint32_t SEEDS = 5000;    ///< Of each property.

Bytes
ToBytes(const FabricTransportHeader& header)
{
    ns3::Buffer buffer;
    buffer.AddAtStart(header.GetSerializedSize());
    header.Serialize(buffer.Begin());
    Bytes bytes(buffer.GetSize());
    buffer.CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
    return bytes;
}

/**
 * @param bytes of a header
 * @param header gets what they say
 * @return bytes read
 */
uint32_t
FromBytes(const Bytes& bytes, FabricTransportHeader& header)
{
    ns3::Buffer buffer;
    buffer.AddAtStart(static_cast<uint32_t>(bytes.size()));
    buffer.Begin().Write(bytes.data(), static_cast<uint32_t>(bytes.size()));
    return header.Deserialize(buffer.Begin());
}

std::string
Printed(const FabricTransportHeader& header)
{
    std::ostringstream text;
    header.Print(text);
    return text.str();
}

/// @return the sentence with which a packet is refused, empty if it is not
std::string
Complaint(const TransportPacket& packet)
{
    try
    {
        FabricTransportHeader header(packet);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

/// A grant, with bytes put together by hand.
void
TestLayout(FunctionCase& test)
{
    TransportPacket packet(Type::PUSH_GRANT);
    packet.isLongEcho = true;
    packet.cid = 0x00ABCDEF;
    packet.piece.psn = 1000;
    packet.piece.sentAt = 0x0102030405060708;
    packet.piece.rsn = 2;
    packet.piece.ssn = 1;
    packet.piece.offset = 0x10000;
    packet.piece.amount = 0x4000;
    packet.requestBase = 3;
    packet.dataBase = 203;
    packet.marksSeen = 7;
    packet.echo = 0x1122;
    const Bytes bytes = ToBytes(FabricTransportHeader(packet));
    const Bytes expected{0x13, 0x00, 0x48, 0xAB, 0xCD, 0xEF,             // version 1, type 3; flags
                         0x00, 0x00, 0x03, 0xE8,                         // PSN 1000
                         1,    2,    3,    4,    5,    6,    7,    8,    // sent
                         0,    0,    0,    2,    0,    0,    0,    1,    // RSN, SSN
                         0,    1,    0,    0,    0,    0,    0x40, 0x00, // offset, amount
                         0,    0,    0,    3,    0,    0,    0,    203,  // bases
                         0,    7,                                        // marks
                         0,    0,    0,    0,    0,    0,    0x11, 0x22}; // echo
    test.Expect(bytes.size() == expected.size() + TRANSPORT_CHECK_BYTES, "size");
    test.Expect(Bytes(bytes.begin(), bytes.end() - TRANSPORT_CHECK_BYTES) == expected, "bytes");
    const uint32_t check = Crc32c(expected.data(), expected.size());
    for (uint32_t i = 0; i < TRANSPORT_CHECK_BYTES; ++i)
    {
        test.Expect(bytes[expected.size() + i] == (check >> (24 - 8 * i) & 0xFF), "check");
    }
    test.ExpectSame(Printed(FabricTransportHeader(packet)),
                    "type=3 cid=11259375 psn=1000 rsn=2 ssn=1 offset=65536 amount=16384 "
                    "request_base=3 data_base=203 check=ok",
                    "Print");
}

/// A credit, and an ACCEPT that says that requests need them, with bytes put together by hand.
void
TestCreditLayout(FunctionCase& test)
{
    TransportPacket credit(Type::NACK, NackCode::CREDIT);
    credit.cid = 0x00ABCDEF;
    credit.piece.rsn = 0x01020304;
    const Bytes expected{0x18,
                         0x80,
                         0x00,
                         0xAB,
                         0xCD,
                         0xEF, // version 1, type 8; code 8; flags
                         1,
                         2,
                         3,
                         4, // RSN
                         0xD1,
                         0x15,
                         0xAD,
                         0xDF}; // CRC-32C
    test.Expect(ToBytes(FabricTransportHeader(credit)) == expected, "a credit");
    TransportPacket accept(Type::ACCEPT);
    accept.cid = 0x00ABCDEF;
    accept.offer.sourceCid = 7;
    accept.requestBase = 1;
    accept.dataBase = 2;
    accept.offer.requestWindow = 64;
    accept.offer.dataWindow = 128;
    accept.offer.requestSpan = 256;
    accept.offer.mtu = 4096;
    accept.offer.needsCredit = true;
    accept.offer.firstCredit = 2;
    const Bytes needed{0x1A, 0x00, 0xA0, 0xAB, 0xCD, 0xEF, // type 10; flag 0x20, code 2
                       0,    0,    7,    0,    0,    0,    1,    0,    0, 0, 2, // CID, bases
                       0,    64,   0,    128,  1,    0,    0x10, 0x00,          // settings
                       0x9B, 0x27, 0x9A, 0x87};                                 // CRC-32C
    test.Expect(ToBytes(FabricTransportHeader(accept)) == needed, "requests need credits");
}

/// What is written is read back, through a buffer and through a packet.
void
TestRoundTrip(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed)
    {
        Random random(seed);
        const TransportPacket sent = RandomPacket(random);
        const FabricTransportHeader header(sent);
        const Bytes bytes = ToBytes(header);
        FabricTransportHeader read;
        const bool isWhole = FromBytes(bytes, read) == bytes.size();
        const bool isRight = isWhole && IsSame(read.GetPacket(), sent) &&
                             read.IsValid() == !sent.isCorrupt &&
                             bytes.size() == TransportHeaderBytes(sent.type, sent.nack);
        auto packet = Create<Packet>(sent.PayloadBytes() % 9000);
        packet->AddHeader(header);
        FabricTransportHeader removed;
        const bool isRemoved = packet->RemoveHeader(removed) == bytes.size();
        if (!isRight || !isRemoved || !IsSame(removed.GetPacket(), sent))
        {
            test.Expect(false, "seed " + std::to_string(seed) + ": " + Printed(header));
            return;
        }
    }
}

/// Longest and shortest, as the documentation says.
void
TestSizes(FunctionCase& test)
{
    test.Expect(TransportHeaderBytes(Type::RESET) == 13, "the shortest");
    test.Expect(TransportHeaderBytes(Type::ACK) == 68, "the longest");
    test.Expect(TRANSPORT_DATA_HEADER_BYTES == 68, "data");
    for (uint32_t type = 0; type < TRANSPORT_PACKET_TYPES; ++type)
    {
        for (uint32_t nack = 0; nack < NACK_CODES; ++nack)
        {
            const uint32_t size =
                TransportHeaderBytes(static_cast<Type>(type), static_cast<NackCode>(nack));
            test.Expect(size <= TRANSPORT_MAX_HEADER_BYTES, "type " + std::to_string(type));
        }
    }
}

/// A member of a packet that shares its place holds all parts that its types have.
void
TestSharedPlace(FunctionCase& test)
{
    constexpr uint16_t PIECE =
        PART_PSN | PART_SENT | PART_RSN | PART_SSN | PART_LENGTH | PART_OFFSET | PART_AMOUNT;
    constexpr uint16_t OFFER = PART_SOURCE | PART_SETTINGS;
    for (uint32_t type = 0; type < TRANSPORT_PACKET_TYPES; ++type)
    {
        for (uint32_t nack = 0; nack < NACK_CODES; ++nack)
        {
            const TransportPacket packet(static_cast<Type>(type), static_cast<NackCode>(nack));
            const uint16_t parts = TransportParts(packet.type, packet.nack);
            const std::string name = "type " + std::to_string(type) + ", " + std::to_string(nack);
            test.Expect((parts & PIECE) == 0 || packet.HasPiece(), name + ": piece");
            test.Expect((parts & PART_BITMAPS) == 0 || packet.HasBitmaps(), name + ": bitmaps");
            test.Expect((parts & OFFER) == 0 || packet.HasOffer(), name + ": offer");
            test.Expect(packet.HasPiece() + packet.HasBitmaps() + packet.HasOffer() == 1,
                        name + ": one of them");
        }
    }
}

/// Fields that do not fit.
void
TestRefusals(FunctionCase& test)
{
    TransportPacket packet;
    packet.cid = MAX_CONNECTION_ID + 1;
    test.ExpectSame(Complaint(packet),
                    "FabricTransportHeader: CID is 16777216, allowed is 0 to 16777215.",
                    "CID");
    packet = TransportPacket(Type::CLOSED);
    packet.offer.sourceCid = 0xFFFFFFFF;
    test.ExpectSame(Complaint(packet),
                    "FabricTransportHeader: source CID is 4294967295, allowed is 0 to 16777215.",
                    "source CID");
    packet = TransportPacket(Type::ACK, NackCode::BAD_CID);
    test.Expect(Complaint(packet).find("a NACK code in a NACK alone") != std::string::npos,
                "a NACK code in an ACK");
    test.Expect(!Complaint(TransportPacket(Type::NACK)).empty(), "a NACK without code");
    test.ExpectSame(Complaint(TransportPacket(Type::NACK, NackCode::NOT_READY)), "", "a NACK");
}

/// A header that was cut short anywhere.
void
TestTruncated(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 200; ++seed)
    {
        Random random(seed);
        TransportPacket sent = RandomPacket(random);
        sent.isCorrupt = false;
        const Bytes good = ToBytes(FabricTransportHeader(sent));
        for (std::size_t size = 0; size < good.size(); ++size)
        {
            FabricTransportHeader read;
            const uint32_t taken =
                FromBytes(Bytes(good.begin(), good.begin() + static_cast<int64_t>(size)), read);
            test.Expect(taken == 0 && !read.IsValid(),
                        "seed " + std::to_string(seed) + " cut to " + std::to_string(size));
            test.Expect(read.GetSerializedSize() == 0, "nothing was read");
        }
    }
}

/// One or two wrong bits anywhere are found.
void
TestFlips(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed)
    {
        Random random(seed);
        TransportPacket sent = RandomPacket(random);
        sent.isCorrupt = false;
        Bytes bytes = ToBytes(FabricTransportHeader(sent));
        const uint32_t bits = static_cast<uint32_t>(bytes.size()) * 8;
        const uint32_t first = static_cast<uint32_t>(random() % bits);
        const uint32_t second = static_cast<uint32_t>(random() % bits);
        bytes[first / 8] ^= static_cast<uint8_t>(1U << (first % 8));
        if (second != first)
        {
            bytes[second / 8] ^= static_cast<uint8_t>(1U << (second % 8));
        }
        FabricTransportHeader read;
        FromBytes(bytes, read);
        // A wrong type may make a header of another length, which its check finds as well.
        test.Expect(!read.IsValid(),
                    "seed " + std::to_string(seed) + " bits " + std::to_string(first) + ", " +
                        std::to_string(second));
    }
}

/// Random bytes, and random bytes with a right check.
void
TestGarbageHeaders(FunctionCase& test)
{
    uint32_t readable = 0;
    for (uint64_t seed = 1; seed <= 4 * SEEDS; ++seed)
    {
        Random random(seed);
        Bytes bytes(random() % 100);
        for (uint8_t& byte : bytes)
        {
            byte = static_cast<uint8_t>(random());
        }
        if (bytes.size() > 1 && seed % 2 == 0)
        {
            bytes[0] = static_cast<uint8_t>(0x10 | (bytes[0] & 0x0F)); // what begins like a header
            bytes[1] &= 0x07;
        }
        FabricTransportHeader read;
        const uint32_t taken = FromBytes(bytes, read);
        test.Expect(!read.IsValid(), "garbage, seed " + std::to_string(seed));
        test.Expect(!Printed(read).empty(), "prints");
        if (taken == 0)
        {
            continue;
        }
        // With its check made right it is a header like any other, and must be written as it was
        // but for the flags that have no meaning.
        ++readable;
        TransportPacket packet = read.GetPacket();
        packet.isCorrupt = false;
        FabricTransportHeader again;
        FromBytes(ToBytes(FabricTransportHeader(packet)), again);
        test.Expect(again.IsValid() && IsSame(again.GetPacket(), packet),
                    "made right, seed " + std::to_string(seed));
    }
    test.Expect(readable > 100, "some garbage looks like a header");
}

/// Codes of the first two bytes that nobody knows.
void
TestUnknownCodes(FunctionCase& test)
{
    for (uint32_t codes = 0; codes <= 0xFFFF; ++codes)
    {
        Bytes bytes(TRANSPORT_MAX_HEADER_BYTES, 0);
        bytes[0] = static_cast<uint8_t>(codes >> 8);
        bytes[1] = static_cast<uint8_t>(codes);
        const uint32_t type = codes >> 8 & 0xF;
        const uint32_t nack = codes >> 4 & 0xF;
        const bool isNack = static_cast<Type>(type) == Type::NACK;
        const bool isKnown = codes >> 12 == FabricTransportHeader::VERSION &&
                             type < TRANSPORT_PACKET_TYPES && nack < NACK_CODES &&
                             isNack == (nack != 0) && (codes & 0xF) < TRANSPORT_STATUSES;
        FabricTransportHeader read;
        test.Expect((FromBytes(bytes, read) != 0) == isKnown, "codes " + std::to_string(codes));
    }
}

} // namespace

/// The format of the transport's packets.
class FabricTransportHeaderTestSuite : public TestSuite
{
  public:
    FabricTransportHeaderTestSuite()
        : TestSuite("fabric-transport-header", kUnit)
    {
        AddTestCase(new FunctionCase("RT-2 bytes of a grant made by hand", TestLayout), kQuick);
        AddTestCase(new FunctionCase("RT-11 bytes of credits made by hand", TestCreditLayout),
                    kQuick);
        AddTestCase(new FunctionCase("RT-2 random packets survive the wire", TestRoundTrip),
                    kQuick);
        AddTestCase(new FunctionCase("RT-2 lengths of headers", TestSizes), kQuick);
        AddTestCase(
            new FunctionCase("RT-2 what no type has together shares its place", TestSharedPlace),
            kQuick);
        AddTestCase(new FunctionCase("RT-18 fields that do not fit are refused", TestRefusals),
                    kQuick);
        AddTestCase(new FunctionCase("RT-18 a header cut short is not valid", TestTruncated),
                    kQuick);
        AddTestCase(new FunctionCase("RT-18 one or two wrong bits are found", TestFlips), kQuick);
        AddTestCase(
            new FunctionCase("RT-18 garbage is not valid and does no harm", TestGarbageHeaders),
            kQuick);
        AddTestCase(
            new FunctionCase("RT-18 unknown codes are told from known ones", TestUnknownCodes),
            kQuick);
    }
};

static FabricTransportHeaderTestSuite g_fabricTransportHeaderTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
