/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-flow-key.h"
#include "fabric-message-recorder.h"
#include "fabric-message-sender-helper.h"
#include "fabric-shortest-path-routing.h"
#include "support/fabric-function-case.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

namespace
{

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

/// Two senders of a host and one of another send as much as each other to one host.
struct Rivals
{
    uint8_t fields;        ///< `FlowFields` of the switch.
    const char* attribute; ///< In what the host's senders differ.
    double share;          ///< What the other host's sender should have of the receiver's link.
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
                                 Rivals{FLOW_ALL, "Tag", 1.0 / 2}})
    {
        const TopologyPlan plan = MakeChainPlan({2});
        FabricHelper helper;
        helper.SetSwitchAttribute("FlowFields", UintegerValue(rivals.fields));
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
                        Text(rivals.attribute, " with FlowFields ", +rivals.fields));
        Simulator::Destroy();
    }
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
        Add("SC-2 senders send one message, or one after the other until the end", TestSenders);
    }
};

const MessageSenderHelperSuite g_messageSenderHelperSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
