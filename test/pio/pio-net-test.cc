/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-message-recorder.h"
#include "fabric-pio-helper.h"
#include "fabric-shortest-path-routing.h"
#include "support/fabric-csv-rows.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-time-units.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return two hosts that send, and one more, at a switch
FabricContainer
InstallHosts(FabricHelper& helper)
{
    const TopologyPlan plan = MakeChainPlan({2});
    return helper.Install(plan, MakeShortestPathRouting(plan));
}

/// What a trace has told.
struct Told
{
    void Credit(uint32_t, uint32_t, uint32_t reasons, Time)
    {
        ++credits;
        allReasons |= reasons;
    }

    void Stall(uint32_t, Time begin, Time end)
    {
        ++stalls;
        stallTime += end - begin;
    }

    uint32_t credits{0};
    uint32_t allReasons{0};
    uint32_t stalls{0};
    Time stallTime{0};
};

/// @return messages of two hosts to each other as a text, with or without look-ahead
std::string
Exchange(FunctionCase& self, bool lookahead)
{
    FabricHelper helper;
    helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
    const FabricContainer fabric = InstallHosts(helper);
    const FabricMessageRecorder recorder(fabric.network);
    FabricPioHelper pio;
    pio.SetAttribute("Blocks", UintegerValue(8));
    pio.SetAttribute("PacketBytes", UintegerValue(200));
    pio.SetAttribute("Contexts", UintegerValue(2));
    pio.SetAttribute("Threads", UintegerValue(3));
    const Ptr<FabricPio> left = pio.Install(fabric, 0);
    pio.SetAttribute("SdmaBytes", UintegerValue(1000));
    pio.Install(fabric, 1);
    Told told;
    left->TraceConnectWithoutContext("CreditReturn", MakeCallback(&Told::Credit, &told));
    left->TraceConnectWithoutContext("Stall", MakeCallback(&Told::Stall, &told));
    pio.SetApplicationAttribute("Count", UintegerValue(40));
    pio.SetApplicationAttribute("Bytes", UintegerValue(1500));
    for (uint32_t thread = 0; thread < 3; ++thread)
    {
        pio.InstallSender(fabric, 0, 1, thread);
    }
    pio.SetApplicationAttribute("Interval", TimeValue(NanoSeconds(700)));
    const Ptr<FabricPioApplication> right = pio.InstallSender(fabric, 1, 0, 2);
    fabric.network->StopAt(MicroSeconds(200));
    Simulator::Run();
    self.ExpectEqual(right->GetReceived(), 3 * 40, "messages that have arrived");
    self.ExpectEqual(right->GetReceivedBytes(), 3 * 40 * 1500, "their bytes");
    self.ExpectEqual(left->GetReceived(), 40, "messages back");
    self.Expect(told.credits == left->GetEngine().Adaptor().Counts().returns &&
                    told.allReasons == CREDIT_THRESHOLD,
                "returns of credits are traced");
    self.Expect(told.stalls > 0 && told.stalls == left->GetEngine().Host().Counts().stalls &&
                    told.stallTime.GetPicoSeconds() == left->GetEngine().Host().Counts().stallTime,
                "stalls are traced");
    fabric.network->CheckInvariants();
    self.Expect(fabric.network->IsEmpty(), "nothing is left");
    std::ostringstream text;
    recorder.WriteMessages(text);
    Simulator::Destroy();
    return text.str();
}

/// Messages go both ways, by PIO and SDMA, and windows change nothing.
void
TestExchange(FunctionCase& self)
{
    self.ExpectSame(Exchange(self, true), Exchange(self, false), "look-ahead");
}

/**
 * @param rate of the host to which messages of class 0 go
 * @param[out] blocked those that arrive there
 * @param[out] stallTime of their thread, ps
 * @return messages of class 1 that arrive meanwhile at another one
 */
