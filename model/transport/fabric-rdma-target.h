/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RDMA_TARGET_H
#define FABRIC_RDMA_TARGET_H

#include "fabric-rdma.h"
#include "fabric-ring.h"
#include "fabric-transport-endpoint.h"

#include <cstddef>
#include <cstdint>

namespace ns3::fabric
{

/**
 * Peers' operations of the RDMA-like protocol, which are answered here, after the time that the
 * host's memory takes; a SEND needs a receive buffer:
 *
 * | presented | condition            | answer                                | requirement |
 * |-----------|----------------------|---------------------------------------|-------------|
 * | WRITE     | fits into the memory | OK after memoryLatency                | RT-2        |
 * | READ      | fits into the memory | OK at once, data after memoryLatency  | RT-2        |
 * | SEND      | a receive buffer     | takes it; OK after memoryLatency      | RT-2        |
 * | SEND      | no receive buffer    | NOT_READY, again after notReadyDelay  | RT-18       |
 * | any       | too long, or the tag | ERROR                                 | RT-18       |
 * |           | does not fit the     |                                       |             |
 * |           | transaction          |                                       |             |
 */
class RdmaTarget
{
  public:
    /**
     * @param settings the user's, valid
     * @param transport below
     * @param counts of the endpoint
     * @param events that the user is told
     */
    RdmaTarget(const RdmaSettings& settings,
               TransportEndpoint& transport,
               RdmaCounts& counts,
               Ring<RdmaEvent>& events)
        : m_settings(settings),
          m_transport(transport),
          m_counts(counts),
          m_events(events),
          m_receives(settings.receives)
    {
    }

    /// @param count receive buffers more
    void PostReceives(uint64_t count)
    {
        m_receives = count < UINT64_MAX - m_receives ? m_receives + count : UINT64_MAX;
    }

    /// A connection is there: makes room for its answers.
    void Reserve()
    {
        m_answers.Reserve();
    }

    /// @param packet on its way to here, for the first time; one of a SEND is remembered
    void Foresee(const TransportPacket& packet);

    /// @return whether the user may be told of something whenever something happens
    bool TellsOfAll() const
    {
        return m_settings.reportsOneSided || m_takesSends;
    }

    /// A peer's request is presented. @param event the transport's
    void Present(const UlpEvent& event, TimePs now);

    /// @return when the next answer is given, ps; NEVER if none waits
    TimePs NextTime() const
    {
        return m_answers.IsEmpty() ? NEVER : m_answers.Front().at;
    }

    /// Gives the next answer; one must wait.
    void AnswerNext(TimePs now);

  private:
    /// An answer that waits for the memory.
    struct Answer
    {
        TimePs at;               ///< When it is given, ps.
        ConnectionId cid;        ///< The own CID.
        uint32_t rsn;            ///< The peer's request.
        RdmaOperation operation; ///< READ: its data goes out. Else its answer is OK.
    };

    /// An operation is done. Answers later, or at once.
    void Grant(const UlpEvent& event, RdmaOperation operation, TimePs now);

    /// Gives an answer.
    void Give(const Answer& answer, TimePs now);

    RdmaSettings m_settings;        ///< The user's.
    TransportEndpoint& m_transport; ///< Below.
    RdmaCounts& m_counts;           ///< Of the endpoint.
    Ring<RdmaEvent>& m_events;      ///< Not taken yet.
    bool m_takesSends{false};       ///< A SEND has come, or is on its way.
    uint64_t m_receives;            ///< Receive buffers that are free.
    Ring<Answer> m_answers;         ///< By time, since all wait equally long.
};

} // namespace ns3::fabric

#endif // FABRIC_RDMA_TARGET_H
