/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_INITIATOR_H
#define FABRIC_TRANSPORT_INITIATOR_H

#include "fabric-connection-terms.h"
#include "fabric-initiator-shared.h"
#include "fabric-outstanding-packet.h"
#include "fabric-own-request.h"
#include "fabric-reorder-engine.h"
#include "fabric-request-credit.h"

#include <optional>

namespace ns3::fabric
{

/**
 * The requests of the own ULP on one connection: solicitation on the initiator's side (RT-3),
 * reorder engine of the completions (RT-10).
 *
 * | request          | event                             | next                                 |
 * |------------------|-----------------------------------|--------------------------------------|
 * | new pull         | request sent                      | waits for data                       |
 * | waits for data   | last data packet                  | done                                 |
 * | new solicited    | request sent                      | waits for grants                     |
 * | waits for grants | grant; ordered: all pushes before | sends data, up to what is granted    |
 * |                  | have sent theirs                  |                                      |
 * | new unsolicited  | ordered: as above                 | sends data                           |
 * | sends data       | all sent, all acknowledged        | done                                 |
 * | waits for data   | ERROR_RESPONSE                    | done, in error                       |
 * | sends data       | NACK IN_ERROR                     | answered; in error when acknowledged |
 * | done             | ordered: all before are complete  | complete: told to the ULP            |
 *
 * On an ordered connection push data goes out in the order of RSNs (RT-16). That is more than
 * taste: the last packet of a push is acknowledged when the target ULP has it, in order, so data
 * that overtook could fill the window and keep out what it has to wait for.
 */
class TransportInitiator
{
  public:
    /**
     * @param shared of the endpoint
     * @param terms of the connection; it stays where it is
     */
    TransportInitiator(InitiatorShared& shared, const ConnectionTerms& terms)
        : m_shared(shared),
          m_terms(terms)
    {
    }

    /**
     * A new request.
     *
     * @param operation push or pull
     * @param tag the ULP's
     * @param isSolicited of a push
     * @return its RSN; nothing if there is no room
     */
    std::optional<RequestId> Issue(UlpOperation operation,
                                   uint32_t bytes,
                                   uint64_t tag,
                                   bool isSolicited,
                                   TimePs now);

    /// The terms are agreed on: requests may go out. Those that were made before are cut anew.
    void Open();

    /// @return whether this pull is the next to be asked for
    bool WaitsToAsk(uint32_t rsn) const
    {
        return !m_pulls.IsEmpty() && m_pulls.Front() == rsn;
    }

    /// The next pull is asked for; one must wait.
    void Ask();

    // ---- entries of the target's CAM ----

    /// Requests need credits from now on. @param credits for so many more there are some
    void Meter(uint32_t credits)
    {
        m_credit.Meter(m_nextListed + credits);
    }

    /// @return whether requests need credits
    bool IsMetered() const
    {
        return m_credit.IsMetered();
    }

    /// @return requests below this RSN were or will be sent, and no others without further credit
    uint32_t CreditLimit() const
    {
        return m_credit.Limit();
    }

    /// The target has told how far requests may go. @param limit RSN @return whether it makes sense
    bool TakeCredit(uint32_t limit)
    {
        const bool isValid = m_credit.Raise(limit);
        ListNew();
        return isValid;
    }

    /**
     * @param delay after which it is asked again, ps
     * @return up to which RSN, exclusive, the target is to be asked for credit now, if so
     */
    std::optional<uint32_t> TakeAsk(TimePs now, TimePs delay);

    /// @return when the target is asked again, ps; NEVER if not
    TimePs AskDeadline() const
    {
        return m_credit.Deadline();
    }

    /// @return requests that are not complete
    uint32_t Outstanding() const
    {
        return m_engine.Size();
    }

    /**
     * Pulls apart, which complete by their data.
     *
     * @return whether a push waits for acknowledgements alone, so that one may complete it
     */
    bool MayComplete() const
    {
        return m_pushesSent > 0;
    }

    /// @return whether a pull request or solicited request can be sent
    bool HasRequest() const
    {
        return !m_requests.IsEmpty();
    }

