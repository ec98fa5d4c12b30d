/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-engine-slot.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

void
EngineSlot::RefuseTime(TimePs now) const
{
    throw std::logic_error("engine of a NIC: a step at " + std::to_string(now) +
                           " ps, allowed are times from " + std::to_string(m_now) + " ps on");
}

} // namespace ns3::fabric
