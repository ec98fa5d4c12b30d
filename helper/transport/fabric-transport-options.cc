/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-options.h"

#include "fabric-dcqcn-marks.h"
#include "fabric-option-type.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3::fabric
{

namespace
{

constexpr const char* OWN_OPTIONS = "what its own options say"; ///< They set attributes.

} // namespace

void
TransportOptions::AddFaults(ProgramOptions& options)
{
    const OptionType<double> part = NumberType(0, 0.9);
    options.Add("loss", "fraction of packets that are lost", loss, part);
    options.Add("reorder", "fraction of packets that are delayed by up to 10 us", reorder, part);
    options.Add("duplicate", "fraction of packets that arrive twice", duplicate, part);
    options.Add("corrupt", "fraction of packets that arrive damaged", corrupt, part);
    options.ReserveAttributes({"ns3::FabricTransport::Loss",
                               "ns3::FabricTransport::Reorder",
                               "ns3::FabricTransport::Duplicate",
                               "ns3::FabricTransport::Corrupt"},
                              OWN_OPTIONS);
}

void
TransportOptions::AddOperations(ProgramOptions& options)
{
    constexpr uint64_t MOST_BYTES = 0x7FFFFFFF;
    constexpr uint32_t MOST_OPERATIONS = 1U << 24;
    options.Add("bytes", "size of each operation", bytes, SizeType(1, MOST_BYTES));
    options.Add("count", "operations of each sender", count, CountType(1U, MOST_OPERATIONS));
    options.Add("outstanding",
                "operations that an initiator has outstanding at a time",
                outstanding,
                CountType(1U, MOST_OPERATIONS));
    options.Add("operations",
                "operations that each initiator posts in turn",
                operations,
                ChoicesType({"push", "pull"}, 1));
    AddConnections(options);
    options.Add("ordered", "requests and completions keep their order", ordered);
    options.ReserveAttributes({"ns3::FabricInitiatorApplication::Remote",
                               "ns3::FabricInitiatorApplication::Operations",
                               "ns3::FabricInitiatorApplication::Bytes",
                               "ns3::FabricInitiatorApplication::Count",
                               "ns3::FabricInitiatorApplication::Outstanding",
                               "ns3::FabricInitiatorApplication::Ordered",
                               "ns3::FabricUdpTransport::Port"},
                              OWN_OPTIONS);
}

void
TransportOptions::AddConnections(ProgramOptions& options)
{
    options.Add(
        "push",
        "which pushes are solicited: auto, those above 16 KiB; congestion, also all while the "
        "congestion window is small",
        push,
        ChoiceType({"solicited", "unsolicited", "auto", "congestion"}));
    options.Add("window", "size of the data window, packets", window, CountType(1U, 128U));
    options.Add("congestionControl",
                "congestion control",
                congestionControl,
                ChoiceType({"fixed", "delay", "marks", "dcqcn", "hpcc", "timely"}));
    options.ReserveAttributes({"ns3::FabricTransport::Solicitation",
                               "ns3::FabricTransport::DataWindow",
                               "ns3::FabricTransport::CongestionControl"},
                              OWN_OPTIONS);
}

void
TransportOptions::AddTrace(ProgramOptions& options)
{
    options.Add("trace", "write every packet to packets.csv", trace);
}

void
TransportOptions::Check(uint32_t threads) const
{
    if (trace && threads > 1)
    {
        ThrowNotAllowed("--trace", "true", "false, or --threads=1");
    }
}

void
TransportOptions::CheckTcp(bool canLose) const
{
    const bool hasFaults =
        reorder != 0 || duplicate != 0 || corrupt != 0 || (loss != 0 && !canLose);
    if (hasFaults || trace || operations != std::vector<std::string>{"push"})
    {
        ThrowNotAllowed("--protocol",
                        "tcp",
                        "rt, or tcp with --operations=push and no faults but, over ip, --loss");
    }
    if (congestionControl != "fixed" && congestionControl != "marks")
    {
        ThrowNotAllowed("--congestionControl",
                        congestionControl,
                        "fixed (as ns3::TcpL4Protocol::SocketType says) or marks (DCTCP) with "
                        "--protocol=tcp");
    }
    const auto refuse = [](const char* name, const std::string& value, bool isUsual) {
        if (!isUsual)
        {
            ThrowNotAllowed(name, value, "only --protocol=rt with it");
        }
    };
    const TransportOptions usual;
    refuse("--window", std::to_string(window), window == usual.window);
    refuse("--outstanding", std::to_string(outstanding), outstanding == usual.outstanding);
    refuse("--push", push, push == usual.push);
    refuse("--ordered", "false", ordered == usual.ordered);
}

bool
TransportOptions::HasMarks() const
{
    return congestionControl == "marks" || congestionControl == "dcqcn";
}

void
TransportOptions::SetSwitches(const ProgramOptions& options, DataRate rate) const
{
    if (congestionControl == "dcqcn")
    {
        DcqcnMarks::OfPaper(rate).SetDefaults(options);
    }
    else if (HasMarks())
    {
        SetMarkClassesDefault(options);
    }
    else if (congestionControl == "hpcc")
    {
        options.SetDefault("ns3::FabricSwitch::Telemetry", BooleanValue(true));
    }
}

void
TransportOptions::RequireMarks(bool hasMarks) const
{
    if (HasMarks() && !hasMarks)
    {
        ThrowNotAllowed("--congestionControl",
                        congestionControl,
                        "fixed, delay, or " + congestionControl +
                            " with switches that mark: "
                            "ns3::FabricSwitch::MarkClasses above 0, or MarkRules");
    }
}

void
TransportOptions::SetConnectionAttributes(FabricTransportHelper& helper) const
{
    helper.SetAttribute("Loss", DoubleValue(loss));
    helper.SetAttribute("Reorder", DoubleValue(reorder));
    helper.SetAttribute("Duplicate", DoubleValue(duplicate));
    helper.SetAttribute("Corrupt", DoubleValue(corrupt));
    helper.SetAttribute("DataWindow", UintegerValue(window));
    helper.SetAttribute("CongestionControl", StringValue(congestionControl));
    helper.SetAttribute("Solicitation",
                        StringValue(push == "solicited"     ? "always"
                                    : push == "unsolicited" ? "never"
                                    : push == "congestion"  ? "congestion"
                                                            : "length"));
}

void
TransportOptions::SetAttributes(FabricTransportHelper& helper) const
{
    SetConnectionAttributes(helper);
    std::string names;
    for (const std::string& operation : operations)
    {
        names.append(names.empty() ? "" : ",").append(operation == "push" ? "write" : "read");
    }
    helper.SetInitiatorAttribute("Operations", StringValue(names));
    helper.SetInitiatorAttribute("Bytes", UintegerValue(bytes));
    helper.SetInitiatorAttribute("Count", UintegerValue(count));
    helper.SetInitiatorAttribute("Outstanding", UintegerValue(outstanding));
    helper.SetInitiatorAttribute("Ordered", BooleanValue(ordered));
}

} // namespace ns3::fabric
