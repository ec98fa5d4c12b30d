/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SEND_SCHEDULER_H
#define FABRIC_SEND_SCHEDULER_H

#include "fabric-credit-path.h"
#include "fabric-flow-key.h"
#include "fabric-flow-restraints.h"
#include "fabric-nic-config.h"
#include "fabric-nic-lanes.h"
#include "fabric-pause-state.h"
#include "fabric-restraint-listener.h"
#include "fabric-send-queues.h"
#include "fabric-transmitter.h"
#include "fabric-uplink-wire.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace ns3::fabric
{

/// Payload bytes that a NIC had to send.
struct SendCounts
{
    uint64_t offered{0};    ///< Accepted from applications.
    uint64_t sent{0};       ///< Put on the link.
    uint64_t lostPauses{0}; ///< Pause frames that were on the link when it failed (WL-8).
};

/// What came of a decision.
struct SendOutcome
{
    TimePs next;                     ///< When to decide again, NEVER until something changes, ps.
    std::optional<FrameKind> sent{}; ///< The frame that was sent, nothing for none.
    uint32_t queue{NO_SEND_QUEUE};   ///< In which it was.
    bool isOffered{false};           ///< As SendJob::isOffered.
};

/**
 * Who is sent next on a NIC's uplink: a queue per flow, round robin between the lanes and between
 * the queues of each. Lanes are what the switch can hold back one by one: the virtual channels, or
 * the priorities if it pauses these (WL-5). With a lane table they are virtual lanes, between which
 * the same arbiter chooses as at the ports of switches (VA-12).
 *
 * It sends when it is asked, and says when to ask again.
 */
class SendScheduler
{
  public:
    /**
     * @param location address of the endpoint
     * @param uplink puts frames on the link to the switch
     */
    SendScheduler(LocationId location, const NicConfig& config, Transmitter& uplink);

    /// @return the settings
    const NicConfig& Config() const
    {
        return m_config;
    }

    /**
     * @param key tells a flow
     * @return number of its queue, made if need be, which the caller may keep
     */
    uint32_t OpenQueue(const FlowKey& key);

    /**
     * A message is about to be put into the queue of its flow.
     *
     * @param key tells the flow
     * @return number of its queue, made if need be; another flow's after EndMessage()
     */
    uint32_t BeginMessage(const FlowKey& key);

    /// Nothing of a message is under way any more. @param queue from BeginMessage()
    void EndMessage(uint32_t queue)
    {
        m_queues.EndMessage(queue);
    }

    /// @return queues that there are
    uint32_t Queues() const
    {
        return m_queues.Size();
    }

    /// @param forget is called with each queue that begins to serve another flow: who knows queues
    /// by their numbers, as the switch does, forgets it
    void SetReuse(std::function<void(uint32_t)> forget)
    {
        m_forget = std::move(forget);
    }

    /**
     * Makes a queue that OpenQueue() does not give to anybody.
     *
     * @param key tells a flow, which may have others
     * @return number of the queue
     */
    uint32_t AddQueue(const FlowKey& key);

    /// @return header fields of its flow
    const FlowKey& Key(uint32_t queue) const
    {
        return m_queues.Key(queue);
    }

    /// @param job comes last in it
    void Append(uint32_t queue, const SendJob& job);

    /**
     * The wire is free: the next frame is sent if there is one and it may go.
     *
     * @param now time of a decision, ps
     * @return what came of it
     */
    SendOutcome Send(TimePs now)
    {
        return m_restraints ? SendRestrained(now) : SendUnrestrained(now);
    }

    /**
     * The link is down, so nothing waits for a credit or for the end of a pause, and what is partly
     * sent is lost.
     *
     * @param failed when that has begun, ps
     */
    void HoldBack(TimePs failed);

    /// @param now time of a decision, ps @return whether a control frame may take the wire
    bool IsWireFree(TimePs now)
    {
        if (m_uplink.FreeAt() > now)
        {
            return false;
        }
        if (m_wire)
        {
            m_wire->Settle(*m_virtualLanes, now);
        }
        return !m_wire || !m_wire->wire.Runs();
    }

    /// A control frame has taken the wire. Nothing waits for anything else before its end.
    void HoldWire(TimePs now)
    {
        m_uplink.Credits().SetAwaited(false);
        m_isPaused = false;
        if (m_wire)
        {
            m_wire->wire.Hold(now, m_uplink.FreeAt());
        }
    }

    /// @return whether the last decision waits for a credit or for the end of a pause
    bool IsHindered() const
    {
        return m_uplink.Credits().IsAwaited() || m_isPaused;
    }

    /**
     * @param order of the switch; its time, at which it is obeyed, is not over
     * @return whether a decision waits for the end of a pause, which this may bring forward
     */
    bool Accept(const PauseOrder& order)
    {
        m_pauses.Accept(order);
        return m_isPaused;
    }

    /**
     * The switch may restrain flows one by one (CM-4); before there are queues.
     *
     * @param classify how it tells flows apart
     */
    void UseRestraints(FlowClassifier classify)
    {
        m_restraints = std::make_unique<FlowRestraints>(std::move(classify));
    }

    /// @param listener is told which queues wait because of that
    void SetRestraintListener(RestraintListener& listener)
    {
        m_restraintListener = &listener;
    }

    /**
     * @param queue number of a queue
     * @return until when the switch restrains its flow, ps; not after now if it does not
     */
    TimePs RestrainedUntil(uint32_t queue, TimePs now) const
    {
        return m_restraints ? m_restraints->RestrainedUntil(m_queues.At(queue).flow, now) : 0;
    }

    /// @return which flows the switch restrains; null if it never does
    const FlowRestraints* Restraints() const
    {
        return m_restraints.get();
    }

    /**
     * @param order of the switch; its time, at which it is obeyed, is not over
     * @return whether queues wait, which this may release
     */
    bool Restrain(const FgfcOrder& order)
    {
        m_restraints->Accept(order);
        return m_restraints->HoldsAny();
    }

    /// @param queue number of a queue, whose flow is about to be restrained @return number of the
    /// flow
    uint32_t OpenFlow(uint32_t queue);

    /// @param up time at which the link that had failed came up again: what the switch has stopped
    /// before does not count, ps
    void ForgetPauses(TimePs up);

    /// The switch pauses priorities one by one (802.1Qbb), so each has a lane; before anything is
    /// sent.
    void UsePriorityLanes()
    {
        m_lanes = PAUSE_PRIORITIES;
    }

    /**
     * The uplink arbitrates between virtual lanes (VA-12); before anything is sent, and only if the
     * settings let it.
     *
     * @param settings of the arbiter; the rate is the uplink's
     * @param plans of the lane table
     * @throws std::invalid_argument with a sentence if either is wrong (VA-14)
     */
    void UseLanes(const VlArbiterSettings& settings, LanePlans& plans);

    /**
     * Frames may be interrupted on the wire (VA-9), if there are lanes; before anything is sent.
     *
     * @param settings the user's
     * @param listener sees what is sent; null for nobody
     */
    void UsePieces(const PreemptionSettings& settings, NicListener* const& listener);

    /**
     * Changes the lane table (VA-11) where there are lanes.
     *
     * @param at time from which on it counts, which is not over, ps
     * @param plans of the new table, which fits to the settings
     * @return whether there are lanes, so that frames which wait may go from then on
     */
    bool ChangeLanesAt(TimePs at, LanePlans& plans);

    /// @return virtual lanes; null if it does not arbitrate between them
    const NicLanes* Lanes() const
    {
        return m_virtualLanes.get();
    }

    /// @return the wire; null if frames are sent in one piece
    const UplinkWire* Wire() const
    {
        return m_wire.get();
    }

    /// @return payload so far
    const SendCounts& Counts() const
    {
        return m_counts;
    }

    /// @return payload bytes that wait in the queues
    uint64_t Backlog() const
    {
        return m_counts.offered - m_counts.sent;
    }

    /// @return the part of Backlog() that is packets
    uint64_t PacketBacklog() const
    {
        return m_packetBacklog;
    }

    /// @copydoc SendQueues::EndOfHot()
    const void* EndOfHot() const
    {
        return m_queues.EndOfHot();
    }

    /// Fetches what a frame to the link touches besides the object.
    void FetchEnds() const
    {
        m_queues.Fetch();
        FetchMemory(m_restraints.get(), m_restraints ? sizeof(FlowRestraints) : 0);
        if (m_virtualLanes)
        {
            m_virtualLanes->Fetch();
        }
    }

    /// Of many queues fetches those whose turn it is, after FetchEnds().
    void FetchFronts() const
    {
        m_queues.FetchFronts();
    }

    /// Fetches their next jobs, after FetchFronts().
    void FetchJobs() const
    {
        m_queues.FetchJobs();
        if (m_restraints)
        {
            m_queues.ForEachFront(
                [this](const SendQueue& queue) { m_restraints->FetchFlow(queue.flow); });
        }
    }

    /// Fetches what a choice between virtual lanes touches, after FetchEnds().
    void FetchLanes() const
    {
        if (m_virtualLanes)
        {
            m_virtualLanes->FetchArrays();
        }
    }

  private:
    /// @param key tells a flow @return number of its queue, made if need be
    uint32_t FindOrAdd(const FlowKey& key);
    /// @param key tells a flow @return a queue of it, empty
    SendQueue MakeQueue(const FlowKey& key) const;

    /**
     * @param key tells a flow
     * @return its virtual lane, 0 where there are none
     */
    uint8_t VirtualLaneOf(const FlowKey& key) const
    {
        return m_virtualLanes
                   ? m_virtualLanes->LaneOfFlow(key.trafficClass, m_location, key.destination)
                   : 0;
    }

    /// @param number of a queue with a job, whose turn comes last in its lane; if its flow is
    /// stopped it waits for that
    void WaitForTurn(uint32_t number)
    {
        const SendQueue& queue = m_queues.At(number);
        if (IsStopped(queue))
        {
            Hold(number);
            return;
        }
        m_queues.Append(ListOf(queue), number);
    }

    /// @return in which of the lists a queue waits
    uint32_t ListOf(const SendQueue& queue) const
    {
        return m_virtualLanes ? queue.lane : LaneOf(queue);
    }

    /// @return whether the switch has stopped the flow of a queue
    bool IsStopped(const SendQueue& queue) const
    {
        return m_restraints && m_restraints->Stops(queue.flow);
    }

    /// A queue with jobs, which is in no list, waits for the end of a restraint.
    void Hold(uint32_t number);
    /// The end of a restraint has come for a queue.
    void Release(uint32_t number);
    /// What the switch has said of single flows takes effect: the first queue of each list is one
    /// that is not stopped.
    void ApplyRestraints(TimePs now);

    /// As Send(), where single flows may be stopped.
    SendOutcome SendRestrained(TimePs now);
    /// As Send(), of all flows that wait in the lists.
    SendOutcome SendUnrestrained(TimePs now);

    /**
     * @param queue of a flow
     * @return virtual channel of its frames
     */
    uint32_t ChannelOf(const SendQueue& queue) const
    {
        return m_config.vcOfClass[queue.trafficClass];
    }

    /**
     * @param queue of a flow
     * @return what it is held back with
     */
    uint32_t LaneOf(const SendQueue& queue) const
    {
        return m_lanes == PAUSE_PRIORITIES ? queue.trafficClass % PAUSE_PRIORITIES
                                           : ChannelOf(queue);
    }

    /**
     * @param open bit mask of lanes with queues that are not paused
     * @return the first of them whose next frame the switch has room for, NO_LANE if none
     */
    uint32_t ReadyLane(uint32_t open, TimePs now);

    /**
     * @param number of its queue, whose turn it is no longer
     * @param frame the first one of its queue
     * @param attempt what becomes of it on the link
     * @return what came of it
     */
    SendOutcome Launch(uint32_t number, Frame& frame, Attempt attempt, TimePs now);

    /**
     * A frame has started.
     *
     * @param number of its queue, whose turn it is no longer
     * @param frame the first one of its queue
     * @return as SendJob::isOffered
     */
    bool TakeJob(uint32_t number, const Frame& frame);

    /**
     * Sends the frame whose turn it is.
     *
     * @param lane whose turn it is
     * @return what came of it
     */
    SendOutcome SendFrame(uint32_t lane, TimePs now);

    /// Sends the frame that the arbiter of lanes has chosen. @copydetails Send()
    SendOutcome SendByLane(TimePs now);

    /// The wire, on which frames can be interrupted, chooses. @copydetails Send()
    SendOutcome SendInPieces(TimePs now);

    /**
     * @param candidates lanes with queues that wait
     * @param [out] frame the first one of the queue that the arbiter has chosen
     * @return number of that queue, NO_SEND_QUEUE for none
     */
    uint32_t ChosenQueue(LaneMask candidates, TimePs now, Frame& frame);

    /**
     * @param lane with queues that wait
     * @param stopped bit mask of what is paused, see LaneOf()
     * @return the first of them that is not paused, NO_SEND_QUEUE for none
     */
    uint32_t FirstToGo(uint32_t lane, uint32_t stopped) const;

    /// @return whether a queue may not start a frame, though its lane could
    bool IsHeld(const SendQueue& queue, uint32_t stopped) const
    {
        return (stopped >> LaneOf(queue) & 1) != 0 || IsStopped(queue) ||
               (m_wire && m_wire->IsPartlySent(queue.trafficClass, queue.destination));
    }

    /**
     * @param now time; nothing can go now, ps
     * @return when the arbiter of lanes is asked again, NEVER until something changes, ps
     */
    TimePs NextByLane(TimePs now) const;

    /// A table counts: others are replaced.
    void UpdateLanes(TimePs now);

    /**
     * @param number of the queue whose turn it is
     * @return its next frame
     */
    Frame MakeFrame(uint32_t number) const;

    static constexpr uint32_t NO_LANE = SendQueues::LISTS; ///< Lane that stands for none.
    static_assert(std::max(VIRTUAL_CHANNELS, PAUSE_PRIORITIES) <= SendQueues::LISTS,
                  "each has a list");

    // What each frame touches comes first.
    Transmitter& m_uplink;              ///< Link to the switch.
    bool m_isPaused{false};             ///< Whether a decision waits for the end of a pause.
    LocationId m_location;              ///< Address.
    uint8_t m_turn{0};                  ///< Lane whose turn it is.
    uint32_t m_lanes{VIRTUAL_CHANNELS}; ///< Lanes in use, a power of two.
    std::unique_ptr<FlowRestraints> m_restraints;    ///< Flows that it has; null if it never does.
    std::unique_ptr<NicLanes> m_virtualLanes;        ///< Null if the lanes above have turns.
    std::unique_ptr<UplinkWire> m_wire;              ///< Null if frames are sent in one piece.
    SendCounts m_counts;                             ///< Payload so far.
    uint64_t m_packetBacklog{0};                     ///< Payload of packets in the queues.
    NicConfig m_config;                              ///< Settings.
    PauseState m_pauses;                             ///< What the switch has stopped.
    TimePs m_nextTable{NEVER};                       ///< NextTable() of the virtual lanes, ps.
    SendQueues m_queues;                             ///< Of the flows; a list for each lane.
    RestraintListener* m_restraintListener{nullptr}; ///< Null for nobody.
    std::function<void(uint32_t)> m_forget;          ///< See SetReuse().
};

} // namespace ns3::fabric

#endif // FABRIC_SEND_SCHEDULER_H
