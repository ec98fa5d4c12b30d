/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FAT_TREE_HELPER_H
#define FABRIC_FAT_TREE_HELPER_H

#include "fabric-fat-tree.h"
#include "fabric-helper.h"

namespace ns3
{

/**
 * Builds a fat tree (FC-13).
 */
class FatTreeHelper : public FabricHelper
{
  public:
    /// @param radix ports of a switch, k; a tree of three levels has k^3/4 hosts
    explicit FatTreeHelper(uint32_t radix);

    /// @param config levels, radix, oversubscription, hosts
    explicit FatTreeHelper(const fabric::FatTreeConfig& config);

    using FabricHelper::Install;

    /// @return the fat tree, on new nodes
    FabricContainer Install() const;

    /// @return the fat tree, on these nodes
    FabricContainer Install(NodeContainer hosts) const;

    /**
     * Proves on the channel dependency graph that the tree's routes reach everybody, go up and then
     * down, and can't deadlock (FC-13).
     *
     * @throws std::logic_error with a sentence if that is not so
     */
    void CheckRoutes() const;

    /// @return the tree's plan
    const fabric::FatTree& GetTree() const;

  private:
    fabric::FatTree m_tree; ///< The tree.
};

} // namespace ns3

#endif // FABRIC_FAT_TREE_HELPER_H
