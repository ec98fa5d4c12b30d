/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-logged-flow-carrier.h"

#include "fabric-messages-csv.h"
#include "fabric-rank-link.h"
#include "fabric-switch.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// Adds what switches have marked, and dropped where they may: frames of any kind.
void
AddFrames(Summary& summary, const FabricNetwork& network)
{
    bool isMarking = false;
    bool isLossy = false;
    uint64_t marked = 0;
    for (const Ptr<FabricSwitch>& fabricSwitch : network.GetSwitches())
    {
        const SwitchChip& chip = fabricSwitch->GetChip();
        isLossy = isLossy || chip.Config().buffer.lossyClasses != 0;
        if (chip.Marker())
        {
            isMarking = true;
            marked += chip.Marker()->MarkedFrames();
        }
    }
    if (isMarking)
    {
        summary.Add("marked_frames", {}, SumOverRanks({marked}).front(), "1");
    }
    for (const auto& [cause, bytes] : network.GetTotalsOfRanks().dropped)
    {
        if (isLossy)
        {
            summary.Add("fabric_dropped", {{"cause", cause}}, bytes, "B");
        }
    }
}

} // namespace

LoggedFlowCarrier::LoggedFlowCarrier(const FabricContainer& fabric,
                                     const FlowList& list,
                                     std::vector<std::string> outcomes)
    : m_fabric(fabric),
      m_list(list),
      m_outcomes(std::move(outcomes)),
      m_log(list.flows.size(), m_outcomes.size())
{
}

void
LoggedFlowCarrier::Start(uint32_t flow, uint32_t place)
{
    m_log.Start(flow);
    Send(flow, place);
}

void
LoggedFlowCarrier::Listen(Listener sent, Listener received)
{
    m_sent = std::move(sent);
    m_received = std::move(received);
}

void
LoggedFlowCarrier::Arrive(uint32_t flow, uint32_t place, TimePs at)
{
    m_log.Receive(flow, at);
    if (m_received)
    {
        m_received(flow, place);
    }
}

void
LoggedFlowCarrier::End(uint32_t flow, uint32_t place, std::size_t outcome)
{
    m_log.End(flow, outcome);
    if (outcome == FlowLog::SUCCESS && m_sent)
    {
        m_sent(flow, place);
    }
}

void
LoggedFlowCarrier::CheckComplete() const
{
    m_log.CheckComplete();
    CheckEnds();
}

RunTotals
LoggedFlowCarrier::GetTotals(TimePs end) const
{
    RunTotals totals = GetPayload();
    const FabricTotals counted = m_fabric.network->GetTotalsOfRanks();
    totals.simulatedTime = end;
    totals.dataHops = counted.dataHops;
    totals.controlHops = counted.controlHops;
    return totals;
}

uint64_t
LoggedFlowCarrier::GetBytesSince(TimePs time) const
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < m_list.flows.size(); ++i)
    {
        const TimePs received = m_log.GetStates()[i].received;
        bytes += received != NEVER && received >= time ? m_list.flows[i].bytes : 0;
    }
    return bytes;
}

std::vector<FlowTimes>
LoggedFlowCarrier::GetTimes() const
{
    const FabricIdealPaths paths(m_fabric.network);
    std::map<std::pair<uint32_t, uint32_t>, IdealOfBytes> ideals;
    std::vector<FlowTimes> times;
    for (uint32_t i = 0; i < m_list.flows.size(); ++i)
    {
        const FlowLog::State& state = m_log.GetStates()[i];
        if (state.received == NEVER || state.start < m_from)
        {
            continue;
        }
        const FlowList::Flow& flow = m_list.flows[i];
        IdealOfBytes& ideal = ideals[{flow.src, flow.dst}];
        if (!ideal)
        {
            ideal = IdealBetween(paths, flow.src, flow.dst);
        }
        const Ideal of = ideal(flow.bytes);
        times.push_back({i, state.start, state.received - state.start, of.time, of.standalone});
    }
    std::sort(times.begin(), times.end(), [this](const FlowTimes& a, const FlowTimes& b) {
        const auto key = [this](const FlowTimes& of) {
            return std::tuple(of.start + of.fct, m_list.flows[of.flow].src, of.flow);
        };
        return key(a) < key(b);
    });
    return times;
}

void
LoggedFlowCarrier::AddFigures(Summary& summary) const
{
    std::vector<double> latencies;
    for (const FlowLog::State& state : m_log.GetStates())
    {
        if (state.told != NEVER && state.start >= m_from)
        {
            latencies.push_back(ToSeconds(state.told - state.start));
        }
    }
    summary.AddDistribution("latency", {}, latencies, "s");
    AddOwnFigures(summary);
    AddFrames(summary, *m_fabric.network);
    AddOutcomes(summary);
}

void
LoggedFlowCarrier::AddOutcomes(Summary& summary) const
{
    std::map<std::string, uint64_t> operations;
    for (std::size_t outcome = 0; outcome < m_outcomes.size(); ++outcome)
    {
        const uint64_t count = m_log.Count(outcome);
        if (count != 0 || outcome == FlowLog::SUCCESS)
        {
            operations[m_outcomes[outcome]] = count;
        }
    }
    for (const auto& [status, number] : operations)
    {
        summary.Add("operations", {{"status", status}}, number, "1");
    }
}

void
LoggedFlowCarrier::WriteMessages(std::ostream& os) const
{
    MessagesCsv csv(os, {"latency_s"});
    for (const FlowTimes& times : GetTimes())
    {
        const FlowList::Flow& flow = m_list.flows[times.flow];
        const TimePs told = m_log.GetStates()[times.flow].told;
        csv.Row({flow.src,
                 flow.dst,
                 times.flow,
                 flow.trafficClass,
                 flow.bytes,
                 times.start,
                 times.fct,
                 times.ideal,
                 times.standalone},
                told == NEVER ? std::nullopt : std::make_optional(ToSeconds(told - times.start)));
    }
}

} // namespace ns3::fabric
