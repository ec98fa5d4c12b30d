/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-shaping-table.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

/// @throws std::invalid_argument with a sentence if a condition does not hold
void
RequireOfTable(bool holds, const std::string& sentence)
{
    if (!holds)
    {
        throw std::invalid_argument("shaping table: " + sentence);
    }
}

/// Refuses a bucket that can't be, or settings without effect. @param name `leaf 3`
void
CheckBucket(const BucketSettings& bucket, const std::string& name)
{
    const bool isRate = bucket.IsOff() || bucket.IsUnlimited() ||
                        (bucket.rate >= LinkRate::LOWEST && bucket.rate <= LinkRate::HIGHEST);
    RequireOfTable(isRate,
                   "the rate of " + name + " is " + std::to_string(bucket.rate) +
                       " bit/s, allowed is 0, " + std::to_string(LinkRate::LOWEST) + " to " +
                       std::to_string(LinkRate::HIGHEST) + ", or unlimited");
    RequireOfTable(bucket.burst <= BucketSettings::MOST_BURST,
                   "the burst of " + name + " is " + std::to_string(bucket.burst) +
                       " bytes, allowed is 0 to " + std::to_string(BucketSettings::MOST_BURST));
    RequireOfTable(bucket.priority < BucketSettings::PRIORITIES,
                   "the priority of " + name + " is " + std::to_string(bucket.priority) +
                       ", allowed is 0 to " + std::to_string(BucketSettings::PRIORITIES - 1));
    RequireOfTable(!bucket.IsOff() || bucket.priority == 0,
                   "the priority of " + name + " is " + std::to_string(bucket.priority) +
                       ", and its rate is 0, so it has no turns; allowed is 0, or a rate");
}

/// @return its bits that are looked at
FlowRule
ForClassAndVni(FlowRule rule)
{
    FlowKey looked;
    looked.trafficClass = 0xFF;
    looked.vni = 0xFFFF;
    rule.mask = rule.mask & looked;
    rule.value = rule.value & rule.mask;
    return rule;
}

} // namespace

void
ShapingTable::Validate(uint32_t queues) const
{
    RequireOfTable(!leaves.empty(), "there is no leaf, allowed are 1 to " + std::to_string(queues));
    RequireOfTable(classes.size() <= MOST_SHAPING_CLASSES,
                   "there are " + std::to_string(classes.size()) +
                       " classes, allowed are at most " + std::to_string(MOST_SHAPING_CLASSES));
    CheckBucket(head, "the head");
    const std::set<uint8_t> queuesOfLeaves = CheckLeaves(queues);
    CheckBranches();
    CheckClasses(queuesOfLeaves);
}

std::set<uint8_t>
ShapingTable::CheckLeaves(uint32_t queues) const
{
    std::set<uint8_t> used;
    for (const ShapingLeaf& leaf : leaves)
    {
        const std::string name = "leaf " + std::to_string(leaf.queue);
        RequireOfTable(leaf.queue < queues,
                       name + " is of queue " + std::to_string(leaf.queue) +
                           ", allowed at such a port are queues 0 to " +
                           std::to_string(queues - 1));
        RequireOfTable(used.insert(leaf.queue).second,
                       name + " stands there twice, allowed is once");
        RequireOfTable(leaf.branch < SHAPING_BRANCHES,
                       name + " is on branch " + std::to_string(leaf.branch) +
                           ", allowed are 0 to " + std::to_string(SHAPING_BRANCHES - 1));
        CheckBucket(leaf.bucket, name);
        RequireOfTable(!leaf.bucket.IsOff() || !BranchBucket(leaf.branch).IsOff() || !head.IsOff(),
                       "queue " + std::to_string(leaf.queue) +
                           " would wait for ever, as the rates of its leaf, its branch and the "
                           "head are 0; allowed is a rate for one of them");
    }
    return used;
}

void
ShapingTable::CheckBranches() const
{
    std::set<uint8_t> used;
    for (const ShapingLeaf& leaf : leaves)
    {
        used.insert(leaf.branch);
    }
    std::set<uint8_t> seen;
    for (const ShapingBranch& branch : branches)
    {
        const std::string name = "branch " + std::to_string(branch.branch);
        RequireOfTable(branch.branch < SHAPING_BRANCHES,
                       name + " is none, allowed are 0 to " + std::to_string(SHAPING_BRANCHES - 1));
        RequireOfTable(seen.insert(branch.branch).second,
                       name + " stands there twice, allowed is once");
        RequireOfTable(used.count(branch.branch) != 0,
                       name + " has no leaf, allowed are branches of leaves");
        CheckBucket(branch.bucket, name);
    }
}

void
ShapingTable::CheckClasses(const std::set<uint8_t>& queuesOfLeaves) const
{
    std::set<uint16_t> numbers;
    std::set<uint8_t> reached{0}; // by frames of no class
    for (std::size_t i = 0; i < classes.size(); ++i)
    {
        const ShapingClass& one = classes[i];
        const std::string name = "class " + std::to_string(one.number);
        RequireOfTable(numbers.insert(one.number).second,
                       name + " stands there twice, allowed is once");
        RequireOfTable(queuesOfLeaves.count(one.queue) != 0,
                       name + " uses queue " + std::to_string(one.queue) +
                           ", which has no leaf; allowed are queues of leaves");
        reached.insert(one.queue);
        for (std::size_t before = 0; before < i; ++before)
        {
            RequireOfTable(!ForClassAndVni(classes[before].rule).Covers(ForClassAndVni(one.rule)),
                           name + " is never used, as class " +
                               std::to_string(classes[before].number) +
                               " before it is for the same frames; allowed is another order");
        }
    }
    RequireOfTable(queuesOfLeaves.count(0) != 0,
                   "queue 0 has no leaf, allowed is one, as frames of no class use that queue");
    for (const uint8_t queue : queuesOfLeaves)
    {
        RequireOfTable(reached.count(queue) != 0,
                       "no class uses queue " + std::to_string(queue) +
                           ", allowed are leaves of queues that a class uses, and queue 0");
    }
}

uint8_t
ShapingTable::QueueOf(uint8_t trafficClass, uint16_t vni) const
{
    FlowKey key;
    key.trafficClass = trafficClass;
    key.vni = vni;
    const auto found = std::find_if(classes.begin(), classes.end(), [&key](const auto& one) {
        return one.rule.Matches(key);
    });
    return found == classes.end() ? 0 : found->queue;
}

uint32_t
ShapingTable::LastQueue() const
{
    uint32_t last = 0;
    for (const ShapingLeaf& leaf : leaves)
    {
        last = std::max<uint32_t>(last, leaf.queue);
    }
    return last;
}

BucketSettings
ShapingTable::BranchBucket(uint8_t branch) const
{
    const auto found =
        std::find_if(branches.begin(), branches.end(), [branch](const ShapingBranch& one) {
            return one.branch == branch;
        });
    return found == branches.end() ? BucketSettings() : found->bucket;
}

} // namespace ns3::fabric
