/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DRAGONFLY_RULE_H
#define FABRIC_DRAGONFLY_RULE_H

#include "fabric-dragonfly-wiring.h"
#include "fabric-fast-divisor.h"
#include "fabric-path-rule.h"

#include <memory>

namespace ns3::fabric
{

/// Which paths frames take through a dragonfly.
enum DragonflyMode : uint8_t
{
    DRAGONFLY_MINIMAL, ///< The shortest: at most one link inside a group, a global link, one more.
    DRAGONFLY_VALIANT, ///< By a random global link to another group, and from there the shortest.
    DRAGONFLY_UGAL,    ///< Whichever of the two waits less, as the first switch sees it (UGAL-L).
};

/**
 * Routing of a switch of a dragonfly, computed from the address (FC-13): Kim, Dally, Scott, Abts,
 * "Technology-driven, highly-scalable dragonfly topology", ISCA 2008.
 *
 * What a frame may still do is told by the virtual channel on which it comes, so it carries nothing
 * else:
 *
 * @verbatim
   comes by               it is in              and goes on by
   a host                 its first group       local 0, local 1, global 0, local 3
   local link,  channel 0 its first group       global 0 to its last group
   local link,  channel 1 its first group       global 0 to a group between, local 3
   global link, channel 0 a group between       local 2, global 1
                          its last group        local 3 (local 2 where that has failed)
   local link,  channel 2 a group between       global 1
                          its last group        local 3
   global link, channel 1 its last group        local 3
   local link,  channel 3 its last switch
   @endverbatim
 *
 * Each channel leads only to ones further down in the order local 0 and 1, global 0, local 2,
 * global 1, local 3: no cycle, so no deadlock. Minimal routing needs two: what is local 3 above is
 * local 1 then.
 *
 * Trees of groups (FC-16) keep to the same order in all modes: up local 0 and global 0, in the
 * group of the root local 2 up to it and down again, then down global 1 and local 3. Local 2 has no
 * cycle, since the root is the lowest switch of the tree in its group: frames go from higher
 * switches to lower ones, and then from lower to higher.
 *
 * A detour goes by a random global link of the first group, which is the same as a random group if
 * each has one link to each other. Inside a group it goes by one other switch.
 */
class DragonflyRule : public PathRule
{
  public:
    /// Ways of a kind that are weighed for a frame: a switch of this kind weighs up to four
    /// (95-facts: De Sensi et al., "An in-depth analysis of the Slingshot interconnect", SC'20).
    static constexpr uint32_t DRAWN = 4;

    /**
     * @param wiring of the dragonfly, which its switches share
     * @param number of the switch
     */
    DragonflyRule(std::shared_ptr<const DragonflyWiring> wiring,
                  uint32_t number,
                  DragonflyMode mode);

    uint32_t VirtualChannels() const override
    {
        return m_mode == DRAGONFLY_MINIMAL ? 2 : 4;
    }

    bool Knows(LocationId dst) const override;
    void FindWays(LocationId dst, CameBy at, Ways& ways) const override;
    void DrawWays(LocationId dst, CameBy at, std::minstd_rand& random, Ways& ways) const override;
    bool WeighsLinksOfNeighbours() const override;
    ToldLinks Told() const override;
    bool FindNextOutputs(LocationId dst,
                         const Way& way,
                         std::vector<uint16_t>& outputs) const override;
    uint32_t GroupSwitches() const override;
    bool IsAlike(const PathRule& other) const override;
    std::optional<TreeLink> FindTreeLink(uint32_t root, uint32_t number) const override;
    uint32_t RootOfTree(uint32_t root, const std::vector<uint32_t>& switches) const override;

