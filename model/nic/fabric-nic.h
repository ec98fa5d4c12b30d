/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NIC_H
#define FABRIC_NIC_H

#include "fabric-agenda.h"
#include "fabric-arrivals.h"
#include "fabric-credit-path.h"
#include "fabric-engine-group.h"
#include "fabric-engine-slot.h"
#include "fabric-flow-key.h"
#include "fabric-group-assembly.h"
#include "fabric-link-outages.h"
#include "fabric-message-table.h"
#include "fabric-nic-config.h"
#include "fabric-nic-engine.h"
#include "fabric-nic-lanes.h"
#include "fabric-nic-listener.h"
#include "fabric-pause-end.h"
#include "fabric-pause-order.h"
#include "fabric-receive-buffer.h"
#include "fabric-send-scheduler.h"
#include "fabric-transmitter.h"

#include <algorithm>
#include <functional>
#include <memory>

namespace ns3::fabric
{

/// Payload bytes that went through a NIC.
struct NicCounts : SendCounts, ArrivalCounts
{
};

/**
 * A host's network interface: the link to the edge switch, and the units that share it.
 *
 * | unit          | what it does                                                    |
 * |---------------|-----------------------------------------------------------------|
 * | SendScheduler | queues of flows, lanes, pauses: who is sent next                |
 * | EngineSlot    | makes and takes packets inside the NIC, such as a transport     |
 * | Arrivals      | what the switch has announced, and what was delivered when      |
 * | ReceiveBuffer | where it waits if the host is slow                              |
 * | Transmitter   | the uplink: when it is free, and what the switch has room for   |
 *
 * A NIC runs in its own clock and never ahead of the simulation (DP-4): whoever needs it calls
 * RunUntil() first. Here is that clock: the time of the next decision, which stands on the switch's
 * agenda, and who decides then.
 */
class alignas(CACHE_LINE) Nic
{
  public:
    /// @param location address of the endpoint
    Nic(LocationId location, const NicConfig& config, MessageTable& messages);

    Nic(const Nic&) = delete;
    Nic& operator=(const Nic&) = delete;

    /**
     * @param rate of the link to the edge switch
     * @param peer the switch's end
     * @param agenda of the switch; holds the time of this NIC's next decision
     */
    void Connect(LinkRate rate,
                 const LinkTiming& timing,
                 InputLink* peer,
                 Agenda* agenda,
                 uint32_t port);

    /// What arrives may have to wait, by the settings. To be called after Connect().
    /// @copydetails ReceiveBuffer::UseCredits()
    void UseCredits(LinkCredits& room, const CreditPath& credits);

    /**
     * Credits to the switch go in frames. To be called after UseCredits().
     *
     * @param channels virtual channels in use
     * @param end is told of the frames
     */
    void UseCreditFrames(const CreditSettings& settings, uint32_t channels, CreditFrameEnd& end);

    /**
     * What arrives may have to wait, by the settings, and the switch is paused then. To be called
     * after Connect().
     *
     * @param config thresholds
     * @param end takes the pauses
     */
    void UsePauses(const PauseConfig& config, PauseEnd& end);

    /// @param listener is told what arrives; not null when something does
    void SetListener(NicListener* listener)
    {
        m_listener = listener;
    }

    /**
     * @param key tells a flow of the engine
     * @return number of its queue
     */
    uint32_t OpenQueue(const FlowKey& key)
    {
        return m_scheduler.OpenQueue(key);
    }

    /**
     * @param queue number of a flow's queue
     * @return until when the switch restrains the flow, ps; not after now if it does not
     */
    TimePs RestrainedUntil(uint32_t queue, TimePs now) const
    {
        return m_scheduler.RestrainedUntil(queue, now);
    }

    /// @return header fields that tell a flow of messages
    static FlowKey KeyOf(const MessageFlow& flow);

    /// @param flow of native messages @return number of its queue
    uint32_t OpenQueue(const MessageFlow& flow)
    {
        return OpenQueue(KeyOf(flow));
    }

