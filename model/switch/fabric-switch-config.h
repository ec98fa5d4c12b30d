/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_CONFIG_H
#define FABRIC_SWITCH_CONFIG_H

#include "fabric-ack-aggregator.h"
#include "fabric-class-map.h"
#include "fabric-congestion-marker.h"
#include "fabric-flow-key.h"
#include "fabric-hop-meter.h"
#include "fabric-lane-sender.h"
#include "fabric-link-credits.h"
#include "fabric-output-lists.h"
#include "fabric-pause-settings.h"
#include "fabric-preemption-rules.h"
#include "fabric-types.h"

#include <optional>

namespace ns3
{
namespace fabric
{

/// When a switch may begin to send a frame on (WL-4).
enum Forwarding
{
    CUT_THROUGH,       ///< When its head is in, if the link it comes by is not the slower one.
    STORE_AND_FORWARD, ///< When its tail is in.
};

/// Settings of a switch.
struct SwitchConfig
{
    uint32_t ports{64};      ///< Number of ports (SW-1).
    bool flowChannels{true}; ///< Off: a plain lossless switch with virtual output queues.
    bool hopCredits{true};   ///< Hop-by-hop credits of each flow channel (CM-5).
    Arbitration arbitration{ARBITRATE_BY_FLOW}; ///< Between what an output is shared.
    Forwarding forwarding{CUT_THROUGH};         ///< When a frame may be sent on.
    /// From the head's arrival to its earliest start at an idle output, ps. 350 ns is the median of
    /// a Rosetta switch (De Sensi et al., SC'20).
    TimePs latency{350'000};
    /// From the arrival of an ACK to its effect, and from the departure of a frame to its credit,
    /// ps. Not published for any switch; chosen.
    TimePs controlLatency{50'000};
    AckTimers ackTimers; ///< Of ACK aggregation (WL-3).
    /// Input buffer of each port. Sizes are not published; chosen: 8 times the bytes that
    /// 200 Gb/s carry in the round trip of a link of 1 us, and room for four largest frames per
    /// channel.
    BufferShares buffer{512 * 1024, 4 * (JUMBO_PAYLOAD + HEADER_BYTES + FCS_BYTES), 1};
    EdgeFlowControl edgeFlowControl{EDGE_CREDITS}; ///< What holds hosts back (WL-5).
    PauseSettings pause;                           ///< Where hosts are paused.
    uint32_t roomDivisor{16}; ///< A flow may take 1/roomDivisor of the free buffer; 0 for no limit.
    Watermarks watermarks;    ///< Of hop credits.
    ClassMap vcOfClass{};     ///< Virtual channel of each traffic class.
    uint16_t noFlowClasses{0}; ///< Bit mask of classes without flow channels (FC-14).
    uint16_t unorderedClasses{
        0}; ///< Bit mask of classes without flow that may be reordered (FC-11).
    FlowFields flowFields{FLOW_ALL};         ///< Header fields that tell flows apart (FC-2).
    uint32_t flowIds{FLOW_IDS_PER_LINK - 1}; ///< Flow channels of a link at a time (FC-9).
    uint32_t seed{1};                     ///< Of the choice between equally loaded outputs; not 0.
    MarkRules marks;                      ///< Which frames are marked (RT-14).
    std::optional<LaneArbitration> lanes; ///< Nothing: virtual channels have turns.

    /// @throws std::invalid_argument if settings contradict each other
    void Validate() const;

    /**
     * Frames of classes that no lane carries use the lanes of class 0. So that no lane waits for
     * the credits of two virtual channels, these classes have to use class 0's.
     *
     * @param table of lanes
     * @throws std::invalid_argument with a sentence if a switch with these settings can't have it
     */
    void ValidateLanes(const LaneTable& table) const;
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_SWITCH_CONFIG_H
