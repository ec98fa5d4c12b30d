/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HYPERX_RULE_H
#define FABRIC_HYPERX_RULE_H

#include "fabric-grid-rule.h"
#include "fabric-hyperx-wiring.h"

#include <memory>

namespace ns3::fabric
{

/// Which paths frames take through a HyperX.
enum HyperXMode : uint8_t
{
    HYPERX_DIMENSION_ORDER, ///< One dimension after the other, one link in each.
    HYPERX_BY_DIMENSION,    ///< The same, or in each by another switch, whichever waits less.
    HYPERX_MINIMAL,         ///< The dimensions in whatever order waits less.
    HYPERX_ADAPTIVE,        ///< The same, with detours as far as virtual channels suffice.
};

/**
 * Routing of a switch of a HyperX, computed from the address (FC-13): Ahn, Binkert, Davis, McLaren,
 * Schreiber, "HyperX: topology, routing, and packaging of efficient large-scale networks", SC'09.
 *
 * The first two modes take channel 1 to the switch with the destination's coordinate, and channel 0
 * to any other switch of the line (a detour, from which only channel 1 goes on). With the order of
 * dimensions there is no cycle. The other two count links: the n-th link of a path has channel n.
 * Four channels allow paths of four links, so there is a detour for each link less than four that
 * the shortest path has. A detour is in a dimension that is still to be gone, and not right after
 * another in the same one. (McDonald et al., "Practical and efficient incremental adaptive routing
 * for HyperX networks", SC'19, have both and call them DimWAR and OmniWAR.)
 *
 * Trees of groups (FC-16) are the ways of all their switches to the root in the order of
 * dimensions, with channel 1 in all modes, and back with channel 2: up the dimensions, then down
 * them, so that neither has a cycle. What else takes these channels goes through the dimensions in
 * their order, or never stays on a channel.
 *
 * Modes without detours have them where links have failed.
 */
class HyperXRule : public GridRule
{
  public:
    /// Detours that are weighed for a frame; see DragonflyRule::DRAWN.
    static constexpr uint32_t DRAWN = 4;

    /**
     * @param wiring of the HyperX, which its switches share
     * @param number of the switch
     */
    HyperXRule(const std::shared_ptr<const HyperXWiring>& wiring, uint32_t number, HyperXMode mode);

    uint32_t VirtualChannels() const override
    {
        return IsInOrder() ? 2 : MOST_LINKS;
    }

    std::optional<TreeLink> FindTreeLink(uint32_t root, uint32_t number) const override;

    static constexpr uint32_t MOST_LINKS = VIRTUAL_CHANNELS; ///< Of a path that counts them.

  protected:
    void FindOn(const Point& dst, CameBy at, Ways& ways) const override;
    void DrawOn(const Point& dst, CameBy at, std::minstd_rand& random, Ways& ways) const override;

  private:
    static constexpr uint32_t NO_DIMENSION = 0xFF; ///< See Place.

    /// Where a frame is on its path.
    struct Place
    {
        uint32_t left;     ///< Dimensions still to be gone.
        uint32_t next;     ///< First of them.
        uint32_t detoured; ///< In which it has just made a detour; NO_DIMENSION for none.
        uint8_t links;     ///< Between switches that it has come by, if they are counted.
    };

    /// Whether dimensions are gone in their order.
    bool IsInOrder() const
    {
        return m_mode == HYPERX_DIMENSION_ORDER || m_mode == HYPERX_BY_DIMENSION;
    }

    Place PlaceOf(const Point& dst, CameBy at) const;
    /// @return whether a detour may be made in a dimension
    bool CanDetour(const Point& dst, const Place& place, uint32_t dimension) const;
    /// The links to a coordinate.
    void AddLinks(uint32_t dimension, uint32_t coordinate, Way way, Ways& ways) const;
    /// Shortest ways.
    void AddShortest(const Point& dst, const Place& place, Ways& ways) const;
    /// @return what all detours have in common
    Way DetourFrom(const Place& place) const;
    /// Detours in a dimension by switches from a coordinate on, at most so many.
    void AddDetours(const Point& dst,
                    const Place& place,
                    uint32_t dimension,
                    uint32_t first,
                    uint32_t count,
                    Ways& ways) const;

    std::shared_ptr<const HyperXWiring> m_wiring; ///< Of all switches.
    HyperXMode m_mode;                            ///< Which paths.
};

} // namespace ns3::fabric

#endif // FABRIC_HYPERX_RULE_H
