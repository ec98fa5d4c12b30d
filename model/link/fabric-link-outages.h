/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LINK_OUTAGES_H
#define FABRIC_LINK_OUTAGES_H

#include "fabric-types.h"

#include <algorithm>
#include <vector>

namespace ns3::fabric
{

/**
 * When a host's link is down (WL-8), as its NIC knows it ahead.
 *
 * | state of the link | what happens               | next      |
 * |-------------------|----------------------------|-----------|
 * | in use            | `from` of an outage        | held back |
 * | held back         | `resume` of the outage     | in use    |
 */
class LinkOutages
{
  public:
    /**
     * @param from first instant without it, after that of any earlier call, ps
     * @param known what was started before this time was counted on the other side already, ps
     */
    void Fail(TimePs from, TimePs known)
    {
        m_outages.push_back({from, known, NEVER, NEVER});
    }

    /**
     * The link that has failed last is repaired.
     *
     * @param at when; what was sent before the failure has to be over by then, ps
     * @param quiet how long after a failure that may take, ps
     * @param told for how long after that the NIC waits for what the switch has to say, ps
     * @return when the NIC may send, ps
     */
    TimePs Repair(TimePs at, TimePs quiet, TimePs told)
    {
        Outage& outage = m_outages.back();
        outage.up = std::max(at, outage.from + quiet);
        outage.resume = outage.up + told;
        return outage.resume;
    }

    /// @return the first time after it at which the NIC may send on a link that was repaired, NEVER
    /// for none, ps
    TimePs NextResume(TimePs now) const
    {
        const auto next = std::find_if(m_outages.begin(), m_outages.end(), [&](const Outage& o) {
            return o.resume > now;
        });
        return next == m_outages.end() ? NEVER : next->resume;
    }

    /// @return when something may be sent if it may not be sent now, else 0, ps
    TimePs HeldUntil(TimePs now) const
    {
        const Outage* last = LastAt(now);
        return last && now < last->resume ? last->resume : 0;
    }

    /// @return when the outage has begun because of which something is held back now, ps
    TimePs FailedAt(TimePs now) const
    {
        return LastAt(now)->from;
    }

    /**
     * @param now time, nothing is held back, ps
     * @return when the link came up last, the first time that it is asked; else 0, ps
     */
    TimePs TakeUpTime(TimePs now)
    {
        const Outage* last = LastAt(now);
        if (!last || last->up == m_taken)
        {
            return 0;
        }
        m_taken = last->up;
        return m_taken;
    }

    /**
     * @param start of a frame toward the host, ps
     * @return whether the link fails before
     */
    bool Cuts(TimePs start, TimePs tail) const
    {
        return std::any_of(m_outages.begin(), m_outages.end(), [&](const Outage& outage) {
            return start >= outage.known && start < outage.from && tail > outage.from;
        });
    }

  private:
    /// A time without the link.
    struct Outage
    {
        TimePs from;   ///< First instant, ps.
        TimePs known;  ///< See Fail(), ps.
        TimePs up;     ///< First instant after it, ps.
        TimePs resume; ///< First instant at which the NIC may send, ps.
    };

    /// @return the last outage that has begun, null for none
    const Outage* LastAt(TimePs now) const
    {
        const auto later = std::find_if(m_outages.rbegin(), m_outages.rend(), [&](const Outage& o) {
            return o.from <= now;
        });
        return later == m_outages.rend() ? nullptr : &*later;
    }

    std::vector<Outage> m_outages; ///< By time.
    TimePs m_taken{0};             ///< What TakeUpTime() has given, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_LINK_OUTAGES_H
