/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-oracle.h"
#include "fabric-function-case.h"
#include "fabric-oracle-comparison.h"
#include "fabric-oracle-log.h"
#include "fabric-random-outages.h"
#include "fabric-random-scenario.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"

#include "ns3/test.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @param watcher sees what switches do
std::unique_ptr<FlowOracle>
MakeOracle(const RandomScenario& scenario, FlowOracle::Watcher watcher)
{
    auto oracle = std::make_unique<FlowOracle>(
        scenario.Plan(),
        scenario.Routes(),
        scenario.Config(),
        scenario.HostConfig(),
        [&scenario](std::size_t link) { return scenario.Links()[link]; },
        std::move(watcher));
    scenario.ForEachLoss(
        [&oracle](std::size_t i, uint32_t port, auto loss, const RetrySettings& retry) {
            oracle->SetLoss(oracle->Switch(i).Ports()[port].wire, std::move(loss), retry);
        },
        [&oracle](std::size_t i, auto loss, const RetrySettings& retry) {
            oracle->SetLoss(oracle->Host(i).uplink, std::move(loss), retry);
        });
    scenario.ForEachCredit([&oracle](std::size_t i, uint32_t port, const CreditSettings& credits) {
        oracle->Switch(i).Ports()[port].credits.emplace(credits);
    });
    for (const RandomScenario::ChangeOrder& order : scenario.Changes())
    {
        oracle->ChangeAt(order.chip, order.at, order.congestion, order.ackTimers);
    }
    for (const Message& m : scenario.Messages())
    {
        oracle->Send(HostOf(m.src), HostOf(m.dst), m.bytes, m.trafficClass, m.sentAt);
    }
    return oracle;
}

/// A scenario that runs on switches and on the oracle side by side.
class OracleRun
{
  public:
    /// @param scenario without virtual lanes; must stay
    explicit OracleRun(const RandomScenario& scenario)
        : m_bed(scenario.Build(true)),
          m_bedLog(*m_bed),
          m_oracleLog(m_bed->Chips()),
          m_oracle(MakeOracle(scenario, LogOf(m_oracleLog, m_oracle))),
          m_comparison(*m_bed, *m_oracle)
    {
    }

    /**
     * Goes on with both.
     *
     * @param horizon up to which they run, ps
     * @return the first difference in a sentence, empty if there is none
     */
    std::string RunUntil(TimePs horizon)
    {
        m_oracle->RunUntil(horizon);
        m_bed->RunUntil(horizon);
        const std::string fault = FirstDifference(m_bedLog.Log(), m_oracleLog);
        return fault.empty() ? m_comparison.Find() : fault;
    }

    /// Goes on with both to the end. @return as RunUntil()
    std::string RunToEnd()
    {
        std::string fault = RunUntil(NEVER);
        fault = fault.empty() ? CompareDeliveries() : fault;
        return fault.empty() ? m_comparison.FindAtEnd() : fault;
    }

    /// @param outages of links, before anything is run
    void Add(const RandomOutages& outages)
    {
        outages.AddTo(*m_bed);
        for (const Outage& outage : outages.Outages())
        {
            m_oracle->FailLink(outage.link, outage.from, outage.until, outages.Delay());
        }
    }

    const FlowOracle& Oracle() const
    {
        return *m_oracle;
    }

  private:
    /// @return the first message that arrives otherwise, empty if there is none
    std::string CompareDeliveries() const
    {
        const auto text = [](const FlowOracle::Delivery& d) {
            std::ostringstream out;
            out << "at " << std::get<0>(d) << " ps message " << std::get<3>(d) << " from "
                << std::get<1>(d) << " to " << std::get<2>(d) << ", " << std::get<4>(d) << " bytes";
            return out.str();
        };
        const std::vector<TestBed::Delivery> actual = m_bed->Deliveries();
        const std::vector<FlowOracle::Delivery> expected = m_oracle->Deliveries();
        for (std::size_t i = 0; i < std::max(actual.size(), expected.size()); ++i)
        {
            if (i >= actual.size() || i >= expected.size() || actual[i].Tie() != expected[i])
            {
                return "delivery " + std::to_string(i) + " is '" +
                       (i < actual.size() ? text(actual[i].Tie()) : "none") + "', expected is '" +
                       (i < expected.size() ? text(expected[i]) : "none") + "'";
            }
        }
        return "";
    }

