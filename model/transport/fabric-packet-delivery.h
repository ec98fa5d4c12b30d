/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PACKET_DELIVERY_H
#define FABRIC_PACKET_DELIVERY_H

#include "fabric-acceptance-poll.h"
#include "fabric-ack-composer.h"
#include "fabric-connection-terms.h"
#include "fabric-delivery-shared.h"
#include "fabric-loss-detector.h"
#include "fabric-receive-window.h"
#include "fabric-retransmission-engine.h"
#include "fabric-transport-path.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace ns3::fabric
{

/// Packets of one kind, which have PSNs of their own: requests or data (RT-6).
struct SequenceSpace
{
    RetransmissionEngine sent; ///< Own packets in flight.
    ReceiveWindow received;    ///< The peer's.
};

/**
 * The sliding windows of a connection (RT-6 to RT-9, RT-12, RT-14): the lower of the transport's
 * two layers. It brings packets over once, with their ACKs, resends and time-outs, and knows
 * nothing of requests.
 */
class PacketDelivery
{
  public:
    /// @param shared of the endpoint
    explicit PacketDelivery(DeliveryShared& shared)
        : m_shared(shared),
          m_path(shared.path)
    {
    }

    /// Sets the own windows up, until the peer's terms are known. @param peer whom it goes to
    void Propose(const ConnectionSettings& settings, PeerAddress peer);

    /**
     * The terms are agreed on: sets all windows up.
     *
     * @param terms sizes of the windows
     * @param packet CONNECT or ACCEPT of the peer, with its first PSNs
     */
    void Open(const ConnectionTerms& terms, const TransportPacket& packet);

    /// Gives up what is in flight.
    void Abandon();

    /// CONNECT or ACCEPT is sent, perhaps again.
    void Greet(TimePs now)
    {
        if (m_losses.QuietSince() < 0)
        {
            m_losses.Send(now);
        }
    }

    /// The peer has answered. If the greeting was sent more than once, the first one counts: too
    /// long a time is better than one for which all is resent.
    void HearAnswer(TimePs now)
    {
        m_path.Expect(now - m_losses.QuietSince());
    }

    /// @return own request packets in flight
    const TransmitWindow& Requests() const
    {
        return m_requests.sent.Window();
    }

    /// @return own data packets in flight
    const TransmitWindow& Data() const
    {
        return m_data.sent.Window();
    }

    /// @return how long an answer is waited for before the peer is asked again, ps
    TimePs AnswerWait() const
    {
        const TransportSettings& settings = m_shared.settings;
        return m_losses.Wait(std::max(4 * settings.initialRtt, m_path.Rtt() / 4 * 5),
                             settings.ackDelay);
    }

    /// @return own data packets that the peer has not got, as far as is known
    uint32_t DataInFabric() const
    {
        return m_data.sent.InFabric();
    }

    /// @return what is known of the way to the peer
    const TransportPath& Path() const
    {
        return m_path;
    }

    // ---- packets that come ----

    /**
     * Takes the ACKs of a packet (RT-7).
     *
     * @param packet of a window, ACK or CLOSE
     * @param retire is called with each packet in flight that is newly acknowledged
     * @return whether bases and bitmaps make sense; if not, it is counted and nothing else is done
     */
    template <typename Retire>
    bool TakeAcks(const TransportPacket& packet, TimePs now, Retire retire)
    {
        if (HasNoNews(packet))
        {
            m_path.TakeAck(packet, 0, Data(), m_losses.NewestSent(), now);
            return true;
        }
        const AckBitmaps bitmaps = packet.HasBitmaps() ? packet.bitmaps : AckBitmaps();
        const PacketBitmap requestAcked(bitmaps.requestAcked, 0);
        const PacketBitmap& dataAcked = bitmaps.dataAcked;
        if (!JudgeAcks(packet, requestAcked, dataAcked))
        {
            return false;
        }
        // The newest packet to come was not sent after its echo.
        const TimePs shortestRtt = packet.echo < now ? now - packet.echo : m_path.ShortestRtt();
        const RetransmissionEngine::News news{m_losses,
                                              now,
                                              shortestRtt,
                                              m_shared.settings.initialRtt,
                                              m_poll.get()};
        const auto clear = [&](uint32_t psn, const OutstandingPacket& suspect, bool isWaiting) {
            Clear(psn, suspect, isWaiting, now);
        };
        uint32_t acked = 0;
        const auto give = [&](uint32_t, const OutstandingPacket& outstanding) {
            ++acked;
            GiveBack(outstanding);
            retire(outstanding);
        };
        RetransmissionEngine::Pool& tables = m_shared.tables;
        m_requests.sent.Acknowledge(packet.requestBase, requestAcked, tables, news, clear, give);
        acked = 0;
        m_data.sent.Acknowledge(packet.dataBase, dataAcked, tables, news, clear, give);
        m_path.TakeAck(packet, acked, Data(), m_losses.NewestSent(), now);
        if (m_losses.GetPast() != nullptr)
        {
            m_losses.GetPast()->Deliver(acked, now, m_path.Rtt());
        }
        if (packet.HasBitmaps())
        {
            m_data.sent.NoteReceived(packet.dataBase, bitmaps.dataReceived, news, clear);
            if (packet.requestBase == Requests().Base() && packet.dataBase == Data().Base())
            {
                m_losses.Share(); // it is not older than what is known
            }
        }
        WatchUlp(packet.HasBitmaps(), acked > 0 || m_losses.HasNews(), now);
        if (m_losses.HasOnlyCopies() && packet.echo < now)
        {
            m_losses.Smooth(now - packet.echo, m_shared.settings.initialRtt);
        }
        if (m_losses.TakeNews())
        {
            FindLosses(now);
        }
        return true;
    }

    /**
     * Looks at the PSN of a packet (RT-8). What is not EXPECTED is counted, and answered by an ACK.
     *
     * @param packet of a window
     * @return what is to be done with it
     */
    PsnVerdict Judge(const TransportPacket& packet, TimePs now);

    /// @param packet of a window @return whether it has not come yet, and may
    bool IsMissed(const TransportPacket& packet) const
    {
        const SequenceSpace& space = packet.IsRequest() ? m_requests : m_data;
        return space.received.Classify(packet.piece.psn) == PsnVerdict::EXPECTED;
    }

    /// @param packet of a window @return whether all before it are acknowledged
    bool IsAtBase(const TransportPacket& packet) const
    {
        return packet.piece.psn == (packet.IsRequest() ? m_requests : m_data).received.Base();
    }

    /**
     * Takes a packet that was EXPECTED.
     *
     * @param packet of a window
     */
    void Take(const TransportPacket& packet, TimePs now)
    {
        m_acks.Take(packet, now);
        SpaceOf(packet).received.Receive(packet.piece.psn);
    }

    /// A packet was taken, and may be acknowledged now. @copydetails Take()
    void Acknowledge(const TransportPacket& packet, TimePs now)
    {
        SpaceOf(packet).received.Acknowledge(packet.piece.psn);
        m_acks.Count(now, AckDelay());
    }

    /// Data may be acknowledged, the ULP has it.
    void AcknowledgeData(uint32_t psn, TimePs now)
    {
        m_data.received.Acknowledge(psn);
        m_acks.Count(now, AckDelay());
    }

    /// A packet was taken, and is acknowledged later.
    void Postpone(TimePs now)
    {
        m_acks.Arm(now, m_shared.settings.ackDelay);
    }

    /// A packet of a window has come marked. @return whether the peer is told at once
    bool TakeMark(TimePs now)
    {
        return m_path.TakeMark(now);
    }

    /// The peer says that packets come marked.
    void TakeCnp(TimePs now)
    {
        m_path.TakeCnp(now);
    }

    /**
     * A packet has come, or an ACK of one: what switches have written on it.
     *
     * @param packet that says so, of any type
     */
    void TakeTelemetry(const TransportPacket& packet, const HopStack& stack, TimePs now)
    {
        packet.HasBitmaps() ? m_path.TakeTelemetry(stack, packet.dataBase, Data().Next(), now)
                            : m_path.SeeTelemetry(stack);
    }

    /// An ACK is to be sent at once.
    void ForceAck()
    {
        m_acks.Force();
    }

    /**
     * The peer had no room for a packet.
     *
     * @param packet its NACK NO_RESOURCE
     */
    void Refuse(const TransportPacket& packet, TimePs now);

    /**
     * The peer has got the header of a packet alone.
     *
     * @param packet its NACK TRIMMED
     */
    void TakeTrimmed(const TransportPacket& packet, TimePs now);

    /**
     * The peer has received a packet twice.
     *
     * @param packet its NACK DUPLICATE
     */
    void TakeDuplicate(const TransportPacket& packet, TimePs now);

    // ---- timers ----

    /**
     * Looks for packets of which nothing was heard in time (RT-12), for those that are lost by now,
     * and whether a probe is due.
     *
     * @return a packet that was resent too often; nothing if there is none
     */
    std::optional<OutstandingPacket> Expire(TimePs now);

    /// The fabric holds packets back: time-outs that are over by now begin when it does no longer.
    /// @param until when it does, ps
    void PutOff(TimePs until, TimePs now)
    {
        m_requests.sent.PutOff(until + TimeOut(0), now);
        m_data.sent.PutOff(until + TimeOut(0), now);
    }

    /// @return no packet's time-out is before this, ps; NEVER if nothing is in flight
    TimePs Deadline() const
    {
        return std::min(m_requests.sent.Deadline(), m_data.sent.Deadline());
    }

    /// @return a packet may be lost or a probe due then, ps; NEVER if there is none
    TimePs LossTimer() const
    {
        const bool isIdle =
            !m_shared.settings.sendsProbes || (Requests().Span() | Data().Span()) == 0;
        return isIdle ? m_losses.Timer()
                      : std::min(m_losses.Timer(), WaitsForUlp() ? PollTime() : ProbeTime());
    }

    /// @return when an ACK is sent, ps; NEVER if there is nothing to say
    TimePs AckDeadline() const
    {
        return m_acks.Deadline();
    }

    // ---- packets that go ----

    /// @return whether a stand-alone ACK is to be sent
    bool IsAckDue(TimePs now) const
    {
        return m_acks.IsDue(now, m_shared.ackPackets);
    }

    /// @return whether a packet is to be sent again
    bool HasResend() const
    {
        return m_requests.sent.HasResend() || m_data.sent.HasResend();
    }

    /// @return whether the window and the table of packets let a request go. The first of a
    /// connection goes in any case: data in flight everywhere may wait for it to be presented.
    bool MaySendRequest() const
    {
        return !Requests().IsFull() && (Requests().Span() == 0 || m_shared.packetEntries.Has(1));
    }

    /**
     * Sends a packet for the first time. Its window must not be full.
     *
     * @param outstanding what is sent, without times
     * @param packet gets it
     */
    void SendNew(OutstandingPacket&& outstanding, TransportPacket& packet, TimePs now);

    /// Sends a packet again; HasResend() must be true. @param packet gets it
    void SendAgain(TransportPacket& packet, TimePs now);

    /// Writes a stand-alone ACK. @param packet an ACK
    void SendAck(TransportPacket& packet, TimePs now)
    {
        m_acks.Write(packet, m_requests.received, m_data.received, now);
        if (m_path.HasTelemetry())
        {
            m_path.TellTelemetry(m_shared.seen);
            m_shared.isSeenTold = true;
        }
    }

    /// Writes what rides along (RT-9). @param packet of a window, or CLOSE
    void RideOn(TransportPacket& packet, TimePs now)
    {
        // Telemetry does not ride along, only ACKs have it.
        m_acks.RideOn(packet, m_requests.received, m_data.received, now, m_path.HasTelemetry());
    }

  private:
    /// @return how long an ACK for the newest packet may wait, ps
    TimePs AckDelay()
    {
        const bool isNews = m_shared.acksMarkChanges && m_acks.TakeMarkChange();
        return isNews ? 0 : m_shared.settings.ackDelay;
    }

    /// From here on in a transaction resends cost more than waiting. Chosen: a quarter of what is
    /// granted at a time, 32 packets.
    static constexpr uint32_t BULK_BYTES = 128 * 1024;

    /// @param packet of a window @return the window
    SequenceSpace& SpaceOf(const TransportPacket& packet)
    {
        return packet.IsRequest() ? m_requests : m_data;
    }

    /// @return whether a packet only repeats what is known, as most of what rides along does
    bool HasNoNews(const TransportPacket& packet) const
    {
        return packet.requestBase == Requests().Base() && packet.dataBase == Data().Base() &&
               !packet.HasBitmaps();
    }

    /// @return whether the ACKs of a packet make sense
    bool JudgeAcks(const TransportPacket& packet,
                   const PacketBitmap& requestAcked,
                   const PacketBitmap& dataAcked)
    {
        const AckVerdict requests = Requests().Judge(packet.requestBase, requestAcked);
        const AckVerdict data = Data().Judge(packet.dataBase, dataAcked);
        if (requests == AckVerdict::IMPOSSIBLE || data == AckVerdict::IMPOSSIBLE)
        {
            ++m_shared.counters.malformed;
            return false;
        }
        m_shared.counters.staleAcks += requests == AckVerdict::STALE || data == AckVerdict::STALE;
        return true;
    }

    /// Looks for packets that are lost, after something was delivered or as time has passed.
    void FindLosses(TimePs now);

    /**
     * Packets are taken for lost.
     *
     * @param lost from the base of the window on
     */
    void Claim(const SequenceSpace& space, PacketBitmap lost, LossCause cause);

    /**
     * Congestion control learns of losses, which are claimed next.
     *
     * @param sentAt TIME_OUT: when the last of them was sent, ps
     */
    void TellLoss(LossCause cause, TimePs now, TimePs sentAt = 0);

    /// A packet that was taken for lost, or was a probe, is delivered.
    void Clear(uint32_t psn, const OutstandingPacket& suspect, bool isWaiting, TimePs now);

    /// A packet is delivered as it was sent first: if it was taken for lost, how late it is.
    void NoteLateness(uint32_t psn, bool isRequest, TimePs now);

    /// @return packets that were taken for lost; nullptr if none ever was
    ResendHistory* GetResends() const;

    /**
     * A packet that was taken for lost may not have been.
     *
     * @param disproof nothing: it was, as far as is known
     * @param isRequest whether its PSN is of the request window
     * @return whether it was not
     */
    bool TakeBack(const std::optional<ResendHistory::Disproof>& disproof, bool isRequest);

    /// The peer has not got a copy of a packet. @param packet NACK NO_RESOURCE or TRIMMED
    void Miss(const TransportPacket& packet);

    /// Something may be resent as a probe, or the peer is polled.
    void Probe(TimePs now);

    /**
     * The peer has told something. Once packets wait for its ULP alone, it is polled from then on.
     *
     * @param isAll whether all that it knows
     * @param isNews whether something of it was new
     */
    void WatchUlp(bool isAll, bool isNews, TimePs now)
    {
        if (!m_poll && m_data.sent.IsAllDelivered())
        {
            m_poll = std::make_unique<AcceptancePoll>();
        }
        if (m_poll && (isAll || isNews))
        {
            m_poll->Hear(now, isNews);
        }
    }

    /// @return whether packets are in flight, and all wait for the peer's ULP
    bool WaitsForUlp() const
    {
        return m_poll && m_data.sent.IsAllDelivered() && Requests().Span() == 0;
    }

    /// @return when the peer is polled while all waits for its ULP, ps; NEVER if it is not
    TimePs PollTime() const
    {
        const OutstandingPacket& oldest = m_data.sent.At(Data().Base());
        return m_poll->Time(oldest.SentAt(), oldest.Deadline(), AnswerWait());
    }

    /// @return when a probe is due, ps
    TimePs ProbeTime() const
    {
        return m_losses.ProbeTime(AnswerWait());
    }

    /**
     * A probe does not put the time-out of its packet off, which is the last resort (RFC 8985,
     * section 7.3): only as long as its own answer may take, and the next probe is later than that.
     *
     * @param packet that is sent again
     * @return its time-out, ps
     */
    TimePs TimeOutOfResend(const OutstandingPacket& packet, TimePs now) const
    {
        return packet.isProbe ? std::max(packet.Deadline() - now, AnswerWait())
                              : TimeOut(packet.retries);
    }

    /// @return the reorder window: how late packets come, as far as is known, ps
    TimePs ReorderLength() const;

    /**
     * How long it is waited for a packet that is late: a round trip at most (RFC 8985), since a
     * resend may save time; while a long transaction is sent and may go on, as long as was learned.
     * Where packets take several ways, many are late, and short transactions wait for them, too.
     *
     * @param window the packet's
     * @return how much later it may come than one that was sent after it, ps
     */
    TimePs Tolerance(const TransmitWindow& window) const;

    /// @param resends of the packet so far @return its time-out, ps
    TimePs TimeOut(uint32_t resends) const
    {
        // What is waited for as late is not given up before.
        return m_path.Rto(resends) + (m_losses.GetPast() != nullptr ? ReorderLength() : 0);
    }

    /// A packet in flight does not need its place any more.
    void GiveBack(const OutstandingPacket& packet)
    {
        m_shared.packetEntries.Give(packet.isCounted);
        if (packet.KeepsPayload())
        {
            m_shared.payload.Give(packet.amount);
            m_shared.room.Free();
        }
    }

    /// Writes a packet of a window.
    void Write(TransportPacket& packet,
               uint32_t psn,
               const OutstandingPacket& outstanding,
               TimePs now);

    // In the order of their use, so that what a packet needs shares cache lines.
    DeliveryShared& m_shared;               ///< Of the endpoint.
    AckComposer m_acks;                     ///< What the peer is told.
    TransportPath m_path;                   ///< To the peer.
    LossDetector m_losses;                  ///< Of packets in flight.
    std::unique_ptr<AcceptancePoll> m_poll; ///< None while nothing has waited for the peer's ULP.
    SequenceSpace m_data;                   ///< Data.
    SequenceSpace m_requests;               ///< Requests.
};

} // namespace ns3::fabric

#endif // FABRIC_PACKET_DELIVERY_H
