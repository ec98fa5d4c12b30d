/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DEPARTING_PACKET_H
#define FABRIC_DEPARTING_PACKET_H

#include "fabric-command-packet.h"

#include <cstdint>

namespace ns3::fabric
{

inline constexpr uint32_t NO_FLOW_QUEUE = 0xFFFFFFFF; ///< Of what comes from no flow queue.

/// A packet on its way to the wire.
struct DepartingPacket
{
    TimePs at{0};                      ///< When it is ready, ps.
    uint32_t nicQueue{0};              ///< Number of the NIC's queue.
    uint32_t flowQueue{NO_FLOW_QUEUE}; ///< Where it comes from.
    uint32_t fetched{0};               ///< Bytes that were read over PCIe for it.
    uint8_t trafficClass{0};           ///< Of the flow.
    bool isLast{false};                ///< Of its command.
    bool isShaped{false};              ///< Whether the shaper says when it may go.
    CommandPacket packet;              ///< What it is.
};

} // namespace ns3::fabric

#endif // FABRIC_DEPARTING_PACKET_H
