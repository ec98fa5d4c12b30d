/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PREEMPTION_RULES_H
#define FABRIC_PREEMPTION_RULES_H

#include "fabric-lane-table.h"

#include <cstdint>

namespace ns3::fabric
{

/// What a user chooses of preemption (VA-9) and interleaving (VA-10) at a transmitting port.
struct PreemptionSettings
{
    /// Frames of latency-sensitive lanes interrupt others.
    bool preempt{false};
    /// A frame of any lane is sent while the begun ones have no flit to send.
    bool interleave{false};
    /// Where a frame can be cut, bytes. Omni-Path: a flit of 8 B (spec 95).
    uint32_t flitBytes{8};
    /// Longest frame that interrupts others, bytes on the wire. Omni-Path: 256 B (spec 95).
    uint32_t mostUrgentBytes{256};
    /// Shortest frame that is interrupted, bytes on the wire. Omni-Path: 4096 B (spec 95).
    uint32_t leastVictimBytes{4096};
    /// Bytes that may interrupt one frame, all together. Omni-Path: 4096 B (spec 95).
    uint32_t mostBytesPerVictim{4096};
    /// Bytes of a frame that are sent before it is interrupted. Omni-Path: 80 B (spec 95).
    uint32_t leastSentBytes{80};
    /// Bytes of a frame that are left after it is interrupted. Omni-Path: 80 B (spec 95).
    uint32_t leastLeftBytes{80};
    /// Frames that are partly sent at a time, the one on the wire among them (VA-9); 0 for as many
    /// as the lane table has levels, with Over-Bandwidth.
    uint32_t levels{0};

    /**
     * @param table of lanes
     * @return the same settings, whose levels say a number
     */
    PreemptionSettings For(const LaneTable& table) const
    {
        PreemptionSettings settings = *this;
        settings.levels = levels != 0 ? levels : table.OverLevel() + 1U;
        return settings;
    }
};

/// What the rules have to know about a frame.
struct PreemptionParty
{
    uint32_t bytes{0};            ///< On the wire.
    uint8_t rank{0};              ///< 0 to 127; 0 takes no part.
    bool latencySensitive{false}; ///< Of its lane; only such frames interrupt others (VA-9).
};

/// Who may interrupt whom, and where.
class PreemptionRules
{
  public:
    /// Most of PreemptionSettings::levels: those of a lane table and the Over-Bandwidth level.
    static constexpr uint32_t MOST_LEVELS = MAX_LEVELS + 1;
    /// Bounds of the limits in bytes: what a frame's length on the wire is less than.
    static constexpr uint32_t MOST_BYTES = 65535;

    /**
     * @param settings the user's, for a lane table
     * @throw std::invalid_argument if the flit is not 1 to 256 bytes, a limit is more than
     * MOST_BYTES, or levels are not 1 to MOST_LEVELS
     */
    explicit PreemptionRules(const PreemptionSettings& settings);

    /**
     * Ranks for a lane table, which has levels and no ranks: the higher the level the higher the
     * rank. The Over-Bandwidth level has rank 1, so its frames can be interrupted by all others.
     *
     * @param level of the frame, 0 is the highest
     * @param overLevel the Over-Bandwidth level, below all others
     */
    static uint8_t RankOfLevel(uint8_t level, uint8_t overLevel)
    {
        return static_cast<uint8_t>(overLevel - level + 1);
    }

    const PreemptionSettings& Settings() const
    {
        return m_settings;
    }

    /**
     * @param urgent a frame that waits
     * @param victim a frame that is partly sent
     * @return whether the one may interrupt the other, at a place where it can be cut
     */
    bool MayInterrupt(const PreemptionParty& urgent, const PreemptionParty& victim) const
    {
        return m_settings.preempt && urgent.latencySensitive && victim.rank > 0 &&
               urgent.rank > victim.rank && urgent.bytes <= m_settings.mostUrgentBytes &&
               victim.bytes >= m_settings.leastVictimBytes;
    }

    /**
     * @param bytes that have interrupted a frame so far
     * @param urgentBytes of the next frame that would
     * @return whether that is not too much
     */
    bool IsWithinBudget(uint32_t bytes, uint32_t urgentBytes) const
    {
        return bytes + urgentBytes <= m_settings.mostBytesPerVictim;
    }

    /**
     * @param bytes of a frame on the wire
     * @param sent bytes of it that are sent, a number of whole flits
     * @return whether it can be cut there
     */
    bool IsCuttable(uint32_t bytes, uint32_t sent) const
    {
        return sent >= m_settings.leastSentBytes && sent < bytes &&
               bytes - sent >= m_settings.leastLeftBytes;
    }

    /**
     * @param bytes a length
     * @return that length in whole flits, rounded up, bytes
     */
    uint32_t RoundUp(uint32_t bytes) const
    {
        return (bytes + m_settings.flitBytes - 1) / m_settings.flitBytes * m_settings.flitBytes;
    }

  private:
    PreemptionSettings m_settings; ///< The user's.
};

} // namespace ns3::fabric

#endif // FABRIC_PREEMPTION_RULES_H
