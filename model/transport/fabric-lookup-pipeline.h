/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LOOKUP_PIPELINE_H
#define FABRIC_LOOKUP_PIPELINE_H

#include "fabric-ring.h"
#include "fabric-transport-packet.h"
#include "fabric-transport-settings.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ns3::fabric
{

/**
 * What packets wait for that have come: that a reorder CAM looks up their request (RT-11). Each CAM
 * takes one packet at a time, and later ones of either do not overtake.
 *
 * | packet                                  | looked up among       |
 * |-----------------------------------------|-----------------------|
 * | requests, push data                     | peers' requests       |
 * | grants, pull data, error responses, ACK | own requests          |
 * | any other, or damaged                   | nothing: takes no time |
 */
class LookupPipeline
{
  public:
    /// A packet that has come.
    struct Arrival
    {
        TimePs at{0};           ///< When it is looked up, ps.
        PeerAddress peer{0};    ///< Whom it came from.
        TransportPacket packet; ///< What it says.
    };

    /// @param settings of the endpoint
    explicit LookupPipeline(const TransportSettings& settings)
        : m_lookupTime(settings.lookupTime),
          m_latency(settings.lookupLatency),
          m_isOn(m_lookupTime + m_latency > 0)
    {
    }

    /// @return whether lookups take time
    bool IsOn() const
    {
        return m_isOn;
    }

    /// A packet has come. @param peer whom from
    void Push(const TransportPacket& packet, PeerAddress peer, TimePs now)
    {
        TimePs at = now;
        if (!packet.isCorrupt && (packet.IsRequest() || packet.IsPushData()))
        {
            at = LookUp(m_freeAt[0], now);
        }
        else if (!packet.isCorrupt && (packet.IsAnswer() || packet.HasBitmaps()))
        {
            at = LookUp(m_freeAt[1], now);
        }
        m_last = std::max(m_last, at);
        m_arrivals.Push({m_last, peer, packet});
        m_next = m_arrivals.Front().at;
    }

    /// @return when the oldest is looked up, ps; NEVER if there is none
    TimePs Next() const
    {
        return m_next;
    }

    /// @return the oldest, which leaves
    Arrival Take()
    {
        const Arrival arrival = m_arrivals.Front();
        m_arrivals.Pop();
        m_next = m_arrivals.IsEmpty() ? NEVER : m_arrivals.Front().at;
        return arrival;
    }

  private:
    /// @param freeAt of a CAM, ps @return when it is done with one packet more, ps
    TimePs LookUp(TimePs& freeAt, TimePs now) const
    {
        freeAt = std::max(freeAt, now) + m_lookupTime;
        return freeAt + m_latency;
    }

    TimePs m_next{NEVER};             ///< Of the oldest packet, ps.
    TimePs m_lookupTime;              ///< Of one packet, ps.
    TimePs m_latency;                 ///< From then on, ps.
    bool m_isOn;                      ///< Lookups take time.
    TimePs m_last{0};                 ///< Of the newest packet, ps.
    std::array<TimePs, 2> m_freeAt{}; ///< Of peers' and of own requests, ps.
    Ring<Arrival> m_arrivals;         ///< By time.
};

} // namespace ns3::fabric

#endif // FABRIC_LOOKUP_PIPELINE_H
