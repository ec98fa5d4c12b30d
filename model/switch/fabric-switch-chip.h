/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_CHIP_H
#define FABRIC_SWITCH_CHIP_H

#include "fabric-agenda.h"
#include "fabric-calendar.h"
#include "fabric-credit-path.h"
#include "fabric-edge-flow-table.h"
#include "fabric-frame-pool.h"
#include "fabric-input-flow-table.h"
#include "fabric-lane-map.h"
#include "fabric-mailbox.h"
#include "fabric-nic.h"
#include "fabric-output-arbiter.h"
#include "fabric-output-flow-table.h"
#include "fabric-port-lanes.h"
#include "fabric-routing.h"
#include "fabric-switch-config.h"
#include "fabric-transmitter.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace ns3
{
namespace fabric
{

/// Why a switch drops a frame.
enum class DropCause : uint8_t
{
    NO_ROUTE, ///< No port leads to its destination (FC-12).
    CORRUPT,  ///< Its check code is wrong (WL-4).
    COUNT     ///< Number of causes.
};

/// What a switch has done since the start.
struct SwitchCounts
{
    std::array<uint64_t, static_cast<std::size_t>(DropCause::COUNT)> droppedPayload{}; ///< Bytes.
    uint64_t droppedFrames{0}; ///< Frames dropped for any cause.
    uint64_t heldBytes{0};     ///< Bytes in all input buffers now.
    uint64_t peakHeldBytes{0}; ///< Most bytes in all input buffers at a time.
};

/// Steps in which what a switch needs is fetched; each reads what the one before has fetched.
enum class FetchStep : uint32_t
{
    PORTS,      ///< Ports and agenda.
    LINKS,      ///< What is on the links, and the hosts.
    NEIGHBOURS, ///< Where neighbours are written to, and flows.
};

/// Sees what happens in a switch, at the time at which it happens.
class SwitchObserver
{
  public:
    virtual ~SwitchObserver() = default;

    /**
     * @param port input port
     * @param frame that takes effect
     * @param now time, ps
     */
    virtual void Arrived(uint32_t port, const Frame& frame, TimePs now) = 0;

    /**
     * @param port output port
     * @param frame whose first bit is on the wire
     * @param now time, ps
     */
    virtual void Sent(uint32_t port, const Frame& frame, TimePs now) = 0;

    /**
     * @param port input port
     * @param frame that is dropped
     * @param cause why
     * @param now time, ps
     */
    virtual void Dropped(uint32_t port, const Frame& frame, DropCause cause, TimePs now) = 0;

    /**
     * @param port whose host is paused, or told to go on
     * @param order what the pause frame says; its time is when the host obeys
     * @param now time at which the frame's first bit is on the wire, ps
     */
    virtual void Paused([[maybe_unused]] uint32_t port,
                        [[maybe_unused]] const PauseOrder& order,
                        [[maybe_unused]] TimePs now)
    {
    }

    /**
     * An arbiter of virtual lanes has chosen a frame; Sent() follows (VA-12).
     *
     * @param port output port
     * @param frame with its lane
     * @param grant its level, and whether it conforms
     * @param now time, ps
     */
    virtual void Granted([[maybe_unused]] uint32_t port,
                         [[maybe_unused]] const Frame& frame,
                         [[maybe_unused]] const Grant& grant,
                         [[maybe_unused]] TimePs now)
    {
    }
};

/**
 * A switch that simulates itself (DP-1): Advance() handles all that happens in it up to a given
 * time.
 *
 * Frames come by rings of timed entries, one per input link. Each waits in the queue of its flow at
 * the input port, or, if it has no flow, in a virtual output queue there. The crossbar is `ideal`
 * (SW-4): an output takes a frame from any input at any time, so only outputs have to be shared. An
 * output that becomes free decides: an ACK frame that is due, else the frame whose turn it is and
 * for which the neighbour has room.
 */
class SwitchChip
{
  public:
    /// @param config settings
    explicit SwitchChip(const SwitchConfig& config);

    // Neighbours point into it.
    SwitchChip(const SwitchChip&) = delete;
    SwitchChip& operator=(const SwitchChip&) = delete;

    /**
     * Makes one direction of a link between switches; the other needs a call on the peer.
     *
     * @param port of this switch, sends
     * @param peer receives
     * @param peerPort of the peer
     * @param rate of the link
     * @param delay propagation, 1 ps to 10 s, ps
     * @throws std::invalid_argument if the delay is anything else
     */
    void ConnectSwitch(uint32_t port,
                       SwitchChip& peer,
                       uint32_t peerPort,
                       LinkRate rate,
                       TimePs delay);

    /**
     * Makes both directions of a link to a host.
     *
     * @param port of this switch
     * @param nic the host's
     * @param rate of the link
     * @param delay propagation, 1 ps to 10 s, ps
     * @throws std::invalid_argument if the delay is anything else, or the room reserved for a
     * virtual channel is too small for a frame of the NIC's MTU, or the host is to be paused and
     * the settings could lose a frame
     */
    void ConnectNic(uint32_t port, Nic& nic, LinkRate rate, TimePs delay);

    /// To be called when all links exist: slow inputs learn that they have to store and forward.
    void FinishLinks();

    /**
     * Another thread may run the switch at the other end of a link: what leaves by this port goes
     * into a mailbox from now on.
     *
     * @param port with a link to a switch
     * @param mailbox for the part of the fabric at the other end
     */
    void Divert(uint32_t port, Mailbox& mailbox);

    /**
     * @param calendar for switches of which one runs at a time, so that it stays in the caches; a
     * switch without has its own
     */
    void ShareCalendar(std::shared_ptr<Calendar> calendar)
    {
        m_calendar = std::move(calendar);
    }

    /// @param routing which ports lead where
    void SetRouting(Routing routing)
    {
        m_routing = std::move(routing);
    }

    /// @param observer sees what happens; null for nobody
    void SetObserver(SwitchObserver* observer)
    {
        m_observer = observer;
    }

    /// @param handler is given each frame that is dropped; it owns what the frame carries
    void SetDropHandler(std::function<void(const Frame&)> handler)
    {
        m_dropHandler = std::move(handler);
    }

    /**
     * @param port output port
     * @param loss damages frames that it sends; null for a clean link
     */
    void SetLossModel(uint32_t port, LossModel* loss)
    {
        m_outputs[port].transmitter.SetLossModel(loss);
    }

    /// @return what it has to do when; neighbours write there
    Agenda& GetAgenda()
    {
        return m_agenda;
    }

    /// @return the least time between an outside cause and its effect in this switch (DP-2), ps
    TimePs Lookahead() const
    {
        return m_lookahead;
    }

    /**
     * Changes settings at a given time (DP-6). What shapes the switch (ports, buffers, flow
     * channels, arbitration, classes) can't be changed; ChangeLanesAt() changes the lane table.
     *
     * @param at not before what Advance() has handled, ps
     * @param change alters the settings
     */
    void ChangeAt(TimePs at, std::function<void(SwitchConfig&)> change);

    /**
     * Changes the lane table at a given time (VA-11). No frame is lost, and those of a flow stay in
     * their order; frames that wait do so in the lanes of the new table from then on.
     *
     * @param at not before what Advance() has handled, ps; without effect before there are links:
     * the table is then changed at once
     * @param table the new table
     * @throws std::invalid_argument with a sentence if the switch was made without a table, or
     * can't have this one (VA-14)
     */
    void ChangeLanesAt(TimePs at, const LaneTable& table);

    /**
     * @param table of lanes
     * @throws std::invalid_argument as ChangeLanesAt()
     */
    void CheckLanes(const LaneTable& table) const;

    /**
     * @param period of samples, the first at one period, ps
     * @param sample is called with the time of each, when all before it has been handled
     */
    void SetSampler(TimePs period, std::function<void(TimePs)> sample);

    /**
     * Makes the samples that are due, though nothing else may have happened.
     *
     * @param until everything before has been handled, ps
     */
    void CatchUp(TimePs until)
    {
        for (; m_nextSample < until; m_nextSample += m_samplePeriod)
        {
            m_sample(m_nextSample);
        }
    }

    /**
     * Handles everything before `until`.
     *
     * @param now simulation time; NICs are run up to it, ps
     * @param until at most Lookahead() after now, ps
     */
    void Advance(TimePs now, TimePs until);

    /**
     * Fetches memory that the next Advance() needs; nothing changes.
     *
     * @param step which part of it
     */
    void Fetch(FetchStep step) const;

    /// @return when it next has something to do, NEVER for nothing, ps
    TimePs NextTime() const;

    /// @return the settings
    const SwitchConfig& Config() const
    {
        return m_config;
    }

    /// @return what it has done
    const SwitchCounts& Counts() const
    {
        return m_counts;
    }

    /**
     * @param port output port
     * @return its link
     */
    const Transmitter& Output(uint32_t port) const
    {
        return m_outputs[port].transmitter;
    }

    /**
     * @param port output port
     * @return its flow channels
     */
    const OutputFlowTable& OutputFlows(uint32_t port) const
    {
        return m_outputs[port].flows;
    }

    /**
     * @param port input port
     * @return its flow channels
     */
    const InputFlowTable& InputFlows(uint32_t port) const
    {
        return m_inputs[port].flows;
    }

    /**
     * @param port input port
     * @return bytes in its buffer
     */
    uint32_t HeldBytes(uint32_t port) const
    {
        return m_inputs[port].heldBytes;
    }

    /**
     * @param port input port
     * @return most bytes that were in its buffer at a time
     */
    uint32_t PeakHeldBytes(uint32_t port) const
    {
        return m_inputs[port].peakHeldBytes;
    }

    /**
     * @param port input port
     * @return what decides about the pauses of its host; null if it pauses none (WL-5)
     */
    const PauseController* Pauses(uint32_t port) const
    {
        return m_inputs[port].pause.get();
    }

    /**
     * @param port output port
     * @return its virtual lanes; null if it does not arbitrate between them
     */
    const PortLanes* Lanes(uint32_t port) const
    {
        return m_outputs[port].lanes.get();
    }

    /**
     * @param trafficClass of a flow
     * @param src its source
     * @param dst its destination
     * @return the virtual lane of its frames (VA-1); only if there is a lane table
     */
    uint8_t LaneOfFlow(uint8_t trafficClass, LocationId src, LocationId dst) const
    {
        return m_laneMap.LaneOfFlow(trafficClass, src, dst);
    }

    /**
     * @param port output port
     * @return bytes in this switch that wait for it
     */
    uint32_t QueuedBytes(uint32_t port) const
    {
        return m_queuedBytes[port];
    }

    /// @return payload bytes in its buffers and on the links to it, counted one by one
    uint64_t InFlightPayload() const;

    /**
     * Checks FC-17: the identities of FC-5, one list per queue, one flow per id, counters against
     * contents.
     *
     * @throws std::logic_error with a sentence that says what is wrong
     */
    void CheckInvariants() const;

    /// @return whether no frame, flow channel or ACK is left
    bool IsEmpty() const;

    /// @return bytes of memory held, with the object
    std::size_t MemoryBytes() const;

  private:
    /// What an ingress edge port has beyond other inputs.
    struct EdgePort
    {
        Nic& nic;            ///< The host.
        EdgeFlowTable table; ///< EFCT (FC-2).
        Ring<Frame> waiting; ///< EIQ: frames that wait for a flow_id (FC-9).
    };

    // Of both sides of a port, what every hop touches comes first.

    /// Receiving side of a port.
    struct InputPort
    {
        InputLink link;                         ///< What is on the link.
        InputFlowTable flows;                   ///< IFCT and queues.
        uint32_t heldBytes{0};                  ///< In the input buffer.
        uint32_t peakHeldBytes{0};              ///< Most in the input buffer at a time.
        CreditPath credits;                     ///< To the sender.
        std::unique_ptr<EdgePort> edge;         ///< Null if the link comes from a switch.
        std::unique_ptr<PauseController> pause; ///< Null if the sender has credits.
        Transmitter* sender{nullptr};           ///< The other end of the link.
    };

    /// Sending side of a port.
    struct OutputPort
    {
        Transmitter transmitter;          ///< The link.
        uint16_t waiting{0};              ///< Bit mask of lists with queues that wait.
        uint8_t turn{0};                  ///< Channel whose turn it is.
        bool starves{false};              ///< Whether it waits for a credit.
        OutputArbiter* lists{nullptr};    ///< Queues that wait, by channel or by lane.
        std::unique_ptr<PortLanes> lanes; ///< Null if virtual channels have turns.
        Nic* nic{nullptr};                ///< The host, if it is an egress edge port.
        PauseController* pause{nullptr};  ///< Decides what pause frames it sends; null for none.
        AckAggregator acks;               ///< Flows whose ACKs wait.
        OutputFlowTable flows;            ///< OFCT.
        std::array<OutputArbiter, VIRTUAL_CHANNELS> arbiters; ///< Lists by channel.
        Ring<QueueRef> lackingId; ///< Queues that wait for a flow_id of the link.
    };

    /// An input queue with its place looked up, for all that is done with it.
    struct QueuePlace
    {
        QueueRef ref;       ///< Its name.
        InputPort& input;   ///< Where it is.
        InputQueue& queue;  ///< The queue.
        FlowRecord* record; ///< Of its flow channel; null for a virtual output queue.
    };

    // Windows: fabric-switch-chip.cc.

    /// Handles everything before `until`, in which no setting changes.
    void Run(TimePs from, TimePs until);
    /// Does what an entry of the agenda asks for (see Agenda::EntryOf()).
    inline void Handle(uint32_t entry, TimePs now);

    /// Removes the first entry of an input link's ring and plans the next one.
    template <typename Entry>
    void PopEntry(Ring<Entry>& ring, Task task, uint32_t port)
    {
        ring.Pop();
        const TimePs next = ring.IsEmpty() ? NEVER : ring.Front().time;
        const uint32_t entry = m_agenda.EntryOf(task, port);
        m_agenda.Move(entry, next);
        if (next < m_until)
        {
            m_calendar->Add(entry, next);
        }
    }

    /// Plans a decision of an output, unless an earlier one is planned.
    void PlanDecision(uint32_t port, TimePs time)
    {
        if (time < m_agenda.At(m_agenda.EntryOf(Task::DECIDE, port)))
        {
            BringForward(port, time);
        }
    }

    /// A decision of an output comes earlier than planned.
    void BringForward(uint32_t port, TimePs time);

    // What is declared inline is so because it has one caller, in the hot path of a hop.

    // The way of a frame into its queue: fabric-switch-receive.cc.

    /// The first frame of an input link takes effect.
    void TakeFrameIn(uint32_t port, TimePs now);
    /// A frame has arrived.
    inline void Receive(uint32_t port, const Frame& frame, TimePs now);
    /// A frame from a host has arrived: finds its flow channel, or lets it wait for one.
    void Admit(uint32_t port, const Frame& frame, TimePs now);
    /// @return whether the frame had to wait for a flow_id no longer and has joined its queue
    bool TryAdmit(uint32_t port, Frame frame, TimePs now);
    /// A frame of a host begins to wait for a flow_id.
    void LetWait(uint32_t port, const Frame& frame, TimePs now);
    /// Frames of a host that waited for a flow_id go on, as far as there are ids.
    void AdmitWaiting(uint32_t port, TimePs now);
    /// A frame joins the queue of its flow channel.
    void JoinFlow(uint32_t port, const Frame& frame, TimePs now);
    /// A frame without flow joins its virtual output queue.
    void JoinVirtualOutputQueue(uint32_t port, const Frame& frame, TimePs now);
    /// A frame joins a queue.
    inline void Join(const QueuePlace& place, const Frame& frame, TimePs now);
    /// A queue that holds frames and is not in its output's list gets there if it may be served.
    void List(const QueuePlace& place, TimePs now);
    /// @return output for a frame, or NO_OUTPUT
    uint16_t ChooseOutput(const Frame& frame, bool ordered);
    /// A frame leaves the switch for nowhere.
    void Drop(uint32_t port, const Frame& frame, DropCause cause, TimePs now);

    // The way of a frame out of its queue: fabric-switch-send.cc.

    /// An output decides what to send.
    void Decide(uint32_t port, TimePs now);
    /// @return the queue whose frame is to be sent now, NO_QUEUE for none
    inline QueueRef ReadyQueue(OutputPort& output, TimePs now);
    /// Not inline, so that ReadyQueue() stays so. @return the queue that the arbiter of lanes has
    /// chosen, NO_QUEUE for none
    [[gnu::noinline]] QueueRef ReadyLane(OutputPort& output, TimePs now);
    /// @return the queue whose turn it is in a list, NO_QUEUE for none
    inline QueueRef NextQueue(OutputPort& output, uint32_t list, TimePs now);

    /// @return whether the receiver has room for a queue's first frame
    bool HasCredit(OutputPort& output, const QueuePlace& place, TimePs now)
    {
        const uint32_t bytes = WireBytes(m_frames.At(place.queue.head).payload);
        return output.transmitter.Credits().CanSendAt(place.queue.vc, bytes, now);
    }

    /// @return whether a listed queue may send: its flow has headroom, and an id on the outgoing
    /// link
    inline bool MayServe(OutputPort& output, const QueuePlace& place, TimePs now);
    /// The frame that the arbiter of lanes has chosen starts.
    inline void BeginLane(uint32_t port, Frame& frame, TimePs now);
    /// Sends the first frame of a queue.
    inline void SendFrame(uint32_t port, const QueuePlace& place, TimePs now);
    /// Takes the first frame out of its queue; the record counts it as sent.
    inline Frame TakeFrame(const QueuePlace& place, TimePs now);
    /// The turn of an output passes on.
    inline void PassTurn(OutputPort& output, const QueuePlace& place);
    /// An output has nothing that can go now: plans the next decision.
    void PlanRetry(uint32_t port);

    // Virtual lanes: fabric-switch-lanes.cc.

    /// An output begins to arbitrate between lanes, if there is a table.
    void MakeLanes(uint32_t port);
    /// @return settings of the arbiter of an output
    VlArbiterSettings ArbiterSettings(uint32_t port) const;

    /// @return the lane in which a queue with frames waits
    uint8_t LaneOf(const QueuePlace& place) const
    {
        const uint8_t trafficClass = m_frames.At(place.queue.head).trafficClass;
        if (place.record)
        {
            return LaneOfFlow(trafficClass, place.record->src, place.record->dst);
        }
        // Frames of one virtual output queue stay in their order, so they have one lane.
        return LaneOfFlow(trafficClass, place.ref.input, place.queue.output);
    }

    /// The lane table has changed.
    void ApplyLaneTable(TimePs now);
    /// The queues that wait for an output do so in the lanes of a new table.
    void RelistByLane(OutputPort& output, TimePs now);

    // Pauses of hosts: fabric-switch-pause.cc.

    /// Decides what keeps a host from overrunning the buffer.
    void SetEdgeFlowControl(uint32_t port, Nic& nic, LinkRate rate, TimePs delay);
    /// @return whether a pause frame was due and is sent
    bool SendPause(uint32_t port, TimePs now);
    /// Counts a frame into an input buffer whose host is paused.
    void HoldPausing(uint32_t port, const Frame& frame, TimePs now);
    /// Counts a frame out of an input buffer whose host is paused, when its tail has left.
    void ReleasePausing(uint32_t port, const Frame& frame, TimePs end);
    /// Plans a decision if the host has to be told something.
    void PlanPause(uint32_t port, TimePs now);

    // ACKs on their way upstream: fabric-switch-acks.cc.

    /// The first ACKs of an input link take effect.
    void TakeAcksIn(uint32_t port, TimePs now);
    /// ACKs have arrived at an output's link.
    inline void HandleAcks(uint32_t port, const AckBatch& batch, TimePs now);
    /// Frames of a flow have left the fabric or were lost.
    void Acknowledge(QueueRef ref, uint32_t units, bool lost, TimePs now);
    /// A flow that has nothing under way gives its id on the outgoing link back.
    void ReleaseOutgoing(FlowRecord& record, TimePs now);
    /// An ACK waits to go upstream.
    void QueueAck(uint32_t port, FlowId flow, FlowRecord& record, TimePs now);
    /// Sends ACKs that wait.
    void SendAcks(uint32_t port, TimePs now);
    /// @return the record's next ACK, taken from it
    static Ack TakeAck(FlowId flow, FlowRecord& record);

    /// @return whether an output has anything to send
    static bool HasWork(const OutputPort& output)
    {
        return output.waiting != 0 || !output.acks.IsEmpty();
    }

    /// @return the queue with its place
    QueuePlace Find(QueueRef ref)
    {
        InputPort& input = m_inputs[ref.input];
        if (InputFlowTable::IsFlow(ref.queue))
        {
            FlowRecord& record = input.flows.At(ref.queue);
            return {ref, input, record.queue, &record};
        }
        return {ref, input, input.flows.Queue(ref.queue), nullptr};
    }

    /// @return what finds queues, for the lists of an output
    auto Queues()
    {
        return [this](QueueRef ref) -> InputQueue& {
            return m_inputs[ref.input].flows.Queue(ref.queue);
        };
    }

    /// @return room left in an input buffer, bytes
    uint32_t FreeBytes(const InputPort& input) const
    {
        return m_config.buffer.totalBytes - input.heldBytes;
    }

    /// Counts a frame's bytes into an input buffer.
    void Hold(InputPort& input, uint32_t bytes)
    {
        input.heldBytes += bytes;
        input.peakHeldBytes = std::max(input.peakHeldBytes, input.heldBytes);
        m_counts.heldBytes += bytes;
        m_counts.peakHeldBytes = std::max(m_counts.peakHeldBytes, m_counts.heldBytes);
    }

    /// Gives the room of a frame back to its sender.
    void Release(InputPort& input, uint32_t vc, uint32_t bytes, TimePs end)
    {
        input.heldBytes -= bytes;
        m_counts.heldBytes -= bytes;
        input.credits.Return(vc, bytes, end, m_now);
    }

    /// @return timing of a link toward this switch, whose look-ahead follows from it
    LinkTiming ReceiveTiming(TimePs delay);

    // Memory fetched ahead: fabric-switch-fetch.cc.

    void FetchPorts() const;      ///< Step PORTS of Fetch().
    void FetchLinks() const;      ///< Step LINKS of Fetch().
    void FetchNeighbours() const; ///< Step NEIGHBOURS of Fetch().

    // Checks, which no run needs but every run can ask for: fabric-switch-checks.cc.

    void CheckInput(uint32_t port) const;  ///< Part of CheckInvariants().
    void CheckPause(uint32_t port) const;  ///< Part of CheckInvariants().
    void CheckOutput(uint32_t port) const; ///< Part of CheckInvariants().
    void CheckLists(uint32_t port) const;  ///< Part of CheckInvariants().
    /// @return payload bytes of a queue
    uint64_t QueuePayload(const InputQueue& queue) const;

    static constexpr uint16_t NO_OUTPUT = 0xFFFF;    ///< No port leads there.
    static constexpr uint32_t NO_LIMIT = 0x7FFFFFFF; ///< Room of a receiver that takes everything.

    SwitchConfig m_config;                           ///< Settings.
    Agenda m_agenda;                                 ///< What to do when.
    std::shared_ptr<Calendar> m_calendar;            ///< What to do in this window.
    TimePs m_now{0};                                 ///< Simulation time, ps.
    TimePs m_until{0};                               ///< End of this window, ps.
    std::vector<InputPort> m_inputs;                 ///< By port.
    std::vector<OutputPort> m_outputs;               ///< By port.
    std::vector<uint32_t> m_queuedBytes;             ///< By output: bytes that wait for it.
    FramePool m_frames;                              ///< In the input buffers.
    HopMeter m_meter;                                ///< Hop credits.
    Routing m_routing;                               ///< Which ports lead where.
    std::minstd_rand m_random;                       ///< Chooses between equally loaded outputs.
    SwitchObserver* m_observer{nullptr};             ///< Sees what happens.
    std::function<void(const Frame&)> m_dropHandler; ///< Takes what dropped frames carry.
    SwitchCounts m_counts;                           ///< What was done.
    LaneMap m_laneMap;                               ///< Lanes of each class.
    TimePs m_lookahead{NEVER};                       ///< See Lookahead().

    /// A change of settings to come.
    struct Change
    {
        TimePs at;                                ///< When, ps.
        std::function<void(SwitchConfig&)> apply; ///< What.
        bool changesLanes;                        ///< Whether it is the lane table.
    };

    /// Puts a change where its time is.
    void Insert(Change change);

    std::vector<Change> m_changes;        ///< By time.
    std::function<void(TimePs)> m_sample; ///< Called at each sample.
    TimePs m_samplePeriod{0};             ///< Of samples, ps.
    TimePs m_nextSample{NEVER};           ///< Next sample, ps.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_SWITCH_CHIP_H
