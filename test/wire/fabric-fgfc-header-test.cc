/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fgfc-header.h"
#include "fabric-function-case.h"
#include "fabric-switch-config.h"
#include "fabric-test-seeds.h"
#include "fabric-wire-test-cases.h"

#include <algorithm>

namespace ns3::fabric
{
namespace wiretest
{

constexpr TimePs FGFC_NANOSECOND = 1000;   ///< ps.
constexpr std::size_t FGFC_SHORTEST = 46;  ///< Bytes of all forms but IPv6.
constexpr std::size_t FGFC_IPV6_SIZE = 64; ///< Bytes of form IPv6.

/// @return a flow that has all fields that every form has
FlowKey
FgfcCommonFlow()
{
    FlowKey flow;
    flow.destination = 0x0102;
    flow.vni = 0x0304;
    flow.trafficClass = 5;
    flow.process = 0x06070809;
    return flow;
}

/// @return IPv4 pair 10.1.0.2 to 10.1.0.3, TCP, ports 0x1234 and 80, as an IP header has them
FlowKey
FgfcIpv4Flow()
{
    FlowKey flow = FgfcCommonFlow();
    flow.ipSource = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 1, 0, 2};
    flow.ipDestination = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 1, 0, 3};
    flow.protocol = 6;
    flow.sourcePort = 0x1234;
    flow.destinationPort = 80;
    return flow;
}

