/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_WAITS_H
#define FABRIC_SWITCH_WAITS_H

#include "fabric-agenda.h"
#include "fabric-switch-ports.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// What frames in a switch wait for that does not come by itself.
enum class WaitCause : uint8_t
{
    ROOM,         ///< Space in the buffer at the other end of the output's link.
    FLOW_CHANNEL, ///< A flow_id of that link (FC-9).
    HOP_CREDITS,  ///< Hop credits of the other end (CM-5).
    ACKS,         ///< Acknowledgements of what was sent there.
    LINK,         ///< The repair of the link.
    HOST,         ///< The host, which holds the switch back.
    RESET,        ///< The reset of the input, which a frame over the largest size blocks.
};

/// Frames in the input buffer of a port that wait.
struct SwitchWait
{
    uint32_t input;  ///< Port in whose buffer they are.
    uint32_t output; ///< Port by which they are to leave.
    WaitCause cause; ///< What they wait for.

    /// @return whether all is equal
    bool operator==(const SwitchWait& other) const
    {
        return input == other.input && output == other.output && cause == other.cause;
    }
};

/**
 * Whether a switch does nothing any more but to repeat pauses, and to look whether they are over.
 *
 * @param ports of the switch, which changes no settings any more
 * @param agenda what it has to do
 */
bool IsAtRest(const SwitchPorts& ports, const Agenda& agenda);

/**
 * @param ports of a switch that is at rest
 * @return what its frames wait for, each of it once
 */
std::vector<SwitchWait> FindWaits(const SwitchPorts& ports);

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_WAITS_H
