/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PACKET_TABLE_H
#define FABRIC_PACKET_TABLE_H

#include "ns3/mac48-address.h"
#include "ns3/packet.h"

#include <vector>

namespace ns3
{
namespace fabric
{

/// A user's packet on its way through the fabric.
struct CarriedPacket
{
    Ptr<const Packet> packet; ///< The packet, not altered on the way.
    Mac48Address source;      ///< Who sent it.
    Mac48Address destination; ///< Address that it was sent to; may be a group.
    uint16_t protocol{0};     ///< EtherType.
};

/// The users' packets under way, by handle (DP-8).
class PacketTable
{
  public:
    /**
     * @param carried a packet that is sent
     * @return its handle
     */
    uint32_t Put(const CarriedPacket& carried)
    {
        if (m_free.empty())
        {
            m_packets.push_back(carried);
            return static_cast<uint32_t>(m_packets.size() - 1);
        }
        const uint32_t handle = m_free.back();
        m_free.pop_back();
        m_packets[handle] = carried;
        return handle;
    }

    /**
     * @param handle of a packet that has arrived or was dropped
     * @return the packet, removed
     */
    CarriedPacket Take(uint32_t handle)
    {
        CarriedPacket carried = m_packets[handle];
        m_packets[handle] = CarriedPacket();
        m_free.push_back(handle);
        return carried;
    }

    /// @return number of packets under way
    std::size_t UnderWay() const
    {
        return m_packets.size() - m_free.size();
    }

  private:
    std::vector<CarriedPacket> m_packets; ///< By handle.
    std::vector<uint32_t> m_free;         ///< Last in, first out.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_PACKET_TABLE_H