    /**
     * Makes a queue that only the caller fills, beside others of the same flow: it has turns of its
     * own with them.
     *
     * @param flow of native messages, or of packets of an engine
     * @return number of the queue
     */
    uint32_t AddQueue(const MessageFlow& flow);

    /// @return whether there is room for an engine: beside others, while nothing was sent
    bool TakesEngine() const
    {
        return !m_engine.IsUsed() || m_scheduler.Counts().offered == 0;
    }

    /// @return whether an engine takes frames of a kind
    bool HasEngineFor(FrameKind kind) const
    {
        return m_engine.Takes(kind);
    }

    /**
     * Puts an engine into the NIC, which has a link and takes one.
     *
     * @param engine takes no kind of frames that another one takes; outlives the NIC's use
     * @param alarm is told by when RunUntil() has to be called, where the switch's windows are too
     *        long for the engine's reports; may be null
     */
    void SetEngine(NicEngine* engine, Alarm* alarm);

    /// @copydoc SendScheduler::UseLanes()
    void UseLanes(const VlArbiterSettings& settings, LanePlans& plans)
    {
        m_scheduler.UseLanes(settings, plans);
    }

    /// Frames may be interrupted on the uplink (VA-9), if it has lanes. @param settings the user's
    void UsePieces(const PreemptionSettings& settings)
    {
        m_scheduler.UsePieces(settings, m_listener);
    }

    /**
     * Changes the lane table (VA-11), if there is one.
     *
     * @param at time from which on it counts, which is not over, ps
     * @param plans of the new table, which fits to the settings
     */
    void ChangeLanesAt(TimePs at, LanePlans& plans);

    /// @copydoc SendScheduler::Lanes()
    const NicLanes* Lanes() const
    {
        return m_scheduler.Lanes();
    }

    /// @copydoc SendScheduler::Wire()
    const UplinkWire* Wire() const
    {
        return m_scheduler.Wire();
    }

    /// @return longest window of the switch, ps (DP-2)
    TimePs LongestWindow() const
    {
        const LinkTiming& timing = m_uplink.Timing();
        return timing.delay + std::min(timing.dataLatency, timing.controlLatency);
    }

    /// @param now RunUntil() this time was called, and then the engine got something to do, ps
    void EngineHasWork(TimePs now);

    /// @return the settings
    const NicConfig& Config() const
    {
        return m_scheduler.Config();
    }

    /// @return address of the endpoint
    LocationId Location() const
    {
        return m_location;
    }

    /**
     * Sends a native message.
     *
     * @param flow to another endpoint, or to a group; class 0..15
     * @param bytes size of the message
     * @param tag the user's; given to the receiver
     * @return handle of the message
     */
    uint32_t SendMessage(const MessageFlow& flow, uint64_t bytes, uint64_t tag, TimePs now);

    /// Nothing of a message that SendMessage() was given is under way any more. @param queue of it
    void EndMessage(uint32_t queue)
    {
        m_scheduler.EndMessage(queue);
    }

    /**
     * Makes a native message, which the engine will send part by part.
     *
     * @copydetails SendMessage()
     */
    uint32_t NewMessage(const MessageFlow& flow, uint64_t bytes, uint64_t tag, TimePs now);

    /**
     * Sends a user's packet in one frame.
     *
     * @param key header fields that tell its flow
     * @param bytes of the packet, at most the MTU
     */
    void SendPacket(const FlowKey& key, uint32_t bytes, uint32_t handle, TimePs now)
    {
        RunUntil(now);
        Enqueue(m_scheduler.OpenQueue(key), {bytes, handle, FrameKind::PACKET}, now);
    }

    /// @param until decides everything that falls before, ps
    void RunUntil(TimePs until)
    {
        while (*m_decision < until)
        {
            if (m_engine.Next() <= *m_decision)
            {
                HandleEngine();
            }
            else
            {
                Decide(*m_decision);
            }
        }
    }

    /// An engine's alarm has come. @param now decides everything that falls before, ps
    void TakeAlarm(TimePs now);

