/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_EXCHANGE_PLAN_H
#define FABRIC_EXCHANGE_PLAN_H

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * Parts of a buffer, which differ by a byte at most, the longer ones first.
 *
 * @param bytes of the buffer
 * @param parts how many
 * @param number of a part, or `parts`
 * @return where the part begins, or the buffer ends
 */
constexpr uint64_t
PartBegin(uint64_t bytes, uint32_t parts, uint32_t number)
{
    const uint64_t longer = bytes % parts;
    return bytes / parts * number + (number < longer ? number : longer);
}

/// A message of an exchange. What it carries is for those who ask what a rank knows in the end.
struct ExchangeMessage
{
    uint32_t to;       ///< Rank that gets it.
    uint64_t bytes;    ///< Of it.
    uint64_t begin{0}; ///< First byte of the sender's buffer that it carries; after the buffer's
                       ///< last one its first one follows.
    bool adds{false};  ///< Whether the receiver adds it to what it has, instead of keeping it.
};

/// Bytes of a buffer.
struct ByteRange
{
    uint64_t begin; ///< The first one.
    uint64_t end;   ///< After the last one.
};

/**
 * One round of an exchange: each rank sends, and goes on when all that is sent to it in this round
 * has come.
 *
 * A rank may have several strands, which do so beside each other without waiting for each other.
 * They are like ranks then, in `sends` and in ExchangeMessage::to: strand s of rank r of n has the
 * number s n + r.
 */
struct ExchangeRound
{
    std::vector<std::vector<ExchangeMessage>> sends; ///< By rank, in the order in which it sends.
    std::vector<bool> awaiting{}; ///< By rank: goes on only when all that it sends has come, too;
                                  ///< empty for none.
    uint32_t strands{1};          ///< Of each rank, the same in all rounds of a plan.
    std::vector<ByteRange> carried{}; ///< What each message carries of a buffer, if it is not one
                                      ///< range, the same at sender and receiver; else empty.

    /// Lets a rank, or a strand of one, send a message, unless it has no bytes.
    void Add(uint32_t from, const ExchangeMessage& message)
    {
        if (message.bytes > 0)
        {
            sends[from].push_back(message);
        }
    }

    /// Ranks go on only when all that they send has come, too.
    void AwaitDeliveries()
    {
        awaiting.assign(sends.size(), true);
    }

    /// @return whether a rank, or a strand of one, goes on only when all that it sends has come
    bool Awaits(uint32_t rank) const
    {
        return !awaiting.empty() && awaiting[rank];
    }

    /// @return ranks that take part
    uint32_t Ranks() const
    {
        return static_cast<uint32_t>(sends.size()) / strands;
    }

    /// @return messages that come to each rank
    std::vector<uint32_t> Arrivals() const;

    /// @return messages of all ranks
    uint64_t Messages() const;
};

/// @return a round in which nobody sends @param ranks that take part @param strands of each
inline ExchangeRound
EmptyRound(uint32_t ranks, uint32_t strands = 1)
{
    ExchangeRound round;
    round.sends.resize(std::size_t{ranks} * strands);
    round.strands = strands;
    return round;
}

/// What ranks do together, round by round; all rounds have the same ranks and strands.
using ExchangePlan = std::vector<ExchangeRound>;

/// @return who sends to whom in a plan, each pair of ranks once: the sender, the receiver
std::set<std::pair<uint32_t, uint32_t>> PairsOf(const ExchangePlan& plan);

/**
 * Several jobs carry out a plan each, beside each other: none waits for another.
 *
 * @param plans of the jobs, at least one; a job without rounds has no ranks
 * @return the plan of the ranks of all jobs, those of the first job before those of the second.
 * What messages carry is only told where it is the same for all jobs
 */
ExchangePlan PlanJobs(const std::vector<const ExchangePlan*>& plans);

/**
 * The same for jobs that carry out the same plan.
 *
 * @param plan of a job
 * @param jobs at least 1
 * @return rank r of n of job j is j n + r
 */
ExchangePlan PlanJobs(const ExchangePlan& plan, uint32_t jobs);

/**
 * Each rank sends to both its neighbours in a ring, in turn, as GPCNeT's random ring does.
 *
 * @param ring the ranks in the order of the ring, at least 2
 * @param bytes of each message
 * @param messages to each of the two neighbours, who are one with 2 ranks
 */
ExchangePlan PlanRing(const std::vector<uint32_t>& ring, uint64_t bytes, uint32_t messages);

} // namespace ns3::fabric

#endif // FABRIC_EXCHANGE_PLAN_H
