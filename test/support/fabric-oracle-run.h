/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_RUN_H
#define FABRIC_ORACLE_RUN_H

#include "fabric-oracle-comparison.h"
#include "fabric-random-outages.h"
#include "fabric-random-scenario.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// @param watcher sees what switches do
inline std::unique_ptr<FlowOracle>
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

/// @return an outage that begins at the instant at which the tail of some frame is in, or its head
/// is sent, if links stay up before
inline RandomOutages
DrawExactOutage(const RandomScenario& scenario, std::mt19937_64& random)
{
    std::vector<Outage> candidates;
    std::unique_ptr<FlowOracle> oracle;
    oracle = MakeOracle(
        scenario,
        [&candidates, &oracle](TimePs now, std::size_t number, const OracleSight& sight) {
            const std::size_t link = oracle->Ways().LinkAt(number, sight.port);
            const OracleWire& wire = oracle->Switch(number).Ports()[sight.port].wire;
            if (sight.deed == OracleDeed::ARRIVED)
            {
                candidates.push_back({link, sight.frame->tailAt, NEVER});
            }
            else if (sight.deed == OracleDeed::SENT)
            {
                const TimePs tail = wire.Duration(sight.frame->Bytes()) + wire.delay;
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
inline std::string
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

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_RUN_H
