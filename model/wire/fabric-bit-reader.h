/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BIT_READER_H
#define FABRIC_BIT_READER_H

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// Takes fields of any width from bytes, most significant bit first; the inverse of BitWriter.
class BitReader
{
  public:
    explicit BitReader(std::vector<uint8_t> bytes)
        : m_bytes(std::move(bytes))
    {
    }

    /**
     * Take the next field. Past the end the bits read as zero, so that no input can do harm.
     *
     * @param width bits of the field, 0 to 32
     * @return the field
     */
    uint32_t Get(uint32_t width)
    {
        uint32_t value = 0;
        for (uint32_t i = 0; i < width; i++)
        {
            const uint32_t byte = m_position / 8;
            const uint32_t one =
                byte < m_bytes.size() ? (m_bytes[byte] >> (7 - m_position % 8)) & 1U : 0;
            value = (value << 1) | one;
            m_position++;
        }
        return value;
    }

  private:
    std::vector<uint8_t> m_bytes; ///< What is read.
    uint32_t m_position{0};       ///< Bits taken.
};

} // namespace ns3::fabric

#endif // FABRIC_BIT_READER_H
