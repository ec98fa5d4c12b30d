/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_CHIP_H
#define FABRIC_SWITCH_CHIP_H

#include "fabric-agenda.h"
#include "fabric-calendar.h"
#include "fabric-empty-path.h"
#include "fabric-fetch-step.h"
#include "fabric-hop-stack.h"
#include "fabric-input-flow-table.h"
#include "fabric-mailbox.h"
#include "fabric-nic.h"
#include "fabric-output-flow-table.h"
#include "fabric-port-wire.h"
#include "fabric-reachability.h"
#include "fabric-routing-rule.h"
#include "fabric-routing.h"
#include "fabric-switch-config.h"
#include "fabric-switch-counts.h"
#include "fabric-switch-observer.h"
#include "fabric-switch-waits.h"
#include "fabric-transmitter.h"
#include "fabric-tree-port.h"
#include "fabric-waiting-queues.h"
#include "fabric-window-grid.h"

#include <functional>
#include <memory>

namespace ns3::fabric
{

class CreditReturn;
class DestinationGroups;
class LoadScale;
class FlowStatistics;
class ReductionOperands;
struct CreditSettings;
struct ReductionDescriptor;
struct SwitchUnits;

/**
 * A switch that simulates itself (DP-1): Advance() handles all that happens in it up to a given
 * time.
 *
 * Frames come by rings of timed entries, one per input link. Each waits in the queue of its flow at
 * the input port, or, if it has no flow, in a virtual output queue there. By default the crossbar
 * is ideal (SW-4): an output takes a frame from any input at any time, so only outputs have to be
 * shared; else it is one of tiles (TileSender). An output that becomes free decides: an ACK frame
 * that is due, else the frame whose turn it is and for which the neighbour has room.
 *
 * SwitchUnits has the parts that do this; here are links, windows and what others may ask.
 */
class alignas(CACHE_LINE) SwitchChip
{
  public:
    explicit SwitchChip(const SwitchConfig& config);
    ~SwitchChip();

    // Neighbours point into it.
    SwitchChip(const SwitchChip&) = delete;
    SwitchChip& operator=(const SwitchChip&) = delete;

    /**
     * Makes one direction of a link between switches; the other needs a call on the peer.
     *
     * @param port of this switch, sends
     * @param peer receives
     * @param delay propagation, 1 ps to 10 s, ps
     * @throws std::invalid_argument if the delay is anything else, or the peer is to pause this
     * switch and its settings could lose a frame
     */
    void ConnectSwitch(uint32_t port,
                       SwitchChip& peer,
                       uint32_t peerPort,
                       LinkRate rate,
                       TimePs delay);

    /**
     * Makes both directions of a link to a host.
     *
     * @param delay propagation, 1 ps to 10 s, ps
     * @throws std::invalid_argument if the delay is anything else, or the room reserved for a
     * virtual channel is too small for a frame of the NIC's MTU, or the host is to be paused and
     * the settings could lose a frame
     */
    void ConnectNic(uint32_t port, Nic& nic, LinkRate rate, TimePs delay);

    /// To be called when all links exist: slow inputs learn that they have to store and forward,
    /// and routing learns the rates of outputs.
    void FinishLinks();

    /**
     * @return the longest time from a frame that leaves the queue of a host's flow to the one that
     * fine-grain flow control brings for it, ps; 0 if there is none. On either side a frame may
     * have to end first.
     */
    TimePs HostLoop() const
    {
        return m_hostLoop;
    }

    /**
     * Tells how long a frame is under way at most, where EndpointSettings and RerouteSettings don't
     * say; when all links exist.
     *
     * @param roundTrip as EndpointSettings::roundTrip, above 0, ps
     */
    void SetRoundTrip(TimePs roundTrip);

    /**
     * Outputs write on packets of the transport from now on, where SwitchConfig::hasTelemetry.
     *
     * @param source knows what was written on a packet
     * @param number of the switch
     */
    void BeginTelemetry(HopStackSource& source, uint32_t number);

    /// @return whether loads are to be told by group of destinations
    bool TellsOfGroups() const;

