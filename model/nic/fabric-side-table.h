/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SIDE_TABLE_H
#define FABRIC_SIDE_TABLE_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/**
 * What belongs to values of a HandleTable and only some runs need, by their handles. It has as much
 * memory as the table had values at most, and keeps it.
 *
 * Values stay where they are, so that others may read and write theirs while one thread makes room
 * (DP-15).
 *
 * @tparam T a value type
 */
template <typename T>
class SideTable
{
  public:
    SideTable() = default;
    SideTable(const SideTable&) = delete;
    SideTable& operator=(const SideTable&) = delete;

    /// @return the value of a handle that the HandleTable has just given, as it was left
    T& Begin(uint32_t handle)
    {
        while (handle / CHUNK >= m_owned.size())
        {
            Grow();
        }
        return At(handle);
    }

    /// @param handle that has begun @return its value
    T& At(uint32_t handle)
    {
        return m_chunks.load(std::memory_order_acquire)[handle / CHUNK][handle % CHUNK];
    }

  private:
    static constexpr uint32_t CHUNK = 256;        ///< Values of a chunk.
    static constexpr std::size_t FIRST_ROOM = 64; ///< Chunks of the first directory.

    /// Makes a chunk. The directories before stay, since other threads may read there.
    void Grow()
    {
        if (m_owned.size() == m_room)
        {
            m_room = std::max(FIRST_ROOM, 2 * m_room);
            auto larger = std::make_unique<T*[]>(m_room);
            std::transform(m_owned.begin(), m_owned.end(), larger.get(), [](const auto& chunk) {
                return chunk.get();
            });
            m_chunks.store(larger.get(), std::memory_order_release);
            m_directories.push_back(std::move(larger));
        }
        m_owned.push_back(std::make_unique<T[]>(CHUNK));
        m_directories.back()[m_owned.size() - 1] = m_owned.back().get();
    }

    std::atomic<T**> m_chunks{nullptr};               ///< By handle: the last directory.
    std::vector<std::unique_ptr<T[]>> m_owned;        ///< The chunks.
    std::vector<std::unique_ptr<T*[]>> m_directories; ///< Each twice as large as the one before.
    std::size_t m_room{0};                            ///< Chunks of the last directory.
};

} // namespace ns3::fabric

#endif // FABRIC_SIDE_TABLE_H