uint64_t
DeliveredBeside(const std::string& rate, uint64_t& blocked, TimePs& stallTime)
{
    FabricHelper helper;
    helper.SetSwitchAttribute("FlowChannels", BooleanValue(false));
    helper.SetSwitchAttribute("VirtualChannels", UintegerValue(2));
    helper.SetSwitchAttribute("ClassToVc", StringValue("0,1"));
    helper.SetDeviceAttribute("ClassToVc", StringValue("0,1"));
    helper.SetDeviceAttribute(1, "ReceiveRate", DataRateValue(DataRate(rate)));
    const FabricContainer fabric = InstallHosts(helper);
    FabricPioHelper pio;
    pio.SetAttribute("Contexts", UintegerValue(2));
    pio.SetAttribute("Threads", UintegerValue(2));
    const Ptr<FabricPio> sender = pio.Install(fabric, 0);
    const Ptr<FabricPio> slow = pio.Install(fabric, 1);
    const Ptr<FabricPio> fast = pio.Install(fabric, 2);
    pio.SetApplicationAttribute("Bytes", UintegerValue(2040));
    pio.SetApplicationAttribute("Count", UintegerValue(10000));
    pio.InstallSender(fabric, 0, 1, 0);
    pio.SetApplicationAttribute("TrafficClass", UintegerValue(1));
    pio.InstallSender(fabric, 0, 2, 1);
    stallTime = 0;
    sender->TraceConnectWithoutContext(
        "Stall",
        Callback<void, uint32_t, Time, Time>([&stallTime](uint32_t thread, Time begin, Time end) {
            stallTime += thread == 0 ? (end - begin).GetPicoSeconds() : 0;
        }));
    fabric.network->StopAt(MilliSeconds(2));
    Simulator::Run();
    fabric.network->CheckInvariants();
    blocked = slow->GetReceived();
    const uint64_t delivered = fast->GetReceived();
    Simulator::Destroy();
    return delivered;
}

/// A context full of packets whose lane is blocked does not stop another one.
void
TestBlockedContext(FunctionCase& self)
{
    uint64_t blocked = 0;
    uint64_t free = 0;
    TimePs stallTime = 0;
    const uint64_t usual = DeliveredBeside("200Gbps", free, stallTime);
    self.Expect(stallTime < 2 * MS / 10, Text("a stall of ", stallTime, " ps"));
    const uint64_t beside = DeliveredBeside("100Mbps", blocked, stallTime);
    self.Expect(stallTime > 2 * MS * 8 / 10, Text("a context is full for ", stallTime, " ps"));
    self.Expect(blocked * 5 < free, Text("the slow host has taken ", blocked, " of ", free));
    self.Expect(beside >= usual, Text("beside it ", beside, " and not ", usual));
    self.Expect(usual > 2000, "as many as a core stores");
}

/// What can't be is refused in a sentence.
void
TestNodeRefusals(FunctionCase& self)
{
    FabricHelper helper;
    const FabricContainer fabric = InstallHosts(helper);
    FabricPioHelper pio;
    const Ptr<FabricPio> installed = pio.Install(fabric, 0);
    const auto refuses = [&self](const std::string& sentence, auto action) {
        self.ExpectSame(Refusal(action), sentence, "refusal");
    };
    const auto homeless = CreateObject<FabricPio>();
    const std::string nowhere = "ns3::FabricPio is in no node; allowed is a call after Install(), "
                                "until Simulator::Destroy()";
    refuses(nowhere, [&] { homeless->Send(0, {2}, 1); });
    refuses(nowhere, [&] { homeless->GetEngine(); });
    const std::string who = "ns3::FabricPio on node 0: ";
    refuses(who + "the device has an ns3::FabricPio already; allowed is one",
            [&] { pio.Install(fabric, 0); });
    refuses(who + "there is no thread 1; allowed is 0 to 0", [&] { installed->Send(1, {2}, 1); });
    refuses(who + "there is no thread 1; allowed is 0 to 0",
            [&] { installed->SetThreshold(1, 8); });
    const uint32_t blocks = installed->GetSettings().context.blocks;
    refuses(who + "a threshold of " + std::to_string(blocks + 1) + " blocks; allowed is 0 to " +
                std::to_string(blocks) + ", the blocks of the context",
            [&] { installed->SetThreshold(0, blocks + 1); });
    refuses(who + "a message to location 1 in class 0 can't be sent; allowed are other hosts of "
                  "the fabric and classes 0 to 15",
            [&] { installed->Send(0, {1}, 1); });
    pio.SetAttribute("Threshold", StringValue("101%"));
    refuses("ns3::FabricPio on node 1: Threshold is '101%', allowed is a number of blocks, or a "
            "percentage from 0% to 100%",
            [&] { pio.Install(fabric, 1); });
    pio.SetAttribute("Threshold", StringValue("100%"));
    self.ExpectEqual(pio.Install(fabric, 1)->GetSettings().context.threshold, 64, "100 %");
    pio.InstallSender(fabric, 2, 0)->Initialize();
    refuses("ns3::FabricPioApplication on node 2: the device has no ns3::FabricPio, which it needs",
            [] { Simulator::Run(); });
    Simulator::Destroy();
    Simulator::Destroy();
    refuses(nowhere, [&] { installed->Send(0, {2}, 1); });
    refuses(nowhere, [&] { installed->GetQueued(0); });
}

