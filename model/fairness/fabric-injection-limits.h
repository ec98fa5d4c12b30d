/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INJECTION_LIMITS_H
#define FABRIC_INJECTION_LIMITS_H

#include "fabric-injection-settings.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace ns3::fabric
{

/**
 * What the flows of a host have in the fabric, by injection limit (IF-7, IF-8). Data counts from
 * when a frame may ask its output until it is acknowledged or lost; units are 256 bytes.
 *
 * Limits that are active, since something of theirs is in the fabric, share the limit of the port
 * in proportion to their ratios; so who is alone gets all of it. Each has an absolute limit
 * besides, and the lower one counts.
 */
class InjectionLimits
{
  public:
    /// No limit.
    static constexpr uint64_t NONE = std::numeric_limits<uint64_t>::max();

    /// @param settings that stay where they are
    explicit InjectionLimits(const InjectionSettings& settings)
        : m_settings(settings)
    {
    }

    /// @return the limit as it is now, for one that is or would be active; NONE for none
    uint64_t LimitOf(LimitId id) const
    {
        if (id == UNLIMITED_ID || (id == 0 && m_settings.forcesFirst))
        {
            return NONE;
        }
        const uint32_t absolute = m_settings.limits[id];
        return std::min(absolute == 0 ? NONE : absolute, ShareOf(id));
    }

    /// @return injection_ok: whether there may be room for more
    bool IsOk(LimitId id) const
    {
        return m_injected[id] < LimitOf(id);
    }

    /**
     * @param units of a frame
     * @return whether it may go: it does not pass the limit, or is alone
     */
    bool Allows(LimitId id, uint32_t units) const
    {
        return m_injected[id] == 0 || m_injected[id] + units <= LimitOf(id);
    }

    /// A frame may ask its output.
    void Add(LimitId id, uint32_t units)
    {
        m_injected[id] += units;
    }

    /// Frames are in the fabric no longer, or ask no longer.
    void Remove(LimitId id, uint32_t units)
    {
        m_injected[id] -= units;
    }

    /// @return injected_data: what is in the fabric
    uint64_t Injected(LimitId id) const
    {
        return m_injected[id];
    }

  private:
    /// @return its share of the limit of the port, at least 1
    uint64_t ShareOf(LimitId id) const
    {
        if (m_settings.portLimit == 0)
        {
            return NONE;
        }
        uint64_t sum = 0;
        for (LimitId other = 0; other < INJECTION_LIMITS; ++other)
        {
            const bool isActive = other == id || m_injected[other] != 0;
            sum += isActive ? m_settings.ratios[other] : 0;
        }
        const uint64_t share = uint64_t{m_settings.portLimit} * m_settings.ratios[id] / sum;
        return std::max<uint64_t>(share, 1);
    }

    const InjectionSettings& m_settings;                     ///< Limits and ratios.
    std::array<uint64_t, INJECTION_LIMITS + 1> m_injected{}; ///< By limit, the last unlimited.
};

} // namespace ns3::fabric

#endif // FABRIC_INJECTION_LIMITS_H