    std::unique_ptr<TestBed> m_bed;       ///< Switches under test.
    BedLog m_bedLog;                      ///< What they do.
    OracleLog m_oracleLog;                ///< What they should do.
    std::unique_ptr<FlowOracle> m_oracle; ///< Says so.
    OracleComparison m_comparison;        ///< Of states.
};

/// Many flows at once, of a short message each: so that ACK frames fill.
void
AddShortFlows(RandomScenario& scenario, std::mt19937_64& random)
{
    constexpr int FLOWS = 400;
    const std::size_t hosts = scenario.Plan().hosts.size();
    Message message;
    message.sentAt = scenario.Messages().back().sentAt;
    for (int i = 0; i < FLOWS; ++i)
    {
        message.src = LocationOf(static_cast<uint32_t>(random() % hosts));
        message.dst = LocationOf(static_cast<uint32_t>(random() % hosts));
        message.bytes = random() % 1000;
        message.trafficClass = random() % TRAFFIC_CLASSES;
        if (message.src != message.dst)
        {
            scenario.Add(message);
        }
    }
}

/// @return a time below a limit, in steps of 40 ps: with the times of links, which are in such
/// steps too, timers end just when something else happens now and then
TimePs
DrawRoundTime(std::mt19937_64& random, TimePs limit)
{
    return static_cast<TimePs>(random() % limit) / 40 * 40;
}

