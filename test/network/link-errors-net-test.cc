/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-error-streams.h"
#include "fabric-network-scenario.h"
#include "fabric-network-totals.h"
#include "fabric-refusal.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"

#include "ns3/test.h"

#include <functional>
#include <memory>
#include <sstream>
#include <string>

namespace ns3::fabric
{

namespace
{

/// What a run with errors is.
struct ErrorRun
{
    double errorRate{0.02};                  ///< Part of frames of any kind.
    bool lookahead{true};                    ///< Whether switches run ahead.
    uint64_t seed{1};                        ///< Of the errors.
    uint32_t bytes{40'000};                  ///< Of each message.
    std::function<void(FatTreeHelper&)> set; ///< Other attributes.
    /// Called every 10 us for half a millisecond; may be empty.
    std::function<void(const FabricContainer&)> look{};
};

/// A fat tree of 16 hosts whose links damage frames: all send to host 0 and to their neighbour.
class ErrorTree
{
  public:
    explicit ErrorTree(const ErrorRun& run)
    {
        FatTreeHelper helper(4);
        helper.SetStream(1);
        helper.SetNetworkAttribute("Lookahead", BooleanValue(run.lookahead));
        helper.SetErrorModel(FrameErrors(run.errorRate));
        if (run.set)
        {
            run.set(helper);
        }
        fabric = helper.Install();
        AssignErrorStreams(fabric, static_cast<int64_t>(run.seed * 1'000'000));
        const uint32_t hosts = fabric.hosts.GetN();
        for (uint32_t host = 0; host < hosts; ++host)
        {
            for (const uint32_t to : {0U, (host + 1) % hosts})
            {
                if (to != host)
                {
                    fabric.GetDevice(host)->SendMessage(LocationOf(to), run.bytes, 0, host);
                }
            }
        }
        for (uint32_t i = 1; run.look && i <= 50; ++i)
        {
            Simulator::Schedule(MicroSeconds(10 * i), [this, &run] { run.look(fabric); });
        }
        // Before any flow was asked for.
        Simulator::Schedule(MicroSeconds(80),
                            [this] { early = fabric.network->GetTotals().delivered; });
        Simulator::Run();
        fabric.network->CheckInvariants();
        totals = fabric.network->GetTotals();
        totals.CheckConservation();
        errors = LinkErrorsOf(*fabric.network);
    }

    /// @return flow_ids in use on all links
    uint32_t IdsInUse() const
    {
        uint32_t ids = 0;
        for (const Ptr<FabricSwitch>& fabricSwitch : fabric.network->GetSwitches())
        {
            for (uint32_t port = 0; port < fabricSwitch->GetChip().Config().ports; ++port)
            {
                ids += fabricSwitch->GetChip().OutputFlows(port).InUse();
            }
        }
        return ids;
    }

    /// @return what came of it
    std::string Text() const
    {
        std::ostringstream text;
        text << totals.delivered << " of " << totals.offered << ", " << totals.dataHops << " + "
             << totals.controlHops << " hops, repeats " << errors.repeats << ", time-outs "
             << errors.timeouts << ", lost ACKs " << errors.lostAcks << ", lost pauses "
             << errors.lostPauses << ", lost credit frames " << errors.lostCredits;
        for (const auto& [cause, bytes] : totals.dropped)
        {
            text << " " << cause << " " << bytes;
        }
        return text.str();
    }

  private:
    Simulation m_simulation; ///< Destroyed last.

