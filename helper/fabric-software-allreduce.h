/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SOFTWARE_ALLREDUCE_H
#define FABRIC_SOFTWARE_ALLREDUCE_H

#include "fabric-binomial-tree.h"
#include "fabric-command-queues.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/**
 * The all-reduce of FabricTriggeredAllreduce with software at each node of the same tree: it waits
 * for the sends of its children, adds their words to its own, and sends the sum to its parent; then
 * the result goes down the same way. Software may have something else to do, and look at what has
 * come only every so often.
 */
class FabricSoftwareAllreduce
{
  public:
    /**
     * @param queues of the hosts that take part, in the order of their ranks, at least one; their
     * reports come here from now on
     * @param interval each host looks at what has come only once in this time; 0 for at once
     * @param stream random stream of the times at which hosts look (ns-3's AssignStreams)
     * @throws std::invalid_argument with a sentence if that can't be
     */
    FabricSoftwareAllreduce(std::vector<Ptr<FabricCommandQueues>> queues,
                            Time interval,
                            int64_t stream);

    FabricSoftwareAllreduce(const FabricSoftwareAllreduce&) = delete;
    FabricSoftwareAllreduce& operator=(const FabricSoftwareAllreduce&) = delete;

    /**
     * Software begins at the present time.
     *
     * @param words one for each host
     * @throws std::invalid_argument with a sentence if there are not as many as hosts
     */
    void Start(const std::vector<uint64_t>& words);

    /// @return whether all hosts have the result
    bool IsDone() const
    {
        return m_done == m_nodes.size();
    }

    /// @param rank of a host @return what it has
    uint64_t GetResult(uint32_t rank) const
    {
        return m_nodes[rank].word;
    }

    /// @return time from the start until the last host has the result, if IsDone()
    Time GetDuration() const
    {
        return m_end - m_start;
    }

    /// @return times that software of all hosts was called after the start
    uint64_t GetCalls() const
    {
        return m_calls;
    }

  private:
    /// Software of a host.
    struct Software
    {
        Ptr<FabricCommandQueues> queues; ///< Of the host.
        uint64_t word{0};                ///< What has come together so far, then the result.
        std::size_t missing{0};          ///< Words of children that have not come.
        Time phase;                      ///< It looks then, and once in each interval.
    };

    /// Software of a host can see an event.
    void Learn(uint32_t rank, const fabric::CommandReport& report);
    /// It takes the word of another host.
    void Take(uint32_t rank, uint32_t from, uint64_t word);
    /// It has the words of its subtree.
    void Join(uint32_t rank);
    /// It has the result.
    void Finish(uint32_t rank);
    /// It sends its word.
    void Send(uint32_t from, uint32_t to);

    fabric::BinomialTree m_tree;                   ///< Of ranks.
    Time m_interval;                               ///< Between two looks.
    std::vector<Software> m_nodes;                 ///< By rank.
    std::map<fabric::LocationId, uint32_t> m_rank; ///< By location.
    Time m_start;                                  ///< When it began.
    Time m_end;                                    ///< When the last host had the result.
    std::size_t m_done{0};                         ///< Hosts that have it.
    uint64_t m_calls{0};                           ///< See GetCalls().
};

} // namespace ns3

#endif // FABRIC_SOFTWARE_ALLREDUCE_H
