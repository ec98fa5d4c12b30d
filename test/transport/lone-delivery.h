/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LONE_DELIVERY_H
#define FABRIC_LONE_DELIVERY_H

#include "fabric-packet-delivery.h"
#include "fabric-time-units.h"

#include <random>
#include <utility>

namespace ns3::fabric
{

/// @return a random number from low to high
inline TimePs
DrawBetween(std::mt19937_64& random, TimePs low, TimePs high)
{
    return low + static_cast<TimePs>(random() % static_cast<uint64_t>(high - low + 1));
}

/// The delivery of a connection whose peer a test plays, with drawn times.
class LoneDelivery
{
  public:
    /// @param seed of what is drawn @param probes whether it sends probes, and polls
    LoneDelivery(uint64_t seed, bool probes)
        : m_random(seed),
          m_settings(DrawSettings(m_random, probes)),
          m_shared(m_settings, m_counters),
          m_delivery(m_shared)
    {
        m_delivery.Propose(ConnectionSettings(), 0);
    }

    const TransportCounters& Counters() const
    {
        return m_counters;
    }

  protected:
    /// A packet of data is sent now.
    void Send()
    {
        OutstandingPacket packet;
        packet.type = TransportPacketType::PUSH_UNSOLICITED_DATA;
        packet.amount = 100;
        TransportPacket out;
        m_delivery.SendNew(std::move(packet), out, m_now);
        m_sentAt = m_now;
    }

    /// The peer's ACK comes, an echo of the last packet.
    void TakeAck(TransportPacket& ack)
    {
        ack.echo = m_sentAt;
        m_delivery.TakeAcks(ack, m_now, [](const OutstandingPacket&) {});
    }

    std::mt19937_64 m_random;     ///< What is drawn.
    TransportSettings m_settings; ///< Drawn.
    TransportCounters m_counters; ///< Of the delivery.
    DeliveryShared m_shared;      ///< Of the delivery.
    PacketDelivery m_delivery;    ///< Who is tested.
    TimePs m_now{US};             ///< Time, ps.

  private:
    static TransportSettings DrawSettings(std::mt19937_64& random, bool probes)
    {
        TransportSettings s;
        s.minRto = DrawBetween(random, US, 400 * US);
        s.maxRto = s.minRto * DrawBetween(random, 1, 300);
        s.backsOff = random() % 4 != 0;
        s.retryLimit = random() % 20;
        s.ackDelay = DrawBetween(random, 0, 2 * US);
        s.initialRtt = DrawBetween(random, 100 * NS, 20 * US);
        s.sendsProbes = probes;
        return s;
    }

    TimePs m_sentAt{0}; ///< Last packet, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_LONE_DELIVERY_H
