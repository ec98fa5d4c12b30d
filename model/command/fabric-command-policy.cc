/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-policy.h"

namespace ns3::fabric
{

std::unique_ptr<CommandPolicy>
MakeCommandPolicy(const CommandSettings& settings)
{
    switch (settings.path)
    {
    case PATH_MEMORY:
        return std::make_unique<MemoryPolicy>();
    case PATH_LOW_LATENCY:
        return std::make_unique<LowLatencyPolicy>();
    default:
        return std::make_unique<DynamicPolicy>(settings.dynamic);
    }
}

} // namespace ns3::fabric