/// A threshold that is changed while messages are sent shows in the returns.
void
TestThresholdInTheRun(FunctionCase& self)
{
    FabricHelper helper;
    const FabricContainer fabric = InstallHosts(helper);
    FabricPioHelper pio;
    pio.SetAttribute("Threshold", StringValue("0%"));
    const Ptr<FabricPio> sender = pio.Install(fabric, 0);
    pio.SetApplicationAttribute("Bytes", UintegerValue(200)); // four blocks
    pio.SetApplicationAttribute("Count", UintegerValue(1000));
    pio.InstallSender(fabric, 0, 2, 0);
    uint64_t returns = 0;
    Simulator::Schedule(MicroSeconds(20), [&] {
        returns = sender->GetEngine().Adaptor().Counts().returns;
        sender->SetThreshold(0, 16);
    });
    Simulator::Run();
    const uint64_t all = sender->GetEngine().Adaptor().Counts().returns;
    self.Expect(returns > 100 && returns < 900, "one for each packet until then");
    self.ExpectNear(static_cast<double>(all - returns), (1000.0 - returns) / 4, 10, "then less");
    Simulator::Destroy();
}

/// @return messages of two threads that arrive at a host which looks now and then, as a text
std::string
Polled(FunctionCase& self, bool lookahead, Time interval)
{
    FabricHelper helper;
    helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
    helper.SetDeviceAttribute("PollInterval", TimeValue(interval));
    const FabricContainer fabric = InstallHosts(helper);
    const FabricMessageRecorder recorder(fabric.network);
    FabricPioHelper pio;
    pio.SetAttribute("Threads", UintegerValue(2));
    pio.Install(fabric, 0);
    pio.SetApplicationAttribute("Count",
                                UintegerValue(1500)); // more than a thread is given at once
    pio.InstallSender(fabric, 0, 1, 0);
    pio.InstallSender(fabric, 0, 2, 1);
    Simulator::Run();
    self.ExpectEqual(recorder.GetRecords().size(), 3000, "messages");
    self.Expect(fabric.network->IsEmpty(), "nothing is left");
    uint32_t late = 0;
    for (const FabricMessageRecorder::Record& record : recorder.GetRecords())
    {
        const TimePs step = std::max<TimePs>(interval.GetPicoSeconds(), 1);
        self.ExpectEqual(record.deliveredAt % step, 0, "a look");
        late += record.CompletionTime() > 1000 * 1000 ? 1 : 0;
    }
    self.Expect((interval <= PicoSeconds(1)) == (late == 0), Text(late, " wait for a look"));
    std::ostringstream text;
    recorder.WriteMessages(text);
    Simulator::Destroy();
    return text.str();
}

