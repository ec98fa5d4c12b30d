/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-crc.h"
#include "fabric-function-case.h"
#include "fabric-header.h"
#include "fabric-wire-test-cases.h"

#include "ns3/packet.h"

#include <functional>

namespace ns3::fabric
{
namespace wiretest
{

namespace
{

/**
 * @param dice random numbers
 * @return a header with random fields, every one of them legal
 */
FabricHeader
RandomHeader(Dice& dice)
{
    FabricHeader header;
    header.SetSource(static_cast<LocationId>(dice.Between(FIRST_UNICAST, LAST_UNICAST)));
    header.SetDestination(static_cast<LocationId>(dice.Between(1, 0xFFFF)));
    header.SetVirtualLane(dice.Between(0, 15));
    header.SetVirtualChannel(dice.Between(0, 3));
    header.SetTrafficClass(dice.Between(0, 15));
    header.SetFlow(static_cast<FlowId>(dice.Between(0, 2047)));
    header.SetDataFlow(dice.Between(0, 0xFFFFFFFF));
    header.SetVni(static_cast<uint16_t>(dice.Between(0, 0xFFFF)));
    header.SetPayloadBytes(dice.Between(0, JUMBO_PAYLOAD));
    header.SetFrameType(static_cast<FrameType>(dice.Between(0, 4)));
    header.SetFlags(dice.Between(0, 3));
    header.SetSeverity(dice.Between(0, 255));
    return header;
}

/// @return the header of the example, see FabricHeaderBytesTestCase
FabricHeader
ExampleHeader()
{
    FabricHeader header;
    header.SetSource(0x1234);
    header.SetDestination(0xABCD);
    header.SetVirtualLane(5);
    header.SetVirtualChannel(2);
    header.SetTrafficClass(9);
    header.SetFlow(0x5A3);
    header.SetDataFlow(0x01020304);
    header.SetVni(0xBEEF);
    header.SetPayloadBytes(4096);
    header.SetFrameType(FrameType::IPV4);
    header.SetFlags(FabricHeader::FLAG_MARKED);
    header.SetSeverity(0x81);
    return header;
}

} // namespace

/// The layout, against bits put together by hand.
void
TestFabricHeaderBytes(FunctionCase& test)
{
    // source 0x1234, destination 0xABCD                       12 34 ab cd
    // lane 5 = 0101, channel 2 = 10, FTAG 9 = 1001
    //   0101 10 10 |                                           5a
    // FTAG's last 01, flow_id 0x5A3 = 101 1010 0011
    //   01 101101 |                                            6d
    //   00011, data_flow 0x01020304 starts with 000 |          18
    //   00001 000 | 00010 000 | 00011 000 | 00100              08 10 18
    //   VNI 0xBEEF = 1011 1110 1110 1111: 00100 101 |          25
    //   11110111 | 01111                                       f7
    //   length 4096 = 01 0000 0000 0000: 01111 010 |           7a
    //   00000000 | 000                                         00
    //   type IPV4 = 010, flags 10: 000 010 10 |                0a
    //   severity 0x81                                          81
    // header check: CRC-32C of these 16 bytes, from a bit-by-bit division done elsewhere
    test.ExpectEqual(Hex(ToBytes(ExampleHeader())),
                     "12 34 ab cd 5a 6d 18 08 10 18 25 f7 7a 00 0a 81 34 22 68 1f ",
                     "layout");
    test.ExpectEqual(Printed(ExampleHeader()),
                     "src=4660 dst=43981 lane=5 vc=2 ftag=9 flow=1443 "
                     "data_flow=16909060 vni=48879 payload=4096 type=2 flags=2 severity=129 "
                     "check=ok",
                     "Print");
}

/**
 * Compare field by field.
 *
 * @param b another
 * @param seed for the message
 */
void
CheckSameFabricHeaderRoundTrip(FunctionCase& test,
                               const FabricHeader& a,
                               const FabricHeader& b,
                               uint64_t seed)
{
    test.ExpectEqual(a.GetSource(), b.GetSource(), Text("seed ", seed));
    test.ExpectEqual(a.GetDestination(), b.GetDestination(), Text("seed ", seed));
    test.ExpectEqual(+a.GetVirtualLane(), +b.GetVirtualLane(), Text("seed ", seed));
    test.ExpectEqual(+a.GetVirtualChannel(), +b.GetVirtualChannel(), Text("seed ", seed));
    test.ExpectEqual(+a.GetTrafficClass(), +b.GetTrafficClass(), Text("seed ", seed));
    test.ExpectEqual(a.GetFlow(), b.GetFlow(), Text("seed ", seed));
    test.ExpectEqual(a.GetDataFlow(), b.GetDataFlow(), Text("seed ", seed));
    test.ExpectEqual(a.GetVni(), b.GetVni(), Text("seed ", seed));
    test.ExpectEqual(a.GetPayloadBytes(), b.GetPayloadBytes(), Text("seed ", seed));
    test.Expect(a.GetFrameType() == b.GetFrameType(), Text("seed ", seed));
    test.ExpectEqual(+a.GetFlags(), +b.GetFlags(), Text("seed ", seed));
    test.ExpectEqual(+a.GetSeverity(), +b.GetSeverity(), Text("seed ", seed));
}

/// Whatever is written is read back.
void
TestFabricHeaderRoundTrip(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 5000; seed++)
    {
        Dice dice(seed);
        const FabricHeader sent = RandomHeader(dice);
        test.ExpectEqual(ToBytes(sent).size(), 20, Text("size, seed ", seed));
        FabricHeader read;
        test.ExpectEqual(FromBytes(ToBytes(sent), read), 20, Text("seed ", seed));
        test.Expect(read.IsValid(), Text("seed ", seed));
        CheckSameFabricHeaderRoundTrip(test, read, sent, seed);
    }
    const FabricHeader sent = ExampleHeader();
    auto packet = Create<Packet>(100);
    packet->AddHeader(sent);
    test.ExpectEqual(packet->GetSize(), 120, "20 bytes are added");
    FabricHeader read;
    test.ExpectEqual(packet->RemoveHeader(read), 20, "and removed");
    CheckSameFabricHeaderRoundTrip(test, read, sent, 0);
}

/**
 * @param dice random numbers
 * @return a message or packet frame
 */
Frame
RandomFrame(Dice& dice)
{
    Frame frame{};
    frame.src = static_cast<LocationId>(dice.Between(FIRST_UNICAST, LAST_UNICAST));
    frame.dst = static_cast<LocationId>(dice.Between(1, 0xFFFF));
    frame.flow = static_cast<FlowId>(dice.Between(0, 2047));
    frame.payload = static_cast<uint16_t>(dice.Between(0, MAX_PAYLOAD));
    frame.dataFlow = dice.Between(0, 0xFFFFFFFF);
    frame.kind = static_cast<FrameKind>(dice.Between(0, 2));
    frame.vc = dice.Between(0, 3) & 0x3;
    frame.corrupt = dice.Between(0, 1) & 0x1;
    frame.last = dice.Between(0, 1) & 0x1;
    frame.lane = dice.Between(0, 15) & 0xF;
    frame.trafficClass = dice.Between(0, 15) & 0xF;
    frame.vni = static_cast<uint16_t>(dice.Between(0, 0xFFFF));
    return frame;
}

/**
 * Compare what goes over the wire.
 *
 * @param b another
 * @param seed for the message
 */
void
CheckSameFabricHeaderFrame(FunctionCase& test, const Frame& a, const Frame& b, uint64_t seed)
{
    test.ExpectEqual(a.src, b.src, Text("seed ", seed));
    test.ExpectEqual(a.dst, b.dst, Text("seed ", seed));
    test.ExpectEqual(a.flow, b.flow, Text("seed ", seed));
    test.ExpectEqual(a.payload, b.payload, Text("seed ", seed));
    test.ExpectEqual(a.dataFlow, b.dataFlow, Text("seed ", seed));
    test.Expect(a.kind == b.kind, Text("kind, seed ", seed));
    test.ExpectEqual(+a.vc, +b.vc, Text("seed ", seed));
    test.ExpectEqual(+a.corrupt, +b.corrupt, Text("seed ", seed));
    test.ExpectEqual(+a.last, +b.last, Text("seed ", seed));
    test.ExpectEqual(+a.lane, +b.lane, Text("seed ", seed));
    test.ExpectEqual(+a.trafficClass, +b.trafficClass, Text("seed ", seed));
    test.ExpectEqual(a.vni, b.vni, Text("seed ", seed));
}

/// To and from the frame descriptor.
void
TestFabricHeaderFrame(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 2000; seed++)
    {
        Dice dice(seed);
        const Frame sent = RandomFrame(dice);
        FabricHeader read;
        FromBytes(ToBytes(FabricHeader::FromFrame(sent)), read);
        test.ExpectEqual(read.IsValid(), !sent.corrupt, Text("seed ", seed));
        CheckSameFabricHeaderFrame(test, read.ToFrame(), sent, seed);
    }
    test.ExpectEqual(Refusal([] { FabricHeader::FromFrame(Frame{}); }),
                     "FabricHeader: source is 0, allowed is 1 to 49151.",
                     "a frame from nowhere is refused");
}

