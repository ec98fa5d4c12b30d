/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_LINK_H
#define FABRIC_ORACLE_LINK_H

#include "fabric-ack.h"
#include "fabric-transmitter.h"
#include "fabric-types.h"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// A frame, as FlowOracle sees it.
struct OracleFrame
{
    TimePs sentAt{0};        ///< When its head was sent last, ps.
    TimePs tailAt{0};        ///< When its tail is in at the end of that link, ps.
    TimePs arrivedAt{0};     ///< When it took effect where it is now, ps.
    LocationId src{0};       ///< Source.
    LocationId dst{0};       ///< Destination.
    uint8_t trafficClass{0}; ///< FTAG.
    uint32_t vc{0};          ///< Virtual channel.
    FlowId flow{0};          ///< flow_id on the link that it takes or took, 0 for none.
    uint32_t position{0};    ///< data_flow; without flow channel the label of its flow.
    uint32_t payload{0};     ///< Bytes.
    bool corrupt{false};     ///< Damaged.
    std::size_t message{0};  ///< What it is a part of.
    uint32_t hostFlow{0};    ///< Number that its source gave to its flow.
    uint32_t severity{0};    ///< That the switch knew that sent it last.

    /// @return its length in units of 256 bytes; an empty frame has one (FC-5)
    uint32_t Units() const
    {
        return std::max(1U, (payload + 255) / 256);
    }

    /// @return its bytes on the wire: 20 of header and 4 of check sequence besides the payload
    uint32_t Bytes() const
    {
        return payload + 24;
    }
};

/// An ACK, as FlowOracle sees it.
struct OracleAck
{
    FlowId flow;     ///< flow_id on the link on which its frames came.
    AckType type;    ///< NORMAL, LOST or HEADROOM.
    uint32_t amount; ///< Units.
};

/// What a frame of fine-grain flow control tells a host, as FlowOracle sees it (CM-4).
struct OracleOrder
{
    static constexpr uint32_t BYTES = 84; ///< On the wire, if it names neither VLAN nor IP.

    TimePs toldAt;        ///< When its first bit was on the wire, ps.
    TimePs obeyedAt;      ///< When the host obeys, ps.
    uint32_t flow;        ///< Of the host, by number.
    std::size_t turn;     ///< See OracleTeller::TurnOf().
    LocationId dst;       ///< Of the flow.
    uint8_t trafficClass; ///< Of the flow.
    TimePs lasts;         ///< How long the flow is restrained, 0: not any more, ps.
    uint32_t credit;      ///< It may send so much more meanwhile, units.
};

/// What can happen, in the order of equal times (DP-7): changes first, then arrivals, ACKs before
/// data.
enum class OracleTask
{
    CHANGE,      ///< New settings of a switch count.
    END_CUT,     ///< All that was sent on a link before it failed would be in.
    REPAIR,      ///< A link is repaired.
    FAIL,        ///< A link fails.
    WAYS,        ///< Routing of a switch learns of failures and repairs.
    SEND,        ///< An application sends.
    HOST_CREDIT, ///< A host has room at its switch again.
    CREDIT,      ///< An output of a switch has room at its neighbour again.
    ACKS,        ///< An ACK frame takes effect at a switch.
    FRAME,       ///< A frame takes effect at a switch.
    DELIVERY,    ///< The tail of a frame is in at a host.
    ORDER,       ///< A host has to obey a frame of fine-grain flow control.
    LOOK,        ///< An output of a switch looks what it can send.
    HOST_LOOK,   ///< A host looks what it can send.
};

/// Something that will happen.
struct OracleEvent
{
    TimePs time;        ///< When, ps.
    OracleTask task;    ///< What.
    std::size_t at;     ///< Number of the switch or host.
    std::size_t number; ///< Of the port, or of the message or change.
    uint32_t vc{0};     ///< Of a credit.
    uint32_t bytes{0};  ///< Of a credit.

    /// @return whether it comes after another
    bool operator>(const OracleEvent& other) const
    {
        return std::tie(time, task, at, number) >
               std::tie(other.time, other.task, other.at, other.number);
    }
};

/// All that will happen in the fabric.
using OracleAgenda =
    std::priority_queue<OracleEvent, std::vector<OracleEvent>, std::greater<OracleEvent>>;

