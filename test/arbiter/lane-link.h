/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_LINK_H
#define FABRIC_LANE_LINK_H

#include "fabric-vl-arbiter.h"

#include <array>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * @param groupOf group of lanes 0, 1, ...
 * @param shares percent of groups 0, 1, ...
 * @param levelOf level of lanes 0, 1, ...; the highest for those beyond the list
 */
inline LaneTable
MakeTable(const std::vector<uint8_t>& groupOf,
          const std::vector<uint32_t>& shares,
          const std::vector<uint8_t>& levelOf = {})
{
    LaneTable table;
    for (std::size_t i = 0; i < groupOf.size(); ++i)
    {
        LaneSettings lane;
        lane.lane = static_cast<uint8_t>(i);
        lane.level = i < levelOf.size() ? levelOf[i] : uint8_t{0};
        lane.group = groupOf[i];
        table.lanes.push_back(lane);
    }
    for (std::size_t i = 0; i < shares.size(); ++i)
    {
        table.groups.push_back({static_cast<uint8_t>(i), shares[i] * 100});
    }
    return table;
}

/// A link whose lanes always have packets, unless they are silenced.
class LaneLink
{
  public:
    LaneLink(const VlArbiterSettings& settings, const LaneTable& table, uint32_t bytes)
        : m_arbiter(settings, table),
          m_bytes(bytes)
    {
    }

    /// @param until no packet starts at or after this, ps
    void Run(LaneMask busy, TimePs until)
    {
        while (m_now < until)
        {
            const auto grant = m_arbiter.Arbitrate(
                busy,
                [this](uint8_t) { return m_bytes; },
                m_now);
            if (!grant)
            {
                m_now = std::min(until, m_arbiter.NextChange(busy, m_now));
                continue;
            }
            m_sent[grant->lane] += m_bytes;
            m_over[grant->lane] += grant->conforming ? 0 : m_bytes;
            m_now += m_arbiter.Settings().rate.TxTime(m_bytes);
        }
    }

    /// Forgets what was sent.
    void Reset()
    {
        m_sent.fill(0);
        m_over.fill(0);
        m_from = m_now;
    }

    /// @return its part of what the link could have carried since Reset()
    double Share(uint32_t lane) const
    {
        const TimePs time = m_arbiter.Settings().rate.TxTime(m_bytes);
        return static_cast<double>(m_sent[lane]) / m_bytes * static_cast<double>(time) /
               static_cast<double>(m_now - m_from);
    }

    /// @return bytes sent since Reset()
    uint64_t Sent(uint32_t lane) const
    {
        return m_sent[lane];
    }

    /// @return bytes sent as Over-Bandwidth since Reset()
    uint64_t Over(uint32_t lane) const
    {
        return m_over[lane];
    }

    TimePs Now() const
    {
        return m_now;
    }

    VlArbiter& Arbiter()
    {
        return m_arbiter;
    }

  private:
    VlArbiter m_arbiter;                      ///< Arbiter.
    uint32_t m_bytes;                         ///< Of all packets.
    TimePs m_now{0};                          ///< Time.
    TimePs m_from{0};                         ///< Of the last Reset().
    std::array<uint64_t, MAX_LANES> m_sent{}; ///< Bytes by lane.
    std::array<uint64_t, MAX_LANES> m_over{}; ///< Of those, as Over-Bandwidth.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_LINK_H
