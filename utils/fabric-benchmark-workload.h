/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BENCHMARK_WORKLOAD_H
#define FABRIC_BENCHMARK_WORKLOAD_H

#include "ns3/fabric-helper.h"
#include "ns3/fabric-incast-helper.h"
#include "ns3/fabric-initiator-application.h"
#include "ns3/fabric-message-sender-helper.h"
#include "ns3/fabric-transport-helper.h"
#include "ns3/fabric-types.h"
#include "ns3/string.h"
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

/// Installs what sends the messages of a workload.
class BenchmarkSenders
{
  public:
    virtual ~BenchmarkSenders() = default;

    /**
     * @param from host that sends
     * @param to host that receives
     * @param bytes of each message
     * @param count of messages, SPARSE_INTERVAL apart
     */
    virtual void Install(uint32_t from, uint32_t to, uint64_t bytes, uint64_t count) = 0;
};

/// Senders of the fabric's own messages.
class BenchmarkMessageSenders : public BenchmarkSenders
{
  public:
    /// @param fabric where to install
    explicit BenchmarkMessageSenders(const FabricContainer& fabric)
        : m_fabric(fabric)
    {
    }

    void Install(uint32_t from, uint32_t to, uint64_t bytes, uint64_t count) override
    {
        FabricMessageSenderHelper sender(bytes);
        sender.SetAttribute("Count", UintegerValue(count));
        if (count > 1)
        {
            sender.SetAttribute("Interval", TimeValue(PicoSeconds(SPARSE_INTERVAL)));
        }
        sender.Install(m_fabric, from, to);
    }

  private:
    const FabricContainer& m_fabric; ///< Where to install.
};

/// Initiators of the reliable transport, which runs in the NICs: each message is a push.
class BenchmarkPushSenders : public BenchmarkSenders
{
  public:
    /// @param fabric where to install; all its hosts get a transport
    explicit BenchmarkPushSenders(const FabricContainer& fabric)
        : m_fabric(fabric)
    {
        m_helper.InstallNic(fabric.hosts);
        m_helper.SetInitiatorAttribute("Operations", StringValue("write"));
    }

    void Install(uint32_t from, uint32_t to, uint64_t bytes, uint64_t count) override
    {
        const TimePs interval = count > 1 ? SPARSE_INTERVAL : 0;
        m_helper.SetInitiatorAttribute("Bytes", UintegerValue(bytes));
        m_helper.SetInitiatorAttribute("Count", UintegerValue(count));
        m_helper.SetInitiatorAttribute("Interval", TimeValue(PicoSeconds(interval)));
        const ApplicationContainer initiator =
            m_helper.InstallInitiator(m_fabric.hosts.Get(from),
                                      m_fabric.GetDevice(to)->GetAddress());
        m_initiators.push_back(DynamicCast<FabricInitiatorApplication>(initiator.Get(0)));
    }

    /// @return the initiators, in the order in which they were installed
    const std::vector<Ptr<FabricInitiatorApplication>>& GetInitiators() const
    {
        return m_initiators;
    }

  private:
    const FabricContainer& m_fabric;                           ///< Where to install.
    FabricTransportHelper m_helper;                            ///< Makes them.
    std::vector<Ptr<FabricInitiatorApplication>> m_initiators; ///< All.
};

/// Sends one message from each host to each of its destinations; a NIC serves its flows in turn.
inline BenchmarkLoad
InstallPermutation(const BenchmarkWorkload& workload, uint32_t hosts, BenchmarkSenders& senders)
{
    const uint64_t bytes = std::max<uint64_t>(1, workload.bytes / workload.fan);
    for (uint32_t host = 0; host < hosts; ++host)
    {
        for (uint32_t i = 0; i < workload.fan; ++i)
        {
            senders.Install(host, (host + hosts / 2 + i) % hosts, bytes, 1);
        }
    }
    const uint64_t messages = uint64_t{hosts} * workload.fan;
    return {messages, messages * bytes};
}

/// Sends one message from each of some hosts to the first one.
inline BenchmarkLoad
InstallIncast(const BenchmarkWorkload& workload,
              const FabricContainer& fabric,
              BenchmarkSenders& senders)
{
    for (const uint32_t host : IncastHelper(workload.fan, workload.bytes).GetSenders(fabric))
    {
        senders.Install(host, IncastHelper::RECEIVER, workload.bytes, 1);
    }
    return {workload.fan, workload.fan * workload.bytes};
}

/// Sends messages of a frame's size each, far apart.
inline BenchmarkLoad
InstallPair(const BenchmarkWorkload& workload, uint32_t hosts, BenchmarkSenders& senders)
{
    const uint64_t messages = (workload.bytes + MAX_PAYLOAD - 1) / MAX_PAYLOAD;
    senders.Install(0, hosts / 2, MAX_PAYLOAD, messages);
    return {messages, messages * MAX_PAYLOAD};
}

/**
 * @param workload what to send
 * @param fabric through which
 * @param senders what sends it
 * @return what will be sent
 */
inline BenchmarkLoad
InstallSenders(const BenchmarkWorkload& workload,
               const FabricContainer& fabric,
               BenchmarkSenders& senders)
{
    switch (workload.pattern)
    {
    case BenchmarkPattern::PERMUTATION:
        return InstallPermutation(workload, fabric.hosts.GetN(), senders);
    case BenchmarkPattern::INCAST:
        return InstallIncast(workload, fabric, senders);
    case BenchmarkPattern::PAIR:
        return InstallPair(workload, fabric.hosts.GetN(), senders);
    }
    return {};
}

} // namespace fabric
} // namespace ns3

#endif // FABRIC_BENCHMARK_WORKLOAD_H
