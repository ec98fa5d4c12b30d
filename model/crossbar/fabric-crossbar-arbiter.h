/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CROSSBAR_ARBITER_H
#define FABRIC_CROSSBAR_ARBITER_H

#include "fabric-switch-clock.h"
#include "fabric-switch-ports.h"

#include <algorithm>
#include <vector>

namespace ns3::fabric
{

/**
 * Which of the queues that ask an output is served next (SW-4). Between the virtual channels of an
 * output there are turns, between virtual lanes its arbiter decides, where traffic is shaped its
 * shaper, and inside each OutputLists.
 *
 * Through an ideal crossbar an output takes a frame from any input at any time, so a queue that
 * asks is in a list at once. Before one of tiles it needs a place in the output's age queue first,
 * and waits at its input while there is none.
 *
 * It also gives flows their flow_ids on the outgoing links (OFCT), since who gets one decides who
 * can be served.
 */
class CrossbarArbiter
{
  public:
    /// @param virtualChannels in use on its links
    CrossbarArbiter(const SwitchPorts& ports, SwitchClock& clock, uint32_t virtualChannels)
        : m_ports(ports),
          m_clock(clock),
          m_virtualChannels(virtualChannels)
    {
    }

    /**
     * A queue begins to ask its output.
     *
     * @param place of a queue that may be offered (see InputQueue::MayBeOffered())
     */
    void Offer(const QueuePlace& place, TimePs now)
    {
        const uint16_t port = place.queue->output;
        OutputPort& output = m_ports.outputs[port];
        if (output.Is(OutputPort::HAS_TILES))
        {
            OfferToTiles(place, now);
            return;
        }
        FetchSend(output, place);
        List(output, place);
        m_clock.PlanDecision(port, std::max(now, output.transmitter.FreeAt()));
    }

    /**
     * A queue begins to ask its output, whose decision is being made.
     *
     * @param place of a queue that may be offered
     */
    void Enlist(OutputPort& output, const QueuePlace& place)
    {
        if (!output.Is(OutputPort::HAS_TILES) || TakePlace(place))
        {
            List(output, place);
        }
    }

    /**
     * @param candidates lists from which a frame may go
     * @param mustWait tells whether a queue's first frame can't start yet, and takes the queue if
     * so: `bool mustWait(const QueuePlace&)`
     * @return the queue whose frame is to be sent now, NO_QUEUE if none can go.
     * OutputPort::lacksCredit tells whether one could not for want of credit. Its name, since a
     * QueuePlace that is copied has to wait for its parts
     */
    template <typename MustWait>
    QueueRef Ready(OutputPort& output, LaneMask candidates, TimePs now, MustWait&& mustWait)
    {
        output.lacksCredit = false;
        // A list is looked at only when it is chosen: the choice between those that are left is
        // the same as if the others had not asked.
        for (uint32_t list = ChooseList(output, candidates, now); list != NO_LIST;
             list = ChooseList(output, candidates, now))
        {
            const QueueRef ref = NextQueue(output, list, now, mustWait);
            if (!(ref == NO_QUEUE))
            {
                if (HasCredit(output, m_ports.Find(ref), now))
                {
                    return ref;
                }
                output.lacksCredit = true;
            }
            candidates &= ~(LaneMask{1} << list);
        }
        return NO_QUEUE;
    }

    /**
     * A queue is taken out of its list, so that others need not wait for it.
     *
     * @param aside where it waits instead
     */
    static void SetAside(const QueuePlace& place, std::vector<QueueRef>& aside)
    {
        aside.push_back(place.ref);
        place.queue->stands = InputQueue::CANT_START;
    }

    /**
     * Queues that were set aside ask their output again, whose decision is being made.
     *
     * @param aside where they wait
     * @param mustStay tells whether one goes on waiting: `bool mustStay(const QueuePlace&)`
     */
    template <typename MustStay>
    void AskAgain(OutputPort& output, std::vector<QueueRef>& aside, MustStay&& mustStay)
    {
        std::size_t kept = 0;
        for (const QueueRef ref : aside)
        {
            const QueuePlace place = m_ports.Find(ref);
            if (mustStay(place))
            {
                aside[kept++] = ref;
                continue;
            }
            place.queue->stands = InputQueue::NOWHERE;
            if (place.queue->MayBeOffered())
            {
                Enlist(output, place);
            }
        }
        aside.resize(kept, NO_QUEUE);
    }

    /**
     * Queues that were set aside wait no longer.
     *
     * @param aside where they waited
     * @param queues gets them
     */
    void TakeAside(std::vector<QueueRef>& aside, std::vector<QueueRef>& queues)
    {
        for (const QueueRef ref : aside)
        {
            m_ports.Find(ref).queue->stands = InputQueue::NOWHERE;
            queues.push_back(ref);
        }
        aside.clear();
    }

