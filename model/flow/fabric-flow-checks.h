/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_CHECKS_H
#define FABRIC_FLOW_CHECKS_H

#include "fabric-output-flow-table.h"
#include "fabric-ring.h"
#include "fabric-types.h"

#include <algorithm>
#include <vector>

namespace ns3::fabric
{

/**
 * Which flows of an output link have been silent, so that their last ACK may be lost; and which of
 * the other end's flows are asked for (WL-2).
 *
 * | state of a flow_id | what happens                                     | next   |
 * |--------------------|--------------------------------------------------|--------|
 * | silent             | a frame is sent, an ACK comes, it is freed       | active |
 * | active             | none of that for a whole interval                | silent |
 * | silent             | at every interval the other end is asked         | silent |
 *
 * An answer is good only if nothing was sent under the flow_id since it was asked for.
 */
class FlowChecks
{
  public:
    /// What is known of a flow_id.
    struct Snapshot
    {
        uint16_t uses;     ///< How often it was given, modulo 65536.
        AckCounts heard;   ///< What its ACKs have said.
        uint32_t dataFlow; ///< Position of its flow's next frame.

        /// @return whether nothing has happened
        bool operator==(const Snapshot& other) const
        {
            return uses == other.uses && heard.left == other.heard.left &&
                   heard.credit == other.heard.credit && dataFlow == other.dataFlow;
        }
    };

    /// @param interval between two checks, ps; all that was sent before has come in by then
    explicit FlowChecks(TimePs interval)
        : m_interval(interval)
    {
    }

    /// @return when the next check is due, if flow_ids are in use, ps
    TimePs DueAt(TimePs now) const
    {
        return m_silent.IsEmpty() ? std::max(m_dueAt, now) : now;
    }

    /**
     * Finds out who is silent.
     *
     * @param ids of the link
     * @param see gives what is known of a flow_id in use: `Snapshot see(FlowId)`
     */
    template <typename See>
    void Check(const OutputFlowTable& ids, TimePs now, See&& see)
    {
        // One under which nothing was ever sent seems silent at once, which does no harm.
        m_last.resize(std::max<std::size_t>(m_last.size(), ids.Size() + 1), Snapshot{0, {}, 0});
        for (uint32_t number = 1; number <= ids.Size(); ++number)
        {
            const auto id = static_cast<FlowId>(number);
            if (ids.Source(id) == NO_QUEUE)
            {
                continue;
            }
            const Snapshot seen = see(id);
            if (seen == m_last[id])
            {
                m_silent.Push(id);
            }
            m_last[id] = seen;
        }
        m_dueAt = now + m_interval;
    }

    /// @return flow_ids that are to be asked for
    Ring<FlowId>& Silent()
    {
        return m_silent;
    }

    /// @return flow_ids for which the other end has asked
    Ring<FlowId>& Asked()
    {
        return m_asked;
    }

    /// @param seen what is known of a flow_id now @return whether that was so when it was asked for
    bool IsAsAsked(FlowId id, const Snapshot& seen) const
    {
        return id < m_last.size() && m_last[id].uses == seen.uses &&
               m_last[id].dataFlow == seen.dataFlow;
    }

    /// The link has failed.
    void Forget()
    {
        for (Ring<FlowId>* ring : {&m_silent, &m_asked})
        {
            while (!ring->IsEmpty())
            {
                ring->Pop();
            }
        }
        m_last.clear();
    }

  private:
    TimePs m_interval;            ///< Between two checks, ps.
    TimePs m_dueAt{0};            ///< When the next one is, ps.
    std::vector<Snapshot> m_last; ///< At the last check, by flow_id.
    Ring<FlowId> m_silent;        ///< To be asked for.
    Ring<FlowId> m_asked;         ///< To be answered.
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_CHECKS_H
