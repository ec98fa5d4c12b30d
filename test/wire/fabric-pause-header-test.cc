/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pause-header.h"
#include "fabric-wire-test-cases.h"

namespace ns3
{
namespace fabric
{
namespace wiretest
{

/// Both forms, byte by byte.
class FabricPauseBytesTestCase : public TestCase
{
  public:
    FabricPauseBytesTestCase()
        : TestCase("WL-5 bytes of pause frames as in 802.3 Annexes 31B and 31D")
    {
    }

  private:
    void DoRun() override
    {
        FabricPauseHeader classes;
        classes.SetQuanta(3, 0xFFFF);
        classes.SetQuanta(7, 0x0102);
        classes.SetQuanta(0, 0);
        // vector: classes 7, 3 and 0 = 1000 1001 = 0x89
        Bytes expected{0x01, 0x01, 0x00, 0x89, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                       0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02};
        expected.resize(46);
        NS_TEST_ASSERT_MSG_EQ(Hex(ToBytes(classes)), Hex(expected), "priority-based");
        NS_TEST_ASSERT_MSG_EQ(Printed(classes),
                              "opcode=257 class0=0 class3=65535 class7=258",
                              "Print");

        expected = {0x00, 0x01, 0x12, 0x34};
        expected.resize(46);
        NS_TEST_ASSERT_MSG_EQ(Hex(ToBytes(FabricPauseHeader::ForLink(0x1234))),
                              Hex(expected),
                              "whole link");

        NS_TEST_ASSERT_MSG_EQ(Refusal([&] { classes.SetQuanta(8, 1); }),
                              "FabricPauseHeader: class is 8, allowed is 0 to 7.",
                              "no such class");
        NS_TEST_ASSERT_MSG_EQ(Refusal([&] { classes.GetQuanta(8); }),
                              "FabricPauseHeader: class is 8, allowed is 0 to 7.",
                              "no such class");
        NS_TEST_ASSERT_MSG_EQ(Refusal([] { FabricPauseHeader::ForLink(1).SetQuanta(0, 1); }),
                              "FabricPauseHeader: a link pause has no classes, allowed is a "
                              "priority-based pause.",
                              "wrong form");
    }
};

/// Whatever is written is read back, and nothing else is believed.
class FabricPauseRoundTripTestCase : public TestCase
{
  public:
    FabricPauseRoundTripTestCase()
        : TestCase("WL-5 round trip of random pause frames; truncated and random ones")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t seed = 1; seed <= 2000; seed++)
        {
            Dice dice(seed);
            const FabricPauseHeader sent = RandomPause(dice);
            const Bytes bytes = ToBytes(sent);
            FabricPauseHeader read;
            NS_TEST_ASSERT_MSG_EQ(FromBytes(bytes, read), 46, "seed " << seed);
            CheckSame(read, sent, seed);

            FabricPauseHeader cut;
            FromBytes(Bytes(bytes.begin(), bytes.begin() + dice.Between(0, 45)), cut);
            NS_TEST_ASSERT_MSG_EQ(cut.IsValid(), false, "truncated, seed " << seed);

            Bytes other = dice.Garbage(dice.Between(0, 60));
            if (!other.empty())
            {
                other[0] |= 0x80; // neither 0x0001 nor 0x0101
            }
            FabricPauseHeader garbage;
            NS_TEST_ASSERT_MSG_EQ(FromBytes(other, garbage), 0, "garbage, seed " << seed);
            NS_TEST_ASSERT_MSG_EQ(garbage.IsValid(), false, "garbage, seed " << seed);
            NS_TEST_ASSERT_MSG_EQ(ToBytes(garbage).size(), 46, "writes, seed " << seed);
        }
    }

    /**
     * @param dice random numbers
     * @return a pause of either form
     */
    static FabricPauseHeader RandomPause(Dice& dice)
    {
        if (dice.Between(0, 3) == 0)
        {
            return FabricPauseHeader::ForLink(static_cast<uint16_t>(dice.Between(0, 0xFFFF)));
        }
        FabricPauseHeader header;
        for (uint32_t i = dice.Between(0, 8); i > 0; i--)
        {
            header.SetQuanta(dice.Between(0, 7), static_cast<uint16_t>(dice.Between(0, 0xFFFF)));
        }
        return header;
    }

