/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RUN_H
#define FABRIC_RUN_H

#include "fabric-fat-tree-helper.h"
#include "fabric-graph-file.h"
#include "fabric-helper.h"
#include "fabric-message-recorder.h"
#include "fabric-path-topology-options.h"
#include "fabric-port-sampler.h"
#include "fabric-program-run.h"
#include "fabric-queue-sampler.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * A program with a fabric: the options of its links, building it, running it until messages are
 * delivered, and at the end its checks, messages.csv, flows.csv, ports.csv and channels.csv.
 */
class FabricRun : public fabric::ProgramRun
{
  public:
    /**
     * @param file the program's source file
     * @param usage what the program shows
     */
    FabricRun(const std::string& file, const std::string& usage);

    /**
     * Adds the options of a fat tree: topology, k, levels, oversubscription; of a dragonfly and of
     * a torus.
     *
     * @param orSwitch whether one switch with k hosts may be asked for instead
     */
    void AddTreeOptions(bool orSwitch = false);

    void Parse(int argc, char* argv[], const std::function<void()>& check = {}) override;

    /// The program's own options leave no flow channels; to be called while Parse() checks.
    void LeaveOutFlowChannels()
    {
        m_flowChannels = false;
    }

    /// @return the topology that the options ask for, installed; with `--check` its routes are
    /// proven
    const FabricContainer& InstallTree();

    /// @return whether each hop of a way has a virtual channel of its own, whatever `--routing` is:
    /// in a dragonfly, torus or HyperX
    bool HasChannelsByHop() const;

    /// @return consecutive hosts of each group of a dragonfly, or of each switch of a torus or
    /// HyperX; 0 for other topologies
    uint32_t GetGroupHosts() const
    {
        return m_groupHosts;
    }

    /// @return switches in each dimension of a torus; none for other topologies
    const std::vector<uint32_t>& GetRings() const
    {
        return m_rings;
    }

    /**
     * Refuses a single flow channel at a time on links between switches: who sends without end
     * keeps it, and others would wait for ever.
     *
     * @param fabric installed
     * @param keepers who keeps it, such as "the victim sends without end and keeps"
     * @param others who needs it too, such as "the incast needs"
     * @param otherwise what is allowed besides, such as ", or --victim=off"
     * @throws fabric::BadInput with a sentence
     */
    static void RequireFlowIds(const FabricContainer& fabric,
                               const std::string& keepers,
                               const std::string& others,
                               const std::string& otherwise = "");

    /// @return the options that say how many hosts the topology has, for sentences
    std::string SizeOptions() const;

    /// @return what hosts and switches are in files: nodes of the topology's file if there is one;
    /// after they are installed
    fabric::NodeNumbers GetNodes() const;

    /// @return the samples of ports, null without `--samplePeriod`; after the topology is installed
    FabricPortSampler* GetSampler()
    {
        return m_sampler.get();
    }

    /// @return the topology, installed
    const FabricContainer& Install(const fabric::TopologyPlan& plan,
                                   const std::vector<fabric::Routing>& routing);

    /// @return the tree, installed
    const FabricContainer& Install(const fabric::FatTree& tree);

    /**
     * @param options that say it, as they are given
     * @throws std::invalid_argument with a sentence that names the options if there is no such tree
     */
    static FatTreeHelper MakeTree(const fabric::FatTreeConfig& config, const std::string& options);

    /// @return the helper that installs, to set attributes before
    FabricHelper& GetHelper()
    {
        return m_helper;
    }

    /// @return when the last of the messages was delivered, after RunUntilDelivered()
    Time GetLastDelivery() const
    {
        return m_lastDelivery;
    }

    /// @return the messages that were delivered
    FabricMessageRecorder& GetRecorder()
    {
        return *m_recorder;
    }

    /**
     * Runs until the messages are delivered, then `then` is called; it may end the run (StopAt) or
     * leave it to end by itself. When all others are delivered and the rest is lost for good, the
     * run ends too.
     *
     * @param tag of the messages that count, 0 for all
     * @param messages how many
     * @param then is called at the delivery of the last; may be empty, and has to be on several
     * ranks, of which none knows of it
     * @throws fabric::InvariantError if not all are delivered, with what held them up
     */
    void RunUntilDelivered(uint64_t tag, uint64_t messages, const std::function<void()>& then = {});

    /// @param duration from now, after which the run ends; it can go on with another call
    void RunFor(Time duration);

    /**
     * Ends a run whose native messages count: their totals, messages.csv and flows.csv.
     *
     * @param write writes the program's own files; may be empty
     * @throws fabric::InvariantError if the run broke an invariant
     */
    void Finish(const WriteFiles& write = {});

    /**
     * Ends a run where something else counts; there need be no fabric. A deadlock is an error, with
     * `--check` its invariants are checked, with `--samplePeriod` ports.csv is written, with
     * `--sampleQueues` queues.csv, and with `--channels` channels.csv.
     *
     * @param totals the common figures
     * @param write writes the program's own files; may be empty
     * @throws fabric::InvariantError if the run broke an invariant
     */
    void Finish(const fabric::RunTotals& totals, const WriteFiles& write = {}) override;

