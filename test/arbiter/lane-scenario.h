/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_SCENARIO_H
#define FABRIC_LANE_SCENARIO_H

#include "fabric-vl-arbiter.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// Something that a link did.
struct LaneEvent
{
    TimePs at;   ///< When.
    char what;   ///< A packet begins, stands otherwise, is interrupted.
    Grant grant; ///< How it stands.

    /// @return whether all is equal
    bool operator==(const LaneEvent& other) const
    {
        return at == other.at && what == other.what && grant == other.grant;
    }
};

/// Everything that a link did.
using LaneLog = std::vector<LaneEvent>;

/// A random link: settings, tables, packets and interruptions.
struct LaneScenario
{
    /// A packet.
    struct Arrival
    {
        TimePs at;      ///< When.
        uint8_t lane;   ///< Where.
        uint32_t bytes; ///< Size.
    };

    VlArbiterSettings settings;                           ///< Of the arbiter.
    std::vector<std::pair<TimePs, LaneTable>> tables;     ///< The first from the beginning.
    std::vector<Arrival> arrivals;                        ///< By time.
    std::vector<std::pair<TimePs, TimePs>> interruptions; ///< When, and for how long; by time.
    TimePs end{0};                                        ///< Of the run.

    /// @param seed everything is drawn from it
    explicit LaneScenario(uint64_t seed)
        : m_random(seed)
    {
        DrawSettings();
        m_lanes = Pick(1, 16);
        tables.emplace_back(0, DrawTable());
        const TimePs length = 30'000;
        const bool hasChanges = Pick(0, 1) == 1;
        for (uint32_t changes = hasChanges ? Pick(1, 4) : 0; changes != 0; --changes)
        {
            const TimePs at = 1 + Pick(0, length);
            tables.emplace_back(at, ChangeTable(tables.back().second));
        }
        std::sort(tables.begin(), tables.end(), [](const auto& a, const auto& b) {
            return a.first < b.first;
        });
        tables.erase(std::unique(tables.begin(),
                                 tables.end(),
                                 [](const auto& a, const auto& b) { return a.first == b.first; }),
                     tables.end());
        DrawArrivals(length);
        if (settings.checkTime == CHECK_AT_FLITS)
        {
            for (uint32_t left = Pick(0, 30); left != 0; --left)
            {
                const TimePs at = Pick(0, length);
                interruptions.emplace_back(at, Pick(1, 500));
            }
            std::sort(interruptions.begin(), interruptions.end());
        }
        end = 2 * length;
    }

  private:
    /// @return a number from low to high
    uint32_t Pick(uint32_t low, uint32_t high)
    {
        return low + static_cast<uint32_t>(m_random() % (uint64_t{high} - low + 1));
    }

    /// Settings of arbiter and meters, on so fast a link that a flit of 8 B lasts 4 or 8 ps.
    void DrawSettings()
    {
        settings.mode = Pick(0, 1) == 0 ? CHECK_LANES : CHECK_GROUPS;
        settings.over = Pick(0, 2) == 0 ? OVER_DISQUALIFY : OVER_DEMOTE;
        settings.checkTime = Pick(0, 1) == 0 ? CHECK_AT_PACKETS : CHECK_AT_FLITS;
        settings.chargeOver = Pick(0, 1) == 0;
        settings.turns = Pick(0, 1) == 0 ? ROUND_ROBIN : LEAST_RECENTLY_USED;
        // A flit that does not last whole ps leaves a part of one between the two models.
        const bool isOdd = settings.checkTime == CHECK_AT_PACKETS && Pick(0, 1) == 0;
        settings.rate = LinkRate(isOdd ? 7'000'000'000'019 : 8'000'000'000'000 * Pick(1, 2));
        settings.flitBytes = 8 * Pick(1, 3);
        settings.meter.kind = static_cast<MeterKind>(Pick(0, 2));
        settings.meter.burst = Pick(1, 1500);
        const bool isTolerant = Pick(0, 1) == 1;
        settings.meter.tolerance = isTolerant ? Pick(0, 1500) : 0;
        settings.meter.debt = Pick(0, 3000);
        settings.meter.window = Pick(1000, 8000);
    }

    /// @return a table of m_lanes lanes
    LaneTable DrawTable()
    {
        LaneTable table;
        table.levels.clear();
        const char* const names[] = {"a", "b", "c", "d", "e"};
        for (const char* name : names)
        {
            if (Pick(0, 1) == 0)
            {
                table.levels.emplace_back(name);
            }
        }
        if (table.levels.empty())
        {
            table.levels.emplace_back("a");
        }
        const uint32_t groups = Pick(1, 6);
        for (uint32_t group = 0; group < groups; ++group)
        {
            table.groups.push_back({static_cast<uint8_t>(group), DrawShare()});
        }
        for (uint32_t lane = 0; lane < m_lanes; ++lane)
        {
            LaneSettings drawn;
            drawn.lane = static_cast<uint8_t>(lane);
            drawn.level =
                static_cast<uint8_t>(Pick(0, static_cast<uint32_t>(table.levels.size() - 1)));
            drawn.group = static_cast<uint8_t>(Pick(0, groups - 1));
            table.lanes.push_back(drawn);
        }
        return table;
    }

    /// @return a share, often an even one
    uint32_t DrawShare()
    {
        const uint32_t kind = Pick(0, 9);
        return kind == 0 ? 0
                         : (kind == 1 ? 10'000 : (kind < 6 ? Pick(1, 60) * 100 : Pick(100, 9999)));
    }

    /// @return a table like another
    LaneTable ChangeTable(LaneTable table)
    {
        if (Pick(0, 3) == 0)
        {
            return DrawTable();
        }
        table.groups[Pick(0, static_cast<uint32_t>(table.groups.size() - 1))].share = DrawShare();
        LaneSettings& lane = table.lanes[Pick(0, m_lanes - 1)];
        lane.level = static_cast<uint8_t>(Pick(0, static_cast<uint32_t>(table.levels.size() - 1)));
        lane.group = static_cast<uint8_t>(Pick(0, static_cast<uint32_t>(table.groups.size() - 1)));
        return table;
    }

    /// Packets of all lanes, together less or more than the link can carry.
    void DrawArrivals(TimePs length)
    {
        const uint32_t largest = Pick(20, 1500);
        const double load = 0.2 + Pick(0, 20) * 0.1;
        const double bytes = load * static_cast<double>(length) * 1e-12 *
                             static_cast<double>(settings.rate.BitsPerSecond()) / 8;
        for (double left = bytes; left > 0;)
        {
            const uint32_t size = Pick(1, largest);
            const auto lane = static_cast<uint8_t>(Pick(0, m_lanes - 1));
            arrivals.push_back({Pick(0, static_cast<uint32_t>(length)), lane, size});
            left -= size;
        }
        std::sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) {
            return a.at < b.at;
        });
    }

    std::mt19937_64 m_random; ///< Everything is drawn from it.
    uint32_t m_lanes{0};      ///< Of all tables.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_SCENARIO_H
