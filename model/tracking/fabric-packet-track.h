/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PACKET_TRACK_H
#define FABRIC_PACKET_TRACK_H

#include <cstdint>

namespace ns3::fabric
{

/// How packets of a connection are tracked (NQ-11).
enum class TrackClass : uint8_t
{
    SINGLE,  ///< One by one: those of operations that may come in any order.
    ORDERED, ///< All of a connection together: those that must come in the order they were sent.
};

inline constexpr uint32_t TRACK_CLASSES = 2; ///< How many there are.

/// What a packet says of itself.
struct PacketTrack
{
    uint32_t sequence{0};                ///< In its class, from 0 in each epoch.
    uint8_t epoch{0};                    ///< Of its connection; 0: it is not tracked.
    TrackClass kind{TrackClass::SINGLE}; ///< How it is tracked.
};

/// What a packet says of those that have come the other way.
struct PacketAcks
{
    uint64_t singles{0};     ///< Bit i: SINGLE packet singleBase + i has come.
    uint32_t singleBase{0};  ///< All SINGLE packets before this one have come.
    uint32_t orderedBase{0}; ///< All ORDERED packets before this one have come.
    uint8_t epoch{0};        ///< Of the connection; 0: it says nothing.
    bool isNotReady{false};  ///< The target has refused ORDERED packet orderedBase for now.
    bool isMissing{false};   ///< Behind those that have come in order one is missing.
    uint8_t taken{0};        ///< ORDERED packets from orderedBase on that have come, and are not
                             ///< done: the one behind them is missing, if one is.
};

/// @return the epoch after one
inline uint8_t
NextEpoch(uint8_t epoch)
{
    return epoch == 255 ? 1 : static_cast<uint8_t>(epoch + 1);
}

/// @return whether an epoch is later than another one; both are recent
inline bool
IsLaterEpoch(uint8_t epoch, uint8_t other)
{
    return static_cast<int8_t>(epoch - other) > 0;
}

} // namespace ns3::fabric

#endif // FABRIC_PACKET_TRACK_H
