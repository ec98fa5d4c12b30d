/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SEND_QUEUES_H
#define FABRIC_SEND_QUEUES_H

#include "fabric-fetch.h"
#include "fabric-flow-key.h"
#include "fabric-frame.h"
#include "fabric-key-index.h"
#include "fabric-lane-table.h"
#include "fabric-message-table.h"
#include "fabric-queue-ring.h"
#include "fabric-ring.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// A message or packet that waits to be sent.
struct SendJob
{
    uint64_t left;         ///< Bytes not sent yet.
    uint32_t handle;       ///< Of the message or packet.
    FrameKind kind;        ///< What its frames are.
    bool isOffered{false}; ///< It is told when it goes, see NicEngine::OffersAll().
};

/// The jobs of one flow, in order, and what its frames need of its key.
struct SendQueue
{
    Ring<SendJob> jobs;           ///< In order.
    uint32_t label;               ///< Hash of the key, for routes by hash.
    uint32_t flow;                ///< Its flow, if the switch has ever restrained it.
    uint32_t next{NO_SEND_QUEUE}; ///< Next queue of the same list.
    LocationId destination;       ///< Of the flow.
    uint16_t vni;                 ///< Of the flow.
    uint8_t trafficClass;         ///< Of the flow.
    uint8_t lane;                 ///< Its virtual lane, where there are any.
    bool isHeld{false};           ///< Whether it waits for the end of a restraint (CM-4).
};

/**
 * The queues of a NIC, one for each flow, and lists of those that have something to send. In a list
 * they have turns; between the lists somebody else chooses.
 *
 * A queue of which no message is under way is idle. Some of these are kept, since their flows may
 * go on; then the one that became idle first serves the next flow. So a host that talks to many
 * others has as many queues as it has flows at a time. Keep() is for who holds the number of a
 * queue for longer than a message is under way.
 */
class SendQueues
{
    /// @return what finds queues, for the lists
    auto ByNumber()
    {
        return [this](uint32_t number) -> SendQueue& { return m_queues[number]; };
    }

    /// @return what finds queues, for the lists
    auto ByNumber() const
    {
        return [this](uint32_t number) -> const SendQueue& { return m_queues[number]; };
    }

  public:
    static constexpr uint32_t LISTS = DEFAULT_LANES; ///< Lists of a NIC.
    static constexpr uint32_t KEPT_IDLE = 4;         ///< Idle queues that keep their flows; chosen.

    /**
     * @param key tells a flow
     * @return number of its queue, NO_SEND_QUEUE if it has none
     */
    uint32_t Find(const FlowKey& key) const
    {
        return m_numberOf.Find(HashOf(key),
                               [&](uint32_t number) { return m_owners[number].key == key; });
    }

    /// @param queue of a flow, empty @param key tells the flow @return number of the queue
    uint32_t Add(SendQueue&& queue, const FlowKey& key)
    {
        const auto number = static_cast<uint32_t>(m_queues.size());
        m_queues.push_back(std::move(queue));
        m_owners.push_back({key});
        return number;
    }

    /**
     * An idle queue serves another flow.
     *
     * @param number from TakeIdle()
     * @param queue of the flow, empty
     * @param key tells the flow
     */
    void Reuse(uint32_t number, SendQueue&& queue, const FlowKey& key)
    {
        queue.jobs = std::move(m_queues[number].jobs); // which has its memory
        m_queues[number] = std::move(queue);
        m_owners[number] = {key};
    }

    /// Find() will give a queue. @param number of one that has just begun to serve a flow
    void Register(uint32_t number)
    {
        m_numberOf.Add(HashOf(m_owners[number].key), number);
    }

    /// @param number of a queue that serves no other flow ever, since somebody keeps its number
    void Keep(uint32_t number)
    {
        m_owners[number].isKept = true;
    }

    /// A message is put into a queue.
    void BeginMessage(uint32_t number)
    {
        ++m_owners[number].messages;
    }

    /// Nothing of a message that was put into a queue is under way any more.
    void EndMessage(uint32_t number)
    {
        Owner& owner = m_owners[number];
        --owner.messages;
        if (owner.IsIdle() && !owner.isInLine)
        {
            owner.isInLine = true;
            m_idle.Push(number);
        }
    }

    /// @return a queue that can serve another flow, and serves none now; NO_SEND_QUEUE if there are
    /// not more idle ones than are kept
    uint32_t TakeIdle()
    {
        while (m_idle.Size() > KEPT_IDLE)
        {
            const uint32_t number = m_idle.Front();
            m_idle.Pop();
            Owner& owner = m_owners[number];
            owner.isInLine = false;
            if (owner.IsIdle())
            {
                m_numberOf.Remove(HashOf(owner.key), number);
                return number;
            }
        }
        return NO_SEND_QUEUE;
    }

    /// @return the queue
    SendQueue& At(uint32_t number)
    {
        return m_queues[number];
    }

