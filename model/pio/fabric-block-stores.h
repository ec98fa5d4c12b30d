/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BLOCK_STORES_H
#define FABRIC_BLOCK_STORES_H

#include "fabric-pcie-link.h"
#include "fabric-pio-settings.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/// Times of a packet that a core stores.
struct StoredPacket
{
    TimePs there;  ///< All of it is at the adaptor, ps.
    TimePs freeAt; ///< The core goes on, ps.
};

/**
 * A core stores a packet into the blocks of a send context.
 *
 * @param settings of PIO
 * @param pcie to the adaptor
 * @param core what it has stored so far
 * @param blocks of the packet
 * @param from when it begins, ps
 */
inline StoredPacket
StoreBlocks(const PioSettings& settings,
            PcieLink& pcie,
            PcieStream& core,
            uint32_t blocks,
            TimePs from)
{
    TimePs done = from + settings.packetTime;
    TimePs there = 0;
    for (uint32_t i = 0; i < blocks; ++i)
    {
        done += settings.blockTime;
        there = pcie.Store(core, BLOCK_BYTES, done);
    }
    // The buffers of the core are full while the link is busy.
    return {there, std::max(done, core.lastBegin)};
}

} // namespace ns3::fabric

#endif // FABRIC_BLOCK_STORES_H
