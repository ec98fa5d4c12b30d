/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SLOW_LANE_LINK_H
#define FABRIC_SLOW_LANE_LINK_H

#include "fabric-wide-integer.h"
#include "lane-scenario.h"

#include <deque>
#include <map>
#include <vector>

namespace ns3::fabric
{

/// A meter that is told every picosecond that passes.
class SlowMeter
{
  public:
    /// @param share 1/100 %
    SlowMeter(const MeterSettings& settings, uint32_t share, const LinkRate& rate, TimePs now)
        : m_settings(settings),
          m_perPs(Wide{share} * rate.BitsPerSecond()),
          m_now(now)
    {
        m_slotTime = (settings.window + 15) / 16;
    }

    /// A picosecond passes.
    void Tick()
    {
        ++m_now;
        m_level = m_level > m_perPs ? m_level - m_perPs : 0;
        while (!m_sent.empty() && m_sent.front().first <= m_now / m_slotTime - 16)
        {
            m_sent.pop_front();
        }
    }

    /// @return whether the group has not exceeded its share
    bool IsConforming() const
    {
        if (m_perPs == 0)
        {
            return false;
        }
        switch (m_settings.kind)
        {
        case TOKEN_BUCKET:
            return m_level < m_settings.burst * BYTE;
        case LEAKY_BUCKET:
            return m_level <= m_settings.tolerance * BYTE;
        default:
            return WindowBytes() < m_perPs * 16 * m_slotTime / BYTE;
        }
    }

    /// @param bytes that are sent
    void Charge(uint32_t bytes)
    {
        m_sent.emplace_back(m_now / m_slotTime, bytes);
        const Wide depth =
            (m_settings.kind == TOKEN_BUCKET ? m_settings.burst : m_settings.tolerance) * BYTE;
        const Wide most = depth + m_settings.debt * BYTE;
        const bool isOver = m_level > depth;
        const Wide before = m_level;
        m_level += bytes * BYTE;
        if (isOver)
        {
            m_level = std::max(before, std::min(m_level, most));
        }
    }

  private:
    using Wide = WideInt;                                      ///< Parts of bytes.
    static constexpr Wide BYTE = Wide{80'000'000'000'000'000}; ///< Parts of a byte.

    Wide WindowBytes() const
    {
        Wide sum = 0;
        for (const auto& entry : m_sent)
        {
            sum += entry.second;
        }
        return sum;
    }

    MeterSettings m_settings;                        ///< Settings.
    Wide m_perPs;                                    ///< What leaks in a ps, parts.
    TimePs m_now;                                    ///< Time.
    TimePs m_slotTime;                               ///< Of a window.
    Wide m_level{0};                                 ///< Of a bucket, parts.
    std::deque<std::pair<int64_t, uint32_t>> m_sent; ///< Slot and bytes.
};

/**
 * The same link as in FastLaneLink, written as the specification reads and without a thought for
 * speed: it looks at everything at each picosecond.
 */
class SlowLaneLink
{
  public:
    /// @param scenario what happens
    explicit SlowLaneLink(const LaneScenario& scenario)
        : m_scenario(scenario)
    {
        SetTable(scenario.tables[0].second);
    }

    /// @return what was sent
    LaneLog Run()
    {
        for (m_now = 0; m_now < m_scenario.end; ++m_now)
        {
            if (m_now > 0)
            {
                for (auto& meter : m_meters)
                {
                    meter.second.Tick();
                }
            }
            Step();
        }
        return m_log;
    }

    /// @return flits that were sent
    uint64_t Flits() const
    {
        return m_flits;
    }

  private:
    /// A turn of each of those that it was given to.
    using Turns = std::map<uint32_t, uint64_t>;

    /// The packet that is being sent.
    struct Sending
    {
        Grant grant;    ///< How it stands.
        uint32_t bytes; ///< All of it.
        uint32_t sent;  ///< Bytes of flits that have begun.
        TimePs start;   ///< When it began or went on.
        bool isTaken;   ///< Whether it is to be interrupted at the next flit.
        TimePs pause;   ///< For how long.
    };

    /// Everything that happens at this picosecond.
    void Step()
    {
        for (const auto& [at, table] : m_scenario.tables)
        {
            if (at == m_now && at > 0)
            {
                SetTable(table);
            }
        }
        for (const LaneScenario::Arrival& arrival : m_scenario.arrivals)
        {
            // They are sorted.
            if (arrival.at > m_now)
            {
                break;
            }
            if (arrival.at == m_now)
            {
                m_queues[arrival.lane].push_back(arrival.bytes);
            }
        }
        NoteInterruption();
        Send();
    }

