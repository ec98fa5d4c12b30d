/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-crc.h"
#include "fabric-header.h"
#include "fabric-wire-test-cases.h"

#include "ns3/packet.h"

namespace ns3
{
namespace fabric
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
    header.SetFlags(static_cast<uint8_t>(dice.Between(0, 255)));
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
    header.SetFlags(0x81);
    return header;
}

} // namespace

/// The layout, against bits put together by hand.
class FabricHeaderBytesTestCase : public TestCase
{
  public:
    FabricHeaderBytesTestCase()
        : TestCase("WL-1 bytes of a header made by hand")
    {
    }

  private:
    void DoRun() override
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
        //   type IPV4 = 0010, flags 0x81 = 1000 0001: 000 0010 1 | 05
        //   0000001, reserved 0                                    02
        // header check: CRC-32C of these 16 bytes, from a bit-by-bit division done elsewhere
        NS_TEST_ASSERT_MSG_EQ(Hex(ToBytes(ExampleHeader())),
                              "12 34 ab cd 5a 6d 18 08 10 18 25 f7 7a 00 05 02 42 fd aa 6e ",
                              "layout");
        NS_TEST_ASSERT_MSG_EQ(Printed(ExampleHeader()),
                              "src=4660 dst=43981 lane=5 vc=2 ftag=9 flow=1443 "
                              "data_flow=16909060 vni=48879 payload=4096 type=2 flags=129 "
                              "check=ok",
                              "Print");
    }
};

