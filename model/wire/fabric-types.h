/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TYPES_H
#define FABRIC_TYPES_H

#include <cstdint>
#include <limits>

namespace ns3::fabric
{

/// Simulated time in picoseconds: at 200 Gb/s a 32-byte unit lasts 1.28 ns, so ns would round.
using TimePs = int64_t;

/// A time that never comes.
inline constexpr TimePs NEVER = std::numeric_limits<TimePs>::max();

inline constexpr uint32_t MAX_THREADS = 256; ///< Of a simulation; a bound for options, chosen.

/// Address of an endpoint in the fabric (WL-1). 0 is no endpoint.
using LocationId = uint16_t;

inline constexpr LocationId FIRST_UNICAST = 0x0001; ///< Lowest unicast location (WL-1).
inline constexpr LocationId LAST_UNICAST = 0xBFFF;  ///< Highest unicast location (WL-1).
inline constexpr LocationId FIRST_GROUP = 0xC000;   ///< Lowest multicast location (WL-1).
/// Lowest location of a reduction (SW-14); those below it are of groups. Chosen: half of them.
inline constexpr LocationId FIRST_REDUCTION = 0xE000;

/// Identifies a flow channel on one link: 11 bits, 0 means 'no flow' (WL-1, FC-9).
using FlowId = uint16_t;

inline constexpr FlowId NO_FLOW = 0; ///< The frame belongs to no flow channel (FC-14).
inline constexpr uint32_t FLOW_IDS_PER_LINK = 2048; ///< 11 bits, with NO_FLOW among them (FC-9).

inline constexpr uint32_t VIRTUAL_CHANNELS = 4; ///< 2 bits in the header (WL-1).
inline constexpr uint32_t TRAFFIC_CLASSES = 16; ///< 4 bits of FTAG in the header (WL-1).

inline constexpr uint32_t DATA_FLOW_UNIT = 256; ///< Bytes per unit of data_flow (WL-1, FC-5).

inline constexpr uint32_t HEADER_BYTES = 20;  ///< Fabric header (WL-1).
inline constexpr uint32_t FCS_BYTES = 4;      ///< 32-bit frame check sequence (WL-2).
inline constexpr uint32_t MAX_PAYLOAD = 4096; ///< Largest payload of a frame (WL-1).
inline constexpr uint32_t JUMBO_PAYLOAD =
    9000; ///< Largest payload where jumbo frames are on (WL-1).

/**
 * @param payload bytes of payload of a frame
 * @return the units of data_flow that the frame takes; an empty frame takes one, so that it is
 * acknowledged
 */
inline constexpr uint32_t
FlowUnits(uint32_t payload)
{
    return payload == 0 ? 1 : (payload + DATA_FLOW_UNIT - 1) / DATA_FLOW_UNIT;
}

/**
 * @param payload bytes of payload of a frame
 * @return bytes that the frame takes on a link
 */
inline constexpr uint32_t
WireBytes(uint32_t payload)
{
    return payload + HEADER_BYTES + FCS_BYTES;
}

} // namespace ns3::fabric

#endif // FABRIC_TYPES_H