/// One direction of a link, with what its sender knows of the receiver's buffer.
struct OracleWire
{
    /// ACKs that share a frame.
    using AckFrame = std::vector<OracleAck>;

    uint64_t bitsPerSecond{0};      ///< Rate; 0 for no link.
    TimePs delay{0};                ///< Propagation, ps.
    TimePs latency{0};              ///< Of the receiver, for frames, ps.
    TimePs controlLatency{0};       ///< Of the receiver, for ACKs, ps.
    bool storeAndForward{false};    ///< Whether a frame takes effect when its tail is in.
    bool toHost{false};             ///< Whether a host receives.
    std::size_t peer{0};            ///< Number of the switch or host that receives.
    uint32_t peerPort{0};           ///< Its port.
    LossModel* loss{nullptr};       ///< Damages frames; null for a clean link.
    RetrySettings retry;            ///< Whether it repeats them, and how.
    uint32_t repeats{0};            ///< Of the frame that is tried next.
    ErrorCounts retried;            ///< What was repeated.
    uint64_t replayWaits{0};        ///< Frames for which the replay buffer had no room.
    BufferShares shares;            ///< Of the receiver's buffer.
    OracleAgenda* agenda{nullptr};  ///< Of the fabric.
    TimePs freeAt{0};               ///< When what is on the wire ends, ps.
    std::deque<OracleFrame> frames; ///< That have not taken effect.
    std::deque<AckFrame> acks;      ///< That have not taken effect.
    std::deque<OracleOrder> orders; ///< That have not taken effect.
    /// In the replay buffer: when each is confirmed, and its bytes.
    std::deque<std::pair<TimePs, uint32_t>> kept;
    std::array<uint32_t, VIRTUAL_CHANNELS> used{}; ///< Bytes there or on the way there.

    uint64_t sentFrames{0};    ///< Data frames so far.
    uint64_t sentAckFrames{0}; ///< ACK frames so far.
    uint64_t sentAcks{0};      ///< ACKs in them.
    uint64_t sentCredits{0};   ///< Credit frames.
    uint64_t sentOrders{0};    ///< Frames of fine-grain flow control.

    /// @return time that so many bytes take, rounded up to ps
    TimePs Duration(uint32_t bytes) const
    {
        const uint64_t bits = uint64_t{bytes} * 8 * 1'000'000'000'000;
        return static_cast<TimePs>((bits + bitsPerSecond - 1) / bitsPerSecond);
    }

    /// WL-5: a channel has its reserved bytes for itself, and what is above them comes out of what
    /// all share. A host takes whatever comes.
    /// @return whether so many bytes more fit
    bool HasRoom(uint32_t vc, uint32_t bytes) const
    {
        if (toHost || used[vc] + bytes <= shares.reservedBytesPerVc)
        {
            return true;
        }
        uint64_t shared = 0;
        for (uint32_t channel = 0; channel < VIRTUAL_CHANNELS; ++channel)
        {
            const uint32_t held = used[channel] + (channel == vc ? bytes : 0);
            shared += std::max(held, shares.reservedBytesPerVc) - shares.reservedBytesPerVc;
        }
        return shared + uint64_t{shares.virtualChannels} * shares.reservedBytesPerVc <=
               shares.totalBytes;
    }

    /// WL-8: what was sent before a failure takes effect at the receiver less than this after it.
    TimePs Quiet() const
    {
        const TimePs pipeline = toHost ? 0 : std::max(latency, controlLatency);
        return Duration(JUMBO_PAYLOAD + 24) + delay + pipeline;
    }

    /// @return when its tail has left, ps
    TimePs Send(OracleFrame frame, TimePs now)
    {
        ++sentFrames;
        freeAt = now + Duration(frame.Bytes());
        frame.sentAt = now;
        frame.tailAt = freeAt + delay;
        frames.push_back(frame);
        if (toHost)
        {
            agenda->push({freeAt + delay, OracleTask::DELIVERY, peer, 0});
            return freeAt;
        }
        used[frame.vc] += frame.Bytes();
        const TimePs seen = storeAndForward ? freeAt : now;
        agenda->push({seen + delay + latency, OracleTask::FRAME, peer, peerPort});
        return freeAt;
    }