/// Setters refuse what does not fit.
void
TestRange(FunctionCase& test)
{
    FabricHeader header;
    const auto refuse = [&test](const std::function<void()>& setter, const std::string& reason) {
        test.ExpectEqual(Refusal(setter), "FabricHeader: " + reason + ".", "refused");
    };
    header.SetSource(LAST_UNICAST);
    header.SetDestination(0xFFFF);
    header.SetVirtualLane(15);
    header.SetVirtualChannel(3);
    header.SetTrafficClass(15);
    header.SetFlow(2047);
    header.SetPayloadBytes(JUMBO_PAYLOAD);
    header.SetFrameType(FrameType::RELIABLE);
    test.Expect(header.IsValid(), "the limits");

    refuse([&] { header.SetSource(0xC000); }, "source is 49152, allowed is 1 to 49151");
    refuse([&] { header.SetDestination(0); }, "destination is 0, allowed is 1 to 65535");
    refuse([&] { header.SetVirtualLane(16); }, "virtual lane is 16, allowed is 0 to 15");
    refuse([&] { header.SetVirtualChannel(4); }, "virtual channel is 4, allowed is 0 to 3");
    refuse([&] { header.SetTrafficClass(16); }, "FTAG is 16, allowed is 0 to 15");
    refuse([&] { header.SetFlow(2048); }, "flow_id is 2048, allowed is 0 to 2047");
    refuse([&] { header.SetPayloadBytes(9001); }, "payload length is 9001, allowed is 0 to 9000");
    refuse([&] { header.SetFrameType(FrameType::ACK); }, "frame type is 8, allowed is 0 to 4");
    refuse([&] { header.SetFlags(4); }, "flags is 4, allowed is 0 to 3");
    refuse([&] { header.SetSeverity(256); }, "severity is 256, allowed is 0 to 255");
    test.Expect(header.IsValid(), "a refused value changes nothing");
    test.ExpectEqual(header.GetPayloadBytes(), JUMBO_PAYLOAD, "nor this");
}

