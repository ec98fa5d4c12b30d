/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-triggered-allreduce.h"

#include "fabric-binomial-tree.h"
#include "fabric-net-device.h"
#include "fabric-rank-link.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

namespace
{

constexpr uint32_t OWN_WORD = 0;      ///< Address: what has come together so far.
constexpr uint32_t RESULT_WORD = 8;   ///< Address: what has come from the parent.
constexpr uint32_t WORD_BYTES = 8;    ///< Of each.
constexpr uint16_t FROM_CHILDREN = 1; ///< Counter: words of children.
constexpr uint16_t FROM_PARENT = 2;   ///< Counter: the result.

} // namespace

FabricTriggeredAllreduce::FabricTriggeredAllreduce(std::vector<Ptr<FabricCommandQueues>> queues,
                                                   fabric::AtomicOp op)
    : m_queues(std::move(queues)),
      m_op(op)
{
    if (m_queues.empty() || op > fabric::AtomicOp::MAX)
    {
        throw std::invalid_argument(
            "a triggered all-reduce of " + std::to_string(m_queues.size()) +
            " hosts by operation " + std::to_string(static_cast<uint32_t>(op)) +
            "; allowed is at least one host, and 0 to 2 for sum, minimum and maximum");
    }
}

void
FabricTriggeredAllreduce::Post(uint32_t from,
                               uint32_t to,
                               fabric::AtomicRequest atomic,
                               uint16_t targetCounter,
                               const fabric::CommandTrigger& trigger)
{
    if (IsElsewhere(from))
    {
        return;
    }
    atomic.readsOperand = true;
    fabric::CommandStream stream;
    stream.op = fabric::CommandOp::ATOMIC;
    stream.bytes = WORD_BYTES;
    stream.flow.dst = m_queues[to]->GetDevice()->GetLocation();
    stream.arguments.atomic = atomic;
    stream.arguments.targetCounter = targetCounter;
    stream.arguments.trigger = trigger;
    m_queues[from]->Post(0, stream);
}

void
FabricTriggeredAllreduce::Start(const std::vector<uint64_t>& words)
{
    if (words.size() != m_queues.size())
    {
        throw std::invalid_argument("a triggered all-reduce of " + std::to_string(words.size()) +
                                    " words; allowed is " + std::to_string(m_queues.size()) +
                                    ", one for each host");
    }
    m_start = Simulator::Now();
    const fabric::BinomialTree tree(static_cast<uint32_t>(m_queues.size()));
    for (uint32_t rank = 0; rank < m_queues.size(); ++rank)
    {
        m_queues[rank]->GetEngine().Memory().Write(OWN_WORD, WORD_BYTES, words[rank]);
    }
    for (uint32_t rank = 0; rank < m_queues.size(); ++rank)
    {
        const std::vector<uint32_t> children = tree.ChildrenOf(rank);
        const fabric::CommandTrigger allHere{FROM_CHILDREN, children.size()};
        fabric::AtomicRequest up;
        up.op = m_op;
        up.address = up.localAddress = OWN_WORD;
        if (rank != 0)
        {
            Post(rank, tree.ParentOf(rank), up, FROM_CHILDREN, allHere);
        }
        fabric::AtomicRequest down;
        down.op = fabric::AtomicOp::SWAP;
        down.address = RESULT_WORD;
        down.localAddress = rank == 0 ? OWN_WORD : RESULT_WORD;
        for (const uint32_t child : children)
        {
            Post(rank,
                 child,
                 down,
                 FROM_PARENT,
                 rank == 0 ? allHere : fabric::CommandTrigger{FROM_PARENT, 1});
        }
    }
}

bool
FabricTriggeredAllreduce::IsElsewhere(uint32_t rank) const
{
    return m_queues[rank]->GetDevice()->IsElsewhere();
}

bool
FabricTriggeredAllreduce::HasResult(uint32_t rank) const
{
    const fabric::CounterTable& counters = m_queues[rank]->GetEngine().Counters();
    const fabric::BinomialTree tree(static_cast<uint32_t>(m_queues.size()));
    return rank == 0 ? counters.Value(FROM_CHILDREN) == tree.ChildrenOf(0).size()
                     : counters.Value(FROM_PARENT) == 1;
}

bool
FabricTriggeredAllreduce::IsDone() const
{
    uint64_t done = 0;
    for (uint32_t rank = 0; rank < m_queues.size(); ++rank)
    {
        done += !IsElsewhere(rank) && HasResult(rank) ? 1 : 0;
    }
    return fabric::SumOverRanks({done}).front() == m_queues.size();
}

uint64_t
FabricTriggeredAllreduce::GetResult(uint32_t rank) const
{
    const uint32_t address = rank == 0 ? OWN_WORD : RESULT_WORD;
    const uint64_t own =
        IsElsewhere(rank) ? 0 : m_queues[rank]->GetEngine().Memory().Read(address, WORD_BYTES);
    return fabric::SumOverRanks({own}).front();
}

Time
FabricTriggeredAllreduce::GetDuration() const
{
    fabric::TimePs last = m_queues[0]->GetEngine().Counters().LastAt(FROM_CHILDREN);
    for (const Ptr<FabricCommandQueues>& each : m_queues)
    {
        last = std::max(last, each->GetEngine().Counters().LastAt(FROM_PARENT));
    }
    const auto own = static_cast<uint64_t>(std::max(PicoSeconds(last), m_start).GetPicoSeconds());
    return PicoSeconds(static_cast<int64_t>(fabric::MostOfRanks({own}).front())) - m_start;
}

} // namespace ns3
