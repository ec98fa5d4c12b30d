/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-error-streams.h"
#include "fabric-fat-tree-helper.h"
#include "fabric-streams.h"
#include "network/fabric-network-scenario.h"
#include "support/fabric-function-case.h"

#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"

#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return the stream of a random variable, which is an attribute
int64_t
StreamOf(const Ptr<ErrorModel>& model, const std::string& name)
{
    PointerValue value;
    model->GetAttribute(name, value);
    return value.Get<RandomVariableStream>()->GetStream();
}

/// @return deliveries of a fabric with damaged frames @param others random variables before it
std::string
DeliveriesBeside(uint32_t others, int64_t stream)
{
    Simulation simulation;
    for (uint32_t i = 0; i < others; ++i)
    {
        CreateObject<UniformRandomVariable>()->GetValue();
    }
    FatTreeHelper helper(4);
    helper.SetStream(stream);
    helper.SetErrorModel(FrameErrors(0.05));
    const FabricContainer fabric = helper.Install();
    std::ostringstream deliveries;
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>([&](const Message& message, Time at) {
            deliveries << message.src << ' ' << message.dst << ' ' << at << '\n';
        }));
    for (uint32_t host = 1; host < fabric.hosts.GetN(); ++host)
    {
        fabric.GetDevice(host)->SendMessage(LocationOf(0), 20'000);
        fabric.GetDevice(host)->SendMessage(LocationOf(0), 1);
    }
    Simulator::Run();
    return deliveries.str();
}

void
TestErrorsBesideOthers(FunctionCase& test)
{
    const std::string alone = DeliveriesBeside(0, 7);
    for (const uint32_t others : {0, 1, 100})
    {
        test.ExpectSame(DeliveriesBeside(others, 7), alone, "beside others");
    }
    test.Expect(DeliveriesBeside(0, 1000) != alone, "streams make no difference");
    test.Expect(DeliveriesBeside(0, -1) != DeliveriesBeside(100, -1), "ns-3 chooses");
}

void
TestNumbersOfErrorStreams(FunctionCase& test)
{
    for (const bool isBurst : {false, true})
    {
        Simulation simulation;
        FatTreeHelper helper(4);
        helper.SetStream(7);
        helper.SetErrorModel(
            ObjectFactory(isBurst ? "ns3::BurstErrorModel" : "ns3::RateErrorModel"));
        const FabricContainer fabric = helper.Install();
        int64_t next = 8;
        for (const auto* links : {&fabric.links, &fabric.hostLinks})
        {
            for (const Ptr<FabricChannel>& link : *links)
            {
                for (const Ptr<ErrorModel>& model : link->GetErrorModels())
                {
                    const std::vector<std::string> names =
                        isBurst ? std::vector<std::string>{"BurstStart", "BurstSize"}
                                : std::vector<std::string>{"RanVar"};
                    for (const std::string& name : names)
                    {
                        test.ExpectEqual(StreamOf(model, name), next++, name);
                    }
                }
            }
        }
        test.ExpectEqual(next, 8 + 2 * (32 + 16) * (isBurst ? 2 : 1), "streams");
    }
}

void
TestOwnStreams(FunctionCase& test)
{
    const auto own = CreateObjectWithAttributes<RateErrorModel>(
        "RanVar",
        StringValue("ns3::UniformRandomVariable[Stream=99]"));
    test.ExpectEqual(AssignStreams(*own, 5), 0, "streams of one that has its own");
    test.ExpectEqual(StreamOf(own, "RanVar"), 99, "its own");
    test.ExpectEqual(AssignStreams(*CreateObject<ReceiveListErrorModel>(), 5), 0, "of a list");
    test.ExpectEqual(AssignStreams(*CreateObject<BurstErrorModel>(), 5), 2, "of bursts");
}

/// Suite of random streams of error models.
class ErrorStreamsTestSuite : public FunctionSuite
{
  public:
    ErrorStreamsTestSuite()
        : FunctionSuite("fabric-error-streams", kUnit)
    {
        Add("WL-4 errors don't hang on other users of random streams", TestErrorsBesideOthers);
        Add("WL-4 numbers of the streams of error models", TestNumbersOfErrorStreams);
        Add("WL-4 random variables with a stream keep it", TestOwnStreams);
    }
};

ErrorStreamsTestSuite g_errorStreamsTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
