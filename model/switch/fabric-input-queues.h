/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INPUT_QUEUES_H
#define FABRIC_INPUT_QUEUES_H

#include "fabric-crossbar-arbiter.h"
#include "fabric-output-loads.h"
#include "fabric-switch-ports.h"

#include <vector>

namespace ns3::fabric
{

/// INQ, the input queues of a switch: where frames wait, and which queues ask their outputs (SU-4).
class InputQueues
{
  public:
    /// Holds that a way of a flow has for itself.
    static constexpr uint8_t OF_A_WAY = InputQueue::NO_HEADROOM | InputQueue::CHANGES_PATH;

    /// @param loads what waits for each output
    /// @param takesTurns whether flows of hosts have turns
    InputQueues(const SwitchPorts& ports,
                OutputLoads& loads,
                CrossbarArbiter& crossbar,
                bool takesTurns)
        : m_ports(ports),
          m_loads(loads),
          m_crossbar(crossbar),
          m_takesTurns(takesTurns)
    {
    }

    /**
     * @param place of the queue, whose output is set
     * @param frame that joins
     */
    [[gnu::always_inline]] void Join(const QueuePlace& place, const Frame& frame, TimePs now)
    {
        const uint32_t index = m_ports.frames->Put(frame);
        place.queue->Append(*m_ports.frames, index);
        m_loads.BeginWait(*place.queue, m_ports.frames->At(index), place.queue->head == index, now);
        Offer(place, now);
    }

    /**
     * Offers a queue to its output, if there is no reason against it.
     *
     * @param place of a queue in which something has changed
     */
    void Offer(const QueuePlace& place, TimePs now)
    {
        if (place.queue->MayBeOffered())
        {
            m_crossbar.Offer(place, now);
        }
        else if (m_takesTurns && place.queue->holds != 0)
        {
            LookAtTurn(place, now);
        }
    }

    /**
     * Offers a flow to its output, or to those of its ways.
     *
     * @param place of the queue of a flow in which something has changed
     */
    void OfferFlow(const QueuePlace& place, TimePs now)
    {
        Offer(place, now);
        if (place.HasWays())
        {
            OfferWays(place, now);
        }
    }

    /**
     * Offers queues to their outputs, as far as there is no reason against it.
     *
     * @param queues that have asked before
     */
    void Offer(const std::vector<QueueRef>& queues, TimePs now)
    {
        for (const QueueRef ref : queues)
        {
            Offer(m_ports.Find(ref), now);
        }
    }

    /**
     * @param queue that holds frames
     * @return its first frame, taken out of it without being sent
     */
    Frame TakeUnsent(InputQueue& queue, TimePs now)
    {
        const uint32_t index = queue.RemoveFirst(*m_ports.frames);
        const Frame frame = m_ports.frames->At(index);
        m_ports.frames->Free(index);
        m_loads.EndWait(queue, frame, queue.IsEmpty(), now);
        return frame;
    }

    /**
     * @param queue that stands nowhere
     * @param handle of a frame that waits there, taken out of it without being sent
     */
    void Remove(InputQueue& queue, uint32_t handle, TimePs now)
    {
        queue.Remove(*m_ports.frames, handle);
        m_loads.EndWait(queue, m_ports.frames->At(handle), queue.IsEmpty(), now);
        m_ports.frames->Free(handle);
    }

    /// A flow is held, by severity among others.
    /// @param place of its queue @param holds the new sum of InputQueue::Hold
    void SetHolds(const QueuePlace& place, uint8_t holds)
    {
        InputQueue& queue = *place.queue;
        const bool wasHeld = queue.IsHeldByLimit();
        queue.holds = holds & InputQueue::ALL_HOLDS;
        if (!queue.IsEmpty() && queue.IsHeldByLimit() != wasHeld)
        {
            m_loads.HoldsChanged(queue, *m_ports.frames);
        }
        if (place.HasWays())
        {
            HoldWays(place);
        }
    }

