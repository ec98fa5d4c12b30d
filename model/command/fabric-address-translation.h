/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ADDRESS_TRANSLATION_H
#define FABRIC_ADDRESS_TRANSLATION_H

#include "fabric-mixed-bits.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// Of the cache of addresses of host memory (NQ-10).
struct TranslationSettings
{
    double hitRatio{1};       ///< Packets whose address is in the cache, of all.
    TimePs missTime{600'000}; ///< To ask the host for one: a read over PCIe; chosen, ps.
    uint64_t seed{1};         ///< Of the draws.
};

/// The NIC's cache of addresses: a packet whose address is not there waits for the host (NQ-10).
class AddressTranslation
{
  public:
    /// @param settings that are valid @param side of the NIC; each draws by itself
    AddressTranslation(const TranslationSettings& settings, uint64_t side)
        : m_settings(settings),
          m_seed(MixedBits(settings.seed, side))
    {
    }

    /// @return how long a packet waits for its address, ps
    TimePs Look()
    {
        if (m_settings.hitRatio >= 1)
        {
            return 0;
        }
        const bool isHit = MixedShare(m_seed, ++m_looks) < m_settings.hitRatio;
        m_misses += isHit ? 0 : 1;
        return isHit ? 0 : m_settings.missTime;
    }

    /// @return looks that have found nothing
    uint64_t Misses() const
    {
        return m_misses;
    }

  private:
    TranslationSettings m_settings; ///< The settings.
    uint64_t m_seed;                ///< Of the draws.
    uint64_t m_looks{0};            ///< So far.
    uint64_t m_misses{0};           ///< Of these.
};

} // namespace ns3::fabric

#endif // FABRIC_ADDRESS_TRANSLATION_H
