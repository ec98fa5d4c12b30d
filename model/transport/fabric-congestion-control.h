/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONGESTION_CONTROL_H
#define FABRIC_CONGESTION_CONTROL_H

#include "fabric-transport-settings.h"
#include "fabric-types.h"

#include <cstdint>
#include <memory>

namespace ns3::fabric
{

/// What a strategy keeps of one connection.
struct CongestionState
{
    double window{1};            ///< Data packets that may be in flight; below 1 they are paced.
    double markedPart{0};        ///< MARKS: average part of marked packets, 0 to 1.
    TimePs lastDecrease{-NEVER}; ///< For losses, and of DELAY, ps.
    uint32_t limit{1};           ///< Largest window: the connection's.
    uint32_t roundAcked{0};      ///< MARKS: acknowledged in this round.
    uint32_t roundMarked{0};     ///< MARKS: marked in this round.
    uint32_t roundEnd{0};        ///< MARKS: the round ends when this PSN is acknowledged.
    uint32_t decreaseEnd{0};     ///< MARKS: packets before this PSN decrease no more.
    uint16_t marksHeard{0};      ///< Marked packets that the peer has told of, modulo 2^16.
};

/// What an ACK tells a strategy.
struct CongestionSample
{
    TimePs now{0};       ///< ps.
    TimePs rtt{0};       ///< Measured round trip, ps; 0 if this ACK has none.
    TimePs baseDelay{0}; ///< DELAY: measured round trip of an empty network, ps; NEVER: unknown.
    uint32_t hops{0};    ///< DELAY: switches on the way; 0 if they are not counted.
    uint32_t acked{0};   ///< Data packets newly acknowledged.
    uint32_t marked{0};  ///< Packets that the peer has received with a mark since the last ACK.
    uint32_t base{0};    ///< Of the data window, after the ACK.
    uint32_t next{0};    ///< Of the data window.
};

/**
 * How many data packets of a connection may be in flight (RT-14). A strategy has no state of its
 * own: one object serves all connections of a NIC.
 */
class CongestionControl
{
  public:
    virtual ~CongestionControl() = default;

    /**
     * A connection opens.
     *
     * @param limit data window of the connection, packets
     * @param initial the window that it begins with, if that is less, packets
     * @return state of the connection
     */
    CongestionState Start(uint32_t limit, uint32_t firstPsn, uint32_t initial = UINT32_MAX) const;

    /// @param sample what an ACK has told
    virtual void OnAck(CongestionState& state, const CongestionSample& sample) const = 0;

    /**
     * A gap, or a refusal by the peer.
     *
     * @param rtt smoothed round trip, ps
     */
    virtual void OnLoss(CongestionState& state, TimePs now, TimePs rtt) const = 0;

    /**
     * Nothing was heard of packets in time.
     *
     * @param rtt smoothed round trip, ps
     * @param sentAt when the last of them was sent, ps
     */
    virtual void OnTimeOut(CongestionState& state, TimePs now, TimePs rtt, TimePs sentAt) const = 0;

    /**
     * @param settings with the strategy and its parameters
     * @return the strategy
     */
    static std::unique_ptr<CongestionControl> Make(const TransportSettings& settings);
};

} // namespace ns3::fabric

#endif // FABRIC_CONGESTION_CONTROL_H