    /// @return whether push data can be sent
    bool HasData() const
    {
        return !m_data.IsEmpty() && MaySend(*m_engine.Find(m_data.Front()));
    }

    /// @return the next pull or solicited request, without times; HasRequest() must be true
    OutstandingPacket TakeRequest();

    /// @return the next data packet, without times; HasData() must be true
    OutstandingPacket TakeData();

    /// Writes what packets say of their transaction. @param packet of a window; a request or push
    /// data gets the length and the ULP's tag
    void Complete(TransportPacket& packet) const;

    /**
     * @param packet PULL_DATA, PUSH_GRANT or ERROR_RESPONSE
     * @return whether it fits a request
     */
    bool Expects(const TransportPacket& packet) const;

    /// @param packet that was expected, and comes for the first time
    void Receive(const TransportPacket& packet, TimePs now);

    /**
     * Push data was acknowledged.
     *
     * @param rsn its request
     */
    void Acknowledged(uint32_t rsn, TimePs now);

    /**
     * The target ULP has completed a push in error.
     *
     * @return whether all of it was sent
     */
    bool OnError(uint32_t rsn);

    /// @return whether such a request is outstanding
    bool IsOutstanding(uint32_t rsn) const
    {
        return m_engine.Find(rsn) != nullptr;
    }

    /**
     * The connection has failed: all requests complete, oldest first.
     *
     * @param rsn the one that the others are flushed for; nothing if it is none of them
     */
    void Fail(TransportStatus status, std::optional<RequestId> rsn, TimePs now);

  private:
    /// @return whether the target would take this RSN already, if it has an entry for it
    bool IsInSpan(uint32_t rsn) const
    {
        return rsn - m_engine.Base() < m_terms.requestSpan;
    }

    /**
     * Nothing of an ordered connection goes out before a pull that waits to be asked for: it would
     * wait for it at the target, with what it was granted, and two ends could wait for each other.
     *
     * @return whether a request is put now where it waits to be sent
     */
    bool MayList(uint32_t rsn) const
    {
        return IsInSpan(rsn) && (m_pulls.IsEmpty() || !m_terms.isOrdered);
    }

    /// Requests that the target takes now are put where they wait to be sent.
    void ListNew();

    /// Puts a pull where it waits to be asked for.
    void AddPull(uint32_t rsn);

    /// The next pull waits for its turn among those of all connections.
    void AddCandidate();

    /// What a pull has not got it will not get.
    void NothingComes(OwnRequest& request);

    /// Puts a push where its data waits to be sent.
    void ListData(uint32_t rsn, OwnRequest& request);

    /// @return whether a packet of a push may be sent now
    bool MaySend(const OwnRequest& request) const
    {
        return !request.isSolicited ||
               request.packetsSent * uint64_t{m_terms.mtu} < request.granted;
    }

    /// A request has come to its end; it completes when it is its turn.
    void Done(uint32_t rsn, OwnRequest& request, TimePs now);

    /// Tells the ULP and frees the entry.
    void TellCompletion(uint32_t rsn, TransportStatus status, TimePs now);

    InitiatorShared& m_shared;          ///< Of the endpoint.
    const ConnectionTerms& m_terms;     ///< Of the connection.
    ReorderEngine<OwnRequest> m_engine; ///< By RSN.
    RsnList m_pulls;                    ///< Pulls that wait to be asked for.
    RequestCredit m_credit;             ///< Which of them the target takes.
    RsnList m_requests;                 ///< Pull and solicited requests to be sent.
    RsnList m_data;                     ///< Pushes with data to be sent.
    uint32_t m_nextRsn{0};              ///< Of the next request.
    uint32_t m_nextListed{0};           ///< Oldest request that is not put anywhere yet.
    uint32_t m_nextSsn{0};              ///< Of the next solicited push.
    uint32_t m_pushesSent{0};           ///< Pushes all of whose data was sent.
    bool m_isOpen{false};               ///< Whether requests may go out.
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_INITIATOR_H
