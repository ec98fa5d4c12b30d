/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-credit-header.h"
#include "fabric-function-case.h"
#include "fabric-wire-test-cases.h"

namespace ns3::fabric
{
namespace wiretest
{

/// A frame of two channels, byte by byte.
void
TestFabricCreditBytes(FunctionCase& test)
{
    CreditOrder order;
    order.channels = 2;
    order.freed = {0x01020304, 0xFFFFFFFF, 7, 7};
    const FabricCreditHeader header(order);
    // type 9 and count 2: 1001 0000 10.. ....
    Bytes bytes = ToBytes(header);
    test.ExpectEqual(bytes.size(), std::size_t{9 + 4 * 2}, "size");
    bytes.resize(13); // without the FCS, which others check
    test.ExpectEqual(Hex(bytes),
                     Hex({0, 0, 0x90, 0x80, 0, 1, 2, 3, 4, 0xFF, 0xFF, 0xFF, 0xFF}),
                     "before the FCS");
    test.ExpectEqual(Printed(header), "check=ok freed=16909060,4294967295", "Print");
    order.channels = 5;
    test.ExpectEqual(Refusal([&order] { FabricCreditHeader{order}; }),
                     "FabricCreditHeader: number of virtual channels is 5, allowed is 1 to 4.",
                     "too many");
    order.channels = 0;
    test.Expect(!Refusal([&order] { FabricCreditHeader{order}; }).empty(), "none");
}

/// Whatever is written is read back, and nothing else is believed.
void
TestFabricCreditRoundTrip(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 2000; seed++)
    {
        Dice dice(seed);
        CreditOrder sent;
        sent.channels = dice.Between(1, VIRTUAL_CHANNELS);
        for (uint32_t channel = 0; channel < sent.channels; ++channel)
        {
            sent.freed[channel] = dice.Between(0, 0xFFFFFFFF);
        }
        sent.damaged = dice.Between(0, 3) == 0;
        Bytes bytes = ToBytes(FabricCreditHeader(sent));
        FabricCreditHeader read;
        test.ExpectEqual(FromBytes(bytes, read), bytes.size(), Text("seed ", seed));
        test.ExpectEqual(read.GetOrder().channels, sent.channels, Text("seed ", seed));
        test.Expect(read.GetOrder().freed == sent.freed, Text("counts, seed ", seed));
        test.ExpectEqual(read.IsValid(), !sent.damaged, Text("FCS, seed ", seed));

        FabricCreditHeader cut;
        FromBytes(Bytes(bytes.begin(), bytes.end() - dice.Between(1, 9)), cut);
        test.Expect(!cut.IsValid(), Text("truncated, seed ", seed));

        bytes[dice.Between(0, static_cast<uint32_t>(bytes.size()) - 1)] ^= 1U << dice.Between(0, 7);
        FabricCreditHeader flipped;
        FromBytes(bytes, flipped);
        test.Expect(!flipped.IsValid() || sent.damaged, Text("a bit flipped, seed ", seed));

        FabricCreditHeader garbage;
        FromBytes(dice.Garbage(dice.Between(0, 30)), garbage);
        test.Expect(!garbage.IsValid(), Text("garbage, seed ", seed));
    }
}

std::vector<TestCase*>
CreditTests()
{
    return {new FunctionCase("WL-5 bytes of credit frames", TestFabricCreditBytes),
            new FunctionCase("WL-5 credit frames are read back", TestFabricCreditRoundTrip)};
}

} // namespace wiretest
} // namespace ns3::fabric
