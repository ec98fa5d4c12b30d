/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_CHIP_H
#define FABRIC_SWITCH_CHIP_H

#include "fabric-agenda.h"
#include "fabric-calendar.h"
#include "fabric-credit-path.h"
#include "fabric-edge-flow-table.h"
#include "fabric-fetch.h"
#include "fabric-frame-pool.h"
#include "fabric-input-flow-table.h"
#include "fabric-lane-map.h"
#include "fabric-lane-sender.h"
#include "fabric-mailbox.h"
#include "fabric-nic.h"
#include "fabric-output-flow-table.h"
#include "fabric-output-lists.h"
#include "fabric-port-assembly.h"
#include "fabric-port-wire.h"
#include "fabric-reachability.h"
#include "fabric-routing.h"
#include "fabric-switch-config.h"
#include "fabric-switch-observer.h"
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

/// What a switch has done since the start.
struct SwitchCounts
{
    std::array<uint64_t, static_cast<std::size_t>(DropCause::COUNT)> droppedPayload{}; ///< Bytes.
    uint64_t droppedFrames{0}; ///< Frames dropped for any cause.
    uint64_t lostAcks{0};      ///< ACKs that were on a link that failed (WL-8).
    uint64_t heldBytes{0};     ///< Bytes in all input buffers now.
    uint64_t peakHeldBytes{0}; ///< Most bytes in all input buffers at a time.
};

/// Steps in which what a switch needs is fetched; each reads what the one before has fetched.
enum class FetchStep : uint32_t
{
    PORTS,      ///< Ports and agenda.
    LINKS,      ///< What is on the links, and the hosts.
    NEIGHBOURS, ///< Where neighbours are written to, and flows.
    ENGINES,    ///< The engines of the hosts' NICs.
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

