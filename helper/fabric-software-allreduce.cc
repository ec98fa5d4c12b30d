/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-software-allreduce.h"

#include "fabric-net-device.h"
#include "fabric-rank-link.h"

#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{

namespace
{

constexpr uint64_t SEND_BYTES = 8; ///< Of each send.

/// @return location of a host
fabric::LocationId
LocationOf(const Ptr<FabricCommandQueues>& queues)
{
    return queues->GetDevice()->GetLocation();
}

} // namespace

FabricSoftwareAllreduce::FabricSoftwareAllreduce(std::vector<Ptr<FabricCommandQueues>> queues,
                                                 Time interval,
                                                 int64_t stream)
    : m_tree(static_cast<uint32_t>(queues.size())),
      m_interval(interval)
{
    if (queues.empty() || interval.IsStrictlyNegative())
    {
        throw std::invalid_argument("an all-reduce by software of " +
                                    std::to_string(queues.size()) + " hosts that look every " +
                                    std::to_string(interval.GetPicoSeconds()) +
                                    " ps; allowed is at least one host, and no negative time");
    }
    if (fabric::RankCount() > 1)
    {
        throw std::invalid_argument("an all-reduce by software on several ranks of MPI, between "
                                    "which words do not go; allowed is one, or "
                                    "FabricTriggeredAllreduce");
    }
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(stream);
    for (uint32_t rank = 0; rank < queues.size(); ++rank)
    {
        Software software;
        software.queues = queues[rank];
        software.missing = m_tree.ChildrenOf(rank).size();
        software.phase = PicoSeconds(static_cast<int64_t>(
            random->GetValue(0, static_cast<double>(interval.GetPicoSeconds()))));
        m_nodes.push_back(software);
        m_rank[LocationOf(queues[rank])] = rank;
        queues[rank]->SetReportCallback(Callback<void, const fabric::CommandReport&>(
            [this, rank](const fabric::CommandReport& report) { Learn(rank, report); }));
    }
}

void
FabricSoftwareAllreduce::Start(const std::vector<uint64_t>& words)
{
    if (words.size() != m_nodes.size())
    {
        throw std::invalid_argument("an all-reduce by software of " + std::to_string(words.size()) +
                                    " words; allowed is " + std::to_string(m_nodes.size()) +
                                    ", one for each host");
    }
    m_start = m_end = Simulator::Now();
    for (uint32_t rank = 0; rank < m_nodes.size(); ++rank)
    {
        m_nodes[rank].word = words[rank];
    }
    for (uint32_t rank = 0; rank < m_nodes.size(); ++rank)
    {
        if (m_nodes[rank].missing == 0)
        {
            Join(rank);
        }
    }
}

void
FabricSoftwareAllreduce::Learn(uint32_t rank, const fabric::CommandReport& report)
{
    if (report.event != fabric::CommandEvent::MESSAGE)
    {
        return; // its own sends are done
    }
    const uint32_t from = m_rank.at(report.source);
    const uint64_t word = m_nodes[from].word; // it has not changed since it was sent
    Time wait(0);
    if (!m_interval.IsZero())
    {
        const int64_t interval = m_interval.GetPicoSeconds();
        const int64_t since = (Simulator::Now() - m_nodes[rank].phase).GetPicoSeconds();
        wait = PicoSeconds(((-since) % interval + interval) % interval);
    }
    Simulator::Schedule(wait, [this, rank, from, word] { Take(rank, from, word); });
}

void
FabricSoftwareAllreduce::Take(uint32_t rank, uint32_t from, uint64_t word)
{
    ++m_calls;
    Software& here = m_nodes[rank];
    if (from < rank)
    {
        here.word = word; // a parent has the lower rank
        Finish(rank);
        return;
    }
    here.word += word;
    if (--here.missing == 0)
    {
        Join(rank);
    }
}

void
FabricSoftwareAllreduce::Join(uint32_t rank)
{
    if (rank == 0)
    {
        Finish(rank);
    }
    else
    {
        Send(rank, m_tree.ParentOf(rank));
    }
}

void
FabricSoftwareAllreduce::Finish(uint32_t rank)
{
    ++m_done;
    m_end = Simulator::Now();
    for (const uint32_t child : m_tree.ChildrenOf(rank))
    {
        Send(rank, child);
    }
}

void
FabricSoftwareAllreduce::Send(uint32_t from, uint32_t to)
{
    fabric::CommandStream stream;
    stream.op = fabric::CommandOp::SEND;
    stream.flow.dst = LocationOf(m_nodes[to].queues);
    stream.bytes = SEND_BYTES;
    m_nodes[from].queues->Post(0, stream);
}

} // namespace ns3