    /// Marks the packet that is to be interrupted.
    void NoteInterruption()
    {
        for (const auto& [at, pause] : m_scenario.interruptions)
        {
            if (at == m_now && m_isSending && !m_isPaused)
            {
                m_sending.isTaken = true;
                m_sending.pause = pause;
            }
        }
    }

    /// Goes on with the packet, or chooses one.
    void Send()
    {
        if (m_isPaused)
        {
            if (m_now < m_resumeAt)
            {
                return;
            }
            m_isPaused = false;
            m_sending.bytes -= m_sending.sent;
            m_sending.sent = 0;
            m_sending.start = m_now;
            CheckFlit(true);
        }
        if (m_isSending)
        {
            Flits(false);
        }
        if (!m_isSending && !m_isPaused && Choose())
        {
            Flits(true);
        }
    }

    /// A flit begins, if it is its time, or the packet ends.
    void Flits(bool isFirst)
    {
        const TimePs boundary = m_sending.start + m_scenario.settings.rate.TxTime(m_sending.sent);
        if (m_now != boundary)
        {
            return;
        }
        if (m_sending.sent == m_sending.bytes)
        {
            m_isSending = false;
            return;
        }
        if (!isFirst && m_sending.sent > 0)
        {
            if (m_sending.isTaken)
            {
                m_sending.isTaken = false;
                m_isPaused = true;
                m_resumeAt = m_now + m_sending.pause;
                m_log.push_back({m_now, 'i', m_sending.grant});
                CheckFlit(false);
                return;
            }
            CheckFlit(true);
        }
        const uint32_t flit =
            std::min(m_scenario.settings.flitBytes, m_sending.bytes - m_sending.sent);
        const bool isCharged = m_sending.grant.conforming || m_scenario.settings.chargeOver;
        if (m_scenario.settings.checkTime == CHECK_AT_FLITS && isCharged)
        {
            MeterOf(m_sending.grant.lane).Charge(flit);
        }
        m_sending.sent += flit;
        ++m_flits;
    }

    /// The packet is checked at a flit.
    void CheckFlit(bool isNoted)
    {
        if (m_scenario.settings.checkTime != CHECK_AT_FLITS)
        {
            return;
        }
        const Grant before = m_sending.grant;
        m_sending.grant = Standing(before.lane);
        if (isNoted && !(m_sending.grant == before))
        {
            m_log.push_back({m_now, 's', m_sending.grant});
        }
    }

    /// @return how a lane stands now
    Grant Standing(uint8_t lane)
    {
        const bool conforming = MeterOf(lane).IsConforming();
        const auto over = static_cast<uint8_t>(m_table.levels.size());
        return {lane, conforming ? SettingsOf(lane).level : over, conforming};
    }

    /// @return whether a packet was chosen
    bool Choose()
    {
        std::vector<Grant> candidates;
        for (const LaneSettings& lane : m_table.lanes)
        {
            if (!m_queues[lane.lane].empty())
            {
                candidates.push_back(Standing(lane.lane));
            }
        }
        if (m_scenario.settings.mode == CHECK_GROUPS)
        {
            candidates = OnePerGroup(candidates);
        }
        std::map<uint32_t, Grant> byTurn;
        uint32_t best = 1000;
        for (const Grant& candidate : candidates)
        {
            if (!candidate.conforming && m_scenario.settings.over == OVER_DISQUALIFY)
            {
                continue;
            }
            if (candidate.level < best)
            {
                best = candidate.level;
                byTurn.clear();
            }
            if (candidate.level == best)
            {
                byTurn[TurnOf(candidate.lane)] = candidate;
            }
        }
        if (byTurn.empty())
        {
            return false;
        }
        const std::string name = best == m_table.levels.size() ? "" : m_table.levels[best];
        const Grant grant = byTurn[Next(byTurn, m_levelTurns[name])];
        Begin(grant, name);
        return true;
    }

    /// The packet of a grant begins.
    void Begin(const Grant& grant, const std::string& level)
    {
        m_levelTurns[level][TurnOf(grant.lane)] = ++m_turn;
        m_groupTurns[SettingsOf(grant.lane).group][grant.lane] = ++m_turn;
        const uint32_t bytes = m_queues[grant.lane].front();
        m_queues[grant.lane].pop_front();
        if (m_scenario.settings.checkTime == CHECK_AT_PACKETS &&
            (grant.conforming || m_scenario.settings.chargeOver))
        {
            MeterOf(grant.lane).Charge(bytes);
        }
        m_sending = {grant, bytes, 0, m_now, false, 0};
        m_isSending = true;
        m_log.push_back({m_now, 'b', grant});
    }

