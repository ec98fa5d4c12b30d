/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PORT_MAP_H
#define FABRIC_PORT_MAP_H

#include "fabric-topology.h"
#include "fabric-wide-search.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// What a port of a switch is connected to.
enum class PeerKind : uint8_t
{
    NONE,   ///< Nothing.
    HOST,   ///< A host.
    SWITCH, ///< Another switch.
};

/// The far end of a port.
struct PortPeer
{
    uint32_t index = 0;             ///< Number of the host or switch.
    uint16_t port = 0;              ///< Port there; 0 for a host.
    PeerKind kind = PeerKind::NONE; ///< What `index` counts.
};

/**
 * Tells who is connected to each port of a plan, and so that the plan is sound: every number is in
 * range, and no port is used twice.
 *
 * The ports of all switches are numbered through, switch by switch, so that what belongs to ports
 * fits into one vector.
 */
class PortMap
{
  public:
    /**
     * @param plan the topology; copied, need not stay
     * @throws std::invalid_argument if an end of a link or host is outside its switch, a port is
     *         used twice, a switch is linked to itself, or there are more than MAX_HOSTS hosts
     */
    explicit PortMap(const TopologyPlan& plan);

    /// @return ports of all switches together
    uint32_t GetPorts() const
    {
        return m_first.back();
    }

    /// @return ports that it has
    uint16_t GetPorts(uint32_t sw) const
    {
        return static_cast<uint16_t>(m_first[sw + 1] - m_first[sw]);
    }

    /// @return the port's number among the ports of all switches
    uint32_t GetIndex(uint32_t sw, uint16_t port) const
    {
        return m_first[sw] + port;
    }

    /// @return the far end
    const PortPeer& GetPeer(uint32_t sw, uint16_t port) const
    {
        return m_peers[GetIndex(sw, port)];
    }

    /**
     * @param index a port's number among the ports of all switches
     * @return the far end
     */
    const PortPeer& GetPeer(uint32_t index) const
    {
        return m_peers[index];
    }

    /// @return links of each switch to other switches
    NeighbourLinks GetLinks() const;

    static constexpr uint32_t UNREACHED = 0xFFFFFFFF; ///< Distance where there is no path.

    /// @return links from each switch to the target on a shortest path, or UNREACHED
    std::vector<uint32_t> GetDistances(uint32_t target) const;

  private:
    /**
     * Notes one end of a connection.
     *
     * @param peer what is connected there
     */
    void Connect(uint32_t sw, uint16_t port, PortPeer peer);

    std::vector<uint32_t> m_first; ///< First port of each switch, and the end of the last.
    std::vector<PortPeer> m_peers; ///< Far end of each port.
};

} // namespace ns3::fabric

#endif // FABRIC_PORT_MAP_H
