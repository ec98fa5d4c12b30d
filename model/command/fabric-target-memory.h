/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TARGET_MEMORY_H
#define FABRIC_TARGET_MEMORY_H

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// Words of host memory that atomic operations may change. It takes memory when it is first
/// written.
class TargetMemory
{
  public:
    /// @param bytes that there are, a multiple of 8
    explicit TargetMemory(uint32_t bytes)
        : m_bytes(bytes)
    {
    }

    /// @param address of a word @param bytes of it, 4 or 8 @return whether there is such a word
    bool Has(uint32_t address, uint32_t bytes) const
    {
        return address % bytes == 0 && address < m_bytes;
    }

    /// @param address of a word that there is @param bytes of it, 4 or 8
    uint64_t Read(uint32_t address, uint32_t bytes) const
    {
        const uint64_t line = m_words.empty() ? 0 : m_words[address / 8];
        return bytes == 8 ? line : line >> Shift(address) & 0xFFFFFFFF;
    }

    /// @copydoc Read() @param word what is written
    void Write(uint32_t address, uint32_t bytes, uint64_t word)
    {
        m_words.resize(m_bytes / 8);
        uint64_t& line = m_words[address / 8];
        const uint64_t mask = bytes == 8 ? ~uint64_t{0} : uint64_t{0xFFFFFFFF} << Shift(address);
        line = (line & ~mask) | (word << (bytes == 8 ? 0 : Shift(address)) & mask);
    }

  private:
    /// @return bits before a word of 32 bits
    static uint32_t Shift(uint32_t address)
    {
        return address % 8 * 8;
    }

    uint32_t m_bytes;              ///< That there are.
    std::vector<uint64_t> m_words; ///< By address.
};

} // namespace ns3::fabric

#endif // FABRIC_TARGET_MEMORY_H
