/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PATH_TOPOLOGY_HELPER_H
#define FABRIC_PATH_TOPOLOGY_HELPER_H

#include "fabric-channel-dependency.h"
#include "fabric-helper.h"

#include "ns3/uinteger.h"

namespace ns3
{

/**
 * Builds a topology whose switches route by a PathRule (FC-13).
 *
 * Switches get four virtual channels: all that the header has room for. Attribute ClassToVc says
 * which class belongs to which set of them, where a rule needs fewer.
 *
 * @tparam Topology with GetPlan() and GetRouting()
 */
template <typename Topology>
class PathTopologyHelper : public FabricHelper
{
  public:
    /// @param topology its plan and routes
    explicit PathTopologyHelper(const Topology& topology)
        : m_topology(topology)
    {
        SetSwitchAttribute("VirtualChannels", UintegerValue(fabric::VIRTUAL_CHANNELS));
        SetRouteCheck(ROUTES_ARE_PROVEN);
    }

    using FabricHelper::Install;

    /// @return the topology, on new nodes
    FabricContainer Install() const
    {
        return Install(m_topology.GetPlan(), m_topology.GetRouting());
    }

    /// @return the topology, on these nodes
    FabricContainer Install(NodeContainer hosts) const
    {
        return Install(hosts, m_topology.GetPlan(), m_topology.GetRouting());
    }

    /**
     * Proves on the channel dependency graph that the routes reach everybody and can't deadlock
     * (FC-13). Install() leaves it out: it holds for all of the kind, and takes time for large
     * ones.
     *
     * @throws std::logic_error with what is wrong if that is not so
     */
    static void CheckRoutes(const Topology& topology)
    {
        fabric::ProveRoutes(topology.GetPlan(), topology.GetRouting());
    }

  protected:
    const Topology& GetTopology() const
    {
        return m_topology;
    }

  private:
    Topology m_topology; ///< What is built.
};

} // namespace ns3

#endif // FABRIC_PATH_TOPOLOGY_HELPER_H
