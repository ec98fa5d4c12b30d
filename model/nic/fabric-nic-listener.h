/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NIC_LISTENER_H
#define FABRIC_NIC_LISTENER_H

#include "fabric-frame.h"
#include "fabric-wire-step.h"

#include <cstdint>

namespace ns3::fabric
{

/// Is told what a NIC receives, ahead of time: with the time at which it will be complete. And what
/// it sends, once it has.
class NicListener
{
  public:
    virtual ~NicListener() = default;

    /**
     * @param handle of a message in the message table
     * @param at when its last byte arrives, ps
     */
    virtual void MessageComplete(uint32_t handle, TimePs at) = 0;

    /**
     * @param frame carries a user's packet
     * @param at when its last byte arrives, ps
     */
    virtual void PacketComplete(const Frame& frame, TimePs at) = 0;

    /// @param handle of a message of which nothing is under way any more, and a part is lost
    virtual void MessageLost(uint32_t handle) = 0;

    /// @param frame arrives damaged and is dropped
    virtual void FrameDamaged(const Frame& frame)
    {
        (void)frame;
    }

    /**
     * A frame leaves the wire of an uplink whose frames can be interrupted (VA-9).
     *
     * @param frame that was on the wire
     * @param segment the run of its bytes that ends now
     */
    virtual void SegmentSent([[maybe_unused]] const Frame& frame,
                             [[maybe_unused]] const WireSegment& segment,
                             [[maybe_unused]] TimePs now)
    {
    }
};

} // namespace ns3::fabric

#endif // FABRIC_NIC_LISTENER_H
