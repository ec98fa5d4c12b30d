/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PLANNED_CHANGES_H
#define FABRIC_PLANNED_CHANGES_H

#include "fabric-types.h"

#include <functional>
#include <vector>

namespace ns3::fabric
{

/// What is known ahead to happen to a switch; it comes first at its instant (DP-7).
class PlannedChanges
{
  public:
    /// Kinds of changes, in the order of equal times.
    enum class Kind : uint8_t
    {
        SETTINGS, ///< Settings change.
        END_CUT,  ///< What was sent before a failure would have come in.
        REPAIR,   ///< A link is repaired.
        FAIL,     ///< A link fails.
        WAYS,     ///< Routing changes.
        CUT,      ///< What was in when a link failed has taken effect.
    };

    /// What is known ahead.
    struct Change
    {
        TimePs at;                         ///< When, ps.
        Kind kind;                         ///< What kind of change.
        uint32_t port;                     ///< Which port; 0 for the whole switch.
        bool wakes;                        ///< Whether it matters though nothing else happens.
        std::function<void(TimePs)> apply; ///< What; its argument is the time, ps.
    };

    /// @param change comes at its time; of equal ones, by kind and port, the later call comes last
    void Plan(Change change);

    /// @return when the first comes, NEVER for none, ps
    TimePs First() const
    {
        return m_changes.empty() ? NEVER : m_changes.front().at;
    }

    /// @return the first, removed
    Change Take();

    /// @return when the first comes for which lanes or a link may wait though nothing else happens,
    /// NEVER for none, ps
    TimePs FirstWaking() const
    {
        return m_changes.empty() ? NEVER : FindFirstWaking();
    }

  private:
    /// @return the same where there are changes
    TimePs FindFirstWaking() const;

    std::vector<Change> m_changes; ///< By time.
};

} // namespace ns3::fabric

#endif // FABRIC_PLANNED_CHANGES_H
