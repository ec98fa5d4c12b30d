/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TORUS_RULE_H
#define FABRIC_TORUS_RULE_H

#include "fabric-grid-rule.h"

namespace ns3::fabric
{

/// Which paths frames take through a torus.
enum TorusMode : uint8_t
{
    TORUS_DIMENSION_ORDER, ///< One dimension after the other, from the first on, the shorter way.
    TORUS_MINIMAL,         ///< From the first on or from the last on, whichever waits less.
    TORUS_ADAPTIVE,        ///< The same, and round each ring the way that waits less.
};

/**
 * Routing of a switch of a torus, computed from the address (FC-13).
 *
 * Ports of a switch: those to hosts, then for each dimension one that leads up, to the next
 * coordinate, and one that leads down. A frame goes round each ring in one direction, which the
 * port tells by which it comes, and through the dimensions in one order, which its virtual channel
 * tells:
 *
 * | channel | order of dimensions | of the way in this ring                |
 * |---------|---------------------|----------------------------------------|
 * | 0       | from the first on   | before the link between last and first |
 * | 1       | from the first on   | behind it, or where it is not passed   |
 * | 2       | from the last on    | as 0                                   |
 * | 3       | from the last on    | as 1                                   |
 *
 * A ring has no cycle since channel 0 ends with that link (the date line; Dally and Seitz,
 * "Deadlock-free message routing in multiprocessor interconnection networks", 1987), also the long
 * way round; dimensions have none by their order. The two orders have channels of their own, and a
 * frame never changes between them (Seo et al., "Near-optimal worst-case throughput routing for
 * two-dimensional mesh networks", ISCA 2005).
 *
 * Trees of groups (FC-16) are the ways of all their switches to the root in the order from the
 * first dimension on, by channels 0 and 1, and back, which is the order from the last on, by 2 and
 * 3 behind the date line. Frames turn from the one to the other, never back. So in all modes.
 *
 * Where the shorter way round a ring has failed, the longer one is taken in all modes.
 */
class TorusRule : public GridRule
{
  public:
    /**
     * @param grid of the switches
     * @param number of the switch
     */
    TorusRule(std::shared_ptr<const SwitchGrid> grid, uint32_t number, TorusMode mode);

    uint32_t VirtualChannels() const override
    {
        return m_mode == TORUS_DIMENSION_ORDER ? 2 : 4;
    }

    std::optional<TreeLink> FindTreeLink(uint32_t root, uint32_t number) const override;

    /// @param up whether to the next coordinate, or to the one before @return port that leads there
    static uint16_t PortOf(const SwitchGrid& grid, uint32_t dimension, bool up)
    {
        return static_cast<uint16_t>(grid.HostsPerSwitch() + 2 * dimension + (up ? 0 : 1));
    }

  protected:
    void FindOn(const Point& dst, CameBy at, Ways& ways) const override;
    void DrawOn(const Point& dst, CameBy at, std::minstd_rand& random, Ways& ways) const override;

  private:
    /// Orders of dimensions, by a frame's virtual channel.
    enum Order : uint8_t
    {
        FROM_FIRST = 0, ///< Channels 0 and 1.
        FROM_LAST = 1,  ///< Channels 2 and 3.
    };

    /// All ways up to a rank.
    void AddWays(const Point& dst, CameBy at, uint8_t mostRank, Ways& ways) const;
    /// Both ways round the ring of the next dimension in an order.
    void AddRing(const Point& dst, Order order, uint8_t mostRank, Ways& ways) const;
    /// @return links to go in a ring. @param up in which direction
    uint32_t LinksInRing(const Point& dst, uint32_t dimension, bool up) const;
    /// @return the shorter of both directions
    uint32_t ShortestInRing(const Point& dst, uint32_t dimension) const;
    /// @return in which direction a tree goes to its root in a ring
    bool IsRootAbove(const Point& root, uint32_t dimension, uint32_t number) const;
    /// @return channel of a tree on the link that comes from its root in a ring @param up whether
    /// this link leads to the next coordinate
    uint8_t ChannelFromRoot(const Point& root, uint32_t dimension, bool up) const;
    /// @return the way by a port
    Way WayAlong(const Point& dst, uint32_t dimension, bool up, Order order) const;

    TorusMode m_mode; ///< Which paths.
};

} // namespace ns3::fabric

#endif // FABRIC_TORUS_RULE_H
