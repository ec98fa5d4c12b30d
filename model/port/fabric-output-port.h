/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OUTPUT_PORT_H
#define FABRIC_OUTPUT_PORT_H

#include "fabric-ack-aggregator.h"
#include "fabric-lane-sender.h"
#include "fabric-obeyed-pauses.h"
#include "fabric-output-flow-table.h"
#include "fabric-output-lists.h"
#include "fabric-port-wire.h"
#include "fabric-ring.h"
#include "fabric-shaper.h"
#include "fabric-transmitter.h"

#include <memory>

namespace ns3::fabric
{

class Nic;

/// Sending side of a port. What every hop touches comes first.
struct alignas(CACHE_LINE) OutputPort
{
    /// What may come before all frames; bits of `speaksFirst`.
    enum FirstWord : uint8_t
    {
        MAY_ALWAYS = 1,  ///< It may have pauses, credits or checks to send, or obeys its host.
        TELLS_FLOWS = 2, ///< It restrains flows of its host.
        PACES_FLOWS = 4, ///< Flows wait for their time to be sent there.
        MAY_BE_OVERLOADED = 8, ///< Flows leave it if it is overloaded.
        TELLS_LOADS = 16,      ///< It tells its neighbour of loads.
    };

    /// What makes the way of frames unusual; bits of `unusual`.
    enum Unusual : uint8_t
    {
        HAS_LANES = 1, ///< An arbiter chooses between its lists: `lanes`.
        IS_SHAPED = 2, ///< A shaper does: `lists.GetShaper()`.
        HAS_TILES = 4, ///< It is behind a crossbar of tiles: SwitchPorts::tiles.
        IN_PIECES = 8, ///< Its frames may go in pieces: `wire`.
    };

    Transmitter transmitter;  ///< The link.
    AckAggregator acks;       ///< Flows whose ACKs wait.
    uint8_t turn{0};          ///< Channel whose turn it is.
    bool lacksCredit{false};  ///< Whether a queue could not go for want of one.
    uint8_t speaksFirst{0};   ///< Sum of FirstWord.
    uint8_t unusual{0};       ///< Sum of Unusual.
    bool losesAcks{false};    ///< Whether ACKs that come in may be lost: see FlowRepair.
    bool owesGreeting{false}; ///< Whether it greets when no frame is on the wire.
    bool lacksIds{false};     ///< Whether queues wait for a flow_id of the link: `lackingId`.
    /// Queues that wait, by channel, by lane or as it is shaped; those of the first channels are in
    /// the third line of the cache, as all that each frame and each ACK touches.
    OutputLists lists;
    Nic* nic{nullptr};     ///< The host, if it is an egress edge port.
    OutputFlowTable flows; ///< OFCT.

    /// Bytes that a hop touches, as a rule: up to here.
    static constexpr std::size_t HOT = 5 * CACHE_LINE;

    std::unique_ptr<ObeyedPauses> obeyed;      ///< Null if nobody may pause it.
    std::unique_ptr<Ring<QueueRef>> lackingId; ///< See CountLackingId(); null until there is one.
    LaneSender* lanes{nullptr};                ///< Null if virtual channels have turns.
    std::unique_ptr<PortWire> wire; ///< Null if no frame is interrupted and no gap filled.

    /**
     * @param what kinds of the unusual, a sum
     * @return whether it is any of them
     */
    bool Is(uint8_t what) const
    {
        return (unusual & what) != 0;
    }

    /// @return whether its lists have no turns, but somebody chooses between them
    bool HasChooser() const
    {
        return Is(HAS_LANES | IS_SHAPED);
    }

    /// @return whether a host is at the other end
    bool IsToHost() const
    {
        return !transmitter.Peer();
    }

    /// @return whether it has anything to send
    bool HasWork() const
    {
        // No ||: either can't be guessed.
        return static_cast<int>(lists.Waiting() != 0) | static_cast<int>(!acks.IsEmpty());
    }

    /// @return number of queues that wait for a flow_id of the link
    uint32_t CountLackingId() const
    {
        return lacksIds ? lackingId->Size() : 0;
    }

    /// @param queue waits for a flow_id of the link no longer
    void RemoveLackingId(QueueRef queue)
    {
        lackingId->Remove([queue](QueueRef ref) { return ref == queue; });
        lacksIds = !lackingId->IsEmpty();
    }

    /// @return the first of these, which waits no longer
    QueueRef TakeLackingId()
    {
        const QueueRef first = lackingId->Front();
        lackingId->Pop();
        lacksIds = !lackingId->IsEmpty();
        return first;
    }

    /// @param queue begins to wait for a flow_id of the link
    void AddLackingId(QueueRef queue)
    {
        if (!lackingId)
        {
            lackingId = std::make_unique<Ring<QueueRef>>();
        }
        lackingId->Push(queue);
        lacksIds = true;
    }

    /// @return whether no frame may start, as it was told by the last decision
    bool IsStopped() const
    {
        return obeyed && obeyed->StopsAll();
    }

    /// @return whether a queue waits for the end of a pause
    bool IsHeld() const
    {
        return obeyed && (!obeyed->waiting.empty() || (obeyed->StopsAll() && lists.Waiting() != 0));
    }

    /// @return when that may be if nothing comes, NEVER if none waits for it, ps
    TimePs EndOfPause() const
    {
        return IsHeld() ? obeyed->NextChange() : NEVER;
    }
};

static_assert(sizeof(OutputPort) == 6 * CACHE_LINE, "a feature that is off takes a pointer");

} // namespace ns3::fabric

#endif // FABRIC_OUTPUT_PORT_H