    /// @return which ports lead where when all links are up
    const Routing& GetRouting() const
    {
        return m_routing;
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
     * Changes what holds flows back at a given time (DP-6).
     *
     * @param at not before what Advance() has handled, ps
     * @param settings that count from then on
     */
    void ChangeCongestionAt(TimePs at, const CongestionSettings& settings);

    /**
     * Changes the timers of ACKs at a given time (DP-6).
     *
     * @param at not before what Advance() has handled, ps
     * @param timers that count from then on
     */
    void ChangeAckTimersAt(TimePs at, const AckTimers& timers);

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
     * The link at a port fails (WL-8); the other end has to be told too. Without effect on what a
     * switch does before that time. fabric-switch-failure.cc says what happens.
     *
     * @param port with a link, which is up at that time
     * @param at when, not before `known`, ps
     * @param known from when on this switch knows of it: not before what Advance() has handled, ps
     */
    void FailLinkAt(uint32_t port, TimePs at, TimePs known);

    /**
     * The link at a port is repaired; the other end has to be told too. It comes up at that time,
     * or when all that was sent before the failure would have come in, if that is later.
     *
     * @param port whose link is down at that time
     * @param at when, not before what Advance() has handled, ps
     */
    void RepairLinkAt(uint32_t port, TimePs at);

    /**
     * Routing learns which ports lead nowhere.
     *
     * @param at when, not before what Advance() has handled, ps
     * @param ways knows it at that time
     * @param number of this switch there
     */
    void UpdateWaysAt(TimePs at, std::shared_ptr<Reachability> ways, uint32_t number);

    /**
     * @param port number of a port
     * @return whether its link has failed and is not repaired
     */
    bool IsDown(uint32_t port) const
    {
        return m_outputs[port].isDown;
    }

    /**
     * @param port number of a port
     * @return the host there, null for none
     */
    const Nic* Host(uint32_t port) const
    {
        return m_outputs[port].nic;
    }

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
    const LaneSender* Lanes(uint32_t port) const
    {
        return m_outputs[port].lanes;
    }

    /**
     * @param port output port
     * @return what is on its wire; null if no frame is interrupted and no gap filled
     */
    const PortWire* Wire(uint32_t port) const
    {
        return m_outputs[port].wire.get();
    }

    /// @return what marks frames; null if none are marked (RT-14)
    const CongestionMarker* Marker() const
    {
        return m_marker.get();
    }

    /**
     * @param trafficClass of a flow
     * @param src its source
     * @param dst its destination
     * @return the virtual lane of its frames (VA-1); only if there is a lane table
     */
    uint8_t LaneOfFlow(uint8_t trafficClass, LocationId src, LocationId dst) const
    {
        return m_laneMap->LaneOfFlow(trafficClass, src, dst);
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
    struct alignas(CACHE_LINE) InputPort
    {
        InputLink link;            ///< What is on the link.
        InputFlowTable flows;      ///< IFCT and queues.
        uint32_t heldBytes{0};     ///< In the input buffer.
        uint32_t peakHeldBytes{0}; ///< Most in the input buffer at a time.
        bool isCut{false};         ///< Whether what comes in was sent before the link failed.
        bool isOrphaned{false};    ///< Whether its flow channels are those of before the failure.
        CreditPath credits;        ///< To the sender.
        std::unique_ptr<EdgePort> edge;         ///< Null if the link comes from a switch.
        std::unique_ptr<PauseController> pause; ///< Null if the sender has credits.
        Transmitter* sender{nullptr};           ///< The other end of the link.
        std::unique_ptr<PortAssembly> assembly; ///< Null if frames come in one piece.
    };

    /// Sending side of a port.
    struct alignas(CACHE_LINE) OutputPort
    {
        Transmitter transmitter;         ///< The link.
        uint8_t turn{0};                 ///< Channel whose turn it is.
        bool starves{false};             ///< Whether it waits for a credit.
        bool lacksCredit{false};         ///< Whether a queue could not go for want of one.
        bool isDown{false};              ///< Whether its link has failed.
        bool owesGreeting{false};        ///< Whether it greets when no frame is on the wire.
        LaneSender* lanes{nullptr};      ///< Null if virtual channels have turns.
        std::unique_ptr<PortWire> wire;  ///< Null if no frame is interrupted and no gap filled.
        Nic* nic{nullptr};               ///< The host, if it is an egress edge port.
        PauseController* pause{nullptr}; ///< Decides what pause frames it sends; null for none.
        AckAggregator acks;              ///< Flows whose ACKs wait.
        OutputLists lists;               ///< Queues that wait, by channel or by lane.
        OutputFlowTable flows;           ///< OFCT.
        Ring<QueueRef> lackingId;        ///< Queues that wait for a flow_id of the link.
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
    /// @return its output, NO_OUTPUT if it was dropped
    uint16_t JoinFlow(uint32_t port, const Frame& frame, TimePs now);
    /// A frame without flow joins its virtual output queue.
    /// @return its output, NO_OUTPUT if it was dropped
    uint16_t JoinVirtualOutputQueue(uint32_t port, const Frame& frame, TimePs now);
    /// A frame joins a queue.
    inline void Join(const QueuePlace& place, const Frame& frame, TimePs now);
    /// A queue that holds frames and is not in its output's list gets there if it may be served.
    void List(const QueuePlace& place, TimePs now);
    /// Fetches what is touched when a queue's first frame is sent, which is soon.
    inline void FetchSend(const OutputPort& output, const QueuePlace& place) const;
    /// @return output for a frame, or NO_OUTPUT
    uint16_t ChooseOutput(const Frame& frame, bool ordered);
    /// A frame that has just come leaves the switch for nowhere.
    void Drop(uint32_t port, const Frame& frame, DropCause cause, TimePs now);
    /// Counts a frame as dropped, and frees what it carries.
    void CountDrop(uint32_t port, const Frame& frame, DropCause cause, TimePs now);
    /// Counts a frame in the input buffer as dropped, and frees its room.
    void DropHeld(uint32_t port, const Frame& frame, DropCause cause, TimePs now);

    // The way of a frame out of its queue: fabric-switch-send.cc.

    /// An output decides what to send.
    void Decide(uint32_t port, TimePs now);
    /// @return the queue whose frame is to be sent now, NO_QUEUE for none; of the lists that are
    /// candidates
    template <bool ON_WIRE>
    QueueRef ReadyQueue(OutputPort& output, LaneMask candidates, TimePs now);
    /// Between lists: lanes have an arbiter, channels have turns.
    /// @return whether one of the candidates may go
    static inline bool ChooseList(OutputPort& output,
                                  LaneMask candidates,
                                  TimePs now,
                                  uint32_t& list);
    /// @return the queue whose turn it is in a list, NO_QUEUE for none; ON_WIRE: those whose first
    /// frame can't start yet are passed over
    template <bool ON_WIRE>
    QueueRef NextQueue(OutputPort& output, uint32_t list, TimePs now);

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
    [[gnu::always_inline]] inline void BeginLane(uint32_t port, Frame& frame, TimePs now);
    /// Sends the first frame of a queue.
    inline void SendFrame(uint32_t port, const QueuePlace& place, TimePs now);
    /// Takes the first frame out of its queue; the record counts it as sent.
    inline Frame TakeFrame(const QueuePlace& place, TimePs now);
    /// A frame that leaves its queue counts as sent, and is renamed for the outgoing link.
    inline void CountTaken(const QueuePlace& place, Frame& frame, TimePs now);
    /// The turn of an output passes on.
    inline void PassTurn(OutputPort& output, const QueuePlace& place);
    /// An output has nothing that can go now: plans the next decision.
    void PlanRetry(uint32_t port, TimePs now);

    // Frames that are sent in pieces: fabric-switch-wire.cc.

    /// An output's frames can be interrupted from now on, if that is on.
    void MakeWire(uint32_t port);
    /// The table says which lanes may interrupt others.
    static void NoteUrgentLanes(OutputPort& output);
    /// The sender at the other end of an input's link may interrupt frames.
    void MakeAssembly(uint32_t port, LinkRate rate, const PreemptionSettings& settings);
    /// The first entry of an input link takes effect, or a frame that is stored has become whole.
    void TakeEntryIn(uint32_t port, TimePs now);
    /// @return when that is next, ps
    TimePs NextEntryIn(uint32_t port) const;
    /// @return whether a frame that was stored has become whole, and is used
    bool TakeStored(uint32_t port, TimePs now);
    /// A frame starts, stops, goes on or breaks.
    void HandleEntry(uint32_t port, const Frame& entry, TimePs now);
    /// A frame that may come in pieces starts.
    void StartAssembly(uint32_t port, const Frame& frame, TimePs now);
    /// A frame that may come in pieces has arrived.
    /// @return its output, NO_OUTPUT if it was dropped
    uint16_t JoinAssembled(uint32_t port, const Frame& frame, TimePs now);
    /// @return when a queue's first frame can start, NEVER if something has to happen before, ps
    TimePs StartableAt(const OutputPort& output, const QueuePlace& place) const;
    /// @return how a queue's first frame comes in
    FrameArrival ArrivalOf(const QueuePlace& place) const;
    /// @return whether a queue's first frame can't start yet; the queue then waits beside the lists
    bool MustWait(OutputPort& output, const QueuePlace& place, TimePs now);
    /// Queues that waited beside the lists get there if their first frames can start.
    void RelistStartable(OutputPort& output, TimePs now);
    /// An output decides what takes its wire.
    void DecideWire(uint32_t port, TimePs now);
    /// @return the queue whose frame would be the next on the wire, NO_QUEUE for none
    QueueRef NextOnWire(OutputPort& output, TimePs now);
    /// Lets the wire choose, and carries that out.
    WireStep StepWire(uint32_t port, QueueRef next, TimePs now);
    /// Plans the next decision about a wire.
    void PlanWire(uint32_t port, TimePs nextStep, TimePs now);
    /// The first frame of a queue takes the wire.
    void StartFrame(uint32_t port, const QueuePlace& place, TimePs now);
    /// A frame has left the wire, if one has.
    void Leave(uint32_t port, const WireStep& step, TimePs now);
    /// The tail of a frame has left.
    void EndFrame(OutputPort& output, uint8_t lane, TimePs now);
    /// A frame that was partly sent has left the buffer.
    void FreeSent(const PortWire::Sending& sending, TimePs now);
    /// An interrupted frame takes the wire, if one does.
    void GoOn(uint32_t port, const WireStep& step, TimePs now);
    /// The frame on the wire may have passed its bandwidth at a flit (VA-7).
    static void FollowStanding(OutputPort& output, TimePs now);
    /// Frames that are partly sent get the ranks of a new table (VA-11).
    void RerankWire(uint32_t port, TimePs now);
    /// @return bytes on the wire of frames of an input that are partly sent
    uint32_t PartlySentBytes(uint32_t inputPort) const;
    /// @return payload of frames that are partly sent to hosts
    uint64_t PartlyDeliveredPayload() const;

    /// @param visit is called with each frame that is partly sent, and its output
    template <typename Visit>
    void ForEachPartlySent(Visit&& visit) const
    {
        for (const OutputPort& output : m_outputs)
        {
            const PortWire* wire = output.wire.get();
            for (LaneMask open = wire ? wire->wire.OpenLanes() : 0; open != 0; open &= open - 1)
            {
                visit(wire->sending[__builtin_ctz(open)], output);
            }
        }
    }

    // Virtual lanes: fabric-switch-lanes.cc.

    /// An output begins to arbitrate between lanes, if there is a table.
    void MakeLanes(uint32_t port);
    /// @return memory for all outputs
    std::unique_ptr<LineMemory> MakeLaneMemory(const LanePlan& plan) const;
    /// @return settings of the arbiter of an output
    VlArbiterSettings ArbiterSettings(uint32_t port) const;

    /// Says where the frames of a queue wait and by which virtual channel they go.
    void SetChannel(InputQueue& queue, uint8_t trafficClass, LocationId src, LocationId dst) const
    {
        queue.vc = m_config.buffer.vcOfClass[trafficClass] & (VIRTUAL_CHANNELS - 1);
        queue.list =
            m_laneMap ? LaneOfFlow(trafficClass, src, dst) & (DEFAULT_LANES - 1) : queue.vc;
    }

    /// @return what a lane table is for this switch, @throws as CheckLanes()
    std::shared_ptr<LanePlans> PlansFor(const LaneTable& table) const;
    /// A lane table counts from now on.
    void ApplyLanePlans(const std::shared_ptr<LanePlans>& plans, TimePs now);
    /// All queues get the lanes of a new table.
    void ResetChannels();
    /// The queues that wait for an output do so in the lanes of a new table.
    void RelistByLane(OutputPort& output, TimePs now);

    // Links that fail: fabric-switch-failure.cc.

    /// What is known of a link that fails, beside what every frame asks for.
    struct LinkState
    {
        TimePs failedAt{0};     ///< When it failed last, ps.
        bool isRepaired{false}; ///< Whether it was repaired since then.
    };

    /// A link fails.
    void FailLink(uint32_t port, TimePs now);
    /// A link is repaired.
    void RepairLink(uint32_t port, TimePs now);
    /// What was sent before the failure would have come in.
    void EndCut(uint32_t port, TimePs now);
    /// A link may be used again.
    void BringUp(uint32_t port, TimePs now);
    /// The other end is ready to receive.
    void TakeGreeting(uint32_t port, TimePs now);
    /// Tells the other end that this one is ready, if it is.
    void GreetWhenReady(uint32_t port, TimePs now);
    /// @return how long after a failure something that was sent before may come in, ps
    TimePs QuietTime(uint32_t port) const;
    /// @return whether a frame that comes in by a link was cut off by its failure, and so is lost
    bool LoseCutFrame(uint32_t port, const Frame& frame, TimePs now);
    /// The flow channels of an input link tell nobody any more.
    void OrphanInput(uint32_t port);
    /// Forgets the ACKs of a flow channel whose link has failed; frees it if it is over.
    void DiscardAcks(uint32_t port, FlowId flow, FlowRecord& record, TimePs now);
    /// The flow channels of an output link are free; what they had under way is lost.
    void AbandonOutput(uint32_t port, TimePs now);
    /// What waits for ports that lead nowhere goes by others, or is dropped.
    void LeaveDeadEnds(TimePs now);
    /// @return what waits, or is under way, for ports that lead nowhere
    std::vector<QueueRef> FindStranded() const;
    /// Takes the queues that wait for an output out of its lists.
    void Unlist(uint32_t port, std::vector<QueueRef>& queues);
    /// The frames of a flow channel go by another port, now or when none is under way (FC-11).
    void LeavePath(QueueRef ref, TimePs now);
    /// The frames without flow that have no way go by another port.
    void LeaveVirtualOutputQueue(QueueRef ref, TimePs now);
    /// The frames of a flow channel have no way.
    void DropQueue(QueueRef ref, TimePs now);
    /// The queues that Unlist() gave are listed again, as far as they hold frames.
    void Relist(const std::vector<QueueRef>& queues, TimePs now);
    /// @return the first frame of a queue, taken out of it without being sent
    Frame TakeUnsent(InputQueue& queue);

    // Frames in pieces on links that fail: fabric-switch-broken-frames.cc.

    /// The link of an output has failed: what is partly sent is lost.
    void ClearWire(uint32_t port, TimePs now);
    /// The rest of a frame that is partly sent is not sent.
    void BreakOffRun(uint32_t port, uint32_t handle, TimePs now);
    /// The link of an input has failed, and all that was in has taken effect.
    void CutAssembly(uint32_t port, TimePs now);
    /// An entry of the link takes effect that was not in when it failed.
    void LoseCutEntry(uint32_t port, const Frame& entry, TimePs now);
    /// The rest of a frame that is partly in never comes.
    void LoseRest(uint32_t port, uint8_t lane, DropCause cause, TimePs now);
    /// Nobody asks for the rest of a frame that waits.
    /// @return whether more of it was to come
    bool ForgetRest(uint32_t port, uint32_t handle);
    /// The same, of one that was to be used when it is whole.
    void LoseStored(uint32_t port, Frame frame, DropCause cause, TimePs now);
    /// The same, of one that waits.
    void DropBroken(uint32_t port, uint32_t handle, DropCause cause, TimePs now);
    /// @return whether it was one that is partly sent on; it ends there, damaged
    bool EndBroken(uint16_t output, uint32_t handle, TimePs now);
    /// @return the queue of a frame that waits for an output
    QueueRef QueueOf(uint32_t port, const Frame& frame, uint16_t output);

    /// What is known of failed links has changed.
    void NoteFailures()
    {
        m_goesAround = m_deadEnds || m_linksDown != 0;
    }

    /// @return whether a port leads to a destination, as far as this switch knows
    bool LeadsTo(uint32_t port, LocationId dst) const;

    /// @return whether any port leads to a destination, as far as this switch knows
    bool IsReachable(LocationId dst) const
    {
        return m_goesAround ? IsReachableAround(dst) : m_routing.Route(dst).count != 0;
    }

    /// @return the same where not all ports lead to their destinations
    bool IsReachableAround(LocationId dst) const;
    /// @return output for a frame where not all ports lead to their destinations, or NO_OUTPUT
    uint16_t ChooseAround(const Frame& frame, bool ordered);

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
        return output.lists.Waiting() != 0 || !output.acks.IsEmpty();
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

    /// A queue gets into the list of its output.
    void Enlist(OutputPort& output, const QueuePlace& place)
    {
        place.queue.listed = true;
        output.lists.Append(place.queue.list, Queues(), place.ref);
    }

    /// @return room left in an input buffer, bytes
    uint32_t FreeBytes(const InputPort& input) const
    {
        return m_config.buffer.shares.totalBytes - input.heldBytes;
    }

    /// Counts a frame among those that wait for an output, and may mark it.
    void BeginWait(uint32_t output, Frame& frame)
    {
        const uint32_t bytes = WireBytes(frame.payload);
        m_queuedBytes[output] += bytes;
        if (m_marker && m_marker->Join(output, frame.trafficClass, bytes))
        {
            frame.marked = 1;
        }
    }

    /// Counts a frame out of those that wait for an output.
    void EndWait(uint32_t output, const Frame& frame)
    {
        const uint32_t bytes = WireBytes(frame.payload);
        m_queuedBytes[output] -= bytes;
        if (m_marker)
        {
            m_marker->Leave(output, frame.trafficClass, bytes);
        }
    }

    /// Counts a frame's bytes into an input buffer.
    void Hold(InputPort& input, uint32_t bytes)
    {
        input.heldBytes += bytes;
        input.peakHeldBytes = std::max(input.peakHeldBytes, input.heldBytes);
        m_counts.heldBytes += bytes;
        m_counts.peakHeldBytes = std::max(m_counts.peakHeldBytes, m_counts.heldBytes);
    }

    /// Counts a frame's bytes out of an input buffer.
    void CountOut(InputPort& input, uint32_t bytes)
    {
        input.heldBytes -= bytes;
        m_counts.heldBytes -= bytes;
    }

    /// Gives the room of a frame back to its sender.
    void Release(InputPort& input, uint32_t vc, uint32_t bytes, TimePs end)
    {
        CountOut(input, bytes);
        input.credits.Return(vc, bytes, end, m_now);
    }

    /// @return timing of a link toward this switch, whose look-ahead follows from it
    LinkTiming ReceiveTiming(TimePs delay);

    // Memory fetched ahead: fabric-switch-fetch.cc.

    void FetchPorts() const;      ///< Step PORTS of Fetch().
    void FetchLinks() const;      ///< Step LINKS of Fetch().
    void FetchNeighbours() const; ///< Step NEIGHBOURS of Fetch().
    void FetchEngines() const;    ///< Step ENGINES of Fetch().

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
    uint32_t m_tasks{0};                             ///< Tasks that the last window had.
    std::vector<InputPort> m_inputs;                 ///< By port.
    std::vector<OutputPort> m_outputs;               ///< By port.
    std::vector<uint32_t> m_queuedBytes;             ///< By output: bytes that wait for it.
    std::unique_ptr<CongestionMarker> m_marker;      ///< Null if no frame is marked.
    FramePool m_frames;                              ///< In the input buffers.
    HopMeter m_meter;                                ///< Hop credits.
    Routing m_routing;                               ///< Which ports lead where.
    std::minstd_rand m_random;                       ///< Chooses between equally loaded outputs.
    SwitchObserver* m_observer{nullptr};             ///< Sees what happens.
    std::function<void(const Frame&)> m_dropHandler; ///< Takes what dropped frames carry.
    SwitchCounts m_counts;                           ///< What was done.
    std::shared_ptr<LanePlans> m_lanePlans;          ///< Of the lane table; null for none.
    std::unique_ptr<LineMemory> m_laneMemory;        ///< Where the outputs' lanes stand.
    std::vector<LaneSender> m_laneSenders;           ///< Lanes of outputs, in no order.
    const LaneMap* m_laneMap{nullptr};               ///< Lanes of each class, of the plans.
    std::vector<LinkState> m_linkStates;             ///< By port, once a link fails; before, empty.
    std::shared_ptr<const DeadEnds> m_deadEnds;      ///< Ports that lead nowhere; null for none.
    uint32_t m_linksDown{0};                         ///< Links that have failed.
    bool m_goesAround{false};                        ///< Whether any port leads nowhere.
    TimePs m_lookahead{NEVER};                       ///< See Lookahead().

    /// Kinds of what is known ahead, in the order of equal times.
    enum class ChangeKind : uint8_t
    {
        SETTINGS, ///< Settings change.
        END_CUT,  ///< See EndCut().
        REPAIR,   ///< A link is repaired.
        FAIL,     ///< A link fails.
        WAYS,     ///< Routing changes.
        CUT,      ///< See CutAssembly().
    };

    /// What is known ahead; it comes first at its instant (DP-7).
    struct Change
    {
        TimePs at;                         ///< When, ps.
        ChangeKind kind;                   ///< What kind of change.
        uint32_t port;                     ///< Which port; 0 for the whole switch.
        bool wakes;                        ///< Whether it matters though nothing else happens.
        std::function<void(TimePs)> apply; ///< What; its argument is the time, ps.
    };

    /// @return when the first change comes for which lanes or a link may wait though nothing else
    /// happens, NEVER for none, ps
    TimePs NextWakingChange() const;
    /// Puts a change where its time is; of equal ones, by kind and port, the later call comes last.
    void Insert(Change change);

    std::vector<Change> m_changes;        ///< By time.
    std::function<void(TimePs)> m_sample; ///< Called at each sample.
    TimePs m_samplePeriod{0};             ///< Of samples, ps.
    TimePs m_nextSample{NEVER};           ///< Next sample, ps.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_SWITCH_CHIP_H
