/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INPUT_QUEUE_H
#define FABRIC_INPUT_QUEUE_H

#include "fabric-frame-pool.h"
#include "fabric-queue-ring.h"

#include <cstring>

namespace ns3::fabric
{

/// Names an input queue of a switch: the input port and the queue there.
struct QueueRef
{
    uint16_t input; ///< Input port.
    uint16_t queue; ///< Flow channel, FIRST_VOQ + number of a virtual output queue, or
                    ///< FIRST_WAY_QUEUE + number of a way.

    /// @return whether both name the same queue
    bool operator==(const QueueRef& other) const
    {
        return std::memcmp(this, &other, sizeof(*this)) == 0; // one comparison, not two
    }
};

/// Names no queue.
inline constexpr QueueRef NO_QUEUE{0xFFFF, 0xFFFF};

/// Queue number of way 0 of FlowWays.
inline constexpr uint16_t FIRST_WAY_QUEUE = 0xC000;

/**
 * Frames that wait at an input port in their order of arrival; 16 bytes.
 *
 * | frames | `holds` | `stands`   | what it does                                           |
 * |--------|---------|------------|--------------------------------------------------------|
 * | none   |         | NOWHERE    | waits for frames                                       |
 * | some   | none    | NOWHERE    | is offered to its output, and never stays as it is     |
 * | some   |         | LISTED     | has its turn there, unless a hold is seen when it comes |
 * | some   | none    | LACKS_ID   | waits for a flow_id of the outgoing link               |
 * | some   |         | NO_PLACE   | waits for a place among those that ask the output       |
 * | some   |         | CANT_START | waits until enough of its first frame is in (VA-9)     |
 * | some   | any     | NOWHERE    | waits for the hold to end                              |
 */
struct InputQueue
{
    /// Why it may not be served; bits of `holds`.
    enum Hold : uint8_t
    {
        NO_HEADROOM = 1,  ///< Its hop credits are used up (CM-5).
        CHANGES_PATH = 2, ///< It goes by another port when nothing is under way (WL-8).
        OVER_LIMIT = 4,   ///< Too much of it is not acknowledged (CM-6).
        PACED = 8,        ///< Its next frame may not go before its time (CM-7).
        AWAITS_TURN = 16, ///< What its host has in the fabric is limited (CM-8, IF-2).
    };

    /// Any of them.
    static constexpr uint8_t ALL_HOLDS = 31;
    /// Holds by the severity of congestion at its endpoint.
    static constexpr uint8_t BY_SEVERITY = OVER_LIMIT | PACED;

    /// Where it stands.
    enum Stand : uint8_t
    {
        NOWHERE,    ///< Nobody will come for it.
        LISTED,     ///< In a list of its output.
        LACKS_ID,   ///< Among those that wait for a flow_id.
        CANT_START, ///< Among those whose first frame can't start yet.
        NO_PLACE,   ///< Among those that wait for a place in an age queue (SW-8).
    };

    /// Empty.
    InputQueue()
        : vc(0),
          list(0),
          holds(0),
          stands(NOWHERE)
    {
    }

    uint32_t head{NO_FRAME}; ///< First frame in the pool.
    uint32_t tail{NO_FRAME}; ///< Last frame in the pool.
    QueueRef next{NO_QUEUE}; ///< Next queue of the same output's list.
    uint16_t output{0};      ///< Output port of its frames (follow_port of a flow channel).
    uint8_t vc : 3;          ///< Virtual channel of its frames.
    uint8_t list : 5;        ///< List of the output: virtual channel, virtual lane (VA-12), or
                             ///< shaping queue and virtual channel (SW-10).
    uint8_t holds : 5;       ///< Sum of Hold.
    uint8_t stands : 3;      ///< A Stand.

    /// @return whether no frame waits
    bool IsEmpty() const
    {
        return head == NO_FRAME;
    }

    /// @return whether the severity of congestion at its endpoint holds it
    bool IsHeldBySeverity() const
    {
        return (holds & BY_SEVERITY) != 0;
    }

    /// @return whether it has no part in the queue of its output for now: it is held by severity,
    /// or awaits its turn to enter the fabric
    bool IsHeldByLimit() const
    {
        return (holds & (BY_SEVERITY | AWAITS_TURN)) != 0;
    }

    /// @return whether it is to be offered to its output
    bool MayBeOffered() const
    {
        return !IsEmpty() && holds == 0 && stands == NOWHERE;
    }

    /**
     * @param pool holds the frames
     * @param frame index of a frame, appended
     */
    void Append(FramePool& pool, uint32_t frame)
    {
        if (head == NO_FRAME)
        {
            head = frame;
        }
        else
        {
            pool.At(tail).next = frame;
        }
        tail = frame;
    }

    /**
     * @param pool holds the frames
     * @return index of the first frame, removed
     */
    uint32_t RemoveFirst(const FramePool& pool)
    {
        const uint32_t first = head;
        head = pool.At(first).next;
        return first;
    }

    /**
     * @param pool holds the frames
     * @param frame index of one that waits here, removed
     */
    void Remove(FramePool& pool, uint32_t frame)
    {
        if (head == frame)
        {
            RemoveFirst(pool);
            return;
        }
        uint32_t before = head;
        while (pool.At(before).next != frame)
        {
            before = pool.At(before).next;
        }
        pool.At(before).next = pool.At(frame).next;
        tail = tail == frame ? before : tail;
    }
};

/// Input queues that have turns.
using QueueRing = BasicQueueRing<QueueRef, NO_QUEUE>;

} // namespace ns3::fabric

#endif // FABRIC_INPUT_QUEUE_H
