/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PATH_TOPOLOGY_OPTIONS_H
#define FABRIC_PATH_TOPOLOGY_OPTIONS_H

#include "fabric-dragonfly-options.h"
#include "fabric-graph-file.h"
#include "fabric-graph-routing.h"
#include "fabric-hyperx.h"
#include "fabric-torus.h"

#include <string>
#include <vector>

namespace ns3::fabric
{

/// Options of a program for topologies whose switches route by a PathRule: dragonfly, torus,
/// HyperX, and graphs from files.
class PathTopologyOptions
{
  public:
    /// @param options of the program; refer to this object
    void Add(ProgramOptions& options);

    /// Refuses options that were given and are for others. @param topology what was chosen
    /// @param isFile whether that is the name of a file
    void Check(const ProgramOptions& options, const std::string& topology, bool isFile) const;

    /**
     * @return what the options say
     * @throws std::invalid_argument with a sentence that names the options if there is no such
     * dragonfly
     */
    Dragonfly MakeDragonfly() const
    {
        return m_dragonfly.Make(m_hostsPerSwitch, m_routing);
    }

    /// The same of a torus.
    Torus MakeTorus() const;

    /// The same of a HyperX.
    HyperX MakeHyperX() const;

    /**
     * Routes a graph from a file: by what is best if `--routing` is not given, which then says what
     * that was.
     *
     * @param name of the file, for sentences
     * @throws std::invalid_argument with a sentence if there are no such paths
     */
    std::vector<Routing> RouteGraph(const ProgramOptions& options,
                                    const GraphFile& graph,
                                    const std::string& name);

    /// @return propagation delay of links between groups of a dragonfly; 0 for that of all links
    Time GetGlobalDelay() const
    {
        return m_dragonfly.GetGlobalDelay();
    }

  private:
    /// @return widths of a grid
    std::vector<uint32_t> Widths() const;
    /// @return options of a grid as they are given
    std::string GridText() const;

    DragonflyOptions m_dragonfly;         ///< Those that only a dragonfly has.
    uint32_t m_hostsPerSwitch{2};         ///< `--hostsPerSwitch`
    std::vector<uint64_t> m_widths{4, 4}; ///< `--widths`
    std::vector<uint64_t> m_trunks{1};    ///< `--trunks`
    std::string m_routing{"adaptive"};    ///< `--routing`
};

} // namespace ns3::fabric

#endif // FABRIC_PATH_TOPOLOGY_OPTIONS_H
