/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HANDLE_TABLE_H
#define FABRIC_HANDLE_TABLE_H

#include "fabric-fetch.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * Values under way in a fabric, by handle: a frame carries the handle as its payload would carry
 * the value. It keeps its memory, so that nothing is allocated once a run has warmed up.
 *
 * Values stay where they are, and so one thread may put values there while others read those that
 * were put there before they last met (DP-15). Values are freed when all rest.
 *
 * @tparam T a value type
 */
template <typename T>
class HandleTable
{
  public:
    /**
     * @param value to keep
     * @return its handle
     * @throw std::length_error for more than 2^22 values
     */
    uint32_t Put(const T& value)
    {
        if (m_free.empty())
        {
            Grow();
        }
        const uint32_t handle = m_free.back();
        m_free.pop_back();
        m_chunks[handle / CHUNK][handle % CHUNK].value = value;
        return handle;
    }

    /**
     * @param handle of a value
     * @return the value
     */
    const T& At(uint32_t handle) const
    {
        return m_chunks[handle / CHUNK][handle % CHUNK].value;
    }

    /// @param handle of a value that is kept no longer
    void Free(uint32_t handle)
    {
        m_free.push_back(handle);
    }

    /// @return whether there was ever a value
    bool IsUnused() const
    {
        return m_used == 0;
    }

    /// @return number of values kept
    std::size_t UnderWay() const
    {
        return std::size_t{m_used} * CHUNK - m_free.size();
    }

    /// @return bytes of memory held
    std::size_t MemoryBytes() const
    {
        return sizeof(*this) + std::size_t{m_used} * CHUNK * sizeof(Slot) +
               m_free.capacity() * sizeof(uint32_t);
    }

  private:
    static constexpr uint32_t CHUNK = 1024;       ///< Values of a chunk.
    static constexpr uint32_t MOST_CHUNKS = 4096; ///< Their places, which never move.

    /// A value; one of whole cache lines begins with one.
    struct alignas(sizeof(T) % CACHE_LINE == 0 ? CACHE_LINE : alignof(T)) Slot
    {
        T value; ///< Kept, or free.
    };

    /// Makes room for values.
    void Grow()
    {
        if (m_used == MOST_CHUNKS)
        {
            throw std::length_error("HandleTable: more than " +
                                    std::to_string(MOST_CHUNKS * CHUNK) + " values");
        }
        m_chunks[m_used] = std::make_unique<Slot[]>(CHUNK);
        const uint32_t first = m_used * CHUNK;
        if (m_free.capacity() < first + CHUNK)
        {
            m_free.reserve(2 * first + CHUNK); // all of them, when nothing is under way
        }
        for (uint32_t i = CHUNK; i-- > 0;)
        {
            m_free.push_back(first + i);
        }
        ++m_used;
    }

    std::array<std::unique_ptr<Slot[]>, MOST_CHUNKS> m_chunks; ///< By handle.
    std::vector<uint32_t> m_free;                              ///< Last in, first out.
    uint32_t m_used{0};                                        ///< Chunks.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_HANDLE_TABLE_H
