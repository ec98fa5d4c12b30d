/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SHAPING_TABLE_H
#define FABRIC_SHAPING_TABLE_H

#include "fabric-flow-rules.h"
#include "fabric-token-bucket.h"

#include <cstdint>
#include <set>
#include <vector>

namespace ns3::fabric
{

inline constexpr uint32_t LINK_SHAPING_QUEUES = 8;    ///< SQs of a port to a switch (SW-8).
inline constexpr uint32_t HOST_SHAPING_QUEUES = 32;   ///< SQs of a port to a host (SW-8).
inline constexpr uint32_t SHAPING_BRANCHES = 4;       ///< Branches of the tree (SW-11).
inline constexpr uint32_t MOST_SHAPING_CLASSES = 256; ///< Of a table; chosen.

/// Frames that use a shaping queue, by traffic class and virtual network (SW-12).
struct ShapingClass
{
    uint16_t number{0}; ///< Its name.
    FlowRule rule{};    ///< Whose frames: only traffic class and VNI are looked at.
    uint8_t queue{0};   ///< The shaping queue.
};

/// The bucket of a shaping queue: a leaf of the tree (SW-11).
struct ShapingLeaf
{
    uint8_t queue{0};        ///< Number of the queue.
    BucketSettings bucket{}; ///< Its own tokens.
    uint8_t branch{0};       ///< Branch on which it is.
};

/// A branch of the tree (SW-11).
struct ShapingBranch
{
    uint8_t branch{0};       ///< Number of the branch.
    BucketSettings bucket{}; ///< What the queues of its leaves share.
};

/**
 * How an output shapes its traffic (SW-10 to SW-12): which frames use which queue, and the tree of
 * buckets. Branches that are not there have no tokens.
 */
struct ShapingTable
{
    std::vector<ShapingClass> classes; ///< The first that matches a frame counts; without: queue 0.
    std::vector<ShapingLeaf> leaves;   ///< One for each queue.
    std::vector<ShapingBranch> branches;                  ///< Each at most once.
    BucketSettings head{BucketSettings::UNLIMITED, 0, 0}; ///< What all queues share.

    /**
     * @param queues that a port can have
     * @throws std::invalid_argument with one sentence that names what is wrong and says what is
     * allowed
     */
    void Validate(uint32_t queues) const;

    /// @return the queue of a frame
    uint8_t QueueOf(uint8_t trafficClass, uint16_t vni) const;

    /// @return highest number of a queue
    uint32_t LastQueue() const;

    /// @return the bucket of a branch
    BucketSettings BranchBucket(uint8_t branch) const;

  private:
    /// Part of Validate(). @param queues that a port can have @return those that have a leaf
    std::set<uint8_t> CheckLeaves(uint32_t queues) const;
    void CheckBranches() const; ///< Part of Validate().
    /// Part of Validate(). @param queuesOfLeaves queues that have a leaf
    void CheckClasses(const std::set<uint8_t>& queuesOfLeaves) const;
};

} // namespace ns3::fabric

#endif // FABRIC_SHAPING_TABLE_H
