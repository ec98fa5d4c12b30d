/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-log.h"
#include "fabric-program.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/simulator.h"

#include <functional>

namespace ns3::fabric
{

namespace
{

/// Does something at a time. @param nanoseconds when
void
AtTime(int64_t nanoseconds, const std::function<void()>& action)
{
    Simulator::Schedule(NanoSeconds(nanoseconds), action);
}

/// When a flow starts, is there and is known to be there.
void
TestLogTimes(FunctionCase& test)
{
    FlowLog log(3, 2);
    AtTime(2, [&] { log.Start(1); });
    AtTime(5, [&] { log.Receive(1, 4000); });
    AtTime(9, [&] { log.End(1, FlowLog::SUCCESS); });
    AtTime(6, [&] { log.Start(0); });
    AtTime(7, [&] { log.End(0, 1); });
    Simulator::Run();
    const FlowLog::State& done = log.GetStates()[1];
    test.ExpectEqual(done.start, 2000, "its start");
    test.ExpectEqual(done.received, 4000, "since when it is there, not when that is told");
    test.ExpectEqual(done.told, 9000, "when it is known");
    const FlowLog::State& failed = log.GetStates()[0];
    test.ExpectEqual(failed.start, 6000, "its start");
    test.Expect(failed.received == NEVER && failed.told == NEVER, "it has failed");
    test.Expect(log.GetStates()[2].start == NEVER, "it has not started");
    test.ExpectEqual(log.Count(FlowLog::SUCCESS), 1, "one is complete");
    test.ExpectEqual(log.Count(1), 1, "one has failed");
    test.ExpectEqual(log.CountOver(), 2, "two are over");
    test.ExpectEqual(log.GetDone(), 2.0 / 3, "of three");
    test.ExpectEqual(log.GetEnd(), 9000, "when somebody was told last");
    Simulator::Destroy();
}

/// The end is that of what was told last, be it at who receives.
void
TestLogEnd(FunctionCase& test)
{
    FlowLog log(1, 1);
    AtTime(1, [&] { log.Start(0); });
    AtTime(3, [&] { log.End(0, FlowLog::SUCCESS); });
    AtTime(8, [&] { log.Receive(0, 2500); });
    Simulator::Run();
    test.ExpectEqual(log.GetEnd(), 8000, "the receiver was told last");
    Simulator::Destroy();
}

/// Flows may be left only when one of them has failed, and those have not started then.
void
TestLogCompleteness(FunctionCase& test)
{
    const auto refusal = [](uint32_t started, uint32_t complete, uint32_t failed, uint32_t none) {
        FlowLog log(4, 3);
        for (uint32_t flow = 0; flow < started; ++flow)
        {
            log.Start(flow);
        }
        for (uint32_t flow = 0; flow < complete + failed; ++flow)
        {
            log.End(flow, flow < complete ? FlowLog::SUCCESS : 1);
        }
        for (uint32_t flow = 0; flow < none; ++flow)
        {
            log.EndAtStart(2);
        }
        return Refusal<InvariantError>([&log] { log.CheckComplete(); });
    };
    test.ExpectEqual(refusal(4, 4, 0, 0), "", "all are complete");
    test.ExpectEqual(refusal(4, 3, 0, 0), "the run ended with 3 of 4 flows over", "one is left");
    test.ExpectEqual(refusal(3, 3, 0, 0),
                     "the run ended with 3 of 4 flows over",
                     "one has not started though none has failed");
    test.ExpectEqual(refusal(3, 2, 1, 0), "", "the fourth was to start after the one that failed");
    test.ExpectEqual(refusal(3, 2, 0, 1), "", "or after the one that ended with its start");
    test.ExpectEqual(refusal(3, 1, 1, 0), "the run ended with 2 of 3 flows over", "one is left");
}

/// Suite of what comes of flows.
class FlowLogSuite : public FunctionSuite
{
  public:
    FlowLogSuite()
        : FunctionSuite("fabric-flow-log", kUnit)
    {
        Add("SC-5 times and outcomes of flows", TestLogTimes);
        Add("SC-5 the end of what is told", TestLogEnd);
        Add("PR-3 flows that are left", TestLogCompleteness);
    }
};

FlowLogSuite g_flowLogSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
