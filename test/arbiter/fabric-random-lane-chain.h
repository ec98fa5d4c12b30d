/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RANDOM_LANE_CHAIN_H
#define FABRIC_RANDOM_LANE_CHAIN_H

#include "fabric-lane-chain-plan.h"

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace fabric
{

/// Draws scenarios: everything that the classes allow, small enough that it happens often.
class RandomLaneChain
{
  public:
    /**
     * @param seed from which all is drawn
     * @return the scenario
     */
    static LaneChainPlan Draw(uint64_t seed)
    {
        RandomLaneChain draw(seed);
        draw.DrawSettings();
        draw.DrawWires();
        draw.DrawLanes();
        draw.DrawSources();
        draw.DrawChanges();
        return draw.m_plan;
    }

  private:
    explicit RandomLaneChain(uint64_t seed)
        : m_random(seed)
    {
    }

    /// @return a number from low to high
    uint64_t Number(uint64_t low, uint64_t high)
    {
        return low + m_random() % (high - low + 1);
    }

    /// @return true in one of so many cases
    bool OneIn(uint32_t cases)
    {
        return m_random() % cases == 0;
    }

    void DrawSettings()
    {
        PreemptionSettings& settings = m_plan.settings;
        settings.preempt = !OneIn(4);
        settings.interleave = OneIn(2);
        m_plan.startsStopped = OneIn(3);
        if (OneIn(3))
        {
            return; // Omni-Path's
        }
        settings.flitBytes = OneIn(3) ? Number(1, 64) : 8;
        settings.mostUrgentBytes = Number(64, 5000);
        settings.leastVictimBytes = Number(0, 3000);
        settings.mostBytesPerVictim = Number(100, 20000);
        settings.leastSentBytes = Number(0, 200);
        settings.leastLeftBytes = Number(0, 200);
        settings.levels = Number(1, 5);
    }

    /// @return a rate at which times are not whole
    LinkRate DrawRate()
    {
        static constexpr uint64_t GIGA = 1'000'000'000;
        return LinkRate(OneIn(3) ? Number(20 * GIGA, 400 * GIGA) : m_rate * GIGA);
    }

    void DrawWires()
    {
        m_rate = OneIn(2) ? 100 : Number(30, 300);
        const uint64_t hops = Number(1, 4);
        for (uint64_t hop = 0; hop < hops; ++hop)
        {
            m_plan.rates.push_back(DrawRate());
            m_plan.latencies.push_back(Number(1, 300'000));
        }
    }

    void DrawLanes()
    {
        const uint64_t lanes = Number(2, 6);
        const uint64_t ranks = Number(1, 6);
        for (uint64_t lane = 0; lane < lanes; ++lane)
        {
            const auto rank = static_cast<uint8_t>(Number(0, ranks));
            // Often priorities are as ranks; else the best one by priority may not interrupt.
            const uint32_t priority = OneIn(3) ? Number(0, 5) : rank;
            m_plan.lanes.push_back({rank, !OneIn(3), priority});
        }
    }

    void DrawSources()
    {
        const auto hops = static_cast<uint32_t>(m_plan.rates.size());
        for (uint32_t hop = 0; hop < hops; ++hop)
        {
            const uint64_t sources = hop == 0 ? Number(2, 3) : Number(0, 3);
            for (uint32_t source = 1; source <= sources; ++source)
            {
                DrawSource(hop, source);
            }
        }
    }

    /// A link or a host that sends to a hop, one frame after the other.
    void DrawSource(uint32_t hop, uint32_t source)
    {
        const LinkRate rate = OneIn(2) ? LinkRate() : DrawRate();
        const bool isUrgent = OneIn(2);
        TimePs time = Number(0, 200'000);
        for (uint64_t i = Number(5, 25); i > 0; --i)
        {
            ChainFrame frame;
            frame.time = time;
            frame.bytes = isUrgent ? Number(1, 256) : OneIn(4) ? Number(1, 700) : Number(700, 9024);
            frame.enter = hop;
            frame.leave = Number(hop, m_plan.rates.size() - 1);
            frame.lane = static_cast<uint8_t>(Number(0, m_plan.lanes.size() - 1));
            frame.rate = rate;
            frame.source = source;
            time += rate.BitsPerSecond() == 0 ? 0 : DrawStalls(frame) + rate.TxTime(frame.bytes);
            time += OneIn(3) ? 0 : Number(0, 700'000);
            m_plan.frames.push_back(frame);
        }
    }

    /// @return all stalls of a frame together, ps
    TimePs DrawStalls(ChainFrame& frame)
    {
        TimePs all = 0;
        const uint32_t flit = m_plan.settings.flitBytes;
        while (OneIn(3))
        {
            const uint32_t after = frame.stalls.empty() ? 0 : frame.stalls.back().byte;
            const uint32_t byte = (after / flit + Number(1, 300)) * flit;
            if (byte >= frame.bytes)
            {
                break;
            }
            frame.stalls.push_back({byte, static_cast<TimePs>(Number(1, 300'000))});
            all += frame.stalls.back().time + 2; // each run rounds up
        }
        return all + 2;
    }

    void DrawChanges()
    {
        for (uint64_t i = OneIn(2) ? Number(1, 60) : 0; i > 0; --i)
        {
            const auto hop = static_cast<uint32_t>(Number(0, m_plan.rates.size() - 1));
            const auto lane = static_cast<uint8_t>(Number(0, m_plan.lanes.size() - 1));
            const auto rank = static_cast<uint8_t>(Number(0, 6));
            m_plan.changes.push_back({static_cast<TimePs>(Number(0, 10'000'000)), hop, lane, rank});
        }
    }

    std::mt19937_64 m_random; ///< Source of all.
    uint64_t m_rate{100};     ///< Usual rate of the links, Gb/s.
    LaneChainPlan m_plan;     ///< Drawn so far.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_RANDOM_LANE_CHAIN_H
