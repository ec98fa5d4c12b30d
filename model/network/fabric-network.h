/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NETWORK_H
#define FABRIC_NETWORK_H

#include "fabric-channel.h"
#include "fabric-crew.h"
#include "fabric-lane-table.h"
#include "fabric-notifier.h"
#include "fabric-partition.h"
#include "fabric-payloads.h"
#include "fabric-reductions.h"
#include "fabric-stall.h"
#include "fabric-subnet-manager.h"
#include "fabric-totals.h"
#include "fabric-tree-port.h"
#include "fabric-window-driver.h"
#include "fabric-window-schedule.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace ns3
{

namespace fabric
{
class RankPost;
}

class ErrorModel;
class FabricNetDevice;
class FabricSwitch;
class Node;

/**
 * A fabric: what its switches and devices share.
 *
 * | part           | what it does                                                         |
 * |----------------|----------------------------------------------------------------------|
 * | SubnetManager  | links, their failures and repairs, lane tables                       |
 * | Payloads       | messages and packets under way                                       |
 * | Crew           | threads that run windows of switches beside each other               |
 * | WindowSchedule | starts windows                                                       |
 * | Notifier       | calls devices back in an order that does not depend on the windows   |
 * | RankPost       | what crosses the ranks of ns-3's distributed simulator               |
 * | FabricTotals   | adds up the counters                                                 |
 *
 * Here the parts are put together, the fabric is divided among threads, and the run ended.
 */
class FabricNetwork : public Object
{
  public:
    static TypeId GetTypeId();
    FabricNetwork();
    ~FabricNetwork() override;

    /**
     * To be called before the parts of a large fabric are made: their memory stands in huge pages,
     * if the attribute HugePages says so.
     *
     * @param hosts number of them
     * @param links number of those between switches
     */
    void ExpectSize(std::size_t hosts, std::size_t links) const;

    /**
     * @param fabricSwitch becomes part of the fabric
     * @return its number, from 0
     */
    uint32_t Add(Ptr<FabricSwitch> fabricSwitch);

    /**
     * @param device becomes part of the fabric
     * @return its location, the next free one
     */
    fabric::LocationId Add(Ptr<FabricNetDevice> device);

    /// @return the switches in the order in which they were added
    const std::vector<Ptr<FabricSwitch>>& GetSwitches() const;

    /// @return the devices in the order of their locations, from FIRST_UNICAST on
    const std::vector<Ptr<FabricNetDevice>>& GetDevices() const;

    /// @return whether a device has it
    bool HasEndpoint(fabric::LocationId location) const;

    /**
     * Makes a group of endpoints (FC-16): what a member sends there comes to all others, as one
     * message each, in the order of the member's messages. Switches copy it, and nothing may be
     * lost on the way.
     *
     * @param members locations, at least two, in ascending order
     * @param ports by switch: those of the group's tree, in ascending order; none where it is not
     * @return location of the group
     * @throws std::invalid_argument with a sentence if the fabric may lose frames, or sends them in
     * pieces, lacks virtual channels for the tree, or there are too many groups
     */
    fabric::LocationId AddGroup(std::vector<fabric::LocationId> members,
                                const std::vector<fabric::TreePorts>& ports);

    /**
     * Makes a reduction (SW-14): each member begins operations, switches combine what they send,
     * and results come back. Nothing may be lost on the way.
     *
     * @param members locations, at least one, in ascending order
     * @param tree by switch: its children and ports; no children where the tree is not
     * @return location of the reduction
     * @throws std::invalid_argument with a sentence if the fabric may lose frames, or sends them in
     * pieces, lacks virtual channels for the tree, switches have too few slots, members can't have
     * the same frames, or there are too many reductions
     */
    fabric::LocationId AddReduction(const fabric::ReductionTerms& terms,
                                    std::vector<fabric::LocationId> members,
                                    const std::vector<fabric::ReductionDescriptor>& tree);

    /// @return the reductions
    fabric::Reductions& GetReductions()
    {
        return m_reductions;
    }

    /// @return copies of a member's message that have to be told of before it is over: one of each
    /// other member, of those on another rank one for all
    uint16_t CountCopies(fabric::LocationId group) const;

    /// @return members of a group, in ascending order; none if there is no such group
    const std::vector<fabric::LocationId>& GetMembers(fabric::LocationId group) const;

    /// @return number of groups
    uint32_t GetGroups() const
    {
        return static_cast<uint32_t>(m_groups.size());
    }

    /**
     * @param channel link between switches, becomes part of the fabric
     * @param link its ends
     * @throws std::invalid_argument if its error models are another link's, or the fabric is
     * divided among threads already
     */
    void Add(Ptr<FabricChannel> channel, const fabric::SwitchLink& link);

    /**
     * @param channel link between a switch and a host, becomes part of the fabric
     * @param device the other end
     * @throws std::invalid_argument see above
     */
    void Add(Ptr<FabricChannel> channel, const fabric::SwitchPort& end, FabricNetDevice* device);

    /**
     * To be called when all links exist: slow links are found, and the switches divided among
     * threads.
     *
     * @throws std::invalid_argument if there can be no threads
     */
    void FinishLinks();

    /// @return what manages the links
    fabric::SubnetManager& GetSubnetManager()
    {
        return m_manager;
    }

    /// @return number of threads that run switches: the attribute, or less in a small fabric
    uint32_t GetThreads() const;

    /**
     * What the fabric manager says of virtual lanes, for every port of every switch and the uplink
     * of every host (VA-11), but for devices whose ArbitrateLanes is false (VA-12); may be called
     * in the run, see FabricSwitch::SetLaneTable().
     *
     * @throws std::invalid_argument with a sentence if it is wrong (VA-14), or a switch can't have
     * it
     */
    void SetLaneTable(const fabric::LaneTable& table);

    /**
     * Ends the run: nothing at or after this time is simulated, whatever the windows are.
     *
     * Simulator::Stop() would end it too, but switches may then have run ahead of that time. For
     * the same reason a run that has begun can't be ended earlier than the end of the windows under
     * way; an earlier time is put off until then. A later call replaces an earlier one, and after
     * the end lets the run go on with Simulator::Run().
     *
     * @param time from the start, at least 0
     * @throws std::invalid_argument with a sentence if it is negative
     */
    void StopAt(Time time);

    /// @return whether events have been run, so that switches may be ahead of the present
    static bool HasBegun();

    /// @return time of StopAt(), fabric::NEVER if it was not called, ps
    fabric::TimePs GetHorizon() const
    {
        return m_limits.horizon;
    }

    /// @return the node of a switch of each rank, by rank, for a fabric::RankLink @throws
    /// std::invalid_argument if a rank has none
    std::vector<Ptr<Node>> FindDoors() const;

    /// @return how far a switch may run; not at all if another rank runs its node
    const fabric::RunLimits& GetRunLimits(Ptr<const Node> node) const;

    /// @return whether another rank runs a node, and this one knows it only by name
    static bool IsElsewhere(Ptr<const Node> node);

    /// @return what is wrong with a call for a node that another rank runs, for a sentence
    static std::string DescribeElsewhere(Ptr<const Node> node);

    /// @return the messages under way
    fabric::MessageTable& GetMessages()
    {
        return m_payloads.Messages();
    }

    /// @return the users' packets under way
    fabric::PacketTable& GetPackets()
    {
        return m_payloads.Packets();
    }

    /**
     * @param location of a sender
     * @return packets of the reliable transport, see Payloads::TransportOf(); whoever has read one
     * calls ForgetFrame()
     */
    fabric::TransportTable& GetTransportPackets(fabric::LocationId location)
    {
        return m_payloads.TransportOf(location);
    }

    /// @param location of a sender @return see Payloads::HopsOf()
    fabric::HopTable* GetHopStacks(fabric::LocationId location)
    {
        return m_payloads.HopsOf(location);
    }

    /// @return starts the windows of the switches
    fabric::WindowSchedule& GetWindows()
    {
        return m_windows;
    }

    /// @return runs windows beside each other
    fabric::Crew& GetCrew()
    {
        return m_crew;
    }

    /**
     * A device has to be called.
     *
     * @param at when the frame is complete, ps
     * @param device that receives it
     * @param frame the last one of its message, or one with a packet
     */
    void Notify(fabric::TimePs at, FabricNetDevice* device, const fabric::Frame& frame);

    /**
     * A frame was damaged or has no route: frees what it carries. A message of which a part is lost
     * is never delivered.
     *
     * @param part of the fabric, in which that happened
     */
    void ForgetFrame(const fabric::Frame& frame, uint32_t part);

    /// A message was delivered to all who get it, and is forgotten. @param handle of it
    void EndMessage(uint32_t handle);

    /**
     * Nothing of a message is under way any more, and a part of it is lost.
     *
     * @param handle of the message
     * @param part of the fabric, in which that happened
     */
    void ForgetMessage(uint32_t handle, uint32_t part);

    /// Adds up the counters, of this rank if there are several. At the end of a run they stand for
    /// that time, after Simulator::Destroy() too; in the run they may be ahead of it by a window.
    FabricTotals GetTotals() const;

    /// Adds up the counters of all ranks, which all have to call it, when the simulation is over.
    FabricTotals GetTotalsOfRanks() const;

    /**
     * Checks the tables of all switches, that what was offered was delivered or dropped or is in
     * flight, and that there is no deadlock (FindStall()). On several ranks all have to call it,
     * when the simulation is over.
     *
     * @throws std::logic_error with a sentence that names the switch
     */
    void CheckInvariants() const;

    /**
     * Tells why nothing moves any more though something has not arrived: after Simulator::Run(), or
     * in the run. Only what goes on by itself counts as moving: a link that is to be repaired does;
     * an application that will send does not, nor do pauses between switches that are repeated.
     *
     * A deadlock that nobody has asked for is told on standard error by Simulator::Destroy().
     *
     * On several ranks all have to call it, when the simulation is over, and nobody tells of a
     * deadlock by itself.
     *
     * @return what holds frames up; nothing if a frame moves or all have arrived
     */
    std::optional<fabric::Stall> FindStall() const;

    /// @return whether no message, packet, frame, flow channel or ACK is left
    bool IsEmpty() const;

    /// The simulation is over: tells of a deadlock on standard error, once; called by devices and
    /// switches before they are disposed of, while all of the fabric is still there.
    void TellEnd();

    /**
     * Tells who listens that a message was delivered; called by the devices.
     *
     * @param now time of its last byte
     */
    void NotifyDelivered(const fabric::Message& message, Time now);

    /**
     * Tells who listens that a member has a result of a reduction; called by the devices.
     *
     * @param now time of its last byte
     */
    void NotifyReduced(const fabric::ReductionResult& result, Time now);

    /**
     * TracedCallback signature for results of reductions.
     *
     * @param [in] result what a member is told
     * @param [in] now time of its last byte
     */
    typedef void (*ReductionTracedCallback)(const fabric::ReductionResult& result, Time now);

    /**
     * TracedCallback signature for messages.
     *
     * @param [in] message the message
     * @param [in] now time of its last byte
     */
    typedef void (*MessageTracedCallback)(const fabric::Message& message, Time now);

    /**
     * TracedCallback signature for messages that are lost.
     *
     * @param [in] message the message
     */
    typedef void (*LostMessageTracedCallback)(const fabric::Message& message);

  protected:
    void DoDispose() override;

  private:
    /// The time of StopAt() has come.
    void End();
    /// Refuses groups where their frames may be lost or go in pieces.
    /// @param what can't be made, for the sentence
    void RequireWayForGroups(const std::string& what) const;
    /// Refuses groups where hosts have larger frames than switches take. @param where what can't be
    /// made, for the sentence @param maxFrameBytes largest frame that a switch takes, bytes
    void RequireFramesFit(const std::string& where, uint32_t maxFrameBytes) const;
    /// Refuses a tree for which a switch of it lacks virtual channels. @param ports by switch
    void RequireChannels(const std::vector<fabric::TreePorts>& ports) const;
    /// Refuses a reduction for which switches or members have no room. See AddReduction().
    void RequireRoomForReduction(const fabric::ReductionTerms& terms,
                                 const std::vector<fabric::LocationId>& members,
                                 const std::vector<fabric::ReductionDescriptor>& tree) const;
    /// Notes the error models of a link; they must not be another's.
    void AddErrorModels(Ptr<FabricChannel> channel);
    /// The switches of a part, of which one runs at a time, get one calendar.
    void ShareCalendars();
    /// Switches whose settings want it tell each other of loads from now on.
    void TellLoads();
    /// @return the hosts of each switch as a group
    std::shared_ptr<const fabric::DestinationGroups> MakeDestinationGroups() const;
    /// Divides the switches among threads.
    void Divide(uint32_t threads);
    /// Puts this rank's part of the fabric together with those of others.
    void JoinRanks();
    /// Refuses what can't be on several ranks.
    void RequireWayForRanks() const;
    /// @return which rank runs each host, by location
    std::vector<uint32_t> FindRanksOfHosts() const;
    /// @return which ranks run some hosts
    fabric::MemberRanks FindRanksOf(const std::vector<fabric::LocationId>& members) const;
    /// What leaves this rank by a link goes into the post.
    void DivertToRanks();
    /// @return what matters for dividing
    fabric::SwitchGraph MakeGraph() const;
    /// Does what windows wanted that were run beside others.
    void Settle(const fabric::WindowJournal& journal);
    /// Tells who listens that a message is lost, of which nothing is under way any more.
    void TellLost(const fabric::Message& message);
    /// Nothing of a message is under way: its sender's queue may have nothing left to do.
    void TellSender(const fabric::Message& message);
    uint32_t m_threads;                                    ///< Number of threads asked for.
    Time m_leastThreadedWork;                              ///< For which threads are woken.
    bool m_hugePages;                                      ///< Whether memory is asked for in them.
    fabric::SubnetSettings m_subnet;                       ///< Of the manager.
    fabric::RunLimits m_limits;                            ///< How far switches may run.
    fabric::RunLimits m_elsewhere{true, 0};                ///< Of those of other ranks: not at all.
    EventId m_end;                                         ///< Ends the run.
    std::vector<Ptr<FabricSwitch>> m_switches;             ///< All of them.
    std::vector<Ptr<FabricNetDevice>> m_devices;           ///< By location.
    std::vector<std::vector<fabric::LocationId>> m_groups; ///< Members, from FIRST_GROUP on.
    fabric::Reductions m_reductions;                       ///< All of them.
    std::set<Ptr<ErrorModel>> m_errorModels;  ///< Those of the links, to be looked up only.
    fabric::SubnetManager m_manager;          ///< Manages the links.
    fabric::Payloads m_payloads;              ///< Under way.
    fabric::Crew m_crew;                      ///< Runs the switches' windows.
    fabric::WindowSchedule m_windows;         ///< Starts the switches' windows.
    fabric::Notifier m_notifier;              ///< Calls devices back.
    std::unique_ptr<fabric::RankPost> m_post; ///< To other ranks; null if there are none.
    TracedCallback<const fabric::Message&, Time> m_deliveredTrace;       ///< Messages delivered.
    TracedCallback<const fabric::Message&> m_lostTrace;                  ///< Messages lost.
    TracedCallback<const fabric::ReductionResult&, Time> m_reducedTrace; ///< Results.
    bool m_tellsEnd{false};                  ///< It was installed, and TellEnd() not called yet.
    std::optional<fabric::TimePs> m_endedAt; ///< When TellEnd() was called, ps.
};

} // namespace ns3

#endif // FABRIC_NETWORK_H