    /**
     * The first frame of a queue has been taken out; the turn of the output passes on.
     *
     * @param place of the queue whose turn it was
     * @param bytes of the frame on the wire
     */
    void PassTurn(OutputPort& output, const QueuePlace& place, uint32_t bytes)
    {
        EndTurn(output, place, AsksAgain(*place.queue), bytes);
    }

    /**
     * As PassTurn(), behind a crossbar of tiles: the next frame asks for a place of its own. To be
     * called in a decision that goes on.
     *
     * @param place of the queue whose turn it was
     * @param bytes of the frame on the wire
     */
    void PassPlace(const QueuePlace& place, uint32_t bytes);

    /**
     * A flow, or a way of it, that has nothing under way gives its id on the outgoing link back.
     * The one that waited longest gets it at once, else a flow listed before it would take it.
     *
     * @param place of the queue, with such an id
     */
    void Release(const QueuePlace& place, TimePs now)
    {
        OutputPort& output = m_ports.outputs[place.queue->output];
        output.flows.Release(place.Outgoing(), now);
        place.Outgoing() = NO_FLOW;
        if (output.CountLackingId() != 0)
        {
            GiveToHeir(output, now);
        }
    }

    /// A way of a flow ends if nothing waits for it or is under way. @param place of its queue
    void EndIdleWay(const QueuePlace& place, TimePs now);

    /**
     * The link of an output has failed: its ids are free, and none is given until Resume().
     *
     * @param forget is called with each queue whose flow had an id, and the units of 256 bytes that
     * were under way: `void forget(QueueRef, uint32_t)`
     */
    template <typename Forget>
    void Suspend(uint32_t port, TimePs now, Forget&& forget)
    {
        OutputFlowTable& ids = m_ports.outputs[port].flows;
        for (uint16_t input = 0; input < m_ports.count; ++input)
        {
            // What is freed may let others in, so that tables may grow meanwhile.
            InputFlowTable& flows = m_ports.inputs[input].flows;
            const auto suspend = [&](uint32_t number) {
                const QueuePlace place = m_ports.Find({input, static_cast<uint16_t>(number)});
                if (place.Outgoing() != NO_FLOW && place.queue->output == port)
                {
                    ids.Release(place.Outgoing(), now);
                    place.Outgoing() = NO_FLOW;
                    forget(place.ref, place.UnderWay());
                }
            };
            for (uint32_t id = 1; id < flows.Records().size(); ++id)
            {
                suspend(id);
            }
            for (uint32_t way = 1; flows.Ways() && way < flows.Ways()->All().size(); ++way)
            {
                suspend(FIRST_WAY_QUEUE + way);
            }
        }
        if (!m_ports.outputs[port].nic)
        {
            ids.Suspend();
        }
    }

    /// The receiver of an output's link is ready for new flows.
    void Resume(uint32_t port, TimePs now);

    /**
     * All that ask an output, or wait for a flow_id or a place there, do so no longer.
     *
     * @param queues gets them
     */
    void Withdraw(uint32_t port, std::vector<QueueRef>& queues);

    /// A queue asks its output no longer, or waits there for no flow_id, place or start.
    void Remove(const QueuePlace& place, TimePs now);

    /// The queues that ask an output do so in other lists, since they were given others.
    void Relist(uint32_t port, TimePs now);

  private:
    /// @return whether a queue that has had its turn has something to ask for
    static bool AsksAgain(const InputQueue& queue)
    {
        return !queue.IsEmpty() && queue.holds == 0;
    }

    /// A queue has had its turn. @param stays whether it is listed again, as the last one
    void EndTurn(OutputPort& output, const QueuePlace& place, bool stays, uint32_t bytes)
    {
        InputQueue& queue = *place.queue;
        queue.stands = stays ? InputQueue::LISTED : InputQueue::NOWHERE;
        output.lists.Served(queue.list, m_ports.Queues(), stays, bytes);
        output.turn = queue.vc + 1U == m_virtualChannels ? 0 : queue.vc + 1;
    }

    /// A queue stands in its list.
    void List(OutputPort& output, const QueuePlace& place)
    {
        place.queue->stands = InputQueue::LISTED;
        output.lists.Append(place.queue->list, m_ports.Queues(), place.ref);
    }

    /// Fetches what is touched when a queue's first frame is sent, which is soon.
    void FetchSend(const OutputPort& output, const QueuePlace& place) const
    {
        FetchMemory(&m_ports.frames->At(place.queue->head), sizeof(Frame));
        output.transmitter.FetchFrameEnd();
        place.input->credits.FetchSender();
        if (output.Is(OutputPort::HAS_LANES))
        {
            output.lanes->Fetch();
        }
    }

