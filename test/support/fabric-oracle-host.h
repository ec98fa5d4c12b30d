/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_HOST_H
#define FABRIC_ORACLE_HOST_H

#include "fabric-flow-key.h"
#include "fabric-nic-config.h"
#include "fabric-oracle-fgfc.h"

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * A host of FlowOracle: cuts messages into frames and sends them.
 *
 * - Messages to one destination in one class are a flow, and wait behind each other.
 * - Virtual channels have turns, and in each the flows, frame by frame. The turn passes on when a
 *   frame is sent.
 * - A channel is passed over if the switch has no room for the frame whose turn it is there; a
 *   smaller one of another flow does not go instead.
 */
class OracleHost
{
  public:
    /// @param location its address
    OracleHost(std::size_t number,
               LocationId location,
               const NicConfig& config,
               OracleAgenda& agenda)
        : m_number(number),
          m_location(location),
          m_config(config),
          m_agenda(agenda)
    {
    }

    OracleWire uplink;        ///< To the switch.
    uint64_t sentBytes{0};    ///< Payload sent.
    uint64_t arrivedBytes{0}; ///< Payload that came.
    uint64_t damagedBytes{0}; ///< Payload that came damaged.
    uint64_t cutOffBytes{0};  ///< Payload that was lost when the link failed.

    /// @return payload that waits
    uint64_t WaitingBytes() const
    {
        uint64_t bytes = 0;
        for (const auto& [flow, rests] : m_flows)
        {
            for (const Rest& rest : rests)
            {
                bytes += rest.bytes;
            }
        }
        return bytes;
    }

    /// The tail of a frame is in. @return whether it is whole
    bool Take(const OracleFrame& frame)
    {
        uint64_t& bytes = frame.corrupt ? damagedBytes : IsCut(frame) ? cutOffBytes : arrivedBytes;
        bytes += frame.payload;
        return &bytes == &arrivedBytes;
    }

    /**
     * An application sends a message.
     *
     * @param dst destination
     * @param trafficClass FTAG
     */
    void Send(LocationId dst, uint8_t trafficClass, uint64_t bytes, std::size_t message, TimePs now)
    {
        const FlowName flow{dst, trafficClass};
        if (m_flows.count(flow) == 0)
        {
            m_names.push_back(flow);
        }
        std::deque<Rest>& rests = m_flows[flow];
        rests.push_back({bytes, message});
        if (rests.size() == 1)
        {
            WaitForTurn(flow);
        }
        PlanLook(std::max(now, uplink.freeAt));
    }

    /**
     * The link will fail (WL-8): nothing is sent until it is up again.
     *
     * @param up when it is up again, NEVER for not at all, ps
     */
    void FailLinkAt(TimePs from, TimePs up)
    {
        m_outages.push_back({from, up});
        PlanLook(up);
    }

    /// The switch has told of a flow, which is obeyed from now on.
    void TakeOrder(const OracleOrder& order)
    {
        if (order.toldAt >= m_cameUp)
        {
            m_restraints.Take(order);
            PlanLook(m_restraints.HoldsAny() ? std::max(order.obeyedAt, uplink.freeAt) : NEVER);
        }
    }

    /// @return a flow by its number: destination and class
    const std::pair<LocationId, uint8_t>& NameOf(uint32_t number) const
    {
        return m_names[number];
    }

    /// @return flows that were restrained until their time was over
    uint64_t Expired() const
    {
        return m_restraints.expired;
    }

    /// The switch has room again.
    void TakeCredit(uint32_t vc, uint32_t bytes, TimePs now)
    {
        uplink.used[vc] -= bytes;
        if (m_starves)
        {
            PlanLook(now);
        }
    }

    /// It may be able to send something.
    void Look(TimePs now)
    {
        if (now != m_look)
        {
            return; // it was brought forward
        }
        m_look = NEVER;
        m_starves = false;
        PlanLook(NextUp(now));
        for (const auto& [from, up] : m_outages)
        {
            if (now >= from && now < up)
            {
                PlanLook(up);
                return;
            }
        }
        // One that failed again before the end of an outage did not come up between.
        for (const auto& [from, up] : m_outages)
        {
            if (now >= up && up > m_cameUp)
            {
                m_cameUp = up;
                uplink.Restart(up);
                Release(m_restraints.Forget(up));
            }
        }
        Release(m_restraints.Look(now));
        HoldStopped();
        Choose(now);
        if (m_restraints.HoldsAny())
        {
            PlanLook(std::max(m_restraints.NextEnd(), uplink.freeAt));
        }
    }

  private:
    /// What is left of a message.
    struct Rest
    {
        uint64_t bytes;      ///< Not sent yet.
        std::size_t message; ///< Its number.
    };

    /// Destination and class.
    using FlowName = std::pair<LocationId, uint8_t>;

    /// @return number of a flow, in the order of their first messages
    uint32_t NumberOf(const FlowName& flow) const
    {
        return static_cast<uint32_t>(std::find(m_names.begin(), m_names.end(), flow) -
                                     m_names.begin());
    }

    /// A flow has something to send; its turn comes last, unless it is restrained.
    void WaitForTurn(const FlowName& flow)
    {
        if (m_restraints.Stops(NumberOf(flow)))
        {
            m_restraints.Hold(NumberOf(flow));
            return;
        }
        m_turns[m_config.vcOfClass[flow.second]].push_back(flow);
    }