    /**
     * @param a a pause
     * @param b another
     * @param seed for the message
     */
    void CheckSame(const FabricPauseHeader& a, const FabricPauseHeader& b, uint64_t seed)
    {
        NS_TEST_EXPECT_MSG_EQ(a.IsValid(), true, "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(a.GetOpcode(), b.GetOpcode(), "seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(+a.GetClassEnable(), +b.GetClassEnable(), "seed " << seed);
        for (uint32_t priority = 0; priority < PAUSE_PRIORITIES; priority++)
        {
            NS_TEST_EXPECT_MSG_EQ(a.GetQuanta(priority),
                                  b.GetQuanta(priority),
                                  "class " << priority << ", seed " << seed);
        }
    }
};

/// Quanta and time.
class FabricPauseTimeTestCase : public TestCase
{
  public:
    FabricPauseTimeTestCase()
        : TestCase("WL-5 pause quanta to time and back")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t GIGABIT = 1'000'000'000;
        // 512 bits at 10 Gb/s are 51.2 ns, at 200 Gb/s 2.56 ns
        NS_TEST_ASSERT_MSG_EQ(QuantaToTime(1, 10 * GIGABIT), 51'200, "10 Gb/s");
        NS_TEST_ASSERT_MSG_EQ(QuantaToTime(1, 200 * GIGABIT), 2'560, "200 Gb/s");
        NS_TEST_ASSERT_MSG_EQ(QuantaToTime(65535, 400 * GIGABIT), 83'884'800, "longest, 400 Gb/s");
        NS_TEST_ASSERT_MSG_EQ(QuantaToTime(65535, 1'000'000), 33'553'920'000'000, "longest of all");
        NS_TEST_ASSERT_MSG_EQ(TimeToQuanta(0, GIGABIT), 0, "no pause");
        NS_TEST_ASSERT_MSG_EQ(TimeToQuanta(51'200, 10 * GIGABIT), 1, "exact");
        NS_TEST_ASSERT_MSG_EQ(TimeToQuanta(51'201, 10 * GIGABIT), 2, "rounded up");
        NS_TEST_ASSERT_MSG_EQ(TimeToQuanta(NEVER, 10 * GIGABIT),
                              65535,
                              "more than a frame can say");

        for (uint64_t seed = 1; seed <= 20000; seed++)
        {
            Dice dice(seed);
            // rates from 1 Mb/s to 9 Tb/s, also uneven ones
            const uint64_t rate =
                1'000'000 + uint64_t{dice.Between(0, 3'000'000)} * dice.Between(0, 2'999'999);
            const auto quanta = static_cast<uint16_t>(dice.Between(0, 0xFFFF));
            const TimePs time = QuantaToTime(quanta, rate);
            NS_TEST_ASSERT_MSG_EQ(TimeToQuanta(time, rate), quanta, "inverse, seed " << seed);
            const long double exact = 512.0L * quanta * 1e12L / rate;
            NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<long double>(time) + 0.5L,
                                      exact,
                                      0.51L,
                                      "within a picosecond, seed " << seed);
        }

        const std::string range = ", allowed is 1000000 to 9000000000000.";
        NS_TEST_ASSERT_MSG_EQ(Refusal([] { QuantaToTime(1, 999'999); }),
                              "QuantaToTime: rate in b/s is 999999" + range,
                              "too slow");
        NS_TEST_ASSERT_MSG_EQ(Refusal([] { TimeToQuanta(1, 9'000'000'000'001); }),
                              "TimeToQuanta: rate in b/s is 9000000000001" + range,
                              "too fast");
        NS_TEST_ASSERT_MSG_EQ(Refusal([] { TimeToQuanta(-1, GIGABIT); }),
                              "TimeToQuanta: time is -1 ps, allowed is 0 or more.",
                              "negative");
    }
};

std::vector<TestCase*>
PauseTests()
{
    return {new FabricPauseBytesTestCase,
            new FabricPauseRoundTripTestCase,
            new FabricPauseTimeTestCase};
}

} // namespace wiretest
} // namespace fabric
} // namespace ns3