    /**
     * All links are connected: loads are told from now on, if the settings want it.
     *
     * @param groups of destinations that are told apart; not read unless TellsOfGroups()
     * @param scale of loads, the same in all switches
     */
    void TellLoads(std::shared_ptr<const DestinationGroups> groups, const LoadScale& scale);

    /// @return rate of the fastest link to another switch, bit/s; 0 if there is none
    uint64_t FastestToSwitch() const;

    /**
     * Another thread may run the switch at the other end of a link: what leaves by this port goes
     * into a mailbox from now on.
     *
     * @param mailbox for the part of the fabric at the other end
     */
    void Divert(uint32_t port, Mailbox& mailbox);

    /**
     * @param peerPort number of the port at the other end of the link of `port`
     * @return where there all comes in that this switch sends
     */
    LinkEnds EndsBeyond(uint32_t port, uint32_t peerPort);

    /**
     * @param calendar for switches of which one runs at a time, so that it stays in the caches; a
     * switch without has its own
     */
    void ShareCalendar(std::shared_ptr<Calendar> calendar);

    /**
     * @param routing which ports lead where
     * @throws std::invalid_argument with a sentence if the settings can't go with it; see
     * SwitchConfig::ValidateRouting()
     */
    void SetRouting(Routing routing);

    /**
     * Frames to a group leave by these ports, but the one by which they came.
     *
     * @param group location of a group
     * @param ports of its tree, in ascending order
     */
    void SetGroupPorts(LocationId group, TreePorts ports);

    /// @return slots of its reduction engine of which no reduction has any
    uint32_t FreeReductionSlots() const;

    /**
     * The switch is in the tree of a reduction (SW-14).
     *
     * @param descriptor what it does there; its window is not above FreeReductionSlots()
     * @param operands that frames carry; outlive the switch's use
     */
    void AddReduction(const ReductionDescriptor& descriptor, ReductionOperands& operands);

    /// @return which ports lead where when all links are up
    const Routing& GetRouting() const;

    /// @param rule which of these ports a frame may take; a frame that may take none is dropped.
    /// Empty for any
    void SetRoutingRule(RoutingRule rule);

    /// @param observer sees what happens; null for nobody
    void SetObserver(SwitchObserver* observer);

    /// @param handler is given each frame that is dropped; it owns what the frame carries
    void SetDropHandler(std::function<void(const Frame&)> handler);

    /**
     * @param errors of what it sends by the port; null for a clean link without retry
     * @throws std::invalid_argument if the port sends frames in pieces, which no link repeats
     */
    void SetLinkErrors(uint32_t port, LinkErrors* errors);

    /**
     * Credits of a link go back in frames of their own (WL-5): those of the port's input, and of
     * its host if that receives slowly. A host that is paused has none, and gives none; a switch
     * that is paused has none.
     *
     * @param port whose link is connected
     */
    void SetCreditFrames(uint32_t port, const CreditSettings& settings);

    /// The ACKs that come in by a port may be lost: flow channels that stay without are asked for.
    void WatchAcks(uint32_t port);

    /// @return what it has to do when; neighbours write there
    Agenda& GetAgenda()
    {
        return m_agenda;
    }

    /// @return the least time between an outside cause and its effect in this switch (DP-2), ps
    TimePs Lookahead() const
    {
        return m_windows.Length();
    }

    /// @return its windows, which are as long as it can look ahead
    WindowGrid& Windows()
    {
        return m_windows;
    }

    /**
     * Changes what holds flows back at a given time (DP-6).
     *
     * @param at not before what Advance() has handled, ps
     * @param settings that count from then on
     */
    void ChangeCongestionAt(TimePs at, const CongestionSettings& settings);

    /**
     * Changes in which groups flows of hosts are that begin at a given time or later (IF-9).
     *
     * @param at not before what Advance() has handled, ps
     * @throws std::invalid_argument with a sentence if groups of a class change that is not dropped
     * yet, or still has flows here
     */
    void ChangeGroupsAt(TimePs at, const GroupRules& groups);

