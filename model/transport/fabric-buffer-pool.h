/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BUFFER_POOL_H
#define FABRIC_BUFFER_POOL_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * A table that grows by being replaced, in two words.
 *
 * @tparam T an entry
 */
template <typename T>
class Buffer
{
  public:
    /// No entries.
    Buffer() = default;

    /// @param size entries, a power of two
    explicit Buffer(uint32_t size)
        : m_slots(std::make_unique<T[]>(size)),
          m_size(size)
    {
    }

    /// @param other is left without entries
    Buffer(Buffer&& other) noexcept
        : m_slots(std::move(other.m_slots)),
          m_size(std::exchange(other.m_size, 0))
    {
    }

    /// @param other is left without entries
    Buffer& operator=(Buffer&& other) noexcept
    {
        m_slots = std::move(other.m_slots);
        m_size = std::exchange(other.m_size, 0);
        return *this;
    }

    /// @return number of entries
    uint32_t Size() const
    {
        return m_size;
    }

    /// @return whether there are none
    bool IsEmpty() const
    {
        return m_size == 0;
    }

    /// @param number any; the entries repeat @return the entry with that number modulo the size
    T& At(uint32_t number)
    {
        return m_slots[number & (m_size - 1)];
    }

    /// @copydoc At()
    const T& At(uint32_t number) const
    {
        return m_slots[number & (m_size - 1)];
    }

  private:
    std::unique_ptr<T[]> m_slots; ///< The entries.
    uint32_t m_size{0};           ///< How many.
};

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
    /**
     * @param bits logarithm of the number of entries, 0 to 15
     * @return a table, to be given back; its entries hold what their last owner left
     */
    Buffer<T> Take(uint32_t bits)
    {
        if (bits >= m_sizes.size())
        {
            m_sizes.resize(bits + 1);
        }
        Size& size = m_sizes[bits];
        if (size.spare.empty())
        {
            MakeRoom(size);
            return Buffer<T>(1U << bits);
        }
        Buffer<T> buffer = std::move(size.spare.back());
        size.spare.pop_back();
        return buffer;
    }

    /// @param buffer that is not needed any more; it may be empty, and is afterwards
    void Give(Buffer<T>&& buffer)
    {
        if (buffer.IsEmpty())
        {
            return;
        }
        m_sizes[static_cast<uint32_t>(__builtin_ctz(buffer.Size()))].spare.push_back(
            std::move(buffer));
    }

  private:
    /// The tables of one size.
    struct Size
    {
        std::vector<Buffer<T>> spare; ///< That nobody uses now.
        std::size_t made{0};          ///< All that there are.
    };

    /// There is one table more, which has to have room among the spare ones when it comes back.
    static void MakeRoom(Size& size)
    {
        if (++size.made > size.spare.capacity())
        {
            size.spare.reserve(2 * size.made - 1);
        }
    }

    std::vector<Size> m_sizes; ///< By logarithm of the number of entries.
};

} // namespace ns3::fabric

#endif // FABRIC_BUFFER_POOL_H
