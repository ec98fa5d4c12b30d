/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-crc.h"
#include "fabric-function-case.h"
#include "fabric-wire-test-cases.h"

namespace ns3::fabric
{
namespace wiretest
{

/// The published check values of CRC-32C.
void
TestFabricCrc32c(FunctionCase& test)
{
    // RFC 3720, B.4
    const Bytes zeros(32, 0x00);
    const Bytes ones(32, 0xFF);
    Bytes rising(32);
    for (uint8_t i = 0; i < 32; i++)
    {
        rising[i] = i;
    }
    test.ExpectEqual(Crc32c(zeros.data(), zeros.size()), 0x8A9136AA, "32 bytes 0x00");
    test.ExpectEqual(Crc32c(ones.data(), ones.size()), 0x62A8AB43, "32 bytes 0xFF");
    test.ExpectEqual(Crc32c(rising.data(), rising.size()), 0x46DD794E, "0 to 31");
}

/// The 3-bit check against division by hand.
void
TestFabricCrc3(FunctionCase& test)
{
    // The start of all ones inverts the first three bits: 1010 becomes 0100. Append 000 and
    // divide: 0100000 - 0101100 (1011 << 2) = 0001100; - 0001011 = 0000111: the rest is 111.
    test.ExpectEqual(+Crc3(0b1010, 4), 0b111, "by hand");
    test.ExpectEqual(+Crc3(0, 0), 0b111, "nothing leaves the start");

    const uint32_t value = 0b1011010001101110000001;
    const uint32_t check = Crc3(value, 22);
    for (uint32_t shift = 0; shift < 22; shift++)
    {
        for (uint32_t burst = 1; burst < 8; burst++)
        {
            const uint32_t damaged = (value ^ (burst << shift)) & 0x3FFFFF;
            test.Expect(damaged == value || Crc3(damaged, 22) != check,
                        Text("burst ", burst, " at bit ", shift));
        }
    }
}

std::vector<TestCase*>
CrcTests()
{
    return {new FunctionCase("WL-1 CRC-32C gives the published values", TestFabricCrc32c),
            new FunctionCase("WL-2 CRC of an ACK by hand, and every burst of 3 bits is found",
                             TestFabricCrc3)};
}

} // namespace wiretest
} // namespace ns3::fabric
