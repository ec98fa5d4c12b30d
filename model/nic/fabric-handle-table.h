/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HANDLE_TABLE_H
#define FABRIC_HANDLE_TABLE_H

#include "fabric-fetch.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// Values of a chunk of a HandleTable of one host: there are as many tables as hosts.
inline constexpr uint32_t HANDLES_OF_HOST = 64;

/**
 * Any number of values under way in a fabric, by handle: a frame carries the handle as its payload
 * would carry the value, so neither end searches (DP-8). It keeps its memory, so that nothing is
 * allocated once a run has warmed up.
 *
 * Values stay where they are, and so one thread may put values there while others read those that
 * were put there before they last met (DP-15). Values are freed when all rest.
 *
 * @tparam T a value type
 * @tparam CHUNK values for which memory is taken at a time
 */
template <typename T, uint32_t CHUNK = 1024>
class HandleTable
{
  public:
    HandleTable() = default;
    HandleTable(const HandleTable&) = delete;
    HandleTable& operator=(const HandleTable&) = delete;

    /// @param value to keep
    uint32_t Put(const T& value)
    {
        if (m_free.empty())
        {
            Grow();
        }
        const uint32_t handle = m_free.back();
        m_free.pop_back();
        At(handle) = value;
        return handle;
    }

    /// @return the value
    T& At(uint32_t handle)
    {
        return m_chunks.load(std::memory_order_acquire)[handle / CHUNK][handle % CHUNK].value;
    }

    /// @copydoc At()
    const T& At(uint32_t handle) const
    {
        return m_chunks.load(std::memory_order_acquire)[handle / CHUNK][handle % CHUNK].value;
    }

    /// @param handle of a value that is kept no longer; what it owns it owns until the next Put()
    void Free(uint32_t handle)
    {
        m_free.push_back(handle);
    }

    /**
     * @param handle of a value that is kept no longer
     * @return the value, removed with what it owns
     */
    T Take(uint32_t handle)
    {
        T value = std::exchange(At(handle), T());
        Free(handle);
        return value;
    }

    /// @return whether there was ever a value
    bool IsUnused() const
    {
        return m_owned.empty();
    }

    /// @return number of values kept
    std::size_t UnderWay() const
    {
        return m_owned.size() * CHUNK - m_free.size();
    }

  private:
    static constexpr std::size_t FIRST_ROOM = 16; ///< Chunks of the first directory.

    /// A value; one of whole cache lines begins with one.
    struct alignas(sizeof(T) % CACHE_LINE == 0 ? CACHE_LINE : alignof(T)) Slot
    {
        T value{}; ///< Kept, or free.
    };

    /// Makes room for values.
    void Grow()
    {
        const std::size_t used = m_owned.size();
        if (used == m_room)
        {
            GrowDirectory();
        }
        m_owned.push_back(std::make_unique<Slot[]>(CHUNK));
        m_directories.back()[used] = m_owned.back().get();
        const auto first = static_cast<uint32_t>(used * CHUNK);
        if (m_free.capacity() < first + CHUNK)
        {
            m_free.reserve(2 * first + CHUNK); // all of them, when nothing is under way
        }
        for (uint32_t i = CHUNK; i-- > 0;)
        {
            m_free.push_back(first + i);
        }
    }

    /// Makes room for chunks. The directories before stay, since other threads may read there.
    void GrowDirectory()
    {
        m_room = std::max(FIRST_ROOM, 2 * m_room);
        auto larger = std::make_unique<Slot*[]>(m_room);
        std::transform(m_owned.begin(), m_owned.end(), larger.get(), [](const auto& chunk) {
            return chunk.get();
        });
        m_chunks.store(larger.get(), std::memory_order_release);
        m_directories.push_back(std::move(larger));
    }

    std::atomic<Slot**> m_chunks{nullptr};               ///< By handle: the last directory.
    std::vector<uint32_t> m_free;                        ///< Last in, first out.
    std::vector<std::unique_ptr<Slot[]>> m_owned;        ///< The chunks.
    std::vector<std::unique_ptr<Slot*[]>> m_directories; ///< Each twice as large as the one before.
    std::size_t m_room{0};                               ///< Chunks of the last directory.
};

} // namespace ns3::fabric

#endif // FABRIC_HANDLE_TABLE_H
