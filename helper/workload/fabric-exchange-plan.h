/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_EXCHANGE_PLAN_H
#define FABRIC_EXCHANGE_PLAN_H

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// A message of an exchange. What it carries is for those who ask what a rank knows in the end.
struct ExchangeMessage
{
    uint32_t to;       ///< Rank that gets it.
    uint64_t bytes;    ///< Of it.
    uint64_t begin{0}; ///< First byte of the sender's buffer that it carries.
    bool adds{false};  ///< Whether the receiver adds it to what it has, instead of keeping it.
};

/// One round of an exchange: each rank sends, and goes on when all that is sent to it in this round
/// has come.
struct ExchangeRound
{
    std::vector<std::vector<ExchangeMessage>> sends; ///< By rank, in the order in which it sends.
    bool awaitsDelivery{false}; ///< A rank goes on only when all that it sends has come, too.

    /// @return messages that come to each rank
    std::vector<uint32_t> Arrivals() const;

    /// @return messages of all ranks
    uint64_t Messages() const;
};

/// @return a round in which nobody sends @param ranks that take part
inline ExchangeRound
EmptyRound(uint32_t ranks)
{
    ExchangeRound round;
    round.sends.resize(ranks);
    return round;
}

/// What ranks do together, round by round; all rounds have the same ranks.
using ExchangePlan = std::vector<ExchangeRound>;

/// @return who sends to whom in a plan, each pair once: the sender, the receiver
std::set<std::pair<uint32_t, uint32_t>> PairsOf(const ExchangePlan& plan);

/**
 * Each rank sends to both its neighbours in a ring, in turn, as GPCNeT's random ring does.
 *
 * @param ring the ranks in the order of the ring, at least 2
 * @param bytes of each message
 * @param messages to each of the two neighbours, who are one with 2 ranks
 */
ExchangePlan PlanRing(const std::vector<uint32_t>& ring, uint64_t bytes, uint32_t messages);

/**
 * An allreduce by recursive doubling (Thakur et al., 2005), as MPI libraries do it with short
 * messages. If the number of ranks is no power of two, each rank that is too many hands its part to
 * a neighbour before, and gets the result after.
 *
 * After it each rank has heard of all, so it is a barrier too.
 *
 * @param ranks at least 2
 * @param bytes of each message
 */
ExchangePlan PlanAllreduce(uint32_t ranks, uint64_t bytes);

} // namespace ns3::fabric

#endif // FABRIC_EXCHANGE_PLAN_H
