/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RESOURCE_POOL_H
#define FABRIC_RESOURCE_POOL_H

#include "fabric-transport-counters.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/// Entries of a CAM or bytes of a memory that all connections of a NIC share (RT-11).
class ResourcePool
{
  public:
    /// @param limit how much there is
    explicit ResourcePool(uint64_t limit)
    {
        m_table.limit = limit;
    }

    /**
     * @param amount wanted
     * @return whether there is so much left
     */
    bool Has(uint64_t amount) const
    {
        return m_table.used + amount <= m_table.limit;
    }

    /// @param amount that is taken; the caller has asked Has() or has reserved it otherwise
    void Take(uint64_t amount)
    {
        m_table.used += amount;
        m_table.peak = std::max(m_table.peak, m_table.used);
    }

    /// @param amount that is given back, at most what was taken
    void Give(uint64_t amount)
    {
        m_table.used -= amount;
    }

    /// @return how full it is and has been
    const TableOccupancy& Occupancy() const
    {
        return m_table;
    }

    /// @return what is taken
    uint64_t Used() const
    {
        return m_table.used;
    }

  private:
    TableOccupancy m_table; ///< State.
};

} // namespace ns3::fabric

#endif // FABRIC_RESOURCE_POOL_H
