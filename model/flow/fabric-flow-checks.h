/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_CHECKS_H
#define FABRIC_FLOW_CHECKS_H

#include "fabric-ack.h"
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
 * | active             | a frame of it is on its way to the wire          | active |
 * | active             | none of that for a whole interval                | silent |
 * | silent             | at every interval the other end is asked         | silent |
 *
 * An answer is good only if nothing was sent under the flow_id since it was asked for. It may be
 * late by any time where a link repeats what it damages, so that other questions have been asked
 * meanwhile, or something was sent: an answer bears the number of its question.
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
        bool isSending; ///< Whether a frame of it is partly sent, or between grant and wire, which
                        ///< may take any time.

        /// @return whether nothing has happened, and all that was sent has been on its way since
        bool IsSilentSince(const Snapshot& other) const
        {
            return !isSending && !other.isSending && uses == other.uses &&
                   heard.left == other.heard.left && heard.credit == other.heard.credit &&
                   dataFlow == other.dataFlow;
        }
    };

    /// @param interval between two checks, ps; all that was sent before has come in by then, but
    /// for frames that were partly sent
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
        m_number = (m_number + 1) % CHECK_NUMBERS;
        // One under which nothing was ever sent seems silent at once, which does no harm.
        m_last.resize(std::max<std::size_t>(m_last.size(), ids.Size() + 1),
                      Snapshot{0, {}, 0, false});
        for (uint32_t number = 1; number <= ids.Size(); ++number)
        {
            const auto id = static_cast<FlowId>(number);
            if (ids.Source(id) == NO_QUEUE)
            {
                continue;
            }
            const Snapshot seen = see(id);
            if (seen.IsSilentSince(m_last[id]))
            {
                m_silent.Push(id);
                m_questions.resize(m_last.size());
                m_questions[id].Add(seen, m_number);
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

    /// @return number of the check that has found the silent ones
    uint8_t Number() const
    {
        return m_number;
    }

    /// A flow_id for which the other end has asked.
    struct Asked
    {
        FlowId flow;    ///< Of the link.
        uint8_t number; ///< Of the question.
    };

    /// @return flow_ids for which the other end has asked
    Ring<Asked>& ToAnswer()
    {
        return m_asked;
    }

    /**
     * @param number of an answer
     * @param seen what is known of the flow_id now
     * @return whether nothing was sent since its question
     */
    bool IsAsAsked(FlowId id, uint8_t number, const Snapshot& seen) const
    {
        return id < m_questions.size() && m_questions[id].Has(number) &&
               m_questions[id].seen.uses == seen.uses &&
               m_questions[id].seen.dataFlow == seen.dataFlow;
    }

    /// The link has failed.
    void Forget()
    {
        while (!m_silent.IsEmpty())
        {
            m_silent.Pop();
        }
        while (!m_asked.IsEmpty())
        {
            m_asked.Pop();
        }
        m_last.clear();
        m_questions.clear();
    }

  private:
    /// Those about a flow_id at one check after the other, between which nothing has happened.
    struct Questions
    {
        Snapshot seen{0, {}, 0, false}; ///< What was known then.
        uint8_t first{0};               ///< Number of the first check.
        uint8_t count{0};               ///< How many, less than CHECK_NUMBERS.

        /// It is asked for. @param now what is known @param number of the check
        void Add(const Snapshot& now, uint8_t number)
        {
            const bool goesOn = count != 0 && (first + count) % CHECK_NUMBERS == number;
            const bool isFull = goesOn && count + 1 == CHECK_NUMBERS;
            seen = now;
            count = goesOn ? count + !isFull : 1;
            first = (number + CHECK_NUMBERS + 1 - count) % CHECK_NUMBERS;
        }

        /// @return whether that is the number of one of them
        bool Has(uint8_t number) const
        {
            return (number + CHECK_NUMBERS - first) % CHECK_NUMBERS < count;
        }
    };

    TimePs m_interval;                  ///< Between two checks, ps.
    TimePs m_dueAt{0};                  ///< When the next one is, ps.
    std::vector<Snapshot> m_last;       ///< At the last check, by flow_id.
    Ring<FlowId> m_silent;              ///< To be asked for.
    Ring<Asked> m_asked;                ///< To be answered.
    std::vector<Questions> m_questions; ///< By flow_id.
    uint8_t m_number{0};                ///< Of the last check.
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_CHECKS_H
