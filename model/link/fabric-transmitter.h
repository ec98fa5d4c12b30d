/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSMITTER_H
#define FABRIC_TRANSMITTER_H

#include "fabric-credit-order.h"
#include "fabric-frame.h"
#include "fabric-input-link.h"
#include "fabric-link-credits.h"
#include "fabric-link-errors.h"
#include "fabric-link-kind.h"
#include "fabric-mailbox.h"
#include "fabric-pause-order.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/// Data frames that a transmitter has sent since the start.
struct DataCounts
{
    uint64_t frames{0}; ///< Data frames.
    uint64_t bytes{0};  ///< Bytes of data frames on the wire.
};

/// Control frames that a transmitter has sent since the start.
struct ControlCounts
{
    uint64_t controlFrames{0}; ///< ACK frames, pauses and credit frames.
    uint64_t controlBytes{0};  ///< Their bytes on the wire.
    uint64_t acks{0};          ///< ACKs in the ACK frames.
    uint64_t pauses{0};        ///< Pause frames among the control frames.
    uint64_t credits{0};       ///< Credit frames among them.
};

/// What a transmitter has sent since the start.
struct TransmitCounts : DataCounts, ControlCounts
{
};

/**
 * The sending end of a link direction: when the wire is free, what the receiver has room for, and
 * when what is sent takes effect there.
 */
class Transmitter
{
  public:
    /// @param peer receiving end; null if the receiver is a host's NIC, which takes frames by
    /// itself
    void Connect(LinkRate rate, const LinkTiming& timing, InputLink* peer)
    {
        m_kind = &SharedKind({rate, timing});
        m_peer = peer;
        if (peer)
        {
            peer->Expect(FramesInFlight());
            // A buffer may be left by several outputs at once.
            m_credits.Expect(FramesInFlight() * 3 / 2);
        }
    }

    /// @param errors what the link damages and repeats; null for a clean link without retry
    void SetErrors(LinkErrors* errors)
    {
        if (errors || m_extras) // a clean link has no extras
        {
            Extras().errors = errors;
        }
    }

    /// @return what the link damages and repeats; null for a clean link without retry
    const LinkErrors* Errors() const
    {
        return m_extras ? m_extras->errors : nullptr;
    }

    /// @param mailbox takes what is sent from now on, since another thread may run the receiver
    void SetMailbox(Mailbox* mailbox)
    {
        Extras().mailbox = mailbox;
    }

    /// @return the receiving end; null for a host's
    InputLink* Peer() const
    {
        return m_peer;
    }

    /// The receiver uses a frame when its tail is in: this link is slower than one it feeds.
    void StoreAndForwardAtPeer()
    {
        LinkKind kind = *m_kind;
        kind.timing.storeAndForward = true;
        m_kind = &SharedKind(kind);
    }

    /// @return when the wire is free, ps
    TimePs FreeAt() const
    {
        return m_freeAt;
    }

    /// The link fails: its wire is not free until Open().
    void Block()
    {
        m_freeAt = NEVER;
    }

    /// @return whether the link has failed
    bool IsBlocked() const
    {
        return m_freeAt == NEVER;
    }

    /// @param now the link is up again, and its wire free, ps
    void Open(TimePs now)
    {
        m_freeAt = now;
        if (LinkErrors* const errors = OwnErrors())
        {
            errors->Forget();
        }
    }

    /// Tells the other end of a repaired link that this one is ready for new flow channels: an ACK
    /// frame without ACKs, after what is on the wire (WL-8). @return when it starts, ps
    TimePs Greet(TimePs now)
    {
        const TimePs start = std::max(now, m_freeAt);
        AckBatch greeting;
        greeting.time = StartControl(AckFrameBytes(0), start);
        Push(greeting);
        return start;
    }

    /// All that is sent before a failure takes effect at the receiver less than this after it.
    TimePs Quiet() const
    {
        const uint32_t bytes =
            std::max(WireBytes(JUMBO_PAYLOAD), AckFrameBytes(MAX_ACKS_PER_FRAME));
        return m_kind->rate.TxTime(bytes) + m_kind->timing.delay +
               std::max(m_kind->timing.dataLatency, m_kind->timing.controlLatency);
    }

