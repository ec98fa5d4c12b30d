/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-attribute-value.h"
#include "fabric-chain.h"
#include "fabric-fat-tree-helper.h"
#include "fabric-flow-key.h"
#include "fabric-message-recorder.h"
#include "fabric-message-sender-helper.h"
#include "fabric-message-sender.h"
#include "fabric-shortest-path-routing.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"

#include "ns3/config.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// A message was delivered. @param bytes of all messages so far
void
AddBytes(uint64_t* bytes, const Message& message, Time)
{
    *bytes += message.bytes;
}

/// One message, and one every microsecond until the end.
void
TestSenders(FunctionCase& self)
{
    const TopologyPlan plan = MakeChainPlan({2});
    const FabricContainer fabric = FabricHelper().Install(plan, MakeShortestPathRouting(plan));
    const FabricMessageRecorder recorder(fabric.network);
    const FabricMessageSenderHelper once(100);
    once.Install(fabric, 0, 2)->SetStartTime(MicroSeconds(3));
    FabricMessageSenderHelper often(200);
    often.SetAttribute("Tag", UintegerValue(7));
    often.SendOnEvery(MicroSeconds(1));
    often.Install(fabric, 1, 0);
    fabric.network->StopAt(NanoSeconds(9'900)); // a message takes less than 0.9 us
    Simulator::Run();
    uint32_t counts[2] = {0, 0};
    for (const FabricMessageRecorder::Record& record : recorder.GetRecords())
    {
        const Message& message = record.message;
        const bool isOften = message.tag == 7;
        ++counts[isOften];
        self.Expect(message.bytes == (isOften ? 200 : 100), "bytes");
        self.Expect(HostOf(message.src) == (isOften ? 1 : 0), "source");
        self.Expect(HostOf(message.dst) == (isOften ? 0 : 2), "destination");
        self.Expect(isOften || message.sentAt == 3'000'000, "start");
    }
    self.Expect(counts[0] == 1 && counts[1] == 10, "messages");
    Simulator::Destroy();
}

/// Each attribute of the application shows in what arrives, until it is stopped.
void
TestAttributes(FunctionCase& self)
{
    const TopologyPlan plan = MakeChainPlan({2});
    const FabricContainer fabric = FabricHelper().Install(plan, MakeShortestPathRouting(plan));
    const FabricMessageRecorder recorder(fabric.network);
    FabricMessageSenderHelper helper(300);
    helper.SendOnEvery(MicroSeconds(2));
    helper.SetAttribute("TrafficClass", UintegerValue(5));
    helper.SetAttribute("Vni", UintegerValue(6));
    helper.SetAttribute("Process", UintegerValue(7));
    const auto sender = DynamicCast<FabricMessageSender>(helper.Install(fabric, 0, 2));
    sender->SetStartTime(MicroSeconds(3));
    sender->SetStopTime(MicroSeconds(10));
    Simulator::Run();
    self.ExpectEqual(recorder.GetRecords().size(), 4, "messages until it was stopped");
    self.ExpectEqual(sender->GetSent(), 4, "are counted");
    TimePs at = 3'000'000;
    for (const FabricMessageRecorder::Record& record : recorder.GetRecords())
    {
        const Message& message = record.message;
        self.ExpectEqual(message.sentAt, at, "every 2 us");
        self.Expect(message.trafficClass == 5 && message.vni == 6 && message.process == 7, "flow");
        at += 2'000'000;
    }
    Simulator::Destroy();
}

/// Two senders of a host and one of another send as much as each other to one host.
struct Rivals
{
    uint8_t fields;        ///< `FlowFields` of the switch.
    const char* attribute; ///< In what the host's senders differ.
    double share;          ///< What the other host's sender should have of the receiver's link.
    const char* rules{""}; ///< `FlowRules` of the switch.
};

/// A switch gives turns to flows: two processes of a host are two, if it looks at that.
void
TestProcesses(FunctionCase& self)
{
    constexpr uint64_t BYTES = 4'000'000;
    for (const Rivals& rivals : {Rivals{FLOW_ALL, "Process", 1.0 / 3},
                                 Rivals{FLOW_PROCESS, "Process", 1.0 / 3},
                                 Rivals{FLOW_ALL & ~FLOW_PROCESS, "Process", 1.0 / 2},
                                 Rivals{0, "Vni", 1.0 / 3},
                                 Rivals{FLOW_ALL, "Tag", 1.0 / 2},
                                 Rivals{FLOW_ALL, "Process", 1.0 / 2, "dst=3 -> none"},
                                 Rivals{FLOW_ALL, "Process", 1.0 / 3, "dst=2 -> none"},
                                 Rivals{0xf, "Process", 1.0 / 3, "dst=3 -> process"},
                                 Rivals{FLOW_ALL, "Process", 1.0 / 2, "dst=3 -> process/0xfc"},
                                 Rivals{FLOW_ALL, "Process", 1.0 / 3, "process=2->none; ->none"},
                                 Rivals{FLOW_ALL, "Vni", 1.0 / 3, "-> none"}})
    {
        const TopologyPlan plan = MakeChainPlan({2});
        FabricHelper helper;
        helper.SetSwitchAttribute("FlowFields", UintegerValue(rivals.fields));
        helper.SetSwitchAttribute("FlowRules", StringValue(rivals.rules));
        const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
        const FabricMessageRecorder recorder(fabric.network);
        for (const uint32_t number : {1, 2})
        {
            FabricMessageSenderHelper sender(BYTES);
            sender.SetAttribute(rivals.attribute, UintegerValue(number));
            sender.Install(fabric, 0, 2);
        }
        FabricMessageSenderHelper(BYTES).Install(fabric, 1, 2);
        Simulator::Run();
        double last = 0;
        double others = 0;
        for (const FabricMessageRecorder::Record& record : recorder.GetRecords())
        {
            const auto time = static_cast<double>(record.deliveredAt);
            last = std::max(last, time);
            others = HostOf(record.message.src) == 1 ? time : others;
        }
        // It is through when it has had its share of three messages' time.
        self.ExpectNear(last / (3 * others),
                        rivals.share,
                        0.01,
                        Text(rivals.attribute,
                             " with FlowFields ",
                             +rivals.fields,
                             ", FlowRules ",
                             rivals.rules));
        Simulator::Destroy();
    }
}

/// Rules that would have no effect are refused.
void
TestIdleRules(FunctionCase& self)
{
    using Setting = std::pair<const char*, const char*>;
    for (const auto& [settings, what] : std::vector<std::pair<std::vector<Setting>, std::string>>{
             {{{"FlowRules", "dst=5 -> none"}, {"FlowChannels", "false"}},
              "FlowRules: rule 1 is for frames of classes without flow channels"},
             {{{"FlowRules", "-> none"}, {"NoFlowClasses", "65535"}}, "FlowRules: rule 1 is"},
             {{{"FlowRules", "class=4 -> none;class=3 -> none"}, {"NoFlowClasses", "8"}},
              "FlowRules: rule 2 is for frames of classes without flow channels; allowed are"},
             {{{"FlowRules", "class=2/2 -> none"}, {"NoFlowClasses", "52428"}}, "rule 1 is for"},
             {{{"FlowRules", "class=2/2 -> none"}, {"NoFlowClasses", "52424"}}, ""},
             {{{"FlowRules", "dst=1 -> all;-> none"}, {"FlowFields", "3"}},
              "FlowFields is 3, and rule 2 of FlowRules is for all frames; allowed is 127"},
             {{{"FlowRules", "dst=1 -> all;-> none"}}, ""},
             {{{"FlowRules", "dst=1 -> all"}, {"FlowFields", "3"}}, ""},
             {{{"FlowRules", "dst=1"}}, "FlowRules: rule 1: 'dst=1' has no arrow"}})
    {
        const TopologyPlan plan = MakeChainPlan({2});
        FabricHelper helper;
        for (const auto& [name, value] : settings)
        {
            helper.SetSwitchAttribute(name, StringValue(value));
        }
        const std::string sentence =
            Refusal([&] { helper.Install(plan, MakeShortestPathRouting(plan)); });
        self.Expect(what.empty() ? sentence.empty() : sentence.find(what) != std::string::npos,
                    Text("'", sentence, "' instead of '", what, "'"));
        Simulator::Destroy();
    }
}

/**
 * A fat tree, whose flows have several paths, with random rules: hosts send messages of several
 * processes, virtual networks and classes.
 *
 * @return what was delivered out of order, empty for nothing
 */
std::string
FindDisorder(uint32_t seed)
{
    std::mt19937 random(seed);
    FatTreeConfig config;
    config.radix = 4;
    config.hosts = 8;
    FatTreeHelper helper(config);
    const std::vector<std::string> rules{"process=1/1 -> none",
                                         "process=2/2 -> process",
                                         "vni=1 -> none",
                                         "class=1 -> process/2",
                                         "dst=1 -> none",
                                         "dst=2/2 -> process/1"};
    std::string text = rules[random() % rules.size()];
    for (std::size_t i = 0, end = text.size(); i < rules.size(); ++i)
    {
        const bool isFirst = text.compare(0, end, rules[i]) == 0;
        text += !isFirst && random() % 2 == 0 ? ";" + rules[i] : "";
    }
    helper.SetSwitchAttribute("FlowRules", StringValue(text));
    helper.SetSwitchAttribute("FlowIds", UintegerValue(random() % 2 == 0 ? 2 : 2047));
    const FabricContainer fabric = helper.Install();
    const FabricMessageRecorder recorder(fabric.network);
    constexpr uint32_t MESSAGES = 200;
    for (uint32_t i = 0; i < MESSAGES; ++i)
    {
        const uint32_t from = random() % 8;
        const uint32_t to = (from + 1 + random() % 7) % 8;
        const MessageFlow flow{LocationOf(to),
                               static_cast<uint8_t>(random() % 2),
                               static_cast<uint16_t>(random() % 2),
                               static_cast<uint32_t>(random() % 4)};
        const uint64_t bytes = random() % 20'000;
        Simulator::Schedule(NanoSeconds(random() % 10'000), [fabric, from, flow, bytes] {
            fabric.GetDevice(from)->SendMessage(flow, bytes);
        });
    }
    Simulator::Run();
    std::map<std::tuple<LocationId, LocationId, uint8_t, uint16_t, uint32_t>, uint32_t> next;
    std::string fault;
    for (const FabricMessageRecorder::Record& record : recorder.GetRecords())
    {
        const Message& m = record.message;
        uint32_t& least = next[{m.src, m.dst, m.trafficClass, m.vni, m.process}];
        if (m.sequence < least)
        {
            fault = Text(text, ": message ", m.sequence, " of host ", HostOf(m.src)).Str();
        }
        least = m.sequence + 1;
    }
    const std::size_t delivered = recorder.GetRecords().size();
    Simulator::Destroy();
    return delivered == MESSAGES ? fault : text + ": not all are delivered";
}

/// See FindDisorder().
void
TestOrderWithRules(FunctionCase& self)
{
    const TestSeeds seeds(60);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const std::string fault = FindDisorder(seed);
        self.Expect(fault.empty(), Text("seed ", seed, ": ", fault));
    }
}

/// A Config path leads to the trace source of a fabric, which is on no node.
void
TestPathToDeliveries(FunctionCase& self)
{
    const TopologyPlan plan = MakeChainPlan({2});
    const FabricContainer fabric = FabricHelper().Install(plan, MakeShortestPathRouting(plan));
    uint64_t bytes = 0;
    Config::ConnectWithoutContext(
        "/NodeList/0/DeviceList/0/$ns3::FabricNetDevice/Network/MessageDelivered",
        MakeBoundCallback(&AddBytes, &bytes));
    FabricMessageSenderHelper(100).Install(fabric, 1, 2);
    Simulator::Run();
    self.ExpectEqual(bytes, 100, "one message, told once");
    Simulator::Destroy();
}

/// Attributes that there are not, and values that they can't have, are refused where ns-3 aborts.
void
TestWrongAttributes(FunctionCase& self)
{
    FabricHelper helper;
    const std::string unknown = "ns3::FabricSwitch has no attribute Nope";
    self.ExpectEqual(Refusal([&] { helper.SetSwitchAttribute("Nope", StringValue("1")); }),
                     unknown,
                     "unknown");
    const std::string device = "ns3::FabricNetDevice has no attribute Nope";
    self.ExpectEqual(Refusal([&] { helper.SetDeviceAttribute(3, "Nope", StringValue("1")); }),
                     device,
                     "of a host");
    for (const std::string text : {"1x", "", "soon"})
    {
        const std::string sentence =
            Refusal([&] { helper.SetSwitchAttribute("Latency", StringValue(text)); });
        const std::string begin = "ns3::FabricSwitch::Latency=" + text + ": allowed is a time";
        self.ExpectEqual(sentence.substr(0, begin.size()), begin, "a text that is no time");
    }
    const std::string type =
        Refusal([&] { helper.SetChannelAttribute("Delay", UintegerValue(1)); });
    self.Expect(type.find("ns3::FabricChannel::Delay=1: allowed is a time ") == 0, "another type");

    helper.SetSwitchAttribute("Latency", StringValue("123ns"));
    const TopologyPlan plan = MakeChainPlan({1});
    const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
    TimeValue latency;
    fabric.GetSwitch(0)->GetAttribute("Latency", latency);
    self.Expect(latency.Get() == NanoSeconds(123), "what is allowed is set");
    const std::string late =
        Refusal([&] { SetChecked(*fabric.GetSwitch(0), "Latency", StringValue("1ns")); });
    self.Expect(late.find("ns3::FabricSwitch::Latency can't be set any more") == 0, "too late");
    Simulator::Destroy();
}

/// The suite.
class MessageSenderHelperSuite : public FunctionSuite
{
  public:
    MessageSenderHelperSuite()
        : FunctionSuite("fabric-message-sender-helper", kUnit)
    {
        Add("FC-2 two processes of a host are two flows, and so are two virtual networks",
            TestProcesses);
        Add("FC-2 rules without an effect are refused", TestIdleRules);
        Add("FC-2 FC-10 with random rules the messages of a flow keep their order",
            TestOrderWithRules);
        Add("SC-2 senders send one message, or one after the other until the end", TestSenders);
        Add("SC-2 attributes of senders", TestAttributes);
        Add("SC-1 attributes that there are not, and values that can't be, are refused",
            TestWrongAttributes);
        Add("SC-5 a Config path leads to the messages that a fabric delivers",
            TestPathToDeliveries);
    }
};

const MessageSenderHelperSuite g_messageSenderHelperSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
