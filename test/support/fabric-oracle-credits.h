/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_CREDITS_H
#define FABRIC_ORACLE_CREDITS_H

#include "fabric-credit-settings.h"
#include "fabric-types.h"

#include <algorithm>
#include <vector>

namespace ns3::fabric
{

/// Room of an input buffer of FlowOracle of which its sender hears by credit frames (WL-5): a list
/// of all frames that left, from which everything is found out anew each time.
class OracleCredits
{
  public:
    /// Room of a frame.
    struct Room
    {
        TimePs end;         ///< When it becomes free, ps.
        uint32_t vc;        ///< Virtual channel.
        uint32_t bytes;     ///< On the wire.
        bool isTold{false}; ///< Whether a frame has told of it that was lost.
    };

    explicit OracleCredits(const CreditSettings& settings)
        : m_settings(settings)
    {
    }

    /// A frame leaves.
    void Leave(const Room& room)
    {
        m_rooms.push_back(room);
        std::stable_sort(m_rooms.begin(), m_rooms.end(), [](const Room& a, const Room& b) {
            return a.end < b.end;
        });
    }

    /// @return when a credit frame is due if nothing else leaves, ps
    TimePs DueAt() const
    {
        TimePs due = m_repeatAt;
        uint64_t untold = 0;
        for (const Room& room : m_rooms)
        {
            if (room.isTold)
            {
                continue;
            }
            if (untold == 0)
            {
                due = std::min(due, room.end + m_settings.longest);
            }
            untold += room.bytes;
            if (untold >= m_settings.thresholdBytes)
            {
                return std::min(due, room.end);
            }
        }
        return due;
    }

    /// A credit frame is sent. @return what its receiver hears of for the first time
    std::vector<Room> Send(bool isLost, TimePs now)
    {
        std::vector<Room> heard;
        for (auto room = m_rooms.begin(); room != m_rooms.end();)
        {
            const bool isFree = room->end <= now;
            if (isFree && !isLost)
            {
                heard.push_back(*room);
                room = m_rooms.erase(room);
                continue;
            }
            room->isTold = room->isTold || isFree;
            ++room;
        }
        m_repeatAt = isLost ? now + m_settings.refresh : NEVER;
        return heard;
    }

    /// @return whether all was heard of
    bool IsEmpty() const
    {
        return m_rooms.empty();
    }

  private:
    CreditSettings m_settings; ///< When frames go.
    std::vector<Room> m_rooms; ///< Not heard of, by time.
    TimePs m_repeatAt{NEVER};  ///< When what was lost is repeated, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_CREDITS_H