/// Draws what scenarios have as it is by default or nearly so: timers of ACKs, larger buffers with
/// higher watermarks, the part of the buffer that a flow may take.
void
DrawMore(RandomScenario& scenario, uint64_t seed)
{
    std::mt19937_64 random(seed);
    SwitchConfig config = scenario.Config();
    const bool isFlood = random() % 4 == 0;
    const bool isDeep = random() % 4 == 0; // so that an ACK's 8 bits are too few for the credit
    const TimePs unit = isFlood || isDeep ? 10'000'000 : random() % 2 == 0 ? 1'000'000 : 50'000;
    config.ackTimers.idle = DrawRoundTime(random, unit);
    config.ackTimers.busy = DrawRoundTime(random, 2 * unit);
    config.ackTimers.longest = DrawRoundTime(random, 5 * unit);
    config.timing.latency = DrawRoundTime(random, 500'000);
    config.timing.controlLatency = DrawRoundTime(random, 100'000);
    config.congestion.roomDivisor = static_cast<uint32_t>(random() % 20);
    if (isDeep)
    {
        Watermarks& marks = config.congestion.watermarks;
        config.congestion.hopCredits = true;
        marks.target += static_cast<uint32_t>(random() % 300);
        marks.high = marks.target + static_cast<uint32_t>(random() % 1000);
        config.buffer.shares.totalBytes += static_cast<uint32_t>(random() % 1'000'000);
        config.congestion.roomDivisor = static_cast<uint32_t>(random() % 3);
    }
    if (isFlood)
    {
        config.flowChannels.ids = FLOW_IDS_PER_LINK - 1;
        AddShortFlows(scenario, random);
    }
    std::ostringstream text;
    text << "instead ACK timers " << config.ackTimers.idle << " " << config.ackTimers.busy << " "
         << config.ackTimers.longest << ", latency " << config.timing.latency << " "
         << config.timing.controlLatency << " ps, buffer " << config.buffer.shares.totalBytes
         << ", watermarks " << config.congestion.watermarks.high << " "
         << config.congestion.watermarks.target << ", room divisor "
         << config.congestion.roomDivisor << ", flow_ids " << config.flowChannels.ids;
    scenario.Replace(config, text.str());
}

/// @return an outage that begins at the instant at which the tail of some frame is in, or its head
/// is sent, if links stay up before
RandomOutages
DrawExactOutage(const RandomScenario& scenario, std::mt19937_64& random)
{
    std::vector<Outage> candidates;
    std::unique_ptr<FlowOracle> oracle;
    oracle = MakeOracle(scenario,
                        [&candidates, &oracle](TimePs now,
                                               std::size_t number,
                                               OracleDeed deed,
                                               uint32_t port,
                                               const OracleFrame& frame,
                                               const OracleQueue*) {
                            const std::size_t link = oracle->Ways().LinkAt(number, port);
                            const OracleWire& wire = oracle->Switch(number).Ports()[port].wire;
                            if (deed == OracleDeed::ARRIVED)
                            {
                                candidates.push_back({link, frame.tailAt, NEVER});
                            }
                            else if (deed == OracleDeed::SENT)
                            {
                                const TimePs tail = wire.Duration(frame.Bytes()) + wire.delay;
                                candidates.push_back({link, now, NEVER});
                                candidates.push_back({link, now + tail, NEVER});
                            }
                        });
    oracle->RunUntil(NEVER);
    Outage outage = candidates[random() % candidates.size()];
    outage.until = outage.from + 1 + static_cast<TimePs>(random() % (50 * US));
    return RandomOutages(outage);
}

/// Compares a scenario at several times and at the end. @return the first difference in a sentence
std::string
CompareWithFlowOracle(RandomScenario& scenario, const RandomOutages* outages, OracleReach& reach)
{
    constexpr int HORIZONS = 8;
    try
    {
        OracleRun run(scenario);
        if (outages != nullptr)
        {
            run.Add(*outages);
        }
        const TimePs last = scenario.SomeTime();
        for (int i = 1; i <= HORIZONS; ++i)
        {
            const TimePs horizon = last / HORIZONS * i;
            const std::string fault = run.RunUntil(horizon);
            if (!fault.empty())
            {
                return "by " + std::to_string(horizon) + " ps, " + fault;
            }
        }
        std::string fault = run.RunToEnd();
        reach.Add(run.Oracle().Reach());
        return fault;
    }
    catch (const std::exception& error)
    {
        return error.what();
    }
}

/// What links do in scenarios that are compared.
struct LinksOf
{
    bool fail{false};    ///< They fail and are repaired.
    bool repeat{false};  ///< They repeat what they damage.
    bool credits{false}; ///< Most of them have credit frames.
};

/**
 * @param test is told of the first difference
 * @param usual how many seeds by default
 * @param check is given what the scenarios met, and how often each should have come at least:
 * `void (const OracleReach&, uint64_t)`
 */
template <typename Check>
void
CompareSeeds(FunctionCase& test, uint32_t usual, const LinksOf& links, Check&& check)
{
    const TestSeeds seeds(usual);
    OracleReach reach;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ScenarioLimits limits;
        limits.lanes = false;
        RandomScenario scenario(seed, limits);
        if (seed % 2 == 0)
        {
            DrawMore(scenario, seed);
        }
        if (links.repeat)
        {
            scenario.RepeatOnLinks(seed, 2 + seed * seed % 31);
        }
        if (links.credits)
        {
            scenario.TellCreditsInFrames(seed);
        }
        std::optional<RandomOutages> outages;
        if (links.fail && seed % 3 == 0)
        {
            std::mt19937_64 random(seed);
            outages = DrawExactOutage(scenario, random);
        }
        else if (links.fail)
        {
            outages.emplace(scenario, seed);
        }
        const std::string fault =
            CompareWithFlowOracle(scenario, outages ? &*outages : nullptr, reach);
        if (!fault.empty())
        {
            test.Expect(false,
                        fault + ", " + scenario.Describe() + (outages ? outages->Describe() : ""));
            return;
        }
    }
    check(reach, seeds.count / 50);
}

/// Links stay up.
void
CompareRandomScenarios(FunctionCase& test)
{
    CompareSeeds(test, 700, {}, [&test](const OracleReach& reach, uint64_t least) {
        const auto expect = [&test, least](uint64_t times, const char* what) {
            test.Expect(times >= least, std::to_string(times) + std::string(" ") + what);
        };
        expect(reach.waitsAtEdge, "frames waited for a flow_id at the edge");
        expect(reach.waitsForId, "flows waited for a flow_id of a link");
        expect(reach.waitsForRoom, "outputs waited for room");
        expect(reach.meteringBegun, "flows passed their target");
        expect(reach.holds, "flows ran out of headroom");
        expect(reach.fullAckFrames, "full ACK frames");
        expect(reach.LostBytes(OracleDeed::DAMAGED), "bytes were damaged");
    });
}

/// Links fail.
void
CompareRandomFailures(FunctionCase& test)
{
    CompareSeeds(test, 400, {true}, [&test](const OracleReach& reach, uint64_t least) {
        const auto expect = [&test, least](uint64_t times, const char* what) {
            test.Expect(times >= least, std::to_string(times) + std::string(" ") + what);
        };
        expect(reach.LostBytes(OracleDeed::CUT_OFF), "bytes were cut off");
        expect(reach.LostBytes(OracleDeed::NO_WAY), "bytes had no way");
        expect(reach.lostAcks, "ACKs were cut off");
        expect(reach.pathsLeft, "flows waited until they could leave their paths");
        expect(reach.greetings, "links were greeted");
    });
}

/// @param linksFail whether they do besides
void
CompareRandomRetries(FunctionCase& test, bool linksFail)
{
    CompareSeeds(test, 300, {linksFail, true}, [&test](const OracleReach& reach, uint64_t least) {
        const auto expect = [&test, least](uint64_t times, const char* what) {
            test.Expect(times >= least, std::to_string(times) + std::string(" ") + what);
        };
        expect(reach.retry.repeats, "frames were repeated");
        expect(reach.retry.timeouts, "requests for a repeat were lost");
        expect(reach.retry.givenUp, "frames were given up");
        expect(reach.replayWaits, "frames found no room in the replay buffer");
    });
}

/// @param links what they do besides telling of credits in frames
void
CompareRandomCredits(FunctionCase& test, LinksOf links)
{
    links.credits = true;
    CompareSeeds(test, 300, links, [&test](const OracleReach& reach, uint64_t least) {
        test.Expect(reach.creditFrames >= 100 * least,
                    std::to_string(reach.creditFrames) + " credit frames");
        test.Expect(reach.waitsForRoom >= least,
                    std::to_string(reach.waitsForRoom) + " outputs waited for room");
    });
}

/// Suite of the oracle of flow channels.
class FabricFlowOracleTestSuite : public FunctionSuite
{
  public:
    FabricFlowOracleTestSuite()
        : FunctionSuite("fabric-flow-oracle", kUnit)
    {
        Add("CM-5 DP-5 FC-2 FC-3 FC-4 FC-5 FC-6 FC-7 FC-8 FC-9 FC-10 FC-11 FC-14 FC-17 WL-3 WL-4 "
            "WL-5 random scenarios come out as a slow model of flow channels says",
            CompareRandomScenarios);
        Add("WL-8 FC-8 FC-11 FC-12 CM-5 links that fail and are repaired come out as a slow model "
            "of "
            "flow channels says",
            CompareRandomFailures);
        Add("WL-6 links that repeat what they damage come out as a slow model says",
            [](FunctionCase& test) { CompareRandomRetries(test, false); });
        Add("WL-6 WL-8 links that repeat what they damage, and fail, come out as a slow model says",
            [](FunctionCase& test) { CompareRandomRetries(test, true); });
        Add("WL-5 credits in frames come out as a slow model says",
            [](FunctionCase& test) { CompareRandomCredits(test, {}); });
        Add("WL-5 WL-6 WL-8 credits in frames on links that fail and repeat come out as a slow "
            "model says",
            [](FunctionCase& test) {
                CompareRandomCredits(test, {true, true});
            });
    }
};

FabricFlowOracleTestSuite g_fabricFlowOracleTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
