/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_IDEAL_COMPLETION_H
#define FABRIC_IDEAL_COMPLETION_H

#include "fabric-seconds.h"
#include "fabric-types.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/// A link on the path of a flow.
struct PathHop
{
    TimePs delay;  ///< Propagation delay, ps.
    uint64_t rate; ///< Rate, bit/s.
};

/**
 * The round trip of an otherwise idle path, as the scripts of HPCC compute it (Li et al.,
 * SIGCOMM'19): 2 x sum(delay) + sum(payload bits / rate).
 *
 * @param path the links from source to destination
 * @param payload bytes of payload of a full frame
 * @throws std::invalid_argument for an empty path or a rate of 0
 */
TimePs BaseRtt(const std::vector<PathHop>& path, uint64_t payload);

/**
 * @param bytes bytes of a message
 * @param payload payload of a full frame, bytes, at least 1
 * @param overhead bytes of header and trailer of a frame
 * @return bytes on a link, headers included; an empty message takes one frame
 */
uint64_t BytesWithHeaders(uint64_t bytes, uint64_t payload, uint64_t overhead);

/**
 * What HPCC's scripts take as the completion time of a flow that has the network alone:
 * base RTT + bytes x 8 / bottleneck. It has a whole round trip in it, so short flows are faster.
 *
 * @param path the links from source to destination
 * @param bytes of the flow, without headers
 * @param payload bytes of payload of a full frame, at least 1
 * @param overhead bytes of header and trailer of a frame
 * @throws std::invalid_argument for an empty path or a rate of 0
 */
TimePs HpccIdeal(const std::vector<PathHop>& path,
                 uint64_t bytes,
                 uint64_t payload,
                 uint64_t overhead);

/**
 * @param measured completion time, ps
 * @param ideal that in an empty fabric, ps
 * @return measured / ideal, which is 1 for what nothing has held up
 * @throws std::invalid_argument for an ideal time that is not positive
 */
double Slowdown(TimePs measured, TimePs ideal);

/// What tables say of an ideal time; empty fields if it is not known.
struct IdealFields
{
    /**
     * @param measured completion time, ps
     * @param ideal that in an empty fabric, ps
     */
    IdealFields(TimePs measured, std::optional<TimePs> ideal)
    {
        if (ideal)
        {
            seconds = ToSeconds(*ideal);
            slowdown = Slowdown(measured, *ideal);
        }
    }

    std::optional<double> seconds;  ///< The ideal time.
    std::optional<double> slowdown; ///< See Slowdown().
};

} // namespace ns3::fabric

#endif // FABRIC_IDEAL_COMPLETION_H
