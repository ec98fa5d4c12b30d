/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SEND_PLANNER_H
#define FABRIC_SEND_PLANNER_H

#include "fabric-connection-handshake.h"
#include "fabric-packet-delivery.h"
#include "fabric-transport-initiator.h"
#include "fabric-transport-target.h"
#include "fabric-tx-scheduler.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/// The units of a connection that may have something to send.
struct SendSources
{
    const ConnectionHandshake& handshake; ///< Set-up and tear-down.
    const PacketDelivery& delivery;       ///< ACKs, resends, and the windows.
    const TransportInitiator& initiator;  ///< Requests and push data.
    const TransportTarget& target;        ///< Grants and pull data.
};

/**
 * What a connection sends next (RT-13): in which classes of the scheduler it has something that may
 * go now, push data and pull data in turn, and data paced if less than one packet may be in flight
 * or there is a rate.
 */
class SendPlanner
{
  public:
    /**
     * @param sources where it would come from
     * @return whether there is something to send that may go
     */
    bool HasWork(TxClass txClass, const SendSources& sources, TimePs now) const
    {
        if (txClass == TxClass::CONTROL)
        {
            return sources.handshake.IsDue();
        }
        if (!sources.handshake.CarriesPackets())
        {
            return false;
        }
        switch (txClass)
        {
        case TxClass::ACK:
            return sources.delivery.IsAckDue(now);
        case TxClass::RESEND:
            return sources.delivery.HasResend() && sources.delivery.Path().ReadyAt() <= now;
        case TxClass::GRANT:
            return sources.target.HasGrant() && !sources.delivery.Data().IsFull();
        case TxClass::REQUEST:
            return sources.initiator.HasRequest() && sources.delivery.MaySendRequest();
        default:
            return MaySendData(sources.delivery, now) &&
                   (sources.initiator.HasData() || sources.target.HasResponse()) &&
                   sources.delivery.Path().ReadyAt() <= now;
        }
    }

    /**
     * @param sources where it would come from
     * @return classes with something to send, as bits of the scheduler
     */
    uint8_t Work(const SendSources& sources, TimePs now)
    {
        uint8_t work = 0;
        const auto look = [&](TxClass txClass) {
            work |= HasWork(txClass, sources, now) ? TxScheduler::Bit(txClass) : 0;
        };
        look(TxClass::CONTROL);
        look(TxClass::ACK);
        look(TxClass::RESEND);
        look(TxClass::GRANT);
        look(TxClass::REQUEST);
        look(TxClass::DATA);
        m_hasWork = work != 0;
        return work;
    }

    /// @return whether Work() has found something
    bool HasWork() const
    {
        return m_hasWork;
    }

    /**
     * Data is sent: says whose.
     *
     * @param sources one of them has data
     * @return whether it is the target's, pull data, and not the initiator's
     */
    bool TakeTurn(const SendSources& sources, TimePs now)
    {
        const bool isResponse =
            sources.target.HasResponse() && (m_isResponseTurn || !sources.initiator.HasData());
        m_isResponseTurn = !isResponse;
        m_dataSentAt = now;
        return isResponse;
    }

    /// @return when there may be something to send that time alone holds back, ps; NEVER if nothing
    TimePs NextTime(const PacketDelivery& delivery, TimePs now) const
    {
        // What is due already waits for the wire, not for time.
        TimePs next = delivery.AckDeadline() > now ? delivery.AckDeadline() : NEVER;
        next = std::min(next, std::max(delivery.LossTimer(), now));
        const TimePs ready = std::max(PaceTime(delivery.Path()), delivery.Path().ReadyAt());
        return ready > now ? std::min(next, ready) : next;
    }

  private:
    /// @return no data before it, ps: as an ACK may change it, it is worked out when it is asked
    /// for
    TimePs PaceTime(const TransportPath& path) const
    {
        return path.Window() < 1 ? m_dataSentAt + path.PacingDelay() : 0;
    }

    /// @return whether the windows let data go; a congestion window below 1 lets one go at a time
    bool MaySendData(const PacketDelivery& delivery, TimePs now) const
    {
        const TransmitWindow& window = delivery.Data();
        const TransportPath& path = delivery.Path();
        if (window.IsFull() || path.IsOpen())
        {
            return !window.IsFull();
        }
        const uint32_t unacked = window.InFlight();
        const uint32_t inFabric = delivery.DataInFabric();
        return (unacked == 0 || unacked + 1 <= path.PeerWindow()) &&
               (inFabric == 0 || inFabric + 1 <= path.Window()) && PaceTime(path) <= now;
    }

    TimePs m_dataSentAt{-NEVER};  ///< The last data packet, ps.
    bool m_isResponseTurn{false}; ///< Pull data is next, if there is push data as well.
    bool m_hasWork{false};        ///< There was something to send when it was looked for.
};

} // namespace ns3::fabric

#endif // FABRIC_SEND_PLANNER_H
