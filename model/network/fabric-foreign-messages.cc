/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-foreign-messages.h"

#include <algorithm>
#include <utility>

namespace ns3::fabric
{

void
ForeignMessages::Begin(const Origin& origin, uint32_t handle)
{
    std::vector<uint32_t>& handles = m_handles[origin.rank];
    handles.resize(std::max<std::size_t>(handles.size(), origin.handle + 1));
    handles[origin.handle] = handle;
    m_origins.resize(std::max<std::size_t>(m_origins.size(), handle + 1));
    m_origins[handle] = origin;
}

ForeignMessages::Origin
ForeignMessages::End(uint32_t handle)
{
    return handle < m_origins.size() ? std::exchange(m_origins[handle], {}) : Origin();
}

} // namespace ns3::fabric
