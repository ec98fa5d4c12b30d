/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-class-traffic.h"
#include "fabric-fat-tree-helper.h"
#include "fabric-network-scenario.h"
#include "fabric-shaping-table-file.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-scratch-folder.h"

#include "ns3/string.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Two applications of one traffic class, told apart by their virtual networks.
const std::string BY_VNI = R"({
  "classes": [{"class": 0, "vni": 7, "queue": 1}],
  "leaves": [{"queue": 0, "rate": "30Gbps"}, {"queue": 1, "rate": "10Gbps"}],
  "head": {"rate": 0}})";

/// A folder with a table.
struct TableFile
{
    /// @param text of the table
    TableFile(FunctionCase& self, const std::string& text)
        : folder(self, "shaping")
    {
        std::filesystem::create_directories(folder.Get());
        name = (folder.Get() / "table.json").string();
        std::ofstream(name) << text;
    }

    ScratchFolder folder; ///< With the file.
    std::string name;     ///< Of the file.
};

/// Counts what is granted.
struct ShapeWatch
{
    /// A sink of Shape.
    void Count(uint32_t port, const Frame& frame, const ShapingGrant& grant, Time)
    {
        bytes[{port, frame.vni}] += WireBytes(frame.payload);
        isRight = isRight && grant.queue == (frame.vni == 7 ? 1 : 0) && grant.payer == Payer::LEAF;
    }

    std::map<std::pair<uint32_t, uint16_t>, uint64_t> bytes; ///< By port and network.
    bool isRight{true}; ///< Whether queues and buckets are those of the networks.
};

/// Applications of one class get what their queues get, by VNI, at the outputs that have a table.
void
TestApplications(FunctionCase& self)
{
    const TableFile file(self, BY_VNI);
    for (const std::string name : {"HostShapingTableFile", "LinkShapingTableFile"})
    {
        for (const bool flowChannels : {true, false})
        {
            Simulation simulation;
            FatTreeHelper helper(4);
            helper.SetStream(1);
            helper.SetSwitchAttribute(name, StringValue(file.name));
            helper.SetSwitchAttribute("FlowChannels", StringValue(flowChannels ? "true" : "false"));
            helper.SetChannelAttribute("DataRate", StringValue("100Gbps"));
            const FabricContainer fabric = helper.Install();
            // Hosts 0 and 1 are on one switch; host 2 is on another of the pod, by two links.
            std::map<uint16_t, uint64_t> got;
            const Time end = MicroSeconds(400);
            const auto deliver = [&got](const Message& message, Time at) {
                got[message.vni] += at >= MicroSeconds(100) ? message.bytes : 0;
            };
            std::function<void(const Message&, Time)> onDelivery = deliver;
            FabricMessageRecorder recorder(fabric.network);
            ShapeWatch watch;
            uint32_t shaped = 0;
            for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
            {
                for (uint32_t port = 0; port < 4; ++port)
                {
                    shaped += fabric.GetSwitch(i)->GetChip().GetShaper(port) != nullptr;
                }
                fabric.GetSwitch(i)->TraceConnectWithoutContext(
                    "Shape",
                    MakeCallback(&ShapeWatch::Count, &watch));
            }
            // Of 20 switches with 4 ports.
            self.ExpectEqual(shaped, name == "HostShapingTableFile" ? 16 : 64, "shaped outputs");
            Simulator::ScheduleNow([&fabric] {
                for (uint32_t i = 0; i < 600; ++i)
                {
                    MessageFlow flow;
                    flow.dst = fabric.GetDevice(2)->GetLocation();
                    flow.vni = 7;
                    fabric.GetDevice(0)->SendMessage(flow, 4000);
                    flow.vni = 8;
                    fabric.GetDevice(1)->SendMessage(flow, 4000);
                }
            });
            Simulator::Stop(end);
            Simulator::Run();
            for (const auto& record : recorder.GetRecords())
            {
                onDelivery(record.message, PicoSeconds(record.deliveredAt));
            }
            self.Expect(watch.isRight, Text(name, ": queues are those of the networks"));
            self.Expect(!watch.bytes.empty(), Text(name, ": something is shaped"));
            if (name == "HostShapingTableFile")
            {
                const double time = (end - MicroSeconds(100)).GetSeconds();
                self.ExpectNear(static_cast<double>(got[7]) * 8 / time / 1e9, 10, 0.4, "VNI 7");
                self.ExpectNear(static_cast<double>(got[8]) * 8 / time / 1e9, 30, 0.8, "VNI 8");
            }
        }
    }
}

/// What can't be is refused in a sentence, with the file's name.
void
TestShapingRefusals(FunctionCase& self)
{
    const TableFile file(self, R"({"leaves": [{"queue": 9}]})");
    const TableFile* const table = &file;
    const auto refusalOf = [table](const std::string& name, const std::string& value) {
        Simulation simulation;
        FatTreeHelper helper(4);
        helper.SetSwitchAttribute(name, StringValue(value.empty() ? table->name : value));
        return Refusal([&helper] { helper.Install(); });
    };
    const std::string link = refusalOf("LinkShapingTableFile", "");
    self.Expect(link.find("ns3::FabricSwitch on node 16") == 0 &&
                    link.find("table.json: leaves[0].queue is 9, allowed is a whole number from 0 "
                              "to 7") != std::string::npos,
                Text("it says: ", link));
    const std::string host = refusalOf("HostShapingTableFile", "");
    self.Expect(host.find("queue 0 has no leaf") != std::string::npos, Text("it says: ", host));
    const std::string missing = refusalOf("HostShapingTableFile", "none.csv");
    self.Expect(missing.find("none.csv: this file cannot be read") != std::string::npos,
                Text("it says: ", missing));
    Simulation simulation;
    FatTreeHelper helper(4);
    ShapingTable wrong;
    self.Expect(Refusal([&] { helper.SetHostShapingTable(wrong); }).find("there is no leaf") !=
                    std::string::npos,
                "a table without leaves");
    LaneTable lanes;
    lanes.lanes = {{0, 0, 0, 0, false}};
    lanes.groups = {{0, 100}};
    helper.SetLaneTable(lanes);
    wrong.leaves = {{0, {}, 0}};
    helper.SetLinkShapingTable(wrong);
    self.Expect(Refusal([&] { helper.Install(); }).find("allowed is one of them") !=
                    std::string::npos,
                "lanes and shaping");
}

/// The suite.
class ShapingNetSuite : public FunctionSuite
{
  public:
    ShapingNetSuite()
        : FunctionSuite("fabric-shaping-net", kUnit)
    {
        Add("SW-12 applications of a class are shaped apart by VNI", TestApplications);
        Add("SW-11 SW-12 refusals", TestShapingRefusals);
    }
};

ShapingNetSuite g_shapingNetSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
