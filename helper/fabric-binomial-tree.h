/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BINOMIAL_TREE_H
#define FABRIC_BINOMIAL_TREE_H

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// A binomial tree of ranks, whose root is 0.
class BinomialTree
{
  public:
    /// @param size how many ranks there are
    explicit BinomialTree(uint32_t size)
        : m_size(size)
    {
    }

    /// @param rank not 0 @return rank of its parent
    uint32_t ParentOf(uint32_t rank) const
    {
        return rank & (rank - 1);
    }

    /// @return ranks of its children, the largest subtree first
    std::vector<uint32_t> ChildrenOf(uint32_t rank) const
    {
        std::vector<uint32_t> children;
        for (uint32_t step = 1; rank + step < m_size && (rank & step) == 0; step *= 2)
        {
            children.insert(children.begin(), rank + step);
        }
        return children;
    }

  private:
    uint32_t m_size; ///< Ranks.
};

} // namespace ns3::fabric

#endif // FABRIC_BINOMIAL_TREE_H
