/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HOST_SPLIT_H
#define FABRIC_HOST_SPLIT_H

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3::fabric
{

/// Where two jobs run that share a fabric.
enum class JobPlacement : uint8_t
{
    RANDOM,      ///< Each on random hosts, in random order.
    INTERLEAVED, ///< Hosts of both alternate, each spread over all.
    LINEAR,      ///< One after the other.
};

/// Draws a number. @param n how many there are @return one of 0 to n - 1, all equally likely
using DrawFunction = std::function<uint32_t(uint32_t n)>;

/// @return the numbers 0 to n - 1 in random order
std::vector<uint32_t> DrawOrder(uint32_t n, const DrawFunction& draw);

/// Hosts of two jobs, as GPCNeT divides a machine (Chunduri et al., SC'19).
struct HostSplit
{
    std::vector<uint32_t> victims;    ///< Measure; rank 0 first.
    std::vector<uint32_t> aggressors; ///< Load the fabric.

    /**
     * @param hosts of the fabric
     * @param victims how many
     * @param aggressors how many; hosts that are left over are idle
     * @param draw for RANDOM
     * @throws std::invalid_argument if there are more than hosts
     */
    HostSplit(uint32_t hosts,
              uint32_t victims,
              uint32_t aggressors,
              JobPlacement placement,
              const DrawFunction& draw);
};

} // namespace ns3::fabric

#endif // FABRIC_HOST_SPLIT_H
