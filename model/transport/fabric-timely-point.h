/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TIMELY_POINT_H
#define FABRIC_TIMELY_POINT_H

#include "fabric-congestion-control.h"
#include "fabric-rate-pacer.h"
#include "fabric-timely-reaction.h"

namespace ns3::fabric
{

/// TIMELY at the sender of a connection: packets are paced at the rate that round trips say.
class TimelyPoint
{
  public:
    /**
     * @param settings valid; they outlive it
     * @param lineRate of the NIC, b/s
     * @param isBelowWire whether the wire is faster
     * @param packetBytes of payload that a packet has at most
     */
    TimelyPoint(const TimelySettings& settings,
                double lineRate,
                bool isBelowWire,
                uint32_t packetBytes)
        : m_reaction(settings, lineRate),
          m_pacer(lineRate, isBelowWire),
          m_packetBytes(packetBytes)
    {
    }

    /// A packet is sent. @param bytes of it
    void Send(uint32_t bytes, TimePs now)
    {
        m_pacer.Send(bytes, now);
    }

    /**
     * An ACK has come.
     *
     * @param ack what it has told
     * @param shortest round trip of the way, ps
     */
    void TakeAck(const CongestionSample& ack, TimePs shortest, TimePs now)
    {
        const uint64_t bytes = uint64_t{ack.acked} * m_packetBytes; // all count as full ones
        if (m_reaction.TakeAck({ack.rtt, shortest, bytes, ack.base, ack.next}, now))
        {
            m_pacer.SetRate(m_reaction.Rate(), now);
        }
    }

    /// @return no packet is to be sent before this, ps
    TimePs ReadyAt() const
    {
        return m_pacer.ReadyAt();
    }

    /// @return b/s
    double Rate() const
    {
        return m_pacer.Rate();
    }

  private:
    TimelyReaction m_reaction; ///< To what ACKs tell.
    RatePacer m_pacer;         ///< Of what is sent.
    uint32_t m_packetBytes;    ///< Payload.
};

} // namespace ns3::fabric

#endif // FABRIC_TIMELY_POINT_H
