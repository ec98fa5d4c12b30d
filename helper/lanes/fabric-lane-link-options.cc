/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-link-options.h"

#include "fabric-lane-table-file.h"
#include "fabric-option-type.h"
#include "fabric-program.h"

#include <cmath>

namespace ns3::fabric
{

void
LaneLinkOptions::AddArbiter(ProgramOptions& options)
{
    options.Add("table",
                "file of the lane table, in JSON or CSV; worked-example for six lanes of 10 % each",
                table);
    options.Add("mode", "what a meter checks", mode, ChoiceType({"lane", "group"}));
    options.Add("meter",
                "how the bandwidth of groups is measured",
                meter,
                ChoiceType({"token-bucket", "leaky-bucket", "sliding-window"}));
    options.Add("over",
                "what happens to packets above the bandwidth of their group",
                over,
                ChoiceType({"demote", "disqualify"}));
    options.Add("chargeOver", "charge such packets to the meter", chargeOver);
    const std::string disc = "ns3::VlArbiterQueueDisc::";
    const std::string lane = "ns3::FabricSwitch::Lane";
    options.ReserveAttributes({disc + "TableFile", lane + "TableFile"}, "--table");
    options.ReserveAttributes({disc + "Mode", lane + "Mode"}, "--mode");
    options.ReserveAttributes({disc + "Meter", lane + "Meter"}, "--meter");
    options.ReserveAttributes({disc + "OverBandwidth", lane + "OverBandwidth"}, "--over");
    options.ReserveAttributes({disc + "ChargeOverBandwidth", lane + "ChargeOverBandwidth"},
                              "--chargeOver");
}

void
LaneLinkOptions::AddLink(ProgramOptions& options)
{
    options.Add("frameBytes",
                "length of each packet on the link, with headers",
                link.packetBytes,
                SizeType(64, 9000));
    options.Add("linkRate", "rate of the link", link.rate);
    options.Add("linkDelay",
                "propagation delay of the link",
                link.delay,
                TimeType(NanoSeconds(1), MilliSeconds(10)));
    options.ReserveAttributes({"ns3::VlArbiterQueueDisc::LinkRate",
                               "ns3::PointToPointNetDevice::DataRate",
                               "ns3::FabricChannel::DataRate"},
                              "--linkRate");
    options.ReserveAttributes({"ns3::PointToPointChannel::Delay", "ns3::FabricChannel::Delay"},
                              "--linkDelay");
    options.ReserveAttributes({"ns3::PointToPointNetDevice::Mtu", "ns3::FabricDevice::Mtu"},
                              "what frames of any size need");
    options.ReserveAttributes(
        {"ns3::VlArbiterQueueDisc::LinkOverhead", "ns3::VlArbiterQueueDisc::DscpToClass"},
        "what the program's link and lanes need");
}

void
LaneLinkOptions::Read()
{
    link.table = ReadFileOf("--table", [this] {
        return table == WORKED_EXAMPLE ? MakeWorkedExample() : ReadLaneTable(table);
    });
    link.arbiter = {{"Mode", mode},
                    {"Meter", meter},
                    {"OverBandwidth", over},
                    {"ChargeOverBandwidth", chargeOver ? "true" : "false"}};
}

std::vector<double>
LaneLinkOptions::ParseLoads(const std::string& option, const std::string& text) const
{
    std::vector<double> loads;
    for (const std::string& item : SplitList(text))
    {
        loads.push_back(NumberType(0, 1).Read(option, item));
    }
    const std::size_t lanes = link.table.lanes.size();
    if (loads.size() == 1)
    {
        loads.resize(lanes, loads[0]);
    }
    if (loads.size() != lanes)
    {
        ThrowNotAllowed(option,
                        text,
                        "one number for all lanes, or " + std::to_string(lanes) +
                            " with commas, one for each lane of the table");
    }
    return loads;
}

void
LaneLinkOptions::CheckDuration(Time duration) const
{
    const Time shortest = PicoSeconds(std::llround(std::ceil(100 * link.PacketTime())));
    if (duration < shortest)
    {
        ThrowNotAllowed("--duration",
                        TimeText(duration),
                        "at least " + TimeText(shortest) +
                            ", in which the link carries 100 packets");
    }
}

LaneTable
LaneLinkOptions::MakeWorkedExample()
{
    LaneTable table;
    for (uint8_t lane = 0; lane < 6; ++lane)
    {
        const auto group = static_cast<uint8_t>(lane < 4 ? 0 : 1);
        table.lanes.push_back({lane, 0, lane, group, false});
    }
    table.groups = {{0, 4000}, {1, 2000}};
    return table;
}

} // namespace ns3::fabric