/// Random bytes of random length.
void
TestGarbage(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 5000; seed++)
    {
        Dice dice(seed);
        FabricHeader read;
        FromBytes(dice.Garbage(dice.Between(0, 60)), read);
        test.Expect(!read.IsValid(), Text("garbage, seed ", seed));
        test.Expect(!Printed(read).empty(), Text("prints, seed ", seed));
        read.ToFrame();
        test.ExpectEqual(ToBytes(read).size(), 20, Text("writes, seed ", seed));
    }
}

/**
 * Every one and every two wrong bits.
 *
 * @param good a header
 */
void
TestFlips(FunctionCase& test, const Bytes& good)
{
    for (uint32_t first = 0; first < 160; first++)
    {
        for (uint32_t second = first; second < 160; second++)
        {
            Bytes bad = good;
            bad[first / 8] ^= static_cast<uint8_t>(1U << (first % 8));
            if (second != first)
            {
                bad[second / 8] ^= static_cast<uint8_t>(1U << (second % 8));
            }
            FabricHeader read;
            FromBytes(bad, read);
            test.Expect(!read.IsCrcOk(), Text("bits ", first, ", ", second));
            test.Expect(!read.IsValid(), Text("bits ", first, ", ", second));
        }
    }
}

/**
 * Change some bits of a header and make its check anew.
 *
 * @param bytes a header
 * @param index byte to change
 * @param mask bits to change
 * @param value what they become
 * @param what for the message
 */
