/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BENCHMARK_WORKLOAD_H
#define FABRIC_BENCHMARK_WORKLOAD_H

#include "ns3/fabric-dragonfly.h"
#include "ns3/fabric-types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// Who sends to whom in a benchmark.
enum class BenchmarkPattern
{
    PERMUTATION, ///< Each host i to i + hosts/2 and the hosts after it.
    INCAST,      ///< Hosts spread over the tree to host 0.
    PAIR,        ///< Host 0 to host hosts/2, a frame every SPARSE_INTERVAL.
    UNIFORM,     ///< Each host at random times, each message to another host that is drawn.
};

/// What is sent through which fat tree of three levels, or dragonfly (PF-1).
struct BenchmarkWorkload
{
    std::string name;            ///< As on the command line.
    BenchmarkPattern pattern;    ///< Who sends to whom.
    uint32_t radix;              ///< Ports of a switch of the tree; 0 for a dragonfly.
    uint64_t gbps;               ///< Rate of the links, Gb/s.
    TimePs delay;                ///< Propagation delay of the links, ps.
    uint32_t fan;                ///< Destinations of each sender, or senders of an incast.
    uint64_t bytes;              ///< That each sender sends in all.
    DragonflyConfig dragonfly{}; ///< Which one, if it is one.
    TimePs globalDelay{0};       ///< Propagation delay of links between its groups, ps.
    uint64_t message{0};         ///< Bytes of each message, if they are sent at random times.
};

/// Time between the frames of a pair, ps: what a host that sends now and then does.
inline constexpr TimePs SPARSE_INTERVAL = 80'000'000;

/// Part of the link rate at which hosts send with BenchmarkPattern::UNIFORM.
inline constexpr double UNIFORM_LOAD = 0.9;

/**
 * The window of a switch (DP-2) is the delay of its links and its latency for control
 * frames, 50 ns by default. With links of 50 ns it is 100 ns.
 *
 * @return all workloads, in the order in which they are run
 */
inline const std::vector<BenchmarkWorkload>&
BenchmarkWorkloads()
{
    using P = BenchmarkPattern;
    constexpr TimePs us = 1'000'000;
    constexpr TimePs local = 300'000;
    // The largest balanced dragonfly with 15 ports a switch, and one of Frontier's size. Hosts send
    // for 50 us and 10 us.
    const DragonflyConfig balanced{4, 8, 4, 0, 0, 1, DRAGONFLY_UGAL};
    const DragonflyConfig frontier{16, 32, 17, 74, 4, 1, DRAGONFLY_UGAL};
    static const std::vector<BenchmarkWorkload> workloads{
        {"P128", P::PERMUTATION, 8, 100, us, 1, 16'000'000},
        {"P1024", P::PERMUTATION, 16, 200, us, 1, 2'000'000},
        {"P8192", P::PERMUTATION, 32, 200, us, 1, 256'000},
        {"I32", P::INCAST, 8, 100, us, 32, 1'000'000},
        {"I100", P::INCAST, 16, 200, us, 100, 1'000'000},
        {"I1000", P::INCAST, 16, 200, us, 1000, 1'000'000},
        {"P128W100", P::PERMUTATION, 8, 100, us / 20, 1, 16'000'000},
        {"P1024W100", P::PERMUTATION, 16, 200, us / 20, 1, 2'000'000},
        {"P128F16", P::PERMUTATION, 8, 100, us, 16, 16'000'000},
        {"P1024F16", P::PERMUTATION, 16, 200, us, 16, 2'000'000},
        {"D1056", P::UNIFORM, 0, 200, local, 1, 1'125'000, balanced, us, 65536},
        {"D1056M4K", P::UNIFORM, 0, 200, local, 1, 1'125'000, balanced, us, MAX_PAYLOAD},
        {"D38K", P::UNIFORM, 0, 200, local, 1, 225'000, frontier, us, 65536},
        {"SPARSE", P::PAIR, 16, 200, us, 1, 100'000 * MAX_PAYLOAD},
    };
    return workloads;
}

} // namespace ns3::fabric

#endif // FABRIC_BENCHMARK_WORKLOAD_H
