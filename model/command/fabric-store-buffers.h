/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_STORE_BUFFERS_H
#define FABRIC_STORE_BUFFERS_H

#include "fabric-types.h"

#include <array>
#include <cstdint>

namespace ns3::fabric
{

/**
 * What a core has stored to the NIC, and PCIe has not begun to carry: it waits when its buffers are
 * full, so that stores don't pile up before what else goes to the NIC.
 */
class StoreBuffers
{
  public:
    static constexpr uint32_t LINES = 10; ///< Line fill buffers of cores of x86; chosen.

    /// A store is made. @param begin when PCIe begins to carry it, no earlier than the one before,
    /// ps @return when there is room for the next one, ps
    TimePs Add(TimePs begin)
    {
        m_begins[m_next] = begin;
        m_next = (m_next + 1) % LINES;
        return m_begins[m_next];
    }

  private:
    std::array<TimePs, LINES> m_begins{}; ///< Of the last stores, ps.
    uint32_t m_next{0};                   ///< The oldest of them.
};

} // namespace ns3::fabric

#endif // FABRIC_STORE_BUFFERS_H
