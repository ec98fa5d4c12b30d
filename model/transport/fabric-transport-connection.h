/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_CONNECTION_H
#define FABRIC_TRANSPORT_CONNECTION_H

#include "fabric-ack-coalescer.h"
#include "fabric-congestion-control.h"
#include "fabric-receive-window.h"
#include "fabric-retransmission-engine.h"
#include "fabric-rtt-estimator.h"
#include "fabric-transport-endpoint.h"
#include "fabric-transport-initiator.h"
#include "fabric-transport-shared.h"
#include "fabric-transport-target.h"

#include <optional>

namespace ns3
{
namespace fabric
{

/**
 * One connection (RT-1): set-up and tear-down, two windows per direction (RT-6), ACKs (RT-9),
 * timers, and what initiator and target have to send.
 *
 * | state         | event                                  | next                               |
 * |---------------|----------------------------------------|------------------------------------|
 * | -             | Connect()                              | CONNECTING, sends CONNECT          |
 * | -             | CONNECT comes                          | ACCEPTING, sends ACCEPT            |
 * | CONNECTING    | ACCEPT                                 | OPEN, CONNECTED; an ACK confirms   |
 * | CONNECTING    | REFUSE; CONNECT resent too often       | gone, FAILED                       |
 * | ACCEPTING     | any packet of the peer but CONNECT     | OPEN, ACCEPTED                     |
 * | ACCEPTING     | ACCEPT resent too often                | gone; nobody was told of it        |
 * | OPEN          | Close() and own requests complete      | CLOSING, sends CLOSE               |
 * | OPEN, CLOSING | CLOSE came and own requests complete   | gone, sends CLOSED, CLOSED         |
 * | CLOSING       | CLOSED; the peer does not know the CID | gone, CLOSED                       |
 * | OPEN          | requests under way, nothing in flight, | OPEN, an ACK wants an answer       |
 * |               | for probeInterval                      |                                    |
 * | any           | RESET; retry limit; unknown CID;       | gone, FAILED; RESET tells the peer |
 * |               | not ready too often                    |                                    |
 *
 * CONNECT, ACCEPT and CLOSE have a timer like packets of a window; what answers them is sent once,
 * and again if they come again. Any packet of the peer while CLOSING starts the count of resends
 * anew. Who closes goes on serving the peer's requests: the peer sends CLOSED when it has none
 * left.
 */
class TransportConnection
{
  public:
    /// Where a connection is in its life.
    enum class State : uint8_t
    {
        FREE,       ///< It is not there.
        CONNECTING, ///< CONNECT is out.
        ACCEPTING,  ///< ACCEPT is out.
        OPEN,       ///< Set up.
        CLOSING,    ///< CLOSE is out.
    };

    /// @param shared of the endpoint
    explicit TransportConnection(TransportShared& shared);
    TransportConnection(const TransportConnection&) = delete;            ///< Stays where it is.
    TransportConnection& operator=(const TransportConnection&) = delete; ///< Stays where it is.

    /**
     * The own ULP opens it.
     *
     * @param cid own
     * @param peer whom to
     * @param settings the ULP's
     * @param now the time, ps
     */
    void Connect(ConnectionId cid,
                 PeerAddress peer,
                 const ConnectionSettings& settings,
                 TimePs now);

    /**
     * A peer opens it.
     *
     * @param cid own
     * @param initiator number of the peer among all peers
     * @param peer who
     * @param packet its CONNECT, see AreTermsValid()
     * @param now the time, ps
     */
    void Accept(ConnectionId cid,
                uint32_t initiator,
                PeerAddress peer,
                const TransportPacket& packet,
                TimePs now);

    /**
     * @param packet CONNECT or ACCEPT
     * @return whether its terms are within what the transport knows
     */
    static bool AreTermsValid(const TransportPacket& packet);

    /// @return where it is in its life
    State Phase() const
    {
        return m_state;
    }

    /// @return how it is named and what was agreed on
    const ConnectionTerms& Terms() const
    {
        return m_terms;
    }

    /// @param initiator number of the peer among all peers
    void SetInitiator(uint32_t initiator)
    {
        m_terms.initiator = initiator;
    }

    /// CONNECT has come again: so has ACCEPT to be sent.
    void RepeatAccept();

    /// @return whether the ULP may make requests
    bool CanRequest() const;

    /**
     * A new request.
     *
     * @param operation push or pull
     * @param bytes of it
     * @param tag the ULP's
     * @param now the time, ps
     * @return its RSN; nothing if there is no room
     */
    std::optional<RequestId> Issue(UlpOperation operation,
                                   uint32_t bytes,
                                   uint64_t tag,
                                   TimePs now);

    /// The ULP wants to leave. @param now the time, ps
    void Close(TimePs now);

