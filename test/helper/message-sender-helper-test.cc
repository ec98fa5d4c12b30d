/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-message-recorder.h"
#include "fabric-message-sender-helper.h"
#include "fabric-shortest-path-routing.h"
#include "support/fabric-function-case.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

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

/// The suite.
class MessageSenderHelperSuite : public FunctionSuite
{
  public:
    MessageSenderHelperSuite()
        : FunctionSuite("fabric-message-sender-helper", kUnit)
    {
        Add("SC-2 senders send one message, or one after the other until the end", TestSenders);
    }
};

const MessageSenderHelperSuite g_messageSenderHelperSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