  public:
    FabricContainer fabric; ///< The fabric.
    FabricTotals totals;    ///< At the end.
    ErrorCounts errors;     ///< At the end.
    uint64_t early{0};      ///< Delivered in the first 80 us, bytes.
};

/// Runs with and without look-ahead. @return the run with it
std::unique_ptr<ErrorTree>
RunBothWays(FunctionCase& test, ErrorRun run)
{
    run.lookahead = false;
    const std::string expected = ErrorTree(run).Text();
    run.lookahead = true;
    auto ahead = std::make_unique<ErrorTree>(run);
    test.ExpectSame(ahead->Text(), expected, "with and without look-ahead");
    return ahead;
}

/// Retry brings all through, also ACKs.
void
TestRetry(FunctionCase& test)
{
    ErrorRun run;
    run.set = [](FatTreeHelper& helper) {
        helper.SetChannelAttribute("Retry", BooleanValue(true));
    };
    const auto tree = RunBothWays(test, run);
    test.ExpectEqual(tree->totals.delivered, tree->totals.offered, "all is delivered");
    test.Expect(tree->errors.repeats > 30 && tree->errors.timeouts > 0, tree->Text());
    test.ExpectEqual(tree->errors.lostAcks + tree->errors.givenUp, 0, tree->Text());
    // 15 messages of 40 kB take 25 us of host 0's link; nobody waits until flows are asked for.
    test.ExpectEqual(tree->early, tree->totals.delivered, "in the first 80 us");
    test.ExpectEqual(tree->IdsInUse(), 0, "flow channels that stay");
}

/// Without retry ACKs are lost, and no flow channel stays for it.
void
TestLostAcks(FunctionCase& test)
{
    const TestSeeds seeds(5);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ErrorRun run;
        run.seed = seed;
        run.errorRate = 0.01 * static_cast<double>(seed % 20 + 1);
        const auto tree = RunBothWays(test, run);
        test.Expect(tree->errors.lostAcks > 0, tree->Text());
        test.ExpectEqual(tree->IdsInUse(), 0, "flow channels that stay, " + tree->Text());
        test.ExpectEqual(tree->totals.inFlight, 0, tree->Text());
    }
}

/// @return flow channels that are metered at switches
uint32_t
MeteredFlows(const FabricContainer& fabric)
{
    uint32_t metered = 0;
    for (const Ptr<FabricSwitch>& fabricSwitch : fabric.network->GetSwitches())
    {
        for (uint32_t port = 0; port < fabricSwitch->GetChip().Config().ports; ++port)
        {
            for (const FlowRecord& record : fabricSwitch->GetChip().InputFlows(port).Records())
            {
                metered += record.Is(FlowRecord::OPEN) && record.Is(FlowRecord::METERED);
            }
        }
    }
    return metered;
}

/// Flows that wait for a slow host are silent for long, and are asked for. The answers meter
/// nobody.
void
TestAnswersMeterNobody(FunctionCase& test)
{
    uint32_t metered = 0;
    ErrorRun run;
    run.errorRate = 0;
    run.look = [&metered](const FabricContainer& fabric) { metered += MeteredFlows(fabric); };
    run.set = [](FatTreeHelper& helper) {
        helper.SetSwitchAttribute("HopCredits", BooleanValue(false));
        helper.SetSwitchAttribute("FlowCheckInterval", TimeValue(MicroSeconds(5)));
        helper.SetDeviceAttribute(0, "ReceiveRate", DataRateValue(DataRate("2Gbps")));
        helper.SetDeviceAttribute(0, "ReceiveBuffer", UintegerValue(9'024));
    };
    const auto asked = RunBothWays(test, run);
    test.ExpectEqual(metered, 0, "metered flows");
    test.ExpectEqual(asked->totals.delivered, asked->totals.offered, asked->Text());
    run.set = [set = run.set](FatTreeHelper& helper) {
        set(helper);
        helper.SetSwitchAttribute("FlowCheckInterval", TimeValue(Seconds(1)));
    };
    const ErrorTree unasked(run);
    test.Expect(asked->totals.controlHops > unasked.totals.controlHops + 100,
                "flows are asked for");
}

/// ACKs are spared if the attribute says so.
void
TestSparedControl(FunctionCase& test)
{
    ErrorRun run;
    run.set = [](FatTreeHelper& helper) {
        helper.SetChannelAttribute("ControlErrors", BooleanValue(false));
    };
    const auto tree = RunBothWays(test, run);
    test.ExpectEqual(tree->errors.lostAcks, 0, "lost ACKs");
    test.Expect(tree->totals.dropped.at("corrupt") > 0, tree->Text());
}

/// Where pauses are lost, buffers of hosts' links overflow; that is counted, and retry prevents it.
void
TestLostPauses(FunctionCase& test)
{
    for (const bool retry : {false, true})
    {
        ErrorRun run;
        run.errorRate = 0.2;
        run.bytes = 2'000'000;
        run.set = [retry](FatTreeHelper& helper) {
            helper.SetSwitchAttribute("EdgeFlowControl", StringValue("pause"));
            helper.SetSwitchAttribute("BufferBytes", UintegerValue(160 * 1024));
            helper.SetSwitchAttribute("PauseXoffBytes", UintegerValue(64 * 1024));
            helper.SetSwitchAttribute("PauseXonBytes", UintegerValue(48 * 1024));
            helper.SetChannelAttribute("Retry", BooleanValue(retry));
        };
        const auto tree = RunBothWays(test, run);
        test.Expect(retry || tree->errors.lostPauses > 0, tree->Text());
        test.ExpectEqual(tree->totals.dropped.count("buffer-full"),
                         retry ? 0 : 1,
                         "overflow, " + tree->Text());
        test.ExpectEqual(tree->totals.inFlight, 0, tree->Text());
    }
}

/// Where credit frames are lost, what they said is said again; nothing waits for ever.
void
TestLostCredits(FunctionCase& test)
{
    const TestSeeds seeds(4);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ErrorRun run;
        run.seed = seed;
        run.errorRate = 0.2;
        const bool retry = seed % 2 == 0;
        run.set = [retry](FatTreeHelper& helper) {
            helper.SetSwitchAttribute("BufferBytes", UintegerValue(9'024));
            helper.SetSwitchAttribute("ReservedBytes", UintegerValue(9'024));
            helper.SetChannelAttribute("CreditFrames", BooleanValue(true));
            helper.SetChannelAttribute("Retry", BooleanValue(retry));
        };
        const auto tree = RunBothWays(test, run);
        test.Expect((tree->errors.lostCredits > 30) != retry, tree->Text());
        test.ExpectEqual(tree->totals.inFlight, 0, "what waits, " + tree->Text());
    }
}

/// Combinations that make no sense.
void
TestRetryRefusals(FunctionCase& test)
{
    std::string feature = "Retry";
    const auto refusal = [&feature](const std::string& name, const AttributeValue& value, bool on) {
        ErrorRun run;
        run.set = [&](FatTreeHelper& helper) {
            helper.SetChannelAttribute(feature, BooleanValue(on));
            helper.SetChannelAttribute(name, value);
        };
        return Refusal([&run] { ErrorTree tree(run); });
    };
    const auto isRefusedFor = [&test](const std::string& sentence, const std::string& part) {
        test.Expect(sentence.find(part) != std::string::npos, part + ": '" + sentence + "'");
    };
    isRefusedFor(refusal("RetryLimit", UintegerValue(3), false), "allowed is Retry=true");
    isRefusedFor(refusal("RetryLatency", TimeValue(NanoSeconds(3)), false), "Retry=true");
    isRefusedFor(refusal("RetryTimeout", TimeValue(NanoSeconds(3)), true), "allowed are 0 and at");
    isRefusedFor(refusal("RetryBuffer", UintegerValue(3), true), "RetryBuffer is 3 bytes");
    isRefusedFor(refusal("RetryUnit", UintegerValue(64), true),
                 "port 2: RetryUnit has no effect on a");
    isRefusedFor(refusal("RetryUnit", UintegerValue(64), true), "ns3::FabricSwitch on node ");
    const auto inPieces = [&feature](const std::string& name, uint64_t value) {
        ErrorRun run;
        run.set = [&](FatTreeHelper& helper) {
            LaneTable table;
            table.lanes = {{0, 0, 0, 0, true}};
            table.groups = {{0, GroupSettings::FULL_SHARE}};
            helper.SetLaneTable(table);
            helper.SetSwitchAttribute("LanePreemption", BooleanValue(true));
            helper.SetChannelAttribute(feature, BooleanValue(true));
            helper.SetChannelAttribute(name, UintegerValue(value));
        };
        return Refusal([&run] { ErrorTree tree(run); });
    };
    isRefusedFor(inPieces("RetryUnit", 100), "RetryUnit is 100; allowed are multiples of LaneFli");
    isRefusedFor(inPieces("RetryBuffer", 1 << 20), "RetryBuffer limits links that send frames in");
    test.ExpectEqual(inPieces("RetryUnit", 64), std::string(), "units of 64 bytes");
    feature = "CreditFrames";
    isRefusedFor(refusal("CreditThreshold", UintegerValue(3), false), "allowed is CreditFrames=tr");
    isRefusedFor(refusal("CreditTimer", TimeValue(NanoSeconds(3)), false), "CreditFrames=true");
    isRefusedFor(refusal("CreditRefresh", TimeValue(NanoSeconds(3)), false), "CreditFrames=true");
}

/// Suite of errors on the links of a network.
class LinkErrorsNetTestSuite : public FunctionSuite
{
  public:
    LinkErrorsNetTestSuite()
        : FunctionSuite("fabric-link-errors-net", kUnit)
    {
        Add("WL-6 links with retry lose nothing", TestRetry);
        Add("WL-2 FC-8 no flow channel stays where ACKs are lost", TestLostAcks);
        Add("WL-2 CM-5 answers about flows meter nobody", TestAnswersMeterNobody);
        Add("WL-4 error models spare ACKs if they shall", TestSparedControl);
        Add("WL-5 lost pauses overflow a buffer", TestLostPauses);
        Add("WL-5 lost credit frames are made good", TestLostCredits);
        Add("WL-6 settings that make no sense are refused", TestRetryRefusals);
    }
};

LinkErrorsNetTestSuite g_linkErrorsNetTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
