/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-goal-traffic.h"

#include "fabric-flow-traffic.h"

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
                  [&fabric, &list](uint32_t send) { FabricFlowTraffic::Send(fabric, list, send); }})
{
    m_network->TraceConnectWithoutContext("MessageDelivered",
                                          MakeCallback(&FabricGoalTraffic::Delivered, this));
    Simulator::ScheduleNow([this] { m_progress.Begin(); });
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
    m_progress.Delivered(static_cast<uint32_t>(message.tag - 1));
}

void
FabricGoalTraffic::AddTo(fabric::Summary& summary) const
{
    summary.Add("operations", {}, m_progress.CountOperations(), "1");
    summary.Add("operations_done", {}, m_progress.CountDone(), "1");
    if (m_progress.CountDone() == m_progress.CountOperations())
    {
        summary.AddTime("execution_time", {}, m_last.GetPicoSeconds());
    }
}

} // namespace ns3