    /**
     * Ends it.
     *
     * @param status of its requests
     * @param rsn the one that is at fault; nothing if it is none of them
     * @param tellPeer whether RESET is sent
     * @param now the time, ps
     */
    void Fail(TransportStatus status, std::optional<RequestId> rsn, bool tellPeer, TimePs now);

    /// The peer says that it does not know this connection. @param now the time, ps
    void PeerDoesNotKnow(TimePs now);

    /**
     * The target ULP's answer.
     *
     * @param rsn presented
     * @param answer what it says
     * @param now the time, ps
     * @param retryAfter NOT_READY: when to present it again, ps from now
     * @return whether the request waited for an answer
     */
    bool Answer(RequestId rsn, UlpAnswer answer, TimePs now, TimePs retryAfter);

    /// The target ULP's data. @param rsn presented @return whether it was expected
    bool Respond(RequestId rsn);

    /**
     * @param packet of the peer on this connection
     * @param now the time, ps
     */
    void Receive(const TransportPacket& packet, TimePs now);

    /**
     * Presents a request.
     *
     * @param event gets what the ULP is told
     * @return whether there was one
     */
    bool Present(UlpEvent& event);

    /// Runs the timers. @param now the time, ps
    void RunUntil(TimePs now);

    /**
     * @return when a timer is next that may end the connection or present a request again, ps;
     * NEVER if none runs
     */
    TimePs NextDeadline() const;

    /// @param now the time, ps @return when a timer is next that only lets it send, ps; NEVER if
    /// none
    TimePs NextSend(TimePs now) const;

    /**
     * @param packet on its way to here on this connection
     * @return whether the ULP may be told of something when it comes, peers' requests apart
     */
    bool MayTell(const TransportPacket& packet) const;

    /// Joins the scheduler's classes in which there is something to send, and asks to be presented.
    /// @param now the time, ps
    void Schedule(TimePs now);

    /**
     * @param txClass the scheduler's choice
     * @param packet gets what is sent
     * @param now the time, ps
     * @return whether there is something to send in this class after all
     */
    bool Send(TxClass txClass, TransportPacket& packet, TimePs now);

    /// @return target side, for grants
    TransportTarget& Target()
    {
        return m_target;
    }

    /// @param view gets what can be seen
    void Describe(ConnectionView& view) const;

    /// @return bytes of memory held by its tables
    std::size_t MemoryBytes() const;

  private:
    /// Sets the windows up. @param requestPsn own first @param dataPsn own first
    void OpenTransmitters(uint32_t requestPsn, uint32_t dataPsn);

    /// Sets the windows up. @param packet CONNECT or ACCEPT of the peer
    void OpenReceivers(const TransportPacket& packet);

    /// Takes the own settings as terms, until the peer's are known.
    void SetTerms();

    /// Takes the smaller of own and the peer's terms. @param offer the peer's
    void Agree(const ConnectionOffer& offer);

    /// All that it holds is given back.
    void Abandon();

    /// It ends as it should. @param now the time, ps
    void Leave(TimePs now);

    /// Tells the ULP about the connection.
    void Tell(UlpEventType type, TransportStatus status, TimePs now);

    /// CONNECT, ACCEPT or CLOSE is to be sent, with a timer.
    void StartControl();

    /// Sees whether it is time to leave. @param now the time, ps
    void TryLeave(TimePs now);

    void OnAccept(const TransportPacket& packet, TimePs now);   ///< The peer accepts.
    void OnClosed(TimePs now);                                  ///< The peer has left.
    void OnNack(const TransportPacket& packet, TimePs now);     ///< Something is not done.
    void OnRefusal(const TransportPacket& packet, TimePs now);  ///< The peer had no room.
    void OnWindowed(const TransportPacket& packet, TimePs now); ///< A packet with a PSN.

    /// @return whether the bases and bitmaps of a packet made sense
    bool TakeAcks(const TransportPacket& packet, TimePs now);

    /// What an ACK tells beyond base and bitmap: gaps, round trip, marks.
    void TakeSignals(const TransportPacket& packet, uint32_t acked, TimePs now);

    /// @return packets that are newly to be resent for a gap
    uint32_t TakeGaps(const TransportPacket& packet, TimePs now);

    /// A packet in flight was acknowledged.
    void Retire(const OutstandingPacket& packet, TimePs now);

    /// A packet in flight does not need its place any more.
    void GiveBack(const OutstandingPacket& packet);

    /// @return whether the request that a packet belongs to takes it
    Admission Admit(const TransportPacket& packet, bool isBase) const;

    /// @return whether the packet is acknowledged on receipt
    bool Deliver(const TransportPacket& packet, TimePs now);

    /// Data may be acknowledged, the ULP has it. @param psn of the data window @param now the time,
    /// ps
    void AcknowledgeData(uint32_t psn, TimePs now);

    /// Sends a NACK.
    void Nack(NackCode code,
              uint32_t psn,
              uint32_t rsn,
              uint32_t amount = 0,
              bool isRequestPsn = false);

