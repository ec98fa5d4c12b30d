/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BENCHMARK_WORKLOAD_H
#define FABRIC_BENCHMARK_WORKLOAD_H

#include "ns3/fabric-helper.h"
#include "ns3/fabric-incast-helper.h"
#include "ns3/fabric-message-sender.h"
#include "ns3/fabric-types.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace fabric
{

/// Who sends to whom in a benchmark.
enum class BenchmarkPattern
{
    PERMUTATION, ///< Each host i to i + hosts/2 and the hosts after it.
    INCAST,      ///< Hosts spread over the tree to host 0.
    PAIR,        ///< Host 0 to host hosts/2, a frame every SPARSE_INTERVAL.
};

/// What is sent through which fat tree of three levels (PF-1).
struct BenchmarkWorkload
{
    std::string name;         ///< As on the command line.
    BenchmarkPattern pattern; ///< Who sends to whom.
    uint32_t radix;           ///< Ports of a switch.
    uint64_t gbps;            ///< Rate of the links, Gb/s.
    TimePs delay;             ///< Propagation delay of the links, ps.
    uint32_t fan;             ///< Destinations of each sender, or senders of an incast.
    uint64_t bytes;           ///< That each sender sends in all.
};

/// Time between the frames of a pair, ps: what a host that sends now and then does.
inline constexpr TimePs SPARSE_INTERVAL = 80'000'000;

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
        {"SPARSE", P::PAIR, 16, 200, us, 1, 100'000 * MAX_PAYLOAD},
    };
    return workloads;
}

/// What the senders of a workload will send.
struct BenchmarkLoad
{
    uint64_t messages{0}; ///< In all.
    uint64_t bytes{0};    ///< Payload in all.
};

/// Installs the senders of a workload and counts what they will send.
class BenchmarkSenders
{
  public:
    /**
     * @param workload what to send
     * @param fabric through which
     */
    BenchmarkSenders(const BenchmarkWorkload& workload, const FabricContainer& fabric)
        : m_workload(workload),
          m_fabric(fabric)
    {
        switch (workload.pattern)
        {
        case BenchmarkPattern::PERMUTATION:
            InstallPermutation();
            break;
        case BenchmarkPattern::INCAST:
            IncastHelper(workload.fan, workload.bytes).Install(fabric);
            m_load = {workload.fan, workload.fan * workload.bytes};
            break;
        case BenchmarkPattern::PAIR:
            InstallPair();
            break;
        }
    }

    /// @return what will be sent
    const BenchmarkLoad& GetLoad() const
    {
        return m_load;
    }

  private:
    /// One message from each host to each of its destinations; a NIC serves its flows in turn.
    void InstallPermutation()
    {
        const uint64_t bytes = std::max<uint64_t>(1, m_workload.bytes / m_workload.fan);
        for (uint32_t host = 0; host < m_fabric.hosts.GetN(); ++host)
        {
            for (uint32_t i = 0; i < m_workload.fan; ++i)
            {
                Install(host, host + m_fabric.hosts.GetN() / 2 + i, bytes, 1);
            }
        }
    }

    /// Messages of a frame each, far apart.
    void InstallPair()
    {
        const uint64_t frames = (m_workload.bytes + MAX_PAYLOAD - 1) / MAX_PAYLOAD;
        Install(0, m_fabric.hosts.GetN() / 2, MAX_PAYLOAD, frames);
    }

    /// Installs one sender.
    void Install(uint32_t from, uint32_t to, uint64_t bytes, uint64_t count)
    {
        auto sender = CreateObject<FabricMessageSender>();
        const LocationId remote = LocationOf(to % m_fabric.hosts.GetN());
        sender->SetAttribute("Remote", UintegerValue(remote));
        sender->SetAttribute("Bytes", UintegerValue(bytes));
        sender->SetAttribute("Count", UintegerValue(count));
        if (count > 1)
        {
            sender->SetAttribute("Interval", TimeValue(PicoSeconds(SPARSE_INTERVAL)));
        }
        m_fabric.hosts.Get(from)->AddApplication(sender);
        m_load.messages += count;
        m_load.bytes += count * bytes;
    }

    const BenchmarkWorkload& m_workload; ///< What to send.
    const FabricContainer& m_fabric;     ///< Through which fabric.
    BenchmarkLoad m_load;                ///< What will be sent.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_BENCHMARK_WORKLOAD_H
