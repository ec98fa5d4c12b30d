/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PATH_LOADS_H
#define FABRIC_PATH_LOADS_H

#include "fabric-types.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// Whether switches tell their neighbours how loaded the ways by them are (FC-12).
struct NeighbourLoadSettings
{
    bool isOn{false}; ///< Whether they do.
    /// Least time between two words to a neighbour, ps. Chosen by a sweep from 0.3 to 10 us, where
    /// it matters little.
    TimePs time{1'000'000};
};

/// What is known of the loads of whole paths, here and further on (FC-12).
class PathLoads
{
  public:
    virtual ~PathLoads() = default;

    /**
     * @param port of an output
     * @param dst a destination to which it leads
     * @return flows that share the links from here to there with one that begins, summed over them:
     * see LoadScale
     */
    virtual uint32_t LoadBy(uint32_t port, LocationId dst) const = 0;

    /// @return a number by which one of several equal ways to a destination is taken: hosts of a
    /// switch have different ones where the way begins, and switches where it goes on
    virtual uint32_t TurnOf(LocationId dst) const = 0;
};

/**
 * Loads of links: the flows on a link by its rate, which says what share of it each of them has.
 *
 * They are relative to the fastest link, so a fabric of slow links has the loads that one of fast
 * links has, and codes of 8 bits have room for both. All switches of a fabric have the same scale.
 */
class LoadScale
{
  public:
    /// Load of a flow that has the fastest link for itself: so much that codes tell slower links
    /// apart, and so little that 12,000 flows have one.
    static constexpr uint64_t ONE_FLOW = 40;

    /// A scale for those that nobody tells.
    LoadScale() = default;

    /// @param fastest rate of the fastest link between switches of the fabric, bit/s
    explicit LoadScale(uint64_t fastest)
        : m_rate(static_cast<double>(ONE_FLOW) * static_cast<double>(fastest))
    {
    }

    /// @return load of a link with a single flow
    double OfFlow(uint64_t bitsPerSecond) const
    {
        return m_rate / static_cast<double>(bitsPerSecond);
    }

    /// @return load of a link, a billion at most
    uint32_t Of(uint32_t flows, uint64_t bitsPerSecond) const
    {
        constexpr double MOST = 1e9;
        return static_cast<uint32_t>(std::min(flows * OfFlow(bitsPerSecond), MOST));
    }

  private:
    double m_rate{8e12}; ///< At which a flow is a load of 1, bit/s.
};

} // namespace ns3::fabric

#endif // FABRIC_PATH_LOADS_H
