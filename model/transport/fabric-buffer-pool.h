/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BUFFER_POOL_H
#define FABRIC_BUFFER_POOL_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * Tables of connections that are busy. An idle connection gives its tables back, so that it costs
 * little memory, and the next busy one takes them, so that nothing is allocated once a run is warm.
 *
 * @tparam T an entry of a table
 */
template <typename T>
class BufferPool
{
  public:
    using Buffer = std::vector<T>; ///< A power of two of entries.

    /**
     * @param bits logarithm of the number of entries, 0 to 15
     * @return a table; its entries hold what their last owner left
     */
    Buffer Take(uint32_t bits)
    {
        std::vector<Buffer>& spare = m_spare[bits];
        if (spare.empty())
        {
            return Buffer(std::size_t{1} << bits);
        }
        Buffer buffer = std::move(spare.back());
        spare.pop_back();
        m_spareBytes -= buffer.size() * sizeof(T);
        return buffer;
    }

    /// @param buffer that is not needed any more; it may be empty
    void Give(Buffer&& buffer)
    {
        if (buffer.empty())
        {
            return;
        }
        m_spareBytes += buffer.size() * sizeof(T);
        m_spare[static_cast<uint32_t>(__builtin_ctzll(buffer.size()))].push_back(std::move(buffer));
        buffer.clear();
    }

    /// @return bytes of the tables that nobody uses now
    std::size_t SpareBytes() const
    {
        return m_spareBytes;
    }

  private:
    std::array<std::vector<Buffer>, 16> m_spare; ///< By logarithm of the number of entries.
    std::size_t m_spareBytes{0};                 ///< In them.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_BUFFER_POOL_H
