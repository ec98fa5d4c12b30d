/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FAT_TREE_H
#define FABRIC_FAT_TREE_H

#include "fabric-interval-routing.h"
#include "fabric-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// Largest radix of a fat tree's switches: twice that of the largest switch chips of 2025 (512).
inline constexpr uint32_t MAX_RADIX = 1024;

/// Down ports to up ports of an edge switch, as 3:1.
struct DownUpRatio
{
    uint32_t down = 1; ///< Parts toward hosts.
    uint32_t up = 1;   ///< Parts toward the next tier.

    /**
     * @param text `a` (for a:1) or `a:b`, whole numbers from 1
     * @throws std::invalid_argument if the text is anything else
     */
    static DownUpRatio Parse(const std::string& text);
};

/// What a user chooses of a fat tree.
struct FatTreeConfig
{
    uint32_t levels = 3;          ///< Tiers of switches, 2 or 3.
    uint32_t radix = 8;           ///< Ports per switch, k: 2 to MAX_RADIX, odd ones too.
    DownUpRatio oversubscription; ///< Of the edge switches.
    uint32_t hosts = 0;           ///< Hosts; 0 is as many as the switches can take.
};

/**
 * The numbers of a fat tree, all from its FatTreeConfig.
 *
 * With k ports per switch and a ratio of a:b in lowest terms, an edge switch has m = floor(k / (a +
 * b)), d = a m down ports and u = b m up ports: the ratio is exact, and k mod (a + b) ports stay
 * free. A pod has at most e edge switches, e = floor(k / 2) with three levels; a tree of two levels
 * is one pod with e = k. So at most
 *
 *   two levels     k d hosts                (k^2 / 2 at 1:1 and even k)
 *   three levels   k floor(k / 2) d hosts   (k^3 / 4 at 1:1 and even k)
 *
 * With H hosts there are ceil(H / d) edge switches and ceil(edges / e) pods, filled in order; only
 * the last edge switch and the last pod may be smaller than the others. Where there are so few edge
 * switches or pods that ports of the tier above would stay free, links are doubled up and switches
 * saved: p parallel links, where p is the largest divisor of the up ports for which p links to each
 * child fit. No link of the lower tier is lost by that.
 */
struct FatTreeShape
{
    uint32_t levels;       ///< Tiers of switches.
    uint32_t radix;        ///< Ports per switch, k.
    uint32_t hosts;        ///< Hosts, H.
    uint32_t hostsPerEdge; ///< Down ports of an edge switch, d.
    uint32_t edgeUpPorts;  ///< Up ports of an edge switch, u.
    uint32_t edges;        ///< Edge switches.
    uint32_t edgesPerPod;  ///< Edge switches of a full pod.
    uint32_t pods;         ///< Pods; 1 with two levels.
    /// Switches above the edge in a pod: aggregation (three levels) or core (two levels). Each has
    /// links to every edge switch of its pod.
    uint32_t secondPerPod;
    uint32_t edgeLinks;     ///< Parallel links between an edge switch and one above it.
    uint32_t secondUpPorts; ///< Up ports of an aggregation switch, floor(k / 2); 0 with two levels.
    /// Switches of the third tier that an aggregation switch is linked to; 0 with two levels. The
    /// aggregation switches of equal number in all pods share them: they form a plane.
    uint32_t coresPerPlane;
    uint32_t coreLinks; ///< Parallel links between an aggregation and a core switch.

    /// @return switches of all tiers
    uint32_t GetSwitches() const
    {
        return edges + secondPerPod * (pods + coresPerPlane);
    }

    /// @return links between switches
    uint32_t GetLinks() const
    {
        return edges * edgeUpPorts + pods * secondPerPod * secondUpPorts;
    }

    /**
     * @param config what the user chose
     * @return the numbers that follow
     * @throws std::invalid_argument if no such tree can be
     */
    static FatTreeShape Of(const FatTreeConfig& config);
};

/**
 * A fat tree (folded Clos network) of two or three levels (FC-13): its plan, and the routing rule
 * of each of its switches.
 *
 * Switches are numbered edge first, then the second tier pod by pod, then the third tier plane by
 * plane; hosts in the order of their edge switches. Down ports come first on each switch, then up
 * ports:
 *
 *   edge           host i                  i
 *                  link j to second a      d + a edgeLinks + j
 *   second tier    link j to edge i        i edgeLinks + j
 *                  link j to core c        floor(k / 2) + c coreLinks + j
 *   third tier     link j to pod i         i coreLinks + j
 */
class FatTree
{
  public:
    /**
     * @param config what the user chose
     * @throws std::invalid_argument if no such tree can be
     */
    explicit FatTree(const FatTreeConfig& config);

    /// @return its numbers
    const FatTreeShape& GetShape() const
    {
        return m_shape;
    }

    /// @return switches, links and hosts
    const TopologyPlan& GetPlan() const
    {
        return m_plan;
    }

    /// @return the routing rule of each switch, in the plan's order
    const std::vector<IntervalRouting>& GetRouting() const
    {
        return m_routing;
    }

  private:
    void AddEdges();      ///< Edge switches and hosts.
    void AddSecondTier(); ///< The switches above the edge, and their links down.
    void AddThirdTier();  ///< Core switches of three levels, and their links down.

    /**
     * @param tier where it stands
     * @param group pod that it belongs to, NO_GROUP for none
     * @param rule its routing rule; the fabric's number of hosts is filled in here
     */
    void AddSwitch(Tier tier, uint32_t group, IntervalRoutingConfig rule);

    /**
     * Adds the parallel links between a switch and one of the next tier.
     *
     * @param lowerPort its first port for them
     * @param upperPort its first port for them
     * @param count how many
     */
    void AddLinks(uint32_t lower,
                  uint32_t lowerPort,
                  uint32_t upper,
                  uint32_t upperPort,
                  uint32_t count);

    /**
     * @param count how many hosts from there on a full subtree has
     * @return how many of them there are
     */
    uint16_t CountHosts(uint32_t first, uint32_t count) const;

    FatTreeShape m_shape;                   ///< The numbers.
    TopologyPlan m_plan;                    ///< The plan.
    std::vector<IntervalRouting> m_routing; ///< A rule for each switch.
};

} // namespace ns3::fabric

#endif // FABRIC_FAT_TREE_H
