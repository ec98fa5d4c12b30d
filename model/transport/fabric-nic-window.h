/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NIC_WINDOW_H
#define FABRIC_NIC_WINDOW_H

#include "fabric-types.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/**
 * How many data packets the peer's NIC and host may have that are not acknowledged (RT-14). Falcon
 * keeps it beside the fabric's window, so that a slow host is not taken for a congested fabric:
 *
 * | event                                     | window                                    |
 * |-------------------------------------------|-------------------------------------------|
 * | the peer refuses a packet for want of     | half, to one packet; once a round trip    |
 * | room                                      |                                           |
 * | packets are acknowledged                  | one packet more for a window of them      |
 */
class NicWindow
{
  public:
    /// @param limit largest window, packets
    explicit NicWindow(uint32_t limit)
        : m_packets(static_cast<float>(limit)),
          m_limit(static_cast<float>(limit))
    {
    }

    /// @return packets
    double Packets() const
    {
        return m_packets;
    }

    /// @return whether nothing was refused for long
    bool IsOpen() const
    {
        return m_packets >= m_limit;
    }

    /// A packet was refused. @param rtt smoothed round trip, ps
    void Refuse(TimePs now, TimePs rtt)
    {
        if (now - rtt >= m_lastRefusal)
        {
            m_packets = std::max(1.0F, m_packets / 2);
            m_lastRefusal = now;
        }
    }

    /// @param packets that are newly acknowledged
    void Acknowledge(uint32_t packets)
    {
        if (!IsOpen())
        {
            m_packets = std::min(m_limit, m_packets + static_cast<float>(packets) / m_packets);
        }
    }

  private:
    TimePs m_lastRefusal{-NEVER}; ///< That made it smaller, ps.
    float m_packets;              ///< Window.
    float m_limit;                ///< Largest window.
};

} // namespace ns3::fabric

#endif // FABRIC_NIC_WINDOW_H
