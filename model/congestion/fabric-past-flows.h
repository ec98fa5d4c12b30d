/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAST_FLOWS_H
#define FABRIC_PAST_FLOWS_H

#include "fabric-input-flow-table.h"
#include "fabric-link-overload.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <unordered_map>

namespace ns3::fabric
{

/**
 * Flows that are gone from a switch, and when they had come to their outputs (CM-9).
 *
 * A flow that changes its path further back is gone for less than a round trip, and then comes by
 * another input. If it goes on by the same output it is no newcomer there. A flow is known by its
 * source, destination and class: processes of a host that send to the same one are not told apart.
 */
class PastFlows
{
  public:
    /// @param settings of the switch, which outlive it
    explicit PastFlows(const RerouteSettings& settings)
        : m_settings(settings)
    {
    }

    /// A flow channel ends. @param record of it, with the time at which it came
    void Leave(const FlowRecord& record, TimePs now)
    {
        if (m_flows.size() >= m_mostFlows)
        {
            Forget(now);
        }
        m_flows[NameOf(record)] = {now, record.movedAt, record.queue.output};
    }

    /**
     * A flow channel begins.
     *
     * @param record of it
     * @param output by which it goes on
     * @return when the flow came to that output, as FlowRecord::movedAt
     */
    uint16_t Arrive(const FlowRecord& record, uint16_t output, TimePs now) const
    {
        const auto past = m_flows.find(NameOf(record));
        const bool wasThere =
            past != m_flows.end() && past->second.output == output && !IsOver(past->second, now);
        return wasThere ? past->second.cameAt : m_settings.StepOf(now);
    }

    /// @return flows that are kept, or have not been forgotten yet
    std::size_t Size() const
    {
        return m_flows.size();
    }

  private:
    /// What was known of a flow.
    struct Past
    {
        TimePs leftAt;   ///< When its channel ended, ps.
        uint16_t cameAt; ///< When it had come to its output, FlowRecord::movedAt.
        uint16_t output; ///< By which it went on.
    };

    /// @return what tells flows apart
    static uint64_t NameOf(const FlowRecord& record)
    {
        return uint64_t{record.src} << 32 | uint64_t{record.dst} << 8 | record.trafficClass;
    }

    /// @return whether a flow was gone for too long to be on its way back
    bool IsOver(const Past& past, TimePs now) const
    {
        return now - past.leftAt > m_settings.roundTrip;
    }

    /// Forgets flows that are gone for long; so rarely that it costs little for each.
    void Forget(TimePs now)
    {
        for (auto i = m_flows.begin(); i != m_flows.end();)
        {
            i = IsOver(i->second, now) ? m_flows.erase(i) : std::next(i);
        }
        m_mostFlows = std::max(FEW_FLOWS, 2 * m_flows.size());
    }

    static constexpr std::size_t FEW_FLOWS = 64; ///< That are always kept.

    const RerouteSettings& m_settings;          ///< Of the switch.
    std::unordered_map<uint64_t, Past> m_flows; ///< By NameOf().
    std::size_t m_mostFlows{FEW_FLOWS};         ///< With which some are forgotten.
};

} // namespace ns3::fabric

#endif // FABRIC_PAST_FLOWS_H
