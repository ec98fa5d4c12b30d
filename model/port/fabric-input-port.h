/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INPUT_PORT_H
#define FABRIC_INPUT_PORT_H

#include "fabric-contained-port.h"
#include "fabric-credit-path.h"
#include "fabric-credit-return.h"
#include "fabric-edge-flow-table.h"
#include "fabric-empty-path.h"
#include "fabric-fgfc-teller.h"
#include "fabric-ingress-arbiter.h"
#include "fabric-input-flow-table.h"
#include "fabric-input-link.h"
#include "fabric-pause-controller.h"
#include "fabric-port-assembly.h"
#include "fabric-ring.h"
#include "fabric-transmitter.h"

#include <memory>

namespace ns3::fabric
{

class Nic;

/// What an ingress edge port has beyond other inputs.
struct EdgePort
{
    Nic& nic;                         ///< The host.
    EdgeFlowTable table;              ///< EFCT (FC-2).
    Ring<Frame> waiting;              ///< EIQ: frames that wait for a flow_id (FC-9).
    std::unique_ptr<FgfcTeller> fgfc; ///< Null if no flow of the host is ever restrained.
    std::unique_ptr<IngressArbiter>
        turns{}; ///< Null if what the host has in the fabric is not limited.
};

/// Receiving side of a port. What every hop touches comes first.
struct alignas(CACHE_LINE) InputPort
{
    /// What makes the way of frames unusual; bits of `unusual`.
    enum Unusual : uint8_t
    {
        IN_PIECES = 1,      ///< Frames may come in pieces: `assembly`.
        PAUSES_SENDER = 2,  ///< The sender has no credits, but is paused: `pause`.
        TELLS_CREDITS = 4,  ///< Credits go back in frames: `creditReturn`.
        HAS_LOSSY = 8,      ///< Some classes are lossy.
        HAS_GROUPS = 16,    ///< Frames to groups may come, and leave as copies.
        LIMITS_FRAMES = 32, ///< Frames have a largest size: `contained`.
    };

    InputLink link;                 ///< What is on the link.
    InputFlowTable flows;           ///< IFCT and queues.
    uint32_t heldBytes{0};          ///< In the input buffer.
    uint32_t peakHeldBytes{0};      ///< Most in the input buffer at a time.
    uint8_t unusual{0};             ///< Sum of Unusual.
    bool isOrphaned{false};         ///< Whether its flow channels are those of before a failure.
    CreditPath credits;             ///< To the sender.
    std::unique_ptr<EdgePort> edge; ///< Null if the link comes from a switch.

    /// Bytes that a hop touches, as a rule: up to here.
    static constexpr std::size_t HOT = 4 * CACHE_LINE;

    std::unique_ptr<PauseController> pause; ///< Null if the sender has credits.
    /// Null if credits take no frames.
    std::unique_ptr<CreditReturn> creditReturn;
    Transmitter* sender{nullptr};             ///< The other end of the link.
    std::unique_ptr<PortAssembly> assembly;   ///< Null if frames come in one piece.
    std::unique_ptr<ContainedPort> contained; ///< Null if frames of any size are taken.

    /**
     * @param what kinds of the unusual, a sum
     * @return whether it is any of them
     */
    bool Is(uint8_t what) const
    {
        return (unusual & what) != 0;
    }

    /// @return when a frame that comes in here may be sent on
    Handover HandsOver() const
    {
        if (assembly)
        {
            return assembly->storesFrames ? Handover::TAIL : Handover::PACED;
        }
        return sender->Timing().storeAndForward ? Handover::TAIL : Handover::HEAD;
    }

    /// @return see SwitchChip::FirstBitIn()
    TimePs FirstBitIn(const Frame& frame) const
    {
        if (assembly && assembly->storesFrames)
        {
            return assembly->frames[frame.lane].time - sender->Timing().dataLatency;
        }
        const TimePs in = frame.time - sender->Timing().dataLatency;
        const bool isTail = HandsOver() == Handover::TAIL;
        return isTail ? in - sender->Rate().TxTime(WireBytes(frame.payload)) : in;
    }

    /// @return see SwitchChip::OldestFirstBitIn()
    TimePs OldestFirstBitIn() const
    {
        const TimePs head = assembly ? assembly->OldestHead() : NEVER;
        return head == NEVER ? NEVER : head - sender->Timing().dataLatency;
    }
};

static_assert(sizeof(InputPort) == 5 * CACHE_LINE, "a feature that is off takes a pointer");

} // namespace ns3::fabric

#endif // FABRIC_INPUT_PORT_H
