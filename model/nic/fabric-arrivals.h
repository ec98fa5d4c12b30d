/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ARRIVALS_H
#define FABRIC_ARRIVALS_H

#include "fabric-frame.h"
#include "fabric-link-rate.h"
#include "fabric-message-table.h"
#include "fabric-ring.h"

#include <cstdint>

namespace ns3::fabric
{

/// Payload bytes that came to a NIC, with what is still on the link.
struct ArrivalCounts
{
    uint64_t arrived{0};       ///< Put on the link to this NIC, whole and undamaged.
    uint64_t framesArrived{0}; ///< Frames in `arrived`.
    uint64_t corrupt{0};       ///< Arrived damaged and dropped.
    uint64_t linkDown{0};      ///< On the link to this NIC when it failed (WL-8).
    uint64_t bufferFull{0};    ///< Arrived when the receive buffer had no room (WL-5).
};

/// What became of a frame that was put on the link to a NIC.
enum class Arrival : uint8_t
{
    DAMAGED,          ///< Nothing of it can be used.
    PACKET,           ///< It carries a user's packet.
    ENGINE,           ///< It is the engine's.
    PART,             ///< It carries a part of a message, of which more is under way.
    MESSAGE_COMPLETE, ///< It carries the last part of a message.
    MESSAGE_LOST,     ///< So it does, but another part is lost.
};

/// What a switch has announced to a NIC: what became of it, and how much was delivered when.
class Arrivals
{
  public:
    explicit Arrivals(MessageTable& messages)
        : m_messages(messages)
    {
    }

    /// @param frames of full size that are on the link at a time
    void Expect(uint32_t frames)
    {
        m_onLink.Expect(frames);
    }

    /// From now on nothing is forgotten, so that DeliveredBy() takes any time.
    void KeepAll()
    {
        m_onLink.Push({NEVER, 0}); // nothing behind it is ever over
    }

    /**
     * The switch has put a frame on the link.
     *
     * @param frame the frame; its time is the arrival of its tail
     * @param known everything before this time is over, ps
     * @param isCut whether the link fails before that
     * @return what becomes of it
     */
    Arrival Take(const Frame& frame, TimePs known, bool isCut)
    {
        while (!m_onLink.IsEmpty() && m_onLink.Front().time <= known)
        {
            m_onLink.Pop();
        }
        if (frame.corrupt)
        {
            m_counts.corrupt += frame.payload;
            return Arrival::DAMAGED;
        }
        if (isCut)
        {
            Lose(frame);
            return Arrival::DAMAGED;
        }
        m_onLink.Push({frame.time, frame.payload});
        m_counts.arrived += frame.payload;
        ++m_counts.framesArrived;
        if (frame.kind == FrameKind::PACKET)
        {
            return Arrival::PACKET;
        }
        if (frame.kind >= FrameKind::TRANSPORT)
        {
            return Arrival::ENGINE;
        }
        Message& message = m_messages.At(frame.handle);
        if (!message.Arrive(frame.payload))
        {
            return Arrival::PART;
        }
        return message.isDamaged ? Arrival::MESSAGE_LOST : Arrival::MESSAGE_COMPLETE;
    }

    /// @param frame the link has failed while the switch was sending it (WL-8)
    void Lose(const Frame& frame)
    {
        m_counts.linkDown += frame.payload;
    }

    /// @param frame has arrived when the receive buffer had no room
    void Overflow(const Frame& frame)
    {
        m_counts.bufferFull += frame.payload;
    }

    /// @return payload so far
    const ArrivalCounts& Counts() const
    {
        return m_counts;
    }

    /**
     * @param at a time, not before the last call of Take() said to be over, unless all is kept, ps
     * @return payload bytes that had arrived by then
     */
    uint64_t DeliveredBy(TimePs at) const
    {
        return CountBy(at, [](const OnLink&) { return 0U; });
    }

    /**
     * @param at as for DeliveredBy()
     * @param rate of the link
     * @return payload bytes that had arrived by then; of a frame that is coming in, its part by
     * time
     */
    uint64_t ArrivedBy(TimePs at, const LinkRate& rate) const
    {
        return CountBy(at, [at, &rate](const OnLink& frame) -> uint64_t {
            const auto whole = static_cast<uint64_t>(rate.TxTime(WireBytes(frame.bytes)));
            const auto left = static_cast<uint64_t>(frame.time - at);
            return left < whole ? frame.bytes * (whole - left) / whole : 0;
        });
    }

    /// @return when the last frame is in that may still be on the link, 0 for none, ps
    TimePs LastTime() const
    {
        const TimePs last = m_onLink.IsEmpty() ? 0 : m_onLink.At(m_onLink.Size() - 1).time;
        return last == NEVER ? 0 : last; // of KeepAll()
    }

    /// Fetches what Take() writes besides the object. @param most frames
    void FetchNextSlots(uint32_t most) const
    {
        m_onLink.FetchNextSlots(most);
    }

  private:
    /// Bytes on the link to this NIC.
    struct OnLink
    {
        TimePs time;    ///< When they are in, ps.
        uint32_t bytes; ///< Payload.
    };

    /**
     * @param at as for DeliveredBy()
     * @param partOf bytes that count of a frame which is not in
     * @return payload bytes that had arrived by then
     */
    template <typename PartOf>
    uint64_t CountBy(TimePs at, const PartOf& partOf) const
    {
        uint64_t arrived = m_counts.arrived;
        for (uint32_t i = m_onLink.Size(); i-- > 0 && m_onLink.At(i).time > at;)
        {
            const OnLink& frame = m_onLink.At(i);
            arrived -= frame.bytes - partOf(frame);
        }
        return arrived;
    }

    MessageTable& m_messages; ///< Of the fabric.
    Ring<OnLink> m_onLink;    ///< Not over at the last call of Take().
    ArrivalCounts m_counts;   ///< Payload so far.
};

} // namespace ns3::fabric

#endif // FABRIC_ARRIVALS_H