    /**
     * @param frame sent by SendData()
     * @return when its tail is in at the receiver, ps
     */
    TimePs TailIn(const Frame& frame) const
    {
        const TimePs in = frame.time - m_kind->timing.dataLatency;
        return m_kind->timing.storeAndForward ? in
                                              : in + m_kind->rate.TxTime(WireBytes(frame.payload));
    }

    /// Fetches what the next frame writes at the receiver, as far as that is not another thread's.
    void FetchFrameEnd() const
    {
        FetchMemory(m_peer, IsApart() ? 0 : sizeof(FrameRing));
    }

    /// The same for the next ACKs.
    void FetchAckEnd() const
    {
        const void* const nothing = this;
        FetchMemory(m_peer ? &m_peer->Acks() : nothing, IsApart() ? 0 : sizeof(AckRing));
    }

    /// Fetches the ends of the link, before FetchSlots(). @param most credits that come back soon
    void FetchEnds(uint32_t most) const
    {
        m_credits.FetchReturns(most);
        FetchFrameEnd();
        FetchAckEnd();
    }

    /// Fetches what is written at the receiver, as far as that is not another thread's. @param most
    /// frames
    void FetchSlots(uint32_t most) const
    {
        if (m_peer && !IsApart())
        {
            m_peer->Frames().FetchNextSlots(most);
            m_peer->Acks().FetchNextSlots(most);
        }
    }

    const LinkRate& Rate() const
    {
        return m_kind->rate;
    }

    /**
     * A receiver that runs ahead handles what is sent during a window only in the next, and a
     * window is no longer than the link with its shorter pipeline (DP-2).
     *
     * @return full frames that are on their way or wait for the receiver's window
     */
    uint32_t FramesInFlight() const
    {
        const TimePs window = m_kind->timing.delay +
                              std::min(m_kind->timing.dataLatency, m_kind->timing.controlLatency);
        const TimePs lead = m_kind->timing.delay + m_kind->timing.dataLatency;
        const TimePs frames = (window + lead) / m_kind->rate.TxTime(WireBytes(MAX_PAYLOAD)) + 1;
        return static_cast<uint32_t>(std::min(frames, MOST_EXPECTED));
    }

    const LinkTiming& Timing() const
    {
        return m_kind->timing;
    }

    /// @return what the receiver has room for
    LinkCredits& Credits()
    {
        return m_credits;
    }

    /// @copydoc Credits()
    const LinkCredits& Credits() const
    {
        return m_credits;
    }

    /// @return what was sent
    TransmitCounts Counts() const
    {
        const LinkExtras none;
        const LinkExtras& extras = m_extras ? *m_extras : none;
        return {m_data,
                {m_controlFrames, m_controlBytes, m_acks, extras.pauses, extras.creditFrames}};
    }

    /// @return bytes that were sent, of all frames
    uint64_t BytesSent() const
    {
        return m_data.bytes + m_controlBytes;
    }

    /**
     * Puts a data frame on the wire and into the receiver's ring.
     *
     * @param frame the frame; its time is set
     * @param now start of the frame, at or after FreeAt(), ps
     * @return when the wire is free again, ps
     */
    TimePs SendData(Frame& frame, TimePs now)
    {
        m_credits.Consume(frame.vc, WireBytes(frame.payload));
        return SendGranted(frame, now);
    }

    /// As SendData(), of a frame whose credit was taken when it was granted.
    TimePs SendGranted(Frame& frame, TimePs now)
    {
        const TimePs tail = Occupy(WireBytes(frame.payload), now);
        frame.time = (m_kind->timing.storeAndForward ? tail : now) + m_kind->timing.delay +
                     m_kind->timing.dataLatency;
        Push(frame);
        return tail;
    }

    /**
     * Puts a data frame on the wire to a receiver that is no switch.
     *
     * @param frame the frame; its time is set to the arrival of its tail
     * @param now start of the frame, at or after FreeAt(), ps
     * @return when the wire is free again, ps
     */
    TimePs SendToHost(Frame& frame, TimePs now)
    {
        const TimePs tail = Occupy(WireBytes(frame.payload), now);
        frame.time = tail + m_kind->timing.delay;
        return tail;
    }

