/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_IDEAL_PATHS_H
#define FABRIC_IDEAL_PATHS_H

#include "fabric-empty-path.h"
#include "fabric-network.h"

#include "ns3/nstime.h"

#include <utility>
#include <vector>

namespace ns3
{

/**
 * The paths between the hosts of a fabric, as they are when nothing else is sent.
 *
 * Where routing allows several ports, it is the path by the first of them, and failures of links
 * are not looked at.
 *
 * @code
 * const FabricIdealPaths paths(fabric.network);
 * const fabric::TimePs alone = paths.Find(src, dst).CompletionTime(1 << 20);
 * @endcode
 */
class FabricIdealPaths
{
  public:
    /// @param network whose links exist
    explicit FabricIdealPaths(Ptr<FabricNetwork> network);

    /**
     * @param src location of a host
     * @param dst location of another
     * @return the path between them
     * @throws std::invalid_argument if there is none
     */
    fabric::EmptyPath Find(fabric::LocationId src, fabric::LocationId dst) const;

    /**
     * @param src location of a host
     * @param dst location of another
     * @return time from the start of a full frame at the edge switch of the first to the ACK there,
     * 0 if there is no path
     */
    Time RoundTrip(fabric::LocationId src, fabric::LocationId dst) const;

    /**
     * @return time from the start of a full frame at its edge switch to the ACK there, on the
     * longest way in the fabric: from a switch as far away as any from that of the first host to
     * the one farthest from there. 0 if there are no two hosts with a way between them
     */
    Time LongestRoundTrip() const;

    /// @return both ends of that way, hosts; the same location twice if there is none
    std::pair<fabric::LocationId, fabric::LocationId> Farthest() const;

  private:
    /// Where the longest way begins, and hosts that it may end at.
    struct Candidates
    {
        uint32_t end{0};             ///< Number of a host there.
        std::vector<uint32_t> hosts; ///< One of each switch.
    };

    /// How long a frame and its ACK are under way to the host that is farthest.
    struct Longest
    {
        uint32_t host{0};           ///< Number of the host that the frame goes to.
        fabric::TimePs duration{0}; ///< There and back, ps.
    };

    /// @return one end of the longest way, and hosts for the other
    Candidates FindEnd() const;
    /// @return payload of its full frames, bytes
    uint32_t MtuOf(fabric::LocationId host) const;

    /// Links from a host to another.
    struct Links
    {
        std::vector<fabric::PathLink> there; ///< From the host's on; empty if there is no path.
        fabric::TimePs back{0};              ///< Of an ACK by those between switches, ps.
    };

    /// @return the links on the way
    Links LinksTo(fabric::LocationId src, fabric::LocationId dst) const;
    /**
     * @param host number of a host
     * @param others to which the longest way is looked for
     */
    Longest FindLongest(uint32_t host, const std::vector<uint32_t>& others) const;

    Ptr<FabricNetwork> m_network;                         ///< The fabric.
    std::vector<std::vector<fabric::SwitchPort>> m_peers; ///< By switch and port.
    std::vector<fabric::SwitchPort> m_hosts;              ///< Where each host is linked.
};

} // namespace ns3

#endif // FABRIC_IDEAL_PATHS_H
