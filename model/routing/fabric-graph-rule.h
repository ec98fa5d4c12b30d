/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GRAPH_RULE_H
#define FABRIC_GRAPH_RULE_H

#include "fabric-graph-wiring.h"
#include "fabric-path-rule.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/**
 * Routing of a switch in any graph whose switches are few links apart, as a Slim Fly, a Jellyfish
 * or an Xpander (FC-13).
 *
 * The n-th link of a path has channel n, so no frame waits for a channel of the kind that it holds,
 * and there is no cycle whatever paths frames take (Günther, "Prevention of deadlocks in
 * packet-switched data transport systems", IEEE Trans. Comm. 29(4), 1981). Four channels allow
 * paths of four links. A switch takes any link from which the rest of them suffices: all shortest
 * ways, and, if it may make detours, all others, by what waits times the links that are left
 * (UGAL). In a Slim Fly, whose switches are two links apart, these are the detours that its authors
 * have (Besta and Hoefler, SC'14): four links at most.
 *
 * A frame never goes back to the switch from which it comes. A detour counts as long as what is
 * left without coming back to this switch or the one before, so behind it there is always another
 * way: a path that ends in a dead end and comes out of it has five links at least, and one that
 * goes round a triangle and on by the link that it was to avoid is none.
 *
 * Trees of groups (FC-16) are parts of one spanning tree of the graph, with channel 1 toward its
 * root and channel 2 away from it. Neither has a cycle, and other frames never stay on a channel.
 *
 * Without detours by load there are detours where links have failed.
 */
class GraphRule : public PathRule
{
  public:
    static constexpr uint32_t MOST_LINKS = VIRTUAL_CHANNELS; ///< Of a path.

    /// Detours that are weighed for a frame; see DragonflyRule::DRAWN.
    static constexpr uint32_t DRAWN = 4;

    /**
     * @param wiring of the graph, which its switches share; Diameter() is at most MOST_LINKS
     * @param number of the switch
     * @param makesDetours whether detours are taken by load
     */
    GraphRule(std::shared_ptr<const GraphWiring> wiring, uint32_t number, bool makesDetours);

    uint32_t VirtualChannels() const override
    {
        return MOST_LINKS;
    }

    bool Knows(LocationId dst) const override
    {
        return m_wiring->Has(dst);
    }

    uint16_t HostPort() const override
    {
        return NO_PORT;
    }

    void FindWays(LocationId dst, CameBy at, Ways& ways) const override;
    void DrawWays(LocationId dst, CameBy at, std::minstd_rand& random, Ways& ways) const override;
    bool IsDeadEnd(LocationId dst,
                   CameBy at,
                   const std::vector<bool>& dead,
                   Ways& ways) const override;
    std::optional<TreeLink> FindTreeLink(uint32_t root, uint32_t number) const override;
    uint32_t RootOfTree(uint32_t root, const std::vector<uint32_t>& switches) const override;

  private:
    static constexpr uint16_t NO_PORT = 0xFFFF; ///< Of no switch.

    /// Where a frame is on its path.
    struct Place
    {
        uint32_t dst;  ///< Switch to which it goes, another one.
        uint32_t from; ///< Switch from which it comes, NO_SWITCH from a host.
        uint8_t links; ///< That it has come by.
    };

    Place PlaceOf(LocationId dst, CameBy at) const;
    /// Adds the port of a host of this switch. @return whether it is one
    bool AddHost(LocationId dst, Ways& ways) const;
    /// @return whether a link is the begin of a shortest way
    bool IsShortest(const GraphWiring::Link& link, const Place& place) const;
    /// Adds a link that does not lead back, if what is left of the channels suffices for what comes
    /// after it.
    void AddIfItFits(const GraphWiring::Link& link, const Place& place, Ways& ways) const;
    /// Adds the shortest ways, but those back.
    void AddShortest(const Place& place, Ways& ways) const;
    /// As FindWays(), to another switch.
    void FindAll(const Place& place, Ways& ways) const;

    std::shared_ptr<const GraphWiring> m_wiring; ///< Of all switches.
    uint32_t m_number;                           ///< Of the switch.
    bool m_makesDetours;                         ///< By load.
};

} // namespace ns3::fabric

#endif // FABRIC_GRAPH_RULE_H