    /// @return when the next thing that it does takes effect outside of it, at the earliest, ps
    TimePs NextEffect() const
    {
        if (!m_engine.IsUsed())
        {
            return *m_decision == NEVER ? NEVER : *m_decision + m_effectDelay;
        }
        const TimePs send = *m_decision < m_engine.Next() ? *m_decision : m_sendAt;
        return std::min(send == NEVER ? NEVER : send + m_effectDelay, m_engine.NextEffect());
    }

    /// @param frame that the switch starts; Expect() or Lose() has to follow
    void Reserve(const Frame& frame)
    {
        if (m_receiveBuffer)
        {
            ReserveRoom(frame);
        }
    }

    /**
     * The switch has put a frame on the link to this NIC.
     *
     * @param frame the frame; its time is the arrival of its tail, and becomes that at which it
     * leaves the receive buffer
     * @param known everything before this time is over, ps
     */
    void Expect(Frame& frame, TimePs known);

    /// @param frame the link has failed while the switch was sending it (WL-8), at its time
    void Lose(const Frame& frame);

    /**
     * @param queue number of a queue, as frames on the link to the switch carry it in `next`
     * @return header fields of its flow
     */
    const FlowKey& Key(uint32_t queue) const
    {
        return m_scheduler.Key(queue);
    }

    /// @param delay of credits from the switch's buffer to this NIC, ps
    CreditPath MakeCreditPath(TimePs delay)
    {
        return CreditPath(CreditEnd::OfHost(m_uplink.Credits(), *m_agenda, m_port), delay);
    }

    /// @copydoc SendScheduler::UseRestraints()
    void UseRestraints(FlowClassifier classify)
    {
        m_scheduler.UseRestraints(std::move(classify));
    }

    /// @copydoc SendScheduler::OpenFlow()
    uint32_t OpenFlow(uint32_t queue)
    {
        return m_scheduler.OpenFlow(queue);
    }

    /// @copydoc SendScheduler::Queues()
    uint32_t Queues() const
    {
        return m_scheduler.Queues();
    }

    /// @copydoc SendScheduler::SetReuse()
    void SetReuse(std::function<void(uint32_t)> forget)
    {
        m_scheduler.SetReuse(std::move(forget));
    }

    /// @copydoc SendScheduler::Restraints()
    const FlowRestraints* Restraints() const
    {
        return m_scheduler.Restraints();
    }

    /// @copydoc SendScheduler::UsePriorityLanes()
    void UsePriorityLanes()
    {
        m_scheduler.UsePriorityLanes();
    }

    /**
     * The switch has put a pause frame on the link to this NIC.
     *
     * @param order the frame's; its time, at which this NIC obeys, is not over
     */
    void Accept(const PauseOrder& order)
    {
        if (m_scheduler.Accept(order))
        {
            // It may lift the pause before the time-out for which the decision waits.
            BringForward(order.time);
        }
    }

    /**
     * The switch has put a frame of fine-grain flow control on the link to this NIC.
     *
     * @param order the frame's; its time, at which this NIC obeys, is not over
     */
    void Restrain(const FgfcOrder& order)
    {
        if (m_scheduler.Restrain(order))
        {
            DecideFrom(order.time);
        }
    }

    /**
     * The link fails (WL-8): nothing is sent until it is repaired, and what the switch had put on
     * it is lost.
     *
     * @param at when, after that of any earlier call, ps
     * @param known frames that the switch started before this time come through, ps
     */
    void FailLinkAt(TimePs at, TimePs known);

    /**
     * @param quiet time from a failure until all is in that was sent before, ps
     * @param told time that the switch needs to pause this NIC, ps
     */
    void RepairLinkAt(TimePs at, TimePs quiet, TimePs told);

    /// @return whether its last decision waits for a credit, or for the end of a pause
    bool IsHindered() const
    {
        return m_scheduler.IsHindered();
    }

