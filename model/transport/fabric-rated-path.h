/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RATED_PATH_H
#define FABRIC_RATED_PATH_H

#include "fabric-congestion-control.h"
#include "fabric-hpcc-point.h"
#include "fabric-notification-point.h"
#include "fabric-path-rules.h"
#include "fabric-rate-pacer.h"
#include "fabric-reaction-point.h"
#include "fabric-timely-reaction.h"
#include "fabric-transport-layout.h"
#include "fabric-transport-packet.h"

#include <memory>
#include <optional>

namespace ns3::fabric
{

/**
 * What gives a connection a rate: DCQCN, HPCC or TIMELY, at one of its ends.
 *
 * DCQCN's rate changes as time passes, so it has a bucket of its own. Those of the others change
 * with ACKs only, and a pacer follows them.
 */
class RatedPath
{
  public:
    /**
     * @param rules of the endpoint, which outlive it; they have a rate
     * @param mtu payload of a packet, bytes
     */
    RatedPath(const PathRules& rules, uint32_t mtu)
        : m_rules(rules),
          m_pacer(rules.lineRate, rules.isBelowWire),
          m_mtu(mtu)
    {
        if (rules.dcqcn)
        {
            m_dcqcn.emplace(Dcqcn{ReactionPoint(*rules.dcqcn), NotificationPoint()});
        }
        if (rules.hpcc)
        {
            const uint32_t longest = mtu + TRANSPORT_DATA_HEADER_BYTES + rules.Telemetry();
            m_hpcc = std::make_unique<HpccPoint>(*rules.hpcc, rules.lineRate, WireBytes(longest));
        }
        if (rules.timely)
        {
            m_timely.emplace(*rules.timely, rules.lineRate);
        }
    }

    /// A packet of a window is sent, perhaps again. @param packet with its payload
    void Send(const TransportPacket& packet, TimePs now)
    {
        const uint32_t bytes = TransportBytes(packet, m_rules.Telemetry());
        if (m_dcqcn)
        {
            m_dcqcn->reaction.Send(bytes, now);
        }
        else
        {
            m_pacer.Send(WireBytes(bytes), now);
        }
    }

    /// @return no data is to be sent, nor anything again, before this, ps
    TimePs ReadyAt() const
    {
        return m_dcqcn ? m_dcqcn->reaction.ReadyAt() : m_pacer.ReadyAt();
    }

    /// @return what is sent at most, b/s
    double Rate(TimePs now) const
    {
        return m_dcqcn ? m_dcqcn->reaction.Rate(now) : m_pacer.Rate();
    }

    /// @return packets that may be in flight, 0 if that is not for it to say
    double Window() const
    {
        return m_hpcc ? m_hpcc->Window() : 0;
    }

    /// A packet has come that was marked on its way. @return whether the peer is told at once
    bool TakeMark(TimePs now)
    {
        return m_dcqcn && m_dcqcn->notification.TakeMark(now, m_rules.dcqcn->cnpInterval);
    }

    /// The peer says that packets come marked.
    void TakeCnp(TimePs now)
    {
        if (m_dcqcn)
        {
            m_dcqcn->reaction.TakeCnp(now);
        }
    }

    /**
     * An ACK has come.
     *
     * @param ack what it has told
     * @param shortest round trip of the way, ps
     */
    void TakeAck(const CongestionSample& ack, TimePs shortest)
    {
        const uint64_t bytes = uint64_t{ack.acked} * m_mtu; // all count as full ones
        const TimelySample sample{ack.rtt, shortest, bytes, ack.base, ack.next};
        if (m_timely && m_timely->TakeAck(sample, ack.now))
        {
            m_pacer.SetRate(m_timely->Rate(), ack.now);
        }
    }

    /// An ACK has brought what switches have written. @copydetails HpccReaction::TakeAck()
    void TakeTelemetry(const HopStack& stack, uint32_t base, uint32_t next, TimePs now)
    {
        if (m_hpcc)
        {
            m_pacer.SetRate(m_hpcc->TakeAck(stack, base, next), now);
        }
    }

    /// A packet has come. @param stack what switches have written on it
    void SeeTelemetry(const HopStack& stack)
    {
        if (m_hpcc)
        {
            m_hpcc->See(stack);
        }
    }

    /// @return whether the peer has to be told what switches have written
    bool HasTelemetry() const
    {
        return m_hpcc && m_hpcc->HasNews();
    }

    /// The peer is told; HasTelemetry() must be true. @param stack gets it
    void TellTelemetry(HopStack& stack)
    {
        m_hpcc->Tell(stack);
    }

  private:
    /// Both parts of DCQCN.
    struct Dcqcn
    {
        ReactionPoint reaction;         ///< To what is sent from here.
        NotificationPoint notification; ///< Of what comes.
    };

    const PathRules& m_rules;               ///< Of the endpoint.
    std::optional<Dcqcn> m_dcqcn;           ///< Nothing without DCQCN.
    std::unique_ptr<HpccPoint> m_hpcc;      ///< Null without HPCC; it is large.
    std::optional<TimelyReaction> m_timely; ///< Nothing without TIMELY.
    RatePacer m_pacer;                      ///< Of what is sent; not used by DCQCN.
    uint32_t m_mtu;                         ///< Payload of a packet, bytes.
};

} // namespace ns3::fabric

#endif // FABRIC_RATED_PATH_H