    /**
     * A data frame starts whose tail is not known, since it may be interrupted (DP-14): its entry
     * takes effect with its head, however the receiver forwards.
     *
     * @param frame the frame; its time is set
     * @param now start of the frame, ps
     */
    void BeginData(Frame& frame, TimePs now)
    {
        CountData(WireBytes(frame.payload));
        m_credits.Consume(frame.vc, WireBytes(frame.payload));
        frame.time = now + m_kind->timing.delay + m_kind->timing.dataLatency;
        Push(frame);
    }

    /// @param frame as for BeginData(), to a receiver that is no switch; its time is not set
    void BeginToHost(const Frame& frame)
    {
        CountData(WireBytes(frame.payload));
    }

    /**
     * A data frame is interrupted, or goes on (DP-14), or its rest never comes (WL-8).
     *
     * @param kind STOPS, GOES_ON or BREAKS
     * @param byte first one of it that was not sent before, or not yet
     */
    void PushChange(FrameKind kind, uint8_t lane, uint32_t byte, TimePs now)
    {
        Frame entry{};
        entry.time = now + m_kind->timing.delay + m_kind->timing.dataLatency;
        entry.handle = byte;
        entry.kind = kind;
        entry.lane = lane & 0xF;
        Push(entry);
    }

    /**
     * A frame could start, on the free wire.
     *
     * @param bytes of it on the wire
     * @param now when, ps
     * @return what becomes of it; if it is LATER, the wire is taken until FreeAt()
     */
    Attempt Try(uint32_t bytes, TimePs now)
    {
        LinkErrors* const errors = OwnErrors();
        return errors ? errors->Try(bytes, now, m_freeAt) : Attempt::CLEAN;
    }

    /**
     * A frame could start, on the free wire, that is sent in pieces.
     *
     * @param bytes of it on the wire
     * @param now when, ps
     * @param repeats gets the units that the link will repeat after the first one
     * @return as Try()
     */
    Attempt TryInUnits(uint32_t bytes, TimePs now, std::vector<UnitRepeat>& repeats)
    {
        LinkErrors* const errors = OwnErrors();
        return errors ? errors->TryInUnits(bytes, now, m_freeAt, repeats) : Attempt::CLEAN;
    }

    /// A unit of a frame in pieces is repeated. @param until when it goes through, ps
    void RepeatUntil(TimePs until)
    {
        m_freeAt = until;
    }

    /**
     * A control frame could start, on the free wire.
     *
     * @param bytes of it on the wire
     * @param now when, ps
     * @return as Try()
     */
    Attempt TryControl(uint32_t bytes, TimePs now)
    {
        LinkErrors* const errors = OwnErrors();
        return errors ? errors->TryControl(bytes, now, m_freeAt) : Attempt::CLEAN;
    }

    /**
     * Occupies the wire with a control frame.
     *
     * @param bytes of the frame on the wire
     * @param now start, ps
     * @return when the frame takes effect at the receiver, ps; control frames are checked before
     * use, so that is after their tail
     */
    TimePs StartControl(uint32_t bytes, TimePs now)
    {
        m_freeAt = now + m_kind->rate.TxTime(bytes);
        ++m_controlFrames;
        m_controlBytes += bytes;
        return m_freeAt + m_kind->timing.delay + m_kind->timing.controlLatency;
    }

    /**
     * A pause frame could start, on the free wire (WL-5).
     *
     * @param teller says by `PauseOrder TakeOrder(TimePs)` what is told
     * @param now when, ps
     * @param [out] order what is told, with the time at which the receiver obeys; unless LATER
     * @return as Try(); if it is DAMAGED, the next refresh makes it good
     */
    template <typename Teller>
    Attempt TryPause(Teller& teller, TimePs now, PauseOrder& order)
    {
        const Attempt attempt = TryControl(PAUSE_FRAME_BYTES, now);
        if (attempt == Attempt::LATER)
        {
            return attempt;
        }
        order = teller.TakeOrder(now);
        order.time = StartControl(PAUSE_FRAME_BYTES, now);
        ++Extras().pauses;
        if (attempt == Attempt::DAMAGED)
        {
            OwnErrors()->CountLostPause();
        }
        return attempt;
    }

