/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONGESTION_TOOLS_H
#define FABRIC_CONGESTION_TOOLS_H

#include "fabric-program-options.h"

#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * The option of a program that says with which tools its switches manage congestion (CM).
 *
 * @code
 * fabric::CongestionTools tools;
 * tools.AddTo(run.GetOptions());
 * run.Parse(argc, argv);
 * tools.SetAttributes(run.GetOptions(), run.HasFlowChannels());
 * run.InstallTree();
 * @endcode
 */
struct CongestionTools
{
    std::vector<std::string>
        tools; ///< Names of those that are on; if nothing is said, all but reroute.

    CongestionTools();

    /// Adds tools, and reserves the attributes that it sets. @param options of the program; refer
    /// to this object
    void AddTo(ProgramOptions& options);

    /**
     * Sets the defaults of the attributes that switch each tool on or off, for what is made later.
     * All are off without flow channels. Where a program has no such option, an attribute that is
     * given stays.
     *
     * @param options of the program, when its command line has been read
     * @param hasFlowChannels whether switches keep a queue per flow, which all tools need
     * @throws std::invalid_argument with a sentence if tools are asked for that would do nothing
     */
    void SetAttributes(const ProgramOptions& options, bool hasFlowChannels) const;

    /// @return whether a tool is on
    bool Has(const std::string& tool) const;
};

} // namespace ns3::fabric

#endif // FABRIC_CONGESTION_TOOLS_H