/// @return IPv6 pair 2001:db8::1 to 2001:db8::2, UDP, ports 0x1234 and 80, flow label 0xABCDE
FlowKey
FgfcIpv6Flow()
{
    FlowKey flow = FgfcIpv4Flow();
    flow.ipSource = {0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    flow.ipDestination = {0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
    flow.protocol = 17;
    flow.flowLabel = 0xABCDE;
    return flow;
}

/// @return expected bytes, filled up with zeros
std::string
FgfcFilled(Bytes bytes, std::size_t size)
{
    bytes.resize(size);
    return Hex(bytes);
}

/// A frame of each form, byte by byte.
void
TestFabricFgfcBytes(FunctionCase& test)
{
    constexpr TimePs PAUSE = 0x000186A0 * FGFC_NANOSECOND; // 100 us
    const Bytes native{0x02, 0x46, 0x42, 0x00, 0x01, 0x01, 0x00, 0x05, 0x00, 0x01, 0x86, 0xA0,
                       0x01, 0x20, 0x01, 0x02, 0x03, 0x04, 0x00, 0x00, 0x06, 0x07, 0x08, 0x09};
    FlowKey flow = FgfcCommonFlow();
    const FabricFgfcHeader header(flow, PAUSE, 0x120);
    test.ExpectEqual(Hex(ToBytes(header)), FgfcFilled(native, FGFC_SHORTEST), "native");
    const std::string printed = " pause=100000 credit=288 destination=258 class=5 vni=772 vlan=";
    test.ExpectEqual(Printed(header), "form=native" + printed + "0 process=101124105", "Print");

    flow.vlan = 0xABC;
    Bytes expected = native;
    expected[6] = 1;
    expected[18] = 0x0A;
    expected[19] = 0xBC;
    const FabricFgfcHeader vlan(flow, PAUSE, 0x120);
    test.ExpectEqual(Hex(ToBytes(vlan)), FgfcFilled(expected, FGFC_SHORTEST), "VLAN");
    test.ExpectEqual(Printed(vlan), "form=vlan" + printed + "2748 process=101124105", "Print");

    expected = native;
    expected[6] = 2;
    const Bytes pair4{10, 1, 0, 2, 10, 1, 0, 3, 6, 0x12, 0x34, 0, 80};
    expected.insert(expected.end(), pair4.begin(), pair4.end());
    const FabricFgfcHeader ipv4(FgfcIpv4Flow(), PAUSE, 0x120);
    test.ExpectEqual(Hex(ToBytes(ipv4)), FgfcFilled(expected, FGFC_SHORTEST), "IPv4");
    test.ExpectEqual(Printed(ipv4),
                     "form=ipv4" + printed +
                         "0 process=101124105 ip=10.1.0.2>10.1.0.3 protocol=6 ports=4660>80",
                     "Print");

    expected = native;
    expected[6] = 3;
    const Bytes pair6{0x20, 0x01, 0x0D, 0xB8, 0,  0,    0,    0, 0,  0,    0,    0,   0, 0,
                      0,    1,    0x20, 0x01, 13, 0xB8, 0,    0, 0,  0,    0,    0,   0, 0,
                      0,    0,    0,    2,    17, 0x12, 0x34, 0, 80, 0x0A, 0xBC, 0xDE};
    expected.insert(expected.end(), pair6.begin(), pair6.end());
    const FabricFgfcHeader ipv6(FgfcIpv6Flow(), PAUSE, 0x120);
    test.ExpectEqual(Hex(ToBytes(ipv6)), FgfcFilled(expected, FGFC_IPV6_SIZE), "IPv6");
    test.ExpectEqual(Printed(ipv6),
                     "form=ipv6" + printed +
                         "0 process=101124105 ip=2001:db8::1>2001:db8::2 protocol=17 "
                         "ports=4660>80 label=703710",
                     "Print");
    Bytes reserved = ToBytes(ipv6);
    reserved[61] |= 0xF0; // before the label
    FabricFgfcHeader read;
    test.ExpectEqual(FromBytes(reserved, read), FGFC_IPV6_SIZE, "reserved bits are ignored");
    test.Expect(read.GetFlow() == FgfcIpv6Flow(), "reserved bits are ignored");
}

/// Which fields make which form, and what does not fit.
void
TestFabricFgfcForms(FunctionCase& test)
{
    const auto form = [&test](const FlowKey& flow, FgfcProtocol expected, const char* what) {
        test.Expect(FgfcProtocolOf(flow) == expected, what);
        // preamble, gap, Ethernet header and check besides it: IEEE Std 802.3-2018, 3.1.1 and 4.4.2
        test.ExpectEqual(FgfcFrameBytes(flow),
                         8 + 12 + 14 + 4 + FabricFgfcHeader(flow, 0, 0).GetSerializedSize(),
                         what);
    };
    form(FgfcCommonFlow(), FgfcProtocol::NATIVE, "no field above");
    form(FgfcIpv4Flow(), FgfcProtocol::IPV4, "an IPv4 pair");
    form(FgfcIpv6Flow(), FgfcProtocol::IPV6, "an IPv6 pair");
    FlowKey flow = FgfcIpv4Flow();
    flow.vlan = 3;
    form(flow, FgfcProtocol::IPV4, "an IPv4 pair in a VLAN");
    flow.ipSource = FgfcIpv6Flow().ipSource;
    form(flow, FgfcProtocol::IPV6, "a pair of both kinds");
    form(FgfcIpv6Flow().Select(FLOW_IP), FgfcProtocol::IPV6, "only the pair");
    // A switch may tell flows apart by any fields, and a frame names all of them.
    for (const FlowFields field : {FLOW_PROTOCOL, FLOW_PORTS, FLOW_LABEL})
    {
        form(FgfcIpv6Flow().Select(field), FgfcProtocol::IPV6, "a field above, no pair");
        form(flow.Select(field | FLOW_VLAN),
             field == FLOW_LABEL ? FgfcProtocol::VLAN : FgfcProtocol::IPV6,
             "a field above that an IPv4 flow may have, in a VLAN");
    }
    test.ExpectEqual(Refusal([] { FabricFgfcHeader(FlowKey(), 1'500, 0); }),
                     "FabricFgfcHeader: pause is 1500 ps, allowed is a whole number of ns from 0 "
                     "to 4294967295.",
                     "a part of a ns");
    test.Expect(!Refusal([] { FabricFgfcHeader(FlowKey(), -1'000, 0); }).empty(), "negative");
    test.Expect(!Refusal([] { FabricFgfcHeader(FlowKey(), 4'294'967'296'000, 0); }).empty(),
                "too long");
    test.ExpectEqual(FabricFgfcHeader(FlowKey(), 4'294'967'295'000, 0).GetPause(),
                     4'294'967'295'000,
                     "the longest");
    test.ExpectEqual(Refusal([] { FabricFgfcHeader(FlowKey(), 0, 65'536); }),
                     "FabricFgfcHeader: credit in units of 256 bytes is 65536, allowed is 0 to "
                     "65535.",
                     "too much credit");
    flow.flowLabel = 0x100000;
    test.ExpectEqual(Refusal([&flow] { FabricFgfcHeader(flow, 0, 0); }),
                     "FabricFgfcHeader: flow label is 1048576, allowed is 0 to 1048575.",
                     "no flow label");
}

/// A switch refuses a time that its frames can't tell.
void
TestFgfcPauseTime(FunctionCase& test)
{
    SwitchConfig config;
    config.congestion.fgfc.pauseTime = 2'500;
    test.ExpectEqual(Refusal([&config] { config.Validate(); }),
                     "FgfcPauseTime is 2500 ps; allowed is a whole number of ns, in which frames "
                     "tell it",
                     "a part of a ns");
    config.congestion.fgfc.pauseTime = 3'000;
    test.ExpectEqual(Refusal([&config] { config.Validate(); }), "", "whole ns");
}

/// @return any flow, with any of the fields
FlowKey
RandomFgfcFlow(Dice& dice)
{
    FlowKey flow = dice.Between(0, 1) == 0 ? FgfcIpv4Flow() : FgfcIpv6Flow();
    const auto number = [&dice](uint32_t most) { return dice.Between(0, most); };
    for (FlowKey::Ip* ip : {&flow.ipSource, &flow.ipDestination})
    {
        const Bytes tail = dice.Garbage(4);
        std::copy(tail.begin(), tail.end(), ip->begin() + 12);
    }
    flow.macSource.fill(static_cast<uint8_t>(number(0xFF)));
    flow.macDestination.fill(static_cast<uint8_t>(number(0xFF)));
    flow.flowLabel = number(0xFFFFF);
    flow.process = number(0xFFFFFFFF);
    flow.destination = static_cast<LocationId>(number(0xFFFF));
    flow.vni = static_cast<uint16_t>(number(0xFFFF));
    flow.vlan = static_cast<uint16_t>(number(0xFFF));
    flow.sourcePort = static_cast<uint16_t>(number(0xFFFF));
    flow.destinationPort = static_cast<uint16_t>(number(0xFFFF));
    flow.trafficClass = static_cast<uint8_t>(number(15));
    flow.protocol = static_cast<uint8_t>(number(0xFF));
    return flow.Select(static_cast<FlowFields>(number(FLOW_ALL)));
}

/// Whatever is written is read back, and nothing else is believed.
void
TestFabricFgfcRoundTrip(FunctionCase& test)
{
    uint32_t forms[4] = {};
    const TestSeeds seeds(2000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        Dice dice(seed);
        FlowKey flow = RandomFgfcFlow(dice);
        const TimePs pause = dice.Between(0, 0xFFFFFFFF) * FGFC_NANOSECOND;
        const uint32_t credit = dice.Between(0, 0xFFFF);
        const FabricFgfcHeader sent(flow, pause, credit);
        const Bytes bytes = ToBytes(sent);
        FabricFgfcHeader read;
        test.ExpectEqual(FromBytes(bytes, read), bytes.size(), Text("seed ", seed));
        flow.macSource = {}; // is not in the frame
        flow.macDestination = {};
        test.Expect(read.IsValid() && read.GetFlow() == flow, Text("flow, seed ", seed));
        test.ExpectEqual(read.GetPause(), pause, Text("pause, seed ", seed));
        test.ExpectEqual(read.GetCredit(), credit, Text("credit, seed ", seed));
        ++forms[static_cast<std::size_t>(read.GetProtocol())];

        for (std::size_t size = 0; size < bytes.size(); ++size)
        {
            FabricFgfcHeader cut;
            test.ExpectEqual(FromBytes(Bytes(bytes.begin(), bytes.begin() + size), cut),
                             0,
                             Text("cut to ", size, ", seed ", seed));
            test.Expect(!cut.IsValid(), Text("cut to ", size, ", seed ", seed));
        }
    }
    test.Expect(*std::min_element(std::begin(forms), std::end(forms)) > 0, "all forms");
}

/// Damaged and random bytes: what is believed is what would be written.
void
TestFabricFgfcGarbage(FunctionCase& test)
{
    uint32_t believed = 0;
    const TestSeeds seeds(20'000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        Dice dice(seed);
        Bytes bytes = ToBytes(FabricFgfcHeader(RandomFgfcFlow(dice), 0, 0));
        const auto last = static_cast<uint32_t>(bytes.size()) - 1;
        const uint32_t at = dice.Between(0, dice.Between(0, 1) == 0 ? last : 7);
        bytes[at] ^= 1U << dice.Between(0, 7);
        FabricFgfcHeader flipped;
        const uint32_t size = FromBytes(bytes, flipped);
        const std::string where = "byte " + std::to_string(at) + ", seed " + std::to_string(seed);
        test.ExpectEqual(flipped.IsValid(), size != 0, where);
        test.Expect(at > 5 || size == 0, where + ": OUI, id or version of others");
        if (size != 0)
        {
            ++believed;
            test.ExpectEqual(+static_cast<uint8_t>(flipped.GetProtocol()),
                             bytes[6],
                             where + ": not the form of its fields");
            FabricFgfcHeader again;
            test.ExpectEqual(FromBytes(ToBytes(flipped), again), size, where);
            test.Expect(again.GetFlow() == flipped.GetFlow() &&
                            again.GetPause() == flipped.GetPause() &&
                            again.GetCredit() == flipped.GetCredit(),
                        where + ": another frame");
        }
        Bytes garbage = dice.Garbage(dice.Between(0, 80));
        if (!garbage.empty())
        {
            garbage[0] |= 0x01; // no OUI has the bit of groups
        }
        FabricFgfcHeader none;
        test.ExpectEqual(FromBytes(garbage, none), 0, Text("garbage, seed ", seed));
        FabricFgfcHeader still;
        test.ExpectEqual(FromBytes(ToBytes(none), still), 0, Text("stays invalid, seed ", seed));
    }
    test.Expect(believed > seeds.count / 10, "there is no check in it, so much is believed");
}

std::vector<TestCase*>
FgfcTests()
{
    return {
        new FunctionCase("CM-4 bytes of frames of fine-grain flow control", TestFabricFgfcBytes),
        new FunctionCase("CM-4 forms of frames of fine-grain flow control, and their bounds",
                         TestFabricFgfcForms),
        new FunctionCase("CM-4 the pause time of a switch is a whole number of ns",
                         TestFgfcPauseTime),
        new FunctionCase("CM-4 random frames of fine-grain flow control are read back, cut "
                         "ones are not",
                         TestFabricFgfcRoundTrip),
        new FunctionCase("CM-4 damaged and random frames of fine-grain flow control",
                         TestFabricFgfcGarbage)};
}

} // namespace wiretest
} // namespace ns3::fabric
