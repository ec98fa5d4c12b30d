/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_IDEAL_PATHS_H
#define FABRIC_IDEAL_PATHS_H

#include "fabric-empty-path.h"
#include "fabric-network.h"

#include <vector>

namespace ns3
{

/**
 * The paths between the hosts of a fabric, as they are when nothing else is sent.
 *
 * Where routing allows several ports, it is the path by the first of them, and failures of links
 * are not looked at.
 *
 * @code
 * const FabricIdealPaths paths(fabric.network);
 * const fabric::TimePs alone = paths.Find(src, dst).CompletionTime(1 << 20);
 * @endcode
 */
class FabricIdealPaths
{
  public:
    /// @param network whose links exist
    explicit FabricIdealPaths(Ptr<FabricNetwork> network);

    /**
     * @param src location of a host
     * @param dst location of another
     * @return the path between them
     * @throws std::invalid_argument if there is none
     */
    fabric::EmptyPath Find(fabric::LocationId src, fabric::LocationId dst) const;

  private:
    Ptr<FabricNetwork> m_network;                         ///< The fabric.
    std::vector<std::vector<fabric::SwitchPort>> m_peers; ///< By switch and port.
    std::vector<fabric::SwitchPort> m_hosts;              ///< Where each host is linked.
};

} // namespace ns3

#endif // FABRIC_IDEAL_PATHS_H