    /**
     * Changes which classes are dropped where hosts enter the fabric.
     *
     * @param at not before what Advance() has handled, ps
     * @param classes bit mask of them
     * @throws std::invalid_argument if frames to groups pass, none of which may be lost
     */
    void ChangeDiscardsAt(TimePs at, uint16_t classes);

    /// @return flow channels of a traffic class that hosts of this switch have
    uint32_t CountFlows(uint8_t trafficClass) const;

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

    /// @throws std::invalid_argument as ChangeLanesAt()
    void CheckLanes(const LaneTable& table) const;

    /**
     * The link at a port fails (WL-8); the other end has to be told too. Without effect on what a
     * switch does before that time. LinkFailures and LinkStates say what happens.
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
     * A port that a frame over the largest size has blocked works again (SW-15); without effect on
     * others.
     *
     * @param at when, not before what Advance() has handled, ps
     */
    void ResetPortAt(uint32_t port, TimePs at);

    /// @return whether what comes by a port waits for its reset
    bool IsPortBlocked(uint32_t port) const;

    /**
     * Routing learns which ports lead nowhere.
     *
     * @param at when, not before what Advance() has handled, ps
     * @param ways knows it at that time
     */
    void UpdateWaysAt(TimePs at, std::shared_ptr<Reachability> ways, uint32_t number);

    /// @param port of a host, or another @return frames of fine-grain flow control sent to the host
    uint64_t FgfcFramesTo(uint32_t port) const;

    /// @return how often a flow was to leave its path here, since a link was overloaded
    uint64_t FlowMoves() const;

    /// @return how often a flow of a host was to leave its path, since it was slow
    uint64_t SlowPathsLeft() const;

    /// @return whether its link has failed and is not repaired
    bool IsDown(uint32_t port) const;

    /// @return the host there, null for none
    const Nic* Host(uint32_t port) const;

    /**
     * Adds to what takes samples.
     *
     * @param period of samples, the first at one period, ps
     * @param sample is called with the time of each, when all before it has been handled
     */
    void AddSampler(TimePs period, std::function<void(TimePs)> sample);

    /**
     * Makes the samples that are due, though nothing else may have happened.
     *
     * @param until everything before has been handled, ps
     */
    void CatchUp(TimePs until)
    {
        while (m_nextSample < until)
        {
            TakeSamples();
        }
    }

    /**
     * Handles everything before `until`.
     *
     * @param now simulation time; NICs are run up to it, ps
     * @param until at most Lookahead() after now, ps
     * @return see NextTime()
     */
    TimePs Advance(TimePs now, TimePs until);

    /**
     * Fetches memory that the next Advance() needs; nothing changes.
     *
     * @param step which part of it
     */
    void Fetch(FetchStep step) const;

    /// As Fetch(), of the port of the first of a few tasks.
    void FetchFirst() const;

    /// @return when it next has something to do, NEVER for nothing, ps
    TimePs NextTime() const;

    /// @return the settings
    const SwitchConfig& Config() const;

    /// @return what it has done
    const SwitchCounts& Counts() const;

    /// @return its link
    const Transmitter& Output(uint32_t port) const;

    /// @return the other end of its link, null for no link
    const Transmitter* Sender(uint32_t port) const;

    /// @return when a frame that comes in by its link, which there is, may be sent on
    Handover HandoverAt(uint32_t port) const;

    /**
     * @param frame that takes effect at an input port
     * @return when its first bit came in, ps
     */
    TimePs FirstBitIn(uint32_t port, const Frame& frame) const;

    /// @return when the first bit came in of the oldest frame that comes in pieces and is stored
    /// until it is whole, NEVER for none, ps
    TimePs OldestFirstBitIn(uint32_t port) const;

    /// @return its flow channels
    const OutputFlowTable& OutputFlows(uint32_t port) const;

    /// @return its flow channels
    const InputFlowTable& InputFlows(uint32_t port) const;

    /// @return bytes in its buffer
    uint32_t HeldBytes(uint32_t port) const;

    /// @return most bytes that were in its buffer at a time
    uint32_t PeakHeldBytes(uint32_t port) const;

    /// @return what decides about the pauses of who sends to it; null if it gives credits (WL-5)
    const PauseController* Pauses(uint32_t port) const;