/// A host that looks now and then learns of all that have come, at the same times with windows.
void
TestPolledMessages(FunctionCase& self)
{
    for (const Time& interval : {Time(0), PicoSeconds(1), NanoSeconds(777), MicroSeconds(5)})
    {
        self.ExpectSame(Polled(self, true, interval), Polled(self, false, interval), "look-ahead");
    }
    const std::string atOnce = Polled(self, true, Time(0));
    self.ExpectSame(Polled(self, true, PicoSeconds(1)), atOnce, "looks without a pause");
}

/// Applications that share a thread all get on.
void
TestSharedThread(FunctionCase& self)
{
    FabricHelper helper;
    const FabricContainer fabric = InstallHosts(helper);
    FabricPioHelper pio;
    for (uint32_t host = 0; host < 3; ++host)
    {
        pio.Install(fabric, host);
    }
    pio.SetApplicationAttribute("Count", UintegerValue(1'000'000));
    const Ptr<FabricPioApplication> first = pio.InstallSender(fabric, 0, 1);
    const Ptr<FabricPioApplication> second = pio.InstallSender(fabric, 0, 2);
    fabric.network->StopAt(MicroSeconds(1000));
    Simulator::Run();
    const auto received = [&fabric](uint32_t host) {
        return fabric.hosts.Get(host)->GetObject<FabricPio>()->GetReceived();
    };
    self.Expect(received(1) > 5000 && received(2) > 5000,
                Text(received(1), " and ", received(2), " messages"));
    const uint64_t most = first->GetSent() + second->GetSent() - received(1) - received(2);
    self.Expect(most <= 4 * 512 + 100, Text(most, " are queued"));
    Simulator::Destroy();
}

/// Each attribute of the application shows in the messages that arrive; without a message to send
/// it only receives, and after it was stopped it is asked for no more.
void
TestApplication(FunctionCase& self)
{
    FabricHelper helper;
    const FabricContainer fabric = InstallHosts(helper);
    FabricPioHelper pio;
    pio.SetAttribute("Threads", UintegerValue(4));
    pio.Install(fabric, 0);
    const Ptr<FabricPio> receiver = pio.Install(fabric, 2);
    std::vector<Message> messages;
    receiver->TraceConnectWithoutContext(
        "Received",
        Callback<void, const Message&>(
            [&](const Message& message) { messages.push_back(message); }));
    pio.SetApplicationAttribute("Count", UintegerValue(0));
    const Ptr<FabricPioApplication> silent = pio.InstallSender(fabric, 2, 0);
    silent->SetStopTime(MicroSeconds(8));
    pio.SetApplicationAttribute("Bytes", UintegerValue(0));
    pio.SetApplicationAttribute("Count", UintegerValue(5));
    pio.SetApplicationAttribute("Interval", TimeValue(MicroSeconds(2)));
    pio.SetApplicationAttribute("TrafficClass", UintegerValue(7));
    pio.SetApplicationAttribute("Vni", UintegerValue(55));
    pio.SetApplicationAttribute("Tag", UintegerValue(77));
    const Ptr<FabricPioApplication> sender = pio.InstallSender(fabric, 0, 2, 3);
    sender->SetStartTime(MicroSeconds(3));
    sender->SetStopTime(MicroSeconds(10));
    Simulator::Run();
    self.ExpectEqual(messages.size(), 4, "messages until it was stopped, of no bytes");
    self.ExpectEqual(silent->GetReceived(), 3, "counted until it was stopped by who only receives");
    self.ExpectEqual(silent->GetSent(), 0, "and sends nothing");
    for (std::size_t i = 0; i < messages.size(); ++i)
    {
        const Message& message = messages[i];
        self.ExpectEqual(message.sentAt, static_cast<TimePs>(3 + 2 * i) * US, "each 2 us");
        self.Expect(message.bytes == 0 && message.tag == 77 && message.vni == 55 &&
                        message.trafficClass == 7 && message.process == 3,
                    Text("message ", i));
    }
    Simulator::Destroy();
}