    /**
     * The checks of Finish(), for programs that print and write nothing: the simulator is left as
     * it is.
     *
     * @return the common figures of the run so far
     * @throws fabric::InvariantError if the run broke an invariant
     */
    fabric::RunTotals Conclude() const;

    /// Writes ports.csv, of a run with `--samplePeriod`, after Conclude(). @param os where to write
    void WritePorts(std::ostream& os);

    /// Writes messages.csv, flows.csv, and what its options ask for besides, after Conclude().
    /// @param directory where to write
    void WriteTables(fabric::RunDirectory& directory);

    /// Writes queues.csv, of a run with `--sampleQueues`, after Conclude(). @param os where to
    /// write
    void WriteQueues(std::ostream& os);

    /// @return whether switches keep a queue per flow
    bool HasFlowChannels() const
    {
        return m_flowChannels;
    }

    /// @return rate of the links between switches; of a file that of the first host's
    DataRate GetLinkRate() const
    {
        return m_linkRate;
    }

    /// @return rate of the links of hosts; of a file that of the first host's
    DataRate GetHostRate() const
    {
        return m_hostRate.GetBitRate() != 0 ? m_hostRate : m_linkRate;
    }

    /// @return propagation delay of the links; of a file that of the first host's
    Time GetLinkDelay() const
    {
        return m_linkDelay;
    }

    /// @return time between samples of ports, 0 for none
    Time GetSamplePeriod() const
    {
        return m_samplePeriod;
    }

    /// @return whether there are figures of flow channels
    bool HasChannels() const
    {
        return m_channels;
    }

    /// @return messages delivered by their completion times, s
    std::vector<double> GetCompletionTimes(uint64_t tag) const;

  private:
    /// Refuses a deadlock, and with `--check` broken invariants.
    void CheckEnd() const;
    /// Adds what was delivered and lost on other ranks.
    void AddRanks(uint64_t& delivered, uint64_t& lost);
    /// Looks for a deadlock after a millisecond, or an eighth of the time that has passed.
    void ScheduleWatch();
    /// Ends the run when switches that pause each other are deadlocked.
    void WatchForDeadlock();
    /// @return what came of messages that were not delivered, as the end of a sentence
    std::string WhatHoldsUp(uint64_t lost) const;
    /// Installs the fat tree that the options ask for.
    const FabricContainer& InstallFatTree();
    /// Installs the dragonfly that the options ask for.
    const FabricContainer& InstallDragonfly();
    /// Installs the torus that the options ask for.
    const FabricContainer& InstallTorus();
    /// Installs the HyperX that the options ask for.
    const FabricContainer& InstallHyperX();
    /// Installs a topology whose switches have a PathRule.
    const FabricContainer& InstallPaths(const fabric::TopologyPlan& plan,
                                        const std::vector<fabric::Routing>& routing);
    /// Installs the topology of a file.
    const FabricContainer& InstallGraph();
    /// Refuses options of other topologies.
    void CheckTopology() const;
    /// Reads the topology of a file, if one is asked for.
    void ReadGraph();
    /// Reads `--oversubscription`.
    void ReadOversubscription();
    /// @return when the run was stopped, or else when the last message that counts was delivered
    Time GetEnd() const;
    /// Writes messages.csv and flows.csv.
    void WriteMessages(fabric::RunDirectory& directory);
    /// Writes what its options ask for. @param end of the run
    void WriteChosen(fabric::RunDirectory& directory, Time end);

    std::string m_topology;                            ///< `--topology`
    fabric::FatTreeConfig m_tree;                      ///< `--k`, `--levels`, `--oversubscription`
    std::string m_oversubscription;                    ///< `--oversubscription`
    fabric::PathTopologyOptions m_paths;               ///< Options of a dragonfly and of grids.
    bool m_hasTree{false};                             ///< Whether there are such options.
    uint32_t m_groupHosts{0};                          ///< See GetGroupHosts().
    std::vector<uint32_t> m_rings;                     ///< See GetRings().
    std::optional<fabric::GraphFile> m_graph;          ///< Topology of a file.
    DataRate m_linkRate;                               ///< `--linkRate`
    DataRate m_hostRate;                               ///< `--hostRate`, 0 for that of all links
    Time m_linkDelay;                                  ///< `--linkDelay`
    bool m_flowChannels;                               ///< `--flowChannels`
    bool m_channels;                                   ///< `--channels`
    std::string m_pcap;                                ///< `--pcap`
    Time m_samplePeriod;                               ///< `--samplePeriod`
    bool m_hasQueues{false};                           ///< `--sampleQueues`
    FabricHelper m_helper;                             ///< Installs.
    FabricContainer m_fabric;                          ///< The fabric.
    std::unique_ptr<FabricMessageRecorder> m_recorder; ///< Messages delivered.
    std::unique_ptr<FabricPortSampler> m_sampler;      ///< Time series, if asked for.
    std::unique_ptr<FabricQueueSampler> m_queues;      ///< Time series, if asked for.
    Time m_lastDelivery;                               ///< Of the messages waited for.
};

} // namespace ns3

#endif // FABRIC_RUN_H
