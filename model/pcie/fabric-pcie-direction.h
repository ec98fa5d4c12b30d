/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PCIE_DIRECTION_H
#define FABRIC_PCIE_DIRECTION_H

#include "fabric-types.h"

#include <vector>

namespace ns3::fabric
{

/**
 * One direction of a PCIe link: when it is busy.
 *
 * Time is booked ahead: a completion comes back long after its request was made, and what is sent
 * before then goes into the gap. So spans of time are kept, in order, until they are over.
 */
class PcieDirection
{
  public:
    /**
     * @param earliest the first time at which it may begin, ps
     * @param duration that it takes, ps
     * @return when it begins: in the first gap that is long enough, ps
     */
    TimePs Book(TimePs earliest, TimePs duration);

    /// @param now nothing will be booked before this, ps
    void Forget(TimePs now);

  private:
    /// A time in which the link is busy.
    struct Span
    {
        TimePs begin; ///< ps.
        TimePs end;   ///< ps.
    };

    std::vector<Span> m_busy; ///< In order; none touches the next.
    std::size_t m_first{0};   ///< Those before it are over.
};

} // namespace ns3::fabric

#endif // FABRIC_PCIE_DIRECTION_H
