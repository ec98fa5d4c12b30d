/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INGRESS_ARBITER_H
#define FABRIC_INGRESS_ARBITER_H

#include "fabric-injection-limits.h"
#include "fabric-queue-ring.h"
#include "fabric-round-robin.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * Which flow of a host may let its next frame ask its output, where what the host has in the fabric
 * is limited (IF-2 to IF-5): round robin over injection limits with room, then over their
 * application groups, then over the flows of the group.
 *
 * | a flow      | what happens                              | then        |
 * |-------------|-------------------------------------------|-------------|
 * | rests       | Ask(): a frame could go                   | asks        |
 * | asks        | GiveTurn(): it is the next, with room     | has a turn  |
 * | asks        | Withdraw(): it can't go, by its own limit | rests       |
 * | has a turn  | Sent(): its frame has left                | rests       |
 * | has a turn  | Withdraw()                                | rests       |
 *
 * A flow asks in the list of its group, at the end, once at a time. If the first one's frame would
 * pass the injection limit all stays as it is (abort_il), and other limits have their turns. A
 * flow's frame counts as in the fabric from its turn on.
 */
class IngressArbiter
{
    /// A flow channel of the port.
    struct Flow
    {
        FlowId next{NO_FLOW};  ///< Next flow in the list of its group.
        GroupId group{0};      ///< Its application group.
        uint32_t turnUnits{0}; ///< See TurnUnits().
    };

    /// Flows that ask, in turn.
    using FlowRing = BasicQueueRing<FlowId, NO_FLOW>;

    /// @return what finds flows, for the lists
    auto ByFlow()
    {
        return [this](FlowId flow) -> Flow& { return m_flows[flow]; };
    }

    /// @return the same, for looking
    auto ByFlow() const
    {
        return [this](FlowId flow) -> const Flow& { return m_flows[flow]; };
    }

  public:
    explicit IngressArbiter(std::shared_ptr<const InjectionSettings> settings)
        : m_settings(std::move(settings)),
          m_limits(*m_settings)
    {
    }

    /// A flow begins, which rests. @param flow its flow_id
    void Begin(FlowId flow, GroupId group)
    {
        if (flow >= m_flows.size())
        {
            m_flows.resize(std::max<std::size_t>(2 * m_flows.size(), flow + 1U));
        }
        m_flows[flow] = Flow{};
        m_flows[flow].group = group;
    }

    /// A frame of a flow could go. If it asks or has a turn, nothing changes.
    void Ask(FlowId flow)
    {
        Flow& its = m_flows[flow];
        if (its.turnUnits != 0 || its.next != NO_FLOW)
        {
            return;
        }
        const LimitId id = LimitIdOf(flow);
        m_lists[its.group].Append(ByFlow(), flow);
        m_groups[id].Add(its.group);
        m_ids.Add(id);
    }

    /// No frame of a flow can go: it asks no longer, or gives its turn back.
    void Withdraw(FlowId flow)
    {
        Flow& its = m_flows[flow];
        if (its.turnUnits != 0)
        {
            m_limits.Remove(LimitIdOf(flow), its.turnUnits);
            its.turnUnits = 0;
        }
        else if (its.next != NO_FLOW)
        {
            m_lists[its.group].Remove(ByFlow(), flow);
            NoteEmpty(its.group);
        }
    }

    /**
     * @param unitsOf tells the length of the frame that a flow would send, 256 bytes:
     * `uint32_t unitsOf(FlowId)`
     * @return the flow that has a turn from now on, NO_FLOW if nobody gets one
     */
    template <typename Units>
    FlowId GiveTurn(Units&& unitsOf)
    {
        const auto id = static_cast<LimitId>(FindLimit(unitsOf));
        if (id == LIMIT_IDS)
        {
            return NO_FLOW;
        }
        const GroupId group = FirstGroup(id);
        const FlowId flow = m_lists[group].Front(ByFlow());
        m_lists[group].RemoveFront(ByFlow());
        m_flows[flow].turnUnits = unitsOf(flow);
        m_limits.Add(id, m_flows[flow].turnUnits);
        m_ids.Pass(id);
        m_groups[id].Pass(group);
        NoteEmpty(group);
        return flow;
    }

