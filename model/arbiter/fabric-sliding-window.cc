/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-sliding-window.h"

namespace ns3::fabric
{

TimePs
SlidingWindow::EndOfExcess(const WindowRule& window) const
{
    if (window.limit == 0)
    {
        return NEVER;
    }
    uint64_t sum = m_sum;
    int64_t slot = m_newest - SLOTS;
    while (sum >= window.limit)
    {
        ++slot;
        sum -= m_slots[static_cast<uint64_t>(slot + SLOTS) % SLOTS];
    }
    return (slot + SLOTS) * window.slotTime;
}

} // namespace ns3::fabric
