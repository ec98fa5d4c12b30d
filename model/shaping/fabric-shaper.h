/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SHAPER_H
#define FABRIC_SHAPER_H

#include "fabric-channel-turns.h"
#include "fabric-shaping-plan.h"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// Which bucket of the tree pays for a frame (SW-11).
enum class Payer : uint8_t
{
    LEAF,   ///< That of its queue.
    BRANCH, ///< That of the queue's branch.
    HEAD,   ///< That of all.
    COUNT   ///< Number of kinds.
};

/// What a frame was granted.
struct ShapingGrant
{
    uint8_t queue{0};         ///< Its shaping queue.
    Payer payer{Payer::HEAD}; ///< Who pays.
};

/// What an output has sent of a shaping queue, by who has paid.
struct ShapingCounts
{
    uint64_t frames{0}; ///< Data frames.
    uint64_t bytes{0};  ///< Their bytes on the wire.
};

/// As above, by Payer.
using ShapingTotals = std::array<ShapingCounts, static_cast<std::size_t>(Payer::COUNT)>;

/**
 * Who is next at an output that shapes its traffic (SW-10, SW-11). Of the queues with frames that
 * may go:
 *
 * | pass | who takes part            | order                                        | pays   |
 * |------|---------------------------|----------------------------------------------|--------|
 * | 1    | leaves with tokens        | priority of the leaf, then round robin       | leaf   |
 * | 2    | branches with tokens      | priority of the branch, then round robin     | branch |
 * | 3    | all, if the head has some | round robin                                  | head   |
 *
 * A later pass is made only if nobody takes part in those before. Inside a queue virtual channels
 * take turns (ChannelTurns). Choosing changes nothing; only a frame that begins does.
 */
class Shaper
{
  public:
    /// @param plan of the output
    explicit Shaper(std::shared_ptr<const ShapingPlan> plan);

    /**
     * @param lists bit mask of lists of the output from which a frame may go
     * @param [out] list from which the next one goes; `grant` says who would pay
     * @return whether one may go
     */
    bool Choose(uint32_t lists, TimePs now, uint32_t& list);

    /// A frame of the list that was chosen last begins.
    void Begin(uint32_t bytes, TimePs now);

    /**
     * @param lists in which frames wait
     * @return when the first of their queues that may not go now has tokens, NEVER for none, ps
     */
    TimePs NextReturn(uint32_t lists, TimePs now) const;

    /// @return the plan
    const ShapingPlan& Plan() const
    {
        return *m_plan;
    }

    /// @return what was sent of a queue
    ShapingTotals Totals(uint32_t queue) const
    {
        return queue < m_totals.size() ? m_totals[queue] : ShapingTotals{};
    }

    ShapingGrant grant{}; ///< What the frame that is ready was granted.

  private:
    static constexpr uint32_t KINDS = static_cast<uint32_t>(Payer::COUNT); ///< Of buckets.

    /// Round robin: who is looked at first, by kind of bucket and priority.
    using Turns = std::array<std::array<uint8_t, BucketSettings::PRIORITIES>, KINDS>;

    /// The next of some queues in a round robin is granted. @param queues not none
    void Grant(QueueMask queues, Payer payer, uint8_t priority);
    /// @return whether one of some queues is granted, by priority
    bool GrantByLevel(QueueMask queues, Payer payer, const ShapingPlan::Levels& levels);
    /// @return those of some queues whose leaves have tokens
    QueueMask WithLeafTokens(QueueMask queues, TimePs now) const;
    /// @return those of some queues whose branches have tokens
    QueueMask WithBranchTokens(QueueMask queues, TimePs now) const;
    /// @return when a queue has tokens of any bucket
    TimePs ReturnOf(uint32_t queue) const;

    std::shared_ptr<const ShapingPlan> m_plan;            ///< Of the output.
    uint32_t m_list{0};                                   ///< That was chosen.
    uint8_t m_priority{0};                                ///< At which it was chosen.
    Turns m_turns{};                                      ///< Of queues.
    std::vector<TokenBucket> m_leaves;                    ///< By queue.
    std::array<TokenBucket, SHAPING_BRANCHES> m_branches; ///< By number.
    TokenBucket m_head;                                   ///< Of all.
    std::vector<ChannelTurns> m_channels;                 ///< By queue.
    std::vector<ShapingTotals> m_totals;                  ///< By queue.
};

} // namespace ns3::fabric

#endif // FABRIC_SHAPER_H
