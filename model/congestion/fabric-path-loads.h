/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PATH_LOADS_H
#define FABRIC_PATH_LOADS_H

#include "fabric-types.h"

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
     * @return flows that share the links from here to there, summed over them: see FlowLoad()
     */
    virtual uint32_t LoadBy(uint32_t port, LocationId dst) const = 0;

    /// @return a number by which one of several equal ways to a destination is taken: hosts of a
    /// switch have different ones where the way begins, and switches where it goes on
    virtual uint32_t TurnOf(LocationId dst) const = 0;
};

/// Rate at which a flow is a load of 1, bit/s: the load of a link is its flows by its rate, and
/// says what share of it each has.
inline constexpr uint64_t LOAD_RATE = 8'000'000'000'000;

/// @return load of a link, 1/(8 Tb/s)
inline constexpr uint32_t
FlowLoad(uint32_t flows, uint64_t bitsPerSecond)
{
    return static_cast<uint32_t>(flows * LOAD_RATE / bitsPerSecond);
}

} // namespace ns3::fabric

#endif // FABRIC_PATH_LOADS_H