    /// Between lists: lanes have an arbiter, outputs that are shaped a shaper, channels have turns.
    /// @return the one of the candidates that may go, NO_LIST for none
    static uint32_t ChooseList(OutputPort& output, LaneMask candidates, TimePs now)
    {
        if (candidates == 0)
        {
            return NO_LIST;
        }
        if (output.HasChooser())
        {
            return output.Is(OutputPort::HAS_LANES) ? ChooseLane(output, candidates, now)
                                                    : ChooseShaped(output, candidates, now);
        }
        // The channels from the one whose turn it is, then those before it.
        const LaneMask later = candidates & ~LaneMask{0} << output.turn;
        return LowestBit(later != 0 ? later : candidates);
    }

    /// As ChooseList(), where lanes have an arbiter.
    static uint32_t ChooseLane(const OutputPort& output, LaneMask candidates, TimePs now)
    {
        return output.lanes->Choose(candidates, now) ? output.lanes->grant.lane : NO_LIST;
    }

    /// As ChooseList(), where traffic is shaped. Out of line, since few outputs are.
    [[gnu::noinline]] static uint32_t ChooseShaped(const OutputPort& output,
                                                   LaneMask candidates,
                                                   TimePs now);

    /// @return the queue whose turn it is in a list, NO_QUEUE for none
    template <typename MustWait>
    QueueRef NextQueue(OutputPort& output, uint32_t list, TimePs now, MustWait&& mustWait)
    {
        OutputLists& lists = output.lists;
        const FramePool& frames = *m_ports.frames;
        const auto first = [&frames](const InputQueue& q) -> const Frame& {
            return frames.At(q.head);
        };
        while (!lists.IsEmpty(list))
        {
            lists.SettleTurn(list, m_ports.Queues(), first);
            const QueueRef ref = lists.Front(list, m_ports.Queues());
            const QueuePlace place = m_ports.Find(ref);
            if (!mustWait(place) && MayServe(output, place, now))
            {
                return ref;
            }
            lists.RemoveFront(list, m_ports.Queues()); // the others need not wait for it
            if (output.Is(OutputPort::HAS_TILES))
            {
                GivePlace(place, list, now);
            }
        }
        return NO_QUEUE;
    }

    /// @return whether a listed queue may send: it is not held, and its flow has an id on the
    /// outgoing link
    bool MayServe(OutputPort& output, const QueuePlace& place, TimePs now)
    {
        if (!place.record)
        {
            return true;
        }
        InputQueue& queue = *place.queue;
        if (queue.holds != 0)
        {
            // It was held while it stood in the list; who ends the hold offers it again.
            queue.stands = InputQueue::NOWHERE;
            return false;
        }
        if (output.IsToHost() || place.Outgoing() != NO_FLOW)
        {
            return true;
        }
        place.Outgoing() = output.flows.Allocate(place.ref, now);
        if (place.Outgoing() == NO_FLOW)
        {
            queue.stands = InputQueue::LACKS_ID;
            output.AddLackingId(place.ref); // the next id that is freed is its own
            return false;
        }
        return true;
    }

    /// @return whether the receiver has room for a queue's first frame
    bool HasCredit(OutputPort& output, const QueuePlace& place, TimePs now) const
    {
        const uint32_t bytes = WireBytes(m_ports.frames->At(place.queue->head).payload);
        return output.transmitter.Credits().CanSendAt(place.queue->vc, bytes, now);
    }

    /// As Offer(), behind a crossbar of tiles, which grants while the wire is busy.
    [[gnu::noinline, gnu::cold]] void OfferToTiles(const QueuePlace& place, TimePs now);
    /// A queue asks its output behind a crossbar of tiles. @return whether it has a place there; it
    /// waits for one otherwise
    [[gnu::noinline, gnu::cold]] bool TakePlace(const QueuePlace& place);
    /// A queue asks no longer, and others may have its place. @param list where it was
    [[gnu::noinline, gnu::cold]] void GivePlace(const QueuePlace& place, uint32_t list, TimePs now);
    /// Queues of an input that wait for places get those that there are. @return whether any does
    bool GivePlaces(uint16_t port, uint16_t input, uint32_t list);
    /// A queue stands no longer where it stood, and asks its output unless there is a reason not
    /// to.
    void OfferAgain(const QueuePlace& place, TimePs now);
    /// The queue that waited longest for a flow_id gets one.
    void GiveToHeir(OutputPort& output, TimePs now);

    static constexpr uint32_t NO_LIST = OutputLists::MOST; ///< Stands for none.

    const SwitchPorts& m_ports;       ///< Of the switch.
    SwitchClock& m_clock;             ///< Of the switch.
    const uint32_t m_virtualChannels; ///< In use on its links.
};

} // namespace ns3::fabric

#endif // FABRIC_CROSSBAR_ARBITER_H
