/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_TRANSPORT_H
#define FABRIC_FLOW_TRANSPORT_H

#include "fabric-flow-carrier.h"
#include "fabric-flow-list.h"
#include "fabric-helper.h"
#include "fabric-logged-flow-carrier.h"
#include "fabric-run.h"
#include "fabric-transport-options.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3::fabric
{

/**
 * The options of a program that choose what carries its flows (SC-3), and what they make of them.
 *
 * @code
 * fabric::FlowTransport transport;
 * transport.Add(run.GetOptions());
 * run.Parse(argc, argv, [&] { transport.Check(run.GetOptions()); });
 * transport.SetFabric(run);
 * const FabricContainer& fabric = run.InstallTree();
 * const auto carriers = transport.Make(run, fabric, list, "flow.txt");
 * FabricFlowTraffic traffic(carriers.Carrier(), list);
 * @endcode
 */
struct FlowTransport
{
    /// What carries flows.
    struct Carriers
    {
        std::unique_ptr<LoggedFlowCarrier> logged; ///< Null where flows are native messages.
        std::unique_ptr<FlowCarrier> messages;     ///< Null where they are something else.

        /// @return the one that there is
        FlowCarrier& Carrier() const
        {
            return logged ? *logged : *messages;
        }
    };

    std::string transport{"raw"}; ///< `--transport`
    uint32_t connections{256};    ///< `--connections`
    TransportOptions rt;          ///< Of the reliable transport.

    /// Queue pairs of RDMA ask nobody before they send.
    FlowTransport()
    {
        rt.push = "unsolicited";
    }

    /**
     * Adds transport, connections and those of the reliable transport, and reserves attributes.
     *
     * @param options of the program; refer to this object
     * @param classes what says the traffic classes of flows, for a sentence
     */
    void Add(ProgramOptions& options, const std::string& classes);

    /// @throws std::invalid_argument with a sentence for options of another transport, or for one
    /// that does not run on several ranks
    void Check(const ProgramOptions& options) const;

    /// @return whether flows are native messages, which the fabric knows
    bool IsNative() const
    {
        return transport == "raw" || transport == "pio";
    }

    /// Sets what has to be before switches and devices are made: as fabric-transport, where the
    /// command line says nothing else.
    void SetFabric(const FabricRun& run) const;

    /**
     * @param fabric whose hosts send; stays
     * @param list what they send; stays
     * @param source what says the flows, for a sentence
     * @return what carries them
     * @throws std::invalid_argument with a sentence if it can't
     */
    Carriers Make(const FabricRun& run,
                  const FabricContainer& fabric,
                  const FlowList& list,
                  const std::string& source) const;

  private:
    /// @return the reliable transport
    std::unique_ptr<LoggedFlowCarrier> MakeRdma(const FabricRun& run,
                                                const FabricContainer& fabric,
                                                const FlowList& list,
                                                const std::string& source) const;
    /// @return connections of TCP
    std::unique_ptr<LoggedFlowCarrier> MakeTcp(const FabricRun& run,
                                               const FabricContainer& fabric,
                                               const FlowList& list,
                                               const std::string& source) const;
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_TRANSPORT_H