    /// @return what its credit frames tell of; null if it has none (WL-5)
    const CreditReturn* CreditsToTell(uint32_t port) const;

    /// @return its virtual lanes; null if it does not arbitrate between them
    const LaneSender* Lanes(uint32_t port) const;

    /// @return what its ports share; null if each input has a buffer of its own
    const SharedMemory* Memory() const;

    /// @return who shapes its traffic; null if nobody does
    const Shaper* GetShaper(uint32_t port) const;

    /// @return what is on its wire; null if no frame is interrupted and no gap filled
    const PortWire* Wire(uint32_t port) const;

    /// @return whether any of its outputs may send a frame in pieces
    bool SendsPieces() const;

    /// @return what its flow channels do; null if nobody wants to know (FC-3)
    FlowStatistics* Statistics();

    /// @copydoc Statistics()
    const FlowStatistics* Statistics() const;

    /// @return what marks frames; null if none are marked (RT-14)
    const CongestionMarker* Marker() const;

    /**
     * @param trafficClass of a flow
     * @param src its source
     * @param dst its destination
     * @return the virtual lane of its frames (VA-1); only if there is a lane table
     */
    uint8_t LaneOfFlow(uint8_t trafficClass, LocationId src, LocationId dst) const;

    /// @return bytes in this switch that wait for it
    uint32_t QueuedBytes(uint32_t port) const;

    /// @return bytes in its output buffer (SW-13); 0 if there are no tiles
    /// @param now not before what Advance() has handled, ps
    uint32_t OutputBufferBytes(uint32_t port, TimePs now) const;

    /// @return payload bytes in its buffers and on the links to it, counted one by one
    uint64_t InFlightPayload() const;

    /**
     * Checks FC-17: the identities of FC-5, one list per queue, one flow per id, counters against
     * contents.
     *
     * @throws std::logic_error with a sentence that says what is wrong
     */
    void CheckInvariants() const;

    /// @return whether no frame, flow channel, ACK, or part of a reduction is left
    bool IsEmpty() const;

    /// @return whether it does nothing any more, but for pauses that are repeated
    bool IsAtRest() const;

    /// @return what its frames wait for when it is at rest
    std::vector<SwitchWait> FindWaits() const;

    /// @return the input queues in which frames wait; see FindWaitingQueues()
    std::vector<WaitingQueue> WaitingQueues() const;

  private:
    /// Something that takes samples.
    struct Sampler
    {
        TimePs period;                      ///< Of its samples, ps.
        TimePs next;                        ///< Its next sample, ps.
        std::function<void(TimePs)> sample; ///< Called at each.
    };

    /// Takes the samples that are next.
    void TakeSamples();
    /// NICs decide everything that falls before a time. @param until ps
    void RunHosts(TimePs until);
    /// Handles everything before `until`, in which no setting changes.
    [[gnu::always_inline]] inline void Run(TimePs from, TimePs until);
    /// What comes first on an input's link takes effect.
    static void TakeFrameIn(SwitchUnits& units, uint32_t port, TimePs now);
    /// A task that is of no port is due. @param entry its number on the agenda
    static void DoOwnTask(SwitchUnits& units, uint32_t entry, TimePs now);
    /// An output decides what to send.
    static void Decide(SwitchUnits& units, uint32_t port, TimePs now);
    /// The switch at the other end of a link pauses this one instead of giving it credits.
    void PauseBySwitch(uint32_t port, SwitchChip& peer, uint32_t peerPort);
    /// @return timing of a link toward this switch, whose look-ahead follows from it
    LinkTiming ReceiveTiming(TimePs delay);

    // What each window reads comes first, so that it is in one line of the cache.
    std::unique_ptr<SwitchUnits> m_units; ///< Its parts.
    Agenda& m_agenda;                     ///< What it has to do when, of the parts.
    WindowGrid m_windows;                 ///< As long as it can look ahead.
    TimePs m_nextSample{NEVER};           ///< Next sample of any of them, ps.
    TimePs m_hostLoop{0};                 ///< See HostLoop().
    std::vector<Sampler> m_samplers;      ///< In the order in which they were added.
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_CHIP_H
