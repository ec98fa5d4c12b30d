/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WIRE_TEST_CASES_H
#define FABRIC_WIRE_TEST_CASES_H

#include "fabric-refusal.h"

#include "ns3/header.h"
#include "ns3/test.h"

#include <cstdint>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::fabric
{
namespace wiretest
{

/// @return new tests of FabricHeader
std::vector<TestCase*> HeaderTests();
/// @return new tests of the ACK frame
std::vector<TestCase*> AckTests();
/// @return new tests of the pause frame
std::vector<TestCase*> PauseTests();
/// @return new tests of the credit frame
std::vector<TestCase*> CreditTests();
/// @return new tests of the frame of fine-grain flow control
std::vector<TestCase*> FgfcTests();
/// @return new tests of the checks
std::vector<TestCase*> CrcTests();

/// Bytes of a frame.
using Bytes = std::vector<uint8_t>;

inline Bytes
ToBytes(const Header& header)
{
    Buffer buffer;
    buffer.AddAtStart(header.GetSerializedSize());
    header.Serialize(buffer.Begin());
    Bytes bytes(buffer.GetSize());
    buffer.CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
    return bytes;
}

/**
 * @param bytes what to read
 * @param header what reads it
 * @return bytes read
 */
inline uint32_t
FromBytes(const Bytes& bytes, Header& header)
{
    Buffer buffer;
    buffer.AddAtStart(static_cast<uint32_t>(bytes.size()));
    buffer.Begin().Write(bytes.data(), static_cast<uint32_t>(bytes.size()));
    return header.Deserialize(buffer.Begin());
}

/// @return them in hexadecimal, for comparing and for messages
inline std::string
Hex(const Bytes& bytes)
{
    static const char* const DIGITS = "0123456789abcdef";
    std::string text;
    for (const uint8_t byte : bytes)
    {
        text += DIGITS[byte >> 4];
        text += DIGITS[byte & 0xF];
        text += ' ';
    }
    return text;
}

inline std::string
Printed(const Header& header)
{
    std::ostringstream text;
    header.Print(text);
    return text.str();
}

/// Random numbers that are the same with every standard library.
class Dice
{
  public:
    /// @param seed printed by the tests that fail
    explicit Dice(uint64_t seed)
        : m_engine(seed)
    {
    }

    /**
     * @param low smallest
     * @param high largest
     * @return a number between them; a little uneven, which does no harm here
     */
    uint32_t Between(uint32_t low, uint32_t high)
    {
        return low + static_cast<uint32_t>(m_engine() % (uint64_t{high} - low + 1));
    }

    /**
     * @param size how many
     * @return random bytes
     */
    Bytes Garbage(uint32_t size)
    {
        Bytes bytes(size);
        for (auto& byte : bytes)
        {
            byte = static_cast<uint8_t>(m_engine());
        }
        return bytes;
    }

  private:
    std::mt19937_64 m_engine; ///< Source of the numbers.
};

} // namespace wiretest
} // namespace ns3::fabric

#endif // FABRIC_WIRE_TEST_CASES_H
