/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_UNITS_H
#define FABRIC_SWITCH_UNITS_H

#include "fabric-flow-statistics.h"
#include "fabric-group-frames.h"
#include "fabric-lane-changes.h"
#include "fabric-link-failures.h"
#include "fabric-observer-pair.h"
#include "fabric-reduction-engine.h"
#include "fabric-switch-audit.h"
#include "fabric-switch-prefetch.h"
#include "fabric-tile-sender.h"

#include <memory>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/**
 * The units of a switch (SU-3), each with what it may touch: those above it.
 *
 * A frame goes Receiver, InputBuffers, at the edge IngressEdge, FlowEntry (RoutingFunction,
 * CongestionManagement, OutputLoads), InputQueues, CrossbarArbiter, and leaves by Sender. An ACK
 * goes Acknowledgement, CongestionManagement, CrossbarArbiter, and then AckReturn or IngressEdge
 * (SU-5).
 */
struct SwitchUnits
{
    explicit SwitchUnits(const SwitchConfig& settings);

    /// Fetches what every hop touches.
    void FetchHot() const
    {
        const char* const first = reinterpret_cast<const char*>(&observer);
        FetchMemory(first, reinterpret_cast<const char*>(&routing) - first);
        FetchMemory(&edge, sizeof(IngressEdge));
    }

    /// @return rates of links to other switches, by port, bit/s; 0 where there is none
    std::vector<uint64_t> RatesToSwitches() const;

    /// @param other sees what happens, beside the statistics; null for nobody
    void SetObserver(SwitchObserver* other);

    // Units refer to each other.
    SwitchUnits(const SwitchUnits&) = delete;
    SwitchUnits& operator=(const SwitchUnits&) = delete;

    // What they share.

    SwitchConfig config;             ///< Settings.
    std::vector<InputPort> inputs;   ///< By port.
    std::vector<OutputPort> outputs; ///< By port.
    std::vector<TiledOutput> tiles;  ///< By port; empty if the crossbar is ideal.
    /// Null if each input has a buffer of its own.
    std::unique_ptr<SharedMemory> memory;

    // What every hop touches stands together from here on, to the sender: it is in few lines of the
    // cache.

    alignas(CACHE_LINE) SwitchObserver* observer{nullptr}; ///< Sees what happens; null for nobody.
    FramePool frames;                                      ///< In the input buffers.
    SwitchPorts ports;                                     ///< Both sides of ports, and the frames.
    PlannedChanges changes;                                ///< What is known ahead.
    CrossbarArbiter crossbar;                              ///< Who of those that ask is served.
    SwitchClock clock;                                     ///< What to do when.

    // Units that every hop goes through; they refer to each other. In some what a hop touches comes
    // first, in others last, so that it is beside that of the next one: a window of a paced incast
    // has few tasks, and what it touches has left the caches since the last one.

    OutputLoads loads;               ///< What waits for each output.
    InputBuffers buffers;            ///< IBUF: room, and what is dropped.
    AckReturn acks;                  ///< What is owed upstream.
    InputQueues queues;              ///< INQ: where frames wait.
    CongestionManagement congestion; ///< CM: hop credits.
    FlowEntry entry;                 ///< How frames join queues.
    Receiver receiver;               ///< What comes in.
    Acknowledgement acknowledgement; ///< How flow channels end.
    Sender sender;                   ///< What goes out.
    RoutingFunction routing;         ///< FRF: where frames go.
    IngressEdge edge;                ///< EFCT and EIQ: how frames of hosts enter.

    // Units for what is rarer, from the bottom up.

    std::unique_ptr<ReductionEngine> reductions; ///< RED; null in no tree of a reduction.
    GroupFrames groups;                          ///< Frames that leave as copies.
    PortContainment containment;                 ///< Ports that get frames over the largest size.
    OutputLanes lanes;                           ///< Virtual lanes of outputs.
    OutputShapers shapers;                       ///< Shaped traffic of outputs.
    PauseControl pauses;                         ///< Pauses of hosts and of other switches.
    HostControl hosts;     ///< What holds hosts back, and the switch toward them.
    CreditFrames credits;  ///< Credits in frames.
    FgfcFrames fgfc;       ///< Flows of hosts that are restrained.
    LoadTelling telling;   ///< What neighbours tell of paths.
    GrantedFrames granted; ///< Frames between grant and wire; none if the crossbar is ideal.
    FlowRepair repair;     ///< Flow channels whose ACKs are lost.
    LinkStates links;      ///< States of links that fail.
    PastFlows past;        ///< Flows that change their paths further back.
    Rerouting rerouting;   ///< Which flows leave overloaded links.
    ControlSender control; ///< What goes out before data.
    PathChange paths;      ///< How queues change their outputs.
    /// Grants, and what goes out, behind a crossbar of tiles; null if it is ideal.
    std::unique_ptr<TileSender> tileSender;
    PieceSender pieceSender;     ///< The same, in pieces.
    PieceReceiver pieceReceiver; ///< The same, in pieces.
    LinkFailures failures;       ///< Links that fail.
    LaneChanges laneChanges;     ///< Lane tables that change.
    SwitchPrefetch prefetch;     ///< Memory that is needed next.
    SwitchAudit audit;           ///< Checks.

    // Who else sees what happens.

    std::optional<FlowStatistics> statistics; ///< Nothing if nobody wants any.
    ObserverPair watchers;                    ///< The statistics and another.
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_UNITS_H
