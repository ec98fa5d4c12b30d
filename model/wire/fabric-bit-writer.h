/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BIT_WRITER_H
#define FABRIC_BIT_WRITER_H

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Appends fields of any width to bytes, most significant bit first.
 *
 * The fields of the fabric's formats do not end at byte borders, so ns3::Buffer cannot write them.
 */
class BitWriter
{
  public:
    /**
     * Append a field.
     *
     * @param value the field; bits above the width are left out
     * @param width bits of the field, 0 to 32
     */
    void Put(uint32_t value, uint32_t width)
    {
        for (uint32_t bit = width; bit-- > 0;)
        {
            if (m_bits % 8 == 0)
            {
                m_bytes.push_back(0);
            }
            const uint32_t one = (value >> bit) & 1U;
            m_bytes.back() |= static_cast<uint8_t>(one << (7 - m_bits % 8));
            m_bits++;
        }
    }

    /// @return the bytes so far; the unused bits of the last one are zero
    const std::vector<uint8_t>& GetBytes() const
    {
        return m_bytes;
    }

  private:
    std::vector<uint8_t> m_bytes; ///< What has been written.
    uint32_t m_bits{0};           ///< Bits written.
};

} // namespace ns3::fabric

#endif // FABRIC_BIT_WRITER_H