    /**
     * A frame of a host's flow has left, where that needs a turn. If there is room it has the next
     * turn at once.
     *
     * @param place of the flow's queue
     * @param units length of the frame, 256 bytes
     */
    void UseTurn(const QueuePlace& place, uint32_t units, TimePs now)
    {
        place.input->edge->turns->Sent(place.ref.queue, units);
        LookAtTurn(place, now);
    }

    /**
     * Looks whether a flow of a host asks for a turn, or has one that it can't use, and gives the
     * turns that there are. Out of line, as most hosts have no limit.
     *
     * @param place of a queue of the flow, or of any other queue
     */
    [[gnu::noinline, gnu::cold]] void LookAtTurn(const QueuePlace& place, TimePs now);

    /// @param place of a flow's queue @return whether a frame of it waits, and only for a turn
    bool CouldGo(const QueuePlace& place) const;

    /// @param place of a flow's queue @return length of the largest frame that it would send next,
    /// units of 256 bytes
    uint32_t NextUnits(const QueuePlace& place) const;

    /// @param place of a flow's queue @return holds that all its ways have
    static uint8_t HoldsOfAll(const QueuePlace& place)
    {
        return place.record->queue.holds & InputQueue::ALL_HOLDS & ~OF_A_WAY;
    }

    /// A queue, whose frames may wait, gets a list of its output.
    void SetList(InputQueue& queue, uint8_t list)
    {
        if (queue.list != list)
        {
            m_loads.ChangeList(queue, list, *m_ports.frames);
        }
    }

    /// All frames of a queue, which stands nowhere, wait for another output.
    void Redirect(InputQueue& queue, uint16_t output, TimePs now)
    {
        const uint16_t before = queue.output;
        for (uint32_t i = queue.head; i != NO_FRAME; i = m_ports.frames->At(i).next)
        {
            Frame& frame = m_ports.frames->At(i);
            queue.output = before;
            m_loads.EndWait(queue, frame, frame.next == NO_FRAME, now);
            queue.output = output;
            m_loads.BeginWait(queue, frame, i == queue.head, now);
        }
        queue.output = output;
    }

  private:
    /// As Offer(), of a queue that has a turn.
    void AskOutput(const QueuePlace& place, TimePs now);
    /// Gives flows of a host the turns that there are.
    void GiveTurns(uint16_t port, TimePs now);
    /// A flow has no turn: what it does not need meanwhile others may have, whose turn it is.
    /// @param place of its queue, or of that of a way of it
    void Rest(const QueuePlace& place, TimePs now);
    /// @param place of a flow's queue @param visit is called with it, and with those of its ways:
    /// `void visit(const QueuePlace&)`
    template <typename Visit>
    void ForEachQueue(const QueuePlace& place, Visit&& visit) const;

    /// @return place of the queue of a way @param place of its flow's queue @param number of it
    QueuePlace WayAt(const QueuePlace& place, uint16_t number) const
    {
        return m_ports.Find({place.ref.input, static_cast<uint16_t>(FIRST_WAY_QUEUE + number)});
    }

    /// Offers the ways of a flow to their outputs, as far as there is no reason against it. Out of
    /// line, as most flows have one.
    [[gnu::noinline, gnu::cold]] void OfferWays(const QueuePlace& place, TimePs now);
    /// What holds a flow holds its ways. Out of line, too.
    [[gnu::noinline, gnu::cold]] static void HoldWays(const QueuePlace& place);

    const SwitchPorts& m_ports;  ///< Of the switch.
    OutputLoads& m_loads;        ///< What waits for each output.
    CrossbarArbiter& m_crossbar; ///< Of the switch.
    const bool m_takesTurns;     ///< Whether flows of hosts have turns.
};

} // namespace ns3::fabric

#endif // FABRIC_INPUT_QUEUES_H
