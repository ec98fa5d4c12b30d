/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NOTIFICATION_POINT_H
#define FABRIC_NOTIFICATION_POINT_H

#include "fabric-types.h"

namespace ns3::fabric
{

/// The receiver's part of DCQCN (Zhu et al., SIGCOMM'15, section 3.1, NP) for one connection: when
/// a marked packet is answered by a CNP.
class NotificationPoint
{
  public:
    /**
     * A packet has come that was marked on its way.
     *
     * @param interval between two CNPs, ps
     * @return whether a CNP is sent at once
     */
    bool TakeMark(TimePs now, TimePs interval)
    {
        if (now - interval < m_lastCnp)
        {
            return false;
        }
        m_lastCnp = now;
        return true;
    }

  private:
    TimePs m_lastCnp{-NEVER}; ///< ps.
};

} // namespace ns3::fabric

#endif // FABRIC_NOTIFICATION_POINT_H
