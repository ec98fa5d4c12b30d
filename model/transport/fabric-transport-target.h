/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_TARGET_H
#define FABRIC_TRANSPORT_TARGET_H

#include "fabric-connection-terms.h"
#include "fabric-outstanding-packet.h"
#include "fabric-peer-request.h"
#include "fabric-reorder-engine.h"
#include "fabric-target-shared.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ns3::fabric
{

/// Whether a target takes a packet.
enum class Admission : uint8_t
{
    ADMITTED,    ///< It is taken.
    NO_RESOURCE, ///< It would be, payload memory is full, or it has no credit.
    MALFORMED,   ///< It fits no request.
};

/**
 * The requests of the peer's ULP on one connection: grants (RT-4), reorder engine of what is
 * presented (RT-10, RT-11), answers of the target ULP (RT-18).
 *
 * | request         | event                             | next                                  |
 * |-----------------|-----------------------------------|---------------------------------------|
 * | unknown         | pull request                      | complete                              |
 * | unknown         | solicited request                 | waits for grants, told to GrantPolicy |
 * | unknown         | unsolicited data                  | receives                              |
 * | waits, receives | data                              | receives; the last to come is not     |
 * |                 |                                   | acknowledged yet; complete            |
 * | complete        | ordered: head of line; no request | presented                             |
 * |                 | is in 'not ready'                 |                                       |
 * | presented       | push, OK                          | last data acknowledged, retired       |
 * | presented       | pull, Respond()                   | sends data; retired when all is sent  |
 * | presented       | NOT_READY                         | not ready; NACK                       |
 * | not ready       | time                              | presented, before all others          |
 * | presented       | pull, ERROR                       | ERROR_RESPONSE is sent, retired       |
 * | presented       | push, ERROR                       | in error; NACK IN_ERROR               |
 * | in error        | its last data comes again; no     | NACK IN_ERROR                         |
 * |                 | answer for some time, then twice  |                                       |
 * |                 | that, ... ten times at most       |                                       |
 * | in error        | NACK ERROR_HEARD                  | last data acknowledged, retired       |
 *
 * Finite tables. Each request takes an entry of the CAM, from its first packet until it is retired;
 * the peer sends none for which there is no entry (CreditControl). Payload takes memory only while
 * it waits for its turn: that of the head of line goes on to the ULP as it comes. What finds no
 * memory is refused: it is not acknowledged, and the peer sends it again. But the packet at the
 * base of its window is never refused for that; what it needs beyond the memory is in the
 * connection context. So windows always move on, and with them the grants and pull data that empty
 * the tables of the other end: two ends with full tables would wait for each other otherwise.
 */
class TransportTarget
{
  public:
    /**
     * @param shared of the endpoint
     * @param terms of the connection; it stays where it is
     */
    TransportTarget(TargetShared& shared, const ConnectionTerms& terms)
        : m_shared(shared),
          m_terms(terms)
    {
    }

    /**
     * @param packet request or push data
     * @param isBase whether its PSN is the base of its window
     * @return whether it is taken
     */
    Admission Admit(const TransportPacket& packet, bool isBase) const;

    /**
     * @param packet that was admitted, and comes for the first time
     * @return whether it is acknowledged on receipt
     */
    bool Receive(const TransportPacket& packet);

    /// @return whether the ULP is to be told that a request can be presented; it is told once
    bool Announce()
    {
        const bool isNews = !m_isAnnounced && IsPresentable();
        m_isAnnounced = m_isAnnounced || isNews;
        return isNews;
    }

    /**
     * Presents a request to the ULP.
     *
     * @param event gets what the ULP is told
     * @return whether there was one
     */
    bool Present(UlpEvent& event);

    /// What follows from the ULP's answer.
    struct Outcome
    {
        bool isValid{false};                 ///< The request waited for this answer.
        std::optional<uint32_t> acknowledge; ///< PSN of the data window to acknowledge now.
        NackCode nack{NackCode::NONE};       ///< The peer has to know: NOT_READY or IN_ERROR.
        TransportPiece about;                ///< What the NACK says.
    };

    /**
     * The ULP answers a request.
     *
     * @param rsn presented
     * @param until NOT_READY: it is presented again then; ERROR: the peer is told again then, ps
     */
    Outcome Answer(uint32_t rsn, UlpAnswer answer, TimePs until);

    /// The ULP gives the data of a pull. @param rsn presented @return whether it was expected
    bool Respond(uint32_t rsn);

    /// @return when a request that was not ready is presented again, or the peer is told again of
    /// an error, ps; NEVER if neither
    TimePs RetryTime() const
    {
        return m_retryAt;
    }

    /**
     * Requests that were not ready may be presented again.
     *
     * @param wait for the first answer to NACK IN_ERROR, ps
     * @param tell is called with what each NACK IN_ERROR says that is sent again
     */
    template <typename Tell>
    void RunUntil(TimePs now, TimePs wait, Tell tell)
    {
        if (m_retryAt > now)
        {
            return;
        }
        m_retryAt = NEVER;
        for (uint32_t rsn = m_engine.Base(); rsn != m_engine.End(); ++rsn)
        {
            PeerRequest* request = m_engine.Find(rsn);
            if (request == nullptr || request->retryAt == NEVER)
            {
                continue;
            }
            if (request->retryAt <= now && request->isError)
            {
                tell(RepeatError(rsn, *request, now, wait));
            }
            if (request->retryAt > now)
            {
                m_retryAt = std::min(m_retryAt, request->retryAt);
                continue;
            }
            request->retryAt = NEVER;
            m_ready.Push(m_engine, &PeerRequest::next, rsn);
        }
    }

    /// @return whether pull data or an error can be sent
    bool HasResponse() const
    {
        return !m_responses.IsEmpty();
    }

    /// @return the next data packet or error, without times; HasResponse() must be true
    OutstandingPacket TakeResponse();

    /// @return whether this is the last data of a push in error
    bool IsInError(uint32_t rsn, uint32_t psn) const;

    /**
     * The peer knows of an error.
     *
     * @return whether so, and the PSN is to be acknowledged
     */
    bool HearError(uint32_t rsn, uint32_t psn)
    {
        const bool isOver = IsInError(rsn, psn);
        if (isOver)
        {
            Retire(rsn, *m_engine.Find(rsn));
        }
        return isOver;
    }

    /**
     * @param rsn of a candidate
     * @return bytes of it that are not granted yet; 0 if it is gone
     */
    uint32_t ToGrant(uint32_t rsn) const;

    /// @param rsn of a candidate @return whether its data would take payload memory now
    bool WouldBuffer(uint32_t rsn) const
    {
        return m_terms.isOrdered && rsn != m_engine.Head();
    }

    /**
     * Grants bytes of a push; if it is the last of them on an ordered connection, the next one
     * becomes a candidate.
     *
     * @param rsn of a candidate
     * @param bytes at most ToGrant()
     */
    void Grant(uint32_t rsn, uint32_t bytes);

    /// @return whether a grant can be sent
    bool HasGrant() const
    {
        return !m_grants.IsEmpty();
    }

    /// @return the next grant, without times; HasGrant() must be true
    OutstandingPacket TakeGrant();

    // ---- entries of the CAM ----

    /// The connection has a name and proposes terms: gets entries, if there are enough.
    void Begin()
    {
        m_shared.credits.Open(m_account, m_terms.requestSpan);
    }

    /// The terms are agreed on.
    void Agree()
    {
        m_shared.credits.Agree(m_account, m_terms.requestSpan);
    }

    /// @return whether the peer needs no credits
    bool IsTrusted() const
    {
        return m_account.isTrusted;
    }

    /// @return place in FIRST_CREDITS of what the peer may send, before it has asked for more
    uint8_t FirstCredit() const
    {
        const auto* place = std::find(FIRST_CREDITS.begin(), FIRST_CREDITS.end(), m_account.limit);
        return static_cast<uint8_t>(place - FIRST_CREDITS.begin());
    }

    /// @return entries for its requests that are there or may come
    uint32_t Entries() const
    {
        return m_account.entries;
    }

    /// The peer asks; it must be metered. @param wanted it has requests up to this RSN, exclusive
    void Want(uint32_t wanted);

    /// The peer is told that it needs credits. @return one more than the newest RSN that has come
    uint32_t BeginMetering()
    {
        m_isMetering = true;
        return m_engine.End();
    }

    /// The peer has heard that it needs credits. @param limit RSNs below it were or will be sent
    void Meter(uint32_t limit);

    /// It is next in line. @param waiter its place
    void Serve(const CreditControl::Waiter& waiter)
    {
        m_isCreditDue = m_shared.credits.Serve(m_account, waiter) || m_isCreditDue;
    }

    /// @return whether the peer is to be told how far it may go
    bool IsCreditDue() const
    {
        return m_isCreditDue;
    }

    /// As IsCreditDue(); it is told once.
    bool TakeCreditDue()
    {
        return std::exchange(m_isCreditDue, false);
    }

    /// @return how far the peer may go, RSN
    uint32_t CreditLimit() const
    {
        return m_account.limit;
    }

    /// The connection is gone: all is given back.
    void Abandon();

    /// @return requests that are not over
    uint32_t Unfinished() const
    {
        return m_engine.Size();
    }

  private:
    /// @return whether a request can be presented
    bool IsPresentable() const;

    /// @return whether a request's first packet is taken
    Admission AdmitNew(const TransportPacket& packet, bool isBase) const;

    /// @return whether there is an entry for a request that has not come yet
    bool HasEntry(uint32_t rsn) const
    {
        return m_account.isTrusted || SequenceBefore(rsn, m_account.limit);
    }

    /// @return no request from this RSN on is taken now
    uint32_t Ceiling() const
    {
        return m_engine.Base() + m_terms.requestSpan;
    }

    /// @return whether data fits its request
    bool FitsData(const TransportPacket& packet, const PeerRequest& request) const;

    /// @return whether payload memory lets data in
    Admission AdmitPayload(const TransportPacket& packet, bool isBase) const;

    /// @return whether data that has to wait for its turn has room in the payload memory
    bool HasPayloadRoom(const TransportPacket& packet) const;

    /// @return a new entry
    PeerRequest& Open(const TransportPacket& packet);

    /// Tells the policy about a solicited push.
    void AddCandidate(uint32_t rsn, const PeerRequest& request);

    /// Looks up the next SSN, from an RSN on.
    void NextCandidate(uint32_t rsn);

    /// A request can be presented.
    void Completed(uint32_t rsn, PeerRequest& request);

    /// The head of line is presented: the next one's payload goes on.
    void AdvanceHead();

    /// The ULP has placed the pushed data, or takes the pull.
    void Accept(uint32_t rsn, PeerRequest& request, Outcome& outcome);

    /// The ULP is not ready.
    void Postpone(PeerRequest& request, TimePs until, Outcome& outcome);

    /// The ULP completes a request in error.
    void Refuse(uint32_t rsn, PeerRequest& request, TimePs until, Outcome& outcome);

    /// Of a push in error nothing is heard. @param wait for the first answer, ps @return what the
    /// NACK says that is sent again
    TransportPiece RepeatError(uint32_t rsn, PeerRequest& request, TimePs now, TimePs wait) const;

    /// The ULP has not put it off this time.
    void EndWait(PeerRequest& request)
    {
        m_postponed -= request.notReady > 0;
    }

    /// @return a presented request that the ULP has not answered; nullptr if there is none
    PeerRequest* Waiting(uint32_t rsn);

    /// Frees an entry.
    void Retire(uint32_t rsn, PeerRequest& request);

    /// Gives back what an entry holds.
    void GiveBack(const PeerRequest& request);

    TargetShared& m_shared;              ///< Of the endpoint.
    const ConnectionTerms& m_terms;      ///< Of the connection.
    ReorderEngine<PeerRequest> m_engine; ///< By RSN.
    CreditAccount m_account;             ///< What the peer may send.
    bool m_isCreditDue{false};           ///< The peer is to be told how far it may go.
    bool m_isMetering{false};            ///< The peer was told that it needs credits.
    TimePs m_retryAt{NEVER};             ///< Earliest of the entries', ps.
    uint32_t m_postponed{0};             ///< Requests that were not ready and are not accepted yet.
    RsnList m_ready;                     ///< To be presented: unordered, or for another time.
    RsnList m_responses;                 ///< Pull data and errors to be sent.
    RsnList m_grants;                    ///< Grants to be sent.
    uint32_t m_nextSsn{0};               ///< Ordered: to become a candidate next.
    bool m_isGranting{false};            ///< Ordered: a candidate is with the policy.
    bool m_isAnnounced{false};           ///< The ULP was told, and has not looked yet.
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_TARGET_H
