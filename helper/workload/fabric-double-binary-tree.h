/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DOUBLE_BINARY_TREE_H
#define FABRIC_DOUBLE_BINARY_TREE_H

#include <cstdint>

namespace ns3::fabric
{

/**
 * Two binary trees of the same ranks, of which each carries a half of what there is (Sanders, Speck
 * and Träff, 2009), as NCCL numbers them: who has children in one has none in the other, but for
 * one rank where their number is odd. So no rank sends or receives more than others.
 *
 * In the first tree, rank 0 is the root with one child, odd ranks are leaves, and any other rank r
 * has children at both sides, at half of the lowest power of two that r has. The second one is its
 * mirror image, or moved on by one rank where their number is odd.
 */
class DoubleBinaryTree
{
  public:
    /// @param ranks how many there are, 1 to 2^30
    explicit DoubleBinaryTree(uint32_t ranks)
        : m_ranks(ranks)
    {
    }

    /// @param tree 0 or 1 @return its root
    uint32_t RootOf(uint32_t tree) const
    {
        return RankAt(tree, 0);
    }

    /// @param tree 0 or 1 @param rank not its root @return rank of its parent
    uint32_t ParentOf(uint32_t tree, uint32_t rank) const
    {
        const uint32_t place = PlaceOf(tree, rank);
        const uint32_t lowest = place & ~(place - 1);
        const uint32_t above = (place ^ lowest) | (lowest << 1);
        return RankAt(tree, above < m_ranks ? above : place ^ lowest);
    }

    /// @param tree 0 or 1 @return steps from a rank up to the root
    uint32_t DepthOf(uint32_t tree, uint32_t rank) const
    {
        uint32_t depth = 0;
        for (; rank != RootOf(tree); rank = ParentOf(tree, rank))
        {
            ++depth;
        }
        return depth;
    }

  private:
    /// @param place of a rank in the first tree @return the rank that has this place in a tree
    uint32_t RankAt(uint32_t tree, uint32_t place) const
    {
        return tree == 0 ? place : m_ranks % 2 == 0 ? m_ranks - 1 - place : (place + 1) % m_ranks;
    }

    /// @return the rank of the first tree whose place a rank has in a tree
    uint32_t PlaceOf(uint32_t tree, uint32_t rank) const
    {
        return tree == 0          ? rank
               : m_ranks % 2 == 0 ? m_ranks - 1 - rank
                                  : (rank + m_ranks - 1) % m_ranks;
    }

    uint32_t m_ranks; ///< All.
};

} // namespace ns3::fabric

#endif // FABRIC_DOUBLE_BINARY_TREE_H
