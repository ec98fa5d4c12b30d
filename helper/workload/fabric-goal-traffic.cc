/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-goal-traffic.h"

#include "fabric-message-flow-carrier.h"
#include "fabric-rank-link.h"

#include "ns3/simulator.h"

#include <stdexcept>

namespace ns3
{

FabricGoalTraffic::FabricGoalTraffic(const FabricContainer& fabric,
                                     const fabric::GoalFile& file,
                                     const fabric::FlowList& list)
    : m_own(std::make_unique<fabric::MessageFlowCarrier>(fabric, list)),
      m_carrier(*m_own),
      m_progress(file,
                 {[this](uint32_t operation, uint64_t time) { Calculate(operation, time); },
                  [this](uint32_t send, uint32_t place) { m_carrier.Start(send, place); }})
{
    Plan();
}

FabricGoalTraffic::FabricGoalTraffic(fabric::FlowCarrier& carrier, const fabric::GoalFile& file)
    : m_carrier(carrier),
      m_progress(file,
                 {[this](uint32_t operation, uint64_t time) { Calculate(operation, time); },
                  [this](uint32_t send, uint32_t place) { m_carrier.Start(send, place); }})
{
    Plan();
}

void
FabricGoalTraffic::Plan()
{
    // A send is done when its NIC has it, so nobody waits for the acknowledgement.
    m_carrier.Listen([](uint32_t, uint32_t) {},
                     [this](uint32_t send, uint32_t place) {
                         m_last = Simulator::Now();
                         m_progress.Delivered(send, place);
                     });
    Simulator::ScheduleNow([this] {
        m_progress.Begin([this](uint32_t rank) { return !m_carrier.IsElsewhere(rank); });
    });
}

void
FabricGoalTraffic::Calculate(uint32_t operation, uint64_t nanoseconds)
{
    Simulator::Schedule(NanoSeconds(nanoseconds), [this, operation] {
        m_last = Simulator::Now();
        m_progress.Calculated(operation);
    });
}

void
FabricGoalTraffic::AddRanks()
{
    const uint64_t own = m_progress.CountDone();
    m_doneElsewhere = fabric::SumOverRanks({own}).front() - own;
    const auto last = static_cast<uint64_t>(m_last.GetPicoSeconds());
    m_last = PicoSeconds(static_cast<int64_t>(fabric::MostOfRanks({last}).front()));
}

void
FabricGoalTraffic::RequireDone(const std::string& name) const
{
    const auto messages =
        fabric::SumOverRanks({m_progress.CountSent(), m_progress.CountDelivered()});
    const uint64_t line = fabric::MostOfRanks({m_progress.FindWaiting()}).front();
    if (line != 0 && messages[0] == messages[1])
    {
        throw std::invalid_argument(name + ":" + std::to_string(line) +
                                    ": the operation is never done, since it waits in a circle or "
                                    "for a message that nobody sends or another receive has "
                                    "taken; allowed are operations that end");
    }
}

void
FabricGoalTraffic::AddTo(fabric::Summary& summary) const
{
    const uint64_t done = m_progress.CountDone() + m_doneElsewhere;
    summary.Add("operations", {}, m_progress.CountOperations(), "1");
    summary.Add("operations_done", {}, done, "1");
    if (done == m_progress.CountOperations())
    {
        summary.AddTime("execution_time", {}, m_last.GetPicoSeconds());
    }
}

} // namespace ns3