  private:
    /// Virtual channels by the place on a path; see the class.
    enum Channel : uint8_t
    {
        TO_LAST_GROUP = 0, ///< Local, in the first group, to a link to the last.
        TO_DETOUR = 1,     ///< Local, in the first group, to a detour.
        BETWEEN = 2,       ///< Local, in a group between; trees in the group of their root.
        FROM_ROOT = 3,     ///< Local, of trees in other groups, down.
        FIRST_GLOBAL = 0,  ///< Global, out of the first group.
        SECOND_GLOBAL = 1, ///< Global, out of a group between.
    };

    /// Kinds of ports.
    enum class PortKind : uint8_t
    {
        HOST,
        LOCAL,
        GLOBAL,
    };

    /// Where a destination is.
    struct Place
    {
        uint32_t port;   ///< Of the host, on its switch.
        uint32_t index;  ///< Of its switch in the group.
        uint32_t offset; ///< How many groups further on; 0 is this one.
    };

    PortKind KindOf(uint16_t port) const;
    /// @param port that leads to another switch of the group @return index of that
    uint32_t IndexBehind(uint16_t port) const;
    /// @return where a host is that is known
    Place PlaceOf(LocationId dst) const;
    /// @return whether the destination is in a group from which detours to it can be
    bool CanDetour(const Place& place) const;

    /// @return channel of the last link inside a group
    uint8_t LastLocal() const
    {
        return static_cast<uint8_t>(VirtualChannels() - 1);
    }

    /// @return one of the links to another switch of the group @param number of a tree
    uint16_t LocalPortOfTree(uint32_t index, uint32_t number) const;
    /// The links to another switch of the group.
    void AddLocal(uint32_t index, Way way, Ways& ways) const;
    /// Own links to another group. @return whether there are any
    bool AddOwnLinks(uint32_t offset, Way way, Ways& ways) const;
    /// Links inside the group to each switch with a link to another group.
    void AddLinksOfOthers(uint32_t offset, Way way, Ways& ways) const;
    /// The same for some that are drawn.
    void DrawLinksOfOthers(uint32_t offset, Way way, std::minstd_rand& random, Ways& ways) const;
    /// Shortest ways to another group.
    void AddWaysToGroup(uint32_t offset, uint8_t local, uint8_t global, uint8_t rank, Ways&) const;
    /// Own links to groups other than one. @param offset of that one
    void AddOwnDetours(uint32_t offset, uint8_t hops, Ways& ways) const;
    /// All detours of a frame that begins here.
    void AddDetours(const Place& place, Ways& ways) const;
    /// The same for one that is drawn.
    void DrawDetour(const Place& place, std::minstd_rand& random, Ways& ways) const;
    /// Some of the shortest ways to another group.
    void DrawWaysToGroup(uint32_t offset,
                         uint8_t local,
                         uint8_t global,
                         std::minstd_rand& random,
                         Ways& ways) const;
    /// Some ways of a frame that begins here.
    void DrawFirst(const Place& place, std::minstd_rand& random, Ways& ways) const;
    /// All ways of a frame that begins here.
    void FindFirst(const Place& place, Ways& ways) const;
    /// Ways of a frame that came by a link inside the group, or between groups.
    void FindFromLocal(const Place& place, uint8_t vc, Ways& ways) const;
    void FindFromGlobal(const Place& place, uint8_t vc, Ways& ways) const;
    /// @return whether a switch of the group has a global link that leads to other groups than one
    bool HasDetour(uint32_t index, uint32_t offset) const;

    std::shared_ptr<const DragonflyWiring> m_wiring; ///< Of all switches.
    FastDivisor m_byHosts;                           ///< Hosts of a switch.
    FastDivisor m_bySwitches;                        ///< Switches of a group.
    uint32_t m_hosts;                                ///< Of the fabric.
    uint32_t m_group;                                ///< Of the switch.
    uint32_t m_index;                                ///< Of the switch in its group.
    uint32_t m_firstLink;                            ///< First of its global links.
    uint32_t m_endLink;                              ///< Behind the last of them.
    DragonflyMode m_mode;                            ///< Which paths.
};

} // namespace ns3::fabric

#endif // FABRIC_DRAGONFLY_RULE_H
