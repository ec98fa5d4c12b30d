/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INITIATOR_APPLICATION_H
#define FABRIC_INITIATOR_APPLICATION_H

#include "fabric-transport.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * Opens a connection of the reliable transport to a target and asks for writes, reads and sends
 * (RT-2), so many at a time, until all are complete; then it closes the connection. If the
 * connection fails, or is closed before, what was not asked for yet never is.
 *
 * | attribute   | what follows                                                              |
 * |-------------|---------------------------------------------------------------------------|
 * | Outstanding | a completion makes room for the next operation                            |
 * | Interval    | besides that, the next operation is posted no earlier than so much later  |
 */
class FabricInitiatorApplication : public Application
{
  public:
    static TypeId GetTypeId();
    FabricInitiatorApplication();
    ~FabricInitiatorApplication() override;

    /// @return operations posted
    uint64_t GetPosted() const;
    /// @return operations complete with status OK
    uint64_t GetCompleted() const;
    /// @return operations complete with another status
    uint64_t GetFailed() const;
    /// @return bytes of the operations that are complete with status OK
    uint64_t GetCompletedBytes() const;
    /// @return operations that will never be posted, since the connection has failed or was closed
    uint64_t GetUnposted() const;
    /// @return whether all operations are over: each is complete, has failed, or is never posted
    bool IsDone() const;
    /// @return what is known of the connection at the present; nothing if it is not there
    std::optional<fabric::ConnectionView> LookAtConnection();

    /**
     * TracedCallback signature for operations that are posted.
     *
     * @param [in] operation what is asked for
     * @param [in] bytes how many
     * @param [in] number of the operation, from 0; the target sees it as the cookie
     */
    typedef void (*PostedTracedCallback)(fabric::RdmaOperation operation,
                                         uint32_t bytes,
                                         uint64_t number);

    /**
     * TracedCallback signature for completions.
     *
     * @param [in] event the completion
     * @param [in] latency from the post to the present
     */
    typedef void (*CompletedTracedCallback)(const fabric::RdmaEvent& event, Time latency);

    /**
     * TracedCallback signature for events of the connection.
     *
     * @param [in] event what happened
     */
    typedef void (*EventTracedCallback)(const fabric::RdmaEvent& event);

  private:
    void StartApplication() override;
    void StopApplication() override;
    void DoDispose() override;

    /// Nothing is posted any more.
    void End();
    /// Posts what may be posted now.
    void PostNext();
    /// Is told what happens.
    void Handle(const fabric::RdmaEvent& event);
    /// An operation is complete. @param event its completion
    void HandleCompletion(const fabric::RdmaEvent& event);
    /// @return what `Operations` says
    std::vector<fabric::RdmaOperation> ParseOperations() const;

    // Attributes.
    Address m_remote;                 ///< `Remote`
    Ptr<FabricTransport> m_transport; ///< `Transport`
    std::string m_operationNames;     ///< `Operations`
    uint32_t m_bytes;                 ///< `Bytes`
    uint64_t m_count;                 ///< `Count`
    uint32_t m_most;                  ///< `Outstanding`
    Time m_interval;                  ///< `Interval`
    bool m_isOrdered;                 ///< `Ordered`

    std::vector<fabric::RdmaOperation> m_operations;          ///< In turn.
    fabric::ConnectionId m_connection{fabric::NO_CONNECTION}; ///< To the target.
    uint64_t m_posted{0};                                     ///< So far.
    uint64_t m_completed{0};                                  ///< So far.
    uint64_t m_failed{0};                                     ///< So far.
    uint64_t m_completedBytes{0};                             ///< So far.
    bool m_isEnded{false};                                    ///< Nothing is posted any more.
    EventId m_next;                                           ///< The next post.

    TracedCallback<fabric::RdmaOperation, uint32_t, uint64_t> m_postedTrace; ///< Posts.
    TracedCallback<const fabric::RdmaEvent&, Time> m_completedTrace;         ///< Completions.
    TracedCallback<const fabric::RdmaEvent&> m_errorTrace;                   ///< Failures.
    TracedCallback<const fabric::RdmaEvent&> m_connectionTrace;              ///< The connection.
};

} // namespace ns3

#endif // FABRIC_INITIATOR_APPLICATION_H