    /// @return what pauses the switch, null if nothing does
    const ReceivePauses* Pauses() const
    {
        return m_receiveBuffer ? m_receiveBuffer->Pauses() : nullptr;
    }

    /// @return what credit frames tell the switch of, null if there are none
    const CreditReturn* CreditsToTell() const
    {
        return m_receiveBuffer ? m_receiveBuffer->CreditsToTell() : nullptr;
    }

    /// @return the sending end of the link to the switch
    Transmitter& Uplink()
    {
        return m_uplink;
    }

    /// @copydoc Uplink()
    const Transmitter& Uplink() const
    {
        return m_uplink;
    }

    /// @return payload bytes so far; `arrived` and `corrupt` include what is still on the link
    NicCounts Counts() const
    {
        return {m_scheduler.Counts(), m_arrivals.Counts()};
    }

    /// @copydoc Arrivals::KeepAll()
    void KeepArrivals()
    {
        m_arrivals.KeepAll();
    }

    /// @copydoc Arrivals::DeliveredBy()
    uint64_t DeliveredBy(TimePs at) const
    {
        return m_arrivals.DeliveredBy(at);
    }

    /// @copybrief Arrivals::ArrivedBy() @param at as for DeliveredBy() @return payload bytes
    uint64_t ArrivedBy(TimePs at) const
    {
        return m_arrivals.ArrivedBy(at, m_uplink.Rate()); // the link back is alike
    }

    /// @copydoc Arrivals::LastTime()
    TimePs LastArrival() const
    {
        return m_arrivals.LastTime();
    }

    /// @copydoc SendScheduler::Backlog()
    uint64_t Backlog() const
    {
        return m_scheduler.Backlog();
    }

    /// @copydoc SendScheduler::PacketBacklog()
    uint64_t PacketBacklog() const
    {
        return m_scheduler.PacketBacklog();
    }

    /// Fetches what frames touch of the object.
    void FetchHot() const
    {
        const char* const first = reinterpret_cast<const char*>(this);
        const char* const end = static_cast<const char*>(m_scheduler.EndOfHot());
        FetchMemory(first, static_cast<std::size_t>(end - first));
    }

    /// Fetches what frames from and to the link touch besides the object. @param most of them
    void FetchEnds(uint32_t most) const
    {
        m_uplink.FetchEnds(most);
        m_arrivals.FetchNextSlots(most);
        m_engine.FetchFront();
        m_scheduler.FetchEnds();
    }

    /// Fetches the message of a frame that will come.
    void FetchMessage(const Frame& frame) const
    {
        if (frame.kind == FrameKind::MESSAGE)
        {
            FetchMemory(&m_messages.At(frame.handle), sizeof(Message));
        }
    }

    /// @copydoc SendScheduler::FetchFronts()
    void FetchFronts() const
    {
        m_scheduler.FetchFronts();
    }

    /// @copydoc SendScheduler::FetchJobs()
    void FetchJobs() const
    {
        m_scheduler.FetchJobs();
    }

    /// @copydoc SendScheduler::FetchLanes()
    void FetchLanes() const
    {
        m_scheduler.FetchLanes();
    }

    /// @copydoc EngineSlot::Fetch()
    void FetchEngine(uint32_t step) const
    {
        m_engine.Fetch(step);
    }

  private:
    /// A part of a message to a group has come.
    void TakeForGroup(const Frame& frame);

    /// @param queue of a flow; RunUntil() this time was called
    void Enqueue(uint32_t queue, const SendJob& job, TimePs now);

    /// Something may be sent from a time on.
    void SendFrom(TimePs from);

    /// @param now time of a decision: takes the engine's next packet, and sends, ps
    void Decide(TimePs now);

    /// @param now time of a decision: the engine's next packet waits in its queue, if there is one
    /// and none does that may go, ps
    void PullPacket(TimePs now);

    /// @param now time of a decision: sends the next frame if there is one and it may go, ps
    /// @return whether the wire has been taken
    bool Send(TimePs now);

