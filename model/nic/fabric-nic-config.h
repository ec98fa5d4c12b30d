/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NIC_CONFIG_H
#define FABRIC_NIC_CONFIG_H

#include "fabric-class-map.h"
#include "fabric-receive-settings.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// Settings of a NIC.
struct NicConfig
{
    uint32_t mtu{MAX_PAYLOAD};  ///< Most bytes of payload in a frame.
    ClassMap vcOfClass{};       ///< Virtual channel of each traffic class.
    ReceiveSettings receive;    ///< How it takes what arrives.
    bool arbitratesLanes{true}; ///< Whether it does so where the switch has a lane table (VA-12).
};

} // namespace ns3::fabric

#endif // FABRIC_NIC_CONFIG_H
