/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_STORE_CLOCK_H
#define FABRIC_STORE_CLOCK_H

#include "fabric-block-stores.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/**
 * When the packets of a thread are at the adaptor if nothing holds the thread up: it has credits
 * for all of them, and core and PCIe to itself.
 */
class StoreClock
{
  public:
    /// @param settings of PIO; stay where they are @param pcie settings of the link
    StoreClock(const PioSettings& settings, const PcieSettings& pcie)
        : m_settings(settings),
          m_pcie(pcie)
    {
    }

    /**
     * The thread stores a message behind those before it.
     *
     * @param at when it is asked for, ps
     * @param bytes of it
     * @param visit is called for each packet, with its time at the adaptor and its payload
     */
    template <typename Visit>
    void Store(TimePs at, uint64_t bytes, Visit&& visit)
    {
        m_freeAt = std::max(m_freeAt, at);
        uint64_t left = bytes;
        do
        {
            const auto payload =
                static_cast<uint32_t>(std::min<uint64_t>(left, m_settings.packetBytes));
            m_pcie.Advance(m_freeAt);
            const StoredPacket packet =
                StoreBlocks(m_settings, m_pcie, m_core, PioSettings::BlocksOf(payload), m_freeAt);
            m_freeAt = packet.freeAt;
            visit(packet.there, payload);
            left -= payload;
        } while (left != 0);
    }

  private:
    const PioSettings& m_settings; ///< Of PIO.
    PcieLink m_pcie;               ///< That nobody else uses.
    PcieStream m_core;             ///< Of the thread.
    TimePs m_freeAt{0};            ///< When the thread is done with what it has stored, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_STORE_CLOCK_H
