/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RECENT_MAXIMUM_H
#define FABRIC_RECENT_MAXIMUM_H

#include "fabric-types.h"

#include <algorithm>

namespace ns3::fabric
{

/// The longest of some times since one or two periods began.
class RecentMaximum
{
  public:
    /// @param time ps, at least 0
    void Add(TimePs time)
    {
        m_current = std::max(m_current, time);
    }

    /// A period is over: what was before it is forgotten.
    void NextPeriod()
    {
        m_previous = m_current;
        m_current = 0;
    }

    /// @return the longest of this period and the last one, ps; 0 if there was none
    TimePs Get() const
    {
        return std::max(m_current, m_previous);
    }

    /// @return a quarter more than that, which leaves room for a time that is a little longer, ps
    TimePs WithMargin() const
    {
        return Get() + Get() / 4;
    }

  private:
    TimePs m_current{0};  ///< Of this period, ps.
    TimePs m_previous{0}; ///< Of the last one, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_RECENT_MAXIMUM_H