    /// Occupies the wire with a credit frame (WL-5). @param channels of which it tells
    void StartCredits(uint32_t channels, TimePs now)
    {
        ++Extras().creditFrames;
        StartControl(CreditFrameBytes(channels), now);
    }

    /**
     * Occupies the wire with a frame of fine-grain flow control (CM-4).
     *
     * @param bytes of it on the wire
     * @param attempt what becomes of it
     * @param now start, ps
     * @return when it is in at the receiver, ps
     */
    TimePs StartFgfc(uint32_t bytes, Attempt attempt, TimePs now)
    {
        if (attempt == Attempt::DAMAGED)
        {
            OwnErrors()->CountLostFgfc();
        }
        return StartControl(bytes, now);
    }

    /// The credit frame that StartCredits() has put on the wire is damaged.
    void LoseCredits()
    {
        OwnErrors()->CountLostCredits();
    }

    /**
     * @param batch a part of an ACK frame that StartControl() has put on the wire
     * @param attempt what becomes of it
     */
    void PushAcks(const AckBatch& batch, Attempt attempt)
    {
        m_acks += batch.count;
        if (attempt == Attempt::CLEAN)
        {
            Push(batch);
        }
        else
        {
            OwnErrors()->CountLostAcks(batch.count);
        }
    }

  private:
    /// Rings begin with room for no more than this, however long the link is.
    static constexpr TimePs MOST_EXPECTED = 1024;

    /// @param entry a frame or ACKs, for the receiver
    template <typename Entry>
    void Push(const Entry& entry)
    {
        if (IsApart())
        {
            m_extras->mailbox->Put(m_peer, entry);
            return;
        }
        m_peer->Push(entry);
    }

    /**
     * @param bytes of a data frame on the wire
     * @param now its start, ps
     * @return its end, ps
     */
    TimePs Occupy(uint32_t bytes, TimePs now)
    {
        m_freeAt = now + m_kind->rate.TxTime(bytes);
        CountData(bytes);
        return m_freeAt;
    }

    /// @param bytes of a data frame on the wire
    void CountData(uint32_t bytes)
    {
        ++m_data.frames;
        m_data.bytes += bytes;
    }

    /// What few links have, so that the others are in few lines of the cache.
    struct LinkExtras
    {
        Mailbox* mailbox{nullptr};   ///< Takes what is for the peer; null for none.
        LinkErrors* errors{nullptr}; ///< Damages and repeats frames; null if nothing does.
        uint64_t pauses{0};          ///< Pause frames sent so far.
        uint64_t creditFrames{0};    ///< Credit frames sent so far.
    };

    /// @return those of this link, which are made if there are none
    LinkExtras& Extras()
    {
        if (!m_extras)
        {
            m_extras = std::make_unique<LinkExtras>();
        }
        return *m_extras;
    }

    /// @return as Errors(), to be changed
    LinkErrors* OwnErrors()
    {
        return m_extras ? m_extras->errors : nullptr;
    }

    /// @return whether another thread may run the receiver
    bool IsApart() const
    {
        return m_extras && m_extras->mailbox;
    }

    static inline const LinkKind NOTHING{}; ///< Of what is not connected.

    LinkCredits m_credits;                ///< Room at the receiver, in a line of its own.
    TimePs m_freeAt{0};                   ///< End of what is on the wire, ps.
    const LinkKind* m_kind{&NOTHING};     ///< Rate and latencies.
    InputLink* m_peer{nullptr};           ///< Receiving end.
    std::unique_ptr<LinkExtras> m_extras; ///< Null if it has none.
    DataCounts m_data;                    ///< Sent so far.
    uint64_t m_controlFrames{0};          ///< Sent so far: see ControlCounts.
    uint64_t m_controlBytes{0};           ///< Sent so far: see ControlCounts.
    uint64_t m_acks{0};                   ///< Sent so far: see ControlCounts.
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSMITTER_H