void
ExpectInvalid(FunctionCase& test,
              Bytes bytes,
              uint32_t index,
              uint8_t mask,
              uint8_t value,
              const std::string& what)
{
    bytes[index] = static_cast<uint8_t>((bytes[index] & ~mask) | value);
    const uint32_t check = Crc32c(bytes.data(), 16);
    for (uint32_t i = 0; i < 4; i++)
    {
        bytes[16 + i] = static_cast<uint8_t>(check >> (24 - 8 * i));
    }
    FabricHeader read;
    test.ExpectEqual(FromBytes(bytes, read), 20, Text(what));
    test.Expect(read.IsCrcOk(), Text(what));
    test.Expect(!read.IsValid(), Text(what));
}

/**
 * Fields that no setter allows, with a right check.
 *
 * @param good a header
 */
void
TestFieldsOutOfRange(FunctionCase& test, const Bytes& good)
{
    ExpectInvalid(test, good, 0, 0xFF, 0xC0, "source in the multicast range");
    Bytes nobody = good;
    nobody[0] = 0;
    ExpectInvalid(test, nobody, 1, 0xFF, 0x00, "source 0");
    Bytes nowhere = good;
    nowhere[2] = 0;
    ExpectInvalid(test, nowhere, 3, 0xFF, 0x00, "destination 0");
    ExpectInvalid(test, good, 12, 0x07, 0x07, "payload length of more than 14335");
    ExpectInvalid(test, good, 14, 0x1C, 0x14, "frame type 5");
}

/// Damage of any kind.
void
TestFabricHeaderDamage(FunctionCase& test)
{
    const Bytes good = ToBytes(ExampleHeader());
    for (uint32_t size = 0; size < good.size(); size++)
    {
        FabricHeader read = ExampleHeader();
        const uint32_t taken = FromBytes(Bytes(good.begin(), good.begin() + size), read);
        test.ExpectEqual(taken, 0, Text("truncated to ", size));
        test.Expect(!read.IsValid(), Text("truncated to ", size));
        test.Expect(!read.IsCrcOk(), Text("truncated to ", size));
    }
    TestGarbage(test);
    TestFlips(test, good);
    TestFieldsOutOfRange(test, good);
    test.Expect(!FabricHeader().IsValid(), "a new header goes nowhere");
}

std::vector<TestCase*>
HeaderTests()
{
    return {
        new FunctionCase("WL-1 bytes of a header made by hand", TestFabricHeaderBytes),
        new FunctionCase("WL-1 round trip of random headers, also through a packet",
                         TestFabricHeaderRoundTrip),
        new FunctionCase("WL-1 a frame descriptor survives the wire, damage too",
                         TestFabricHeaderFrame),
        new FunctionCase("WL-1 setters take the limits and refuse what is beyond, with a sentence",
                         TestRange),
        new FunctionCase("WL-1 truncated, random and damaged headers are not valid",
                         TestFabricHeaderDamage)};
}

} // namespace wiretest
} // namespace ns3::fabric