/// Whatever is written is read back.
class FabricHeaderRoundTripTestCase : public TestCase
{
  public:
    FabricHeaderRoundTripTestCase()
        : TestCase("WL-1 round trip of random headers, also through a packet")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t seed = 1; seed <= 5000; seed++)
        {
            Dice dice(seed);
            const FabricHeader sent = RandomHeader(dice);
            NS_TEST_ASSERT_MSG_EQ(ToBytes(sent).size(), 20, "size, seed " << seed);
            FabricHeader read;
            NS_TEST_ASSERT_MSG_EQ(FromBytes(ToBytes(sent), read), 20, "seed " << seed);
            NS_TEST_ASSERT_MSG_EQ(read.IsValid(), true, "seed " << seed);
            CheckSame(read, sent, seed);
        }
        const FabricHeader sent = ExampleHeader();
        auto packet = Create<Packet>(100);
        packet->AddHeader(sent);
        NS_TEST_ASSERT_MSG_EQ(packet->GetSize(), 120, "20 bytes are added");
        FabricHeader read;
        NS_TEST_ASSERT_MSG_EQ(packet->RemoveHeader(read), 20, "and removed");
        CheckSame(read, sent, 0);
    }

    /**
     * Compare field by field.
     *
     * @param a a header
     * @param b another
     * @param seed for the message
     */
    void CheckSame(const FabricHeader& a, const FabricHeader& b, uint64_t seed)
    {
        NS_TEST_EXPECT_MSG_EQ(a.GetSource(), b.GetSource(), "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(a.GetDestination(), b.GetDestination(), "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(+a.GetVirtualLane(), +b.GetVirtualLane(), "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(+a.GetVirtualChannel(), +b.GetVirtualChannel(), "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(+a.GetTrafficClass(), +b.GetTrafficClass(), "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(a.GetFlow(), b.GetFlow(), "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(a.GetDataFlow(), b.GetDataFlow(), "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(a.GetVni(), b.GetVni(), "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(a.GetPayloadBytes(), b.GetPayloadBytes(), "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ((a.GetFrameType() == b.GetFrameType()), true, "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(+a.GetFlags(), +b.GetFlags(), "seed " << seed);
    }
};

/// To and from the frame descriptor.
class FabricHeaderFrameTestCase : public TestCase
{
  public:
    FabricHeaderFrameTestCase()
        : TestCase("WL-1 a frame descriptor survives the wire, damage too")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t seed = 1; seed <= 2000; seed++)
        {
            Dice dice(seed);
            const Frame sent = RandomFrame(dice);
            FabricHeader read;
            FromBytes(ToBytes(FabricHeader::FromFrame(sent)), read);
            NS_TEST_ASSERT_MSG_EQ(read.IsValid(), !sent.corrupt, "seed " << seed);
            CheckSame(read.ToFrame(), sent, seed);
        }
        NS_TEST_ASSERT_MSG_EQ(Refusal([] { FabricHeader::FromFrame(Frame{}); }),
                              "FabricHeader: source is 0, allowed is 1 to 49151.",
                              "a frame from nowhere is refused");
    }

    /**
     * @param dice random numbers
     * @return a message or packet frame
     */
    static Frame RandomFrame(Dice& dice)
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
     * @param a a frame
     * @param b another
     * @param seed for the message
     */
    void CheckSame(const Frame& a, const Frame& b, uint64_t seed)
    {
        NS_TEST_EXPECT_MSG_EQ(a.src, b.src, "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(a.dst, b.dst, "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(a.flow, b.flow, "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(a.payload, b.payload, "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(a.dataFlow, b.dataFlow, "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ((a.kind == b.kind), true, "kind, seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(+a.vc, +b.vc, "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(+a.corrupt, +b.corrupt, "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(+a.last, +b.last, "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(+a.lane, +b.lane, "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(+a.trafficClass, +b.trafficClass, "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(a.vni, b.vni, "seed " << seed);
    }
};

/// Setters refuse what does not fit.
class FabricHeaderRangeTestCase : public TestCase
{
  public:
    FabricHeaderRangeTestCase()
        : TestCase("WL-1 setters take the limits and refuse what is beyond, with a sentence")
    {
    }

  private:
    void DoRun() override
    {
        FabricHeader header;
        header.SetSource(LAST_UNICAST);
        header.SetDestination(0xFFFF);
        header.SetVirtualLane(15);
        header.SetVirtualChannel(3);
        header.SetTrafficClass(15);
        header.SetFlow(2047);
        header.SetPayloadBytes(JUMBO_PAYLOAD);
        header.SetFrameType(FrameType::RELIABLE);
        NS_TEST_ASSERT_MSG_EQ(header.IsValid(), true, "the limits");

        Expect([&] { header.SetSource(0xC000); }, "source is 49152, allowed is 1 to 49151");
        Expect([&] { header.SetDestination(0); }, "destination is 0, allowed is 1 to 65535");
        Expect([&] { header.SetVirtualLane(16); }, "virtual lane is 16, allowed is 0 to 15");
        Expect([&] { header.SetVirtualChannel(4); }, "virtual channel is 4, allowed is 0 to 3");
        Expect([&] { header.SetTrafficClass(16); }, "FTAG is 16, allowed is 0 to 15");
        Expect([&] { header.SetFlow(2048); }, "flow_id is 2048, allowed is 0 to 2047");
        Expect([&] { header.SetPayloadBytes(9001); },
               "payload length is 9001, allowed is 0 to 9000");
        Expect([&] { header.SetFrameType(FrameType::ACK); }, "frame type is 8, allowed is 0 to 4");
        NS_TEST_ASSERT_MSG_EQ(header.IsValid(), true, "a refused value changes nothing");
        NS_TEST_ASSERT_MSG_EQ(header.GetPayloadBytes(), JUMBO_PAYLOAD, "nor this");
    }

    /**
     * @param setter a call that must be refused
     * @param reason the sentence without the name of the class and the full stop
     */
    template <typename F>
    void Expect(F setter, const std::string& reason)
    {
        NS_TEST_EXPECT_MSG_EQ(Refusal(setter), "FabricHeader: " + reason + ".", "refused");
    }
};

/// Damage of any kind.
class FabricHeaderDamageTestCase : public TestCase
{
  public:
    FabricHeaderDamageTestCase()
        : TestCase("WL-1 truncated, random and damaged headers are not valid")
    {
    }

  private:
    void DoRun() override
    {
        const Bytes good = ToBytes(ExampleHeader());
        for (uint32_t size = 0; size < good.size(); size++)
        {
            FabricHeader read = ExampleHeader();
            const uint32_t taken = FromBytes(Bytes(good.begin(), good.begin() + size), read);
            NS_TEST_ASSERT_MSG_EQ(taken, 0, "truncated to " << size);
            NS_TEST_ASSERT_MSG_EQ(read.IsValid(), false, "truncated to " << size);
            NS_TEST_ASSERT_MSG_EQ(read.IsCrcOk(), false, "truncated to " << size);
        }
        TestGarbage();
        TestFlips(good);
        TestFieldsOutOfRange(good);
        NS_TEST_ASSERT_MSG_EQ(FabricHeader().IsValid(), false, "a new header goes nowhere");
    }

    /// Random bytes of random length.
    void TestGarbage()
    {
        for (uint64_t seed = 1; seed <= 5000; seed++)
        {
            Dice dice(seed);
            FabricHeader read;
            FromBytes(dice.Garbage(dice.Between(0, 60)), read);
            NS_TEST_ASSERT_MSG_EQ(read.IsValid(), false, "garbage, seed " << seed);
            NS_TEST_ASSERT_MSG_EQ(Printed(read).empty(), false, "prints, seed " << seed);
            read.ToFrame();
            NS_TEST_ASSERT_MSG_EQ(ToBytes(read).size(), 20, "writes, seed " << seed);
        }
    }

    /**
     * Every one and every two wrong bits.
     *
     * @param good a header
     */
    void TestFlips(const Bytes& good)
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
                NS_TEST_ASSERT_MSG_EQ(read.IsCrcOk(), false, "bits " << first << ", " << second);
                NS_TEST_ASSERT_MSG_EQ(read.IsValid(), false, "bits " << first << ", " << second);
            }
        }
    }

    /**
     * Fields that no setter allows, with a right check.
     *
     * @param good a header
     */
    void TestFieldsOutOfRange(const Bytes& good)
    {
        ExpectInvalid(good, 0, 0xFF, 0xC0, "source in the multicast range");
        Bytes nowhere = good;
        nowhere[2] = 0;
        ExpectInvalid(nowhere, 3, 0xFF, 0x00, "destination 0");
        ExpectInvalid(good, 12, 0x07, 0x07, "payload length of more than 14335");
        ExpectInvalid(good, 14, 0x1E, 0x10, "frame type 8");
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
    void ExpectInvalid(Bytes bytes,
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
        NS_TEST_ASSERT_MSG_EQ(FromBytes(bytes, read), 20, what);
        NS_TEST_ASSERT_MSG_EQ(read.IsCrcOk(), true, what);
        NS_TEST_ASSERT_MSG_EQ(read.IsValid(), false, what);
    }
};

std::vector<TestCase*>
HeaderTests()
{
    return {new FabricHeaderBytesTestCase,
            new FabricHeaderRoundTripTestCase,
            new FabricHeaderFrameTestCase,
            new FabricHeaderRangeTestCase,
            new FabricHeaderDamageTestCase};
}

} // namespace wiretest
} // namespace fabric
} // namespace ns3