    /// @param unitsOf as for GiveTurn() @return whether somebody would get a turn
    template <typename Units>
    bool MayGiveTurn(Units&& unitsOf) const
    {
        return FindLimit(unitsOf) != LIMIT_IDS;
    }

    /// @return whether the flow has a turn
    bool HasTurn(FlowId flow) const
    {
        return m_flows[flow].turnUnits != 0;
    }

    /// @return whether the flow asks for a turn
    bool Asks(FlowId flow) const
    {
        return m_flows[flow].next != NO_FLOW;
    }

    /// A flow that has a turn has sent a frame. @param units its length, 256 bytes
    void Sent(FlowId flow, uint32_t units)
    {
        const LimitId id = LimitIdOf(flow);
        m_limits.Remove(id, m_flows[flow].turnUnits); // of several ways another could be taken
        m_limits.Add(id, units);
        m_flows[flow].turnUnits = 0;
    }

    /// Frames of a flow count as sent, and did not have a turn. @param units of 256 bytes
    void PassOver(FlowId flow, uint32_t units)
    {
        m_limits.Add(LimitIdOf(flow), units);
    }

    /// Frames of a flow have left the fabric or were lost. @param units of 256 bytes
    void Acknowledge(FlowId flow, uint32_t units)
    {
        m_limits.Remove(LimitIdOf(flow), units);
    }

    /// @return the injection limit of a flow
    LimitId LimitIdOf(FlowId flow) const
    {
        return m_settings->limitIds[m_flows[flow].group];
    }

    /// @return length of the frame for which a flow has a turn, 256 bytes; 0 if it has none
    uint32_t TurnUnits(FlowId flow) const
    {
        return m_flows[flow].turnUnits;
    }

    /// @return what is in the fabric
    const InjectionLimits& Limits() const
    {
        return m_limits;
    }

  private:
    static constexpr std::size_t LIMIT_IDS = INJECTION_LIMITS + 1; ///< With UNLIMITED_ID.

    /// @return the group of a limit whose turn it is; one waits
    GroupId FirstGroup(std::size_t id) const
    {
        return static_cast<GroupId>(m_groups[id].Find([](std::size_t) { return true; }));
    }

    /// @return the limit whose turn it is, LIMIT_IDS for none
    template <typename Units>
    std::size_t FindLimit(Units&& unitsOf) const
    {
        return m_ids.Find([&](std::size_t number) {
            const auto id = static_cast<LimitId>(number);
            return m_limits.IsOk(id) &&
                   m_limits.Allows(id, unitsOf(m_lists[FirstGroup(id)].Front(ByFlow())));
        });
    }

    /// A flow has left the list of a group.
    void NoteEmpty(GroupId group)
    {
        const LimitId id = m_settings->limitIds[group];
        if (m_lists[group].IsEmpty())
        {
            m_groups[id].Remove(group);
            if (m_groups[id].IsEmpty())
            {
                m_ids.Remove(id);
            }
        }
    }

    std::shared_ptr<const InjectionSettings> m_settings;            ///< Limits of groups.
    InjectionLimits m_limits;                                       ///< What is in the fabric.
    RoundRobin<LIMIT_IDS> m_ids;                                    ///< Limits with flows that ask.
    std::array<RoundRobin<APPLICATION_GROUPS>, LIMIT_IDS> m_groups; ///< Groups of each, likewise.
    std::array<FlowRing, APPLICATION_GROUPS> m_lists;               ///< Flows that ask, by group.
    std::vector<Flow> m_flows;                                      ///< By flow_id.
};

} // namespace ns3::fabric

#endif // FABRIC_INGRESS_ARBITER_H
