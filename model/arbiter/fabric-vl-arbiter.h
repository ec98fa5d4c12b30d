/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_VL_ARBITER_H
#define FABRIC_VL_ARBITER_H

#include "fabric-group-meters.h"
#include "fabric-lane-plan.h"
#include "fabric-turn-table.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace ns3::fabric
{

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
 *
 * The arbiter itself has only what differs from link to link, in memory as large as the table: what
 * meters have counted, and turns. What follows from the table is the plan, which all arbiters with
 * the same settings share.
 */
class VlArbiter
{
  public:
    /**
     * @param table of lanes and groups
     * @throws std::invalid_argument with a sentence if either is wrong (VA-14)
     */
    VlArbiter(const VlArbiterSettings& settings, const LaneTable& table);

    /**
     * The same for one of many.
     *
     * @param plan of settings and a table, shared with others
     * @param memory to stand in, for as long as the arbiter is used
     */
    VlArbiter(std::shared_ptr<const LanePlan> plan, LineMemory& memory);

    /**
     * Changes the table of an arbiter with a memory of its own during the run (VA-11). Turns of
     * levels (by name) and groups (by number) that stay are kept, as are the meters of groups whose
     * share stays; a group with another share begins with a meter that has seen no traffic. A
     * packet that is being sent, or was interrupted, keeps the level it had. If this throws,
     * nothing has changed.
     *
     * @param table of lanes and groups
     * @throws std::invalid_argument with a sentence if the table is wrong (VA-14)
     */
    void SetTable(const LaneTable& table, TimePs now);

    /**
     * The same with a plan that others have too.
     *
     * @param plan of this arbiter's settings and a new table
     * @param memory to stand in from now on; nothing is left where it stood before
     */
    void SetPlan(std::shared_ptr<const LanePlan> plan, LineMemory& memory, TimePs now);

    /**
     * @param plan of settings and a table
     * @return bytes of memory in which the arbiter of a new link stands
     */
    static std::size_t LinesFor(const LanePlan& plan);

    /// @return what follows from the table
    const LanePlan& Plan() const
    {
        return *m_plan;
    }

    const LaneTable& Table() const
    {
        return m_plan->Table();
    }

    const VlArbiterSettings& Settings() const
    {
        return m_plan->Settings();
    }

    /// @return whether what does not conform has to wait
    bool Disqualifies() const
    {
        return m_plan->Disqualifies();
    }

    /**
     * Chooses; nothing changes by it, so it may be asked while another packet is being sent.
     *
     * @param candidates lanes that have a packet and may send it; those that are not in the table
     * are passed over
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
     * @param [out] grant who is next; of no meaning if nobody is
     * @return whether anybody is
     */
    bool Choose(LaneMask candidates, TimePs now, Grant& grant)
    {
        candidates &= m_plan->Lanes();
        if ((candidates & (candidates - 1)) != 0 || !m_plan->IsSimple())
        {
            return ChooseBetween(candidates, now, grant);
        }
        if (candidates == 0)
        {
            return false;
        }
        const auto lane = static_cast<uint8_t>(LowestBit(candidates));
        const LanePlan::LanePlace& place = m_plan->Place(lane);
        const bool isOver = (candidates & m_overLanes) != 0 && !IsConforming(place.group, now);
        grant = {lane, isOver ? m_plan->OverLevel() : place.level, !isOver};
        return !(isOver && Disqualifies());
    }

    /**
     * @param candidates as for Choose(), which was asked at the same time
     * @return when the answer may change though the candidates stay: the first time at which the
     * group of one of them conforms again, ps; NEVER if all conform
     */
    TimePs NextChange(LaneMask candidates, TimePs now) const;

    /**
     * A packet starts: its lane's turn passes on, and the meter is charged.
     *
     * @param grant what Choose() said at this time
     * @param bytes of the packet on the link, at most 65535
     */
    void Begin(const Grant& grant, uint32_t bytes, TimePs now)
    {
        if (!m_plan->IsSimple())
        {
            BeginInGroup(grant, bytes, now);
            return;
        }
        m_levelTurns.Served(grant.level, grant.lane);
        if (IsCharged(grant))
        {
            ChargePacket(m_plan->Place(grant.lane).group, bytes, now);
        }
    }

    /**
     * Chooses and begins.
     *
     * @param candidates as for Choose()
     * @param bytesOf tells the size of a lane's packet: `uint32_t bytesOf(uint8_t lane)`
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
     * @return how the packet that is being sent stands now: the answer of the flit sent last, or of
     * one that would begin now
     */
    Grant Settle(TimePs now);

    /// @return the flit boundary at which the packet that is being sent will stand otherwise, ps;
    /// NEVER if it will not, or flits are not checked
    TimePs NextStanding() const
    {
        return IsSending() ? m_rare->active.alikeUntil : NEVER;
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
     * @return how it stands now
     */
    Grant Resume(const Grant& grant, uint32_t bytes, TimePs now);

    /**
     * @param group number of a group of the table
     * @return whether it has not exceeded its share
     */
    bool IsConforming(uint8_t group, TimePs now) const
    {
        return now >= ConformsAt(group);
    }

    /// Fetches what the next Choose() and Begin() touch besides the object.
    void FetchArrays() const
    {
        FetchMemory(m_levelTurns.Memory(),
                    m_levelTurns.Bytes() +
                        GroupMeters::OftenUsedBytes(Settings().meter.kind, m_plan->GroupRoom()));
    }

  private:
    /// The packet that is being sent, where flits are checked.
    struct Active
    {
        bool isSending{false};    ///< Whether there is one.
        Grant grant;              ///< How it stands.
        bool isMetered{false};    ///< Whether its lane is in the table (still).
        TimePs start{0};          ///< When it began or went on, ps.
        uint32_t settled{0};      ///< Bytes up to which flits are charged.
        uint32_t alike{0};        ///< Bytes up to which it stands as it does.
        uint32_t bytes{0};        ///< All of it.
        TimePs alikeUntil{NEVER}; ///< See NextStanding().
    };

    /// What only CHECK_GROUPS and CHECK_AT_FLITS need.
    struct Rare
    {
        TurnTable groupTurns; ///< By group, with CHECK_GROUPS.
        Active active;        ///< What is being sent, with CHECK_AT_FLITS.
    };

    /// @return whether flits of a packet are to be charged
    bool IsSending() const
    {
        return m_rare && m_rare->active.isSending;
    }

    /// @return whether a packet with this grant is charged
    bool IsCharged(const Grant& grant) const
    {
        return grant.conforming || m_plan->ChargesOver();
    }

    /// @return when a group of the table conforms, ps
    TimePs ConformsAt(uint32_t group) const
    {
        return m_meters.ConformsAt(group, m_plan->GroupRoom(), m_plan->Group(group).rule);
    }

    /// Groups that conform again do so, and flits that have begun are charged.
    void Update(TimePs now)
    {
        if (IsSending())
        {
            Settle(now);
        }
        if (now >= m_nextReturn)
        {
            ReturnLanes(now);
        }
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
        if (!m_plan->ChoosesGroups())
        {
            return static_cast<uint8_t>(m_levelTurns.Pick(level, lanes));
        }
        const uint32_t group = m_levelTurns.Pick(level, GroupsOf(lanes));
        return static_cast<uint8_t>(m_rare->groupTurns.Pick(group, lanes & LanesOf(group)));
    }

    /**
     * Choose() where there is more than one lane, or more to do than to choose.
     *
     * @param candidates lanes of the table
     * @param [out] grant who is next
     * @return whether anybody is
     */
    bool ChooseBetween(LaneMask candidates, TimePs now, Grant& grant);

    /// @return who is next of the Over-Bandwidth level
    Grant ChooseOver(LaneMask over) const;
    /// @return mask of the groups of these lanes
    uint32_t GroupsOf(LaneMask lanes) const;
    /// @return how a packet of a lane stands now
    Grant Check(uint8_t lane, TimePs now) const;

    /// @return lanes of a group
    LaneMask LanesOf(uint32_t group) const
    {
        return m_plan->Group(group).lanes;
    }

    /// Charges a packet to its group.
    void ChargePacket(uint32_t group, uint32_t bytes, TimePs now)
    {
        const MeterRule& rule = m_plan->Group(group).rule;
        NoteCharge(group, m_meters.Charge(group, m_plan->GroupRoom(), rule, bytes, now), now);
    }

    /// The meter of a group was charged, and says when it conforms.
    void NoteCharge(uint32_t group, TimePs conformsAt, TimePs now)
    {
        if (conformsAt > now)
        {
            m_overGroups |= uint32_t{1} << group;
            m_overLanes |= LanesOf(group);
            m_nextReturn = std::min(m_nextReturn, conformsAt);
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
    /// @return flits of the active packet from those that are charged up to some byte
    FlitTrain TrainUpTo(uint32_t end) const;
    /// @return meters for a plan, those of groups that stay taken over from this arbiter's
    GroupMeters MetersFor(const LanePlan& plan, LineMemory& memory) const;
    /// @return turns of a plan's levels, those of levels that stay kept
    TurnTable LevelTurnsFor(const LanePlan& plan, LineMemory& memory) const;
    /// @return turns of a plan's groups, which are kept
    TurnTable GroupTurnsFor(const LanePlan& plan, LineMemory& memory) const;
    /// @return bytes of lines for a plan's arrays, of which turns take so many bytes
    static std::size_t ArrayBytes(const LanePlan& plan,
                                  std::size_t levelTurns,
                                  std::size_t groupTurns);
    /// A plan, or the first one, counts.
    void Adopt(std::shared_ptr<const LanePlan> plan, LineMemory& memory, TimePs now);

    // What every frame touches comes first; it is in one line of the cache (LaneSender).

    LaneMask m_overLanes{0};                ///< Lanes of groups that were not seen to return.
    uint32_t m_overGroups{0};               ///< These groups.
    TimePs m_nextReturn{NEVER};             ///< When the first of them will conform again, ps.
    TurnTable m_levelTurns;                 ///< By level; Over-Bandwidth is the last.
    GroupMeters m_meters;                   ///< By group.
    std::shared_ptr<const LanePlan> m_plan; ///< What follows from the table.
    std::unique_ptr<Rare> m_rare;           ///< Null with CHECK_LANES and CHECK_AT_PACKETS.
    std::unique_ptr<LineMemory> m_memory;   ///< Where it stands; null if that is another's.
};

} // namespace ns3::fabric

#endif // FABRIC_VL_ARBITER_H