    /// Of a link that may fail, or on which this tells of its buffer: what goes before all frames.
    /// @return whether nothing else may be sent now; the next decision is planned
    bool ComesFirst(TimePs now);

    /// @return when a decision is due though nothing may wait, NEVER for not at all, ps
    TimePs NextDuty(TimePs now);

    /// Pauses the switch or lets it go on, if that is due. @return whether the wire is taken
    bool SendPause(TimePs now);

    /// Tells the switch of room, if that is due. @return whether the wire is taken
    bool SendCredits(TimePs now);

    /// As Reserve(), if it has a receive buffer.
    void ReserveRoom(const Frame& frame);

    /// Makes the buffer. @return it
    ReceiveBuffer& MakeReceiveBuffer();

    /// A decision is due as soon as the wire is free, from a time on.
    /// @return whether that is earlier than the one that was planned
    bool DecideFrom(TimePs from);

    /**
     * @param now time of a decision, ps
     * @return whether the link has failed; the next decision is then when it is up again
     */
    bool IsHeldBack(TimePs now);

    /// @param frame on a link that has failed before; whether it did while the frame was on it
    bool IsCut(const Frame& frame) const;

    /**
     * The receive buffer takes a frame that was put on the link to this NIC.
     *
     * @param frame its time becomes that at which it leaves
     * @param isCut whether the link fails before it is in
     * @param known everything before this time is over, ps
     * @return whether it fits
     */
    bool Buffer(Frame& frame, bool isCut, TimePs known);

    /// @param frame that is for an engine, put on the link to this NIC
    void TakeForEngine(const Frame& frame);

    /// Puts another engine beside those that there are. @copydetails SetEngine()
    void AddEngine(NicEngine& engine, Alarm* alarm);

    /// The engine handles what is due.
    void HandleEngine();

    /// The engine may have a packet from now on.
    void PollEngine(TimePs now);

    /// @param time of the next decision, ps
    void SetDecision(TimePs time)
    {
        m_agenda->SetHost(m_port, time);
    }

    /// @param time the next decision is no later, ps
    void BringForward(TimePs time)
    {
        m_agenda->BringHostForward(m_port, time);
    }

    /// Nothing is decided later than the engine is due.
    void DecideByEngine()
    {
        BringForward(m_engine.Next());
    }

    // What each frame touches comes first, of each part too.
    Transmitter m_uplink;                   ///< Link to the switch.
    const TimePs* m_decision{nullptr};      ///< Next decision, on the switch's agenda, ps.
    Agenda* m_agenda{nullptr};              ///< Of the switch.
    TimePs m_effectDelay{0};                ///< From a decision to its effect at the switch, ps.
    TimePs m_sendAt{NEVER};                 ///< With an engine: *m_decision without its time, ps.
    LocationId m_location;                  ///< Address.
    bool m_isUnusual{false};                ///< Whether anything goes before all frames.
    uint32_t m_port{0};                     ///< Of the switch.
    NicListener* m_listener{nullptr};       ///< Is told what arrives.
    std::unique_ptr<LinkOutages> m_outages; ///< Null for a link that never fails.
    std::unique_ptr<ReceiveBuffer> m_receiveBuffer; ///< Null if it takes whatever comes at once.
    Arrivals m_arrivals;                            ///< What the switch has announced.
    MessageTable& m_messages;                       ///< Of the fabric.
    EngineSlot m_engine;                            ///< The transport or another, or several.
    SendScheduler m_scheduler;                      ///< Who is sent next.
    uint32_t m_messagesSent{0};                     ///< Number of the next message.
    GroupAssembly m_groupAssembly;                  ///< Messages to groups that are not complete.
    std::unique_ptr<EngineGroup> m_engines;         ///< Null for no more than one engine.
    PauseEnd* m_pauseEnd{nullptr};                  ///< Takes its pauses; null if it has none.
    CreditFrameEnd* m_creditEnd{nullptr};           ///< Is told of credit frames; null for none.
};

} // namespace ns3::fabric

#endif // FABRIC_NIC_H
