/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_EXCHANGE_H
#define FABRIC_EXCHANGE_H

#include "fabric-exchange-plan.h"
#include "fabric-types.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::fabric
{

/**
 * Ranks that carry out a plan again and again, each as fast as what it waits for comes. No rank
 * waits for another between iterations, so one can be ahead of others as far as the plan allows.
 *
 * Strands of ranks are ranks here; who carries out what it says adds them up.
 */
class Exchange
{
  public:
    /// A message that a rank sends now.
    struct Send : ExchangeMessage
    {
        uint32_t from;  ///< Rank.
        uint64_t round; ///< Number of its round over all iterations, to be told to Receive().
    };

    /// @param iterations of the plan, at least 1
    Exchange(ExchangePlan plan, uint32_t iterations);

    /// All ranks begin. @return what they send
    std::vector<Send> Start(TimePs now)
    {
        return Start(0, GetRanks(), now);
    }

    /**
     * Some ranks begin, once each. What comes to a rank before stays until then.
     *
     * @param first of these ranks
     * @param ranks how many
     * @return what they send
     */
    std::vector<Send> Start(uint32_t first, uint32_t ranks, TimePs now);

    /**
     * A message has come.
     *
     * @param rank that has it
     * @param round of the message
     * @return what is sent therefore
     */
    std::vector<Send> Receive(uint32_t rank, uint64_t round, TimePs now);

    /**
     * A message has come, and its sender learns of it. It need not be told where no round of the
     * plan awaits deliveries.
     *
     * @param rank that has sent it
     * @param round of the message
     * @return what is sent therefore
     */
    std::vector<Send> Deliver(uint32_t rank, uint64_t round, TimePs now)
    {
        return m_plan[round % m_plan.size()].Awaits(rank) ? Receive(rank, round, now)
                                                          : std::vector<Send>();
    }

    /// @return whether all ranks have done all iterations
    bool IsDone() const
    {
        return m_atWork == 0;
    }

    /// @return whether a rank has done all iterations
    bool IsDone(uint32_t rank) const
    {
        return m_ranks[rank].round == m_rounds;
    }

    /// @return times that each rank took for its iterations, ps
    const std::vector<std::vector<TimePs>>& GetTimes() const
    {
        return m_times;
    }

    /// @return ranks that take part, each with all its strands
    uint32_t GetRanks() const
    {
        return m_plan.front().Ranks();
    }

    /// @return messages of all ranks in all iterations
    uint64_t GetMessages() const;

    /// @return messages that a rank sends in all iterations
    uint64_t GetMessages(uint32_t rank) const
    {
        return MessagesInIteration(rank) * (m_rounds / m_plan.size());
    }

    /**
     * A rank sends round after round, so the number of a message says which it is of: also to who
     * has not seen it sent.
     *
     * @param rank that sends
     * @param message of it, from 0
     * @return round of the message
     */
    uint64_t RoundOf(uint32_t rank, uint64_t message) const;

  private:
    /// Where a rank is.
    struct Rank
    {
        uint64_t round{0};                   ///< Over all iterations.
        bool isAtWork{false};                ///< Whether it has begun.
        TimePs begun{0};                     ///< The iteration, ps.
        std::map<uint64_t, uint32_t> came{}; ///< What it waits for, by round from this one on.
    };

    /// @return messages that a rank sends in an iteration
    uint64_t MessagesInIteration(uint32_t rank) const;
    /// A rank sends what it has to in its round. @param sends gets it
    void Enter(uint32_t number, std::vector<Send>& sends) const;
    /// A rank goes on as far as it can. @param sends gets what it sends
    void Proceed(uint32_t number, TimePs now, std::vector<Send>& sends);

    ExchangePlan m_plan;                          ///< Of an iteration.
    std::vector<std::vector<uint32_t>> m_awaited; ///< By round of the plan and rank.
    uint64_t m_rounds;                            ///< Of all iterations.
    std::vector<Rank> m_ranks;                    ///< All of them.
    std::vector<std::vector<TimePs>> m_times;     ///< By rank and iteration, ps.
    uint32_t m_atWork;                            ///< Ranks that are not done.
};

} // namespace ns3::fabric

#endif // FABRIC_EXCHANGE_H
