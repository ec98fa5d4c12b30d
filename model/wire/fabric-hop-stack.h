/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HOP_STACK_H
#define FABRIC_HOP_STACK_H

#include "fabric-frame.h"

#include <array>

namespace ns3::fabric
{

/// What an output of a switch writes on a packet that it sends: in-band network telemetry, INT.
struct HopRecord
{
    TimePs time;       ///< When the packet's first byte is on the wire, ps.
    uint64_t sent;     ///< Bytes that the output has sent before.
    uint64_t rate;     ///< Of its link, b/s.
    uint32_t queued;   ///< Bytes that wait for it then, without the packet.
    uint16_t switchId; ///< Number of the switch.
    uint16_t port;     ///< The output.
};

/// Switches that may write on one packet at most.
inline constexpr uint32_t MOST_HOPS = 8;

/// What the switches on its way have written on a packet, the nearest to the sender first.
struct HopStack
{
    std::array<HopRecord, MOST_HOPS> hops; ///< The first `count` are valid.
    uint32_t count;                        ///< So many have written.
    uint32_t room;                         ///< So many may; 0 if nobody is to write on it.

    /// Makes it empty. @param most as `room`
    void Clear(uint32_t most)
    {
        count = 0;
        room = most;
    }

    /// Adds a record, if there is room for it.
    void Push(const HopRecord& hop)
    {
        if (count < room)
        {
            hops[count++] = hop;
        }
    }

    /// @return whether both have the records of the same outputs
    bool IsOfWay(const HopStack& other) const
    {
        bool isSame = count == other.count;
        for (uint32_t i = 0; isSame && i < count; ++i)
        {
            isSame =
                hops[i].switchId == other.hops[i].switchId && hops[i].port == other.hops[i].port;
        }
        return isSame;
    }
};

/// Knows what belongs to a frame and does not stand in it.
class HopStackSource
{
  public:
    virtual ~HopStackSource() = default;

    /// @param frame with a packet of the transport @return the records of the packet
    virtual HopStack& StackOf(const Frame& frame) = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_HOP_STACK_H
