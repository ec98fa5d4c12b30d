/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INJECTION_SETTINGS_H
#define FABRIC_INJECTION_SETTINGS_H

#include "fabric-group-rules.h"

#include <array>
#include <cstdint>

namespace ns3::fabric
{

/// Number of an injection limit (ILID); UNLIMITED_ID has none.
using LimitId = uint8_t;

inline constexpr uint32_t INJECTION_LIMITS = 8; ///< Injection limits of a port (IF-1).
inline constexpr LimitId UNLIMITED_ID = 8;      ///< Of groups that have no limit.

/// What a host may have in the fabric, and how its applications share that (IF-1 to IF-8).
struct InjectionSettings
{
    InjectionSettings()
    {
        ratios.fill(1);
        limitIds[NO_FLOW_GROUP] = UNLIMITED_ID;
    }

    /// NODE_LIMIT: of all flows of a host together, units of 256 bytes; 0 for none (CM-8, IF-8).
    uint32_t portLimit{0};
    std::array<uint32_t, INJECTION_LIMITS> ratios; ///< RATIO: how the limits share portLimit.
    /// Absolute limits, units of 256 bytes; 0 for none.
    std::array<uint32_t, INJECTION_LIMITS> limits{};
    std::array<LimitId, APPLICATION_GROUPS> limitIds{}; ///< By group.
    GroupRules groups;                                  ///< Which group a flow that begins is in.
    bool forcesFirst{false}; ///< FORCE_INJECTION_OK_0: limit 0 holds nobody back.

    /// @return whether anything is limited
    bool IsOn() const
    {
        bool isOn = portLimit != 0;
        for (const uint32_t limit : limits)
        {
            isOn = isOn || limit != 0;
        }
        return isOn;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_INJECTION_SETTINGS_H
