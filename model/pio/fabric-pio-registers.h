/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIO_REGISTERS_H
#define FABRIC_PIO_REGISTERS_H

#include "fabric-send-context.h"
#include "fabric-timed-ring.h"

#include <cstdint>

namespace ns3::fabric
{

/// What a processor stores into the adaptor.
enum class PioStoreKind : uint8_t
{
    PACKET,         ///< All blocks of a packet; the last of them is there.
    FORCE,          ///< Return the credits of a context.
    INTERRUPTS_ON,  ///< Interrupt when credits of a context come back; returns them now.
    INTERRUPTS_OFF, ///< Do so no longer.
    THRESHOLD,      ///< Return the credits of a context at another threshold; and now.
    DOORBELL,       ///< There are more descriptors in the ring of an SDMA engine.
};

/// Stores that come to the adaptor.
struct PioStore
{
    TimePs at;         ///< When the last of them is there, ps.
    PioStoreKind kind; ///< What they are.
    uint32_t unit;     ///< Number of the context, or of the SDMA engine.
    uint32_t slot;     ///< First one of the packet; or the threshold, or the tail of the ring.
    ControlWord word;  ///< Of the packet.
};

/// Stores on their way to the adaptor, by time.
using PioStores = TimedRing<PioStore>;

} // namespace ns3::fabric

#endif // FABRIC_PIO_REGISTERS_H
