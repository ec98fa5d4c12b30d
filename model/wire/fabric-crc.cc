/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-crc.h"

#include <array>

namespace ns3::fabric
{

namespace
{

/// @return the remainder of every byte, for a byte at a time
constexpr std::array<uint32_t, 256>
MakeCrc32cTable()
{
    constexpr uint32_t REFLECTED_POLYNOMIAL = 0x82F63B78; // 0x1EDC6F41 with its bits reversed
    std::array<uint32_t, 256> table{};
    for (uint32_t byte = 0; byte < table.size(); byte++)
    {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
        {
            crc = (crc >> 1) ^ ((crc & 1U) != 0 ? REFLECTED_POLYNOMIAL : 0U);
        }
        table[byte] = crc;
    }
    return table;
}

constexpr std::array<uint32_t, 256> CRC32C_TABLE = MakeCrc32cTable(); ///< A byte at a time.

} // namespace

uint32_t
Crc32c(const uint8_t* data, std::size_t size)
{
    uint32_t crc = 0xFFFFFFFF;
    for (std::size_t i = 0; i < size; i++)
    {
        crc = (crc >> 8) ^ CRC32C_TABLE[(crc ^ data[i]) & 0xFFU];
    }
    return ~crc;
}

uint8_t
Crc3(uint32_t value, uint32_t width)
{
    constexpr uint32_t POLYNOMIAL = 0b011; // x^3 + x + 1 without its leading term
    uint32_t crc = 0b111;
    for (uint32_t bit = width; bit-- > 0;)
    {
        const uint32_t out = ((crc >> 2) ^ (value >> bit)) & 1U;
        crc = ((crc << 1) & 0b111U) ^ (out != 0 ? POLYNOMIAL : 0U);
    }
    return static_cast<uint8_t>(crc);
}

} // namespace ns3::fabric
