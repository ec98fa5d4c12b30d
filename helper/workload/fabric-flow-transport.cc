/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-transport.h"

#include "fabric-congestion-tools.h"
#include "fabric-dcqcn-marks.h"
#include "fabric-ideal-paths.h"
#include "fabric-message-flow-carrier.h"
#include "fabric-option-type.h"
#include "fabric-pio-flow-carrier.h"
#include "fabric-program.h"
#include "fabric-rdma-flow-carrier.h"
#include "fabric-switch.h"
#include "fabric-tcp-bulk-traffic.h"
#include "fabric-tcp-flow-carrier.h"
#include "fabric-transport-traffic.h"

#include "ns3/string.h"

#include <stdexcept>

namespace ns3::fabric
{

namespace
{

/// Leaves out the switches' own congestion control where hosts have one, but for hop credits.
void
LeaveOutTools(const FabricRun& run)
{
    CongestionTools tools;
    tools.tools = {"hop-credits", "slow-paths"}; // one controller for each queue
    tools.SetAttributes(run.GetOptions(), run.HasFlowChannels());
}

/// Refuses flows that can't be carried. @param check throws a sentence about one of them
/// @param where it begins
template <typename Check>
void
RequireFlows(const std::string& where, const Check& check)
{
    try
    {
        check();
    }
    catch (const std::invalid_argument& error)
    {
        throw BadInput(where + ": " + error.what());
    }
}

} // namespace

void
FlowTransport::Add(ProgramOptions& options, const std::string& classes)
{
    options.Add("transport",
                "what carries flows: native messages; the reliable transport, as a push each; "
                "programmed I/O; or ns-3's TCP, over a connection each",
                transport,
                ChoiceType({"raw", "rt", "pio", "tcp"}));
    options.Add("connections",
                "connections of each two hosts and traffic class with --transport=rt, which their "
                "flows take in turn",
                connections,
                CountType(1U, 256U));
    rt.AddConnections(options);
    rt.AddFaults(options);
    options.ReserveAttributes(
        {"ns3::FabricNicTransport::TrafficClass", "ns3::FabricTransport::ReportsOneSided"},
        classes);
}

void
FlowTransport::Check(const ProgramOptions& options) const
{
    if (transport != "rt")
    {
        options.RefuseGiven({"connections",
                             "push",
                             "window",
                             "congestionControl",
                             "loss",
                             "reorder",
                             "duplicate",
                             "corrupt"},
                            "--transport=rt");
    }
    if (transport == "tcp" && options.Common().mpi)
    {
        ThrowNotAllowed("--transport",
                        transport,
                        "raw, rt or pio with --mpi, since both ends of a connection are counted "
                        "together");
    }
}

void
FlowTransport::SetFabric(const FabricRun& run) const
{
    if (transport == "rt")
    {
        if (rt.congestionControl != "fixed")
        {
            LeaveOutTools(run);
        }
        rt.SetSwitches(run.GetOptions(), run.GetLinkRate());
    }
    else if (transport == "tcp")
    {
        run.GetOptions().SetDefault("ns3::FabricNetDevice::DscpToClass",
                                    StringValue(TcpFlowCarrier::DscpToClass()));
        if (TcpFlowCarrier::WantsMarks())
        {
            LeaveOutTools(run);
            SetMarkClassesDefault(run.GetOptions());
        }
    }
}

FlowTransport::Carriers
FlowTransport::Make(const FabricRun& run,
                    const FabricContainer& fabric,
                    const FlowList& list,
                    const std::string& source) const
{
    if (transport == "rt")
    {
        return {MakeRdma(run, fabric, list, source), nullptr};
    }
    if (transport == "tcp")
    {
        return {MakeTcp(run, fabric, list, source), nullptr};
    }
    if (transport == "pio")
    {
        return {nullptr, std::make_unique<PioFlowCarrier>(fabric, list)};
    }
    return {nullptr, std::make_unique<MessageFlowCarrier>(fabric, list)};
}

std::unique_ptr<LoggedFlowCarrier>
FlowTransport::MakeRdma(const FabricRun& run,
                        const FabricContainer& fabric,
                        const FlowList& list,
                        const std::string& source) const
{
    rt.RequireMarks(fabric.GetSwitch(0)->GetChip().Marker() != nullptr);
    RequireFlows("--transport=rt: " + source, [&list] { RdmaFlowCarrier::RequireSizes(list); });
    FabricTransportTraffic::SetGrantDefaults(
        run.GetOptions(),
        run.GetHostRate(),
        FabricIdealPaths(fabric.network).LongestHostRoundTrip());
    FabricTransportHelper helper;
    rt.SetConnectionAttributes(helper);
    return std::make_unique<RdmaFlowCarrier>(fabric, list, helper, connections);
}

std::unique_ptr<LoggedFlowCarrier>
FlowTransport::MakeTcp(const FabricRun& run,
                       const FabricContainer& fabric,
                       const FlowList& list,
                       const std::string& source) const
{
    RequireFlows("--transport=tcp: " + source, [&list] {
        TcpFlowCarrier::RequirePorts(list);
        TcpFlowCarrier::RequireClasses(list);
    });
    TcpBulkTraffic::SetDefaults(run.GetOptions(),
                                fabric.GetDevice(0)->GetMtu(),
                                false,
                                run.GetHostRate());
    return std::make_unique<TcpFlowCarrier>(fabric, list);
}

} // namespace ns3::fabric
