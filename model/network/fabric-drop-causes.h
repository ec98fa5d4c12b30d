/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DROP_CAUSES_H
#define FABRIC_DROP_CAUSES_H

#include "fabric-switch-observer.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ns3::fabric
{

/// Why a device does not accept a packet of its node.
enum class RefusalCause : uint8_t
{
    NIC_QUEUE,           ///< The packets that wait leave no room for it.
    MTU,                 ///< It is larger than a frame.
    UNKNOWN_DESTINATION, ///< No endpoint has its address.
    NO_LINK,             ///< The device has no link.
    COUNT                ///< Number of causes.
};

/// Payload of refused packets, bytes, by RefusalCause.
using RefusedBytes = std::array<uint64_t, static_cast<std::size_t>(RefusalCause::COUNT)>;

/// Names of all causes for which payload is dropped, as results show them.
struct DropCauseNames
{
    /// Of what switches and links drop, by DropCause.
    static constexpr std::array<const char*, static_cast<std::size_t>(DropCause::COUNT)> DROPS{
        "no-route",
        "corrupt",
        "link-down",
        "buffer-full",
        "tail-drop",
        "trimmed",
        "discarded",
        "oversize"};
    /// Of what devices refuse, by RefusalCause.
    static constexpr std::array<const char*, static_cast<std::size_t>(RefusalCause::COUNT)>
        REFUSALS{"nic-queue", "mtu", "unknown-destination", "no-link"};
};

/// @param cause why something is dropped
constexpr const char*
NameOf(DropCause cause)
{
    return DropCauseNames::DROPS[static_cast<std::size_t>(cause)];
}

/// @param cause why something is refused
constexpr const char*
NameOf(RefusalCause cause)
{
    return DropCauseNames::REFUSALS[static_cast<std::size_t>(cause)];
}

} // namespace ns3::fabric

#endif // FABRIC_DROP_CAUSES_H
