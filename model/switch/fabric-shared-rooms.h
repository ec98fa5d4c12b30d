/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SHARED_ROOMS_H
#define FABRIC_SHARED_ROOMS_H

#include "fabric-types.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/**
 * Room in input buffers that copies of a frame share (FC-16): it is free when the last of them has
 * left. Places are used again, so that nothing is allocated once a run has warmed up.
 */
class SharedRooms
{
  public:
    /// @param copies that share the room of a frame, at least one
    /// @param bytes of the room
    /// @return its number, which each copy carries
    uint32_t Share(uint32_t copies, uint32_t bytes = 0)
    {
        uint32_t room = m_free;
        if (room == NONE)
        {
            room = static_cast<uint32_t>(m_rooms.size());
            m_rooms.emplace_back();
        }
        else
        {
            m_free = m_rooms[room].left;
        }
        m_rooms[room] = {copies, bytes, 0};
        ++m_shared;
        return room;
    }

    /**
     * A copy leaves.
     *
     * @param room that it shares
     * @param end when its tail leaves, ps
     * @return if it was the last, when the last tail of all leaves, ps
     */
    std::optional<TimePs> Leave(uint32_t room, TimePs end)
    {
        Room& shared = m_rooms[room];
        shared.end = std::max(shared.end, end);
        if (--shared.left > 0)
        {
            return std::nullopt;
        }
        shared.left = m_free;
        m_free = room;
        --m_shared;
        return shared.end;
    }

    /// @return its size, bytes; copies may be smaller @param room that a copy shares, or did last
    uint32_t Bytes(uint32_t room) const
    {
        return m_rooms[room].bytes;
    }

    /// @return rooms that are shared now
    uint32_t Shared() const
    {
        return m_shared;
    }

  private:
    static constexpr uint32_t NONE = 0xFFFFFFFF; ///< No free place.

    /// The room of a frame.
    struct Room
    {
        uint32_t left{0};  ///< Copies that have not left; of a free place, the next free one.
        uint32_t bytes{0}; ///< Of the room.
        TimePs end{0};     ///< When the last tail leaves of those that have, ps.
    };

    std::vector<Room> m_rooms; ///< By number.
    uint32_t m_free{NONE};     ///< First free place.
    uint32_t m_shared{0};      ///< Rooms that are shared.
};

} // namespace ns3::fabric

#endif // FABRIC_SHARED_ROOMS_H
