/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PATH_RULE_H
#define FABRIC_PATH_RULE_H

#include "fabric-dead-ends.h"
#include "fabric-interval-routing.h"
#include "fabric-tree-port.h"
#include "fabric-types.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace ns3::fabric
{

/// How a frame has come to a switch.
struct CameBy
{
    uint16_t port; ///< Input port.
    uint8_t vc;    ///< Virtual channel of its class by which it came, from 0; a host's is not read.
};

/// One thing that a switch may do with a frame.
struct Way
{
    uint16_t port; ///< Output port.
    uint8_t vc;    ///< Virtual channel of its class on the link that follows, from 0.
    uint8_t hops;  ///< Most links that are left by it, that to the host not counted.
    uint8_t rank;  ///< Ways are for when all of a lower rank have failed.
    bool isDetour; ///< Whether it is no shortest way.
};

/// Several of them.
using Ways = std::vector<Way>;

/// What a switch tells of its own links, to whom (FC-12).
struct ToldLinks
{
    PortRange outputs;    ///< Whose loads are told. The first port is the same at all switches.
    PortRange neighbours; ///< Ports to those who are told, and who tell theirs.
    uint32_t words = 0;   ///< Loads that all these tell together.
};

/**
 * Routing of a switch where the way of a frame, and its virtual channel, depend on how it came
 * (FC-12, SU-6).
 *
 * A traffic class has VirtualChannels() channels for itself, so one proof is good for all classes.
 * Only a destination's own switch tells it from the other hosts there (Reachability,
 * CheckRoutes()).
 */
class PathRule
{
  public:
    virtual ~PathRule() = default;

    /// @return virtual channels that frames of a class need on their way, at least 1
    virtual uint32_t VirtualChannels() const = 0;

    /// @return a port by which frames of hosts come, or might
    virtual uint16_t HostPort() const
    {
        return 0;
    }

    /// @param dst a destination @return whether there is such a host
    virtual bool Knows(LocationId dst) const = 0;

    /**
     * All that the switch may ever do with a frame: what a proof and a search for ways around
     * failures look at.
     *
     * @param dst destination, which is known
     * @param ways is appended to
     */
    virtual void FindWays(LocationId dst, CameBy at, Ways& ways) const = 0;

    /**
     * What the switch weighs for one frame, if no link has failed.
     *
     * @param dst destination, which is known
     * @param random draws among ways that are alike
     * @param ways is appended to
     */
    virtual void DrawWays(LocationId dst,
                          CameBy at,
                          std::minstd_rand& random,
                          Ways& ways) const = 0;

    /**
     * What a search for ways around failures asks of each port and channel.
     *
     * @param dst destination, which is known
     * @param dead whether a way leads nowhere, by DeadEnds::NumberOf() its port and channel
     * @param ways is overwritten
     * @return whether all ways do, and there are some
     */
    virtual bool IsDeadEnd(LocationId dst,
                           CameBy at,
                           const std::vector<bool>& dead,
                           Ways& ways) const
    {
        ways.clear();
        FindWays(dst, at, ways);
        return !ways.empty() && std::all_of(ways.begin(), ways.end(), [&dead](const Way& way) {
            return dead[DeadEnds::NumberOf(way.port, way.vc)];
        });
    }

    /// @return whether anybody chooses between ways by what neighbours tell of their links
    virtual bool WeighsLinksOfNeighbours() const
    {
        return false;
    }

    /// @return what is told if somebody does
    virtual ToldLinks Told() const
    {
        return {};
    }

    /**
     * Of what neighbours tell, what matters for a way.
     *
     * @param dst destination, which is known
     * @param way one of those for it
     * @param outputs is appended to: outputs of the neighbour behind, of which it takes one
     * @return whether the way takes one more such link further on, of which nobody tells here
     */
    virtual bool FindNextOutputs(LocationId dst,
                                 const Way& way,
                                 std::vector<uint16_t>& outputs) const
    {
        (void)dst;
        (void)way;
        (void)outputs;
        return false;
    }

    /// @return switches of a group, where groups can be alike (IsAlike()); 0 where they are not
    virtual uint32_t GroupSwitches() const
    {
        return 0;
    }

    /**
     * @param other rule of another switch
     * @return whether it finds the same ways as the other one does, for destinations that are as
     * many groups further on
     */
    virtual bool IsAlike(const PathRule& other) const
    {
        return this == &other;
    }

    /**
     * How the tree of a group goes on toward its root (FC-16). Trees may take more channels than
     * VirtualChannels(), where no class has them for itself.
     *
     * @param root number of another switch
     * @param number of the group, which chooses among links that are alike
     * @return the link, nothing if there are no such trees
     */
    virtual std::optional<TreeLink> FindTreeLink(uint32_t root, uint32_t number) const
    {
        (void)root;
        (void)number;
        return std::nullopt;
    }

    /**
     * @param root a switch of a tree
     * @param switches all of it, if that is the root
     * @return the one of them that has to be the root
     */
    virtual uint32_t RootOfTree(uint32_t root, const std::vector<uint32_t>& switches) const
    {
        (void)switches;
        return root;
    }

    /**
     * @param dst destination, which is known
     * @return a shortest way
     */
    Way ShortestWay(LocationId dst, CameBy at) const
    {
        Ways ways;
        FindWays(dst, at, ways);
        return *std::min_element(ways.begin(), ways.end(), [](const Way& a, const Way& b) {
            return a.hops < b.hops;
        });
    }
};

} // namespace ns3::fabric

#endif // FABRIC_PATH_RULE_H
