/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_CONFIG_H
#define FABRIC_SWITCH_CONFIG_H

#include "fabric-ack-aggregator.h"
#include "fabric-buffer-settings.h"
#include "fabric-congestion-marker.h"
#include "fabric-congestion-settings.h"
#include "fabric-crossbar-settings.h"
#include "fabric-flow-channel-settings.h"
#include "fabric-host-control-settings.h"
#include "fabric-injection-settings.h"
#include "fabric-lane-sender.h"
#include "fabric-link-control-settings.h"
#include "fabric-output-lists.h"
#include "fabric-preemption-rules.h"
#include "fabric-reduction-settings.h"
#include "fabric-routing.h"
#include "fabric-shaping-table.h"
#include "fabric-switch-timing.h"

#include <memory>
#include <optional>

namespace ns3::fabric
{

/// Settings of a switch, by the part that they are about.
struct SwitchConfig
{
    uint32_t ports{64};               ///< Number of ports (SW-1).
    uint32_t seed{1};                 ///< Of the choice between equally loaded outputs; not 0.
    AckTimers ackTimers;              ///< Of ACK aggregation (WL-3).
    BufferSettings buffer;            ///< Input buffers.
    SwitchTiming timing;              ///< How long it takes.
    FlowChannelSettings flowChannels; ///< Which frames have flow channels.
    HostControlSettings hostControl;  ///< What holds hosts back.
    LinkControlSettings linkControl;  ///< What holds other switches back.
    Arbitration arbitration{
        ARBITRATE_BY_FLOW};        ///< Between what an output of the crossbar is shared.
    TurnSettings turns;            ///< Of those between whom it is shared.
    CrossbarSettings crossbar;     ///< Between inputs and outputs.
    CongestionSettings congestion; ///< What holds flows back.
    /// What hosts may have in the fabric; null if that has no limit.
    std::shared_ptr<const InjectionSettings> injection;
    uint16_t hostDiscards{0};             ///< Classes whose frames from hosts are dropped (IF-9).
    MarkRules marks;                      ///< Which frames are marked (RT-14).
    bool hasTelemetry{false};             ///< Outputs write INT on packets of the transport.
    ReductionSettings reductions;         ///< Of the reduction engine (SW-14).
    uint32_t detourBias{131072};          ///< Bytes that a detour has to be better by (FC-12).
    std::optional<LaneArbitration> lanes; ///< Nothing: virtual channels have turns.
    /// How outputs to switches are shaped (SW-11); null if they are not.
    std::shared_ptr<const ShapingTable> linkShaping;
    /// How outputs to hosts are shaped; null if they are not.
    std::shared_ptr<const ShapingTable> hostShaping;

    /// @return kinds of virtual output queues that shaping needs for an output, 0 without
    uint32_t ShapedKinds() const;

    /// @throws std::invalid_argument if settings contradict each other
    void Validate() const;

    /// @return whether any outputs are shaped
    bool IsShaped() const
    {
        return linkShaping || hostShaping;
    }

    /// @return lists in which queues may wait for an output: virtual channels, lanes, or channels
    /// of shaping queues
    uint32_t Lists() const
    {
        const uint32_t unshaped = lanes ? DEFAULT_LANES : buffer.shares.virtualChannels;
        return IsShaped() ? OutputLists::MOST : unshaped;
    }

    /// @return from the arrival of a frame's head until it asks its output, ps
    TimePs DataLatency() const
    {
        return timing.latency - crossbar.TransitTime();
    }

    /**
     * Frames of classes that no lane carries use the lanes of class 0. So that no lane waits for
     * the credits of two virtual channels, these classes have to use class 0's.
     *
     * @throws std::invalid_argument with a sentence if a switch with these settings can't have it
     */
    void ValidateLanes(const LaneTable& table) const;

    /// @throws std::invalid_argument with a sentence if a switch with these settings can't be
    /// shaped
    void ValidateShaping() const;

    /**
     * Where the virtual channel of a frame tells how far on its path it is (PathRule), each channel
     * has to have its own credits.
     *
     * @throws std::invalid_argument with a sentence if a switch with these settings can't have it
     */
    void ValidateRouting(const Routing& routing) const;

    /**
     * Trees of groups may take more virtual channels than routes of a class (PathRule), which no
     * other class may have then.
     *
     * @param needed virtual channels that a tree takes
     * @throws std::invalid_argument with a sentence if a switch with these settings can't have it
     */
    void ValidateTree(const Routing& routing, uint32_t needed) const;

    /// @throws std::invalid_argument with a sentence if a bias of detours is set
    void RequireNoDetourBias() const;

    /// @throws std::invalid_argument with a sentence if neighbours would tell what nobody uses
    void ValidateNeighbourLoads(const Routing& routing) const;
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_CONFIG_H
