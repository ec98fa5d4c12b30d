/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GRAPH_HELPER_H
#define FABRIC_GRAPH_HELPER_H

#include "fabric-file-warnings.h"
#include "fabric-graph-file.h"
#include "fabric-graph-routing.h"
#include "fabric-helper.h"
#include "fabric-topology-file.h"

#include <string>
#include <vector>

namespace ns3
{

/// Builds any topology from a file, with the rate and delay of each link (FC-13).
class GraphHelper : public FabricHelper
{
  public:
    /**
     * Where the way of a frame depends on how it came, switches get four virtual channels: all that
     * the header has room for.
     *
     * @param file its name, see fabric::GraphFile
     * @param mode which paths frames take
     * @throws std::invalid_argument with a sentence if it has a mistake, or if there are no such
     * paths
     */
    explicit GraphHelper(const std::string& file, fabric::GraphMode mode = fabric::GRAPH_BEST);

    using FabricHelper::Install;

    /// @return the topology, on new nodes
    FabricContainer Install() const
    {
        Tell();
        return Install(m_graph.plan, m_routing);
    }

    /// @return the topology, on these nodes
    FabricContainer Install(NodeContainer hosts) const
    {
        Tell();
        return Install(hosts, m_graph.plan, m_routing);
    }

    /// @return what the file says
    const fabric::GraphFile& GetGraph() const
    {
        return m_graph;
    }

    /// Gives the links of a helper the rates and delays of a file. Those that damage frames send
    /// them again (`Retry`).
    static void SetLinks(FabricHelper& helper, const fabric::GraphFile& graph);

    /**
     * @param name of the file, for sentences
     * @param mode which paths frames take
     * @param fallback becomes the sentence that says that there are no better paths than up and
     * then down, if so, else empty
     * @return routing of each switch, see fabric::MakeGraphRouting()
     * @throws std::invalid_argument with a sentence if there are no such paths
     */
    static std::vector<fabric::Routing> MakeRouting(const fabric::GraphFile& graph,
                                                    const std::string& name,
                                                    fabric::GraphMode mode,
                                                    std::string& fallback);

    /// Says it to the user, once, however many ranks there are. @param fallback of MakeRouting()
    static void TellFallback(const std::string& fallback);

    /**
     * @param fabric any that is installed
     * @param nodes what its hosts and switches are called in the file
     * @return its topology as a file: links to hosts first, then those between switches. Ports of
     * switches may have other numbers when it is read
     */
    static fabric::TopologyFile MakeFile(const FabricContainer& fabric,
                                         const fabric::NodeNumbers& nodes);

  private:
    /// Says to the user what was left out of the file, and that there are no better paths.
    void Tell() const
    {
        fabric::TellWarnings(m_graph.warnings);
        TellFallback(m_fallback);
    }

    fabric::GraphFile m_graph;              ///< What the file says.
    std::string m_fallback;                 ///< See MakeRouting().
    std::vector<fabric::Routing> m_routing; ///< Of each switch.
};

} // namespace ns3

#endif // FABRIC_GRAPH_HELPER_H