    /// WL-2: an ACK has 25 bits, its frame 9 bytes besides.
    static uint32_t AckFrameBytes(std::size_t count)
    {
        return 9 + (25 * static_cast<uint32_t>(count) + 7) / 8;
    }

    /// An ACK frame is checked before use, so it takes effect after its tail.
    void Send(const AckFrame& frame, TimePs now)
    {
        ++sentAckFrames;
        sentAcks += frame.size();
        freeAt = now + Duration(AckFrameBytes(frame.size()));
        acks.push_back(frame);
        agenda->push({freeAt + delay + controlLatency, OracleTask::ACKS, peer, peerPort});
    }

    /// WL-5: a credit frame has 9 bytes, and 4 for each virtual channel.
    uint32_t CreditFrameBytes() const
    {
        return 9 + 4 * shares.virtualChannels;
    }

    /// @return when a credit frame has left, ps
    TimePs SendCredits(TimePs now)
    {
        ++sentCredits;
        freeAt = now + Duration(CreditFrameBytes());
        return freeAt;
    }

    /// Sends what tells a host of a flow, which it obeys a time after the tail is in.
    void Send(OracleOrder& order, TimePs response, TimePs now)
    {
        ++sentOrders;
        freeAt = now + Duration(OracleOrder::BYTES);
        order.toldAt = now;
        order.obeyedAt = freeAt + delay + response;
        orders.push_back(order);
        agenda->push({order.obeyedAt, OracleTask::ORDER, peer, 0});
    }

    /// @return frames so far that were no data
    uint64_t ControlFrames() const
    {
        return sentAckFrames + sentCredits + sentOrders;
    }

    /**
     * A frame could be sent now. If the replay buffer has no room for it, or the link damages and
     * repeats it, the wire is not free before it can be tried again (WL-6).
     *
     * @param isControl whether it is no data frame; such are repeated, but never lost, and not if
     * that might be
     * @return whether it is sent now, and damaged; nothing if it is not sent
     */
    std::optional<bool> Try(uint32_t bytes, bool isControl, TimePs now)
    {
        if (isControl && (!retry.enabled || retry.limit == 1))
        {
            return false;
        }
        if (const TimePs room = RoomAt(bytes, now); room > now)
        {
            freeAt = room;
            ++replayWaits;
            return std::nullopt;
        }
        const bool damaged = loss != nullptr && loss->Corrupts(bytes);
        const TimePs confirmed = 2 * delay + retry.latency;
        if (damaged && retry.enabled && repeats < retry.limit)
        {
            ++repeats;
            ++retried.repeats;
            retried.repeatedBytes += bytes;
            const TimePs timeout = retry.timeout == 0 ? 2 * confirmed : retry.timeout;
            const bool isAsked = !loss->Corrupts(8);
            retried.timeouts += isAsked ? 0 : 1;
            freeAt = now + Duration(bytes) + (isAsked ? confirmed : timeout);
            return std::nullopt;
        }
        repeats = 0;
        retried.givenUp += damaged && retry.enabled ? 1 : 0;
        kept.emplace_back(now + Duration(bytes) + confirmed, bytes);
        return damaged;
    }

    /// @return when the replay buffer has room for a frame, ps
    TimePs RoomAt(uint32_t bytes, TimePs now) const
    {
        if (!retry.enabled || retry.bufferBytes == 0)
        {
            return now;
        }
        TimePs room = now;
        uint64_t held = bytes;
        for (auto frame = kept.rbegin(); frame != kept.rend(); ++frame)
        {
            held += frame->second;
            if (held > retry.bufferBytes)
            {
                room = std::max(room, frame->first);
            }
        }
        return room;
    }

    /// The link is up again: nothing of before is repeated or confirmed.
    void Restart(TimePs now)
    {
        freeAt = now;
        repeats = 0;
        kept.clear();
    }

    /// @return the first frame on the wire, which is there no more
    OracleFrame Take()
    {
        const OracleFrame frame = frames.front();
        frames.pop_front();
        return frame;
    }

    /// @return the first ACK frame on the wire, which is there no more
    AckFrame TakeAcks()
    {
        const AckFrame frame = acks.front();
        acks.pop_front();
        return frame;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_LINK_H
