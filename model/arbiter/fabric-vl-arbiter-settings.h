/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_VL_ARBITER_SETTINGS_H
#define FABRIC_VL_ARBITER_SETTINGS_H

#include "fabric-bandwidth-meter.h"
#include "fabric-link-rate.h"
#include "fabric-turn-table.h"

#include <cstdint>

namespace ns3::fabric
{

/// What is checked by a meter (VA-5).
enum CheckMode
{
    CHECK_LANES,  ///< Each lane; lanes have turns.
    CHECK_GROUPS, ///< The lane that each group has chosen; groups have turns.
};

/// What happens to packets that do not conform (VA-4).
enum OverTreatment
{
    OVER_DEMOTE,     ///< They go to the Over-Bandwidth level.
    OVER_DISQUALIFY, ///< They wait until they conform.
};

/// When a packet is checked (VA-7).
enum CheckTime
{
    CHECK_AT_PACKETS, ///< Until it starts; what has started as conforming ends so.
    CHECK_AT_FLITS,   ///< At each of its flits too.
};

/// Settings of an arbiter.
struct VlArbiterSettings
{
    LinkRate rate;                         ///< Of the link.
    MeterSettings meter;                   ///< Of all groups' meters.
    CheckMode mode{CHECK_LANES};           ///< What is checked.
    OverTreatment over{OVER_DEMOTE};       ///< What happens to packets that do not conform.
    CheckTime checkTime{CHECK_AT_PACKETS}; ///< When a packet is checked.
    bool chargeOver{false};                ///< Whether those are charged too (VA-8).
    /// Between lanes or groups of a level. Round robin can starve a lane: see TurnPolicy.
    TurnPolicy turns{LEAST_RECENTLY_USED};
    uint32_t flitBytes{8}; ///< Omni-Path's flit, 8 B (95-facts.md).

    /// @return whether all is equal
    bool operator==(const VlArbiterSettings& other) const
    {
        return rate.BitsPerSecond() == other.rate.BitsPerSecond() && meter == other.meter &&
               mode == other.mode && over == other.over && checkTime == other.checkTime &&
               chargeOver == other.chargeOver && turns == other.turns &&
               flitBytes == other.flitBytes;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_VL_ARBITER_SETTINGS_H
