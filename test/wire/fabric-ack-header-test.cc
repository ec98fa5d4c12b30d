/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ack-header.h"
#include "fabric-bit-writer.h"
#include "fabric-crc.h"
#include "fabric-function-case.h"
#include "fabric-wire-test-cases.h"

#include <set>

namespace ns3::fabric
{
namespace wiretest
{

namespace
{

/**
 * @param dice random numbers
 * @param count how many
 * @return a frame of random ACKs, every one of them legal
 */
FabricAckHeader
RandomAcks(Dice& dice, uint32_t count)
{
    FabricAckHeader header;
    for (uint32_t i = 0; i < count; i++)
    {
        const auto type = static_cast<AckType>(dice.Between(0, 7));
        const auto flow = static_cast<FlowId>(dice.Between(1, 2047));
        const auto any = static_cast<uint8_t>(dice.Between(0, 255));
        // The fourth kind of a check is none.
        const auto ackFlow = static_cast<uint8_t>(IsAckFlow(type, any) ? any : any - 1);
        header.AddAck({flow, type, ackFlow});
    }
    return header;
}

} // namespace

/// The layout, against bits put together by hand.
void
TestFabricAckBytes(FunctionCase& test)
{
    // control mark                                              00 00
    // type 8 = 1000, count 1 = 000001, reserved 14 zeros
    //   1000 0000 | 01 000000 | 00000000                        80 40 00
    // ACK: flow_id 0x5A3 = 101 1010 0011, type HEADROOM 3 = 011, ack_flow 0x81 = 1000 0001,
    // CRC 000 (long division of the 22 bits by 1011, done elsewhere)
    //   10110100 | 011 011 10 | 000001 00 | 0, padding 0000000  b4 6e 04 00
    // FCS: CRC-32C of these 9 bytes                             d6 07 b2 05
    FabricAckHeader header;
    header.AddAck({0x5A3, AckType::HEADROOM, 0x81});
    test.ExpectEqual(Hex(ToBytes(header)), "00 00 80 40 00 b4 6e 04 00 d6 07 b2 05 ", "one ACK");

    // A second one: count 2 = 000010, so 1000 0000 | 10 000000   80 80
    // flow_id 1, type NORMAL 0, ack_flow 1, CRC 111; after the 1 bit of the first one:
    //   0 0000000 | 0001 000 0 | 0000001 1 | 11, padding 000000  00 10 03 c0
    header.AddAck({1, AckType::NORMAL, 1});
    test.ExpectEqual(Hex(ToBytes(header)),
                     "00 00 80 80 00 b4 6e 04 00 10 03 c0 e3 9b e6 06 ",
                     "two ACKs");
    test.ExpectEqual(Printed(header),
                     "acks=2 check=ok (flow=1443 type=3 ack_flow=129) "
                     "(flow=1 type=0 ack_flow=1)",
                     "Print");
}

/// Size, overhead and the counts that fill words.
void
TestFabricAckSize(FunctionCase& test)
{
    test.ExpectEqual(AckFrameBytes(1), 13, "9 + 25 bits in 4 bytes");
    test.ExpectEqual(AckFrameBytes(8), 34, "9 + 200 bits in 25 bytes");
    test.ExpectEqual(AckFrameBytes(48), 159, "9 + 1200 bits in 150 bytes");
    // 'a full frame costs 9/(25/8*48) = 6 % per ACK'
    const double ackBytes = 25.0 / 8 * 48;
    test.ExpectNear((AckFrameBytes(48) - ackBytes) / ackBytes,
                    0.06,
                    1e-12,
                    "overhead of a full frame");

    // 72 + 25 n, the next multiple of 64 and what is left of it, by hand:
    //  n  bits  word  left            n  bits  word  left
    //  1    97   128   31             6   222   256   34
    //  2   122   128    6 efficient   7   247   256    9 efficient
    //  3   147   192   45             8   272   320   48
    //  4   172   192   20 efficient   9   297   320   23 efficient
    //  5   197   256   59            10   322   384   62
    const std::set<uint32_t> efficient{2, 4, 7, 9};
    test.Expect(!FramesEfficiently(0), "no ACK, no frame");
    for (uint32_t count = 1; count <= 10; count++)
    {
        test.ExpectEqual(FramesEfficiently(count),
                         (efficient.count(count) == 1),
                         Text("count ", count));
    }
    test.Expect(FramesEfficiently(48), "a full frame");

    // The same said otherwise: efficient is where one more ACK needs one more word.
    for (uint32_t count = 1; count < 48; count++)
    {
        const bool grows = (AckFrameBytes(count) + 7) / 8 < (AckFrameBytes(count + 1) + 7) / 8;
        test.ExpectEqual(FramesEfficiently(count), grows, Text("count ", count));
    }
}

/// Whatever is written is read back.
void
TestFabricAckRoundTrip(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 4800; seed++)
    {
        Dice dice(seed);
        const auto count = static_cast<uint32_t>(1 + seed % 48);
        const FabricAckHeader sent = RandomAcks(dice, count);
        Bytes bytes = ToBytes(sent);
        test.ExpectEqual(bytes.size(), AckFrameBytes(count), Text("size, seed ", seed));
        // An Ethernet link may pad behind the FCS.
        bytes.resize(bytes.size() + dice.Between(0, 7));
        FabricAckHeader read;
        test.ExpectEqual(FromBytes(bytes, read), AckFrameBytes(count), Text("seed ", seed));
        test.Expect(read.IsValid(), Text("seed ", seed));
        test.Expect(read.GetAcks() == sent.GetAcks(), Text("seed ", seed));
    }
}

/**
 * @param ack an ACK that it must refuse
 * @param reason the sentence without the name of the class and the full stop
 */
void
ExpectFabricAckRange(FunctionCase& test,
                     FabricAckHeader& header,
                     const Ack& ack,
                     const std::string& reason)
{
    test.ExpectEqual(Refusal([&] { header.AddAck(ack); }),
                     "FabricAckHeader: " + reason + ".",
                     "refused");
}

/// AddAck refuses what does not fit.
void
TestFabricAckRange(FunctionCase& test)
{
    FabricAckHeader header;
    test.Expect(!header.IsValid(), "a frame without ACKs");
    ExpectFabricAckRange(test,
                         header,
                         {0, AckType::NORMAL, 1},
                         "flow_id is 0, allowed is 1 to 2047");
    ExpectFabricAckRange(test,
                         header,
                         {2048, AckType::NORMAL, 1},
                         "flow_id is 2048, allowed is 1 to 2047");
    ExpectFabricAckRange(test,
                         header,
                         {1, static_cast<AckType>(8), 1},
                         "ACK type is 8, allowed is 0 to 7");
    ExpectFabricAckRange(test,
                         header,
                         {1, AckType::CHECK, 7},
                         "what a check says is 3, allowed is 0 to 2");
    header.AddAck({1, AckType::HEADROOM, 0});
    while (header.GetAcks().size() < 48)
    {
        header.AddAck({2047, AckType::NORMAL, 255});
    }
    test.Expect(header.IsValid(), "a full frame");
    ExpectFabricAckRange(test,
                         header,
                         {1, AckType::NORMAL, 1},
                         "number of ACKs in a frame is 49, allowed is 1 to 48");
    test.ExpectEqual(header.GetAcks().size(), 48, "nothing was added");
}

void
TestTruncated(FunctionCase& test, const Bytes& good, uint64_t seed)
{
    for (uint32_t size = 0; size < good.size(); size++)
    {
        FabricAckHeader read;
        read.AddAck({1, AckType::NORMAL, 1});
        const uint32_t taken = FromBytes(Bytes(good.begin(), good.begin() + size), read);
        test.ExpectEqual(taken, 0, Text("truncated to ", size, ", seed ", seed));
        test.Expect(!read.IsValid(), Text("size ", size, ", seed ", seed));
        test.Expect(read.GetAcks().empty(), "nothing old is left");
    }
}

void
TestFlipsFabricAckDamage(FunctionCase& test, const Bytes& good, uint64_t seed)
{
    for (uint32_t bit = 0; bit < 8 * good.size(); bit++)
    {
        Bytes bad = good;
        bad[bit / 8] ^= static_cast<uint8_t>(1U << (bit % 8));
        FabricAckHeader read;
        FromBytes(bad, read);
        test.Expect(!read.IsCrcOk(), Text("bit ", bit, ", seed ", seed));
        test.Expect(!read.IsValid(), Text("bit ", bit, ", seed ", seed));
    }
}

/**
 * Random bytes, with a right start in half of the cases so that the ACKs are reached.
 *
 * @param dice random numbers
 * @param seed their seed
 */
void
TestGarbageFabricAckDamage(FunctionCase& test, Dice& dice, uint64_t seed)
{
    Bytes bytes = dice.Garbage(dice.Between(0, 220));
    if (bytes.size() >= 5 && seed % 2 == 0)
    {
        bytes[0] = 0;
        bytes[1] = 0;
        bytes[2] = static_cast<uint8_t>(0x80 | (bytes[2] & 0x0F));
    }
    FabricAckHeader read;
    const uint32_t taken = FromBytes(bytes, read);
    test.Expect(!read.IsValid(), Text("seed ", seed));
    test.Expect(taken <= bytes.size(), Text("seed ", seed));
    test.Expect(!Printed(read).empty(), Text("prints, seed ", seed));
    test.Expect(ToBytes(read).size() <= 159, Text("writes, seed ", seed));
}

/**
 * @param mark the first 16 bits
 * @param ack the only ACK, 22 bits
 * @param damage what its CRC is off by
 * @return a frame with a right FCS
 */
Bytes
MakeFrame(uint32_t mark, uint32_t type, uint32_t ack, uint32_t damage)
{
    BitWriter writer;
    writer.Put(mark, 16);
    writer.Put(type, 4);
    writer.Put(1, 6);
    writer.Put(0, 14);
    writer.Put(ack, 22);
    writer.Put(Crc3(ack, 22) ^ damage, 3);
    writer.Put(0, 7);
    writer.Put(Crc32c(writer.GetBytes().data(), writer.GetBytes().size()), 32);
    return writer.GetBytes();
}

/**
 * @param crcOk whether it is read and its checks are right
 * @param valid whether it makes sense
 * @param what for the message
 */
void
ExpectFabricAckDamage(FunctionCase& test,
                      const Bytes& bytes,
                      bool crcOk,
                      bool valid,
                      const std::string& what)
{
    FabricAckHeader read;
    test.ExpectEqual(FromBytes(bytes, read), (crcOk ? bytes.size() : 0), Text(what));
    test.ExpectEqual(read.IsCrcOk(), crcOk, Text(what));
    test.ExpectEqual(read.IsValid(), valid, Text(what));
}

/// A right FCS does not make up for a wrong meaning.
void
TestSemantics(FunctionCase& test)
{
    // flow_id << 11 | type << 8 | ack_flow
    ExpectFabricAckDamage(test,
                          MakeFrame(0, 8, 1 << 11 | 0 << 8 | 1, 0),
                          true,
                          true,
                          "as it should be");
    ExpectFabricAckDamage(test, MakeFrame(0, 8, 0 << 11 | 0 << 8 | 1, 0), true, false, "flow_id 0");
    ExpectFabricAckDamage(test,
                          MakeFrame(0, 8, 1 << 11 | 7 << 8 | 3, 0),
                          true,
                          false,
                          "a check has three kinds");
    ExpectFabricAckDamage(test, MakeFrame(0, 8, 1 << 11 | 0 << 8 | 0, 0), true, true, "position 0");
    ExpectFabricAckDamage(test,
                          MakeFrame(0, 8, 1 << 11 | 3 << 8 | 0, 0),
                          true,
                          true,
                          "no credit is legal");
    ExpectFabricAckDamage(test,
                          MakeFrame(1, 8, 1 << 11 | 0 << 8 | 1, 0),
                          false,
                          false,
                          "a data frame");
    ExpectFabricAckDamage(test,
                          MakeFrame(0, 9, 1 << 11 | 0 << 8 | 1, 0),
                          false,
                          false,
                          "another control frame");

    // An ACK may be damaged inside a switch, before the FCS is made: only its own CRC tells.
    FabricAckHeader read;
    FromBytes(MakeFrame(0, 8, 1 << 11 | 0 << 8 | 1, 0b001), read);
    test.ExpectEqual(read.GetAcks().size(), 1, "it is all there");
    test.Expect(!read.IsCrcOk(), "the CRC of the ACK is wrong");
}

/// Damage of any kind.
void
TestFabricAckDamage(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 48; seed++)
    {
        Dice dice(seed);
        const Bytes good = ToBytes(RandomAcks(dice, static_cast<uint32_t>(seed)));
        TestTruncated(test, good, seed);
        TestFlipsFabricAckDamage(test, good, seed);
    }
    for (uint64_t seed = 1; seed <= 5000; seed++)
    {
        Dice dice(seed);
        TestGarbageFabricAckDamage(test, dice, seed);
    }
    TestSemantics(test);
}

std::vector<TestCase*>
AckTests()
{
    return {new FunctionCase("WL-2 bytes of ACK frames made by hand", TestFabricAckBytes),
            new FunctionCase(
                "WL-2 WL-3 size and overhead of ACK frames, and which counts are efficient",
                TestFabricAckSize),
            new FunctionCase("WL-2 round trip of random ACK frames, every count",
                             TestFabricAckRoundTrip),
            new FunctionCase("WL-2 an ACK out of range or one too many is refused, with a sentence",
                             TestFabricAckRange),
            new FunctionCase("WL-2 truncated, random and damaged ACK frames are not valid",
                             TestFabricAckDamage)};
}

} // namespace wiretest
} // namespace ns3::fabric
