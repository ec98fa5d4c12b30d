/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ideal-completion.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ns3::fabric
{

namespace
{

constexpr double PS_PER_SECOND = 1e12; ///< Picoseconds in a second.

/**
 * @param bytes bytes to send
 * @param rate bit/s
 * @return how long they take, ps
 */
double
SerializationTime(double bytes, uint64_t rate)
{
    if (rate == 0)
    {
        throw std::invalid_argument("ideal completion: a rate is 0 bit/s, it must be positive");
    }
    return bytes * 8 * PS_PER_SECOND / static_cast<double>(rate);
}

} // namespace

TimePs
BaseRtt(const std::vector<PathHop>& path, uint64_t payload)
{
    if (path.empty())
    {
        throw std::invalid_argument("ideal completion: the path has no links");
    }
    TimePs delays = 0;
    double serialization = 0;
    for (const PathHop& hop : path)
    {
        delays += hop.delay;
        serialization += SerializationTime(static_cast<double>(payload), hop.rate);
    }
    return 2 * delays + std::llround(serialization);
}

uint64_t
BytesWithHeaders(uint64_t bytes, uint64_t payload, uint64_t overhead)
{
    if (payload == 0)
    {
        throw std::invalid_argument("ideal completion: the payload of a frame is 0 bytes");
    }
    const uint64_t frames = bytes == 0 ? 1 : (bytes - 1) / payload + 1;
    return bytes + frames * overhead;
}

TimePs
HpccIdeal(const std::vector<PathHop>& path, uint64_t bytes, uint64_t payload, uint64_t overhead)
{
    const TimePs baseRtt = BaseRtt(path, payload);
    const auto slowest =
        std::min_element(path.begin(), path.end(), [](const PathHop& a, const PathHop& b) {
            return a.rate < b.rate;
        });
    const auto onLink = static_cast<double>(BytesWithHeaders(bytes, payload, overhead));
    return baseRtt + std::llround(SerializationTime(onLink, slowest->rate));
}

double
Slowdown(TimePs measured, TimePs ideal)
{
    if (ideal <= 0)
    {
        throw std::invalid_argument("slowdown: the ideal time must be positive");
    }
    return static_cast<double>(measured) / static_cast<double>(ideal);
}

} // namespace ns3::fabric
