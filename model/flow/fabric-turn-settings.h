/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TURN_SETTINGS_H
#define FABRIC_TURN_SETTINGS_H

#include "fabric-frame.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

/// Between what an output is shared fairly.
enum Arbitration
{
    ARBITRATE_BY_FLOW, ///< Between flow channels (for frames of no flow: virtual output queues).
    ARBITRATE_BY_PORT, ///< Between input ports; inside an input port who came first is served
                       ///< first.
};

/// How long a turn at an output is.
enum TurnUnit
{
    TURNS_BY_FRAMES, ///< One frame, whatever its size.
    TURNS_BY_BYTES,  ///< So many bytes on the wire as all others get (deficit round robin).
};

/// Settings of the turns at an output.
struct TurnSettings
{
    static constexpr uint32_t LEAST_QUANTUM = 64;       ///< Bytes.
    static constexpr uint32_t MOST_QUANTUM = 64 * 1024; ///< Bytes.

    TurnUnit unit{TURNS_BY_FRAMES};             ///< What is counted.
    uint32_t quantum{WireBytes(JUMBO_PAYLOAD)}; ///< Of a turn by bytes, on the wire.

    /// @return whether anything was set that turns by frames don't have
    bool HasIdleQuantum() const
    {
        return unit == TURNS_BY_FRAMES && quantum != TurnSettings().quantum;
    }

    /// @throws std::invalid_argument with a sentence if the quantum is out of bounds
    void Validate() const
    {
        if (quantum < LEAST_QUANTUM || quantum > MOST_QUANTUM)
        {
            throw std::invalid_argument("TurnQuantum is " + std::to_string(quantum) +
                                        " bytes, allowed are " + std::to_string(LEAST_QUANTUM) +
                                        " to " + std::to_string(MOST_QUANTUM));
        }
    }
};

} // namespace ns3::fabric

#endif // FABRIC_TURN_SETTINGS_H
