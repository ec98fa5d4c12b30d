/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CHANNEL_TURNS_H
#define FABRIC_CHANNEL_TURNS_H

#include "fabric-turn-table.h"
#include "fabric-types.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ns3::fabric
{

/**
 * Turns of the virtual channels of a shaping queue by bytes: deficit round robin (SW-10) in which a
 * turn may be overdrawn by a frame, and what was overdrawn is taken off the channel's next turn
 * (surplus round robin; Adiseshu, Parulkar and Varghese, SIGCOMM'96). So who chooses need not know
 * how long the next frames are, and a channel that can't go for want of credit is passed over
 * without a change: only a frame that is sent changes anything.
 *
 * What two channels that always wait have sent differs by less than a quantum and a largest frame.
 */
class ChannelTurns
{
  public:
    /// Bytes of a turn: a largest frame, so that one turn pays for any overdraft.
    static constexpr int32_t QUANTUM = WireBytes(JUMBO_PAYLOAD);

    /// @param waiting bit mask of channels that may go, not 0 @return who goes
    uint32_t Choose(uint32_t waiting) const
    {
        if ((waiting >> m_current & 1) != 0 && m_left[m_current] > 0)
        {
            return m_current;
        }
        const uint32_t later = waiting & ~uint32_t{1} << m_current; // behind it
        return LowestBit(later != 0 ? later : waiting);
    }

    /// A channel that was chosen sends a frame.
    void Serve(uint32_t channel, uint32_t bytes)
    {
        int32_t& left = m_left[channel];
        if (channel != m_current || left <= 0)
        {
            m_current = static_cast<uint8_t>(channel);
            left = std::min(left + QUANTUM, QUANTUM); // what was left of the last turn is lost
        }
        left -= static_cast<int32_t>(bytes);
    }

  private:
    std::array<int32_t, VIRTUAL_CHANNELS> m_left{}; ///< Of its turn, bytes; below 0 if overdrawn.
    uint8_t m_current{VIRTUAL_CHANNELS - 1};        ///< Whose turn it is, or was last.
};

} // namespace ns3::fabric

#endif // FABRIC_CHANNEL_TURNS_H
