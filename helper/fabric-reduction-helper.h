/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REDUCTION_HELPER_H
#define FABRIC_REDUCTION_HELPER_H

#include "fabric-group-helper.h"
#include "fabric-reductions.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Makes reductions of hosts in a fabric (SW-14): what members send is combined by the switches of a
 * tree, and the result goes to all of them, or to one.
 *
 * @code
 * FabricGroupHelper groups(fabric);
 * FabricReductionHelper reductions(groups);
 * const fabric::LocationId sum = reductions.Create({0, 3, 5}, fabric::ReductionOperation::SUM);
 * fabric.GetDevice(3)->Reduce(sum, 10000, 42);
 * @endcode
 */
class FabricReductionHelper
{
  public:
    /// @param groups makes the groups of the fabric, and knows all trees; outlives this
    explicit FabricReductionHelper(FabricGroupHelper& groups);

    /// @param frames that a member has under way at most, for reductions that are made from now on;
    /// the default is that of fabric::ReductionTerms
    void SetWindow(uint32_t frames)
    {
        m_terms.window = frames;
    }

    /// @param trafficClass FTAG of frames, for reductions that are made from now on; the default is
    /// 0
    void SetTrafficClass(uint8_t trafficClass)
    {
        m_terms.trafficClass = trafficClass;
    }

    /**
     * Makes a reduction whose result all members get (all-reduce).
     *
     * @param hosts its members, at least one
     * @return location of the reduction
     * @throws std::invalid_argument with a sentence if there can be no such reduction: see
     * fabric::MakeReductionTree() and FabricNetwork::AddReduction(), or it could deadlock
     */
    fabric::LocationId Create(const std::vector<uint32_t>& hosts,
                              fabric::ReductionOperation operation);

    /**
     * Makes a reduction whose result one member gets (reduce). Others are told when it is there.
     *
     * @param target the member that gets it
     * @param hosts its members, at least one
     * @return location of the reduction
     * @throws std::invalid_argument see above, or the target is no member
     */
    fabric::LocationId CreateTo(uint32_t target,
                                const std::vector<uint32_t>& hosts,
                                fabric::ReductionOperation operation);

    /// @return the tree @param reduction location of one that was made here
    const fabric::ReductionTree& GetTree(fabric::LocationId reduction) const;

    /**
     * The time of an operation that all members begin together in an empty fabric: on the slowest
     * way from a member up the tree and down to a member, with the latency of each engine on it,
     * and with the waits for results where the window is shorter than that way.
     *
     * @param reduction location of one that was made here, to all
     * @param bytes size of the message
     */
    Time GetIdealTime(fabric::LocationId reduction, uint64_t bytes) const;

  private:
    /// Makes a reduction. @param terms what it does
    fabric::LocationId Make(const fabric::ReductionTerms& terms,
                            const std::vector<uint32_t>& hosts);
    /// @return what switches do, by number; nothing where the tree is not
    std::vector<fabric::ReductionDescriptor> Describe(const fabric::ReductionTree& tree,
                                                      const fabric::ReductionTerms& terms) const;

    FabricGroupHelper& m_groups;                ///< Knows all trees.
    fabric::ReductionTerms m_terms;             ///< Of what is made next.
    std::vector<fabric::ReductionTree> m_trees; ///< Of the reductions.
    std::vector<uint32_t> m_windows;            ///< Of the reductions, frames.
    uint32_t m_first;                           ///< Number of the first reduction made here.
};

} // namespace ns3

#endif // FABRIC_REDUCTION_HELPER_H
