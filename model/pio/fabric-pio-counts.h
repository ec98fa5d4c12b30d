/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIO_COUNTS_H
#define FABRIC_PIO_COUNTS_H

#include "fabric-types.h"

#include <array>
#include <cstdint>

namespace ns3::fabric
{

/// What the adaptor has done.
struct PioAdaptorCounts
{
    uint64_t packets{0};     ///< That have left, by PIO.
    uint64_t sdmaPackets{0}; ///< That have left, by SDMA.
    uint64_t returns{0};     ///< Writes of credits.
    uint64_t returnBytes{0}; ///< Of them, with what goes around their data, bytes.
    uint64_t lostReturns{0}; ///< That were lost.
    uint64_t interrupts{0};  ///< Raised.
    uint64_t halted{0};      ///< Contexts that software has overrun.
};

/// What software has done.
struct PioHostCounts
{
    uint64_t stalls{0};              ///< Packets that had to wait for credits, or a descriptor.
    TimePs stallTime{0};             ///< Of those that are over, ps.
    uint64_t forced{0};              ///< Returns that were forced.
    std::array<uint64_t, 3> looks{}; ///< Packets by where room was found, see CreditLook.
};

} // namespace ns3::fabric

#endif // FABRIC_PIO_COUNTS_H