    /// @copydoc At()
    const SendQueue& At(uint32_t number) const
    {
        return m_queues[number];
    }

    /// @return header fields of its flow
    const FlowKey& Key(uint32_t number) const
    {
        return m_owners[number].key;
    }

    /// @return how many there are
    uint32_t Size() const
    {
        return static_cast<uint32_t>(m_queues.size());
    }

    /// @return bit mask of lists in which queues wait
    LaneMask Waiting() const
    {
        return m_waiting;
    }

    /// @return whether no queue waits in it
    bool IsEmpty(uint32_t list) const
    {
        return m_lists[list].IsEmpty();
    }

    /// @return the queue whose turn it is
    uint32_t Front(uint32_t list) const
    {
        return m_lists[list].Front(ByNumber());
    }

    /// @param number of a queue with jobs that begins to wait; its turn comes last
    void Append(uint32_t list, uint32_t number)
    {
        m_lists[list].Append(ByNumber(), number);
        m_waiting |= LaneMask{1} << list;
    }

    /**
     * A queue is served, and waits no longer. Those whose turn was before it lose it, since they
     * could not use it.
     *
     * @param list where it waits
     */
    void TakeOut(uint32_t list, uint32_t number)
    {
        m_lists[list].TurnTo(ByNumber(), number);
        m_lists[list].RemoveFront(ByNumber());
        m_waiting &= ~(LaneMask{m_lists[list].IsEmpty()} << list);
    }

    /// @return numbers of all queues that waited, by list and turn; nothing waits any more
    std::vector<uint32_t> TakeAll()
    {
        std::vector<uint32_t> taken;
        while (m_waiting != 0)
        {
            const auto list = static_cast<uint32_t>(__builtin_ctz(m_waiting));
            taken.push_back(Front(list));
            TakeOut(list, taken.back());
        }
        return taken;
    }

    /// @return the first byte of this object that no frame touches
    const void* EndOfHot() const
    {
        return &m_owners;
    }

    /// Fetches the queues, as far as they do not hang on them. Of many only those that know whose
    /// turn it is: see FetchFronts().
    void Fetch() const
    {
        if (m_queues.size() <= FEW)
        {
            FetchMemory(m_queues.data(), m_queues.size() * sizeof(SendQueue));
            return;
        }
        ForEachWaiting([this](uint32_t list) { FetchQueue(m_lists[list].Tail()); });
    }

    /// Of many queues fetches those whose turn it is, after Fetch().
    void FetchFronts() const
    {
        if (m_queues.size() > FEW)
        {
            ForEachWaiting([this](uint32_t list) { FetchQueue(Front(list)); });
        }
    }

    /// Fetches the next jobs of these, after FetchFronts().
    void FetchJobs() const
    {
        if (m_queues.size() > FEW)
        {
            ForEachWaiting([this](uint32_t list) { At(Front(list)).jobs.FetchFront(); });
        }
    }

    /// @param visit is called with each queue whose turn it is: `void visit(const SendQueue&)`
    template <typename Visit>
    void ForEachFront(Visit&& visit) const
    {
        ForEachWaiting([&](uint32_t list) { visit(At(Front(list))); });
    }

  private:
    static constexpr std::size_t FEW = 4; ///< Queues that are all fetched.
    static_assert(NO_SEND_QUEUE == KeyIndex::NONE, "what is not found is no queue");

    /// Whom a queue serves.
    struct Owner
    {
        FlowKey key;          ///< Of its flow.
        uint32_t messages{0}; ///< Of the flow, under way.
        bool isKept{false};   ///< See Keep().
        bool isInLine{false}; ///< Whether it is among `m_idle`.

        /// @return whether it may serve another flow
        bool IsIdle() const
        {
            return messages == 0 && !isKept;
        }
    };

    /// @param visit is called with each list in which queues wait: `void visit(uint32_t)`
    template <typename Visit>
    void ForEachWaiting(Visit&& visit) const
    {
        for (LaneMask left = m_waiting; left != 0; left &= left - 1)
        {
            visit(static_cast<uint32_t>(__builtin_ctz(left)));
        }
    }

    /// Fetches a queue.
    void FetchQueue(uint32_t number) const
    {
        FetchMemory(&m_queues[number], sizeof(SendQueue));
    }

    // What each frame touches comes first.
    LaneMask m_waiting{0};                                              ///< See Waiting().
    std::array<BasicQueueRing<uint32_t, NO_SEND_QUEUE>, LISTS> m_lists; ///< By number.
    std::vector<SendQueue> m_queues;                                    ///< By number.
    // From here on only messages do.
    std::vector<Owner> m_owners; ///< Of the queues.
    Ring<uint32_t> m_idle; ///< Queues that were idle, the first one first; may be in use again.
    KeyIndex m_numberOf;   ///< By key; looked up per message.
};

} // namespace ns3::fabric

#endif // FABRIC_SEND_QUEUES_H
