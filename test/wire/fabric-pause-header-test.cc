/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-pause-header.h"
#include "fabric-wire-test-cases.h"

namespace ns3::fabric
{
namespace wiretest
{

/// Both forms, byte by byte.
void
TestFabricPauseBytes(FunctionCase& test)
{
    FabricPauseHeader classes;
    classes.SetQuanta(3, 0xFFFF);
    classes.SetQuanta(7, 0x0102);
    classes.SetQuanta(0, 0);
    // vector: classes 7, 3 and 0 = 1000 1001 = 0x89
    Bytes expected{0x01, 0x01, 0x00, 0x89, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                   0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02};
    expected.resize(46);
    test.ExpectEqual(Hex(ToBytes(classes)), Hex(expected), "priority-based");
    test.ExpectEqual(Printed(classes), "opcode=257 class0=0 class3=65535 class7=258", "Print");

    expected = {0x00, 0x01, 0x12, 0x34};
    expected.resize(46);
    test.ExpectEqual(Hex(ToBytes(FabricPauseHeader::ForLink(0x1234))), Hex(expected), "whole link");

    test.ExpectEqual(Refusal([&] { classes.SetQuanta(8, 1); }),
                     "FabricPauseHeader: class is 8, allowed is 0 to 7.",
                     "no such class");
    test.ExpectEqual(Refusal([&] { classes.GetQuanta(8); }),
                     "FabricPauseHeader: class is 8, allowed is 0 to 7.",
                     "no such class");
    test.ExpectEqual(Refusal([] { FabricPauseHeader::ForLink(1).SetQuanta(0, 1); }),
                     "FabricPauseHeader: a link pause has no classes, allowed is a "
                     "priority-based pause.",
                     "wrong form");
}

/**
 * @param dice random numbers
 * @return a pause of either form
 */
FabricPauseHeader
RandomPause(Dice& dice)
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
 * @param b another
 * @param seed for the message
 */
void
CheckSame(FunctionCase& test, const FabricPauseHeader& a, const FabricPauseHeader& b, uint64_t seed)
{
    test.Expect(a.IsValid(), Text("seed ", seed));
    test.ExpectEqual(a.GetOpcode(), b.GetOpcode(), Text("seed ", seed));
    test.ExpectEqual(+a.GetClassEnable(), +b.GetClassEnable(), Text("seed ", seed));
    for (uint32_t priority = 0; priority < PAUSE_PRIORITIES; priority++)
    {
        test.ExpectEqual(a.GetQuanta(priority),
                         b.GetQuanta(priority),
                         Text("class ", priority, ", seed ", seed));
    }
}

/// Whatever is written is read back, and nothing else is believed.
void
TestFabricPauseRoundTrip(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 2000; seed++)
    {
        Dice dice(seed);
        const FabricPauseHeader sent = RandomPause(dice);
        const Bytes bytes = ToBytes(sent);
        FabricPauseHeader read;
        test.ExpectEqual(FromBytes(bytes, read), 46, Text("seed ", seed));
        CheckSame(test, read, sent, seed);

        FabricPauseHeader cut;
        FromBytes(Bytes(bytes.begin(), bytes.begin() + dice.Between(0, 45)), cut);
        test.Expect(!cut.IsValid(), Text("truncated, seed ", seed));

        Bytes other = dice.Garbage(dice.Between(0, 60));
        if (!other.empty())
        {
            other[0] |= 0x80; // neither 0x0001 nor 0x0101
        }
        FabricPauseHeader garbage;
        test.ExpectEqual(FromBytes(other, garbage), 0, Text("garbage, seed ", seed));
        test.Expect(!garbage.IsValid(), Text("garbage, seed ", seed));
        test.ExpectEqual(ToBytes(garbage).size(), 46, Text("writes, seed ", seed));
    }
}

/// Quanta and time.
void
TestFabricPauseTime(FunctionCase& test)
{
    constexpr uint64_t GIGABIT = 1'000'000'000;
    // 512 bits at 10 Gb/s are 51.2 ns, at 200 Gb/s 2.56 ns
    test.ExpectEqual(QuantaToTime(1, 10 * GIGABIT), 51'200, "10 Gb/s");
    test.ExpectEqual(QuantaToTime(1, 200 * GIGABIT), 2'560, "200 Gb/s");
    test.ExpectEqual(QuantaToTime(65535, 400 * GIGABIT), 83'884'800, "longest, 400 Gb/s");
    test.ExpectEqual(QuantaToTime(65535, 1'000'000), 33'553'920'000'000, "longest of all");
    test.ExpectEqual(TimeToQuanta(0, GIGABIT), 0, "no pause");
    test.ExpectEqual(TimeToQuanta(51'200, 10 * GIGABIT), 1, "exact");
    test.ExpectEqual(TimeToQuanta(51'201, 10 * GIGABIT), 2, "rounded up");
    test.ExpectEqual(TimeToQuanta(NEVER, 10 * GIGABIT), 65535, "more than a frame can say");

    for (uint64_t seed = 1; seed <= 20000; seed++)
    {
        Dice dice(seed);
        // rates from 1 Mb/s to 9 Tb/s, also uneven ones
        const uint64_t rate =
            1'000'000 + uint64_t{dice.Between(0, 3'000'000)} * dice.Between(0, 2'999'999);
        const auto quanta = static_cast<uint16_t>(dice.Between(0, 0xFFFF));
        const TimePs time = QuantaToTime(quanta, rate);
        test.ExpectEqual(TimeToQuanta(time, rate), quanta, Text("inverse, seed ", seed));
        const long double exact = 512.0L * quanta * 1e12L / rate;
        test.ExpectNear(static_cast<long double>(time) + 0.5L,
                        exact,
                        0.51L,
                        Text("within a picosecond, seed ", seed));
    }

    const std::string range = ", allowed is 1000000 to 9000000000000.";
    test.ExpectEqual(Refusal([] { QuantaToTime(1, 999'999); }),
                     "QuantaToTime: rate in b/s is 999999" + range,
                     "too slow");
    test.ExpectEqual(Refusal([] { TimeToQuanta(1, 9'000'000'000'001); }),
                     "TimeToQuanta: rate in b/s is 9000000000001" + range,
                     "too fast");
    test.ExpectEqual(Refusal([] { TimeToQuanta(-1, GIGABIT); }),
                     "TimeToQuanta: time is -1 ps, allowed is 0 or more.",
                     "negative");
}

std::vector<TestCase*>
PauseTests()
{
    return {new FunctionCase("WL-5 bytes of pause frames as in 802.3 Annexes 31B and 31D",
                             TestFabricPauseBytes),
            new FunctionCase("WL-5 round trip of random pause frames; truncated and random ones",
                             TestFabricPauseRoundTrip),
            new FunctionCase("WL-5 pause quanta to time and back", TestFabricPauseTime)};
}

} // namespace wiretest
} // namespace ns3::fabric
