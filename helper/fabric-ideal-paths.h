/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_IDEAL_PATHS_H
#define FABRIC_IDEAL_PATHS_H

#include "fabric-empty-path.h"
#include "fabric-network.h"

#include "ns3/nstime.h"

#include <functional>
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
     * longest way in the fabric; 0 if there are no two hosts with a way between them. It is looked
     * for as Farthest() does
     */
    Time LongestRoundTrip() const;

    /// @return time of a full frame between the two hosts that are farthest from each other, and
    /// back; 0 if no two hosts reach each other
    Time LongestHostRoundTrip() const;

    /**
     * @return the two hosts between which a full frame takes longest, the links of both counted;
     * the same location twice if there are none. Where more than a few switches have hosts it is
     * looked for the farthest one from a host, from there again, and so on until none is farther:
     * that is the longest way where links are alike, and close to it elsewhere
     */
    std::pair<fabric::LocationId, fabric::LocationId> Farthest() const;

  private:
    /// The longest way that was found.
    struct Longest
    {
        uint32_t src{0};            ///< Number of the host where it begins.
        uint32_t dst{0};            ///< Number of the host where it ends.
        fabric::TimePs duration{0}; ///< What it takes, ps; 0 if there is no way.
    };

    /// @return how long the way is from a host to another, by their numbers, ps; 0 for none
    using WayTime = std::function<fabric::TimePs(uint32_t, uint32_t)>;

    /// @return the longest way
    Longest FindLongest(const WayTime& time) const;
    /// @return where it may begin and end: two hosts of each switch, those with the slowest links
    std::vector<uint32_t> Ends() const;
    /// @return time of a full frame over the link of a host, ps
    fabric::TimePs LinkTime(uint32_t host) const;
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

    Ptr<FabricNetwork> m_network;                         ///< The fabric.
    std::vector<std::vector<fabric::SwitchPort>> m_peers; ///< By switch and port.
    std::vector<fabric::SwitchPort> m_hosts;              ///< Where each host is linked.
};

} // namespace ns3

#endif // FABRIC_IDEAL_PATHS_H
