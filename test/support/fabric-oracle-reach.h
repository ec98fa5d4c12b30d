/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_REACH_H
#define FABRIC_ORACLE_REACH_H

#include "fabric-link-errors.h"
#include "fabric-oracle-queue.h"

#include <cstdint>
#include <functional>
#include <map>

namespace ns3::fabric
{

/// What a switch of FlowOracle did with a frame.
enum class OracleDeed
{
    ARRIVED, ///< It came in.
    JOINED,  ///< It joined the queue of its flow channel.
    SENT,    ///< It was sent.
    DAMAGED, ///< It was dropped, since it was damaged on its link.
    NO_WAY,  ///< It was dropped, since no port leads on.
    CUT_OFF, ///< It was lost on a link that failed.
    TOLD,    ///< None: an ACK was sent.
    ORDERED, ///< None: a host was told of a flow.
};

/// Something that a switch of FlowOracle does.
struct OracleSight
{
    OracleDeed deed;                   ///< What.
    uint32_t port;                     ///< Where.
    const OracleFrame* frame{nullptr}; ///< With which frame, null for none.
    const OracleQueue* queue{nullptr}; ///< Its flow channel's, null for none.
    const OraclePath* way{nullptr};    ///< Way of that by which it is sent, null for none.
    const OracleAck* ack{nullptr};     ///< What is told upstream, null for nothing.
    const OracleOrder* order{nullptr}; ///< What a host is told, null for nothing.
};

/// Is called with what is done.
using OracleWatcher = std::function<void(const OracleSight&)>;

/// How often a switch of FlowOracle met what does not happen by itself, so that a test can tell
/// whether its scenarios reach it.
struct OracleReach
{
    uint64_t waitsAtEdge{0};   ///< Frames of hosts that waited for a flow_id (FC-9).
    uint64_t waitsForId{0};    ///< Times that a flow waited for one of an outgoing link.
    uint64_t waitsForRoom{0};  ///< Looks of outputs that nothing could go for want of room.
    uint64_t meteringBegun{0}; ///< Times that a flow passed its target watermark (CM-5).
    uint64_t holds{0};         ///< Frames after which a flow was out of headroom.
    uint64_t fullAckFrames{0}; ///< ACK frames with no room for more.
    uint64_t lostFrames{0};    ///< Frames that did not go on.
    std::map<OracleDeed, uint64_t> lostBytes; ///< Their payload, by why.
    uint64_t lostAcks{0};                     ///< ACKs that were.
    uint64_t pathsLeft{0};      ///< Times that a flow had to wait before it could leave its path.
    uint64_t slowPaths{0};      ///< Flows of hosts that were to leave slow paths (CM-9).
    uint64_t greetings{0};      ///< Links that came up again.
    ErrorCounts retry;          ///< What links repeated.
    uint64_t replayWaits{0};    ///< Frames for which a replay buffer had no room.
    uint64_t creditFrames{0};   ///< Credit frames sent.
    uint64_t told{0};           ///< ACKs that told a severity (CM-2).
    uint64_t persistent{0};     ///< ACKs that said that congestion lasts.
    uint64_t cleared{0};        ///< Severities that a normal ACK has cleared.
    uint64_t overLimit{0};      ///< Frames after which a flow was over its limit (CM-6).
    uint64_t paced{0};          ///< Times that a flow had to wait for its time (CM-7).
    uint64_t pacesAtAck{0};     ///< Times that came at the instant of an ACK frame.
    uint64_t startsLater{0};    ///< Flows that had to wait for others to hear (CM-6).
    uint64_t fullHosts{0};      ///< Times that a host's frame would have passed a limit (CM-8).
    uint64_t turnsBack{0};      ///< Turns that flows could not use any more.
    uint64_t restedIds{0};      ///< flow_ids of flows without turn that were given back.
    uint64_t lackedIds{0};      ///< Waits for flow_ids that ended with a turn.
    uint64_t startsNever{0};    ///< Of these, those whose frames were lost first.
    uint64_t orders{0};         ///< Times that hosts were told of flows (CM-4).
    uint64_t repeatedOrders{0}; ///< Of these, when there was nothing new.
    uint64_t creditOrders{0};   ///< Of these, those that gave credit.
    uint64_t freeOrders{0};     ///< Of these, those that ended a restraint.
    uint64_t expiredOrders{0};  ///< Flows that waited until their time was over.

    // Of flows that take several ways at a time.

    uint64_t waysBeside{0};    ///< Frames that joined a way of a flow that had others.
    uint64_t dryWays{0};       ///< Ways that were not chosen, since others had headroom.
    uint64_t waysAgain{0};     ///< Ways that began by an output by which another one had ended.
    uint64_t cutWays{0};       ///< Ways whose links failed while frames waited.
    uint64_t strandedWays{0};  ///< Ways that led nowhere any more else, while frames waited.
    uint64_t wayUnits{0};      ///< Units under way by ways whose links failed.
    uint64_t pacedWays{0};     ///< Flows that were paced while they had several ways.
    uint64_t strandedPaces{0}; ///< Flows whose time was looked for by an output that led nowhere.
    uint64_t sharedSources{0}; ///< Queues to a host that were not the only ones of their source.

    /// @return payload of frames that did not go on, for some reason
    uint64_t LostBytes(OracleDeed why) const
    {
        const auto found = lostBytes.find(why);
        return found == lostBytes.end() ? 0 : found->second;
    }

    /// @param other is added
    void Add(const OracleReach& other)
    {
        waitsAtEdge += other.waitsAtEdge;
        waitsForId += other.waitsForId;
        waitsForRoom += other.waitsForRoom;
        meteringBegun += other.meteringBegun;
        holds += other.holds;
        fullAckFrames += other.fullAckFrames;
        lostFrames += other.lostFrames;
        for (const auto& [why, bytes] : other.lostBytes)
        {
            lostBytes[why] += bytes;
        }
        lostAcks += other.lostAcks;
        pathsLeft += other.pathsLeft;
        slowPaths += other.slowPaths;
        greetings += other.greetings;
        replayWaits += other.replayWaits;
        creditFrames += other.creditFrames;
        retry.Add(other.retry);
        told += other.told;
        persistent += other.persistent;
        cleared += other.cleared;
        overLimit += other.overLimit;
        paced += other.paced;
        pacesAtAck += other.pacesAtAck;
        startsLater += other.startsLater;
        fullHosts += other.fullHosts;
        turnsBack += other.turnsBack;
        restedIds += other.restedIds;
        lackedIds += other.lackedIds;
        startsNever += other.startsNever;
        orders += other.orders;
        repeatedOrders += other.repeatedOrders;
        creditOrders += other.creditOrders;
        freeOrders += other.freeOrders;
        expiredOrders += other.expiredOrders;
        waysBeside += other.waysBeside;
        dryWays += other.dryWays;
        waysAgain += other.waysAgain;
        cutWays += other.cutWays;
        strandedWays += other.strandedWays;
        wayUnits += other.wayUnits;
        strandedPaces += other.strandedPaces;
        pacedWays += other.pacedWays;
        sharedSources += other.sharedSources;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_REACH_H