    /// Sends a packet that is of no window.
    void Reply(TransportPacket packet);

    /// Runs the timers of one window. @return whether the connection lives on
    bool Expire(RetransmissionEngine& engine, TimePs now);

    /// @return whether something is under way and only the peer can go on with it
    bool IsWaitingForPeer() const
    {
        return (m_initiator.Outstanding() > 0 || m_target.Unfinished() > 0) &&
               m_requests.Window().Span() == 0 && m_data.Window().Span() == 0;
    }

    /// Runs the timer of set-up, tear-down and probes.
    void ExpireControl(TimePs now);

    /// @return whether the windows let data go; a congestion window below 1 lets one go at a time
    bool MaySendData(TimePs now) const
    {
        const TransmitWindow& window = m_data.Window();
        if (m_congestion.window >= window.Size())
        {
            return !window.IsFull();
        }
        const double inFlight = window.InFlight();
        return !window.IsFull() && (inFlight == 0 || inFlight + 1 <= m_congestion.window) &&
               (m_congestion.window >= 1 || m_paceAt <= now);
    }

    /// @return whether the window and the table of packets let a request go. The first of a
    /// connection goes in any case: data in flight everywhere may wait for it to be presented.
    bool MaySendRequest() const
    {
        return !m_requests.Window().IsFull() &&
               (m_requests.Window().Span() == 0 || m_shared.packetEntries.Has(1));
    }

    /// @return whether there is something to send in a class
    bool HasWork(TxClass txClass, TimePs now) const;

    /// @return classes with something to send, as bits of the scheduler
    uint8_t Work(TimePs now) const;

    bool SendControl(TransportPacket& packet, TimePs now); ///< CONNECT, ACCEPT, CLOSE.
    bool SendAck(TransportPacket& packet, TimePs now);     ///< Stand-alone.
    bool SendResend(TransportPacket& packet, TimePs now);  ///< Again.
    bool SendData(TransportPacket& packet, TimePs now);    ///< Push data, pull data, errors.

    /// Sends a packet for the first time.
    bool SendNew(RetransmissionEngine& engine,
                 OutstandingPacket outstanding,
                 TransportPacket& packet,
                 TimePs now);

    /// Writes a packet of a window.
    void Write(TransportPacket& packet,
               uint32_t psn,
               const OutstandingPacket& outstanding,
               TimePs now);

    /// Writes what rides along with a packet (RT-9).
    void WriteAcks(TransportPacket& packet, TimePs now);

    /// @return round trip to be expected, ps
    TimePs Rtt() const
    {
        return m_rtt.Expected(m_shared.settings.initialRtt);
    }

    // Members stand in the order of their use, so that what a packet needs shares cache lines.
    TransportShared& m_shared;    ///< Of the endpoint.
    AckCoalescer m_ack;           ///< Stand-alone ACKs.
    RttEstimator m_rtt;           ///< Round trip.
    TimePs m_controlAt{NEVER};    ///< CONNECT, ACCEPT, CLOSE is resent or a probe sent then, ps.
    TimePs m_paceAt{0};           ///< No data before it, ps.
    TimePs m_echoSentAt{NEVER};   ///< `sentAt` of the newest packet; NEVER: told already.
    State m_state{State::FREE};   ///< Where it is in its life.
    bool m_isControlDue{false};   ///< CONNECT, ACCEPT or CLOSE is to be sent.
    bool m_wantsClose{false};     ///< The own ULP has called Close().
    bool m_peerCloses{false};     ///< CLOSE has come.
    bool m_isAnnounced{false};    ///< A REQUEST waits among the events.
    bool m_isResponseTurn{false}; ///< Data: pull data is next, if there is push data as well.
    uint8_t m_controlRetries{0};  ///< Of CONNECT, ACCEPT or CLOSE.

    ConnectionTerms m_terms;          ///< Agreed on.
    TimePs m_echoCameAt{0};           ///< When the packet of `m_echoSentAt` came, ps.
    uint16_t m_marksSeen{0};          ///< Marked packets received.
    uint16_t m_marksHeard{0};         ///< Marked packets that the peer has told of.
    RetransmissionEngine m_data;      ///< Own data packets in flight.
    ReceiveWindow m_dataReceived;     ///< The peer's.
    TransportInitiator m_initiator;   ///< Own requests.
    TransportTarget m_target;         ///< The peer's requests.
    RetransmissionEngine m_requests;  ///< Own request packets in flight.
    ReceiveWindow m_requestsReceived; ///< The peer's.
    CongestionState m_congestion;     ///< Of the strategy.

    ConnectionSettings m_settings; ///< Own.
};

static_assert(sizeof(TransportConnection) <= 10 * 64, "a packet touches most of its lines");

} // namespace fabric
} // namespace ns3

#endif // FABRIC_TRANSPORT_CONNECTION_H
