/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NIC_H
#define FABRIC_NIC_H

#include "fabric-class-map.h"
#include "fabric-credit-path.h"
#include "fabric-flow-key.h"
#include "fabric-link-outages.h"
#include "fabric-message-table.h"
#include "fabric-nic-engine.h"
#include "fabric-nic-lanes.h"
#include "fabric-pause-state.h"
#include "fabric-ring.h"
#include "fabric-send-lists.h"
#include "fabric-transmitter.h"

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace fabric
{

/// Is told what a NIC receives, ahead of time: with the time at which it will be complete.
class NicListener
{
  public:
    virtual ~NicListener() = default;

    /**
     * @param handle of a message in the message table
     * @param at when its last byte arrives, ps
     */
    virtual void MessageComplete(uint32_t handle, TimePs at) = 0;

    /**
     * @param frame carries a user's packet
     * @param at when its last byte arrives, ps
     */
    virtual void PacketComplete(const Frame& frame, TimePs at) = 0;

    /// @param handle of a message of which nothing is under way any more, and a part is lost
    virtual void MessageLost(uint32_t handle) = 0;

    /// @param frame arrives damaged and is dropped
    virtual void FrameDamaged(const Frame& frame)
    {
        (void)frame;
    }
};

/// Settings of a NIC.
struct NicConfig
{
    uint32_t mtu{MAX_PAYLOAD};  ///< Most bytes of payload in a frame.
    ClassMap vcOfClass{};       ///< Virtual channel of each traffic class.
    bool arbitratesLanes{true}; ///< Whether it does so where the switch has a lane table (VA-12).
};

/// Payload bytes that went through a NIC.
struct NicCounts
{
    uint64_t offered{0};       ///< Accepted from applications.
    uint64_t sent{0};          ///< Put on the link.
    uint64_t arrived{0};       ///< Put on the link to this NIC, whole and undamaged.
    uint64_t corrupt{0};       ///< Arrived damaged and dropped.
    uint64_t framesArrived{0}; ///< Frames in `arrived`.
    uint64_t linkDown{0};      ///< On the link to this NIC when it failed (WL-8).
    uint64_t lostPauses{0};    ///< Pause frames that were on the link then.
};

/**
 * A host's network interface: a queue per flow, round robin between the lanes and between the
 * queues of each, and the link to the edge switch. Lanes are what the switch can hold back one by
 * one: the virtual channels, or the priorities if it pauses these (WL-5). With a lane table they
 * are virtual lanes, between which the same arbiter chooses as at the ports of switches (VA-12). A
 * NIC runs in its own clock and never ahead of the simulation (DP-4): whoever needs it calls
 * RunUntil() first.
 */
class Nic
{
  public:
    /**
     * @param location address of the endpoint
     * @param config settings
     * @param messages of the fabric
     */
    Nic(LocationId location, const NicConfig& config, MessageTable& messages);

    /**
     * @param rate of the link to the edge switch
     * @param timing of the link
     * @param peer the switch's end
     * @param agenda of the switch; holds the time of this NIC's next decision
     * @param port of the link at the switch
     */
    void Connect(LinkRate rate,
                 const LinkTiming& timing,
                 InputLink* peer,
                 Agenda* agenda,
                 uint32_t port);

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
        return QueueOf(key);
    }

    /**
     * Puts an engine into the NIC, which has a link.
     *
     * @param engine makes and takes frames of the kind TRANSPORT; outlives the NIC's use
     * @param alarm is told by when RunUntil() has to be called, where the switch's windows are too
     *        long for the engine's reports; may be null
     */
    void SetEngine(NicEngine* engine, Alarm* alarm);

    /**
     * The uplink, which is connected, arbitrates between virtual lanes (VA-12); before anything is
     * sent, and only if the settings let it.
     *
     * @param settings of the arbiter; the rate is the uplink's
     * @param plans of the lane table
     * @throws std::invalid_argument with a sentence if either is wrong (VA-14)
     */
    void UseLanes(const VlArbiterSettings& settings, LanePlans& plans);

    /**
     * Changes the lane table (VA-11), if there is one.
     *
     * @param at time from which on it counts, which is not over, ps
     * @param plans of the new table, which fits to the settings
     */
    void ChangeLanesAt(TimePs at, LanePlans& plans);

    /// @return its virtual lanes; null if it does not arbitrate between them
    const NicLanes* Lanes() const
    {
        return m_virtualLanes.get();
    }

    /// @return longest window of the switch, ps (DP-2)
    TimePs LongestWindow() const
    {
        const LinkTiming& timing = m_transmitter.Timing();
        return timing.delay + std::min(timing.dataLatency, timing.controlLatency);
    }

    /// @param now RunUntil() this time was called, and then the engine got something to do, ps
    void EngineHasWork(TimePs now)
    {
        PlanEngine();
        PollEngine(now);
        m_agenda->Wake(NextEffect());
    }

    /// @return the settings
    const NicConfig& Config() const
    {
        return m_config;
    }

    /// @return address of the endpoint
    LocationId Location() const
    {
        return m_location;
    }

    /**
     * Sends a native message.
     *
     * @param dst another endpoint
     * @param bytes size of the message
     * @param trafficClass FTAG, 0..15
     * @param tag the user's; given to the receiver
     * @param now time, ps
     * @return handle of the message
     */
    uint32_t SendMessage(LocationId dst,
                         uint64_t bytes,
                         uint8_t trafficClass,
                         uint64_t tag,
                         TimePs now);

    /**
     * Sends a user's packet in one frame.
     *
     * @param key header fields that tell its flow
     * @param bytes of the packet, at most the MTU
     * @param handle of the packet
     * @param now time, ps
     */
    void SendPacket(const FlowKey& key, uint32_t bytes, uint32_t handle, TimePs now);

    /// @param until decides everything that falls before, ps
    void RunUntil(TimePs until)
    {
        while (*m_decision < until)
        {
            if (m_engineNext <= *m_decision)
            {
                HandleEngine(m_engineNext);
            }
            else
            {
                Decide(*m_decision);
            }
        }
    }

    /// @return when the next thing that it does takes effect outside of it, at the earliest, ps
    TimePs NextEffect() const
    {
        if (!m_engine)
        {
            return *m_decision == NEVER ? NEVER : *m_decision + m_effectDelay;
        }
        const TimePs send = *m_decision < m_engineNext ? *m_decision : m_sendAt;
        return std::min(send == NEVER ? NEVER : send + m_effectDelay,
                        m_engineNext == NEVER ? NEVER : m_engineNext + m_engineDelay);
    }

    /**
     * The switch has put a frame on the link to this NIC.
     *
     * @param frame the frame; its time is the arrival of its tail
     * @param known everything before this time is over, ps
     */
    void Expect(const Frame& frame, TimePs known);

    /// @param frame the link has failed while the switch was sending it (WL-8)
    void Lose(const Frame& frame);

    /**
     * @param queue number of a queue, as frames on the link to the switch carry it in `next`
     * @return header fields of its flow
     */
    const FlowKey& Key(uint32_t queue) const
    {
        return m_queues[queue].key;
    }

    /**
     * @param delay of credits from the switch's buffer to this NIC, ps
     * @return the way of the credits
     */
    CreditPath MakeCreditPath(TimePs delay)
    {
        return CreditPath(&m_transmitter.Credits(), &m_starves, m_decision, delay);
    }

    /// The switch pauses priorities one by one (802.1Qbb), so each has a lane; before anything is
    /// sent.
    void UsePriorityLanes()
    {
        m_lanes = PAUSE_PRIORITIES;
    }

    /**
     * The switch has put a pause frame on the link to this NIC.
     *
     * @param order the frame's; its time, at which this NIC obeys, is not over
     */
    void Accept(const PauseOrder& order)
    {
        m_pauses.Accept(order);
        if (m_isPaused)
        {
            // It may lift the pause before the time-out for which the decision waits.
            *m_decision = std::min(*m_decision, order.time);
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
     * The link is repaired.
     *
     * @param at when, ps
     * @param quiet time from a failure until all is in that was sent before, ps
     * @param told time that the switch needs to pause this NIC, ps
     */
    void RepairLinkAt(TimePs at, TimePs quiet, TimePs told);

    /// @return the sending end of the link to the switch
    Transmitter& Uplink()
    {
        return m_transmitter;
    }

    /// @copydoc Uplink()
    const Transmitter& Uplink() const
    {
        return m_transmitter;
    }

    /// @return payload bytes so far; `arrived` and `corrupt` include what is still on the link
    const NicCounts& Counts() const
    {
        return m_counts;
    }

    /**
     * @param at a time, not before the last call of Expect() said to be over, ps
     * @return payload bytes that had arrived by then
     */
    uint64_t DeliveredBy(TimePs at) const;

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

    /// Fetches what a frame from or to the link touches besides the object.
    void FetchEnds() const
    {
        m_transmitter.FetchEnds();
        m_arriving.FetchNextSlots();
        FetchMemory(m_queues.data(), m_queues.size() * sizeof(SendQueue));
        constexpr std::size_t FRONT = 256; // bytes of an engine, where its own members stand
        FetchMemory(m_engine, m_engine ? FRONT : 0);
        if (m_virtualLanes)
        {
            m_virtualLanes->Fetch();
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

    /// Fetches what the engine touches. @param step see NicEngine::Fetch()
    void FetchEngine(uint32_t step) const
    {
        if (m_engine)
        {
            m_engine->Fetch(step);
        }
    }

    /// @return bytes of memory held besides the object
    std::size_t MemoryBytes() const;

  private:
    /// A message or packet that waits to be sent.
    struct Job
    {
        uint64_t left;   ///< Bytes not sent yet.
        uint32_t handle; ///< Of the message or packet.
        FrameKind kind;  ///< Which of the two.
    };

    /// The jobs of one flow, in order.
    struct SendQueue
    {
        FlowKey key;                  ///< Tells the flow.
        uint32_t label;               ///< Hash of the key, for routes by hash.
        uint8_t lane;                 ///< Its virtual lane, where there are any.
        uint32_t next{NO_SEND_QUEUE}; ///< Next queue of the same list (SendLists).
        Ring<Job> jobs;               ///< In order.
    };

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

    /**
     * @param key tells a flow
     * @return number of its queue, made if need be
     */
    uint32_t QueueOf(const FlowKey& key);

    /**
     * @param key tells a flow
     * @param job for it
     * @param now time, ps
     */
    void Enqueue(const FlowKey& key, const Job& job, TimePs now);

    /**
     * @param queue number of a queue
     * @param job comes last in it
     */
    void Append(uint32_t queue, const Job& job);

    /// @return what finds queues, for the lists
    auto Queues()
    {
        return [this](uint32_t number) -> SendQueue& { return m_queues[number]; };
    }

    /// @param queue number of a queue with a job, whose turn comes last in its lane
    void WaitForTurn(uint32_t queue);

    /**
     * @param queue number of a queue
     * @return virtual channel of its frames
     */
    uint32_t ChannelOf(uint32_t queue) const
    {
        return m_config.vcOfClass[m_queues[queue].key.trafficClass];
    }

    /**
     * @param queue number of a queue
     * @return what it is held back with
     */
    uint32_t LaneOf(uint32_t queue) const
    {
        return m_lanes == PAUSE_PRIORITIES ? m_queues[queue].key.trafficClass % PAUSE_PRIORITIES
                                           : ChannelOf(queue);
    }

    /**
     * @param open bit mask of lanes with queues that are not paused
     * @param now time, ps
     * @return the first of them whose next frame the switch has room for, NO_LANE if none
     */
    uint32_t ReadyLane(uint32_t open, TimePs now);

    /**
     * Sends a frame.
     *
     * @param number of its queue, whose turn it is no longer
     * @param frame the first one of its queue
     * @param now time, ps
     * @return when the link is free again, ps
     */
    TimePs Launch(uint32_t number, Frame frame, TimePs now);

    /// @param at time of a decision: sends the frame that the arbiter of lanes has chosen, ps
    void SendByLane(TimePs at);

    /**
     * @param lane with queues that wait
     * @param stopped bit mask of what is paused, see LaneOf()
     * @return the first of them that is not paused, NO_SEND_QUEUE for none
     */
    uint32_t FirstToGo(uint32_t lane, uint32_t stopped);

    /// Nothing can go now: plans the next decision.
    void PlanLanes(TimePs now);

    /// A table counts: others are replaced. @param now time, ps
    void UpdateLanes(TimePs now);

    /**
     * Sends the frame whose turn it is.
     *
     * @param lane whose turn it is
     * @param now time, ps
     * @return when the link is free again, ps
     */
    TimePs SendFrame(uint32_t lane, TimePs now);

    /// @param now time of a decision: takes the engine's next packet, and sends, ps
    void Decide(TimePs now);

    /**
     * @param now time of a decision, ps
     * @return whether the link has failed; the next decision is then when it is up again
     */
    bool IsHeldBack(TimePs now);

    /// @param now time of a decision: sends the next frame if there is one and it may go, ps
    void Send(TimePs now);

    /// @param at when the engine has something to handle, ps
    void HandleEngine(TimePs at);

    /// The engine may have a packet from now on. @param now time, ps
    void PollEngine(TimePs now);

    /// Puts the engine's next packet into its queue. @param now time, the wire is free, ps
    void PullEnginePacket(TimePs now);

    /// The engine's next time may have changed.
    void PlanEngine();

    /// @param frame of the transport, put on the link to this NIC
    void TakeTransport(const Frame& frame);

    /**
     * @param queue whose turn it is
     * @return its next frame
     */
    Frame MakeFrame(uint32_t queue) const;

    static constexpr uint32_t NO_LANE = SendLists::MOST; ///< Lane that stands for none.
    static_assert(std::max(VIRTUAL_CHANNELS, PAUSE_PRIORITIES) <= SendLists::MOST,
                  "each has a list");

    Transmitter m_transmitter;        ///< Link to the switch.
    TimePs* m_decision{nullptr};      ///< Next decision, on the switch's agenda, ps.
    TimePs m_effectDelay{0};          ///< From a decision to its effect at the switch, ps.
    TimePs m_sendAt{NEVER};           ///< With an engine: *m_decision without its time, ps.
    TimePs m_engineNext{NEVER};       ///< When the engine has something to handle, ps.
    TimePs m_reportDelay{0};          ///< From then to the first call of an application, ps.
    TimePs m_engineDelay{0};          ///< From then to the first effect that needs the switch, ps.
    NicEngine* m_engine{nullptr};     ///< The transport, if there is one.
    Alarm* m_alarm{nullptr};          ///< Runs the NIC where windows are longer than m_reportDelay.
    bool m_engineWaits{false};        ///< Whether a packet of the engine waits in its queue.
    bool m_starves{false};            ///< Whether a decision waits for a credit.
    bool m_isPaused{false};           ///< Whether a decision waits for the end of a pause.
    LocationId m_location;            ///< Address.
    Agenda* m_agenda{nullptr};        ///< Of the switch.
    NicListener* m_listener{nullptr}; ///< Is told what arrives.
    MessageTable& m_messages;         ///< Of the fabric.
    NicConfig m_config;               ///< Settings.
    NicCounts m_counts;               ///< Payload so far.
    uint64_t m_packetBacklog{0};      ///< Payload of packets in the queues.
    std::vector<SendQueue> m_queues;  ///< By number.
    SendLists m_lists;                ///< Queues with jobs, by lane.
    uint32_t m_lanes{VIRTUAL_CHANNELS};       ///< Lanes in use, a power of two.
    uint8_t m_turn{0};                        ///< Lane whose turn it is.
    TimePs m_nextTable{NEVER};                ///< NextTable() of the virtual lanes, ps.
    std::unique_ptr<NicLanes> m_virtualLanes; ///< Null if the lanes above have turns.
    PauseState m_pauses;                      ///< What the switch has stopped.
    std::unordered_map<FlowKey, uint32_t, FlowKeyHash> m_queueOf; ///< Looked up per message.
    std::unique_ptr<LinkOutages> m_outages; ///< Null for a link that never fails.

    /// Bytes on the link to this NIC.
    struct Arrival
    {
        TimePs time;    ///< When they are in, ps.
        uint32_t bytes; ///< Payload.
    };

    Ring<Arrival> m_arriving;   ///< Not over at the last call of Expect().
    uint32_t m_messagesSent{0}; ///< Number of the next message.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_NIC_H