/// A message that never ends is sent as long as the simulation runs.
void
TestEndlessMessage(FunctionCase& self)
{
    FabricHelper helper;
    const FabricContainer fabric = InstallHosts(helper);
    FabricPioHelper pio;
    const Ptr<FabricPio> sender = pio.Install(fabric, 0);
    pio.SetApplicationAttribute("Bytes", UintegerValue(uint64_t{1} << 62));
    pio.SetApplicationAttribute("Count", UintegerValue(10'000));
    const Ptr<FabricPioApplication> application = pio.InstallSender(fabric, 0, 1);
    fabric.network->StopAt(MicroSeconds(100));
    Simulator::Run();
    self.Expect(sender->GetEngine().Adaptor().Counts().packets > 100, "packets are sent");
    self.ExpectEqual(application->GetSent(), 1024, "messages wait behind the first one");
    Simulator::Destroy();
}

/// When credits are returned, and what is told of twelve packets of four blocks, one each
/// microsecond.
struct Policy
{
    const char* attribute;
    std::string value;
    uint32_t blocks;  ///< Of the context.
    uint32_t reasons; ///< That are given, see CreditReason.
    uint32_t least;   ///< Returns.
    uint32_t most;    ///< Returns.
};

/// Each policy alone, at a threshold that is the whole context: it shows in the reasons, and in how
/// many returns there are; in the end all credits are back that it tells of.
void
ExpectPolicy(FunctionCase& self, const Policy& policy)
{
    FabricHelper helper;
    const FabricContainer fabric = InstallHosts(helper);
    FabricPioHelper pio;
    pio.SetAttribute("Blocks", UintegerValue(policy.blocks));
    pio.SetAttribute("PacketBytes", UintegerValue(200));
    pio.SetAttribute("Threshold", StringValue("100%"));
    pio.SetAttribute(policy.attribute, StringValue(policy.value));
    const Ptr<FabricPio> sender = pio.Install(fabric, 0);
    Told told;
    sender->TraceConnectWithoutContext("CreditReturn", MakeCallback(&Told::Credit, &told));
    pio.SetApplicationAttribute("Bytes", UintegerValue(200));
    pio.SetApplicationAttribute("Count", UintegerValue(12));
    pio.SetApplicationAttribute("Interval", TimeValue(MicroSeconds(1)));
    pio.InstallSender(fabric, 0, 2);
    Simulator::Run();
    const std::string name = std::string(policy.attribute) + "=" + policy.value;
    self.ExpectEqual(told.allReasons, policy.reasons, Text("reasons, ", name));
    self.Expect(told.credits >= policy.least && told.credits <= policy.most,
                Text(told.credits, " returns, ", name));
    const uint64_t kept = sender->GetEngine().Adaptor().Context(0).Returner().Unreturned();
    self.ExpectEqual(kept, policy.reasons == 0 ? 48 : 0, Text("blocks are kept, ", name));
    Simulator::Destroy();
}

void
TestEachPolicy(FunctionCase& self)
{
    ExpectPolicy(self, {"Threshold", "0", 64, CREDIT_THRESHOLD, 12, 12});
    ExpectPolicy(self, {"Threshold", "12", 64, CREDIT_THRESHOLD, 4, 4});
    ExpectPolicy(self, {"Threshold", "100%", 64, 0, 0, 0});
    ExpectPolicy(self, {"ForceAfter", "1us", 64, 0, 0, 0}); // nobody waits
    ExpectPolicy(self, {"Blocks", "8", 64, CREDIT_THRESHOLD, 6, 6});
    ExpectPolicy(self, {"RequestEvery", "4", 64, CREDIT_REQUESTED, 3, 3});
    ExpectPolicy(self, {"RequestEvery", "1", 64, CREDIT_REQUESTED, 12, 12});
    ExpectPolicy(self, {"ReturnInterval", "3500ns", 64, CREDIT_TIMED, 3, 3});
    ExpectPolicy(self, {"ReturnInterval", "1ps", 64, CREDIT_TIMED, 12, 12});
}

/// Tables of a run, in which a thread sends to another host.
struct PioTables
{
    CsvRows messages; ///< messages.csv
    CsvRows flows;    ///< flows.csv
};

/// @param pio settings of the sender, and of its messages @return tables of 5 messages
PioTables
TablesOf(FabricPioHelper pio, Time interval)
{
    FabricHelper helper;
    const FabricContainer fabric = InstallHosts(helper);
    const FabricMessageRecorder recorder(fabric.network);
    pio.SetAttribute("Blocks", UintegerValue(1024));
    pio.SetAttribute("Threshold", StringValue("0"));
    pio.Install(fabric, 0);
    pio.SetApplicationAttribute("Count", UintegerValue(5));
    pio.SetApplicationAttribute("Interval", TimeValue(interval));
    pio.InstallSender(fabric, 0, 1, 0);
    fabric.network->StopAt(MilliSeconds(5));
    Simulator::Run();
    std::stringstream messages;
    std::stringstream flows;
    recorder.WriteMessages(messages);
    recorder.WriteFlows(flows);
    Simulator::Destroy();
    return {ReadCsv(std::istringstream(messages.str())), ReadCsv(std::istringstream(flows.str()))};
}

/// The ideal time of a message has the stores of its core and PCIe in it: nothing holds up one that
/// is alone, nor a flow of one thread.
void
TestIdeals(FunctionCase& self)
{
    for (const uint32_t lanes : {1, 16})
    {
        for (const bool joins : {true, false})
        {
            for (const uint64_t bytes : {1, 56, 57, 248, 249, 3000, 30'000})
            {
                FabricPioHelper pio;
                pio.SetAttribute("PacketBytes", UintegerValue(248));
                pio.SetAttribute("PcieLanes", UintegerValue(lanes));
                pio.SetAttribute("WriteCombining", BooleanValue(joins));
                pio.SetApplicationAttribute("Bytes", UintegerValue(bytes));
                const std::string what = Text(bytes, " B, ", lanes, " lanes, joined ", joins).Str();
                const PioTables alone = TablesOf(pio, MicroSeconds(500));
                self.ExpectEqual(alone.messages.size(), 5, what + ": messages");
                for (const auto& row : alone.messages)
                {
                    self.ExpectEqual(row.at("slowdown"), "1", what + ", alone");
                }
                self.ExpectEqual(alone.flows.at(0).at("slowdown"), "1", what + ", with pauses");
                const PioTables inTurn = TablesOf(pio, Time(0));
                self.ExpectEqual(inTurn.flows.at(0).at("slowdown"), "1", what + ", in turn");
            }
        }
    }
    FabricPioHelper sdma;
    sdma.SetAttribute("SdmaBytes", UintegerValue(100));
    sdma.SetApplicationAttribute("Bytes", UintegerValue(3000));
    const PioTables tables = TablesOf(sdma, MicroSeconds(500));
    self.ExpectEqual(tables.messages.at(0).at("ideal_s"), "", "ideal time of SDMA");
    self.ExpectEqual(tables.messages.at(0).at("slowdown"), "", "slowdown of SDMA");
    self.ExpectEqual(tables.flows.at(0).at("slowdown"), "", "slowdown of a flow by SDMA");
}

/// The suite.
class PioNetSuite : public FunctionSuite
{
  public:
    PioNetSuite()
        : FunctionSuite("fabric-pio-net", kUnit)
    {
        Add("PC-10 DP-5 messages go both ways", TestExchange);
        Add("PC-3 PC-10 a blocked lane stops its own context", TestBlockedContext);
        Add("PC-6 a threshold is changed in the run", TestThresholdInTheRun);
        Add("PC-10 DP-5 a host that looks now and then", TestPolledMessages);
        Add("PC-6 PC-10 each policy alone", TestEachPolicy);
        Add("PC-7 PC-10 applications share a thread", TestSharedThread);
        Add("PC-10 attributes of the application", TestApplication);
        Add("PC-10 a message without an end", TestEndlessMessage);
        Add("PC-10 SC-5 ideal times have stores and PCIe", TestIdeals);
        Add("PC-11 what is refused", TestNodeRefusals);
    }
};

PioNetSuite g_pioNetSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
