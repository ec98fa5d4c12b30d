/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_STORES_H
#define FABRIC_COMMAND_STORES_H

#include "fabric-timed-ring.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// What a processor stores into the NIC.
struct CommandStore
{
    TimePs at;         ///< When it is there, ps.
    uint32_t queue;    ///< Number of the command queue.
    uint64_t position; ///< New write pointer; or of the slot of a piece.
    uint8_t words;     ///< As CommandPiece::words; 0 for a doorbell.
};

/// Stores on their way to the NIC, by time.
using CommandStores = TimedRing<CommandStore>;

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_STORES_H
