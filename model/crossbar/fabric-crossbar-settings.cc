/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-crossbar-settings.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

const char*
CrossbarSettings::IdleAttribute() const
{
    const CrossbarSettings initial;
    const std::pair<const char*, bool> changed[] = {
        {"CrossbarRows", rows != initial.rows},
        {"CrossbarTilePorts", portsPerTile != initial.portsPerTile},
        {"CrossbarSpeedup", speedup != initial.speedup},
        {"CrossbarTransit", transit != initial.transit},
        {"CrossbarTileBuffer", tileBufferBytes != initial.tileBufferBytes},
        {"CrossbarOutputBuffer", outputBufferBytes != initial.outputBufferBytes},
        {"AgeQueuePlaces", ageQueue.places != initial.ageQueue.places},
        {"AgeQueueFixedPlaces", ageQueue.fixedPlaces != initial.ageQueue.fixedPlaces},
        {"AgeQueueSharedFraction", ageQueue.sharedFraction != initial.ageQueue.sharedFraction},
    };
    const auto* const first = std::find_if(std::begin(changed),
                                           std::end(changed),
                                           [](const auto& one) { return one.second; });
    return IsTiled() || first == std::end(changed) ? nullptr : first->first;
}

void
CrossbarSettings::Validate(TimePs latency, uint32_t ports, uint32_t lists) const
{
    if (!IsTiled())
    {
        return;
    }
    if (latency < transit)
    {
        throw std::invalid_argument("Latency is " + std::to_string(latency) +
                                    " ps, and with Crossbar=tiled CrossbarTransit is a part of it; "
                                    "allowed is at least " +
                                    std::to_string(transit) + " ps");
    }
    if (const uint64_t fixed = uint64_t{ports} * lists * ageQueue.fixedPlaces;
        fixed > ageQueue.places)
    {
        throw std::invalid_argument(
            "AgeQueuePlaces is " + std::to_string(ageQueue.places) + "; allowed is at least " +
            std::to_string(fixed) + ", AgeQueueFixedPlaces (" +
            std::to_string(ageQueue.fixedPlaces) + ") for each of " + std::to_string(ports) +
            " inputs and " + std::to_string(lists) + " virtual channels or lanes");
    }
}

} // namespace ns3::fabric
