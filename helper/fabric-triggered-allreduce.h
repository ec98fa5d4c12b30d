/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRIGGERED_ALLREDUCE_H
#define FABRIC_TRIGGERED_ALLREDUCE_H

#include "fabric-command-queues.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * An all-reduce of one word that the NICs make by themselves (NQ-13): a binomial tree of triggered
 * atomics. Software posts all commands at the begin and does nothing after that.
 *
 *     on the way up      when all children have come: the own word goes into the parent's
 *     on the way down    when the result has come: it is written into the children's
 *
 * It uses the first two words of the memory for atomics and the first two counters, once.
 */
class FabricTriggeredAllreduce
{
  public:
    /**
     * @param queues of the hosts that take part, in the order of their ranks, at least one; each
     * has 16 bytes of AtomicMemory and two Counters
     * @param op what is done with the words: SUM, MIN or MAX
     * @throws std::invalid_argument with a sentence if that can't be
     */
    FabricTriggeredAllreduce(std::vector<Ptr<FabricCommandQueues>> queues, fabric::AtomicOp op);

    /**
     * Posts all commands at the present time.
     *
     * @param words one for each host
     * @throws std::invalid_argument with a sentence if there are not as many as hosts
     */
    void Start(const std::vector<uint64_t>& words);

    /// @return whether all hosts have the result; on several ranks of MPI this and the following
    /// are to be asked on all
    bool IsDone() const;

    /// @param rank of a host @return what its NIC has written into its memory
    uint64_t GetResult(uint32_t rank) const;

    /// @return time from the start until the last host has the result, if IsDone()
    Time GetDuration() const;

  private:
    /// @return whether the host has the result; another rank of MPI may know
    bool HasResult(uint32_t rank) const;
    /// @return whether another rank of MPI runs the host
    bool IsElsewhere(uint32_t rank) const;
    /// A word of a host goes to another one. @param trigger that it waits for
    void Post(uint32_t from,
              uint32_t to,
              fabric::AtomicRequest atomic,
              uint16_t targetCounter,
              const fabric::CommandTrigger& trigger);

    std::vector<Ptr<FabricCommandQueues>> m_queues; ///< By rank.
    fabric::AtomicOp m_op;                          ///< What is done.
    Time m_start;                                   ///< When it was posted.
};

} // namespace ns3

#endif // FABRIC_TRIGGERED_ALLREDUCE_H