    /// Flows wait for their turns again, though they may have been restrained again meanwhile.
    void Release(const std::vector<uint32_t>& flows)
    {
        for (const uint32_t number : flows)
        {
            const FlowName& flow = m_names[number];
            m_turns[m_config.vcOfClass[flow.second]].push_back(flow);
        }
    }

    /// Restrained flows whose turn it would be wait apart.
    void HoldStopped()
    {
        for (std::deque<FlowName>& turns : m_turns)
        {
            for (; !turns.empty() && m_restraints.Stops(NumberOf(turns.front())); turns.pop_front())
            {
                m_restraints.Hold(NumberOf(turns.front()));
            }
        }
    }

    /// Sends a frame, if one may go.
    void Choose(TimePs now)
    {
        bool lacksRoom = false;
        for (uint32_t i = 0; i < VIRTUAL_CHANNELS; ++i)
        {
            const uint32_t vc = (m_turn + i) % VIRTUAL_CHANNELS;
            if (m_turns[vc].empty())
            {
                continue;
            }
            const OracleFrame frame = FirstOf(m_turns[vc].front());
            if (uplink.HasRoom(vc, frame.Bytes()))
            {
                Send(vc, frame, now);
                return;
            }
            lacksRoom = true;
        }
        m_starves = lacksRoom;
    }

    /// @return the next frame of a flow
    OracleFrame FirstOf(const FlowName& flow) const
    {
        const Rest& rest = m_flows.at(flow).front();
        OracleFrame frame;
        frame.src = m_location;
        frame.dst = flow.first;
        frame.trafficClass = flow.second;
        frame.vc = m_config.vcOfClass[flow.second];
        frame.position = LabelOf(flow);
        frame.payload = static_cast<uint32_t>(std::min<uint64_t>(rest.bytes, m_config.mtu));
        frame.message = rest.message;
        frame.hostFlow = NumberOf(flow);
        return frame;
    }

    /// Frames without flow channel carry a hash of their flow instead of a position: routes that
    /// keep order follow it. The mixing of the key is FlowKey's, which nothing else depends on.
    uint32_t LabelOf(const FlowName& flow) const
    {
        FlowKey key;
        key.destination = flow.first;
        key.trafficClass = flow.second;
        return (FlowKeyHash()(key) + m_location * uint64_t{0x9e3779b97f4a7c15}) >> 32;
    }

    /// The flow whose turn it is in a channel sends its first frame.
    void Send(uint32_t vc, OracleFrame frame, TimePs now)
    {
        const std::optional<bool> damaged = uplink.Try(frame.Bytes(), false, now);
        if (!damaged)
        {
            PlanLook(uplink.freeAt);
            return;
        }
        const FlowName flow = m_turns[vc].front();
        m_turns[vc].pop_front();
        m_turn = vc + 1;
        std::deque<Rest>& rests = m_flows[flow];
        rests.front().bytes -= frame.payload;
        if (rests.front().bytes == 0)
        {
            rests.pop_front();
        }
        m_restraints.Sent(NumberOf(flow), frame.Units());
        if (!rests.empty())
        {
            WaitForTurn(flow);
        }
        sentBytes += frame.payload;
        frame.corrupt = *damaged;
        uplink.Send(frame, now);
        const bool isAnyLeft = std::any_of(m_turns.begin(), m_turns.end(), [](const auto& turns) {
            return !turns.empty();
        });
        PlanLook(isAnyLeft ? uplink.freeAt : NEVER);
    }

    /// @return when the link comes up next, NEVER for never, ps
    TimePs NextUp(TimePs now) const
    {
        TimePs next = NEVER;
        for (const auto& [from, up] : m_outages)
        {
            next = up > now ? std::min(next, up) : next;
        }
        return next;
    }

    /// @return whether a frame for this host was cut off, whose tail would be in now
    bool IsCut(const OracleFrame& frame) const
    {
        return std::any_of(m_outages.begin(), m_outages.end(), [&frame](const auto& outage) {
            return frame.sentAt < outage.first && frame.tailAt > outage.first;
        });
    }

    /// It looks at a time, unless it does so before.
    void PlanLook(TimePs time)
    {
        if (time < m_look)
        {
            m_look = time;
            m_agenda.push({time, OracleTask::HOST_LOOK, m_number, 0});
        }
    }

    std::size_t m_number;                                       ///< Of the host.
    LocationId m_location;                                      ///< Its address.
    NicConfig m_config;                                         ///< Settings.
    OracleAgenda& m_agenda;                                     ///< Of the fabric.
    std::map<FlowName, std::deque<Rest>> m_flows;               ///< What waits.
    std::vector<FlowName> m_names;                              ///< By number.
    OracleRestraints m_restraints;                              ///< What the switch restrains.
    std::array<std::deque<FlowName>, VIRTUAL_CHANNELS> m_turns; ///< Flows that wait, by channel.
    uint32_t m_turn{0};                                         ///< Channel whose turn it is.
    TimePs m_look{NEVER};                                       ///< When it looks next, ps.
    bool m_starves{false};                                      ///< Whether it waits for room.
    std::vector<std::pair<TimePs, TimePs>> m_outages; ///< From when until when it has no link, ps.
    TimePs m_cameUp{0};                               ///< When it came up last, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_HOST_H
