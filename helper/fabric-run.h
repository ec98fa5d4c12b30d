/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RUN_H
#define FABRIC_RUN_H

#include "fabric-fat-tree-helper.h"
#include "fabric-helper.h"
#include "fabric-ideal-completion.h"
#include "fabric-message-recorder.h"
#include "fabric-port-map.h"
#include "fabric-port-sampler.h"
#include "fabric-program-options.h"
#include "fabric-run-results.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ns3
{

/**
 * What the programs with a fabric have in common (85-programs.md): their options, building the
 * fabric, running it with progress shown, and the end of a run with its checks and files.
 */
class FabricRun
{
  public:
    /**
     * @param file the program's source file
     * @param usage what the program shows
     */
    FabricRun(const std::string& file, const std::string& usage);

    /// @return the options, to add the program's own
    fabric::ProgramOptions& GetOptions();

    /// Adds the options of a fat tree: topology, k, levels, oversubscription.
    void AddTreeOptions();

    /**
     * Reads the options and prepares the folder of results.
     *
     * @param argc number of arguments
     * @param argv the arguments
     * @throws std::invalid_argument with a sentence for each mistake
     */
    void Parse(int argc, char* argv[]);

    /// @return the fat tree that the options ask for, installed; with `--check` its routes are
    /// proven
    const FabricContainer& InstallTree();

    /**
     * @param plan any topology
     * @param routing of its switches
     * @return the topology, installed
     */
    const FabricContainer& Install(const fabric::TopologyPlan& plan,
                                   const std::vector<fabric::Routing>& routing);

    /// @return the helper that installs, to set attributes before
    FabricHelper& GetHelper();

    /// @return the messages that were delivered
    FabricMessageRecorder& GetRecorder();

    /// @return the figures
    fabric::Summary& GetSummary();

    /**
     * Runs until the messages are delivered, then `then` is called; it may end the run (StopAt) or
     * leave it to end by itself.
     *
     * @param tag of the messages that count, 0 for all
     * @param messages how many
     * @param then is called at the delivery of the last; may be empty
     */
    void RunUntilDelivered(uint64_t tag, uint64_t messages, const std::function<void()>& then = {});

    /**
     * Runs until nothing is left to do, where it is not native messages that count.
     *
     * @param done part of the work that is done, 0 to 1
     */
    void RunUntilIdle(const std::function<double()>& done);

    /// @param duration the run ends then
    void RunFor(Time duration);

    /**
     * Checks, and writes the results.
     *
     * @throws fabric::InvariantError if the run broke an invariant
     */
    void Finish();

    /**
     * The same where it is not native messages that count; there need be no fabric.
     *
     * @param totals the common figures
     * @param write writes the program's own files
     * @throws fabric::InvariantError if the run broke an invariant
     */
    void Finish(const fabric::RunTotals& totals,
                const std::function<void(fabric::RunDirectory&)>& write);

    /**
     * @param src a location
     * @param dst another
     * @param bytes of a message
     * @return time that it takes in an empty fabric (95-facts.md, reference formulas), ps
     */
    fabric::TimePs AloneTime(fabric::LocationId src, fabric::LocationId dst, uint64_t bytes) const;

    /// @return rate of the links
    DataRate GetLinkRate() const;

    /// @return propagation delay of the links
    Time GetLinkDelay() const;

    /// @return time between samples of ports, 0 for none
    Time GetSamplePeriod() const;

    /// @return messages delivered by their completion times, s
    std::vector<double> GetCompletionTimes(uint64_t tag) const;

  private:
    /// @return the fat tree that the options ask for; a mistake names the options
    FatTreeHelper MakeTree() const;
    /// @return when the run was stopped, or else when the last message that counts was delivered
    Time GetEnd() const;
    /// Writes messages.csv and flows.csv. @param directory where
    void WriteMessages(fabric::RunDirectory& directory);
    /// Runs, showing progress.
    void Run(const std::function<double()>& done);

    fabric::ProgramOptions m_options;                  ///< Options.
    std::string m_topology;                            ///< `--topology`
    fabric::FatTreeConfig m_tree;                      ///< `--k`, `--levels`, `--oversubscription`
    std::string m_oversubscription;                    ///< `--oversubscription`
    DataRate m_linkRate;                               ///< `--linkRate`
    Time m_linkDelay;                                  ///< `--linkDelay`
    bool m_flowChannels;                               ///< `--flowChannels`
    Time m_samplePeriod;                               ///< `--samplePeriod`
    FabricHelper m_helper;                             ///< Installs.
    FabricContainer m_fabric;                          ///< The fabric.
    fabric::TopologyPlan m_plan;                       ///< Its plan.
    std::unique_ptr<fabric::PortMap> m_ports;          ///< Far end of each of its ports.
    std::vector<fabric::Routing> m_routing;            ///< Its routing.
    std::unique_ptr<fabric::RunResults> m_results;     ///< Table and files.
    std::unique_ptr<FabricMessageRecorder> m_recorder; ///< Messages delivered.
    std::unique_ptr<FabricPortSampler> m_sampler;      ///< Time series, if asked for.
    Time m_lastDelivery;                               ///< Of the messages waited for.
    bool m_isActive{false};                            ///< Whether the run goes on.
};

} // namespace ns3

#endif // FABRIC_RUN_H
