/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SLOW_PATHS_H
#define FABRIC_SLOW_PATHS_H

#include "fabric-types.h"

#include <vector>

namespace ns3::fabric
{

/**
 * Which flows of a host are slow: what they have under way has not been heard of for a time (CM-9).
 *
 * A flow keeps its path while anything of it is under way. Flows on free paths end soon and choose
 * anew, and those on slow ones stay, so that flows gather there. Therefore a slow flow lets its
 * next frame wait, and chooses anew when nothing is under way. That path may be slow, too, but who
 * has a fast one stays no longer than before: as with flowlets (Vanini et al., "Let it flow", NSDI
 * 2017) slow paths lose more flows than they get, though nobody knows which they are.
 */
class SlowPaths
{
  public:
    /// @param after without word a flow is slow, ps
    explicit SlowPaths(TimePs after)
        : m_after(after)
    {
    }

    /// A flow begins, or something of it has been acknowledged. @param flow its flow_id
    void Hear(FlowId flow, TimePs now)
    {
        if (flow >= m_heardAt.size())
        {
            m_heardAt.resize(flow + 1);
        }
        m_heardAt[flow] = now;
    }

    /**
     * @param flow flow_id of one that has begun
     * @return whether nothing has been heard of it for longer than the time
     */
    bool IsSlow(FlowId flow, TimePs now) const
    {
        return now - m_heardAt[flow] > m_after;
    }

    /// A slow flow is to leave its path.
    void CountMove()
    {
        ++m_moves;
    }

    /// @return how often slow flows were to leave their paths
    uint64_t Moves() const
    {
        return m_moves;
    }

  private:
    TimePs m_after;                ///< See the constructor.
    std::vector<TimePs> m_heardAt; ///< By flow_id: when it was heard of last, ps.
    uint64_t m_moves{0};           ///< See Moves().
};

} // namespace ns3::fabric

#endif // FABRIC_SLOW_PATHS_H
