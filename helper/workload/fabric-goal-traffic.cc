/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-goal-traffic.h"

#include "fabric-flow-traffic.h"
#include "fabric-rank-link.h"

#include "ns3/callback.h"
#include "ns3/simulator.h"

namespace ns3
{

FabricGoalTraffic::FabricGoalTraffic(const FabricContainer& fabric,
                                     const fabric::GoalFile& file,
                                     const fabric::FlowList& list)
    : m_network(fabric.network),
      m_progress(file,
                 {[this](uint32_t operation, uint64_t time) { Calculate(operation, time); },
                  [&fabric, &list](uint32_t send, uint32_t place) {
                      FabricFlowTraffic::Send(fabric, list, send, place);
                  }})
{
    m_network->TraceConnectWithoutContext("MessageDelivered",
                                          MakeCallback(&FabricGoalTraffic::Delivered, this));
    Simulator::ScheduleNow([this, &fabric] {
        m_progress.Begin(
            [&fabric](uint32_t rank) { return !fabric.GetDevice(rank)->IsElsewhere(); });
    });
}

FabricGoalTraffic::~FabricGoalTraffic()
{
    m_network->TraceDisconnectWithoutContext("MessageDelivered",
                                             MakeCallback(&FabricGoalTraffic::Delivered, this));
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
FabricGoalTraffic::Delivered(const fabric::Message& message, Time now)
{
    m_last = now;
    m_progress.Delivered(FabricFlowTraffic::FlowOf(message), FabricFlowTraffic::PlaceOf(message));
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
