/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HPCC_POINT_H
#define FABRIC_HPCC_POINT_H

#include "fabric-hpcc-reaction.h"

#include <cmath>

namespace ns3::fabric
{

/// HPCC at one end of a connection: how what is sent from here follows what ACKs tell, and what is
/// told of packets that come.
class HpccPoint
{
  public:
    /**
     * @param settings valid; they outlive it
     * @param lineRate of the NIC, b/s
     * @param packetBytes of a packet with the most payload, on the wire
     */
    HpccPoint(const HpccSettings& settings, double lineRate, uint32_t packetBytes)
        : m_reaction(settings, lineRate),
          m_packetBytes(packetBytes)
    {
        m_seen.Clear(0);
    }

    /// An ACK has come. @copydetails HpccReaction::TakeAck() @return the rate after it, b/s
    double TakeAck(const HopStack& stack, uint32_t base, uint32_t next)
    {
        m_reaction.TakeAck(stack, base, next);
        return m_reaction.Rate();
    }

    /// A packet has come. @param stack what switches have written on it, at least one
    void See(const HopStack& stack)
    {
        m_seen = stack;
    }

    /// @return whether the peer has to be told what was seen
    bool HasNews() const
    {
        return m_seen.count > 0;
    }

    /// The peer is told. @param stack gets what was written on the newest packet
    void Tell(HopStack& stack)
    {
        stack = m_seen;
        stack.room = 0;
        m_seen.Clear(0);
    }

    /// @return packets that may be in flight: one more goes while there are fewer bytes than W
    double Window() const
    {
        return std::ceil(m_reaction.Window() / m_packetBytes);
    }

  private:
    HpccReaction m_reaction; ///< To what is sent from here.
    HopStack m_seen;         ///< Of the newest packet that has come; empty: told already.
    double m_packetBytes;    ///< Of the longest packet, on the wire.
};

} // namespace ns3::fabric

#endif // FABRIC_HPCC_POINT_H
