/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_VL_ARBITER_H
#define FABRIC_VL_ARBITER_H

#include "fabric-bandwidth-meter.h"
#include "fabric-lane-table.h"
#include "fabric-token-bucket.h"
#include "fabric-turn-arbiter.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace ns3
{
namespace fabric
{

/// What is checked by a meter (VA-5).
enum CheckMode
{
    CHECK_LANES,  ///< Each lane; lanes have turns.
    CHECK_GROUPS, ///< The lane that each group has chosen; groups have turns.
};

/// What happens to packets that do not conform (VA-4).
enum OverTreatment
{
    OVER_DEMOTE,     ///< They go to the Over-Bandwidth level.
    OVER_DISQUALIFY, ///< They wait until they conform.
};

/// When a packet is checked (VA-7).
enum CheckTime
{
    CHECK_AT_PACKETS, ///< Until it starts; what has started as conforming ends so.
    CHECK_AT_FLITS,   ///< At each of its flits too.
};

/// Settings of an arbiter.
struct VlArbiterSettings
{
    LinkRate rate;                         ///< Of the link.
    MeterSettings meter;                   ///< Of all groups' meters.
    CheckMode mode{CHECK_LANES};           ///< What is checked.
    OverTreatment over{OVER_DEMOTE};       ///< What happens to packets that do not conform.
    CheckTime checkTime{CHECK_AT_PACKETS}; ///< When a packet is checked.
    bool chargeOver{false};                ///< Whether those are charged too (VA-8).
    /// Between lanes or groups of a level. Round robin can starve a lane: see TurnPolicy.
    TurnPolicy turns{LEAST_RECENTLY_USED};
    uint32_t flitBytes{8}; ///< Omni-Path's flit, 8 B (95-facts.md).
};

/// A lane that may send, or how it is sending.
struct Grant
{
    uint8_t lane;    ///< Who.
    uint8_t level;   ///< At which level; 0 is the highest, OverLevel() of the table the lowest.
    bool conforming; ///< Whether the meter says so; if not, the level is the Over-Bandwidth level.

    /// @return whether all is equal
    bool operator==(const Grant& other) const
    {
        return lane == other.lane && level == other.level && conforming == other.conforming;
    }
};

/**
 * Chooses the virtual lane that a link serves next, by level and by the bandwidth that its group
 * has used (VA-3 to VA-8).
 *
 * | a candidate's group | over | it stands for |
 * |---|---|---|
 * | conforms | | its own level (VA-3) |
 * | does not | OVER_DEMOTE | the Over-Bandwidth level, below all others (VA-4) |
 * | does not | OVER_DISQUALIFY | nothing, until it conforms (VA-4) |
 *
 * The highest level with a candidate is served. Inside a level lanes have turns (CHECK_LANES), or
 * groups have turns, and inside a group the lanes of its highest level with a candidate
 * (CHECK_GROUPS, VA-5). Every level, and every group, keeps its own turns, which pass on only when
 * one of its own is served.
 *
 * The check is repeated with every call, so a packet that waits moves between its own level and
 * Over-Bandwidth as the meter says; NextChange() tells when it will (VA-7). The owner uses it as
 * `Choose`, `Begin`, and where flits are checked or packets preempted `Settle` and `End`:
 *
 * | call | with CHECK_AT_PACKETS | with CHECK_AT_FLITS |
 * |---|---|---|
 * | Begin | charges the packet | charges nothing yet |
 * | Settle | | charges the flits that have begun; says how the packet stands now |
 * | End | | charges the flits that have begun; the packet has left, or is interrupted |
 * | Resume | it stands as it did | the rest is checked anew |
 *
 * Times are in ps and never go back.
 */
class VlArbiter
{
  public:
    /**
     * @param settings of the arbiter
     * @param table of lanes and groups
     * @throws std::invalid_argument with a sentence if either is wrong (VA-14)
     */
    VlArbiter(const VlArbiterSettings& settings, const LaneTable& table);

    /**
     * Changes the table during the run (VA-11). Turns of levels (by name) and groups (by number)
     * that stay are kept, as are the meters of groups whose share stays; a group with another share
     * begins with a meter that has seen no traffic. A packet that is being sent, or was
     * interrupted, keeps the level it had. If this throws, nothing has changed.
     *
     * @param table of lanes and groups
     * @param now time, ps
     * @throws std::invalid_argument with a sentence if the table is wrong (VA-14)
     */
    void SetTable(const LaneTable& table, TimePs now);

    /// @return the table
    const LaneTable& Table() const
    {
        return m_table;
    }

    /// @return the settings
    const VlArbiterSettings& Settings() const
    {
        return m_settings;
    }

    /**
     * Chooses; nothing changes by it, so it may be asked while another packet is being sent.
     *
     * @param candidates lanes that have a packet and may send it; those that are not in the table
     * are passed over
     * @param now time, ps
     * @return who is next; nobody if there is no candidate or all are disqualified
     */
    std::optional<Grant> Choose(LaneMask candidates, TimePs now)
    {
        Grant grant{};
        return Choose(candidates, now, grant) ? std::optional<Grant>(grant) : std::nullopt;
    }

    /**
     * The same for who asks for every packet, without a copy.
     *
     * @param candidates see above
     * @param now time, ps
     * @param [out] grant who is next; unchanged if nobody is
     * @return whether anybody is
     */
    bool Choose(LaneMask candidates, TimePs now, Grant& grant)
    {
        if (now >= m_nextUpdate)
        {
            Update(now);
        }
        candidates &= m_lanes;
        if ((candidates & (candidates - 1)) != 0)
        {
            return ChooseBetween(candidates, grant);
        }
        const bool isOver = (candidates & m_overLanes) != 0;
        if (candidates == 0 || (isOver && m_disqualifies))
        {
            return false;
        }
        const auto lane = static_cast<uint8_t>(LowestBit(candidates));
        grant = {lane, isOver ? m_overLevel : m_places[lane].level, !isOver};
        return true;
    }

    /**
     * @param candidates as for Choose(), which was asked at the same time
     * @return when the answer may change though the candidates stay: the first time at which the
     * group of one of them conforms again, ps; NEVER if all conform
     */
    TimePs NextChange(LaneMask candidates) const;

    /**
     * A packet starts: its lane's turn passes on, and the meter is charged.
     *
     * @param grant what Choose() said at this time
     * @param bytes of the packet on the link, at most 65535
     * @param now time, ps
     */
    void Begin(const Grant& grant, uint32_t bytes, TimePs now)
    {
        if (!m_isPlain)
        {
            BeginInGroup(grant, bytes, now);
            return;
        }
        m_levelTurns[grant.level].Served(grant.lane);
        if (grant.conforming || m_chargesOver)
        {
            const uint8_t group = m_places[grant.lane].group;
            NoteCharge(m_groups[group], m_groups[group].Charge(m_meterKind, bytes, now), now);
        }
    }

    /**
     * Chooses and begins.
     *
     * @param candidates as for Choose()
     * @param bytesOf tells the size of a lane's packet: `uint32_t bytesOf(uint8_t lane)`
     * @param now time, ps
     * @return who sends, if anybody
     */
    template <typename BytesOf>
    std::optional<Grant> Arbitrate(LaneMask candidates, BytesOf&& bytesOf, TimePs now)
    {
        const std::optional<Grant> grant = Choose(candidates, now);
        if (grant)
        {
            Begin(*grant, bytesOf(grant->lane), now);
        }
        return grant;
    }

    /**
     * Only where flits are checked (VA-7), and between Begin() or Resume() and End().
     *
     * @param now time, ps
     * @return how the packet that is being sent stands now: the answer of the flit sent last, or of
     * one that would begin now
     */
    Grant Settle(TimePs now);

    /// @return the flit boundary at which the packet that is being sent will stand otherwise, ps;
    /// NEVER if it will not, or flits are not checked
    TimePs NextStanding() const
    {
        return m_alikeUntil;
    }

    /**
     * The packet that is being sent has left, or is interrupted at a flit boundary (VA-9). To be
     * called before the next Begin() where flits are checked; without effect otherwise.
     *
     * @param now its end, ps
     */
    void End(TimePs now);

    /**
     * An interrupted packet goes on. No turn passes.
     *
     * @param grant how it stood
     * @param bytes that are left
     * @param now time, ps
     * @return how it stands now
     */
    Grant Resume(const Grant& grant, uint32_t bytes, TimePs now);

    /**
     * @param group number of a group of the table
     * @param now time, ps
     * @return whether it has not exceeded its share
     */
    bool IsConforming(uint8_t group, TimePs now) const
    {
        return m_groups[group].meter->IsConforming(now);
    }

    /// @return bytes of memory held besides the object
    std::size_t MemoryBytes() const;

  private:
    /// The packet that is being sent, where flits are checked.
    struct Active
    {
        Grant grant;      ///< How it stands.
        TimePs start;     ///< When it began or went on, ps.
        uint32_t settled; ///< Bytes up to which flits are charged.
        uint32_t alike;   ///< Bytes up to which it stands as it does.
        uint32_t bytes;   ///< All of it.
        bool isMetered;   ///< Whether its lane is in the table (still).
    };

    /// What follows from the table for a lane.
    struct LanePlace
    {
        uint8_t level{0}; ///< Its level.
        uint8_t group{0}; ///< Its group.
    };

    /// What a group has used, and what follows from the table for it; in one line of the cache.
    struct alignas(32) Group
    {
        TimePs conformsAt{0};                  ///< What its meter says, ps.
        std::unique_ptr<BandwidthMeter> meter; ///< Null if the table has no such group.
        LaneMask lanes{0};                     ///< Its lanes.

        /// Charges a packet to the meter, whose class is known. @return when the group conforms, ps
        TimePs Charge(MeterKind kind, uint32_t bytes, TimePs now)
        {
            return kind == TOKEN_BUCKET ? static_cast<TokenBucket&>(*meter).Charge(bytes, now)
                                        : meter->Charge(bytes, now);
        }
    };

    /// Groups that conform again do so, and flits that have begun are charged.
    void Update(TimePs now);

    /// When Update() has something to do is known anew.
    void PlanUpdate()
    {
        m_nextUpdate = m_active ? std::numeric_limits<TimePs>::min() : m_nextReturn;
    }

    /// Begin() where groups have turns or flits are checked.
    void BeginInGroup(const Grant& grant, uint32_t bytes, TimePs now);

    /// Lanes whose groups conform again leave Over-Bandwidth.
    void ReturnLanes(TimePs now);
    /// Looks at all groups of a new table.
    void CheckGroups(TimePs now);

    /**
     * @param lanes candidates of one level, at least one
     * @param level whose turns count
     * @return who is next
     */
    uint8_t PickLane(LaneMask lanes, uint8_t level) const
    {
        if (m_settings.mode == CHECK_LANES)
        {
            return static_cast<uint8_t>(m_levelTurns[level].Pick(lanes));
        }
        const uint32_t group = m_levelTurns[level].Pick(GroupsOf(lanes));
        return static_cast<uint8_t>(m_groupTurns[group].Pick(lanes & m_groups[group].lanes));
    }

    /**
     * @param candidates lanes of the table, more than one
     * @param [out] grant who is next
     * @return whether anybody is
     */
    bool ChooseBetween(LaneMask candidates, Grant& grant) const;

    /// @return who is next of the Over-Bandwidth level
    Grant ChooseOver(LaneMask over) const;
    /// @return mask of the groups of these lanes
    uint32_t GroupsOf(LaneMask lanes) const;
    /// @return of these lanes of a group those of the highest level
    LaneMask HighestOf(LaneMask lanes) const;
    /// @return how a packet of a lane stands now
    Grant Check(uint8_t lane, TimePs now) const;

    /// The meter of a group was charged, and says when it conforms.
    void NoteCharge(Group& group, TimePs conformsAt, TimePs now)
    {
        group.conformsAt = conformsAt;
        if (conformsAt > now)
        {
            m_overGroups |= uint32_t{1} << (&group - m_groups.data());
            m_overLanes |= group.lanes;
            m_nextReturn = std::min(m_nextReturn, conformsAt);
            m_nextUpdate = std::min(m_nextUpdate, conformsAt);
        }
    }

    /// A packet begins or goes on where flits are checked.
    void Activate(const Grant& grant, uint32_t bytes, TimePs now);
    /// The table has changed under the active packet.
    void MoveActive();
    /// Looks how long the active packet stands as it does.
    void LookAhead();
    /// Charges the active packet's flits up to a byte.
    void ChargeFlits(uint32_t upTo);
    /// @return bytes of the active packet's flits that have begun before a time
    uint32_t BytesBegun(TimePs now) const;
    /// Makes everything that follows from the table.
    void IndexTable();
    /// @return meters for a table, those of groups that stay taken over from this arbiter's
    std::vector<std::unique_ptr<BandwidthMeter>> MakeMeters(const LaneTable& table) const;
    /// Turns for a table, those of levels that stay kept.
    void KeepTurns(const LaneTable& table);
    /// @return the share of a group of the table, or none
    std::optional<uint32_t> ShareOf(uint8_t group) const;

    // What every choice touches comes first, so that it is in few lines of the cache.

    LaneMask m_lanes{0};                         ///< In use.
    LaneMask m_overLanes{0};                     ///< Lanes of groups that do not conform.
    TimePs m_nextUpdate{NEVER};                  ///< When Update() has something to do, ps.
    TimePs m_nextReturn{NEVER};                  ///< When the first group will conform again, ps.
    std::vector<TurnArbiter> m_levelTurns;       ///< By level; Over-Bandwidth is the last.
    uint32_t m_overGroups{0};                    ///< Groups that do not conform.
    MeterKind m_meterKind;                       ///< Of all groups.
    uint8_t m_overLevel{0};                      ///< The Over-Bandwidth level.
    bool m_disqualifies;                         ///< Whether what does not conform has to wait.
    bool m_chargesOver;                          ///< Whether what does not conform is charged.
    bool m_isPlain;                              ///< CHECK_LANES and CHECK_AT_PACKETS.
    std::array<LanePlace, MAX_LANES> m_places{}; ///< By lane.
    std::array<Group, MAX_GROUPS> m_groups;      ///< By number.
    std::array<LaneMask, MAX_LEVELS> m_lanesOfLevel{}; ///< By level.
    VlArbiterSettings m_settings;                      ///< Settings.
    std::optional<Active> m_active;                    ///< What is being sent.
    TimePs m_alikeUntil{NEVER};                        ///< See NextStanding().
    std::vector<TurnArbiter> m_groupTurns;             ///< By group, with CHECK_GROUPS.
    LaneTable m_table;                                 ///< The table.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_VL_ARBITER_H
