/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_OBSERVER_H
#define FABRIC_SWITCH_OBSERVER_H

#include "fabric-credit-order.h"
#include "fabric-fgfc-order.h"
#include "fabric-frame.h"
#include "fabric-input-queue.h"
#include "fabric-pause-order.h"
#include "fabric-shaper.h"
#include "fabric-vl-arbiter.h"
#include "fabric-wire-step.h"

#include <cstdint>

namespace ns3::fabric
{

struct AckBatch;

/// Why a switch drops a frame.
enum class DropCause : uint8_t
{
    NO_ROUTE,    ///< No port leads to its destination (FC-12).
    CORRUPT,     ///< Its check code is wrong (WL-4).
    LINK_DOWN,   ///< It was on a link that failed (WL-8).
    BUFFER_FULL, ///< Its sender was to be paused, and the pause was lost or late (WL-5).
    TAIL_DROP,   ///< Its class is lossy, and the input buffer has enough of it (FC-15).
    TRIMMED,     ///< The same, but its header goes on: only the payload that was cut off counts.
    DISCARDED,   ///< Its host was to send no frames of its class (IF-9).
    OVERSIZE,    ///< It is over the largest size, and blocks its port (SW-15).
    COUNT        ///< Number of causes.
};

/// Sees what happens in a switch, at the time at which it happens.
class SwitchObserver
{
  public:
    virtual ~SwitchObserver() = default;

    /**
     * @param frame that takes effect
     * @param now time, ps
     */
    virtual void Arrived(uint32_t port, const Frame& frame, TimePs now) = 0;

    /**
     * @param frame whose first bit is on the wire
     * @param now time, ps
     */
    virtual void Sent(uint32_t port, const Frame& frame, TimePs now) = 0;

    /**
     * @param frame that is dropped
     * @param cause why
     * @param now time, ps
     */
    virtual void Dropped(uint32_t port, const Frame& frame, DropCause cause, TimePs now) = 0;

    /**
     * A frame of a lossy class has found no room and loses its payload (FC-15).
     *
     * @param frame as it has come
     * @param header what is left of it and goes on
     */
    virtual void Trimmed([[maybe_unused]] uint32_t port,
                         [[maybe_unused]] const Frame& frame,
                         [[maybe_unused]] const Frame& header,
                         [[maybe_unused]] TimePs now)
    {
    }

    /**
     * A frame has joined the queue of its flow channel, and counts in its extents.
     *
     * @param port where it has come in
     * @param frame with its flow_id there
     */
    virtual void Joined([[maybe_unused]] uint32_t port,
                        [[maybe_unused]] const Frame& frame,
                        [[maybe_unused]] TimePs now)
    {
    }

    /**
     * A frame that Sent() has told of has left the queue of its flow channel, and counts in its
     * extents as sent. What this acknowledges at once, as toward a host, comes after.
     *
     * @param from names the queue
     * @param output port by which it goes
     * @param frame with its flow_id there
     */
    virtual void Left([[maybe_unused]] QueueRef from,
                      [[maybe_unused]] uint32_t output,
                      [[maybe_unused]] const Frame& frame,
                      [[maybe_unused]] TimePs now)
    {
    }

    /**
     * A flow channel ends at an input port: its record is still there.
     *
     * @param port where its frames have come in
     * @param flow its flow_id there
     */
    virtual void Ended([[maybe_unused]] uint32_t port,
                       [[maybe_unused]] FlowId flow,
                       [[maybe_unused]] TimePs now)
    {
    }

    /**
     * @param port of the link on which they have come
     * @param acks that take effect now; none if it is a greeting. A frame of many comes in several
     *        calls of equal time
     * @param now time, ps
     */
    virtual void Acknowledged([[maybe_unused]] uint32_t port,
                              [[maybe_unused]] const AckBatch& acks,
                              [[maybe_unused]] TimePs now)
    {
    }

    /**
     * @param port by whose link they go
     * @param acks that are put on the wire, as for Acknowledged()
     * @param now time at which the first bit of their frame is on the wire, ps
     */
    virtual void AcksSent([[maybe_unused]] uint32_t port,
                          [[maybe_unused]] const AckBatch& acks,
                          [[maybe_unused]] TimePs now)
    {
    }

    /**
     * @param port whose host, or switch at the other end, is paused or told to go on
     * @param order what the pause frame says; its time is when they obey
     * @param now time at which the frame's first bit is on the wire, ps
     */
    virtual void Paused([[maybe_unused]] uint32_t port,
                        [[maybe_unused]] const PauseOrder& order,
                        [[maybe_unused]] TimePs now)
    {
    }

    /**
     * @param port whose host is told to restrain a flow, or to restrain it no longer
     * @param order what the frame says; its time is when the host obeys
     * @param now time at which the frame's first bit is on the wire, ps
     */
    virtual void FlowRestrained([[maybe_unused]] uint32_t port,
                                [[maybe_unused]] const FgfcOrder& order,
                                [[maybe_unused]] TimePs now)
    {
    }

    /**
     * @param port whose link takes a credit frame
     * @param order what it says
     * @param now time at which the frame's first bit is on the wire, ps
     */
    virtual void CreditsSent([[maybe_unused]] uint32_t port,
                             [[maybe_unused]] const CreditOrder& order,
                             [[maybe_unused]] TimePs now)
    {
    }

    /**
     * A host pauses the switch, or lets it go on. It is told when that is known, after the host has
     * sent the frame and before the switch obeys.
     *
     * @param port to which the host is linked
     * @param order what the pause frame says, which may be damaged on its way; its time is when the
     * switch obeys
     */
    virtual void HostPaused([[maybe_unused]] uint32_t port,
                            [[maybe_unused]] const PauseOrder& order)
    {
    }

    /**
     * @param port whose host has sent a credit frame
     * @param order what it says, and whether it is damaged
     * @param start time at which its first bit was on the wire at the host, ps
     */
    virtual void HostCredits([[maybe_unused]] uint32_t port,
                             [[maybe_unused]] const CreditOrder& order,
                             [[maybe_unused]] TimePs start)
    {
    }

    /**
     * An arbiter of virtual lanes has chosen a frame; Sent() follows (VA-12).
     *
     * @param grant its level, and whether it conforms
     */
    virtual void Granted([[maybe_unused]] uint32_t port,
                         [[maybe_unused]] const Frame& frame,
                         [[maybe_unused]] const Grant& grant,
                         [[maybe_unused]] TimePs now)
    {
    }

    /**
     * The shaper of an output has chosen a frame; Sent() follows (SW-11).
     *
     * @param grant its queue, and which bucket pays
     */
    virtual void Shaped([[maybe_unused]] uint32_t port,
                        [[maybe_unused]] const Frame& frame,
                        [[maybe_unused]] const ShapingGrant& grant,
                        [[maybe_unused]] TimePs now)
    {
    }

    /**
     * A frame leaves the wire of an output whose frames can be interrupted or their gaps filled:
     * it has ended, was interrupted, or its next flit is not there (VA-9, VA-10).
     *
     * @param frame that was on the wire
     * @param segment the run of its bytes that ends now
     */
    virtual void SegmentSent([[maybe_unused]] uint32_t port,
                             [[maybe_unused]] const Frame& frame,
                             [[maybe_unused]] const WireSegment& segment,
                             [[maybe_unused]] TimePs now)
    {
    }
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_OBSERVER_H