    /// @return what has turns: the lane or its group
    uint32_t TurnOf(uint8_t lane)
    {
        return m_scenario.settings.mode == CHECK_LANES ? lane : SettingsOf(lane).group;
    }

    /// @return for each group, one of its candidates of the highest level
    std::vector<Grant> OnePerGroup(const std::vector<Grant>& candidates)
    {
        std::map<uint32_t, std::map<uint32_t, Grant>> groups;
        for (const Grant& candidate : candidates)
        {
            auto& group = groups[SettingsOf(candidate.lane).group];
            const uint8_t level = SettingsOf(candidate.lane).level;
            if (!group.empty() && level < SettingsOf(group.begin()->second.lane).level)
            {
                group.clear();
            }
            if (group.empty() || level == SettingsOf(group.begin()->second.lane).level)
            {
                group[candidate.lane] = candidate;
            }
        }
        std::vector<Grant> chosen;
        for (auto& [number, group] : groups)
        {
            chosen.push_back(group[Next(group, m_groupTurns[number])]);
        }
        return chosen;
    }

    uint32_t Next(const std::map<uint32_t, Grant>& asking, Turns& turns)
    {
        uint32_t best = asking.begin()->first;
        if (m_scenario.settings.turns == LEAST_RECENTLY_USED)
        {
            for (const auto& entry : asking)
            {
                best = turns[entry.first] < turns[best] ? entry.first : best;
            }
            return best;
        }
        uint64_t latest = 0;
        uint32_t last = 31;
        for (const auto& [who, when] : turns)
        {
            last = when > latest ? who : last;
            latest = std::max(latest, when);
        }
        const auto after = asking.upper_bound(last);
        return after == asking.end() ? best : after->first;
    }

    /// A new table: groups that keep their share keep their meters.
    void SetTable(const LaneTable& table)
    {
        std::map<uint8_t, SlowMeter> meters;
        for (const GroupSettings& group : table.groups)
        {
            const bool stays = std::find(m_table.groups.begin(), m_table.groups.end(), group) !=
                               m_table.groups.end();
            meters.emplace(group.group,
                           stays ? m_meters.at(group.group)
                                 : SlowMeter(m_scenario.settings.meter,
                                             group.share,
                                             m_scenario.settings.rate,
                                             m_now));
        }
        std::map<std::string, Turns> turns;
        turns[""] = m_levelTurns[""];
        for (const std::string& level : table.levels)
        {
            turns[level] = m_levelTurns[level];
        }
        m_levelTurns = turns;
        m_meters = meters;
        m_table = table;
        if (m_isSending && !m_sending.grant.conforming)
        {
            m_sending.grant.level = static_cast<uint8_t>(table.levels.size());
        }
    }

    /// @return what the table says of a lane
    const LaneSettings& SettingsOf(uint8_t lane) const
    {
        return *std::find_if(
            m_table.lanes.begin(),
            m_table.lanes.end(),
            [lane](const LaneSettings& settings) { return settings.lane == lane; });
    }

    /// @return the meter that counts for a lane
    SlowMeter& MeterOf(uint8_t lane)
    {
        return m_meters.at(SettingsOf(lane).group);
    }

    const LaneScenario& m_scenario;                    ///< What happens.
    LaneTable m_table;                                 ///< The table.
    TimePs m_now{0};                                   ///< Time.
    std::map<uint8_t, SlowMeter> m_meters;             ///< By group.
    std::map<uint32_t, std::deque<uint32_t>> m_queues; ///< Bytes of packets, by lane.
    std::map<std::string, Turns> m_levelTurns;         ///< By level; Over-Bandwidth has no name.
    std::map<uint32_t, Turns> m_groupTurns;            ///< By group.
    uint64_t m_turn{0};                                ///< Counts turns.
    bool m_isSending{false};                           ///< Whether there is a packet.
    bool m_isPaused{false};                            ///< Whether it is interrupted.
    TimePs m_resumeAt{0};                              ///< Until when.
    Sending m_sending{};                               ///< The packet.
    uint64_t m_flits{0};                               ///< Flits that have begun.
    LaneLog m_log;                                     ///< What was sent.
};

} // namespace ns3::fabric

#endif // FABRIC_SLOW_LANE_LINK_H
